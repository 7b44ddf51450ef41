"""The page of promises: its tests are there, its figures are those of today, and nothing on it differs without a reason."""

from __future__ import annotations

import pytest

from tests.unit.library.coverage_page import PAGE, missing, page
from tests.unit.library.imported import CONFIGS


def test_every_test_that_the_page_names_is_there() -> None:
    assert missing() == []


def test_nothing_differs_without_a_reason() -> None:
    assert "DIFFERS" not in PAGE.read_text(encoding="utf-8")


@pytest.mark.skipif(not CONFIGS.is_dir(), reason="the data is not at hand")
def test_the_page_is_not_stale() -> None:
    assert PAGE.read_text(encoding="utf-8") == page()
