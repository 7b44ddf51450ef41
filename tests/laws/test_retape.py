"""A document evaluated alone says what it says."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from capwright.base.exact import to_text
from capwright.base.interval import as_range
from capwright.compiling import compile_plan
from capwright.document.plandoc import PlanDoc
from capwright.document.retape import evaluated, retape
from capwright.graph.tighten import tighten
from capwright.graph.verdicts import judge, judge_expected
from capwright.loading import load

PLANS = sorted(Path("plans/examples").glob("*.plan"))


@cache
def document(path: Path) -> PlanDoc:
    found = compile_plan(load(str(path))).sound
    assert found.quantities
    return found


def text(value):
    return None if value is None else to_text(value)


@pytest.mark.parametrize("path", PLANS, ids=lambda path: path.stem)
def test_every_quantity_has_the_value_that_the_document_says(path):
    doc = document(path)
    taped = retape(doc)
    evaluation = evaluated(taped)
    assert taped.circular == []
    for quantity in doc.quantities:
        node = taped.node_of[quantity.address]
        value = evaluation.values[node]
        assert value is not None, quantity.address
        held = as_range(value)
        if not quantity.internal:
            held = tighten(taped.tape, evaluation, node).value
        said = (text(held.low), text(held.nominal), text(held.high))
        assert said == (quantity.low, quantity.nominal, quantity.high), quantity.address


@pytest.mark.parametrize("path", PLANS, ids=lambda path: path.stem)
def test_every_verdict_is_what_the_document_says(path):
    doc = document(path)
    taped = retape(doc)
    sides = [(taped.writer(v.left.formula), taped.writer(v.right.formula)) for v in doc.verdicts]
    evaluation = evaluated(taped)
    for verdict, (left, right) in zip(doc.verdicts, sides, strict=True):
        if verdict.status == "contradicted":
            continue
        if verdict.verb == "expect":
            assert judge_expected(taped.tape, evaluation, left, right, verdict.comparison) == verdict.status
            continue
        found = judge(taped.tape, evaluation, left, right, verdict.comparison)
        assert found is not None
        assert found.status == verdict.status, verdict.written
        margin = (text(found.margin.low), text(found.margin.nominal), text(found.margin.high))
        assert margin == (verdict.margin_low, verdict.margin_nominal, verdict.margin_high), verdict.written
