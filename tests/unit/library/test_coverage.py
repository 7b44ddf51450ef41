"""The page of promises: tests show each, its figures are those of today, and nothing on it differs without a reason."""

from __future__ import annotations

import pytest

from tests.support.promises import PROMISES, shown
from tests.unit.library.cases import DATA
from tests.unit.library.coverage_page import PAGE, page
from tests.unit.library.imported import CONFIGS


def test_every_promise_is_shown_by_tests_that_run() -> None:
    found = shown()
    assert found.keys() == PROMISES.keys()
    for promise, tests in found.items():
        assert tests, promise
        assert not DATA.is_dir() or all(tests.values()), promise


def test_nothing_differs_without_a_reason() -> None:
    assert "DIFFERS" not in PAGE.read_text(encoding="utf-8")


@pytest.mark.no_cover
@pytest.mark.skipif(not CONFIGS.is_dir(), reason="the data is not at hand")
def test_the_page_is_not_stale() -> None:
    assert PAGE.read_text(encoding="utf-8") == page()
