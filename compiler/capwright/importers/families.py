"""The architectures that a config may name, each as a small description: its keys, its layers, its tensors.

A new one is a new `Family`. Facts are the values of `keys` by name; `parameters` of a tensor is an expression of
the plan language over the model's own fields, so that a reader can trace a count to the keys it is made of.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

from capwright.importers.config_keys import Key

Windows = Literal["none", "every layer", "upper layers"]


@dataclass(frozen=True, slots=True)
class Tensor:
    """Equal weight tensors. `when` names a fact that must be true for them to exist."""

    name: str
    part: str
    parameters: str
    place: Literal["layers", "first", "last"] = "layers"
    parallel: Literal["split", "replicated", "kv_heads"] = "split"
    when: str | None = None


@dataclass(frozen=True, slots=True)
class Family:
    """One architecture. `code` is the code whose defaults stand in for keys that are left out; `windows` says which layers
    the key `sliding_window` reaches; `head_width` is what a left-out `head_dim` means, None for
    `hidden_size / num_attention_heads`; `fixed` are what the code has and no
    key states."""

    architecture: str
    model_type: str
    code: str
    keys: Mapping[str, Key]
    tensors: tuple[Tensor, ...]
    head_width: int | None = None
    fixed: frozenset[str] = frozenset()
    windows: Windows = "none"


_SIZES: Final = {
    "hidden_size": Key("hidden_size"),
    "vocabulary": Key("vocab_size"),
    "feed_forward_width": Key("intermediate_size"),
    "layers": Key("num_hidden_layers"),
    "query heads": Key("num_attention_heads"),
    "tied": Key("tie_word_embeddings", bool, default=False),
}

# Attention with query groups and a gated feed-forward network, a norm before each.
_DECODER: Final = (
    Tensor("embedding", "embedding", "vocabulary * hidden_size", "first"),
    Tensor("query", "attention", "hidden_size * query_width"),
    Tensor("key_value", "attention", "2 * hidden_size * kv_width", parallel="kv_heads"),
    Tensor("attention_output", "attention", "query_width * hidden_size"),
    Tensor("query_bias", "bias", "query_width", when="bias on query, key and value"),
    Tensor(
        "key_value_bias", "bias", "2 * kv_width", parallel="kv_heads", when="bias on query, key and value"
    ),
    Tensor(
        "attention_output_bias", "bias", "hidden_size", parallel="replicated", when="bias on attention output"
    ),
    Tensor("head_norms", "norm", "2 * head_width", parallel="replicated", when="norms on query and key"),
    Tensor("gate_up", "feed_forward", "2 * hidden_size * feed_forward_width"),
    Tensor("down", "feed_forward", "feed_forward_width * hidden_size"),
    Tensor("gate_up_bias", "bias", "2 * feed_forward_width", when="bias on feed-forward"),
    Tensor("down_bias", "bias", "hidden_size", parallel="replicated", when="bias on feed-forward"),
    Tensor("layer_norms", "norm", "2 * hidden_size", parallel="replicated"),
    Tensor("final_norm", "norm", "hidden_size", "last", "replicated"),
    Tensor("head", "head", "vocabulary * hidden_size", "last"),
)

_ATTENTION_BIAS: Final = Key("attention_bias", bool, default=False)

_LLAMA: Final = Family(
    "LlamaForCausalLM",
    "llama",
    "transformers LlamaConfig",
    keys={
        **_SIZES,
        "KV heads": Key("num_key_value_heads", like="query heads"),
        "max_context": Key("max_position_embeddings", default=2_048),
        "bias on query, key and value": _ATTENTION_BIAS,
        "bias on attention output": _ATTENTION_BIAS,
        "bias on feed-forward": Key("mlp_bias", bool, default=False),
    },
    tensors=_DECODER,
)
_MISTRAL: Final = Family(
    "MistralForCausalLM",
    "mistral",
    "transformers MistralConfig",
    keys={
        **_SIZES,
        "KV heads": Key("num_key_value_heads", default=8, like="query heads"),
        "max_context": Key("max_position_embeddings", default=131_072),
    },
    windows="every layer",
    tensors=_DECODER,
)
_QWEN2: Final = Family(
    "Qwen2ForCausalLM",
    "qwen2",
    "transformers Qwen2Config",
    keys={
        **_SIZES,
        "KV heads": Key("num_key_value_heads", default=32, like="query heads"),
        "max_context": Key("max_position_embeddings", default=32_768),
    },
    fixed=frozenset({"bias on query, key and value"}),
    windows="upper layers",
    tensors=_DECODER,
)
_QWEN3: Final = Family(
    "Qwen3ForCausalLM",
    "qwen3",
    "transformers Qwen3Config",
    keys={
        **_SIZES,
        "KV heads": Key("num_key_value_heads", default=32, like="query heads"),
        "max_context": Key("max_position_embeddings", default=32_768),
        "bias on query, key and value": _ATTENTION_BIAS,
        "bias on attention output": _ATTENTION_BIAS,
    },
    head_width=128,
    fixed=frozenset({"norms on query and key"}),
    windows="upper layers",
    tensors=_DECODER,
)

FAMILIES: Final = (_LLAMA, _MISTRAL, _QWEN2, _QWEN3)
