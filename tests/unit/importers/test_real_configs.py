"""Every published config of the data: counted to the parameter, or refused with what to declare."""

from __future__ import annotations

import csv
from functools import cache
from pathlib import Path

import pytest

from capwright.compiling import compile_plan
from capwright.importers import READERS
from capwright.loading import load

DATA = Path(__file__).resolve().parents[4] / "shared" / "data"
CONFIGS = DATA / "hf_configs"

REFUSED = {"moonshotai__Kimi-K3": "CW0634"}
"""Custom code whose sizes no key gives: it was not built by the library that counted the others either."""
DEFAULTS_COUNTED = {
    # The row's class reads none of the file's own keys, so it counts its defaults. Read by the keys, the vocabulary has
    # 81 entries more.
    "stepfun-ai__Step-3.7-Flash-FP8": 2 * 81 * 4_096,
    # The row's class makes every layer routed and gives none an indexer, where the keys say three dense layers and 57 indexers.
    "MiniMaxAI__MiniMax-M3": (
        3 * (3 * 6_144 * 12_288 - 128 * 3 * 6_144 * 3_072 - 3 * 6_144 * 3_072 - 128 * 6_144)
        + 57 * (5 * 128 * 6_144 + 2 * 128)
    ),
}
"""Rows that are no count of the file: how far a count by the file's own keys lies from them."""


@cache
def counts(name: str) -> dict[str, int]:
    """The counts that the compiled text of a config gives."""
    text, found = READERS["config"].to_plan_text((CONFIGS / f"{name}.json").read_bytes(), f"{name}.json", "m")
    assert text is not None, found
    compiled = compile_plan(load("/nowhere/asked.plan", texts={"asked.plan": text}))
    assert not compiled.failed, compiled.diagnostics
    return {
        each.address.removeprefix("m."): int(each.nominal)
        for each in compiled.document.quantities
        if each.address in {"m.parameters", "m.text_parameters", "m.active_parameters"}
    }


def rows(status: str) -> list[pytest.ParameterSet]:
    table = DATA / "param_counts.tsv"
    if not table.is_file():
        return []
    with table.open(encoding="utf-8", newline="") as file:
        return [
            pytest.param(row, id=row["config"])
            for row in csv.DictReader(file, delimiter="\t")
            if (row["status"] == "ok") == (status == "ok")
        ]


@pytest.mark.parametrize("row", rows("ok"))
def test_parameters_are_those_of_the_model_that_is_built(row):
    name, found = row["config"], counts(row["config"])
    tower, apart = int(row["vision_audio_params"] or 0), DEFAULTS_COUNTED.get(row["config"], 0)
    assert found["text_parameters"] == int(row["total_params"]) - tower + apart
    if name not in DEFAULTS_COUNTED:
        assert found["parameters"] == int(row["multimodal_total"] or row["total_params"])
    if row["active_params(all_nonrouted+topk)"] and not apart:
        assert found["active_parameters"] == int(row["active_params(all_nonrouted+topk)"])


@pytest.mark.parametrize("row", rows("not built"))
def test_what_no_library_builds_is_refused_or_known_by_its_blocks(row):
    text, found = READERS["config"].to_plan_text(
        (CONFIGS / f"{row['config']}.json").read_bytes(), "config.json", "m"
    )
    codes = [each.code for each in found if each.severity == "error"]
    if row["config"] in REFUSED:
        assert (text, codes) == (None, [REFUSED[row["config"]]])
        assert "declare" in found[0].help
    else:
        assert not codes


@pytest.mark.parametrize(
    ("config", "published"),
    [
        # deepseek-ai/deepseek-moe-16b-base: "16.4B parameters"; nvidia/Llama-3_3-Nemotron-Super-49B-v1: "49B".
        ("deepseek-ai__deepseek-moe-16b", 16.4),
        ("nvidia__Llama-3_3-Nemotron-Super-49B-v1", 49.9),
        # microsoft/Phi-3-small-8k-instruct: "7.39B params".
        ("microsoft__Phi-3-small-8k-instruct", 7.4),
    ],
)
def test_models_that_are_described_here_alone_have_their_published_size(config, published):
    if not CONFIGS.is_dir():
        pytest.skip("the shared data is not at hand")
    assert round(counts(config)["parameters"] / 10**9, 1) == published


@pytest.mark.skipif(not DATA.is_dir(), reason="the shared data is not at hand")
def test_every_config_is_text_or_a_message():
    for path in sorted(CONFIGS.glob("*.json")):
        text, found = READERS["config"].to_plan_text(path.read_bytes(), path.name, "m")
        errors = [each for each in found if each.severity == "error"]
        assert (text is None) == bool(errors), path.name
        assert all(each.help for each in found), path.name


HEADS = {
    # model of vllm_head_counts.tsv: its config here, and what of the row is one number for all attending layers.
    "Qwen/Qwen3-Next-80B-A3B-Instruct": "Qwen__Qwen3-Next-80B-A3B-Instruct",
    "zai-org/GLM-4.5": "zai-org__GLM-4.5",
    "deepseek-ai/DeepSeek-V3.2-Exp": "deepseek-ai__DeepSeek-V3.2",
    "meta-llama/Llama-4-Scout-17B-16E-Instruct": "meta-llama__Llama-4-Scout-17B-16E-Instruct",
    "nvidia/Llama-3_3-Nemotron-Super-49B-v1": "nvidia__Llama-3_3-Nemotron-Super-49B-v1",
    "nvidia/NVIDIA-Nemotron-3-Nano-30B-A3B-BF16": "nvidia__NVIDIA-Nemotron-3-Nano-30B-A3B-BF16",
    "mosaicml/mpt-7b": "mosaicml__mpt-7b",
    "tiiuae/falcon-7b": "tiiuae__falcon-7b-instruct",
}


@pytest.mark.parametrize("model", HEADS if (DATA / "vllm_head_counts.tsv").is_file() else [])
def test_heads_are_those_that_an_engine_expects(model):
    lines = (DATA / "vllm_head_counts.tsv").read_text(encoding="utf-8").splitlines()[1:]
    row = next(each for each in csv.DictReader(lines, delimiter="\t") if each["model"] == model)
    name = HEADS[model]
    text, _ = READERS["config"].to_plan_text((CONFIGS / f"{name}.json").read_bytes(), f"{name}.json", "m")
    said = numbers(text)
    assert said["hidden_size"] == [int(row["hidden"])]
    assert said["vocabulary"] == [int(row["vocab"])]
    assert sum(said["layers"]) == int(row["layers"])
    assert max(said["q_heads"]) == int(row["attn_heads"])
    if row["mla"] == "yes":
        # The engine's head is what one token keeps: the latent and the rotary key.
        assert max(said["latent_rank"]) + max(said["rotary_dim"]) == int(row["head_size"])
    else:
        assert max(said["key_dim"]) == int(row["head_size"])
        assert max(said["kv_heads"]) == int(row["kv_heads"])


def numbers(text: str) -> dict[str, list[int]]:
    """The whole numbers that a plan text states, by the field's name."""
    found: dict[str, list[int]] = {}
    for line in text.splitlines():
        name, equals, rest = line.strip().partition(" = ")
        word = rest.split(" ")[0].replace("_", "")
        if equals and word.isdigit():
            found.setdefault(name.split(" ")[0], []).append(int(word))
    return found
