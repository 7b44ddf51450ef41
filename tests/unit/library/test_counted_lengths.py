"""The operations of requests of all lengths are no fewer than the bound that stands for them, whatever the mask."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import pytest

from tests.support.compared import document

PLAN = """
use std
model m {{ hidden_size = 64; vocabulary = 1_000; max_context = 4_096 tokens; dtype = bf16
  group only : {group} {{ layers = 2 layers; q_heads = 4 q_heads; {more} }}
  tensor weights {{ part = feed_forward; parameters = 1_000 parameters }} }}
device bench {{ memory = 80 GB/device; bandwidth = 1_000 GB/s/device; peak = 1 TFLOP/s/device }}
workload mix {{ concurrency = 2 requests; class only {{ input = {input}; output = {output} }} }}
deployment prod {{ model = m; cache = bf16_paged; device = bench; workload = mix
  engine = ideal {{ max_model_len = 4_096 tokens }} }}
report prod.throughput
"""
HEADS = "kv_heads = 4 kv_heads; key_dim = 16"
LATENTS = "latent_rank = 64; rotary_dim = 8; key_dim = 16; value_dim = 8"
GROUPS = {
    "causal": ("grouped_query", HEADS),
    "full": ("grouped_query", f"{HEADS}; mask = full"),
    "window": ("sliding", f"{HEADS}; window = 16 tokens"),
    "chunks": ("chunked", f"{HEADS}; window = 16 tokens"),
    "a window of one's own": (
        "grouped_query",
        f"{HEADS}; mask = causal and (window(5 tokens) or sinks(2 tokens))",
    ),
    "chunks beside all": (
        "grouped_query",
        f"{HEADS} }}\n  group near : chunked {{ layers = 6 layers; q_heads = 4 q_heads; {HEADS}; window = 16 tokens",
    ),
    "pooled entries": (
        "compressed",
        "key_dim = 16; window = 4 tokens; ratio = 4; selected = 2; index_heads = 2; index_dim = 8",
    ),
    "latents": ("latent", LATENTS),
    "latents behind a window": ("latent", f"{LATENTS}; mask = causal and window(5 tokens)"),
    "latents in chunks": ("latent", f"{LATENTS}; mask = causal and chunked(16 tokens)"),
}


def computing(name: str, given: str, output: str) -> Fraction:
    group, more = GROUPS[name]
    doc = document(PLAN.format(group=group, more=more, input=given, output=output))
    found = next(q for q in doc.quantities if q.address == "prod.throughput.computing")
    assert found.low is not None
    return Fraction(found.low)


@pytest.mark.parametrize("name", GROUPS)
@pytest.mark.parametrize(("inputs", "outputs"), [((14, 19), (3, 3)), ((30, 33), (1, 4))])
def test_the_bound_is_below_the_mean_of_all(name, inputs, outputs):
    bound = computing(
        name,
        "uniform({} tokens, {} tokens)".format(*inputs),
        "uniform({} tokens, {} tokens)".format(*outputs),
    )
    lengths = list(product(range(inputs[0], inputs[1] + 1), range(outputs[0], outputs[1] + 1)))
    each = [computing(name, f"{i} tokens", f"{o} tokens") for i, o in lengths]
    assert min(each) < bound <= sum(each) / len(each)
