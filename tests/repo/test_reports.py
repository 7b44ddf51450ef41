"""Committed reports are what the compiler makes of the committed plans today."""

from __future__ import annotations

from capwright.cli import main
from capwright.commands.kept_reports import same
from capwright.loading import read_project
from tests.repo.sources import ROOT

REPORTS = ROOT / "reports" / "examples"


def test_committed_reports_are_fresh(capsys):
    code = main(["build", str(ROOT / "plans" / "examples"), "-o", str(REPORTS), "--check"])
    told = capsys.readouterr().out
    assert code == 0, f"{told}python -m tests.support.reports makes them anew"


def test_the_project_is_its_examples(monkeypatch, capsys):
    """In this checkout, `check` without words takes the plans that are plans, and `build` keeps their reports."""
    project = read_project(ROOT)
    assert (project.diagnostics, ROOT / project.reports) == ((), REPORTS)
    monkeypatch.chdir(ROOT)
    main(["check"])
    told = capsys.readouterr().out
    assert "error[" not in told
    assert f"checked {len(list((ROOT / 'plans' / 'examples').glob('*.plan')))} plans: " in told


def test_the_tools_hash_is_all_that_may_differ():
    one, two = b"a" * 64, b"b" * 64
    assert same(b"x " + two + b" y " + two, b"x " + one + b" y " + one, one)
    assert not same(b"x " + two + b" z", b"x " + one + b" y", one)
    assert not same(b"x " + two + b" y and more", b"x " + one + b" y", one)
