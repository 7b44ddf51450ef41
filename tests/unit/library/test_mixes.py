"""What all but a share of mixes stay within, against every mix there is."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import factorial, prod
from random import Random

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
  engine = vllm_0_10_1 {{ max_model_len = 4_096 tokens; max_num_seqs = {run} requests }} }}
report prod.kv
"""


def found(requests: int, classes: list[tuple[int, int]], run: int) -> dict[str, Fraction]:
    lines = [
        f"  class c{n} {{ share = {share}%; input = {tokens - 1} tokens; output = 1 tokens; residence = 1 s }}"
        for n, (share, tokens) in enumerate(classes)
    ]
    doc = document(PLAN.format(requests=requests, run=run, classes="\n".join(lines)))
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
@pytest.mark.parametrize(("requests", "run"), [(1, 0), (5, 0), (8, 0), (8, 5), (9, 1), (5, 8)])
def test_99_of_100_mixes_stay_within(classes, requests, run):
    numbers = found(requests, classes, run)
    requests = min(requests, run or requests)
    limit = numbers["prod.kv.p99_blocks"]
    assert chance_within(requests, classes, limit) >= Fraction(99, 100)
    assert limit <= numbers["prod.kv.peak_blocks"]
    assert numbers["prod.kv.p99_reserved"] == limit * numbers["prod.kv.block_bytes"]
    if sum(share > 0 for share, _ in classes) == 2:  # then it is the quantile itself, and no less would do
        assert chance_within(requests, classes, limit - 1) < Fraction(99, 100)


@pytest.mark.parametrize(
    "classes",
    [
        [(70, 100, 5), (30, 1_000, 200)],
        [(30, 100, 200), (70, 1_000, 5)],
        [(50, 100, 40), (30, 1_000, 10), (20, 2_000, 100)],
    ],
)
def test_99_of_100_moments_of_a_served_stream_stay_within(classes: list[tuple[int, int, int]]) -> None:
    """Each slot takes one request after another, of a class by its share, and holds it for as many steps as it has outputs."""
    lines = [
        f"  class c{n} {{ share = {share}%; input = {tokens - output} tokens; output = {output} tokens; residence = {output} s }}"
        for n, (share, tokens, output) in enumerate(
            (share, tokens + output, output) for share, tokens, output in classes
        )
    ]
    doc = document(PLAN.format(requests=8, run=0, classes="\n".join(lines)))
    limit = next(
        Fraction(q.high) for q in doc.quantities if q.address == "prod.kv.p99_blocks" and q.high is not None
    )
    chance = Random(12)
    blocks = [-(-(tokens + output) // 16) for _, tokens, output in classes]
    slots, within, steps = [(0, 0)] * 8, 0, 40_000
    for _ in range(steps):
        for at, (_, left) in enumerate(slots):
            drawn = chance.choices(range(len(classes)), [share for share, *_ in classes])[0]
            slots[at] = (slots[at][0], left - 1) if left > 1 else (drawn, classes[drawn][2])
        within += 1 + sum(blocks[of] for of, _ in slots) <= limit
    assert within / steps > 0.985  # 99 of 100, and what chance does to so many steps


def blocks_of(counts: tuple[int, ...], classes: list[tuple[int, int, int, int]]) -> int:
    """The blocks of whole requests, each with its input, output and prefix; one block is kept by the engine."""
    blocks = 1
    for n, (_, asked, given, prefix) in zip(counts, classes, strict=True):
        shared = min(prefix, asked - 1) // 16
        blocks += n * (-(-(asked + given) // 16) - shared) + (shared if n else 0)
    return blocks


@pytest.mark.parametrize(
    "classes",
    [
        [(50, 400, 10, 320), (50, 400, 10, 320)],
        [(50, 400, 10, 320), (30, 1_000, 10, 0), (20, 900, 200, 800)],
        [(40, 2_000, 10, 1_984), (30, 1_000, 10, 900), (20, 600, 200, 500), (10, 300, 10, 0)],
        [(100, 1_024, 16, 1_024)],
        [(70, 100, 10, 0), (30, 1_000, 10, 992)],
        [(100, 100, 10, 0), (0, 3_000, 10, 2_000)],
    ],
)
@pytest.mark.parametrize(
    ("requests", "run"), [(1, 0), (2, 0), (3, 0), (4, 0), (6, 0), (6, 1), (8, 2), (8, 3), (9, 6), (4, 6)]
)
def test_the_worst_mix_is_the_worst_of_all(classes, requests, run):
    lines = [
        f"  class c{n} {{ share = {share}%; input = {asked} tokens; output = {given} tokens; shared_prefix = {prefix} tokens }}"
        for n, (share, asked, given, prefix) in enumerate(classes)
    ]
    doc = document(PLAN.format(requests=requests, run=run, classes="\n".join(lines)))
    requests = min(requests, run or requests)
    peak = next(q for q in doc.quantities if q.address == "prod.kv.peak_blocks")
    worst = max(
        blocks_of(counts, classes)
        for counts in product(range(requests + 1), repeat=len(classes))
        if sum(counts) == requests
        and all(n == 0 or share > 0 for n, (share, *_) in zip(counts, classes, strict=True))
    )
    assert int(peak.low) <= worst <= int(peak.high)
    if requests <= 2 or requests >= len(classes):
        assert peak.low == peak.nominal == peak.high


THERE = "class there { input = 8_000 tokens; output = 100 tokens; shared_prefix = 1_000 tokens }"
GONE = """
  class gone { share = 0%; input = 8_000 tokens; output = 4_000 tokens; shared_prefix = 6_000 tokens }
  class same { share = 0%; input = 4_000 tokens; output = 4_100 tokens; shared_prefix = 4_000 tokens }
  class tiny { share = 0%; input = 10 tokens; output = 50_000 tokens }"""
NOBODY = """
use std
model m {{ hidden_size = 64; vocabulary = 1_000; max_context = 16_384 tokens; dtype = bf16
  group full : grouped_query {{ layers = 2 layers; q_heads = 4 q_heads; kv_heads = 4 kv_heads; key_dim = 16 }}
  {further}
  tensor weights {{ part = feed_forward; parameters = 1_000_000 parameters }} }}
workload mix {{ concurrency = 8 requests; {classes} }}
sharding s {{ {sharding} }}
deployment prod {{ model = m; cache = bf16_paged; device = nvidia.h100_sxm; workload = mix; sharding = s
  engine = {engine} {{ max_model_len = 16_384 tokens }} }}
"""
WINDOW = "group local : sliding { layers = 2 layers; q_heads = 4 q_heads; kv_heads = 4 kv_heads; key_dim = 16; window = 64 tokens }"


@pytest.mark.parametrize("further", ["", WINDOW])
@pytest.mark.parametrize("sharding", ["", "tensor = 2 devices; replicas = 2 replicas"])
@pytest.mark.parametrize("engine", ["vllm_0_22_1", "ideal"])
def test_a_class_that_nobody_comes_of_changes_no_answer(further: str, sharding: str, engine: str) -> None:
    answers = []
    for classes in (THERE, THERE + GONE):
        doc = document(NOBODY.format(further=further, sharding=sharding, engine=engine, classes=classes))
        held = {address: q for q in doc.quantities for address in (q.address, *q.aliases)}
        answers.append(
            {
                address: (q.low, q.nominal, q.high)
                for address, q in held.items()
                if address.startswith("prod.") and "/" not in address and ".classes" not in address
            }
        )
    assert len(answers[0]) > 100
    assert answers[0] == answers[1]
