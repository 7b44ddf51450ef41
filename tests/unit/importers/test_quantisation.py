"""Quantised checkpoints: how single matrices are stored, which are left out, and what makes no sense."""

from __future__ import annotations

import json
import time
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from capwright.importers import READERS
from capwright.importers.contract import Beside
from capwright.importers.module_names import Names, Unreadable, readable
from tests.unit.library.imported import numbers

CONFIG = {
    "architectures": ["LlamaForCausalLM"], "model_type": "llama", "hidden_size": 1_024, "vocab_size": 1_000,
    "intermediate_size": 4_096, "num_hidden_layers": 10, "num_attention_heads": 16, "num_key_value_heads": 4,
    "max_position_embeddings": 8_192, "torch_dtype": "bfloat16",
}  # fmt: skip
KV = 4 * 64
LINEAR = 2 * 1_024 * 1_024 + 2 * KV * 1_024 + 3 * 1_024 * 4_096
REST = 2 * (2 * 1_000 * 1_024 + 10 * 2 * 1_024 + 1_024)
MATRICES = 7
ROWS = 1_024 + KV + KV + 1_024 + 2 * 4_096 + 1_024
COLUMNS = 6 * 1_024 + 4_096
WEIGHTS = {"num_bits": 4, "type": "int", "strategy": "group", "group_size": 32, "symmetric": True}


def stored(
    quantisation: Any, *, beside: Any = None, more: str = ""
) -> tuple[dict[str, Fraction | None], list[str]]:
    """Quantities of the model so quantised, and the codes of the messages."""
    config = {**CONFIG, "quantization_config": quantisation} if quantisation is not None else CONFIG
    files = {} if beside is None else {"quantisation": ("hf_quant_config.json", json.dumps(beside).encode())}
    reader = READERS["config"]
    assert reader.to_plan_text is not None
    text, found = reader.to_plan_text(json.dumps(config).encode(), "config.json", "m", Beside(files))
    codes = [each.code for each in found]
    return ({} if text is None else numbers(f"{text}\nall : byte = logical_weights(m)\n{more}")), codes


@pytest.mark.parametrize(
    ("quantisation", "each_layer"),
    [
        (None, 2 * LINEAR),
        ({"quant_method": "fp8", "weight_block_size": [128, 128]}, LINEAR + 4 * LINEAR // 128**2),
        ({"quant_method": "fp8", "weight_block_size": [100, 128]}, LINEAR + 4 * 8 * (11 + 3 + 3 + 11 + 2 * 41) + 4 * 32 * 11),
        ({"quant_method": "fp8", "weight_block_size": None}, LINEAR + 4 * MATRICES),
        ({"quant_method": "fp8", "activation_scheme": "static"}, LINEAR + 8 * MATRICES),
        ({"quant_method": "fbgemm_fp8"}, LINEAR + 4 * ROWS),
        ({"quant_method": "awq", "bits": 4, "group_size": 128, "zero_point": True}, LINEAR // 2 + LINEAR // 128 * Fraction(5, 2)),
        ({"quant_method": "awq", "bits": 4, "group_size": 128, "zero_point": False}, LINEAR // 2 + LINEAR // 128 * 2),
        ({"quant_method": "gptq", "bits": 4, "group_size": 128}, LINEAR // 2 + LINEAR // 128 * Fraction(5, 2) + 4 * COLUMNS),
        ({"quant_method": "gptq", "bits": 8, "group_size": -1}, LINEAR + 3 * ROWS + 4 * COLUMNS),
        ({"quant_method": "mxfp4"}, 2 * LINEAR),
        ({"quant_method": "modelopt", "quant_algo": "NVFP4"}, LINEAR // 2 + LINEAR // 16 + 8 * MATRICES),
        ({"quant_method": "modelopt", "quant_algo": "FP8"}, LINEAR + 8 * MATRICES),
        ({"quant_method": "bitsandbytes", "load_in_8bit": True}, LINEAR + 4 * ROWS),
    ],
)  # fmt: skip
def test_bytes_of_a_method(quantisation: Any, each_layer: Fraction) -> None:
    got, codes = stored(quantisation)
    assert not codes
    assert got["all"] == REST + 10 * each_layer
    assert got["m.parameters"] == 10 * LINEAR + REST // 2


@pytest.mark.parametrize(
    ("weights", "form", "each_layer"),
    [
        (WEIGHTS, "pack-quantized", LINEAR // 2 + LINEAR // 16 + 8 * MATRICES),
        ({**WEIGHTS, "symmetric": False}, "pack-quantized", LINEAR // 2 + LINEAR // 16 + LINEAR // 64 + 8 * MATRICES),
        ({"num_bits": 8, "type": "float", "strategy": "channel"}, "float-quantized", LINEAR + 2 * ROWS),
        ({"num_bits": 8, "type": "float", "strategy": "tensor"}, "float-quantized", LINEAR + 2 * MATRICES),
        ({"num_bits": 8, "type": "int", "strategy": "channel"}, "int-quantized", LINEAR + 2 * ROWS),
        ({"num_bits": 4, "type": "float", "group_size": 16}, "nvfp4-pack-quantized", LINEAR // 2 + LINEAR // 16 + 8 * MATRICES),
        ({"num_bits": 4, "type": "float", "group_size": 32}, "mxfp4-pack-quantized", LINEAR // 2 + LINEAR // 32),
    ],
)  # fmt: skip
def test_bytes_of_compressed_tensors(weights: Any, form: str, each_layer: int) -> None:
    quantisation = {
        "quant_method": "compressed-tensors",
        "format": form,
        "ignore": ["lm_head"],
        "config_groups": {"group_0": {"targets": ["Linear"], "weights": weights}},
    }
    got, codes = stored(quantisation)
    assert not codes
    assert got["all"] == REST + 10 * each_layer


MLP = 3 * 1_024 * 4_096


@pytest.mark.parametrize(
    ("key", "method", "names", "out"),
    [
        ("modules_to_not_convert", "fp8", [f"model.layers.{i}.mlp.{p}_proj" for i in (0, 9) for p in ("gate", "up", "down")], 2 * MLP),
        ("modules_to_not_convert", "fp8", ["model.layers.1"], LINEAR),
        ("modules_to_not_convert", "fp8", ["gate", "lm_head"], 0),
        ("modules_to_not_convert", "awq", ["self_attn"], 10 * (LINEAR - MLP)),
        ("ignore", "modelopt", ["model.layers.0*"], LINEAR),
        ("exclude_modules", "modelopt", ["*.self_attn*", "lm_head"], 10 * (LINEAR - MLP)),
        ("ignore", "compressed-tensors", ["re:.*self_attn.*", "re:.*mlp\\.(gate|up)_proj.*"], 10 * (LINEAR - 1_024 * 4_096)),
    ],
)  # fmt: skip
def test_modules_that_are_left_out_stay_in_the_models_dtype(
    key: str, method: str, names: list[str], out: int
) -> None:
    quantisation: dict[str, Any] = {"quant_method": method, "quant_algo": "FP8", key: names}
    if method == "compressed-tensors":
        weights = {"num_bits": 8, "type": "float", "strategy": "tensor"}
        quantisation |= {
            "config_groups": {"g": {"targets": ["Linear"], "weights": weights}},
            "ignore": [*names, "lm_head"],
        }
    more = "scalars : byte = all - scale_weights(m)\n"
    got, codes = stored(quantisation, more=more)
    assert not codes
    width = Fraction(1, 2) if method == "awq" else 1
    assert got["scalars"] == REST + (10 * LINEAR - out) * width + 2 * out


def test_the_file_beside_the_config_counts_where_the_config_says_nothing() -> None:
    beside = {
        "producer": {"name": "modelopt"},
        "quantization": {"quant_algo": "FP8", "exclude_modules": ["lm_head"]},
    }
    got, codes = stored(None, beside=beside)
    assert not codes
    assert got["all"] == REST + 10 * (LINEAR + 8 * MATRICES)


def test_mixed_precision_goes_by_the_layers_that_are_listed() -> None:
    listed = {
        f"model.layers.{i}.mlp.{p}_proj": {"quant_algo": "NVFP4", "group_size": 16}
        for i in range(10)
        for p in ("gate", "up", "down")
    }
    listed |= {
        f"model.layers.{i}.self_attn.{p}_proj": {"quant_algo": "FP8"} for i in range(10) for p in "qkvo"
    }
    got, codes = stored(
        {"quant_method": "modelopt", "quant_algo": "MIXED_PRECISION", "quantized_layers": listed}
    )
    assert not codes
    assert got["all"] == REST + 10 * (MLP // 2 + MLP // 16 + 24 + LINEAR - MLP + 32)


@pytest.mark.parametrize(
    ("code", "quantisation"),
    [
        ("CW0630", {"quant_method": "spqr"}),
        ("CW0630", {}),
        ("CW0630", {"quant_method": "modelopt", "quant_algo": "NVFP5"}),
        ("CW0690", [1]),
        ("CW0690", "fp8"),
        ("CW0690", {"quant_method": "fp8", "weight_block_size": [128]}),
        ("CW0690", {"quant_method": "fp8", "weight_block_size": [0, 128]}),
        ("CW0690", {"quant_method": "fp8", "modules_to_not_convert": "lm_head"}),
        ("CW0690", {"quant_method": "awq", "bits": 4.5}),
        ("CW0690", {"quant_method": "awq", "bits": 64}),
        ("CW0690", {"quant_method": "gptq", "group_size": 0}),
        ("CW0690", {"quant_method": "gptq", "group_size": 10**30}),
        ("CW0690", {"quant_method": "gptq", "dynamic": [1]}),
        ("CW0690", {"quant_method": "compressed-tensors"}),
        ("CW0690", {"quant_method": "compressed-tensors", "config_groups": {"g": 1}}),
        ("CW0690", {"quant_method": "compressed-tensors", "config_groups": {"g": {"weights": {"num_bits": 9, "type": "float"}}}}),
        ("CW0690", {"quant_method": "compressed-tensors", "config_groups": {"g": {"weights": WEIGHTS, "targets": 7}}}),
        ("CW0690", {"quant_method": "modelopt", "quantized_layers": [1]}),
        ("CW0691", {"quant_method": "fp8", "modules_to_not_convert": ["re:(a+)+$"]}),
        ("CW0691", {"quant_method": "fp8", "modules_to_not_convert": ["*a" * 50]}),
    ],
)  # fmt: skip
def test_what_makes_no_sense_is_said(code: str, quantisation: Any) -> None:
    _, codes = stored(quantisation)
    assert codes == [code]


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-10, 300)
    | st.text(max_size=8)
    | st.sampled_from(["fp8", "Linear", "NVFP4", "re:.*"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=8,
)


@settings(max_examples=60, deadline=None)
@given(st.dictionaries(st.sampled_from([
    "quant_method", "quant_algo", "weight_block_size", "modules_to_not_convert", "bits", "group_size", "config_groups", "ignore",
    "dynamic", "quantized_layers", "format", "exclude_modules",
]), JSON), st.sampled_from(["fp8", "awq", "gptq", "compressed-tensors", "modelopt", "mxfp4", "bitsandbytes"]))  # fmt: skip
def test_any_quantisation_is_text_or_a_message(quantisation: dict[str, Any], method: str) -> None:
    reader = READERS["config"]
    assert reader.to_plan_text is not None
    config = {**CONFIG, "quantization_config": {**quantisation, "quant_method": method}}
    text, found = reader.to_plan_text(json.dumps(config).encode(), "config.json", "m", Beside())
    assert (text is None) == any(each.severity == "error" for each in found)


@pytest.mark.parametrize(
    "pattern", ["re:" + "(a|b)" * 200, "re:(a+)+", "re:[", "re:a{1,99999}", "re:(?=x)", "*" * 60, "a" * 301]
)
def test_a_pattern_that_could_run_away_is_not_run(pattern: str) -> None:
    with pytest.raises(Unreadable):
        readable(pattern)


def test_patterns_are_quick_on_long_names() -> None:
    began = time.process_time()
    Names(("re:.*a.*a.*a.*b", "*a*a*a*b")).hold(["a" * 60] * 50)
    assert time.process_time() - began < 5
