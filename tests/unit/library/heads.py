"""Heads and sizes that an engine's own tests expect of published models, against what their configs import as."""

from __future__ import annotations

import json
import re
from fractions import Fraction
from typing import Final

from capwright.importers import READERS
from tests.unit.importers.public_models import PUBLIC
from tests.unit.library.imported import numbers, plan_text, table

TABLE: Final = "vllm_head_counts.tsv"
ROWS: Final = table(TABLE)

SAME: Final = {
    # The row's model, and another one at hand with the same config but for what no count depends on.
    "mosaicml/mpt-7b": "mosaicml__mpt-7b",
    "databricks/dbrx-instruct": "databricks/dbrx-base",
    "tiiuae/falcon-7b": "tiiuae__falcon-7b-instruct",
    "Qwen/Qwen3-Next-80B-A3B-Instruct": "Qwen__Qwen3-Next-80B-A3B-Instruct",
    "zai-org/GLM-4.5": "zai-org__GLM-4.5",
    "lmsys/gpt-oss-20b-bf16": "openai/gpt-oss-20b",
    "deepseek-ai/DeepSeek-V3.2-Exp": "deepseek-ai__DeepSeek-V3.2",
    "meta-llama/Llama-4-Scout-17B-16E-Instruct": "meta-llama__Llama-4-Scout-17B-16E-Instruct",
    "nvidia/Llama-3_3-Nemotron-Super-49B-v1": "nvidia__Llama-3_3-Nemotron-Super-49B-v1",
    "nvidia/NVIDIA-Nemotron-3-Nano-30B-A3B-BF16": "nvidia__NVIDIA-Nemotron-3-Nano-30B-A3B-BF16",
    "XiaomiMiMo/MiMo-7B-RL": "XiaomiMiMo__MiMo-7B-Base",
}
NOT_AT_HAND: Final = frozenset({
    "tiiuae/falcon-mamba-7b-instruct", "Zyphra/Zamba2-7B-instruct",
})  # fmt: skip
"""Models whose config is not at hand, nor that of another with the same sizes."""
APART: Final = {
    "meituan-longcat/LongCat-Flash-Chat": (
        "layers",
        "the row counts the 28 layers of the config, each of which has two attentions with caches of their own: 56",
    ),
    "databricks/dbrx-instruct": (
        "experts",
        "the row says 0: its count does not read `ffn_config`, where the 16 stand",
    ),
}
"""A column in which the row is no answer, and why."""


def differences(row: dict[str, str]) -> dict[str, str]:
    """By column: what the row says and what the import does, where the two are not one."""
    text = _text(row["model"])
    wanted = {
        name: int(row[name])
        for name in ("hidden", "vocab", "layers", "attn_heads", "head_size", "kv_heads", "experts")
    }
    found = _found(text, latent=row["mla"] == "yes")
    return {
        name: f"{value} there, {sorted(found[name]) or 0} here"
        for name, value in wanted.items()
        if found[name] != ({value} if value else set())
    }


def _text(model: str) -> str:
    at = SAME.get(model, model)
    if at not in PUBLIC:
        text, refusals = plan_text(at)
        assert text is not None, refusals
        return text
    reader = READERS["config"]
    assert reader.to_plan_text is not None
    text, found = reader.to_plan_text(json.dumps(PUBLIC[at]["config"]).encode(), "config.json", "m")
    assert text is not None, found
    return text


def _found(text: str, *, latent: bool) -> dict[str, set[int]]:
    """By column: every number that a layer group of the model has there."""
    values = numbers(text)
    of_groups: dict[str, dict[str, int]] = {}
    for address, value in values.items():
        parts = address.split(".")
        if parts[:2] == ["m", "groups"] and len(parts) == 4 and value is not None:
            of_groups.setdefault(parts[2], {})[parts[3]] = int(value)
    attending = [group for group in of_groups.values() if "q_heads" in group]
    # What an engine calls the head of a latent is what a token keeps: the latent and the rotary key; it has no KV heads
    # of its own, and is counted by its query heads.
    widths = {g["latent_rank"] + g["rotary_dim"] if latent else g["key_dim"] for g in attending}
    return {
        "hidden": {_whole(values["m.hidden_size"])},
        "vocab": {_whole(values["m.vocabulary"])},
        "layers": {sum(group["layers"] for group in of_groups.values())},
        "attn_heads": {group["q_heads"] for group in attending},
        "head_size": widths,
        "kv_heads": {group["q_heads" if latent else "kv_heads"] for group in attending},
        "experts": {
            int(found.replace("_", "")) for found in re.findall(r"\brouted_experts : whole = ([\d_]+)", text)
        },
    }


def _whole(value: Fraction | None) -> int:
    assert value is not None
    return int(value)
