"""No schedule of batches beats the bounds on output and on a step, whatever the sharding and the mix; some reach them."""

from __future__ import annotations

import tempfile
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from tests.unit.library.answers import compiled
from tests.unit.library.schedules import BANDWIDTH, Class, Served, rate

FEW = settings(max_examples=7, deadline=None)


def ends(text: str, *addresses: str) -> list[Fraction]:
    """The established end of each bound: the high one of what is said of a rate, the low one of a time."""
    with tempfile.TemporaryDirectory() as folder:
        document = compiled(text, Path(folder))
    found = {name: q for q in document.quantities for name in (q.address, *q.aliases)}
    values = [found[a].high if found[a].high is not None else found[a].low for a in addresses]
    return [Fraction(value) for value in values if value is not None]


CLASSES = st.lists(
    st.tuples(
        st.sampled_from([3, 40, 300, 2_000]), st.integers(1, 60), st.sampled_from([0, 0, 2, 16, 35, 290])
    ),
    min_size=1,
    max_size=2,
).map(
    lambda found: tuple(
        Class(100 if len(found) == 1 else 60 - 20 * at, tokens, output, min(prefix, tokens))
        for at, (tokens, output, prefix) in enumerate(found)
    )
)

SERVED = st.builds(
    Served,
    layers=st.sampled_from([2, 4, 6, 10]),
    other=st.sampled_from(["grouped_query", "sliding", "chunked"]),
    window=st.sampled_from([4, 32, 256]),
    kv_heads=st.sampled_from([1, 4]),
    dim=st.sampled_from([16, 64]),
    weights=st.sampled_from([100, 10_000, 1_000_000]),
    experts=st.sampled_from([0, 0, 3_000]),
    stages=st.sampled_from([1, 1, 2, 4]),
    data=st.sampled_from([1, 1, 2, 4]),
    replicas=st.sampled_from([1, 1, 2, 3]),
    concurrency=st.sampled_from([1, 2, 3, 4, 8, 13]),
    classes=CLASSES,
    seqs=st.sampled_from([0, 0, 1, 2, 5]),
).filter(
    lambda served: (
        served.replicas <= served.concurrency and (served.stages < 4 or served.layers >= 2 * served.stages)
    )
)


def behind_a_prefix(other: str, concurrency: int) -> Served:
    """Requests that share 16 tokens of 40, half of the layers seeing 32 of them or their chunk."""
    return Served(
        layers=2, other=other, window=32, kv_heads=1, dim=16, weights=100, experts=0, stages=1, data=1, replicas=1,
        concurrency=concurrency, classes=(Class(100, 40, 2, 16),),
    )  # fmt: skip


@FEW
@given(SERVED, st.integers(0, 10**6))
@example(behind_a_prefix("sliding", 1), 0)
@example(behind_a_prefix("sliding", 2), 0)
@example(behind_a_prefix("chunked", 1), 0)
def test_no_schedule_beats_the_throughput(served: Served, seed: int) -> None:
    (bound,) = ends(served.plan(), "d.throughput.tokens")
    for at in range(6):
        assert rate(served, 1 + at % 2, seed + at, sorted_out=at % 3 == 2) <= bound


@FEW
@given(SERVED, st.integers(0, 10**6))
def test_nor_do_parts_that_go_their_own_ways(served: Served, seed: int) -> None:
    """Without experts in common, data-parallel parts need not wait for one another."""
    parts = served.replicas * served.data
    assume(parts <= served.concurrency)
    shape = served.__dict__ | {"experts": 0}
    (bound,) = ends(Served(**shape).plan(), "d.throughput.tokens")
    apart = Served(**shape | {"replicas": parts, "data": 1})
    for at in range(6):
        assert rate(apart, 2, seed + at, sorted_out=at % 2 == 1) <= bound


@FEW
@given(SERVED, st.sampled_from([1, 2, 3, 8]), st.integers(0, 10**6))
def test_nor_one_whose_batches_lie_in_a_small_pool(served: Served, times: int, seed: int) -> None:
    """The pool holds the longest request, or a few of them."""
    longest = max(c.input + c.output for c in served.classes)
    small = Served(**served.__dict__ | {"blocks": 2 + times * served.layers * (longest // 16 + 2)})
    bound, blocks, each = ends(small.plan(), "d.throughput.tokens", "d.kv.blocks", "d.kv.block_bytes")
    free = ends(served.plan(), "d.throughput.tokens")[0]
    assert bound <= free
    for at in range(6):
        assert rate(small, 1 + at % 2, seed + at, sorted_out=at % 3 == 2, room=blocks * each) <= bound


def test_a_pool_of_a_tenth_of_them_is_a_tenth_of_the_batch() -> None:
    """A hundred requests of 320 tokens on average, in a pool of ten: near the best rate that a schedule reaches."""
    served = Served(
        layers=4, other="grouped_query", window=0, kv_heads=4, dim=64, weights=1_000_000, experts=0, stages=1,
        data=1, replicas=1, concurrency=100, classes=(Class(100, 300, 40, 0),), blocks=200,
    )  # fmt: skip
    bound, blocks, each = ends(served.plan(), "d.throughput.tokens", "d.kv.blocks", "d.kv.block_bytes")
    best = max(rate(served, 4, seed, sorted_out=False, room=blocks * each) for seed in range(6))
    assert bound * Fraction(8, 10) < best <= bound


@pytest.mark.parametrize("stages", [1, 2])
def test_an_engine_that_runs_two_of_sixteen_has_batches_of_two(stages: int) -> None:
    """Where weights are all that counts: near the best rate that a schedule reaches, a small part of that of all sixteen."""
    heavy = one_class(stages, 1, 16).__dict__ | {"weights": 100_000_000}
    free, few = (Served(**heavy | {"seqs": seqs}) for seqs in (0, 2))
    every, bound = (ends(served.plan(), "d.throughput.tokens")[0] for served in (free, few))
    best = max(rate(few, 4, seed, sorted_out=False) for seed in range(12))
    assert bound * Fraction(9, 10) < best <= bound < every / 4


def one_class(stages: int, replicas: int, concurrency: int) -> Served:
    return Served(
        layers=4, other="grouped_query", window=0, kv_heads=4, dim=64, weights=1_000_000, experts=0, stages=stages,
        data=1, replicas=replicas, concurrency=concurrency, classes=(Class(100, 3_000, 50, 0),),
    )  # fmt: skip


def test_one_batch_of_all_reaches_it() -> None:
    served = one_class(stages=1, replicas=1, concurrency=10)
    (bound,) = ends(served.plan(), "d.throughput.tokens")
    every = sum(
        served.weight_bytes(0) + 10 * (served.own_bytes(0, 3_000 + n, 0) if n >= 0 else 0)
        for n in range(-1, 49)
    )
    assert bound == Fraction(10 * 50 * BANDWIDTH, every)


@pytest.mark.parametrize(("stages", "replicas"), [(2, 1), (1, 2)])
def test_a_batch_in_each_stage_and_one_in_each_replica_come_near_it(stages: int, replicas: int) -> None:
    served = one_class(stages, replicas, concurrency=10)
    (bound,) = ends(served.plan(), "d.throughput.tokens")
    best = max(rate(served, 4, seed, sorted_out=False) for seed in range(12))
    assert bound * Fraction(9, 10) < best <= bound


@FEW
@given(SERVED)
def test_two_stages_bring_no_more_than_twice_the_output(served: Served) -> None:
    """A stage more is as many devices more; two replicas of the same devices never bring less than two stages."""
    shape = served.__dict__ | {"replicas": 1, "layers": 4}
    one, two = (ends(Served(**shape | {"stages": n}).plan(), "d.throughput.tokens")[0] for n in (1, 2))
    assert one <= two <= 2 * one


@FEW
@given(SERVED, st.integers(2, 9))
def test_more_at_once_never_bring_less(served: Served, more: int) -> None:
    shape = served.__dict__
    few, many = (
        ends(Served(**shape | {"concurrency": n}).plan(), "d.throughput.tokens")[0]
        for n in (served.concurrency, served.concurrency * more)
    )
    assert few <= many <= more * few


COMPUTING = """use std
model m {{ hidden_size = 64; vocabulary = 1_000; max_context = 1_000_000 tokens; dtype = bf16
  group one : grouped_query {{ layers = 8 layers; q_heads = 8 q_heads; kv_heads = 4 kv_heads; key_dim = 64; mask = {mask} }}
  tensor all {{ part = feed_forward; parameters = 10_000 parameters; copies = 8 }}
  tensor experts {{ part = expert; parameters = 3_000 parameters; copies = 8; experts = 4; active_experts = 2 }}
  tensor head {{ part = head; parameters = 64_000 parameters; stage = last }} }}
workload w {{ concurrency = {requests} requests
  class only {{ input = {input} tokens; output = {output} tokens }} }}
device slow {{ memory = 80 GB/device; bandwidth = 1_000_000 TB/s/device; peak = 1 TFLOP/s/device }}
sharding spread {{ stages = {stages} stages; tensor = {tensor} devices; data = {data}; replicas = {replicas} replicas }}
deployment d {{ model = m; cache = bf16_paged; device = slow; sharding = spread; workload = w; engine = ideal {{ max_model_len = 100_000 tokens }} }}
served : s = d.request.prompt_computing{steps}
turn : s = d.throughput.computing
report served, turn
"""


@FEW
@given(
    mask=st.sampled_from(["causal", "causal and window(50 tokens)", "causal and chunked(64 tokens)", "full", "prefix(300 tokens)", "causal and top_k(40 tokens)", "causal or sinks(90 tokens)"]),
    requests=st.integers(1, 3),
    input=st.sampled_from([1, 40, 700]),
    output=st.sampled_from([1, 2, 40, 120]),
    stages=st.sampled_from([1, 2, 4, 8]),
    tensor=st.sampled_from([1, 2, 4]),
    data=st.sampled_from([1, 2]),
    replicas=st.sampled_from([1, 3]),
)  # fmt: skip
@example(mask="full", requests=1, input=700, output=120, stages=1, tensor=1, data=1, replicas=1)
@example(mask="prefix(300 tokens)", requests=1, input=40, output=120, stages=4, tensor=1, data=1, replicas=1)
def test_a_request_alone_is_served_no_later_than_the_plan_says_it_may_be(**said: object) -> None:
    """Its prompt on all devices of its part, its tokens through one stage after another: that is a schedule."""
    step = "token_time(m, bf16_paged, spread, d.engine, slow, 1 token * ({input} + k), 0 tokens) for k in range({output} - 1)"
    steps = f" + sum({step.format(**said)})" if said["output"] != 1 else ""
    served, turn = ends(COMPUTING.format(**said, steps=steps), "served", "turn")
    assert turn <= served * int(str(said["requests"]))
