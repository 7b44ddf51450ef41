"""Committed reports are what the compiler makes of the committed plans today."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from capwright.cli import main
from tests.repo.sources import ROOT

PLANS = sorted((ROOT / "plans" / "examples").glob("*.plan"))
REPORTS = ROOT / "reports" / "examples"


def lasting(text: str) -> str:
    """A report without the hash of the tool, which every change of the compiler changes."""
    tool = json.loads(text)["tool_sha256"] if text.startswith("{") else None
    return text.replace(tool, "TOOL") if tool else text


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("reports")
    for plan in PLANS:
        assert main(["build", str(plan), "-o", str(folder)]) in {0, 1}
    return folder


@pytest.mark.parametrize("plan", PLANS, ids=lambda path: path.stem)
def test_a_committed_report_is_fresh(plan, built):
    document = (built / f"{plan.stem}.json").read_text(encoding="utf-8")
    committed = (REPORTS / f"{plan.stem}.json").read_text(encoding="utf-8")
    stale = "stale: python -m tests.support.reports makes it anew"
    assert lasting(committed) == lasting(document), stale
    now, then = json.loads(document)["tool_sha256"], json.loads(committed)["tool_sha256"]
    page = (built / f"{plan.stem}.md").read_text(encoding="utf-8").replace(now, then)
    assert (REPORTS / f"{plan.stem}.md").read_text(encoding="utf-8") == page, stale


def test_no_report_is_left_of_a_plan_that_is_gone():
    assert {path.stem for path in REPORTS.glob("*.json")} == {plan.stem for plan in PLANS}


def test_the_tools_hash_is_all_that_may_differ():
    one, two = "a" * 64, "b" * 64
    assert lasting(f'{{"tool_sha256": "{one}"}}') == lasting(f'{{"tool_sha256": "{two}"}}')
    assert lasting(f'{{"tool_sha256": "{one}", "x": 1}}') != lasting(f'{{"tool_sha256": "{one}", "x": 2}}')
