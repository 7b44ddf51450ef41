"""A quantisation that only a name states is told: the weights would be counted two to four times too large."""

from __future__ import annotations

import pytest

from capwright.importers.config import import_config
from capwright.importers.contract import Beside

CONFIG = {
    "architectures": ["LlamaForCausalLM"], "model_type": "llama", "hidden_size": 64, "vocab_size": 100,
    "intermediate_size": 128, "num_hidden_layers": 2, "num_attention_heads": 4, "num_key_value_heads": 2,
    "max_position_embeddings": 512, "torch_dtype": "bfloat16",
}  # fmt: skip
FP8 = {"quant_method": "fp8", "weight_block_size": [32, 32]}


def told(path, beside=None, **keys):
    found = import_config({**CONFIG, **keys}, path, "m", beside=Beside(beside or {}))[1]
    return [one for one in found if one.code == "CW0697"]


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("nvidia__Qwen3-235B-A22B-NVFP4.json", "NVFP4"),
        ("cfg/llama-8b-FP8-dynamic.json", "FP8"),
        ("Qwen2.5-7B-Instruct-AWQ/config.json", "AWQ"),
        ("x.w4a16.json", "w4a16"),
        ("llama_gptq_int4.json", "gptq"),
        ("llama-4bit.json", "4bit"),
        ("llama-4-bit.json", "4-bit"),
    ],
)
def test_a_file_says_so_by_its_name(path, said):
    [one] = told(path)
    assert one.severity == "warning"
    assert f"says {said}, and no file says how" in one.message
    assert "counted as bf16" in one.message


@pytest.mark.parametrize(
    "path",
    [
        "config.json",
        "Llama-3-8B.json",
        "raw4.json",
        "int40.json",
        "gemma-qat-int4-unquantized.json",
        "x-fp8-bf16.json",
    ],
)
def test_a_name_that_promises_nothing_is_let_be(path):
    assert told(path) == []


def test_the_name_in_the_config_counts_too():
    [one] = told("config.json", _name_or_path="org/Model-FP8")
    assert "org/Model-FP8" in one.message
    assert "hf_quant_config.json" in one.help
    [one] = told("config.json", _name_or_path="org/Model-AWQ")
    assert "quantization_config" in one.help


def test_what_a_file_states_needs_no_warning():
    assert told("m-FP8.json", quantization_config=FP8) == []
    modelopt = b'{"producer": {"name": "modelopt"}, "quantization": {"quant_algo": "FP8", "exclude_modules": ["lm_head"]}}'
    assert told("m-FP8.json", {"quantisation": ("hf_quant_config.json", modelopt)}) == []
    assert told("m-FP8.json", torch_dtype="float8_e4m3fn") == []
