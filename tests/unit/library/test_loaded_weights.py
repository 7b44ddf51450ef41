"""Weights as vLLM loads them, against what its start-up logs print: the checkpoint and the rotary table it makes."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.unit.library.cases import DATA, published
from tests.unit.library.checkpoints import GIB, Published, text_of
from tests.unit.library.imported import numbers

LOGS = DATA / "serving_logs.jsonl"
ROWS = {
    "vllm-083": Published("meta-llama__Meta-Llama-3.1-8B"),
    "vllm-084": Published("Qwen__Qwen3-0.6B"),
    "vllm-085": Published("Qwen__Qwen3-32B"),
    "vllm-018": Published("Qwen__Qwen3-8B-FP8", {"quantization_config": None}),
    "vllm-025": Published("Qwen__Qwen3-30B-A3B-Instruct-2507", {"max_position_embeddings": 40_960}),
    "vllm0-001": Published("meta-llama__Meta-Llama-3.1-8B"),
}
SLACK = 4 / 1_024
"""The allocator hands out memory in blocks of 2 MiB, of which small and large tensors each leave one begun."""


def printed() -> dict[str, str]:
    """What each of the rows prints of its weights, in GiB."""
    if not LOGS.is_file():
        return {}
    found: list[dict[str, Any]] = [json.loads(line) for line in LOGS.read_text(encoding="utf-8").splitlines()]
    return {row["id"]: row["printed"]["weights_gib"] for row in found if row["id"] in ROWS}


@pytest.mark.promise("M8")
@pytest.mark.parametrize("log", published(list(printed().items()), lambda log: log[0]))
def test_loaded_weights_are_inside_the_rounding_of_the_log(log: tuple[str, str]) -> None:
    row, said = log
    text = text_of(ROWS[row])
    assert text is not None
    got = numbers(
        f"{text}\nloaded : byte/device kind weight_bytes = device_weights(m, vllm_0_10_1, whole_on_one)\n"
        "in_files : byte = logical_weights(m)\n"
    )
    half = 0.5 * 10 ** -len(said.partition(".")[2])
    assert got["loaded"] is not None
    assert -half <= float(said) - float(got["loaded"]) / GIB <= half + SLACK
    assert got["in_files"] is not None
    assert got["in_files"] < got["loaded"]
