"""The library's engine profiles against the engines' own allocator code: every field of every case."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.library.answers import Answers, compiled
from tests.unit.library.cases import Case, plan_of, published, read_cases

FIRST = read_cases("0_10_1")
LATER = read_cases("0_22_1")


def _name(case: Case) -> str:
    return f"{case['model']}-tp{case['tensor_parallel']}-{case['available_kv_bytes']}"


@pytest.mark.promise("M6")
@pytest.mark.parametrize("case", published(FIRST, _name))
def test_vllm_0_10_1_answers_alike(case: Case, tmp_path: Path) -> None:
    got = Answers(compiled(plan_of(case, "vllm_0_10_1"), tmp_path))
    assert got.number("fits") == int(case["fits"])
    assert got.number("needed_0") == case["needed_bytes_one_request_check"]
    if not case["fits"]:
        assert got.number("estimate") == (case.get("estimated_max_model_len") or 0)
        return
    assert got.number("pool") == case["num_blocks"]
    assert got.number("groups") == case["kv_cache_groups"]
    assert got.number("layers_0") == case["layers_per_group"]
    assert got.number("line") == case["kv_cache_tokens"]
    assert float(got.number("concurrency")) == case["max_concurrency"]
    assert got.number("allocated_0") == case["allocated_bytes"]
    assert got.number("page_0") == case["page_bytes_per_layer"]


@pytest.mark.promise("M6")
@pytest.mark.parametrize("case", published(LATER, _name))
def test_vllm_0_22_1_answers_alike(case: Case, tmp_path: Path) -> None:
    got = Answers(compiled(plan_of(case, "vllm_0_22_1"), tmp_path))
    assert got.number("fits") == int(case["fits"])
    if "state" in case:
        _same_blocks(got, case)
    if not case["fits"]:
        # The engine prints no estimate where not even one token fits.
        assert got.number("estimate") == (case.get("estimated_max_model_len") or 0)
        return
    stages = range(case["pipeline_parallel"])
    assert got.number("pool") == case["num_blocks"]
    assert got.number("groups") == case["kv_cache_groups"]
    assert [got.number(f"layers_{i}") for i in stages] == case["layers_per_group"]
    assert [float(got.number("concurrency")) for _ in stages] == case["max_concurrency"]
    assert [got.number("line") for _ in stages] == case["kv_cache_tokens_line"]
    assert [got.number(f"allocated_{i}") for i in stages] == case["allocated_bytes"]


def _same_blocks(got: Answers, case: Case) -> None:
    attention = next(i for i, layer in enumerate(case["layers"]) if layer["kind"] != "state")
    assert got.number(f"tokens_{attention}") == case["attention_block_size"]
    assert got.number(f"page_{attention}") == case["state_page_padded_bytes"]
