"""Exact numbers: the budget is of the result alone, and what is within it is the true value."""

from __future__ import annotations

import operator
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from capwright.base import exact
from capwright.base.exact import MAX_BITS, Number, TooLarge, bits, norm

long = st.integers(0, MAX_BITS - 1).flatmap(lambda size: st.integers(0, (1 << size)))
whole = st.builds(operator.mul, long, st.sampled_from([1, -1]))
part = st.integers(0, MAX_BITS // 2 - 1).flatmap(lambda size: st.integers(1, (1 << size)))
number = st.one_of(whole, st.builds(lambda a, b: norm(Fraction(a, b)), part, part))


@pytest.mark.parametrize(
    ("ours", "true"),
    [(exact.add, operator.add), (exact.mul, operator.mul), (exact.div, lambda a, b: Fraction(a) / b)],
)
@given(a=number, b=number)
def test_a_result_is_refused_for_its_own_bits_alone(ours, true, a: Number, b: Number):
    if ours is exact.div and b == 0:
        return
    wanted = norm(Fraction(true(a, b)))
    if bits(wanted) > MAX_BITS:
        with pytest.raises(TooLarge):
            ours(a, b)
    else:
        assert ours(a, b) == wanted
        assert type(ours(a, b)) is type(wanted)


@given(
    a=st.one_of(st.integers(-40, 40), st.fractions(max_denominator=40)), exponent=st.integers(-9_000, 9_000)
)
def test_a_power_is_refused_for_its_own_bits_alone(a: Number, exponent: int):
    if a == 0 and exponent < 0:
        return
    wanted = norm(Fraction(a) ** exponent)
    if bits(wanted) > MAX_BITS:
        with pytest.raises(TooLarge):
            exact.power(a, exponent)
    else:
        assert exact.power(a, exponent) == wanted


@pytest.mark.parametrize("base", [2, -3, Fraction(1, 7), 10**2_000])
def test_a_huge_power_is_not_computed_first(base):
    with pytest.raises(TooLarge):
        exact.power(base, 10**2_000)


@pytest.mark.parametrize("base", [0, 1, -1])
def test_powers_that_stay_small_have_no_limit(base):
    assert exact.power(base, 10**30) == abs(base)
