"""Every published config of the data: counted to the parameter, or refused with what to declare."""

from __future__ import annotations

import json
from functools import cache

import pytest

from capwright.compiling import compile_plan
from capwright.importers import READERS, import_config
from capwright.loading import load
from tests.unit.library.cases import published
from tests.unit.library.imported import CONFIGS, table

REFUSED = {"moonshotai__Kimi-K3": "CW0634"}
"""Custom code whose sizes no key gives: it was not built by the library that counted the others either."""
SIZES = {
    # Billions of parameters, to so many digits. deepseek-ai/deepseek-moe-16b-base: "16.4B parameters";
    # microsoft/Phi-3-small-8k-instruct: "7.39B params"; nvidia/Llama-3_3-Nemotron-Super-49B-v1: "49.9B params".
    "deepseek-ai__deepseek-moe-16b": (16.4, 1),
    "microsoft__Phi-3-small-8k-instruct": (7.39, 2),
    "nvidia__Llama-3_3-Nemotron-Super-49B-v1": (49.9, 1),
    # The text model is Qwen2-7B (7,615,616,512 parameters) with 128 more rows of 3,584 in its input embedding.
    "allenai__Molmo-7B-D-0924": (7.616_075_264, 9),
}
"""Published sizes of models that the library which counted the others does not build."""
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


def test_experts_of_which_a_token_takes_none_are_refused():
    """Of every published config that has experts: a count by which less is computed than by any model is no count."""
    keys = ("num_experts_per_tok", "num_experts_per_token", "moe_topk", "moe_top_k", "moe_k", "top_k_experts")
    seen = 0
    for path in sorted(CONFIGS.glob("*.json")):
        config = json.loads(path.read_bytes())
        text, _ = import_config(config, path.name, "m")
        inner = [config, *(each for each in config.values() if isinstance(each, dict))]
        given = [(each, key) for each in inner for key in keys if each.get(key)]
        if text is None or "part = expert;" not in text or not given:
            continue
        for each, key in given:
            each[key] = 0 if type(each[key]) is int else [0] * len(each[key])
        text, found = import_config(config, path.name, "m")
        assert text is None, path.name
        assert [one.code for one in found if one.severity == "error"], path.name
        seen += 1
    assert seen > 30


def test_a_mistake_that_several_fields_read_is_told_once():
    """Of every published config: whether the head is tied is asked of the file, and in some of its decoder's object too."""
    seen = 0
    for path in sorted(CONFIGS.glob("*.json")):
        config = {**json.loads(path.read_bytes()), "tie_word_embeddings": "x"}
        _, found = import_config(config, path.name, "m")
        told = [(one.code, one.span, one.message) for one in found]
        assert len(set(told)) == len(told), path.name
        seen += ("CW0622", "/tie_word_embeddings") in [
            (code, message.split()[0]) for code, _, message in told
        ]
    assert seen > 30


def sort_of(row: dict[str, str]) -> str:
    if row["status"] != "ok":
        return "not built"
    return "counts defaults" if row["config"] in DEFAULTS_COUNTED else "ok"


def rows(sort: str) -> list[pytest.ParameterSet]:
    found = [row for row in table("param_counts.tsv") if sort_of(row) == sort]
    return published(found, lambda row: row["config"])


@pytest.mark.promise("E6")
@pytest.mark.parametrize("row", rows("ok"))
def test_parameters_are_those_of_the_model_that_is_built(row):
    found = counts(row["config"])
    assert found["text_parameters"] == int(row["total_params"]) - int(row["vision_audio_params"] or 0)
    assert found["parameters"] == int(row["multimodal_total"] or row["total_params"])
    if row["active_params(all_nonrouted+topk)"]:
        assert found["active_parameters"] == int(row["active_params(all_nonrouted+topk)"])


@pytest.mark.promise("E6")
@pytest.mark.parametrize("row", rows("counts defaults"))
def test_a_count_of_the_defaults_of_a_class_is_off_by_what_the_keys_say(row):
    apart = DEFAULTS_COUNTED[row["config"]]
    wanted = int(row["total_params"]) - int(row["vision_audio_params"] or 0) + apart
    assert counts(row["config"])["text_parameters"] == wanted


@pytest.mark.promise("E6")
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
        size, digits = SIZES[row["config"]]
        assert round(counts(row["config"])["text_parameters"] / 10**9, digits) == size


@pytest.mark.promise("E6")
@pytest.mark.parametrize("path", published(sorted(CONFIGS.glob("*.json")), lambda path: path.stem))
def test_every_config_is_text_or_a_message(path):
    text, found = READERS["config"].to_plan_text(path.read_bytes(), path.name, "m")
    errors = [each for each in found if each.severity == "error"]
    assert (text is None) == bool(errors)
    assert all(each.help for each in found)
