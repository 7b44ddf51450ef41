"""Addresses of formula calls."""

from __future__ import annotations

from fractions import Fraction

import pytest

from capwright.compiling import compile_plan
from capwright.loading import load

DECLARED = "formula twice(x: number) : number = x * 2\n"
FIRST = "a = twice(1) + twice(2) + twice(1)\n"
SECOND = "b = twice(2) + 1\n"


@pytest.mark.parametrize("text", [FIRST + SECOND, SECOND + FIRST])
def test_a_call_has_its_address_whatever_stands_before_it(text):
    document = compile_plan(load("a.plan", texts={"a.plan": DECLARED + text})).sound
    found = {q.address: Fraction(q.nominal) for q in document.quantities}
    assert found == {"a": 8, "a/twice": 2, "a/twice#2": 4, "b": 5}
