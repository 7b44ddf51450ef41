"""Requests that share a prefix, counted one after another, against the worst mix that a deployment states."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations_with_replacement

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from capwright.kernel.registry import OPERATORS
from tests.support.compared import document
from tests.support.masks import Meant, made, masks

PLAN = """
use std
model m {{ hidden_size = 64; vocabulary = 1_000; max_context = 4_096 tokens; dtype = bf16
  group full : grouped_query {{ layers = 2 layers; q_heads = 4 q_heads; kv_heads = 4 kv_heads; key_dim = 32 }}
  tensor weights {{ part = feed_forward; parameters = 1_000_000 parameters }} }}
{cache}
# No version of vLLM has a quantised layout of one's own: these profiles do.
entity first : vllm_0_10_1 {{ inherits all from vllm_0_10_1 }}
entity later : vllm_0_22_1 {{ inherits all from vllm_0_22_1 }}
formula has_layout(e: first, c: quantised) : bool default = true
formula has_layout(e: later, c: quantised) : bool default = true
engine packing_0_10_1 : first {{ max_model_len = 4_096 tokens }}
engine packing_0_22_1 : later {{ max_model_len = 4_096 tokens }}
workload mix {{ concurrency = {requests} requests
  class only {{ input = {input}; output = {output}; shared_prefix = {prefix} tokens }} }}
deployment prod {{ model = m; cache = pages; device = nvidia.h100_sxm; workload = mix
  engine = {engine} {{ max_model_len = 4_096 tokens }} }}
report prod.kv
"""
FULL = 2 * 4 * 2 * 32 * 2
PACKED = 2 * 4 * 2 * (16 + 2)
PAGED = "cache pages : paged {{ element = bf16; block = {block} tokens/block }}"
RESIDUAL = "cache pages : quantised {{ element = int4; group_size = 32; residual = {residual} tokens; block = {block} tokens/block }}"


def exactly(**said: object) -> dict[str, Fraction]:
    """The numbers of a deployment that have one value."""
    return exactly_of(PLAN.format(**said))


def exactly_of(text: str) -> dict[str, Fraction]:
    doc = document(text)
    return {q.address: Fraction(q.low) for q in doc.quantities if q.low is not None and q.low == q.high}


def live_of(lengths: list[tuple[int, int]], prefix: int, residual: int, block: int) -> int:
    """Bytes of requests, each with its prompt and output: every packed row that several have once, every newest row of
    its own request."""
    shared = 0
    own = 0
    for asked, given_ in lengths:
        n = asked + given_
        packed = n - min(n, residual)
        part = min(prefix, asked - 1, packed) // block * block
        shared = max(shared, part)
        own += (packed - part) * PACKED + (n - packed) * FULL
    return own + shared * PACKED


@pytest.mark.promise("M7")
@settings(max_examples=15, deadline=None)
@given(
    requests=st.integers(1, 5),
    prefix=st.integers(1, 120),
    behind=st.integers(0, 80),
    output=st.integers(1, 60),
    residual=st.sampled_from([0, 1, 16, 40, 64, 200]),
    engine=st.sampled_from(["ideal", "packing_0_22_1"]),
)
def test_the_newest_tokens_are_each_requests_own(
    requests: int, prefix: int, behind: int, output: int, residual: int, engine: str
) -> None:
    block = 1 if engine == "ideal" else 16
    kv = exactly(
        cache=RESIDUAL.format(residual=residual, block=block), requests=requests, input=f"{prefix + behind} tokens",
        output=f"{output} tokens", prefix=prefix, engine=engine,
    )  # fmt: skip
    live = live_of([(prefix + behind, output)] * requests, prefix, residual, block)
    assert kv["prod.kv.peak_live"] == live
    assert kv["prod.kv.mean_live"] == live
    if engine == "ideal":
        assert kv["prod.kv.peak_reserved"] == live
    else:
        assert kv["prod.kv.peak_reserved"] >= live


@pytest.mark.promise("M7")
@settings(max_examples=15, deadline=None)
@given(
    requests=st.integers(1, 4),
    prefix=st.integers(16, 70),
    spread=st.integers(0, 40),
    output=st.integers(1, 40),
    residual=st.sampled_from([None, 0, 24]),
    engine=st.sampled_from(["ideal", "packing_0_10_1", "packing_0_22_1"]),
)
@example(requests=2, prefix=16, spread=2, output=22, residual=24, engine="packing_0_10_1")
def test_a_prompt_that_is_all_prefix_may_ask_more_than_a_longer_one(
    requests: int, prefix: int, spread: int, output: int, residual: int | None, engine: str
) -> None:
    block = 1 if engine == "ideal" else 16
    cache = PAGED if residual is None else RESIDUAL
    kv = exactly(
        cache=cache.format(residual=residual, block=block), requests=requests, output=f"{output} tokens", prefix=prefix, engine=engine,
        input=f"lognormal(median: {prefix + spread / 2} tokens, p95: {prefix + spread} tokens, at_least: {prefix} tokens, "
        f"at_most: {prefix + spread} tokens)" if spread else f"{prefix} tokens",
    )  # fmt: skip
    mixes = [
        [(prefix, output)] * short + [(prefix + at, output)] * (requests - short - long) + [(prefix + spread, output)] * long
        for short in range(requests + 1)
        for long in range(requests + 1 - short)
        for at in range(spread + 1)
    ]  # fmt: skip
    unfed = int(engine == "packing_0_10_1")  # which does not feed what it samples last
    if residual is None:
        blocks = max(
            sum(-(-(a + o - unfed) // block) - min(prefix, a - 1) // block for a, o in mix)
            + max(min(prefix, a - 1) // block for a, o in mix)
            for mix in mixes
        )
        asked = blocks * FULL if engine == "ideal" else blocks + 1
        assert kv["prod.kv.peak_blocks"] == asked
    else:
        live = max(live_of([(a, o - unfed) for a, o in mix], prefix, residual, block) for mix in mixes)
        assert kv["prod.kv.peak_live"] == live


@settings(max_examples=15, deadline=None)
@given(
    rows=st.lists(st.tuples(st.integers(1, 90), st.integers(1, 60)), min_size=1, max_size=3),
    requests=st.integers(1, 3),
    prefix=st.integers(0, 90),
    residual=st.sampled_from([None, 0, 24]),
    engine=st.sampled_from(["ideal", "packing_0_22_1"]),
)
def test_rows_whose_longest_history_is_given_ask_no_more_than_the_worst_mix(
    rows: list[tuple[int, int]], requests: int, prefix: int, residual: int | None, engine: str
) -> None:
    """Of each prompt with its own output; and the worst mix is no worse than where any output follows any prompt."""
    prefix = min(prefix, *(asked for asked, _ in rows))
    block = 1 if engine == "ideal" else 16
    said = {
        "cache": (PAGED if residual is None else RESIDUAL).format(residual=residual, block=block),
        "requests": requests,
        "input": "empirical([" + ", ".join(f"{asked} tokens" for asked, _ in rows) + "])",
        "prefix": prefix,
        "engine": engine,
    }
    outputs = "empirical([" + ", ".join(f"{given_} tokens" for _, given_ in rows) + "])"
    paired = exactly(**said, output=f"{outputs}; peak = {max(map(sum, rows))} tokens")
    apart = exactly(**said, output=outputs)
    for mix in combinations_with_replacement(rows, requests):
        if residual is None:
            shared = [min(prefix, a - 1) // block for a, _ in mix]
            blocks = sum(-(-(a + o) // block) - part for (a, o), part in zip(mix, shared, strict=True)) + max(
                shared
            )
            assert paired["prod.kv.peak_blocks"] >= (blocks * FULL if engine == "ideal" else blocks + 1)
        else:
            assert paired["prod.kv.peak_live"] >= live_of(list(mix), prefix, residual, block)
    assert paired["prod.kv.peak_blocks"] <= apart["prod.kv.peak_blocks"]
    assert paired["prod.kv.peak_live"] <= apart["prod.kv.peak_live"]


DRAFTED = """
use std
model m {{ hidden_size = 64; vocabulary = 1_000; max_context = 8_192 tokens; dtype = bf16
  group full : grouped_query {{ layers = 2 layers; q_heads = 4 q_heads; kv_heads = 4 kv_heads; key_dim = 32 }}
  group local : sliding {{ layers = 2 layers; q_heads = 4 q_heads; kv_heads = 4 kv_heads; key_dim = 32; window = 64 tokens }} }}
workload mix {{ concurrency = {requests} requests
  class only {{ input = {input} tokens; output = {output} tokens; shared_prefix = {prefix} tokens }} }}
engine serving : {engine} {{ max_model_len = {longest} tokens; draft_tokens = {drafted}; speculative = {layers} }}
least : block kind demanded_blocks = least_mix_blocks(m, bf16_paged, whole_on_one, serving, mix)
"""


@settings(max_examples=20, deadline=None)
@given(
    requests=st.integers(1, 9),
    prefix=st.integers(1, 300),
    behind=st.integers(100, 200),
    output=st.integers(1, 60),
    drafted=st.integers(1, 20),
    layers=st.booleans(),
    left=st.integers(0, 40),
    engine=st.sampled_from(["vllm_0_10_1", "vllm_0_22_1"]),
)
@example(
    requests=9, prefix=208, behind=182, output=10, drafted=3, layers=True, left=0, engine="vllm_0_10_1",
)  # fmt: skip
def test_drafts_that_the_longest_sequence_cuts_off_are_cut_off_of_what_is_shared_too(
    requests: int,
    prefix: int,
    behind: int,
    output: int,
    drafted: int,
    layers: bool,
    left: int,
    engine: str,
) -> None:
    """Layers that keep every token have each block of the prefix once; windows have left all of it behind."""
    peak = prefix + behind + output
    ahead = drafted * (1 if not layers else 2 if engine == "vllm_0_10_1" else 3)
    doc = document(
        DRAFTED.format(
            requests=requests, input=prefix + behind, output=output, prefix=prefix, engine=engine, drafted=drafted,
            longest=peak + left, layers=str(layers).lower(),
        )
    )  # fmt: skip
    fed = layers and engine == "vllm_0_22_1"  # the newest token, before it is known to be the last
    slots = peak + min(left, ahead - (not fed))
    full = {at // 16 for at in range(slots)}
    # Layers that draft have the last block of what is found computed anew.
    shared = {at // 16 for at in range(prefix - prefix % 16 - 16 * layers)}
    # A window begins anywhere in a block, and what a step adds follows it.
    local = min(len(full - shared), -(-(64 - 1 + 1 + ahead) // 16) + 1)
    least = next(q for q in doc.quantities if q.address == "least")
    assert Fraction(least.low or 0) == requests * (len(full - shared) + local) + len(shared) + 1


MASKED = """
use std
model m {{ hidden_size = 64; vocabulary = 1_000; max_context = 4_096 tokens; dtype = bf16
  group full : grouped_query {{ layers = 2 layers; q_heads = 4 q_heads; kv_heads = 4 kv_heads; key_dim = 32; mask = {mask} }}
  tensor weights {{ part = feed_forward; parameters = 1_000_000 parameters }} }}
{cache}
workload mix {{ concurrency = {requests} requests
  class only {{ input = {input} tokens; output = {output} tokens; shared_prefix = {prefix} tokens }} }}
workload apart from mix {{ classes.only.shared_prefix = 0 tokens }}
deployment prod {{ model = m; cache = pages; device = nvidia.h100_sxm; workload = mix
  engine = ideal {{ max_model_len = 4_096 tokens }} }}
option alone of prod {{ workload = apart }}
report prod.decode
"""


@settings(max_examples=20, deadline=None)
@given(
    meant=masks,
    requests=st.integers(1, 4),
    prefix=st.integers(1, 60),
    behind=st.integers(1, 40),
    output=st.integers(2, 40),
    residual=st.sampled_from([None, 0, 24]),
)
@example(
    meant=Meant(
        OPERATORS["and"](
            made("causal"), OPERATORS["or"](made("window", size=9), made("sinks", count=4))
        ),
        lambda p, c: c <= p and (p - c < 9 or c < 4),
    ),
    requests=2, prefix=40, behind=30, output=9, residual=None,
)  # fmt: skip
def test_a_step_reads_each_shared_key_that_is_seen_once(
    meant: Meant, requests: int, prefix: int, behind: int, output: int, residual: int | None
) -> None:
    """Of the keys that the next token sees, whatever the mask; and a prefix never makes a step read more."""
    cache = PAGED if residual is None else RESIDUAL
    got = exactly_of(
        MASKED.format(
            mask=meant.mask.text(), cache=cache.format(residual=residual, block=1), requests=requests,
            input=prefix + behind, output=output, prefix=prefix,
        )
    )  # fmt: skip
    n = prefix + behind + output
    shared = int(got["prod.decode.prefix"])
    assert got["prod.decode.traffic"] <= got["prod@alone.decode.traffic"]
    if residual is None:
        keys = [c for c in range(n + 1) if meant.sees(n, c)]
        seen = min(n, len(keys))
        once = min(seen, sum(c < shared for c in keys))
        read = 2_000_000 + requests * 64 * 2 + (once + requests * (seen - once)) * FULL
        assert got["prod.decode.traffic"] == read


def test_forty_classes_with_a_prefix_each_are_within_the_budget() -> None:
    """Which of them others join is asked for once, not of every class that may lead."""
    classes = "\n".join(
        f"  class c{at} {{ share = 1/40; residence = {at + 1} s; input = {1_000 + 37 * at} tokens"
        f"; output = {100 + at} tokens; shared_prefix = {160 + 16 * at} tokens }}"
        for at in range(40)
    )
    text = PLAN.format(
        cache=PAGED.format(block=16),
        requests=100,
        input="100 tokens",
        output="10 tokens",
        prefix=0,
        engine="vllm_0_22_1",
    )
    many = f"workload many {{ concurrency = 100 requests\n{classes}\n}}\n"
    kv = exactly_of(text.replace("workload = mix", "workload = many") + many)
    assert kv["prod.kv.tokens"] == 1_000 + 37 * 39 + 139
