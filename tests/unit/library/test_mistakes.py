"""Every public report of a mistake stands over a case that shows it cannot happen silently here."""

from __future__ import annotations

import re

import pytest

from tests.unit.library.cases import DATA, ROOT, published

REPORTS = DATA / "known_mistakes.md"
CASES = ROOT / "tests" / "spec" / "mistakes"


def reported() -> list[str]:
    """The reports that the data lists, by repository and number."""
    if not REPORTS.is_file():
        return []
    firsts = re.findall(r"^\| ([^|]*#\d[^|]*) \|", REPORTS.read_text(encoding="utf-8"), re.MULTILINE)
    return [each.strip() for first in firsts for each in first.split(",")]


@pytest.mark.parametrize("report", published(reported(), str))
def test_a_reported_mistake_has_a_case(report: str) -> None:
    headings = [
        line
        for path in sorted(CASES.glob("*.md"))
        for line in path.read_text(encoding="utf-8").splitlines()
        if line.startswith("## ")
    ]
    assert any(re.search(rf"(?<![\w-]){re.escape(report)}(?!\d)", line) for line in headings)
