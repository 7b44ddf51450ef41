"""The examples of the language's reference compile, and give the codes that they say."""

from __future__ import annotations

import pytest

from tests.repo.sources import ROOT
from tests.spec.cases import blocks, cases
from tests.spec.running import run

PAGE = (ROOT / "grammar" / "reference.md").read_text(encoding="utf-8")
CASES = cases(PAGE)


@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
def test_an_example_is_so(case):
    run(case)


def test_most_examples_are_run():
    assert len(CASES) >= len([block for block in blocks(PAGE) if not block.language]) / 2
