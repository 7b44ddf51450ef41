"""What the primitives of a plan may take together, in a search and beside it."""

from __future__ import annotations

from fractions import Fraction

import pytest

from capwright.base.dimension import PURE
from capwright.base.interval import Range
from capwright.base.source import NOWHERE
from capwright.graph import kernel_value
from capwright.graph.kernel_value import KernelWithin
from capwright.graph.tape import KernelCall, Tape
from capwright.kernel import registry
from capwright.kernel.building import causal, fixed, lognormal, window
from capwright.kernel.refusal import KernelRefusal
from tests.support.tapes import Writer

LAW = lognormal(100, 900)
CALL = KernelCall("quantile", (LAW,))


def test_the_first_that_passes_the_limit_is_refused_and_the_rest_are_left(monkeypatch):
    monkeypatch.setattr(kernel_value, "MOST_WORK", 7_000)
    within = KernelWithin(Tape())
    assert within(CALL, [Fraction(1, 2)]) is not None
    assert within(CALL, [Fraction(1, 3)]) is not None
    with pytest.raises(KernelRefusal) as refusal:
        within(CALL, [Fraction(1, 4)])
    assert refusal.value.code == "CW0646"
    assert within(CALL, [Fraction(1, 5)]) is None


def test_what_is_cheap_is_asked_for_as_often_as_wanted(monkeypatch):
    monkeypatch.setattr(kernel_value, "MOST_WORK", 0)
    within = KernelWithin(Tape())
    for number in range(100):
        assert within(KernelCall("quantile", (fixed(number),)), [1]) == number


@pytest.mark.parametrize(
    ("name", "static", "values"),
    [
        ("pairs", (causal(),), [100, 100]),
        ("prompt_pairs", (causal(),), [Range(50, None, 100)]),
        ("prefix_pairs", (causal(),), [100, 100, 10]),
        ("hides", (causal(), window(4)), [100]),
        ("quantile", (LAW,), [1]),
        ("binomial_quantile", (), [100, Fraction(1, 2), Fraction(1, 2)]),
    ],
)
def test_every_primitive_that_counts_has_its_price(name, static, values):
    assert registry.work(name, static, values) > 0


@pytest.mark.parametrize("name", ["rows_grow", "looks_back"])
def test_a_question_about_a_mask_itself_has_none(name):
    assert registry.work(name, (causal(),), []) == 0


def test_a_search_does_not_try_a_primitive_at_every_number():
    tried = []

    def kernel(call, values):
        tried.append(values[0])
        return values[0]

    w = Writer()

    def condition(n):
        return w.op("le", w.tape.emit("kernel", (n,), PURE, NOWHERE, CALL), Fraction(400))

    found = w.search("largest", w.const(1), w.const(10_000), condition)
    assert w.evaluate(kernel).values[found] == 400
    assert len(tried) < 300
