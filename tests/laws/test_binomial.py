"""The quantile of a binomial law is that of its draws, and where it is only bounded the bounds hold."""

from __future__ import annotations

from fractions import Fraction
from itertools import accumulate
from math import comb

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from capwright.base.interval import Range, as_range
from capwright.kernel import binomial
from capwright.kernel.refusal import KernelRefusal
from capwright.kernel.registry import call

LAW = settings(max_examples=200, deadline=None)

trials = st.integers(0, 40)
shares = st.fractions(0, 1, max_denominator=50)


def quantile(count: int, share: Fraction, level: Fraction) -> int:
    """By the definition: the first number of successes up to which at least `level` of all draws lie."""
    law = [comb(count, k) * share**k * (1 - share) ** (count - k) for k in range(count + 1)]
    return next(k for k, below in enumerate(accumulate(law)) if below >= level)


@LAW
@given(trials, shares, shares)
def test_it_is_the_quantile_of_the_draws(count, share, level):
    assert call("binomial_quantile", [], [count, share, level]) == quantile(count, share, level)


@LAW
@given(trials, shares, shares)
def test_what_is_only_bounded_lies_within_its_bounds(count, share, level):
    if share in (0, 1) or level in (0, 1):
        return
    found = binomial._bounded(count, share, level)
    assert found.low <= quantile(count, share, level) <= found.high <= count
    assert found.nominal is None


@pytest.mark.parametrize("level", [Fraction(1, 100), Fraction(1, 2), Fraction(99, 100)])
def test_many_trials_are_bounded_near_the_mean(level):
    found = as_range(call("binomial_quantile", [], [10**9, Fraction(3, 10), level]))
    assert found.low <= 300_000_000 <= found.high <= 300_050_000


def test_few_successes_among_many_trials_are_bounded_closely():
    assert as_range(call("binomial_quantile", [], [10_000, Fraction(1, 1_000), Fraction(99, 100)])) == Range(
        10, None, 21
    )


@LAW
@given(trials, shares, shares, shares, shares)
def test_a_range_holds_every_point_of_it(count, share, other, level, further):
    low, high = sorted((share, other))
    start, end = sorted((level, further))
    found = as_range(call("binomial_quantile", [], [count, Range(low, low, high), Range(start, end, end)]))
    for p in (low, (low + high) / 2, high):
        for q in (start, (start + end) / 2, end):
            assert found.low <= quantile(count, p, q) <= found.high


@pytest.mark.parametrize(
    ("count", "share", "level"), [(Fraction(15, 2), 0, 0), (-1, 0, 0), (3, 2, 0), (3, -1, 0), (3, 0, 2)]
)
def test_trials_that_are_none_are_refused(count, share, level):
    with pytest.raises(KernelRefusal) as refused:
        call("binomial_quantile", [], [count, share, level])
    assert refused.value.code == "CW0609"
