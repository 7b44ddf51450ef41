"""Heads, sizes and experts that an engine's own tests expect, in every column and of every layer group."""

from __future__ import annotations

import pytest

from tests.unit.importers.public_models import PUBLIC
from tests.unit.library.cases import published
from tests.unit.library.heads import APART, NOT_AT_HAND, ROWS, SAME, differences
from tests.unit.library.imported import CONFIGS


@pytest.mark.promise("E6")
@pytest.mark.parametrize("row", published(ROWS, lambda row: row["model"]))
def test_heads_are_those_that_an_engine_expects(row: dict[str, str]) -> None:
    model = row["model"]
    if model in NOT_AT_HAND:
        assert model not in PUBLIC
        assert not (CONFIGS / f"{model.replace('/', '__')}.json").exists()
        return
    apart = {APART[model][0]} if model in APART else set()
    found = differences(row)
    assert found.keys() == apart, found


def test_every_model_that_is_named_has_its_row() -> None:
    if ROWS:
        assert {*SAME, *NOT_AT_HAND, *APART} <= {row["model"] for row in ROWS}
