"""An option's numbers are those of a deployment that is written out: what it shares with its base, it may share."""

from __future__ import annotations

import pytest

from capwright.document.plandoc import PlanDoc, Quantity
from tests.support.compared import document

PLAN = """
use std
use "std/models/{model}.plan"
workload mix {{ concurrency = 24 requests
  class chat {{ share = 60%; input = 4_000 tokens; output = 500 tokens; shared_prefix = 1_000 tokens }}
  class paper {{ share = 40%; input = 30_000 tokens; output = uniform(200 tokens, 900 tokens) }} }}
sharding eight {{ tensor = 8 devices }}
cache pages from bf16_paged {{ }}
deployment prod {{ model = {model}; cache = pages; device = nvidia.h100_sxm; sharding = eight; workload = mix
  engine = {engine} {{ max_model_len = 32_768 tokens }} }}
option other of prod {{ {changes} }}
deployment whole from prod {{ {changes} }}
report prod, whole
"""

CASES = {
    "meta_llama_3_1_70b": ("vllm_0_10_1", 1),
    "deepseek_v3": ("vllm_0_22_1", 3),
    "gemma_3_27b_it": ("vllm_0_22_1", 3),
    "gpt_oss_120b": ("vllm_0_10_1", 3),
    "nvidia_nemotron_3_nano_30b_a3b_bf16": ("vllm_0_22_1", 3),
}
"""Models with caches of every sort, the engine of each, and whether all changes are tried of it or every third."""
CHANGES = {
    "nothing": "",
    "device": "device = amd.mi300x",
    "device's number": "device.bandwidth = 2_000 GB/s/device",
    "tensor": "sharding.tensor = 4 devices",
    "stages": "sharding { tensor = 4 devices; stages = 2 stages }",
    "replicas": "sharding.replicas = 2 replicas",
    "block": "cache.block = 32 tokens/block",
    "cache": "cache = fp8_paged",
    "requests": "workload.concurrency = 48 requests",
    "length": "workload.classes.paper.input = 20_000 tokens",
    "share": "workload.classes.chat.share = 30%; workload.classes.paper.share = 70%",
    "prefix": "workload.classes.chat.shared_prefix = 2_000 tokens",
    "manager": "engine.hybrid_kv_cache_manager = false",
    "limit": "engine.max_model_len = 31_000 tokens",
    "pool": "engine.gpu_memory_utilization = 0.8",
    "percentile": 'loaded.statistic = "p95"',
}


def _numbers(doc: PlanDoc, holder: str) -> dict[str, Quantity]:
    """The quantities of a deployment by their path in it; one number may be that of several."""
    return {
        name.removeprefix(f"{holder}."): each
        for each in doc.quantities
        for name in (each.address, *each.aliases)
        if name.startswith(f"{holder}.") and "/" not in name and "#" not in name
    }


def _said(quantity: Quantity) -> tuple[object, ...]:
    """What is said of a number, but for the names of things it is worked out by."""
    return (
        quantity.low, quantity.nominal, quantity.high, quantity.approximate, quantity.kind, quantity.truth,
        quantity.unit.symbol, {*quantity.caveats_here, *quantity.caveats_inherited}, quantity.exclusions,
        {source.replace("prod@other.", "prod.").replace("whole.", "prod.") for source in quantity.sources},
    )  # fmt: skip


@pytest.mark.parametrize("at", range(len(CASES)), ids=CASES)
def test_an_option_says_what_a_deployment_of_its_own_says(at: int) -> None:
    model, (engine, every) = list(CASES.items())[at]
    for what, changes in list(CHANGES.items())[at % every :: every]:
        doc = document(PLAN.format(model=model, engine=engine, changes=changes))
        option, whole = _numbers(doc, "prod@other"), _numbers(doc, "whole")
        assert len(whole) > 50, what
        assert option.keys() == whole.keys(), what
        for path in whole:
            assert _said(option[path]) == _said(whole[path]), (what, path)
