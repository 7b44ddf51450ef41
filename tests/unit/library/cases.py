"""Allocator cases, as engines answered them, written as plans of the library."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import pytest

Case = dict[str, Any]

ROOT = Path(__file__).resolve().parents[3]
DATA = ROOT.parent / "shared" / "data"
REQUIRED = os.environ.get("CAPWRIGHT_DATA") == "required"
"""Whether a run without the data is no run. The data is read in place and is no part of the project."""

Row = TypeVar("Row")


def published(rows: Sequence[Row], name: Callable[[Row], str]) -> list[pytest.ParameterSet]:
    """Rows of the data as parameters of a test; where the data is not at hand, one that is skipped and says so.

    Data that is there and gives no row would make a test that tests nothing: that is an error. No coverage is taken of
    them: it is the same with the data and without, and hundreds of rows go through the same lines.
    """
    if rows:
        return [pytest.param(row, id=name(row), marks=pytest.mark.no_cover) for row in rows]
    if REQUIRED or DATA.is_dir():
        raise AssertionError(f"{DATA} gives no row for this test")
    return [pytest.param(None, id="no-data", marks=pytest.mark.skip(reason=f"{DATA} is not at hand"))]


DTYPES = {
    "bfloat16": "bf16",
    "float16": "fp16",
    "float32": "fp32",
    "fp8_e4m3": "fp8_e4m3",
    "fp8_e5m2": "fp8_e5m2",
}
STAGE_COLUMNS = {"state": 0, "sliding": 1, "chunked": 2}


def read_cases(version: str) -> list[Case]:
    """The cases of one engine version, none where the data is not at hand."""
    path = DATA / f"vllm_{version}_allocator.json"
    return json.loads(path.read_text(encoding="utf-8")) if path.is_file() else []


def plan_of(case: Case, profile: str) -> str:
    """A plan that asks the engine profile for every field of the answer.

    The data does not give query heads; the allocator does not depend on them.
    """
    stages = case.get("pipeline_parallel", 1)
    per_stage = range(stages)
    fits = " and ".join(
        f"checked_bytes(e, m, c, spread, e.max_model_len, {i}) <= available" for i in per_stage
    )
    lines = [
        "use std",
        _model(case),
        f"cache c : paged {{ element = {DTYPES[case['kv_dtype']]}; block = {case['block_size']} tokens/block }}",
        f"sharding spread {{ tensor = {case['tensor_parallel']} devices; stages = {stages} stages }}",
        (
            f"engine e : {profile} {{ max_model_len = {case['max_model_len']} tokens"
            f"; max_num_batched_tokens = {case['max_num_batched_tokens']} tokens"
            f"; hybrid_kv_cache_manager = {str(case['hybrid_kv_cache_manager']).lower()}{_growth(case)} }}"
        ),
        f"available : byte/device kind pool = {case['available_kv_bytes']} byte/device",
        f"fits : number = if {fits} then 1 else 0",
        "estimate : token kind longest_context = printed_estimate(e, m, c, spread, available)",
        "pool : block kind pool_blocks = pool_blocks(e, m, c, spread, available)",
        "groups : number = cache_groups(e, m, spread)",
        "line : token kind pool_tokens = pool_tokens(e, m, c, spread, pool)",
        "asked : block = request_blocks(e, m, c, spread, e.max_model_len)",
        "concurrency : number = pool / asked",
    ]
    for i in per_stage:
        lines += [
            f"needed_{i} : byte/device kind pool_demand = checked_bytes(e, m, c, spread, e.max_model_len, {i})",
            f"layers_{i} : layer = group_layers(e, m, spread, {i})",
            f"allocated_{i} : byte/device = pool * block_bytes(e, m, c, spread, {i})",
        ]
    for g, layer in enumerate(case["layers"]):
        if layer["kind"] != "state":
            lines.append(f"page_{g} : byte/block/layer/device = page_bytes(m.groups.g{g}, e, m, c, spread)")
        if "state" in case:
            lines.append(f"tokens_{g} : token/block = layer_block_tokens(m.groups.g{g}, e, m, c, spread)")
    return "\n".join(lines) + "\n"


def _growth(case: Case) -> str:
    """Blocks of the data grow by sixteen until one holds a state, whatever `block_size` is: its README says so."""
    return "; kernel_block = 16 tokens/block" if "state" in case else ""


def _model(case: Case) -> str:
    groups = [_group(case, index) for index in range(len(case["layers"]))]
    return "\n".join(
        [
            "model m {",
            "  hidden_size = 1_024; vocabulary = 1_000; max_context = 10_000_000 tokens; dtype = bf16",
            *groups,
            "}",
        ]
    )


def _group(case: Case, index: int) -> str:
    layer = case["layers"][index]
    fields = [f"layers = {layer['count']} layers", *_stages(case, layer["kind"])]
    if layer["kind"] == "state":
        return _state(case, index, fields)
    q_heads = case["kv_heads"] * case["tensor_parallel"]
    fields.append(f"q_heads = {q_heads} q_heads")
    if case["mla"]:
        fields += [
            f"latent_rank = {case['head_dim'] - 64}",
            "rotary_dim = 64",
            "key_dim = 192",
            "value_dim = 128",
        ]
        return f"  group g{index} : latent {{ {'; '.join(fields)} }}"
    fields += [f"kv_heads = {case['kv_heads']} kv_heads", f"key_dim = {case['head_dim']}"]
    if layer["window"] is not None:
        fields.append(f"window = {layer['window']} tokens")
    sort = "grouped_query" if layer["kind"] == "full" else layer["kind"]
    return f"  group g{index} : {sort} {{ {'; '.join(fields)} }}"


def _state(case: Case, index: int, fields: list[str]) -> str:
    taps, channels = case["state"]["conv"]
    heads, rows, columns = case["state"]["state"]
    fields += [
        f"conv_taps = {taps}",
        f"conv_channels = {channels}",
        f"state_heads = {heads} state_heads",
        f"state_rows = {rows}",
        f"state_columns = {columns}",
        f"conv_dtype = {DTYPES[case['conv_dtype']]}",
        f"state_dtype = {DTYPES[case['state_dtype']]}",
    ]
    return f"  group g{index} : recurrent {{ {'; '.join(fields)} }}"


def _stages(case: Case, kind: str) -> list[str]:
    if case.get("pipeline_parallel", 1) == 1:
        return []
    columns = case["stage_layers"]
    if kind == "full":
        counts = [row[3] - row[0] - row[1] - row[2] for row in columns]
    else:
        counts = [row[STAGE_COLUMNS[kind]] for row in columns]
    return [f"stage_layers = [{', '.join(f'{count} layers' for count in counts)}]"]
