"""Published checkpoints by name: the config at hand that describes each, what differs in it, and what the files hold
besides."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache
from typing import Any, Final

from capwright.importers import READERS
from tests.unit.importers.public_models import PUBLIC
from tests.unit.library.imported import CONFIGS, numbers, table

GIB: Final = 1 << 30
ROUNDING: Final = 0.005
HEADERS: Final = 1e-4
"""Of a checkpoint's bytes, at most this part are the headers of its files, which name every tensor."""
ENTRIES: Final = (200, 280)
"""Bytes in which a tensor is named where there are very many: in the header of its file, and in the index, whose name holds
`.safetensors` too, which is what the published sums go by (kaito `presets/workspace/generator/generator.go`)."""
AWQ: Final = {"quant_method": "awq", "bits": 4, "group_size": 128, "zero_point": True}
FP8_BLOCKS: Final = {"quant_method": "fp8", "weight_block_size": [128, 128]}
GPTQ_EXPERTS: Final = {
    "quant_method": "gptq",
    "bits": 4,
    "group_size": 128,
    "dynamic": {f"-:.*{name}.*": {} for name in ("attn", "shared_expert", "mtp", "visual")},
}
"""Of Qwen3.5's four-bit checkpoints: the routed experts of the model proper alone."""
FP8_TENSOR: Final = {
    "quant_method": "fp8",
    "activation_scheme": "static",
    "modules_to_not_convert": ["lm_head"],
}
PHI3: Final = {"architectures": ["Phi3ForCausalLM"], "model_type": "phi3"}
"""The decoder of Phi-3.5-vision is that of the 3.8B models."""


def _ministral(width: int, inner: int, layers: int) -> dict[str, Any]:
    """The larger siblings of Ministral 3 3B: sizes of the decoder, and a head of its own."""
    sizes = {"hidden_size": width, "intermediate_size": inner, "num_hidden_layers": layers}
    tied = {"tie_word_embeddings": False}
    return {"quantization_config": FP8_TENSOR, "text_config": {**sizes, **tied}, **tied}


MINISTRAL_8B: Final = _ministral(4_096, 14_336, 34)
MINISTRAL_14B: Final = _ministral(5_120, 16_384, 40)


def _qwen3_5(
    width: int, inner: int, layers: int, q_heads: int, *, tied: bool, tower: int = 0
) -> dict[str, Any]:
    """The smaller siblings of Qwen3.5-27B, as the tables of public loaders have them; `tower` is the width of a smaller one."""
    sizes = {
        "hidden_size": width,
        "intermediate_size": inner,
        "num_hidden_layers": layers,
        "num_attention_heads": q_heads,
    }
    heads = {"num_key_value_heads": q_heads // 4, "linear_num_value_heads": 2 * q_heads}
    smaller = {"depth": 24, "hidden_size": tower, "intermediate_size": 4 * tower} if tower else {}
    return {
        "text_config": {**sizes, **heads, "layer_types": None, "tie_word_embeddings": tied},
        "vision_config": {**smaller, "out_hidden_size": width},
        "tie_word_embeddings": tied,
    }


GEMMA_4_26B: Final = {
    "quantization_config": None,
    "text_config": {
        "hidden_size": 2_816, "intermediate_size": 2_112, "num_hidden_layers": 30, "num_attention_heads": 16,
        "num_key_value_heads": 8, "num_global_key_value_heads": 2, "enable_moe_block": True, "num_experts": 128,
        "top_k_experts": 8, "moe_intermediate_size": 704, "layer_types": (["sliding_attention"] * 5 + ["full_attention"]) * 5,
    },
}  # fmt: skip
"""The decoder with experts among the siblings of Gemma 4 31B (THUDM/slime `scripts/models/gemma4-26B-A4B.sh`)."""
GEMMA_4_E4B: Final = {
    "text_config": {
        "hidden_size": 2_560, "intermediate_size": 10_240, "num_hidden_layers": 42, "num_key_value_heads": 2,
        "num_kv_shared_layers": 18, "use_double_wide_mlp": False,
        "layer_types": (["sliding_attention"] * 5 + ["full_attention"]) * 7,
    }
}  # fmt: skip
"""The larger sibling of Gemma 4 E2B (public loaders: 42 layers, the last 18 of which use another's cache)."""
NEMOTRON_4B: Final = {
    "hidden_size": 3_136, "intermediate_size": 12_544, "num_hidden_layers": 42, "mamba_num_heads": 96,
    "hybrid_override_pattern": "M-M-M-MM-M-M*-M-M*-M-M-M*-M-M-MM*-MMM-M-M-", "max_position_embeddings": 262_144,
}  # fmt: skip
"""The smaller sibling of Nemotron Nano 9B (mlc-ai/mlc-llm `nemotron_h`, and other public loaders)."""


@dataclass(frozen=True)
class Published:
    """One checkpoint. `config` is one of the data, or the name of a public model. `changes` are keys of it that differ,
    and `quantised_as` another config whose quantisation it has; `besides` are bytes that the importer does not count,
    with `why`; `times` is by how much the published size is wrong; `tensors` is how many the files name, where that counts."""

    config: str
    changes: Mapping[str, Any] = field(default_factory=dict)
    quantised_as: str = ""
    tensors: int = 0
    besides: int = 0
    times: int = 1
    why: str = ""


KNOWN: Final = {
    "microsoft/phi-4": Published("microsoft__phi-4"),
    "microsoft/Phi-4-mini-instruct": Published("microsoft__Phi-4-mini-instruct"),
    "deepseek-ai/DeepSeek-R1-Distill-Llama-8B": Published("meta-llama__Meta-Llama-3.1-8B"),
    "deepseek-ai/DeepSeek-R1-Distill-Qwen-14B": Published("Qwen__Qwen2.5-14B"),
    "Qwen/Qwen2.5-Coder-7B-Instruct": Published("Qwen__Qwen2-7B-Instruct"),
    "Qwen/Qwen2.5-Coder-32B-Instruct": Published("Qwen__Qwen2.5-32B"),
    "microsoft/Phi-3-mini-4k-instruct": Published("microsoft__Phi-3.5-vision-instruct", PHI3),
    "microsoft/Phi-3-mini-128k-instruct": Published("microsoft__Phi-3.5-vision-instruct", PHI3),
    "microsoft/Phi-3.5-mini-instruct": Published("microsoft__Phi-3.5-vision-instruct", PHI3),
    "microsoft/Phi-3-medium-4k-instruct": Published("microsoft__phi-4", {"vocab_size": 32_064}),
    "microsoft/Phi-3-medium-128k-instruct": Published("microsoft__phi-4", {"vocab_size": 32_064}),
    "openai/gpt-oss-20b": Published(
        "openai__gpt-oss-120b",
        {"num_hidden_layers": 24, "num_local_experts": 32, "layer_types": None},
        times=2,
        why="the published figure is exactly twice the real size",
    ),
    "google/gemma-3-4b-it": Published("google/gemma-3-4b-it"),
    "nvidia/NVIDIA-Nemotron-Nano-9B-v2": Published("nvidia/NVIDIA-Nemotron-Nano-9B-v2"),
    "mistralai/Ministral-3-8B-Instruct-2512": Published("mistralai__Ministral-3-3B-Instruct-2512", MINISTRAL_8B),
    "mistralai/Ministral-3-14B-Instruct-2512": Published("mistralai__Ministral-3-3B-Instruct-2512", MINISTRAL_14B),
    "openai/gpt-oss-120b": Published("openai__gpt-oss-120b", times=2, why="the published figure is exactly twice the real size"),
    "meta-llama/Llama-3.1-8B-Instruct": Published("meta-llama__Meta-Llama-3.1-8B"),
    "meta-llama/Llama-3.3-70B-Instruct": Published("meta-llama__Meta-Llama-3.1-70B"),
    "mistralai/Mistral-7B-v0.3": Published("mistralai__Mistral-7B-Instruct-v0.2", {"vocab_size": 32_768}),
    "mistralai/Mistral-7B-Instruct-v0.3": Published("mistralai__Mistral-7B-Instruct-v0.2", {"vocab_size": 32_768}),
    "mistralai/Ministral-3-3B-Instruct-2512": Published("mistralai__Ministral-3-3B-Instruct-2512", {"quantization_config": FP8_TENSOR}),
    "google/gemma-3-27b-it": Published("google__gemma-3-27b-it"),
    "deepseek-ai/DeepSeek-R1-0528": Published("deepseek-ai__DeepSeek-R1-0528"),
    "deepseek-ai/DeepSeek-V3-0324": Published("deepseek-ai__DeepSeek-V3"),
    "deepseek-ai/DeepSeek-V3.2": Published("deepseek-ai__DeepSeek-V3.2"),
    "nvidia/NVIDIA-Nemotron-3-Super-120B-A12B-BF16": Published("nvidia__NVIDIA-Nemotron-3-Super-120B-A12B-NVFP4", {"quantization_config": None}),
    "nvidia/NVIDIA-Nemotron-3-Nano-4B-BF16": Published("nvidia/NVIDIA-Nemotron-Nano-9B-v2", NEMOTRON_4B),
    "nvidia/Nemotron-Cascade-2-30B-A3B": Published("nvidia__NVIDIA-Nemotron-3-Nano-30B-A3B-BF16"),
    "nvidia/NVIDIA-Nemotron-3-Nano-30B-A3B-BF16": Published("nvidia__NVIDIA-Nemotron-3-Nano-30B-A3B-BF16"),
    "Qwen/Qwen3-8B-AWQ": Published("Qwen__Qwen3-8B-FP8", {"quantization_config": AWQ, "torch_dtype": "float16"}),
    "google/gemma-4-31B-it": Published("nvidia__Gemma-4-31B-IT-NVFP4", {"quantization_config": None}),
    "google/gemma-4-E2B-it": Published(
        "google__gemma-4-E2B-it",
        besides=(16 * 256 + 4 * 512) * 1_536 * 2 * 2,
        why="the 20 layers that use another's cache have key and value matrices in the files all the same",
    ),
    "google/gemma-4-26B-A4B-it": Published("nvidia__Gemma-4-31B-IT-NVFP4", GEMMA_4_26B),
    "google/gemma-4-E4B-it": Published(
        "google__gemma-4-E2B-it",
        GEMMA_4_E4B,
        besides=(15 * 256 + 3 * 512) * 2 * 2_560 * 2 * 2,
        why="the 18 layers that use another's cache have key and value matrices in the files all the same",
    ),
    "Qwen/Qwen3.5-2B": Published("Qwen__Qwen3.5-0.8B", _qwen3_5(2_048, 6_144, 24, 8, tied=True, tower=1_024)),
    "Qwen/Qwen3.5-4B": Published("Qwen__Qwen3.5-27B", _qwen3_5(2_560, 9_216, 32, 16, tied=True, tower=1_024)),
    "Qwen/Qwen3.5-9B": Published("Qwen__Qwen3.5-27B", _qwen3_5(4_096, 12_288, 32, 16, tied=False)),
    "Qwen/Qwen3.5-122B-A10B": Published("Qwen__Qwen3.5-122B-A10B-FP8", {"quantization_config": None}),
    "Qwen/Qwen3.5-122B-A10B-GPTQ-Int4": Published(
        "Qwen__Qwen3.5-122B-A10B-FP8", {"quantization_config": GPTQ_EXPERTS}, tensors=48 * 256 * 3 * 4
    ),
    "Qwen/Qwen3.5-397B-A17B-GPTQ-Int4": Published(
        "Qwen__Qwen3.5-397B-A17B", {"quantization_config": GPTQ_EXPERTS}, tensors=60 * 512 * 3 * 4
    ),
    "Qwen/Qwen3.6-35B-A3B-FP8": Published(
        "nvidia__Qwen3.6-35B-A3B-NVFP4", quantised_as="Qwen__Qwen3.5-122B-A10B-FP8", tensors=41 * 256 * 3 * 2
    ),
    "Qwen/Qwen3.6-35B-A3B": Published("nvidia__Qwen3.6-35B-A3B-NVFP4", {"quantization_config": None}),
    "Qwen/Qwen3.6-27B": Published("Qwen__Qwen3.5-27B"),
    "Qwen/Qwen3.8-27B": Published("Qwen__Qwen3.5-27B"),
    "moonshotai/Kimi-K2.5": Published("moonshotai__Kimi-K2.5"),
    "moonshotai/Kimi-K2.6": Published("moonshotai__Kimi-K2.5"),
    "moonshotai/Kimi-K2.7-Code": Published("moonshotai__Kimi-K2.5"),
    "MiniMaxAI/MiniMax-M2.7": Published("MiniMaxAI__MiniMax-M2.5"),
    "deepseek-ai/DeepSeek-V4-Flash-0731": Published("deepseek-ai__DeepSeek-V4-Flash"),
    "deepseek-ai/DeepSeek-V4-Pro": Published("nvidia__DeepSeek-V4-Pro-NVFP4", {"quantization_config": FP8_BLOCKS | {"scale_fmt": "ue8m0"}}),
    "zai-org/GLM-5.2-FP8": Published("zai-org__GLM-5.2-FP8"),
    "ibm-granite/granite-4.1-8b": Published("ibm-granite__granite-4-8b-dense", {"tie_word_embeddings": False}),
}  # fmt: skip

UNCOUNTED: Final = {
    "deepseek-ai/DeepSeek-V4-Flash-0731": "two more prediction layers than the config at hand, of an earlier revision, says",
}
"""Checkpoints whose files hold more than is counted, and what."""


def rows() -> list[dict[str, str]]:
    """The published sizes."""
    return table("checkpoint_sizes.tsv")


def size_of(row: Mapping[str, str]) -> float:
    """The published size in GiB."""
    return float(row["modelFileSize"].removesuffix("Gi"))


def _at_hand(name: str) -> dict[str, Any]:
    config: dict[str, Any] = json.loads((CONFIGS / f"{name}.json").read_text(encoding="utf-8"))
    return config


def text_of(published: Published) -> str | None:
    """Plan text of the checkpoint's model as `model m`."""
    if published.config in PUBLIC:
        config = {"torch_dtype": "bfloat16", **PUBLIC[published.config]["config"]}
    else:
        config = _at_hand(published.config)
    changes = dict(published.changes)
    if published.quantised_as:
        changes["quantization_config"] = _at_hand(published.quantised_as)["quantization_config"]
    for part in {"text_config", "vision_config"} & changes.keys():
        changes[part] = {**config[part], **changes[part]}
    reader = READERS["config"]
    assert reader.to_plan_text is not None
    text, _ = reader.to_plan_text(json.dumps({**config, **changes}).encode(), "config.json", "m")
    return text


@cache
def counted_bytes(name: str) -> Fraction:
    """The bytes of a checkpoint's weights, by the config that describes it."""
    text = text_of(KNOWN[name])
    assert text is not None
    counted = numbers(f"{text}\nall_of_it : byte = logical_weights(m)\n")["all_of_it"]
    assert counted is not None
    return counted


def allowed(published: Published, size: float) -> tuple[float, float]:
    """How far a size lies below the published one at the least and the most, in GiB: rounding, and the tensors' names."""
    rounding = ROUNDING / published.times
    if published.tensors:
        least, most = (published.tensors * each / GIB for each in ENTRIES)
        return least - rounding, most + rounding
    return -rounding, rounding + HEADERS * size
