"""What stands for a plan on the command line."""

from __future__ import annotations

import os

import pytest

from capwright.commands.plan_files import Found, holds_plans, plan_files, plans_of
from capwright.commands.refusal import CannotRun


def test_a_folder_stands_for_the_plans_below_it(tmp_path):
    for name in ("b.plan", "a.plan", "deep/c.plan", ".hidden/d.plan", "notes.md"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    (tmp_path / "link.plan").symlink_to(tmp_path / "a.plan")
    os.mkfifo(tmp_path / "pipe.plan")
    found = [os.path.relpath(one.path, tmp_path) for one in plan_files([str(tmp_path)])]
    assert found == ["a.plan", "b.plan", "deep/c.plan"]


def test_a_file_is_taken_as_named_and_once(tmp_path):
    (tmp_path / "a.plan").touch()
    a = str(tmp_path / "a.plan")
    assert plan_files([a, str(tmp_path), a, "missing.plan"]) == [Found(a, True), Found("missing.plan", True)]


def test_a_folder_without_plans(tmp_path):
    with pytest.raises(CannotRun) as caught:
        plan_files([str(tmp_path)])
    assert caught.value.code == "CW0702"


def test_a_folder_stands_for_the_plans_that_stand_for_themselves(tmp_path, monkeypatch):
    for name, text in {"a": 'use "b.plan"\n', "b": "", "c": 'use "d.plan"\n', "d": 'use "c.plan"\n'}.items():
        (tmp_path / f"{name}.plan").write_text(text)
    monkeypatch.chdir(tmp_path)
    assert plans_of(["."]) == ["a.plan", "c.plan"]
    assert plans_of(["b.plan", "."]) == ["b.plan", "a.plan", "c.plan"]
    assert plans_of(["b.plan", "missing.plan"]) == ["b.plan", "missing.plan"]


def test_where_plans_are(tmp_path):
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "a.plan").touch()
    (tmp_path / "empty").mkdir()
    found = [holds_plans(str(tmp_path / name)) for name in (".", "deep", "deep/a.plan", "empty", "missing")]
    assert found == [True, True, True, False, False]
