"""Laws of sharding, on random models and shardings: shards add up to the whole, its declared copies and its padding."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.unit.library.imported import numbers

FEW = settings(max_examples=30, deadline=None)


@dataclass(frozen=True)
class Spread:
    """A sharding and a model of one tensor of each rule."""

    tensor: int
    data: int
    context: int
    whole_experts: bool
    experts: int
    kv_heads: int
    layers: int

    def plan(self) -> str:
        return f"""\
use std
model m {{
  hidden_size = 64; vocabulary = 64; max_context = 1_000_000 tokens; dtype = bf16
  group full : grouped_query {{ layers = {self.layers} layers; q_heads = 64 q_heads; kv_heads = {self.kv_heads} kv_heads; key_dim = 16 }}
  tensor cut {{ part = attention; parameters = 1_000 parameters; copies = {self.layers} }}
  tensor copied {{ part = norm; parameters = 30 parameters; copies = {self.layers}; tensor_parallel = replicated }}
  tensor heads {{ part = attention; parameters = {self.kv_heads * 16} parameters; copies = {self.layers}; tensor_parallel = kv_heads; kv_heads = {self.kv_heads} kv_heads }}
  tensor experts {{ part = expert; parameters = 700 parameters; copies = {self.layers}; experts = {self.experts}; active_experts = 1; dtype = fp8_e4m3; scales = 7 }}
}}
sharding s {{ tensor = {self.tensor} devices; data = {self.data}; context = {self.context}; expert_parallel = {str(self.whole_experts).lower()} }}
"""

    @property
    def parts(self) -> int:
        return self.data * self.context

    def stored(self) -> Fraction:
        """Bytes on all devices, worked out tensor by tensor."""
        head_copies = max(1, Fraction(self.tensor, self.kv_heads))
        ranks = self.tensor * self.data
        whole = -(-self.experts // ranks) * ranks if self.whole_experts else self.experts
        one_layer = (
            2_000 * self.parts
            + 60 * self.tensor * self.parts
            + 2 * self.kv_heads * 16 * head_copies * self.parts
            + (700 + 28) * whole * self.context
        )
        return self.layers * Fraction(one_layer)


SPREADS = st.builds(
    Spread,
    tensor=st.sampled_from([1, 2, 4, 8, 16]),
    data=st.integers(1, 4),
    context=st.integers(1, 3),
    whole_experts=st.booleans(),
    experts=st.sampled_from([64, 100, 256]),
    kv_heads=st.sampled_from([1, 2, 4, 8]),
    layers=st.integers(1, 5),
)


@pytest.mark.promise("M9")
@FEW
@given(SPREADS)
def test_weights_on_all_devices_are_the_whole_its_copies_and_its_padding(spread: Spread) -> None:
    got = numbers(
        spread.plan()
        + "in_all : byte = stored_weights(m, ideal, s)\n"
        + "once : byte = logical_weights(m)\n"
        + "fullest : byte/device kind weight_bytes = device_weights(m, ideal, s)\n"
    )
    assert got["in_all"] == spread.stored()
    assert got["in_all"] >= got["once"]
    assert got["fullest"] * spread.tensor * spread.parts == got["in_all"]


@pytest.mark.promise("M9")
@FEW
@given(SPREADS, st.integers(1, 100_000), st.integers(1, 5_000))
def test_a_sequence_dealt_to_devices_is_kept_once_or_in_declared_copies(
    spread: Spread, tokens: int, more: int
) -> None:
    lines = [
        f"stored_{name} : byte kind stored_cache = stored_sequence_bytes(m, bf16_paged, s, {n} tokens)\n"
        f"logical_{name} : byte kind logical_cache = logical_sequence_bytes(m, bf16_paged, {n} tokens)\n"
        f"fullest_{name} : byte/layer/device = dealt_bytes(m.groups.full, bf16_paged, s, {n} tokens)\n"
        for name, n in (("short", tokens), ("long", tokens + more))
    ]
    got = numbers(spread.plan() + "".join(lines))
    copies = max(1, Fraction(spread.tensor, spread.kv_heads))
    for name in ("short", "long"):
        assert got[f"stored_{name}"] == got[f"logical_{name}"] * copies
        kept = got[f"fullest_{name}"] * spread.layers * spread.tensor * spread.context
        assert (
            got[f"stored_{name}"]
            <= kept
            < got[f"stored_{name}"] + copies * spread.context * got["logical_short"]
        )
    assert got["fullest_short"] <= got["fullest_long"]
    assert got["stored_short"] < got["stored_long"]


@FEW
@given(SPREADS)
def test_no_device_reads_more_of_the_weights_for_a_token_than_it_holds(spread: Spread) -> None:
    got = numbers(
        spread.plan()
        + "read : byte/device = touched_weights(m, ideal, s)\n"
        + "held : byte/device kind weight_bytes = device_weights(m, ideal, s)\n"
    )
    assert got["read"] <= got["held"]
