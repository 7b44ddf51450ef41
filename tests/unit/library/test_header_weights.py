"""Weights of a model with the headers of its checkpoint's files read, against those that follow from its sizes alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import msgspec.json
import pytest

from capwright.importers import READERS
from capwright.importers.safetensors import read_file
from tests.unit.importers.test_safetensors import holding
from tests.unit.library.imported import numbers

Tensor = tuple[str, str, list[int]]

WIDTH, WORDS, LAYERS = 2_880, 2_048, 2
COMMON: dict[str, Any] = {
    "hidden_size": WIDTH,
    "num_hidden_layers": LAYERS,
    "vocab_size": WORDS,
    "max_position_embeddings": 4_096,
    "torch_dtype": "bfloat16",
}
SHARED: dict[str, Any] = {
    **COMMON,
    "architectures": ["Qwen2MoeForCausalLM"],
    "model_type": "qwen2_moe",
    "num_attention_heads": 16,
    "num_key_value_heads": 16,
    "intermediate_size": 5_760,
    "moe_intermediate_size": 1_440,
    "shared_expert_intermediate_size": 2_560,
    "num_experts": 16,
    "num_experts_per_tok": 4,
}
FOUR_BITS: dict[str, Any] = {
    **COMMON,
    "architectures": ["GptOssForCausalLM"],
    "model_type": "gpt_oss",
    "num_attention_heads": 64,
    "num_key_value_heads": 8,
    "head_dim": 64,
    "intermediate_size": WIDTH,
    "num_local_experts": 32,
    "num_experts_per_tok": 4,
    "sliding_window": 128,
    "quantization_config": {
        "quant_method": "mxfp4",
        "modules_to_not_convert": ["model.layers.*.self_attn", "model.layers.*.mlp.router"],
    },
}
INDEXED: dict[str, Any] = {
    **COMMON,
    "architectures": ["DeepseekV32ForCausalLM"],
    "model_type": "deepseek_v32",
    "num_attention_heads": 16,
    "num_key_value_heads": 16,
    "intermediate_size": 5_760,
    "moe_intermediate_size": 1_440,
    "n_routed_experts": 16,
    "n_shared_experts": 1,
    "num_experts_per_tok": 4,
    "first_k_dense_replace": 0,
    "q_lora_rank": 768,
    "kv_lora_rank": 512,
    "qk_rope_head_dim": 64,
    "qk_nope_head_dim": 128,
    "v_head_dim": 128,
    "index_n_heads": 16,
    "index_head_dim": 128,
    "index_topk": 2_048,
    "num_nextn_predict_layers": 0,
}


def outside() -> Iterator[Tensor]:
    """The tensors outside the layers, and the norms of these."""
    yield from (
        ("model.embed_tokens.weight", "BF16", [WORDS, WIDTH]),
        ("lm_head.weight", "BF16", [WORDS, WIDTH]),
    )
    yield "model.norm.weight", "BF16", [WIDTH]
    for i in range(LAYERS):
        yield f"model.layers.{i}.input_layernorm.weight", "BF16", [WIDTH]
        yield f"model.layers.{i}.post_attention_layernorm.weight", "BF16", [WIDTH]


def gated(at: str, width: int) -> Iterator[Tensor]:
    """The three matrices of a feed-forward layer."""
    yield f"{at}.gate_proj.weight", "BF16", [width, WIDTH]
    yield f"{at}.up_proj.weight", "BF16", [width, WIDTH]
    yield f"{at}.down_proj.weight", "BF16", [WIDTH, width]


def with_shared() -> Iterator[Tensor]:
    """Qwen2-MoE: biases, experts one by one, a shared expert with a gate."""
    yield from outside()
    for i in range(LAYERS):
        at = f"model.layers.{i}"
        for each in "qkvo":
            yield f"{at}.self_attn.{each}_proj.weight", "BF16", [WIDTH, WIDTH]
        for each in "qkv":
            yield f"{at}.self_attn.{each}_proj.bias", "BF16", [WIDTH]
        yield f"{at}.mlp.gate.weight", "BF16", [16, WIDTH]
        for e in range(16):
            yield from gated(f"{at}.mlp.experts.{e}", 1_440)
        yield from gated(f"{at}.mlp.shared_expert", 2_560)
        yield f"{at}.mlp.shared_expert_gate.weight", "BF16", [1, WIDTH]


def with_four_bits() -> Iterator[Tensor]:
    """gpt-oss: experts behind one another, in blocks of 32 numbers of four bits with a scale each."""
    yield from outside()
    for i in range(LAYERS):
        at, experts = f"model.layers.{i}", f"model.layers.{i}.mlp.experts"
        for each, width in (("q", 4_096), ("k", 512), ("v", 512)):
            yield f"{at}.self_attn.{each}_proj.weight", "BF16", [width, WIDTH]
            yield f"{at}.self_attn.{each}_proj.bias", "BF16", [width]
        yield f"{at}.self_attn.o_proj.weight", "BF16", [WIDTH, 4_096]
        yield f"{at}.self_attn.o_proj.bias", "BF16", [WIDTH]
        yield f"{at}.self_attn.sinks", "BF16", [64]
        yield f"{at}.mlp.router.weight", "BF16", [32, WIDTH]
        yield f"{at}.mlp.router.bias", "BF16", [32]
        for name, width in (("gate_up_proj", 2 * WIDTH), ("down_proj", WIDTH)):
            yield f"{experts}.{name}_blocks", "U8", [32, width, WIDTH // 32, 16]
            yield f"{experts}.{name}_scales", "U8", [32, width, WIDTH // 32]
            yield f"{experts}.{name}_bias", "BF16", [32, width]


def with_indexer() -> Iterator[Tensor]:
    """DeepSeek-V3.2: latent attention with an indexer, which every device has whole."""
    yield from outside()
    for i in range(LAYERS):
        at, attends = f"model.layers.{i}", f"model.layers.{i}.self_attn"
        yield f"{attends}.q_a_proj.weight", "BF16", [768, WIDTH]
        yield f"{attends}.q_a_layernorm.weight", "BF16", [768]
        yield f"{attends}.q_b_proj.weight", "BF16", [16 * 192, 768]
        yield f"{attends}.kv_a_proj_with_mqa.weight", "BF16", [512 + 64, WIDTH]
        yield f"{attends}.kv_a_layernorm.weight", "BF16", [512]
        yield f"{attends}.kv_b_proj.weight", "BF16", [16 * 256, 512]
        yield f"{attends}.o_proj.weight", "BF16", [WIDTH, 16 * 128]
        yield f"{attends}.indexer.wq_b.weight", "BF16", [16 * 128, 768]
        yield f"{attends}.indexer.wk.weight", "BF16", [128, WIDTH]
        yield f"{attends}.indexer.k_norm.weight", "BF16", [128]
        yield f"{attends}.indexer.k_norm.bias", "BF16", [128]
        yield f"{attends}.indexer.weights_proj.weight", "BF16", [16, WIDTH]
        yield f"{at}.mlp.gate.weight", "BF16", [16, WIDTH]
        yield f"{at}.mlp.gate.e_score_correction_bias", "F32", [16]
        for e in range(16):
            yield from gated(f"{at}.mlp.experts.{e}", 1_440)
        yield from gated(f"{at}.mlp.shared_experts", 1_440)


def of_32_bits(tensors: Callable[[], Iterator[Tensor]]) -> Callable[[], Iterator[Tensor]]:
    """The same tensors in 32 bits, which an engine casts to 16."""
    return lambda: ((name, "F32", shape) for name, _, shape in tensors())


CASES = {
    "shared": (SHARED, with_shared),
    "cast": ({**SHARED, "torch_dtype": "float32"}, of_32_bits(with_shared)),
    "four_bits": (FOUR_BITS, with_four_bits),
    "indexed": (INDEXED, with_indexer),
}
SHARDINGS = {
    "alone": "",
    "cut": "tensor = 8 devices",
    "spread": "tensor = 8 devices; expert_parallel = true",
    "parts": "tensor = 2 devices; data = 4; expert_parallel = true",
    "staged": "tensor = 2 devices; stages = 2 stages",
}
STEP = {
    "touched": "touched_weights({name}, {engine}, {sharding})",
    "met": "met_in_all({name}, {engine}, {sharding})",
}
ENGINES = {"first": "vllm_0_10_1", "ampere": "vllm_0_10_1", "later": "vllm_0_22_1", "wide": "vllm_0_22_1"}


@pytest.mark.promise("M8")
@pytest.mark.parametrize("case", CASES)
def test_a_device_holds_the_same_with_headers_and_without(case: str) -> None:
    config, tensors = CASES[case]
    got = numbers(plan(config, list(tensors())))
    assert got["files.bytes"] == got["whole"]
    for engine in ENGINES:
        for sharding in SHARDINGS:
            asked = f"{engine}_{sharding}"
            assert got[f"read_{asked}"] == got[f"unread_{asked}"], asked


@pytest.mark.promise("M8")
@pytest.mark.parametrize("case", CASES)
def test_a_step_reads_the_same_with_headers_and_without(case: str) -> None:
    """Of experts that are spread whole, too: what is beside them goes with them."""
    config, tensors = CASES[case]
    got = numbers(plan(config, list(tensors())))
    for engine in ENGINES:
        for sharding in SHARDINGS:
            asked = f"{engine}_{sharding}"
            assert got[f"touched_read_{asked}"] == got[f"touched_unread_{asked}"], asked
            assert got[f"met_read_{asked}"] == got[f"met_unread_{asked}"], asked


def plan(config: dict[str, Any], tensors: list[Tensor]) -> str:
    """A plan that asks for the weights of a device of both, for every engine and sharding."""
    reader = READERS["config"]
    assert reader.to_plan_text is not None
    model, _ = reader.to_plan_text(msgspec.json.encode(config), "config.json", "m")
    files, _ = read_file(holding(*tensors), "model.safetensors", "files")
    assert model is not None
    assert files is not None
    own = {"wide": "; expert_kernel = flashinfer", "ampere": "; host = nvidia.a100_sxm_80gb"}
    lines = [f"{model}\n{files.replace('use std', '')}", "model read from m { checkpoint = files }"]
    lines += [f"sharding {name} {{ {said} }}" for name, said in SHARDINGS.items()]
    lines += [
        f"engine {name} : {profile} {{ max_model_len = 4_096 tokens{own.get(name, '')} }}"
        for name, profile in ENGINES.items()
    ]
    lines += [
        f"{state}_{engine}_{sharding} : byte/device kind weight_bytes = device_weights({name}, {engine}, {sharding})"
        for state, name in (("read", "read"), ("unread", "m"))
        for engine in ENGINES
        for sharding in SHARDINGS
    ]
    lines += [
        f"{what}_{state}_{engine}_{sharding} : byte/device = {formula.format(name=name, engine=engine, sharding=sharding)}"
        for what, formula in STEP.items()
        for state, name in (("read", "read"), ("unread", "m"))
        for engine in ENGINES
        for sharding in SHARDINGS
    ]
    return "\n".join([*lines, "whole : byte = logical_weights(m)"])
