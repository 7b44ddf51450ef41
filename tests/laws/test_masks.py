"""Laws of mask counting: equal to looking at every cell, for any composition and any two lengths."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from capwright.base.interval import Range, as_range
from capwright.kernel.masks import convex, grows, looks_back
from capwright.kernel.masks_count import pairs
from capwright.kernel.rebuilding import from_json
from capwright.kernel.registry import OPERATORS, call
from tests.support.masks import Meant, atoms, made, masks

LAW = settings(max_examples=200, deadline=None)

lengths = st.integers(0, 70)


def joined(operator: str, a: Meant, b: Meant) -> Meant:
    """Two masks by an operator; what the whole means is not asked."""
    return Meant(OPERATORS[operator](a.mask, b.mask), lambda p, c: False)


@LAW
@given(masks, lengths, lengths)
def test_pairs_are_those_of_every_cell(meant: Meant, queries: int, keys: int):
    assert pairs(meant.mask, queries, keys) == meant.pairs(queries, keys)


@settings(max_examples=25, deadline=None)
@given(masks, st.integers(150, 250), st.integers(150, 199))
def test_pairs_over_many_periods_are_those_of_every_cell(meant: Meant, queries: int, keys: int):
    assert pairs(meant.mask, queries, keys) == meant.pairs(queries, keys)


@LAW
@given(masks, lengths, lengths, st.integers(1, 12))
def test_a_learned_choice_takes_at_most_its_number_of_each_row(meant, queries, keys, count):
    chosen = OPERATORS["and"](meant.mask, made("top_k", count=count))
    assert pairs(chosen, queries, keys) == meant.pairs(queries, keys, count)


@LAW
@given(masks, lengths, lengths, lengths, st.one_of(st.none(), st.integers(1, 12)))
def test_pairs_with_the_first_keys_are_those_of_every_cell(meant, queries, keys, first, count):
    """Of a learned choice as many as can be: of each query as many as it takes, if there are so many."""
    rows = (sum(meant.sees(p, c) for c in range(min(first, keys))) for p in range(keys - queries, keys))
    known = sum(row if count is None else min(row, count) for row in rows)
    mask = meant.mask if count is None else OPERATORS["and"](meant.mask, made("top_k", count=count))
    assert call("prefix_pairs", [mask], [queries, keys, first]) == known


@LAW
@given(masks, lengths, lengths)
def test_a_mask_and_its_negation_share_all_pairs(meant, queries, keys):
    rest = OPERATORS["not"](meant.mask)
    assert pairs(meant.mask, queries, keys) + pairs(rest, queries, keys) == queries * keys


@LAW
@given(masks, masks, lengths, lengths)
def test_inclusion_and_exclusion(a, b, queries, keys):
    both, either = OPERATORS["and"](a.mask, b.mask), OPERATORS["or"](a.mask, b.mask)
    apart = pairs(a.mask, queries, keys) + pairs(b.mask, queries, keys)
    assert pairs(both, queries, keys) + pairs(either, queries, keys) == apart


@LAW
@given(masks, lengths, lengths)
def test_a_longer_prompt_never_has_fewer_pairs(meant, length, more):
    assert pairs(meant.mask, length, length) <= pairs(meant.mask, length + more, length + more)


@LAW
@given(masks, lengths, lengths, st.integers(0, 9))
def test_a_mask_that_grows_does(meant, queries, keys, more):
    if grows(meant.mask):
        assert pairs(meant.mask, queries, keys) <= pairs(meant.mask, queries, keys + more)


@LAW
@given(
    st.one_of(masks, st.builds(joined, st.sampled_from(["and", "or"]), atoms, atoms)),
    st.booleans(),
    st.one_of(st.none(), st.integers(1, 12)),
)
def test_pairs_that_are_said_to_be_convex_are(meant, causal, count):
    """Of a prompt of any length, and of what is left of it behind some first tokens."""
    mask = OPERATORS["and"](made("causal"), meant.mask) if causal else meant.mask
    mask = mask if count is None else OPERATORS["and"](mask, made("top_k", count=count))
    if convex(mask):
        of_length = [pairs(mask, n, n) for n in range(40)]
        rows = [after - before for before, after in pairwise(of_length)]
        assert rows == sorted(rows)
        assert rows == [pairs(mask, 1, n) for n in range(1, 40)]


@LAW
@given(
    masks, masks, lengths, st.one_of(st.none(), st.integers(1, 12)), st.one_of(st.none(), st.integers(1, 12))
)
def test_a_mask_hides_what_another_shows_and_it_does_not(meant, own, keys, count, own_count):
    """In some row; of a learned choice fewer keys than the other picks, whatever it picks in other rows."""
    rows = [
        (
            sum(meant.sees(p, c) and own.sees(p, c) for c in range(keys)),
            sum(own.sees(p, c) for c in range(keys)),
        )
        for p in range(keys)
    ]
    most, own_most = count or keys, own_count or keys
    hidden = any(min(shown, most) < min(meant_row, own_most) for shown, meant_row in rows)
    chosen, own_chosen = (
        each.mask if picks is None else OPERATORS["and"](each.mask, made("top_k", count=picks))
        for each, picks in ((meant, count), (own, own_count))
    )
    assert call("hides", [chosen, own_chosen], [keys]) == hidden


@LAW
@given(masks, masks, lengths, st.integers(0, 9))
def test_what_is_hidden_stays_hidden_in_a_longer_prompt(meant, own, keys, more):
    found = as_range(call("hides", [meant.mask, own.mask], [Range(keys, keys, keys + more)]))
    assert (found.low, found.high) == tuple(
        call("hides", [meant.mask, own.mask], [each]) for each in (keys, keys + more)
    )
    assert as_range(call("hides", [meant.mask, meant.mask], [Range(keys, None, None)])).high == 0


@LAW
@given(masks, masks, st.integers(0, 20), st.integers(0, 20), st.integers(1, 9))
def test_what_a_choice_hides_lies_in_its_range(meant, own, keys, more, count):
    """Of the keys behind a query a choice picks others, in a longer prompt, for what it misses in a short one."""
    chosen = OPERATORS["and"](own.mask, made("top_k", count=count))
    found = as_range(call("hides", [meant.mask, chosen], [Range(keys, keys, keys + more)]))
    hidden = [as_range(call("hides", [meant.mask, chosen], [each])).low for each in range(keys, keys + more)]
    assert all(found.low <= each <= found.high for each in hidden)


@LAW
@given(
    st.one_of(masks, st.builds(joined, st.sampled_from(["and", "or"]), atoms, atoms)),
    st.booleans(),
    st.one_of(st.none(), st.integers(1, 12)),
)
def test_of_a_mask_that_looks_back_a_prompt_has_the_pairs_of_its_tokens_one_by_one(meant, causal, count):
    mask = OPERATORS["and"](made("causal"), meant.mask) if causal else meant.mask
    mask = mask if count is None else OPERATORS["and"](mask, made("top_k", count=count))
    assert call("looks_back", [mask], []) == looks_back(mask)
    if looks_back(mask):
        of_length = [pairs(mask, n, n) for n in range(40)]
        assert [after - before for before, after in pairwise(of_length)] == [
            pairs(mask, 1, n) for n in range(1, 40)
        ]


def test_chunks_look_back_only_in_causal_order():
    assert call("looks_back", [made("chunked", size=8)], []) == 0
    assert call("looks_back", [OPERATORS["and"](made("causal"), made("chunked", size=8))], []) == 1


def test_a_prefix_or_a_choice_of_all_keys_is_not_convex():
    both_ways = OPERATORS["and"](made("full"), made("top_k", count=5))
    for mask in (made("prefix", size=8), both_ways, OPERATORS["or"](made("causal"), made("sinks", count=4))):
        assert call("rows_grow", [mask], []) == 0
    assert call("rows_grow", [OPERATORS["and"](made("causal"), made("prefix", size=8))], []) == 1


@LAW
@given(masks, st.integers(0, 40), st.integers(0, 15), st.integers(0, 40), st.integers(0, 15), st.data())
def test_a_range_holds_every_pair_count_inside(meant, q_low, q_more, k_low, k_more, data):
    q = Range(q_low, q_low, q_low + q_more)
    k = Range(k_low, k_low, k_low + k_more)
    found = as_range(call("pairs", [meant.mask], [q, k]))
    exact = pairs(
        meant.mask,
        data.draw(st.integers(q_low, q_low + q_more)),
        data.draw(st.integers(k_low, k_low + k_more)),
    )
    assert found.low <= exact <= found.high
    assert found.nominal == pairs(meant.mask, q_low, k_low)
    first = data.draw(st.integers(0, 20))
    found = as_range(call("prefix_pairs", [meant.mask], [q, k, Range(first, first, first + 3)]))
    exact = call("prefix_pairs", [meant.mask], [q_low + q_more, k_low, first + 3])
    assert found.low <= exact <= found.high


@LAW
@given(masks)
def test_a_mask_survives_its_document(meant):
    again = from_json(meant.mask.json())
    assert again == meant.mask
    assert hash(again) == hash(meant.mask)
    assert again.text() == meant.mask.text()
