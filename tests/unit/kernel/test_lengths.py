"""Distributions of lengths: exact figures, the log-normal against known ones, refusals."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from statistics import NormalDist

import pytest

from capwright.base.interval import as_range
from capwright.kernel import normal
from capwright.kernel.rebuilding import from_json
from capwright.kernel.refusal import KernelRefusal
from capwright.kernel.registry import CONSTRUCTORS, call

CUT = {"median": 1_800, "p95": 9_000, "at_most": 32_768}


def lengths(name: str, **given: object):
    return CONSTRUCTORS[name].build(**given)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (lengths("fixed", length=400), "fixed(400 tokens)"),
        (lengths("uniform", low=1, high=1_000), "uniform(1 token, 1_000 tokens)"),
        (
            lengths("lognormal", **CUT),
            "lognormal(median: 1_800 tokens, p95: 9_000 tokens, at_most: 32_768 tokens)",
        ),
        (lengths("empirical", lengths=[5, 1, 5]), "empirical([1 token, 5 tokens, 5 tokens])"),
        (lengths("empirical", lengths=range(100)), "empirical(100 lengths from 0 to 99 tokens)"),
    ],
)
def test_spelling(value, text):
    assert value.text() == text


def test_a_fixed_length_is_all_there_is():
    value = lengths("fixed", length=400)
    assert (
        call("mean", [value], [])
        == call("longest", [value], [])
        == call("quantile", [value], [Fraction(1, 2)])
        == 400
    )
    assert call("variance", [value], []) == 0


def test_a_lognormal_without_a_cut_has_its_two_quantiles():
    value = lengths("lognormal", median=1_800, p95=9_000)
    for share, wanted in ((Fraction(1, 2), 1_800), (Fraction(95, 100), 9_000)):
        found = as_range(call("quantile", [value], [share]))
        assert found.low <= wanted <= found.high
        assert found.high - found.low < Fraction(1, 10**6)
        assert found.approximate
    # exp(mean + variance / 2) of the logarithm, from the printed value of the 95th percentile.
    spread = float(Decimal(5).ln()) / NormalDist().inv_cdf(0.95)
    assert float(as_range(call("mean", [value], [])).low) == pytest.approx(
        1_800 * 2.718281828459045 ** (spread**2 / 2)
    )


def test_the_cut_draws_again_and_lets_nothing_pile_up():
    value = lengths("lognormal", **CUT)
    assert call("longest", [value], []) == call("quantile", [value], [1]) == 32_768
    assert call("shortest", [value], []) == call("quantile", [value], [0]) == 1
    mean, free = call("mean", [value], []), call("mean", [lengths("lognormal", median=1_800, p95=9_000)], [])
    assert mean.high < free.low
    # By numeric integration of the density between the cuts, divided by its mass there.
    assert float(mean.low) == pytest.approx(_integrated_mean(1), rel=1e-6)


def test_a_lower_cut_draws_again_too():
    value = lengths("lognormal", at_least=1_200, **CUT)
    assert (
        value.text()
        == "lognormal(median: 1_800 tokens, p95: 9_000 tokens, at_least: 1_200 tokens, at_most: 32_768 tokens)"
    )
    assert call("shortest", [value], []) == 1_200
    assert float(as_range(call("mean", [value], [])).low) == pytest.approx(_integrated_mean(1_200), rel=1e-6)
    shares = [Fraction(n, 100) for n in range(1, 100)]
    found = [as_range(call("quantile", [value], [share])) for share in shares]
    assert 1_200 < found[0].low < found[-1].high < 32_768
    assert from_json(value.json()) == value


def _integrated_mean(at_least: int) -> float:
    from math import log

    spread = log(5) / NormalDist().inv_cdf(0.95)
    law = NormalDist(log(1_800), spread)
    steps, top, low = 20_000, log(32_768), log(at_least)
    points = [low + (top - low) * (i + 0.5) / steps for i in range(steps)]
    weights = [law.pdf(at) for at in points]
    return sum(w * 2.718281828459045**at for w, at in zip(weights, points, strict=True)) / sum(weights)


def test_a_lognormal_without_a_cut_has_no_longest():
    with pytest.raises(KernelRefusal) as refusal:
        call("longest", [lengths("lognormal", median=10, p95=20)], [])
    assert refusal.value.code == "CW0607"
    assert "at_most" in refusal.value.help


@pytest.mark.parametrize(
    ("name", "given"),
    [
        ("uniform", {"low": 5, "high": 4}),
        ("lognormal", {"median": 9_000, "p95": 1_800}),
        ("lognormal", {"median": 0, "p95": 1_800}),
        ("lognormal", {"median": 1_800, "p95": 9_000, "at_most": 8_999}),
        ("lognormal", {"median": 10**9, "p95": 10**9 + 1}),
        ("lognormal", {"median": 1_800, "p95": 9_000, "at_least": 1_800}),
        ("lognormal", {"median": 1_800, "p95": 9_000, "at_least": 0}),
        ("empirical", {"lengths": []}),
    ],
)
def test_contradictions(name, given):
    with pytest.raises(KernelRefusal) as refusal:
        lengths(name, **given)
    assert refusal.value.code == "CW0606"


@pytest.mark.parametrize("x", [-8, -6, -5.5, -1, 0, 0.5, 2, 5.5, 6, 9])
def test_the_normal_law_against_floats(x):
    assert float(normal.cdf(Decimal(x))) == pytest.approx(NormalDist().cdf(x), rel=1e-6, abs=1e-15)


@pytest.mark.parametrize("share", ["1e-25", "0.001", "0.5", "0.95", "0.999999999"])
def test_the_quantile_inverts_the_law(share):
    wanted = Decimal(share)
    assert abs(normal.cdf(normal.quantile(wanted)) - wanted) < wanted * normal.SLACK


def test_the_tail_is_right_in_its_own_size():
    # The probability beyond 30 standard deviations, 4.906713927148187e-198 in the tables.
    assert float(normal.cdf(Decimal(-30))) == pytest.approx(4.906713927148187e-198, rel=1e-12)
