"""What all but a share of mixes stay within, against every mix there is."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import factorial, prod

import pytest

from tests.support.compared import document

PLAN = """
use std
model m {{ hidden_size = 64; vocabulary = 1_000; max_context = 4_096 tokens; dtype = bf16
  group full : grouped_query {{ layers = 2 layers; q_heads = 4 q_heads; kv_heads = 4 kv_heads; key_dim = 16 }}
  tensor weights {{ part = feed_forward; parameters = 1_000_000 parameters }} }}
cache pages : paged {{ element = bf16; block = 16 tokens/block }}
workload mix {{ concurrency = {requests} requests
{classes} }}
deployment prod {{ model = m; cache = pages; device = nvidia.h100_sxm; workload = mix
  engine = vllm_0_10_1 {{ max_model_len = 4_096 tokens }} }}
report prod.kv
"""


def found(requests: int, classes: list[tuple[int, int]]) -> dict[str, Fraction]:
    lines = [
        f"  class c{n} {{ share = {share}%; input = {tokens - 1} tokens; output = 1 tokens }}"
        for n, (share, tokens) in enumerate(classes)
    ]
    doc = document(PLAN.format(requests=requests, classes="\n".join(lines)))
    return {q.address: Fraction(q.high) for q in doc.quantities if q.high is not None}


def chance_within(requests: int, classes: list[tuple[int, int]], limit: Fraction) -> Fraction:
    """The probability that the blocks of independent requests, and the one that is kept, are no more than `limit`."""
    chance = Fraction(0)
    for counts in product(range(requests + 1), repeat=len(classes)):
        if sum(counts) != requests:
            continue
        blocks = 1 + sum(n * -(-tokens // 16) for n, (_, tokens) in zip(counts, classes, strict=True))
        if blocks <= limit:
            shares = prod(Fraction(share, 100) ** n for n, (share, _) in zip(counts, classes, strict=True))
            chance += shares * factorial(requests) / prod(map(factorial, counts))
    return chance


@pytest.mark.parametrize(
    "classes",
    [
        [(70, 100), (30, 1_000)],
        [(99, 100), (1, 1_000)],
        [(50, 100), (30, 1_000), (20, 2_000)],
        [(50, 1_000), (30, 1_000), (20, 100)],
        [(100, 500)],
        [(99, 100), (1, 1_000), (0, 4_000)],
        [(98, 100), (1, 2_000), (1, 1_900)],
    ],
)
@pytest.mark.parametrize("requests", [1, 5, 8])
def test_99_of_100_mixes_stay_within(classes, requests):
    numbers = found(requests, classes)
    limit = numbers["prod.kv.p99_blocks"]
    assert chance_within(requests, classes, limit) >= Fraction(99, 100)
    assert limit <= numbers["prod.kv.peak_blocks"]
    assert numbers["prod.kv.p99_reserved"] == limit * numbers["prod.kv.block_bytes"]
    if sum(share > 0 for share, _ in classes) == 2:  # then it is the quantile itself, and no less would do
        assert chance_within(requests, classes, limit - 1) < Fraction(99, 100)
