"""Pair counts: known answers, the convention for unequal lengths, and time that does not grow with the length."""

from __future__ import annotations

import time
from functools import reduce

import pytest

from capwright.kernel.masks_count import MAX_PIECES, counted_pairs, pairs
from capwright.kernel.refusal import KernelRefusal
from capwright.kernel.registry import OPERATORS
from tests.support.masks import made

CONTEXT = 131_072
CAUSAL = made("causal")


def both(*parts):
    mask = parts[0]
    for part in parts[1:]:
        mask = OPERATORS["and"](mask, part)
    return mask


def either(a, b):
    return OPERATORS["or"](a, b)


def test_causal():
    assert pairs(CAUSAL, CONTEXT, CONTEXT) == 8_590_000_128


@pytest.mark.parametrize("mask", [made("window", size=4_096), both(CAUSAL, made("window", size=4_096))])
def test_a_window_counts_the_query_itself(mask):
    assert pairs(mask, CONTEXT, CONTEXT) == 528_484_352
    assert pairs(mask, 1, CONTEXT) == 4_096


def test_sinks_beside_a_window():
    # Rows of 1, 2, 3, 4, then 5 keys: the window of four and the one sink.
    streaming = both(CAUSAL, either(made("window", size=4), made("sinks", count=1)))
    assert pairs(streaming, 11, 11) == 1 + 2 + 3 + 4 + 7 * 5


def test_chunks_are_triangles():
    chunked = both(CAUSAL, made("chunked", size=8_192))
    assert pairs(chunked, CONTEXT, CONTEXT) == 16 * (8_192 * 8_193 // 2)
    assert pairs(chunked, 1, 8_192) == 8_192
    assert pairs(chunked, 1, 8_193) == 1


def test_a_prefix_is_seen_by_all():
    # A square of 1,000, and causal rows after it.
    assert pairs(made("prefix", size=1_000), 3_000, 3_000) == 1_000**2 + sum(range(1_001, 3_001))


def test_dilation_takes_every_stepth_key():
    dilated = both(CAUSAL, made("window", size=8), made("dilated", step=4))
    assert pairs(dilated, 100, 100) == 4 * 1 + 96 * 2


def test_local_and_strided_blocks():
    # Four blocks of 2: each query sees its own and the last of every two, so 3, 2, 3 and 2 blocks.
    sparse = made("block_sparse", block=2, local=1, stride=2)
    assert pairs(sparse, 8, 8) == (3 + 2 + 3 + 2) * 2 * 2


def test_packed_documents_see_themselves_alone():
    packed = made("documents", lengths=(3, 5, 2))
    assert pairs(packed, 10, 10) == 9 + 25 + 4
    assert pairs(both(CAUSAL, packed), 10, 10) == 6 + 15 + 3
    assert pairs(packed, 7, 7) == 9 + 16


def test_a_learned_choice_takes_what_there_is_up_to_its_number():
    chosen = both(CAUSAL, made("top_k", count=2_048))
    triangle = 2_048 * 2_049 // 2
    assert pairs(chosen, CONTEXT, CONTEXT) == triangle + (CONTEXT - 2_048) * 2_048


def test_queries_are_the_last_of_the_keys():
    assert pairs(CAUSAL, 1, 10) == 10
    assert pairs(CAUSAL, 3, 10) == 8 + 9 + 10
    # With more queries than keys the first stand before position zero.
    assert pairs(CAUSAL, 10, 3) == 1 + 2 + 3
    assert pairs(made("full"), 10, 3) == 30


def test_nothing_has_no_pairs():
    assert pairs(CAUSAL, 0, 10) == pairs(CAUSAL, 10, 0) == 0


LONG = [
    CAUSAL,
    both(CAUSAL, either(made("window", size=4_096), made("sinks", count=4))),
    both(CAUSAL, made("chunked", size=8_192)),
    both(CAUSAL, made("window", size=4_096), made("dilated", step=8)),
    both(CAUSAL, made("block_sparse", block=64, local=4, stride=8)),
    both(CAUSAL, made("chunked", size=1_000), made("top_k", count=64)),
    OPERATORS["not"](either(CAUSAL, made("chunked", size=1_024))),
]


def seconds(mask, length: int) -> float:
    """The best of three, since the box may be busy."""
    best = 60.0
    for _ in range(3):
        counted_pairs.cache_clear()
        start = time.perf_counter()
        pairs(mask, length, length)
        best = min(best, time.perf_counter() - start)
    return best


@pytest.mark.parametrize("mask", LONG, ids=lambda mask: mask.text())
def test_time_does_not_grow_with_the_length(mask):
    assert seconds(mask, 131_072_000) < 10 * seconds(mask, 131_072) + 0.001


def test_too_many_pieces_are_refused_with_their_number():
    odd = both(CAUSAL, either(made("chunked", size=7), made("chunked", size=9_999_991)))
    with pytest.raises(KernelRefusal) as refusal:
        pairs(odd, 10**8, 10**8)
    assert refusal.value.code == "CW0603"
    count = next(
        int(word.replace("_", ""))
        for word in refusal.value.message.split()
        if word[0].isdigit() and "_" in word
    )
    assert count > MAX_PIECES


def test_documents_that_end_early_are_refused():
    with pytest.raises(KernelRefusal) as refusal:
        pairs(made("documents", lengths=(3, 5)), 9, 9)
    assert refusal.value.code == "CW0605"


def test_a_row_of_many_cuts_counts_as_many_pieces():
    """Fifty parts in blocks of seven: each of a hundred thousand rows is looked at fifty times over, in all fifty."""
    parts = [made("window", size=10_000 + 30_000 * at) for at in range(25)]
    parts += [made("sinks", count=1_000 + 1_000 * at) for at in range(25)]
    mask = both(reduce(either, parts), made("chunked", size=7))
    with pytest.raises(KernelRefusal) as refusal:
        pairs(mask, 1_000_000, 1_000_000)
    assert refusal.value.code == "CW0603"
    few = both(reduce(either, parts[::10]), made("chunked", size=7))
    assert pairs(few, 1_000_000, 1_000_000)
