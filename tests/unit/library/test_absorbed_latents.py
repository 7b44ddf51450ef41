"""Decoding with cached latents: no way of expanding some of them and absorbing the rest takes less than the bound."""

from __future__ import annotations

from fractions import Fraction

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.unit.library.imported import numbers

HEADS, ROTARY = 4, 2
PLAN = """use std
model m {{
  hidden_size = 64; vocabulary = 100; max_context = 4_096 tokens; dtype = bf16
  group only : latent {{ layers = 3 layers; q_heads = {heads} q_heads; latent_rank = {rank}; rotary_dim = {rotary}; key_dim = {key}; value_dim = {value} }}
  tensor latent_up {{ part = attention; parameters = {heads} * ({key} - {rotary} + {value}) * {rank} * 1 parameter; copies = 3; absorbed = true }}
}}
one : FLOP kind work = decode_work(m, {keys} tokens, {shared} tokens)
"""


def least(requests: int, keys: int, shared: int, rank: int, plain: int, value: int) -> int:
    """Operations of one layer for a token of each of some requests, whichever latents are expanded: those of a shared
    prefix once for all of them."""
    absorbed, expanded, expanding = 2 * rank + ROTARY, plain + ROTARY + value, rank * (plain + value)
    own = min(absorbed, expanded + expanding)
    common = min(requests * absorbed, requests * expanded + expanding)
    # The new token's latent is expanded where it is attended, or its query and output go through the same matrix.
    return 2 * HEADS * (requests * ((keys - 1 - shared) * own + absorbed + expanding) + shared * common)


@settings(max_examples=30, deadline=None)
@given(
    requests=st.sampled_from([1, 2, 40, 1_000]),
    lengths=st.tuples(st.integers(0, 300), st.integers(2, 300)),
    rank=st.sampled_from([8, 64, 512]),
    plain=st.sampled_from([4, 16]),
    value=st.sampled_from([4, 16]),
)
def test_no_mixture_takes_less(requests, lengths, rank, plain, value):
    shared, more = lengths
    keys = shared + more
    got = numbers(
        PLAN.format(heads=HEADS, rotary=ROTARY, rank=rank, key=plain + ROTARY, value=value, keys=keys, shared=shared)
    )  # fmt: skip
    best = 3 * least(requests, keys, shared, rank, plain, value)
    assert got["one"] is not None
    assert requests * got["one"] <= best
    if not shared and 2 * rank + ROTARY >= plain + ROTARY + value:
        absorbed = 2 * HEADS * (keys * (2 * rank + ROTARY) + rank * (plain + value))
        assert got["one"] == Fraction(3 * absorbed)
