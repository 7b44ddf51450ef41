"""Laws of length distributions: exact ones equal to their lists, all within their ends."""

from __future__ import annotations

from fractions import Fraction
from math import ceil

from hypothesis import given, settings
from hypothesis import strategies as st

from capwright.base.interval import as_range
from capwright.kernel.rebuilding import from_json
from capwright.kernel.registry import CONSTRUCTORS, call

LAW = settings(max_examples=200, deadline=None)

observed = st.lists(st.integers(0, 50), min_size=1, max_size=40)
shares = st.fractions(0, 1, max_denominator=50)


@LAW
@given(observed, shares)
def test_an_empirical_distribution_is_its_list(lengths, share):
    given_ = CONSTRUCTORS["empirical"].build(lengths=lengths)
    mean = Fraction(sum(lengths), len(lengths))
    assert call("mean", [given_], []) == mean
    assert call("variance", [given_], []) == sum((x - mean) ** 2 for x in lengths) / Fraction(len(lengths))
    rank = max(ceil(share * len(lengths)), 1)
    assert call("quantile", [given_], [share]) == sorted(lengths)[rank - 1]
    assert call("longest", [given_], []) == max(lengths)
    assert call("shortest", [given_], []) == min(lengths)


@LAW
@given(st.integers(0, 60), st.integers(0, 60), shares)
def test_a_uniform_distribution_is_the_list_of_its_lengths(low, more, share):
    uniform = CONSTRUCTORS["uniform"].build(low=low, high=low + more)
    listed = CONSTRUCTORS["empirical"].build(lengths=range(low, low + more + 1))
    for primitive in ("mean", "variance", "longest", "shortest"):
        assert call(primitive, [uniform], []) == call(primitive, [listed], [])
    assert call("quantile", [uniform], [share]) == call("quantile", [listed], [share])


medians = st.integers(2, 10**6)  # a median of one lies at the cut below, which is refused
spreads = st.fractions(Fraction(11, 10), 50, max_denominator=100)


@LAW
@given(medians, spreads, st.one_of(st.none(), st.fractions(1, 100, max_denominator=10)), shares, shares)
def test_a_lognormal_keeps_to_its_cut_and_its_order(median, spread, cut, one, other):
    p95 = median * spread
    given_ = {} if cut is None else {"at_most": p95 * cut}
    law = CONSTRUCTORS["lognormal"].build(median=median, p95=p95, **given_)
    low, high = sorted((min(one, Fraction(49, 50)), min(other, Fraction(49, 50))))
    below, above = as_range(call("quantile", [law], [low])), as_range(call("quantile", [law], [high]))
    assert below.low <= above.high
    mean = as_range(call("mean", [law], []))
    assert 0 < mean.low <= mean.nominal <= mean.high
    if cut is not None:
        assert above.low <= p95 * cut
        assert mean.low <= call("longest", [law], []) == p95 * cut
    assert from_json(law.json()) == law
