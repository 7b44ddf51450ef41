"""Quantised checkpoints: how single matrices are stored, which are left out, and what makes no sense."""

from __future__ import annotations

import json
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from capwright.importers import READERS, quantisation, quantisation_checks
from capwright.importers.contract import Beside
from capwright.importers.module_names import Names, Tries, Unreadable, Way, alike, full_names, readable
from tests.support.pace import within
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


@pytest.mark.promise("M8")
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
        ({"quant_method": "awq", "w_bit": 4, "q_group_size": 64}, LINEAR // 2 + LINEAR // 64 * Fraction(5, 2)),
        ({"quant_method": "awq_marlin", "bits": 4, "group_size": 128}, LINEAR // 2 + LINEAR // 128 * Fraction(5, 2)),
        ({"quant_method": "gptq_marlin", "bits": 8, "group_size": -1}, LINEAR + 3 * ROWS + 4 * COLUMNS),
        ({"quant_method": "gptq", "bits": 8, "group_size": -1}, LINEAR + 3 * ROWS + 4 * COLUMNS),
        ({"quant_method": "compressed-tensors", "kv_cache_scheme": {"num_bits": 8, "type": "float"}}, 2 * LINEAR),
        ({"quant_method": "modelopt", "quant_algo": "NVFP4"}, LINEAR // 2 + LINEAR // 16 + 8 * MATRICES),
        ({"quant_method": "modelopt", "quant_algo": "FP8"}, LINEAR + 8 * MATRICES),
        ({"quant_method": "bitsandbytes", "load_in_8bit": True}, LINEAR + 4 * ROWS),
        ({"quant_method": "bitsandbytes", "load_in_4bit": True}, LINEAR // 2 + 4 * LINEAR // 64),
        ({"quant_method": "bitsandbytes", "load_in_4bit": True, "bnb_4bit_use_double_quant": True}, LINEAR // 2 + LINEAR // 64 + 4 * LINEAR // 64 // 256),
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
        (WEIGHTS, "pack-quantized", LINEAR // 2 + LINEAR // 16 + 16 * MATRICES),
        ({**WEIGHTS, "symmetric": False}, "pack-quantized", LINEAR // 2 + LINEAR // 16 + LINEAR // 64 + 16 * MATRICES),
        ({**WEIGHTS, "actorder": "group"}, "pack-quantized", LINEAR // 2 + LINEAR // 16 + 16 * MATRICES + 4 * COLUMNS),
        ({**WEIGHTS, "actorder": "weight"}, "pack-quantized", LINEAR // 2 + LINEAR // 16 + 16 * MATRICES),
        ({"num_bits": 8, "type": "float", "strategy": "channel"}, "float-quantized", LINEAR + 2 * ROWS),
        ({"num_bits": 8, "type": "float", "strategy": "tensor"}, "float-quantized", LINEAR + 2 * MATRICES),
        ({"num_bits": 8, "type": "int", "strategy": "channel"}, "int-quantized", LINEAR + 2 * ROWS),
        ({"num_bits": 4, "type": "float", "group_size": 16}, "nvfp4-pack-quantized", LINEAR // 2 + LINEAR // 16 + 8 * MATRICES),
        ({"num_bits": 4, "type": "float", "group_size": 32}, "mxfp4-pack-quantized", LINEAR // 2 + LINEAR // 32),
        ({"num_bits": 8, "type": "float", "group_size": 32}, "mxfp8-quantized", LINEAR + LINEAR // 32),
        ({**WEIGHTS, "group_size": 128}, "marlin-24", LINEAR // 4 + LINEAR // 8 + 2 * LINEAR // 128),
    ],
)  # fmt: skip
def test_bytes_of_compressed_tensors(weights: Any, form: str, each_layer: int) -> None:
    """What its library writes: `weight_shape` is two int64, `weight_g_idx` an int32 a column."""
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
        ("modules_to_not_convert", "fp8", ["model.layers.1.self_attn.qkv_proj"], LINEAR - MLP - 1_024 * 1_024),
        ("exclude_modules", "modelopt", ["*.mlp.gate_up_proj", "lm_head"], 10 * 2 * 1_024 * 4_096),
        ("modules_to_not_convert", "awq", ["self_attn"], 10 * (LINEAR - MLP)),
        ("ignore", "modelopt", ["model.layers.0*"], LINEAR),
        ("exclude_modules", "modelopt", ["*.self_attn*", "lm_head"], 10 * (LINEAR - MLP)),
        ("ignore", "compressed-tensors", [r"re:.*layers\.[0-3]\.mlp.*"], 4 * MLP),
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


@pytest.mark.promise("E6")
@pytest.mark.parametrize(
    ("code", "quantisation"),
    [
        ("CW0630", {"quant_method": "spqr"}),
        ("CW0630", {}),
        ("CW0630", {"quant_method": "compressed-tensors", "config_groups": {"g": {"weights": WEIGHTS, "targets": ["Linear", "Embedding"]}}}),
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
        ("CW0690", {"quant_method": "modelopt", "quant_algo": "MIXED_PRECISION"}),
        ("CW0690", {"quant_method": "modelopt"}),
        ("CW0690", {"quant_method": "gptq", "dynamic": {".*down": 8}}),
        ("CW0690", {"quant_method": "compressed-tensors", "sparsity_config": "2:4"}),
        ("CW0690", {"quant_method": "compressed-tensors", "format": "marlin-24", "config_groups": {"g": {"weights": {**WEIGHTS, "num_bits": 3}}}}),
        ("CW0691", {"quant_method": "fp8", "modules_to_not_convert": ["re:(a+)+$"]}),
        ("CW0691", {"quant_method": "fp8", "modules_to_not_convert": ["*a" * 50]}),
    ],
)  # fmt: skip
def test_what_makes_no_sense_is_said(code: str, quantisation: Any) -> None:
    _, codes = stored(quantisation)
    assert codes == [code]


@pytest.mark.parametrize(
    "quantisation",
    [
        {"quant_method": "mxfp4"},
        {"quant_method": "fp8", "modules_to_not_convert": ["model.layers.10.mlp.up_proj"]},
        {"quant_method": "fp8", "modules_to_not_convert": ["model.layers.1.mlp.upproj"]},
        {"quant_method": "modelopt", "quant_algo": "FP8", "exclude_modules": ["model.layers.1?.mlp*"]},
        {"quant_method": "gptq", "dynamic": {"+:.*qkv_proj": {"bits": 8}}},
        {"quant_method": "compressed-tensors", "config_groups": {"g": {"targets": ["re:.*fc1"], "weights": WEIGHTS}}},
        {"quant_method": "compressed-tensors", "config_groups": {"g": {"targets": ["LlamaMLP"], "weights": WEIGHTS}}},
        {"quant_method": "bitsandbytes", "llm_int8_skip_modules": ["model.layers.01"]},
        {"quant_method": "modelopt", "quant_algo": "MIXED_PRECISION", "quantized_layers": {"model.layers.0.mlp.fc": {"quant_algo": "FP8"}}},
    ],
)  # fmt: skip
def test_what_means_no_module_is_said(quantisation: Any) -> None:
    _, codes = stored(quantisation)
    assert codes
    assert set(codes) == {"CW0692"}


@pytest.mark.parametrize(
    ("listed", "out"),
    [
        (["gate", "up"], 0),
        (["gate_proj"], 1_024 * 4_096 * 10),
        (["model.layers.1"], LINEAR),
        (["model.layers.1.mlp"], MLP),
        (["mlp"], 10 * MLP),
        (["model.layers.1.mlp.up_proj"], 1_024 * 4_096),
    ],
)
def test_what_bitsandbytes_skips(listed: list[str], out: int) -> None:
    """transformers `replace_with_bnb_linear`: a dot follows the entry, or it is the whole name or its last part."""
    got, _ = stored(
        {"quant_method": "bitsandbytes", "load_in_8bit": True, "llm_int8_skip_modules": listed},
        more="scalars : byte = all - scale_weights(m)\n",
    )
    assert got["scalars"] == REST + 10 * LINEAR + out


@pytest.mark.parametrize(
    ("pattern", "out"),
    [
        ("model.layers.?.self_attn*", 10 * (LINEAR - MLP)),
        ("model.layers.[0-2].mlp*", 3 * MLP),
        ("model.layers.[!0-2].mlp*", 7 * MLP),
        ("*.down_proj", 10 * 1_024 * 4_096),
    ],
)
def test_what_modelopt_excludes(pattern: str, out: int) -> None:
    got, codes = stored(
        {"quant_method": "modelopt", "quant_algo": "FP8", "exclude_modules": [pattern]},
        more="scalars : byte = all - scale_weights(m)\n",
    )
    assert not codes
    assert got["scalars"] == REST + 10 * LINEAR + out


@pytest.mark.parametrize(
    ("dynamic", "wider"),
    [
        ({".*down.*": {"bits": 8}}, 10),
        ({"+:.*down.*": {"bits": 8}}, 10),
        ({"-:.*\\.0\\..*": {}, ".*down.*": {"bits": 8}}, 9),
        ({".*down.*": {"bits": 8}, "+:.*\\.0\\..*": {"bits": 4}}, 10),
    ],
)
def test_the_first_pattern_of_gptq_holds(dynamic: Any, wider: int) -> None:
    """GPTQModel: a pattern without a sign is one with `+:`."""
    got, codes = stored(
        {"quant_method": "gptq", "dynamic": dynamic}, more="scalars : byte = all - scale_weights(m)\n"
    )
    assert not codes
    plain = LINEAR * 3 // 2 if "-:.*\\.0\\..*" in dynamic else 0
    assert got["scalars"] == REST + 10 * LINEAR // 2 + wider * 1_024 * 4_096 // 2 + plain


def test_groups_of_compressed_tensors_go_by_how_narrowly_they_name() -> None:
    """compressed-tensors `find_name_or_class_matches`: names, then expressions, then classes."""
    fp8 = {"num_bits": 8, "type": "float", "strategy": "tensor"}
    groups = {
        "group_0": {"targets": ["Linear"], "weights": fp8},
        "group_1": {"targets": ["re:.*mlp.down_proj"], "weights": WEIGHTS, "format": "pack-quantized"},
        "group_2": {"targets": ["model.layers.0.mlp.down_proj"], "weights": fp8},
    }
    got, codes = stored(
        {"quant_method": "compressed-tensors", "config_groups": groups, "ignore": ["lm_head"]},
        more="scalars : byte = all - scale_weights(m) + 9 * 8 byte\n",
    )
    assert not codes
    assert got["scalars"] == REST + 10 * LINEAR - 9 * 1_024 * 4_096 // 2 + 9 * 8


@pytest.mark.parametrize(
    ("quantised", "each_layer"),
    [
        (True, LINEAR * 5 // 8 + 2 * ROWS + 16 * MATRICES),
        (False, LINEAR * 9 // 8 + 16 * MATRICES),
    ],
)
def test_of_two_in_four_half_is_stored(quantised: bool, each_layer: int) -> None:
    """compressed-tensors `Sparse24BitMaskCompressor`: half the numbers, a bit for each, and the sides as int64."""
    weights = {"num_bits": 8, "type": "float", "strategy": "channel"}
    got, codes = stored(
        {
            "quant_method": "compressed-tensors",
            "format": "float-quantized",
            "ignore": ["lm_head"],
            "config_groups": {"g": {"targets": ["Linear"], "weights": weights}} if quantised else {},
            "sparsity_config": {"format": "sparse-24-bitmask", "targets": ["Linear"], "ignore": ["lm_head"]},
        }
    )
    assert not codes
    assert got["all"] == REST + 10 * each_layer
    assert got["m.parameters"] == 10 * LINEAR + REST // 2


def test_a_sparsity_of_no_known_size_is_said() -> None:
    quantisation = {"quant_method": "compressed-tensors", "sparsity_config": {"format": "sparse-bitmask"}}
    assert stored(quantisation)[1] == ["CW0630"]


# ── experts ──────────────────────────────────────────────────────────────────────────────────────
EXPERTS = {
    "architectures": ["Qwen3MoeForCausalLM"], "model_type": "qwen3_moe", "hidden_size": 256, "vocab_size": 1_000,
    "intermediate_size": 512, "moe_intermediate_size": 128, "num_hidden_layers": 3, "num_attention_heads": 4,
    "num_key_value_heads": 2, "head_dim": 64, "num_experts": 12, "num_experts_per_tok": 4, "max_position_embeddings": 8_192,
    "torch_dtype": "bfloat16",
}  # fmt: skip
EXPERT = 256 * 128


def of_experts(exclude: list[str]) -> tuple[Fraction | None, Fraction | None, list[str]]:
    """Bytes of the experts' numbers, active parameters, and the codes of the messages."""
    config = {
        **EXPERTS,
        "quantization_config": {
            "quant_method": "modelopt",
            "quant_algo": "FP8",
            "exclude_modules": ["lm_head", *exclude],
        },
    }
    reader = READERS["config"]
    assert reader.to_plan_text is not None
    text, found = reader.to_plan_text(json.dumps(config).encode(), "config.json", "m", Beside())
    asked = "sum(scalar_bytes(t) * t.copies * t.experts for t in m.tensors where t.part == expert)"
    got = numbers(f"{text}\nof_experts : byte = {asked}\n")
    return got["of_experts"], got["m.active_parameters"], [each.code for each in found]


@pytest.mark.parametrize(
    ("exclude", "wide"),
    [
        ([], 0),
        ([f"model.layers.{i}.mlp.experts.0.*" for i in range(3)], 9),
        ([f"model.layers.{i}.mlp.experts.{e}.{p}_proj" for i in range(3) for e in range(1, 12) for p in ("gate", "up", "down")], 99),
        ([f"model.layers.1.mlp.experts.{e}" for e in range(12)], 36),
        (["model.layers.*.mlp.experts.*.down_proj"], 36),
        (["model.layers.*.mlp.experts.*.up_proj"], 36),
        (["model.layers.2.mlp.experts.1?.*"], 6),
        (["model.layers.2.mlp.experts.11.gate_proj"], 1),
    ],
)  # fmt: skip
def test_experts_that_are_listed_are_those_that_are_left_out(exclude: list[str], wide: int) -> None:
    got, active, codes = of_experts(exclude)
    assert got == (3 * 3 * 12 + wide) * EXPERT
    assert codes == ["CW0694"] * (wide % 36 != 0)
    assert active == of_experts([])[1]


def test_an_expert_that_there_is_not_is_said() -> None:
    assert of_experts(["model.layers.1.mlp.experts.12.up_proj"])[2] == ["CW0692"]


@given(
    st.lists(st.text("17.*", min_size=1, max_size=4), min_size=1, max_size=3),
    st.sampled_from(["module", "exact", "substring", "inside"]),
)
def test_experts_that_no_pattern_tells_apart_are_alike(parts: list[str], way: Way) -> None:
    names = Names((*parts, *(f"mlp.experts.{part}" for part in parts)), way)
    try:
        digits = names.digits()
    except Unreadable:
        return

    def held(number: int) -> bool:
        return names.hold([f"mlp.experts.{number}.up_proj", f"mlp.experts.{number}"], Tries())

    groups = alike(digits, 128)
    assert sum(many for _, many in groups) == 128
    assert sum(many for first, many in groups if held(first)) == sum(map(held, range(128)))


@pytest.mark.parametrize("named", ["7", "7.lm_head", "model7", "mlp.experts.7.up_proj"])
def test_a_number_in_a_pattern_does_not_have_every_expert_asked(
    named: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever the number is one of: as often as there are numbers, and not as there are experts, names are made."""
    asked = 0
    plain = full_names

    def counting(*arguments: Any) -> Iterator[str]:
        nonlocal asked
        asked += 1
        return plain(*arguments)

    monkeypatch.setattr(quantisation, "full_names", counting)
    monkeypatch.setattr(quantisation_checks, "full_names", counting)
    config = {
        **EXPERTS,
        "num_experts": 512,
        "quantization_config": {"quant_method": "fp8", "modules_to_not_convert": [named, "lm_head"]},
    }
    READERS["config"].to_plan_text(json.dumps(config).encode(), "config.json", "m", Beside())  # type: ignore[misc]
    assert 0 < asked < 512


def test_experts_beyond_number_are_not_asked_one_by_one() -> None:
    config = {
        **EXPERTS,
        "num_experts": 10**9,
        "quantization_config": {"quant_method": "fp8", "modules_to_not_convert": ["mlp.experts.7.up_proj"]},
    }
    _, found = READERS["config"].to_plan_text(json.dumps(config).encode(), "config.json", "m", Beside())  # type: ignore[misc]
    assert [each.code for each in found] == ["CW0690"]


STEP = {
    "architectures": ["Step3p5ForCausalLM"], "model_type": "step3p5", "hidden_size": 1_024, "vocab_size": 1_000,
    "intermediate_size": 2_048, "num_hidden_layers": 4, "num_attention_heads": 8, "num_attention_groups": 4, "head_dim": 128,
    "moe_num_experts": 4, "moe_top_k": 2, "moe_intermediate_size": 512, "share_expert_dim": 512, "first_k_dense_replace": 1,
    "num_nextn_predict_layers": 1, "max_position_embeddings": 8_192, "torch_dtype": "bfloat16",
}  # fmt: skip
STEP_LIST = [
    *(f"model.layers.{i}.self_attn.{each}" for i in range(4) for each in ("qkv_proj", "q_proj", "k_proj", "v_proj", "o_proj", "g_proj")),
    *(f"model.layers.0.mlp.{each}" for each in ("gate_up_proj", "gate_proj", "up_proj", "down_proj")),
    *(f"model.layers.{i}.{each}" for i in range(1, 4) for each in ("moe.gate", "share_expert.gate_up_proj", "share_expert.gate_proj", "share_expert.up_proj", "share_expert.down_proj")),
    *(f"model.layers.4.mtp_block.{each}" for each in ("self_attn.g_proj", "self_attn.qkv_proj", "self_attn.o_proj", "mlp.gate_up_proj", "mlp.down_proj")),
]  # fmt: skip
"""As stepfun-ai/Step-3.5-Flash-FP8 lists them: vllm-project/vllm#40000, NVIDIA/TensorRT-LLM#14759."""


@pytest.mark.parametrize(
    ("left_out", "narrow", "codes"),
    [
        (STEP_LIST, {"experts_gate_up", "experts_down"}, []),
        (None, {"experts_gate_up", "experts_down"}, ["CW0699"]),
        ([each for each in STEP_LIST if "share_expert" not in each], {"experts_gate_up", "experts_down", "shared_gate_up", "shared_down"}, []),
        ([each for each in STEP_LIST if "mtp_block" not in each and "g_proj" not in each],
         {"experts_gate_up", "experts_down", "head_gate", "draft_query", "draft_keys", "draft_values", "draft_attention_output",
          "draft_head_gate", "draft_gate_up", "draft_down"}, []),
        (["moe", "self_attn", "share_expert"], None, None),
    ],
)  # fmt: skip
def test_modules_of_a_step_are_left_out_by_the_names_of_its_checkpoints(
    left_out: list[str] | None, narrow: set[str] | None, codes: list[str] | None
) -> None:
    """Its routed experts alone are narrow, and so a tensor-parallel device may get part of its shared expert and head gates."""
    quantisation: dict[str, Any] = {"quant_method": "fp8", "weight_block_size": [128, 128]}
    if left_out is not None:
        quantisation["modules_to_not_convert"] = left_out
    text, found = READERS["config"].to_plan_text(  # type: ignore[misc]
        json.dumps({**STEP, "quantization_config": quantisation}).encode(), "config.json", "m", Beside()
    )
    assert text is not None
    lines = [line.split() for line in text.splitlines() if "dtype = fp8" in line]
    if narrow is None:
        assert {each.code for each in found} == {"CW0692"}
        return
    assert {words[1] for words in lines} == narrow
    assert [each.code for each in found] == codes


# ── the cache that is asked for ──────────────────────────────────────────────────────────────────
FLOATS = {"type": "float", "num_bits": 8, "dynamic": False}
SCHEMES = {"config_groups": {"g": {"targets": ["Linear"], "weights": {**FLOATS, "strategy": "tensor"}}}}


@pytest.mark.parametrize(
    ("quantisation", "dtype"),
    [
        ({"quant_method": "modelopt", "quant_algo": "FP8", "kv_cache_scheme": FLOATS}, "fp8_e4m3"),
        ({"quant_method": "modelopt", "quant_algo": "NVFP4", "kv_cache_quant_algo": "fp8"}, "fp8_e4m3"),
        ({"quant_method": "modelopt_fp4", "quant_algo": "NVFP4", "kv_cache_quant_algo": "NVFP4"}, "fp4_e2m1"),
        ({"quant_method": "modelopt", "quant_algo": "FP8", "kv_cache_scheme": {**FLOATS, "num_bits": 4}}, "fp4_e2m1"),
        ({"quant_method": "compressed-tensors", **SCHEMES, "kv_cache_scheme": {**FLOATS, "strategy": "tensor"}}, "fp8_e4m3"),
        ({"quant_method": "compressed-tensors", **SCHEMES, "kv_cache_scheme": None}, None),
        ({"quant_method": "modelopt", "quant_algo": "FP8", "kv_cache_quant_algo": None}, None),
        ({"quant_method": "fp8", "kv_cache_scheme": FLOATS}, None),
    ],
)  # fmt: skip
def test_the_cache_that_a_checkpoint_asks_for_is_the_models(quantisation: Any, dtype: str | None) -> None:
    got, codes = stored(quantisation, more="kept : byte = m.cache_dtype.bytes")
    assert got["kept"] == {"fp8_e4m3": 1, "fp4_e2m1": Fraction(1, 2), None: 2}[dtype]
    assert not codes


@pytest.mark.parametrize(
    "asked",
    ["INT8", {**FLOATS, "type": "int"}, {**FLOATS, "num_bits": "8"}, {**FLOATS, "num_bits": 16}, {**FLOATS, "dynamic": True}, [8], 8],
)  # fmt: skip
def test_a_cache_that_is_not_known_is_said(asked: Any) -> None:
    quantisation = {"quant_method": "modelopt", "quant_algo": "FP8", "kv_cache_scheme": asked}
    got, codes = stored(quantisation, more="kept : byte = m.cache_dtype.bytes")
    assert (got["kept"], codes) == (2, ["CW0698"])


def test_the_file_beside_a_config_asks_for_a_cache_where_the_config_states_nothing() -> None:
    """Engines read the one or the other, never both."""
    beside = {"quantization": {"quant_algo": "FP8", "kv_cache_quant_algo": "FP8"}}
    more = "kept : byte = m.cache_dtype.bytes"
    assert stored(None, beside=beside, more=more)[0]["kept"] == 1
    inner = {"quant_method": "modelopt", "quant_algo": "FP8"}
    assert stored(inner, beside=beside, more=more)[0]["kept"] == 2


# ── two statements, many patterns ────────────────────────────────────────────────────────────────
def test_two_statements_must_agree() -> None:
    fp8 = {"quant_method": "modelopt", "quant_algo": "FP8", "exclude_modules": ["lm_head"]}
    inner = {key: value for key, value in fp8.items() if key != "quant_method"}
    assert stored(fp8, beside={"quantization": inner})[1] == []
    got, codes = stored(fp8, beside={"quantization": {**inner, "quant_algo": "NVFP4"}})
    assert codes == ["CW0693"]
    assert got["all"] == stored(fp8)[0]["all"]


@pytest.mark.parametrize(
    "beside", [{"ignore": {"a": 1}}, {}, [], 7, {"quant_algo": "NVFP4", "group_size": "x"}]
)
def test_a_second_statement_that_makes_no_sense_is_said_and_not_compared(beside: Any) -> None:
    got, codes = stored({"quant_method": "fp8"}, beside={"quantization": beside})
    assert (got, codes) == ({}, ["CW0690"])


def test_two_keys_must_agree() -> None:
    config = {
        **CONFIG,
        "quantization_config": {"quant_method": "fp8"},
        "compression_config": {"quant_method": "fbgemm_fp8"},
    }
    _, found = READERS["config"].to_plan_text(json.dumps(config).encode(), "config.json", "m", Beside())  # type: ignore[misc]
    assert [each.code for each in found] == ["CW0693"]


@pytest.mark.parametrize(
    "patterns",
    [
        [f"re:.*x{i}.*y.*z.*" for i in range(20_000)],
        [f"*a{i}*b*c*" for i in range(20_000)],
        [f"re:.*a.*a.*a.*b{i}" for i in range(1_900)],
        [f"a{i}*" for i in range(20_000)],
        [f"a{i}.b" for i in range(50_000)],
    ],
)
@pytest.mark.parametrize("way", ["compressed-tensors", "awq"])
def test_many_patterns_are_read_or_refused_soon(patterns: list[str], way: str) -> None:
    weights = {"num_bits": 8, "type": "float", "strategy": "tensor"}
    quantisation = {
        "quant_method": way,
        "ignore": [*patterns, "lm_head"],
        "modules_to_not_convert": patterns,
        "config_groups": {"g": {"targets": ["Linear"], "weights": weights}},
    }
    with within(4):
        _, codes = stored(quantisation)
    assert set(codes) <= {"CW0690", "CW0692"}
    assert codes


SIZES = {
    "hidden_size": 64, "vocab_size": 1_000, "intermediate_size": 128, "num_hidden_layers": 2, "num_attention_heads": 4,
    "num_key_value_heads": 4, "head_dim": 16, "max_position_embeddings": 512, "n_embd": 64, "n_layer": 2, "n_head": 4,
    "d_model": 64, "n_layers": 2, "n_heads": 4, "max_seq_len": 512, "ffn_dim": 128, "num_layers": 2, "kv_channels": 16,
    "padded_vocab_size": 1_000, "seq_length": 512, "ffn_hidden_size": 128, "moe_num_experts": 4, "num_local_experts": 4,
    "num_experts_per_tok": 2, "torch_dtype": "bfloat16",
}  # fmt: skip


@pytest.mark.parametrize(
    ("architecture", "kind", "names"),
    [
        ("Phi3ForCausalLM", "phi3", ["self_attn.qkv_proj", "self_attn.o_proj", "mlp.gate_up_proj", "mlp.down_proj"]),
        ("GlmForCausalLM", "glm", ["self_attn", "mlp.gate_up_proj", "mlp.down_proj"]),
        ("Glm4ForCausalLM", "glm4", ["self_attn", "mlp.gate_up_proj", "mlp.down_proj"]),
        ("GPTNeoXForCausalLM", "gpt_neox", ["gpt_neox.layers.0.attention.query_key_value", "query_key_value", "attention.dense", "dense_h_to_4h", "dense_4h_to_h"]),
        ("DbrxForCausalLM", "dbrx", ["transformer.blocks.1.norm_attn_norm.attn.Wqkv", "Wqkv", "out_proj", "ffn.experts"]),
        ("FalconForCausalLM", "falcon", ["query_key_value", "self_attention.dense", "dense_h_to_4h", "dense_4h_to_h"]),
        ("BloomForCausalLM", "bloom", ["query_key_value", "self_attention.dense", "dense_h_to_4h", "dense_4h_to_h"]),
        ("MPTForCausalLM", "mpt", ["transformer.blocks.0.attn", "Wqkv", "out_proj", "ffn"]),
        ("GPT2LMHeadModel", "gpt2", ["attn.c_attn", "attn.c_proj", "mlp.c_fc", "mlp.c_proj"]),
        ("GPTBigCodeForCausalLM", "gpt_bigcode", ["attn.c_attn", "attn.c_proj", "mlp.c_fc", "mlp.c_proj"]),
        ("GPTJForCausalLM", "gptj", ["q_proj", "k_proj", "v_proj", "out_proj", "fc_in", "fc_out"]),
        ("QWenLMHeadModel", "qwen", ["c_attn", "c_proj", "w1", "w2"]),
        ("BaichuanForCausalLM", "baichuan", ["W_pack", "o_proj", "mlp"]),
        ("InternLM2ForCausalLM", "internlm2", ["wqkv", "wo", "feed_forward.w1", "w2", "w3"]),
        ("ChatGLMModel", "chatglm", ["transformer.encoder.layers.1.mlp", "query_key_value", "dense", "dense_h_to_4h", "dense_4h_to_h"]),
        ("PhiForCausalLM", "phi", ["q_proj", "k_proj", "v_proj", "dense", "fc1", "fc2"]),
        ("OPTForCausalLM", "opt", ["model.decoder.layers.0.fc1", "q_proj", "k_proj", "v_proj", "out_proj", "fc1", "fc2"]),
        ("Starcoder2ForCausalLM", "starcoder2", ["self_attn", "c_fc", "c_proj"]),
        ("PhiMoEForCausalLM", "phimoe", ["self_attn", "block_sparse_moe.experts"]),
        ("GraniteMoeForCausalLM", "granitemoe", ["self_attn", "input_linear", "output_linear"]),
    ],
)  # fmt: skip
def test_modules_go_by_the_names_that_the_checkpoint_has(
    architecture: str, kind: str, names: list[str]
) -> None:
    config = {**SIZES, "architectures": [architecture], "model_type": kind}
    config["quantization_config"] = {"quant_method": "awq", "modules_to_not_convert": names}
    text, found = READERS["config"].to_plan_text(json.dumps(config).encode(), "config.json", "m", Beside())  # type: ignore[misc]
    assert text is not None
    assert "int4" not in text
    assert [each.message for each in found if each.code == "CW0692" and "no module" in each.message] == []


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
    "pattern",
    [
        "re:" + "(a|b)" * 200,
        "re:(a+)+",
        "re:[",
        "re:a{1,99999}",
        "re:(?=x)",
        "re:[z-a]",
        "[z-a]*",
        "re:[ab]+",
        "*" * 60,
        "a" * 301,
    ],
)
def test_a_pattern_that_could_run_away_is_not_run(pattern: str) -> None:
    with pytest.raises(Unreadable):
        readable(pattern)


def test_patterns_are_quick_on_long_names() -> None:
    with within(2.5):
        Names(("re:.*a.*a.*a.*b", "*a*a*a*b")).hold(["a" * 60] * 50, Tries())


def test_messages_stand_in_the_file_that_they_are_of() -> None:
    beside = {"quantization": {"quant_algo": "NVFP4", "exclude_modules": ["lm_head", "re:(a+)+"]}}
    files = {"quantisation": ("hf_quant_config.json", json.dumps(beside).encode())}
    _, found = READERS["config"].to_plan_text(json.dumps(CONFIG).encode(), "config.json", "m", Beside(files))  # type: ignore[misc]
    assert [(each.code, each.span.file) for each in found] == [("CW0691", "hf_quant_config.json")]
    assert json.dumps(beside)[found[0].span.start : found[0].span.end] == '"re:(a+)+"'


LATENT = {
    "architectures": ["DeepseekV3ForCausalLM"], "model_type": "deepseek_v3", "hidden_size": 1_024, "vocab_size": 1_024,
    "intermediate_size": 2_048, "moe_intermediate_size": 512, "num_hidden_layers": 4, "num_attention_heads": 8,
    "q_lora_rank": 256, "kv_lora_rank": 256, "qk_nope_head_dim": 64, "qk_rope_head_dim": 32, "v_head_dim": 64,
    "n_routed_experts": 8, "num_experts_per_tok": 2, "n_shared_experts": 1, "first_k_dense_replace": 1,
    "max_position_embeddings": 4_096, "torch_dtype": "bfloat16",
}  # fmt: skip
ABSORBED = 2 * 8 * (64 + 64) * 256
"""Bytes of one layer's `kv_b_proj` in 16 bits."""
FP8 = {"quant_method": "fp8", "weight_block_size": [128, 128]}
AWQ = {"quant_method": "awq", "bits": 4, "group_size": 128, "zero_point": True}


@pytest.mark.promise("M8")
@pytest.mark.parametrize(
    ("quantisation", "layers"),
    [
        (None, 0),
        (FP8, 4),
        (AWQ, 4),
        (FP8 | {"modules_to_not_convert": ["kv_b_proj"]}, 0),
        (FP8 | {"modules_to_not_convert": ["model.layers.0", "model.layers.3.self_attn.kv_b_proj"]}, 2),
        (AWQ | {"modules_to_not_convert": ["self_attn"]}, 0),
    ],
)
def test_only_what_is_quantised_of_a_latent_has_copies(quantisation, layers):
    config = LATENT | ({"quantization_config": quantisation} if quantisation else {})
    reader = READERS["config"]
    assert reader.to_plan_text is not None
    text, _ = reader.to_plan_text(json.dumps(config).encode(), "config.json", "m", Beside())
    got = numbers(
        f"{text}\ncopied : byte/device = added_copies(m, vllm_0_22_1, whole_on_one, 0)\n"
        "halved : byte/device = added_copies(m, vllm_0_22_1, whole_on_one { tensor = 2 devices }, 0)\n"
    )
    assert got["copied"] == layers * ABSORBED
    assert got["halved"] == layers * ABSORBED // 2
