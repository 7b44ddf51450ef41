"""The examples of the language's reference compile, and give the codes that they say."""

from __future__ import annotations

import re

import pytest

from tests.repo.sources import ROOT
from tests.spec.cases import blocks, cases
from tests.spec.running import run

PAGE = (ROOT / "grammar" / "reference.md").read_text(encoding="utf-8")
CASES = cases(PAGE)
ARCHITECTURES = (ROOT / "grammar" / "architectures.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
def test_an_example_is_so(case):
    run(case)


@pytest.mark.parametrize("case", cases(ARCHITECTURES), ids=lambda case: case.name)
def test_a_description_of_ones_own_is_so(case):
    run(case)


@pytest.mark.parametrize("page", [PAGE, ARCHITECTURES], ids=["reference", "architectures"])
def test_links_lead_to_files(page):
    for name in re.findall(r"\]\((?!https?:)([^)#]+)", page):
        assert (ROOT / "grammar" / name).exists(), name


def test_most_examples_are_run():
    assert len(CASES) >= len([block for block in blocks(PAGE) if not block.language]) / 2
