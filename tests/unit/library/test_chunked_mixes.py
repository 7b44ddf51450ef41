"""Requests of layers that attend in chunks, counted at every pair of lengths, against the ranges that a deployment states."""

from __future__ import annotations

from fractions import Fraction

from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.support.compared import document

HEADS = "q_heads = 2 q_heads; kv_heads = 2 kv_heads; key_dim = 16"
ROW = 2 * 2 * 16 * 2
PLAN = """
use std
model m {{ hidden_size = 64; vocabulary = 1_000; max_context = 4_096 tokens; dtype = bf16
  {groups}
  tensor weights {{ part = feed_forward; parameters = 1_000 parameters }} }}
workload mix {{ concurrency = {requests} requests
  class only {{ input = {input} tokens; output = {output} tokens; shared_prefix = {prefix} tokens }} }}
deployment prod {{ model = m; cache = bf16_paged; device = nvidia.h100_sxm; workload = mix
  engine = ideal {{ max_model_len = 4_096 tokens }} }}
report prod.kv
"""


def held(window: int, n: int) -> range:
    """The tokens that a layer has of a history of `n`: all of it, or the chunk that is open, whole as it ends."""
    return range((n - 1) // window * window if window else 0, n)


def tokens_of(window: int, prefix: int, lengths: list[int]) -> int:
    """Tokens of one layer, those of the prefix once however many have them."""
    shared = {token for n in set(lengths) for token in held(window, n) if token < prefix}
    return len(shared) + sum(len([token for token in held(window, n) if token >= prefix]) for n in lengths)


@given(
    windows=st.lists(st.sampled_from([0, 16, 24, 32, 40]), min_size=1, max_size=3),
    asked=st.integers(2, 60),
    output=st.integers(1, 50),
    prefix=st.integers(0, 60),
    requests=st.integers(1, 4),
)
@example(windows=[0, 32], asked=40, output=10, prefix=0, requests=4)
@example(windows=[16, 24], asked=30, output=2, prefix=0, requests=4)
@example(windows=[32, 40], asked=50, output=14, prefix=3, requests=4)
@example(windows=[0, 32], asked=34, output=30, prefix=30, requests=4)
@settings(max_examples=25, deadline=None)
def test_ranges_have_the_fullest_moment_in_them(
    windows: list[int], asked: int, output: int, prefix: int, requests: int
) -> None:
    prefix = min(prefix, asked)
    n = asked + output
    sorts = [f"chunked {{ window = {w} tokens; " if w else "grouped_query { " for w in windows]
    groups = "\n  ".join(f"group g{i} : {sort}layers = 1 layers; {HEADS} }}" for i, sort in enumerate(sorts))
    doc = document(PLAN.format(groups=groups, requests=requests, input=asked, output=output, prefix=prefix))
    ends = {
        q.address: (Fraction(q.low or 0), Fraction(q.high or 0))
        for q in doc.quantities
        if q.address.startswith("prod.kv.")
    }
    found = min(prefix, asked - 1)

    def live(first: int, others: int) -> int:
        lengths = [first] + [others] * (requests - 1)
        return ROW * sum(tokens_of(window, found, lengths) for window in windows)

    # The one that brings the prefix is there at any length; that of the others goes on from it.
    fullest = max(live(first, others) for first in range(1, n + 1) for others in range(1, n + 1))
    for name in ("peak_live", "peak_blocks"):
        low, high = ends[f"prod.kv.{name}"]
        assert low <= fullest <= high, name
    low, high = ends["prod.kv.mean_live"]
    assert low <= live(n, n) <= high
    alone = ROW * max(sum(len(held(window, k)) for window in windows) for k in range(1, n + 1))
    for name in ("sequence_device", "sequence_stored", "sequence_logical"):
        low, high = ends[f"prod.kv.{name}"]
        assert low <= alone <= high, name
