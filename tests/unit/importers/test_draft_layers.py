"""Layers that only draft tokens: what a quantisation says of them, by the names that checkpoints give them."""

from __future__ import annotations

import json
from fractions import Fraction
from typing import Any

import pytest

from capwright.importers import READERS
from tests.unit.library.imported import numbers

HIDDEN, INNER, EXPERTS = 512, 256, 8
QWEN3_NEXT = {
    "architectures": ["Qwen3NextForCausalLM"], "model_type": "qwen3_next", "hidden_size": HIDDEN, "num_hidden_layers": 4,
    "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 128, "intermediate_size": 1_024, "vocab_size": 1_024,
    "moe_intermediate_size": INNER, "shared_expert_intermediate_size": INNER, "num_experts": EXPERTS, "num_experts_per_tok": 2,
    "linear_num_key_heads": 2, "linear_num_value_heads": 4, "linear_key_head_dim": 128, "linear_value_head_dim": 128,
    "linear_conv_kernel_dim": 4, "full_attention_interval": 4, "max_position_embeddings": 4_096, "torch_dtype": "bfloat16",
    "rms_norm_eps": 1e-6, "tie_word_embeddings": False,
}  # fmt: skip
DEEPSEEK_V32 = {
    "architectures": ["GlmMoeDsaForCausalLM"], "model_type": "glm_moe_dsa", "hidden_size": HIDDEN, "num_hidden_layers": 4,
    "first_k_dense_replace": 1, "num_attention_heads": 4, "num_key_value_heads": 4, "q_lora_rank": 256, "kv_lora_rank": 128,
    "qk_nope_head_dim": 128, "qk_rope_head_dim": 64, "v_head_dim": 128, "intermediate_size": 1_024, "vocab_size": 1_024,
    "moe_intermediate_size": INNER, "n_routed_experts": EXPERTS, "n_shared_experts": 1, "num_experts_per_tok": 2,
    "index_n_heads": 4, "index_head_dim": 128, "index_topk": 256, "max_position_embeddings": 4_096, "torch_dtype": "bfloat16",
    "num_nextn_predict_layers": 1, "rms_norm_eps": 1e-5, "tie_word_embeddings": False,
}  # fmt: skip
FP8 = {"quant_method": "fp8", "activation_scheme": "dynamic", "weight_block_size": [128, 128]}


def imported(config: dict[str, Any], left_out: list[str], **more: Any) -> tuple[str, list[str]]:
    """Plan text of a config of which these modules are not quantised, and the codes of the messages."""
    quantisation = {**FP8, "modules_to_not_convert": left_out}
    reader = READERS["config"]
    assert reader.to_plan_text is not None
    data = json.dumps({**config, **more, "quantization_config": quantisation}).encode()
    text, found = reader.to_plan_text(data, "config.json", "m")
    assert text is not None, [each.message for each in found]
    return text, [each.code for each in found]


def drafts(text: str) -> dict[str, str]:
    """The lines of the tensors that only draft layers have, by name."""
    lines = [line.split() for line in text.splitlines() if line.split()[:1] == ["tensor"]]
    return {words[1]: " ".join(words[2:]) for words in lines if words[1].startswith("draft_")}


def stored_bytes(text: str) -> Fraction:
    got = numbers(f"{text}\nall : byte = logical_weights(m)\n")["all"]
    assert got is not None
    return got


LEFT_OUT = ["lm_head", "mtp.fc", "mtp.layers.0.mlp.gate", "mtp.layers.0.mlp.shared_expert_gate"]


def test_what_is_not_left_out_is_quantised() -> None:
    """As the published eight-bit checkpoints of Qwen3-Next and Qwen3.5 name their draft's modules."""
    found = drafts(imported(QWEN3_NEXT, LEFT_OUT)[0])
    eight_bit = {name for name, line in found.items() if "dtype = fp8_e4m3" in line}
    assert eight_bit == {
        "draft_query", "draft_keys", "draft_values", "draft_attention_output",
        "draft_experts_gate_up", "draft_experts_down", "draft_shared_gate_up", "draft_shared_down",
    }  # fmt: skip


@pytest.mark.parametrize("names", [["mtp*"], ["mtp.layers.0*"], ["model.layers.4"], ["re:.*mtp.*"]])
def test_what_is_left_out_as_a_whole_is_not(names: list[str]) -> None:
    assert not [line for line in drafts(imported(QWEN3_NEXT, names)[0]).values() if "fp8" in line]


def test_one_matrix_is_left_out_by_its_own_name() -> None:
    text, codes = imported(QWEN3_NEXT, [*LEFT_OUT, "mtp.layers.0.self_attn.o_proj"])
    whole, _ = imported(QWEN3_NEXT, LEFT_OUT)
    assert not codes
    numbers_of_it = HIDDEN * 4 * 128
    assert stored_bytes(text) - stored_bytes(whole) == numbers_of_it - numbers_of_it // 128**2 * 4


def test_drafts_that_are_stored_in_different_ways_are_told_apart() -> None:
    text, _ = imported(QWEN3_NEXT, [*LEFT_OUT, "mtp.layers.1*"], num_nextn_predict_layers=3)
    found = drafts(text)
    assert "dtype = fp8_e4m3" in found["draft_experts_down"]
    assert "copies = 2" in found["draft_experts_down"]
    assert "dtype = bf16" in found["draft_experts_down_2"]
    assert "copies" not in found["draft_experts_down_2"]
    assert "copies = 3" in found["draft_router"]


def test_a_draft_without_names_of_its_own_is_the_layer_after_the_last() -> None:
    quantised = drafts(imported(DEEPSEEK_V32, ["lm_head"])[0])
    assert "dtype = fp8_e4m3" in quantised["draft_experts_down"]
    left_out = drafts(imported(DEEPSEEK_V32, ["lm_head", "model.layers.4.mlp.experts"])[0])
    assert "dtype = bf16" in left_out["draft_experts_down"]
    assert "dtype = fp8_e4m3" in left_out["draft_shared_down"]


def test_the_indexers_weights_are_known_by_the_name_in_published_lists() -> None:
    """zai-org/GLM-5-FP8 lists `indexers_proj`; its files call the matrix `indexer.weights_proj` (ROCm/ATOM #451)."""
    names = [
        f"model.layers.{i}.self_attn.{name}"
        for i in range(5)
        for name in ("indexers_proj", "indexer.k_norm", "indexer.k_norm.bias")
    ]
    text, codes = imported(DEEPSEEK_V32, ["lm_head", *names])
    assert not codes
    assert stored_bytes(text) == stored_bytes(imported(DEEPSEEK_V32, ["lm_head"])[0])


def test_more_drafts_than_a_model_has_layers_are_refused() -> None:
    reader = READERS["config"]
    assert reader.to_plan_text is not None
    data = json.dumps({**QWEN3_NEXT, "num_nextn_predict_layers": 10**9}).encode()
    text, found = reader.to_plan_text(data, "config.json", "m")
    assert text is None
    assert {each.code for each in found} == {"CW0623"}
