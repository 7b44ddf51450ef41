"""Interval arithmetic on ends holds every point; irrational functions are rounded outward."""

from __future__ import annotations

import math
import operator
from fractions import Fraction

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from capwright.base import ends, exact, irrational

numbers = st.fractions(min_value=-20, max_value=20, max_denominator=12)
far = st.sampled_from([0, 1, 7, 10**6])


@st.composite
def pairs(draw):
    """An interval, perhaps open on a side, and a point in it."""
    low, high = sorted([draw(numbers), draw(numbers)])
    value = low + (high - low) * draw(st.sampled_from([Fraction(n, 4) for n in range(5)]))
    kind = draw(st.integers(0, 5))
    if kind == 0:
        return (None, high), value - draw(far)
    if kind == 1:
        return (low, None), value + draw(far)
    return ((None, None), value) if kind == 2 else ((low, high), value)


BINARY = {
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "minimum": min,
    "maximum": max,
    "hull": lambda x, y: x,
}


@settings(deadline=None)
@pytest.mark.parametrize("name", BINARY)
@given(pairs(), pairs())
def test_binary_operations_hold_every_point(name, a, b):
    between = getattr(ends, name)(a[0], b[0])
    assert ends.contains(between, BINARY[name](a[1], b[1]))


closed = st.tuples(numbers, numbers).map(lambda pair: tuple(sorted(pair)))


@given(closed, closed)
def test_the_ends_of_a_product_are_reached_at_corners(a, b):
    corners = [x * y for x in a for y in b]
    assert ends.mul(a, b) == (min(corners), max(corners))


@settings(deadline=None)
@given(pairs(), pairs())
def test_quotients_and_rests_hold_every_point_unless_zero_is_inside(a, b):
    try:
        quotient, rest = ends.div(a[0], b[0]), ends.mod(a[0], b[0])
    except (ends.ZeroInside, ZeroDivisionError):
        assert ends.contains(b[0], 0)
        return
    assume(b[1] != 0)
    assert ends.contains(quotient, a[1] / b[1])
    assert ends.contains(rest, a[1] % b[1])


@settings(deadline=None)
@given(pairs(), st.integers(-3, 4), st.sampled_from([1, 3, Fraction(1, 2)]))
def test_powers_and_steps_hold_every_point(a, exponent, step):
    assert ends.contains(ends.ceil(a[0], step), exact.ceil_to(a[1], step))
    assert ends.contains(ends.floor(a[0], step), exact.floor_to(a[1], step))
    try:
        power = ends.power(a[0], exponent)
    except (ends.ZeroInside, ZeroDivisionError):
        assert exponent < 0
        assert ends.contains(a[0], 0)
        return
    assume(a[1] != 0 or exponent >= 0)
    assert ends.contains(power, a[1] ** exponent)


@given(pairs(), pairs())
def test_a_clamped_point_lies_in_the_clamped_interval(a, b):
    domain, value = b[0], a[1]
    inside = value if domain[0] is None else max(value, domain[0])
    inside = inside if domain[1] is None else min(inside, domain[1])
    clamped = ends.clamp(a[0], domain)
    assert ends.contains(clamped, inside)
    assert ends.within(clamped, domain)


@given(pairs(), pairs(), numbers)
def test_what_both_contain_is_their_meet(a, b, value):
    met = ends.meet(a[0], b[0])
    both = ends.contains(a[0], value) and ends.contains(b[0], value)
    assert both == (met is not None and ends.contains(met, value))


positive = st.fractions(min_value=Fraction(1, 1000), max_value=1000, max_denominator=1000)


@settings(deadline=None)
@given(positive)
def test_irrational_functions_are_rounded_outward_and_closely(value):
    low, high = irrational.sqrt(value)
    assert low * low <= value <= high * high
    assert (low * low == value) == (low == high)
    for function, nearly, argument in (
        (irrational.log2, math.log2, value),
        (irrational.exp, math.exp, value / 9),
    ):
        low, high = function(argument)
        assert low <= high
        assert high - low <= abs(Fraction(high)) / 10**20 + Fraction(1, 10**25)
        assert math.isclose(low, nearly(argument), rel_tol=1e-12, abs_tol=1e-12)


@settings(deadline=None)
@given(positive, positive)
def test_logarithms_and_exponentials_turn_products_into_sums(x, y):
    (a0, a1), (b0, b1), (c0, c1) = irrational.log2(x), irrational.log2(y), irrational.log2(x * y)
    assert a0 + b0 <= c1
    assert c0 <= a1 + b1
    (a0, a1), (b0, b1), (c0, c1) = irrational.exp(x / 9), irrational.exp(y / 9), irrational.exp((x + y) / 9)
    assert a0 * b0 <= c1
    assert c0 <= a1 * b1


@pytest.mark.parametrize("exponent", [-300, -1, 0, 5, 300])
def test_logarithms_of_powers_of_two_are_exact(exponent):
    assert irrational.log2(Fraction(2) ** exponent) == (exponent, exponent)


def test_exponentials_out_of_bounds_are_too_large():
    with pytest.raises(exact.TooLarge):
        irrational.exp(10_000)
    low, high = irrational.exp(-4000)
    assert 0 < low < high
