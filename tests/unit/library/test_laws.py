"""Laws of the library, on random model shapes: shards add up, longer never needs less, pools hold what they say."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.unit.library.answers import Answers, compiled
from tests.unit.library.shapes import SHAPES, Shape

FEW = settings(max_examples=25, deadline=None)


def _answers(text: str) -> Answers:
    with tempfile.TemporaryDirectory() as folder:
        return Answers(compiled(text, Path(folder)))


@FEW
@given(SHAPES)
def test_shards_add_up_to_the_whole_times_the_copies_of_a_head(shape: Shape) -> None:
    got = _answers(
        shape.plan()
        + "logical : byte/token = logical_token_bytes(m, c)\n"
        + "stored : byte/token = stored_token_bytes(m, c, spread)\n"
    )
    copies = max(1, shape.tensor // shape.kv_heads)
    assert got.number("stored") == got.number("logical") * copies


@FEW
@given(SHAPES)
def test_stages_hold_every_layer_once(shape: Shape) -> None:
    terms = [
        f"stage_layers(m.groups.g{group}, e, m, spread, {stage})"
        for group in range(len(shape.groups))
        for stage in range(shape.stages)
    ]
    got = _answers(shape.plan() + f"held : layer = {' + '.join(terms)}\n")
    assert got.number("held") == shape.layers


@pytest.mark.promise("M9")
@FEW
@given(SHAPES, st.integers(1, 99_000), st.integers(1, 1_000))
def test_a_longer_context_never_needs_less(shape: Shape, tokens: int, more: int) -> None:
    lines = [
        f"bytes_{name} : byte kind logical_cache = logical_sequence_bytes(m, c, {n} tokens)\n"
        f"blocks_{name} : block = request_blocks(e, m, c, spread, {n} tokens)\n"
        for name, n in (("short", tokens), ("long", tokens + more))
    ]
    got = _answers(shape.plan() + "".join(lines))
    # Of chunks beside layers of another sort, or chunks of another size, what a sequence has at its fullest is a range.
    for short, long in zip(got.ends("bytes_short"), got.ends("bytes_long"), strict=True):
        assert short <= long
    sorts = {(sort, window if sort == "chunked" else 0) for sort, _, window in shape.groups}
    if len(sorts) == 1 or "chunked" not in dict(sorts):
        assert got.number("bytes_short") <= got.number("bytes_long")
    assert got.number("blocks_short") <= got.number("blocks_long")


@pytest.mark.promise("M6")
@FEW
@given(SHAPES, st.integers(10**7, 10**11))
def test_blocks_fit_the_pool_and_one_more_does_not(shape: Shape, available: int) -> None:
    stages = range(shape.stages)
    got = _answers(
        shape.plan()
        + f"available : byte/device kind pool = {available} byte/device\n"
        + "in_pool : block kind pool_blocks = pool_blocks(e, m, c, spread, available)\n"
        + "".join(f"block_{i} : byte/block/device = block_bytes(e, m, c, spread, {i})\n" for i in stages)
    )
    largest = max(got.number(f"block_{i}") for i in stages)
    assert got.number("in_pool") * largest <= available < (got.number("in_pool") + 1) * largest


@FEW
@given(SHAPES, st.integers(10**7, 10**10))
def test_the_longest_length_passes_the_check_and_the_next_does_not(shape: Shape, available: int) -> None:
    plan = shape.plan() + f"available : byte/device kind pool = {available} byte/device\n"
    longest = int(
        _answers(
            plan + "n : token kind longest_context = stage_longest(e, m, c, spread, available, 0)\n"
        ).number("n")
    )
    asked = "".join(
        f"needed_{name} : byte/device kind pool_demand = checked_bytes(e, m, c, spread, {n} tokens, 0)\n"
        for name, n in (("longest", max(longest, 1)), ("next", longest + 1))
    )
    got = _answers(plan + asked)
    assert longest == 0 or got.number("needed_longest") <= available
    assert longest == 100_000 or got.number("needed_next") > available
