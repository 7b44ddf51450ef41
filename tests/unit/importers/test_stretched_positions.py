"""The longest sequence of a model whose positions are stretched is what an engine admits: `_get_and_verify_max_len` of vLLM
at v0.10.1 and v0.22.1."""

from __future__ import annotations

import re
from typing import Any

import pytest

from capwright.compiling import compile_plan
from capwright.importers import import_config
from capwright.loading import load
from tests.unit.importers.test_architectures import arch


def longest(config: dict[str, Any]) -> int:
    """The tokens that the plan text of a config admits."""
    text, found = import_config(config, "config.json", "m")
    assert text is not None, found
    said = re.search(r"max_context = ([\d_]+) tokens", text)
    assert said is not None
    return int(said[1])


def qwen3(**keys: object) -> dict[str, Any]:
    return arch("Qwen3ForCausalLM", "qwen3", 2, max_position_embeddings=40_960, **keys)


YARN = {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 32_768}


@pytest.mark.promise("M8")
@pytest.mark.parametrize(
    ("scaling", "wanted"),
    [
        (YARN, 131_072),
        ({"type": "yarn", "factor": 4, "original_max_position_embeddings": 32_768}, 131_072),
        (
            {"type": "yarn", "rope_type": "yarn", "factor": 2.5, "original_max_position_embeddings": 32_768},
            81_920,
        ),
        ({"rope_type": "yarn", "factor": 1.5, "original_max_position_embeddings": 32_769}, 49_153),
        ({"rope_type": "yarn", "factor": 2}, 81_920),
        ({"rope_type": "yarn", "factor": None, "original_max_position_embeddings": 32_768}, 32_768),
        ({"rope_type": "linear", "factor": 2.0}, 81_920),
        ({"type": "dynamic", "factor": 4.0, "original_max_position_embeddings": 8_192}, 163_840),
        ({"rope_type": "llama3", "factor": 8.0, "original_max_position_embeddings": 8_192}, 40_960),
        ({"rope_type": "longrope", "factor": 8.0, "original_max_position_embeddings": 8_192}, 40_960),
        ({"type": "su", "factor": 8.0}, 40_960),
        ({"type": "mrope", "mrope_section": [2, 3, 3]}, 40_960),
        ({"rope_type": "default"}, 40_960),
        (None, 40_960),
    ],
)
def test_positions_are_stretched_as_their_kind_says(scaling: dict[str, Any] | None, wanted: int) -> None:
    assert longest(qwen3(rope_scaling=scaling)) == wanted
    assert longest(qwen3(rope_parameters=scaling and {"rope_theta": 1e6, **rope(scaling)})) == wanted


def rope(scaling: dict[str, Any]) -> dict[str, Any]:
    """As later files say it: the kind under its new name alone."""
    kind = scaling.get("rope_type", scaling.get("type"))
    return {key: value for key, value in scaling.items() if key != "type"} | {"rope_type": kind}


def test_the_layers_that_attend_to_all_say_how_far() -> None:
    by_layer = {"full_attention": YARN, "sliding_attention": {"rope_type": "default", "rope_theta": 1e4}}
    assert longest(qwen3(rope_parameters=by_layer)) == 131_072


@pytest.mark.parametrize(
    ("name", "kind"), [("Gemma3ForCausalLM", "gemma3_text"), ("Gemma3nForCausalLM", "gemma3n_text")]
)
def test_a_gemma_3_states_its_stretched_length(name: str, kind: str) -> None:
    config = arch(name, kind, 6, head_dim=16, rope_scaling={"rope_type": "linear", "factor": 8.0})
    assert longest(config | {"intermediate_size": 128}) == 512


def test_a_factor_that_leaves_nothing_is_refused() -> None:
    text, found = import_config(qwen3(rope_scaling={**YARN, "factor": 0}), "config.json", "m")
    assert text is None
    assert "CW0623" in [each.code for each in found]


def test_an_engine_admits_the_stretched_length() -> None:
    text, _ = import_config(qwen3(rope_scaling=YARN), "config.json", "m")
    asked = (
        f'{text}\nuse "std/devices/nvidia.plan"\n'
        "workload one { concurrency = 1 request; class all { input = 130_000 tokens; output = 1_000 tokens } }\n"
        "deployment prod { model = m; cache = bf16_paged; device = h100_sxm; workload = one\n"
        "  engine = vllm_0_10_1 { max_model_len = 131_072 tokens } }\n"
    )
    result = compile_plan(load("/nowhere/asked.plan", texts={"asked.plan": asked}))
    assert not result.failed, result.diagnostics
    assert result.document is not None
    values = {each.address: each.nominal for each in result.document.quantities}
    # A table of sines and cosines for each of the positions, 128 wide, of two bytes.
    assert values["prod.weights.tables"] == str(131_072 * 128 * 2 + 2 * (128 - 100) * 64 * 2)


def test_the_keys_that_the_length_follows_from_stand_beside_it() -> None:
    text, _ = import_config(qwen3(rope_scaling=YARN), "config.json", "m")
    assert text is not None
    line = next(line for line in text.splitlines() if "max_context" in line)
    for key in ("factor", "rope_type", "original_max_position_embeddings"):
        assert key in line
