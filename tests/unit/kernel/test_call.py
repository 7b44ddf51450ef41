"""Primitives on points, ranges and open ends."""

from __future__ import annotations

from fractions import Fraction

import pytest

from capwright.base.interval import Range
from capwright.kernel.refusal import KernelRefusal
from capwright.kernel.registry import CONSTRUCTORS, OPERATORS, PRIMITIVES, call
from tests.support.masks import made

CAUSAL = made("causal")
STREAMING = OPERATORS["and"](CAUSAL, OPERATORS["or"](made("window", size=4), made("sinks", count=1)))
CHUNKED = OPERATORS["and"](CAUSAL, made("chunked", size=8))


def test_points_give_a_point():
    assert call("pairs", [CAUSAL], [4, 4]) == 10
    assert call("prompt_pairs", [CAUSAL], [4]) == 10


def test_ranges_are_evaluated_at_their_ends():
    assert call("prompt_pairs", [CAUSAL], [Range(4, 5, 6)]) == Range(10, 15, 21)
    assert call("pairs", [STREAMING], [1, Range(3, 10, 20)]) == Range(3, 5, 5)


def test_keys_of_a_chunked_mask_are_bounded_and_not_guessed():
    # One query among 8 keys sees 8, among 9 only one: the ends say nothing of what lies between.
    found = call("pairs", [CHUNKED], [1, Range(8, 9, 9)])
    assert found == Range(0, 1, 9)


def test_open_ends_stay_open():
    assert call("prompt_pairs", [CAUSAL], [Range(4, None, None)]) == Range(10, None, None)
    assert call("prompt_pairs", [CAUSAL], [Range(None, 4, None)]) == Range(None, 10, None)
    assert call("pairs", [CHUNKED], [Range(1, 1, None), Range(1, 2, 3)]).high is None


def test_a_range_between_whole_numbers_is_rounded_outward():
    half = Fraction(1, 2)
    assert call("prompt_pairs", [CAUSAL], [Range(4 + half, 5 + half, 5 + half)]) == Range(10, None, 21)


def test_approximate_ranges_stay_marked():
    assert call("prompt_pairs", [CAUSAL], [Range(4, 4, 4, approximate=True)]).approximate


@pytest.mark.parametrize("value", [Fraction(5, 2), -1])
def test_parts_of_tokens_are_refused(value):
    with pytest.raises(KernelRefusal) as refusal:
        call("pairs", [CAUSAL], [value, 4])
    assert refusal.value.code == "CW0602"


def test_counts_of_too_many_digits_are_refused():
    with pytest.raises(KernelRefusal) as refusal:
        call("prompt_pairs", [CAUSAL], [10**2_000])
    assert refusal.value.code == "CW0608"


@pytest.mark.parametrize("share", [-1, Fraction(11, 10)])
def test_a_share_lies_between_zero_and_one(share):
    with pytest.raises(KernelRefusal) as refusal:
        call("quantile", [CONSTRUCTORS["fixed"].build(length=4)], [share])
    assert refusal.value.code == "CW0606"


def test_a_quantile_of_a_range_of_shares():
    uniform = CONSTRUCTORS["uniform"].build(low=1, high=100)
    found = call("quantile", [uniform], [Range(Fraction(1, 2), Fraction(9, 10), Fraction(95, 100))])
    assert found == Range(50, 90, 95)


def test_every_primitive_declares_its_quantities():
    for primitive in PRIMITIVES.values():
        quantities = [slot for slot in primitive.slots if slot.sort == "quantity"]
        assert len(primitive.monotone) == len(quantities)
        sorts = [slot.sort for slot in primitive.slots]
        assert sorts == sorted(sorts, key=lambda sort: sort == "quantity")  # static ones first
