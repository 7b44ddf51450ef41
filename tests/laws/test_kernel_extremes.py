"""Whatever numbers a plan gives the kernel, it answers with a value or refuses in its own words."""

from __future__ import annotations

from contextlib import suppress
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from capwright.base.interval import Range
from capwright.kernel.refusal import KernelRefusal
from capwright.kernel.registry import CONSTRUCTORS, PRIMITIVES, call
from tests.support.masks import masks

EDGES = [1, 4_096, 2**31, 2**62, 2**63 - 1, 2**63, 2**64, 10**30, 10**400, 2**4_000, 2**8_000]
SHARES = [
    0,
    1,
    Fraction(1, 2),
    Fraction(99, 100),
    Fraction(1, 10**31),
    1 - Fraction(1, 10**31),
    Fraction(1, 10**1_000),
]

numbers = st.sampled_from([*EDGES, *SHARES, -1, Fraction(10**300, 7)])
values = numbers | st.tuples(numbers, numbers).map(sorted).map(lambda ends: Range(ends[0], None, ends[1]))


@st.composite
def _lengths(draw):
    constructor = draw(st.sampled_from([each for each in CONSTRUCTORS.values() if each.result == "lengths"]))
    arguments = [
        draw(st.lists(numbers, max_size=4) if slot.sort == "list" else numbers) for slot in constructor.slots
    ]
    try:
        return constructor.build(*arguments)
    except KernelRefusal:
        return CONSTRUCTORS["fixed"].build(2**63)


@settings(max_examples=200, deadline=None)
@given(st.sampled_from(sorted(PRIMITIVES)), st.data())
def test_a_primitive_raises_nothing_but_its_refusal(name, data):
    static, given_values = [], []
    for slot in PRIMITIVES[name].slots:
        if slot.sort == "mask":
            static.append(data.draw(masks).mask)
        elif slot.sort == "lengths":
            static.append(data.draw(_lengths()))
        else:
            given_values.append(data.draw(values))
    with suppress(KernelRefusal):
        call(name, static, given_values)


@pytest.mark.parametrize("trials", [10**18 + 1, 2**63, 10**400, 10**2_000])
def test_more_trials_than_their_bounds_are_sound_for_are_refused(trials):
    with pytest.raises(KernelRefusal) as refused:
        call("binomial_quantile", [], [trials, Fraction(3, 10), Fraction(99, 100)])
    assert refused.value.code == "CW0608"
    assert len(refused.value.message) < 100


def test_a_mask_of_pieces_beyond_print_is_refused():
    stripes = CONSTRUCTORS["block_sparse"].build(2**8_000, 1, 2**8_000)
    with pytest.raises(KernelRefusal) as refused:
        call("prompt_pairs", [stripes], [2**4_000])
    assert refused.value.code == "CW0603"
