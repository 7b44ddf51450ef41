"""What a tensor's name in a checkpoint says: which part of a model it is, of which layer and expert."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from msgspec import Struct

_NUMBER: Final = re.compile(r"(?<=\.)\d+(?=\.|$)")
_LAYER: Final = re.compile(r"(?:^|\.)(?:layers|h|blocks|block|layer)\.(\d+)(?=\.|$)", re.IGNORECASE)
_DRAFTS: Final = re.compile(r"\.(?:eh_proj|enorm|hnorm|shared_head)(?=\.|$)")
"""What only a layer that drafts tokens has: the join of its two inputs and a head of its own."""
_EXPERT: Final = re.compile(r"(?:^|\.)experts\.(\d+)(?=\.|$)", re.IGNORECASE)
# The first that is found in a name decides; all are words of real checkpoints.
_PARTS: Final = tuple(
    (part, re.compile(rf"(?:^|[._])(?:{words})(?=[._\d]|$)"))
    for part, words in (
        ("adapter", "lora|lora_a|lora_b|adapter|adapters"),
        ("draft", "mtp|nextn|draft|eagle|medusa|eh_proj|enorm|hnorm|shared_head"),
        ("audio", "audio|audio_tower|audio_encoder|speech|whisper|talker|token2wav|code2wav"),
        ("vision", "vision|visual|vision_tower|vision_model|image|image_newline|vit|multi_modal_projector|mm_projector|patch_embed|merger|resampler|mlp1|connector|modality_projection|vision_encoder|vision_projection"),
        ("buffer", "e_score_correction_bias|inv_freq|rotary_emb|tid2eid"),
        ("embedding", "embed_tokens|wte|wpe|word_embeddings|tok_embeddings|embed_in|embeddings|embedding"),
        ("head", "lm_head|embed_out|output_layer|(?<![._])output(?=[.]weight$)"),
        ("shared_expert", "shared_expert|shared_experts|share_expert|shared_expert_gate|shared_mlp"),
        ("expert", "experts|expert|moe(?=[.](?:gate|up|down)_proj)|block_sparse_moe(?=[.](?:input|output)_linear)"),
        ("router", "router|gate(?=[.]weight|[.]bias|[.]wg)|wg"),
        ("indexer", "indexer"),
        ("norm", "norm|layernorm|ln|ln_1|ln_2|ln_f|input_layernorm|post_attention_layernorm|q_norm|k_norm|norm_f|final_layernorm"),
        ("state", "mixer|mamba|linear_attn|conv|conv1d|ssm|a_log|dt_bias"),
        ("attention", "self_attn|attn|attention|self_attention|sinks"),
        ("feed_forward", "mlp|feed_forward|ffn|fc1|fc2|block_sparse_moe|moe"),
    )
)  # fmt: skip
_SHARED: Final = dict(_PARTS)["shared_expert"]
_BESIDE: Final = re.compile(
    r"(?:_scale|_scale_inv|_scale_2|scales|qzeros|g_idx|_zero_point|_shape|_global_scale|_packed_scale)$"
)
_SKIPPABLE: Final = re.compile(
    r"(?:qzeros|g_idx|_zero_point|_shape|input_scale|input_global_scale|[kv]_scale)$"
)
"""Of these, what not every kernel reads: Marlin takes neither the zero points of symmetric GPTQ nor an order of columns that
is none, and kernels that widen weights take no scale of their inputs."""
_OF_KV_HEADS: Final = re.compile(r"(?:^|[._])(?:wk|wv|(?:k|v|key|value)(?:_proj|_layer)?)(?=[.]|$)")
_WHOLE: Final = re.compile(
    r"(?:^|[._])(?:q_a_proj|kv_a_proj_with_mqa|kv_a_proj|shared_expert_gate|g_idx)(?=[._]|$)"
)
_ABSORBED: Final = re.compile(r"(?:^|[._])kv_b_proj(?=[._]|$)")
"""What makes keys and values of a latent: a step that decodes takes it into queries and outputs."""
_ROW_BIAS: Final = re.compile(
    r"(?:^|[._])(?:o_proj|out_proj|down_proj|c_proj|dense|dense_4h_to_h|wo|w2|fc2|fc_out)[._]bias$"
)
"""Biases that are added after the devices' parts of a product are: each device has them whole."""


class Named(Struct, frozen=True):
    """A name taken apart. `pattern` is the name with its numbers as `*`; `beside` says that it is stored for another
    tensor's sake: scales, zero points and the like."""

    pattern: str
    part: str
    layer: int | None
    expert: int | None
    beside: bool

    @property
    def parallel(self) -> str:
        """How tensor parallelism treats it: the rule of the library's `tensor`."""
        if self.part in ("norm", "router", "buffer", "indexer") or _WHOLE.search(self.pattern):
            return "replicated"
        if _ROW_BIAS.search(self.pattern):
            return "replicated"
        return "kv_heads" if self.part == "attention" and _OF_KV_HEADS.search(self.pattern) else "split"

    @property
    def skippable(self) -> bool:
        """Whether it is stored beside a matrix, and not every kernel that multiplies by the matrix reads it."""
        return self.beside and _SKIPPABLE.search(self.pattern.lower()) is not None

    @property
    def beside_experts(self) -> bool:
        """Whether it is a shared expert's in a layer whose part is another's: of one that drafts tokens."""
        return self.part == "draft" and _SHARED.search(self.pattern.lower()) is not None

    @property
    def absorbed(self) -> bool:
        """Whether it makes keys and values of a latent, or is a part of what does."""
        return not self.beside and _ABSORBED.search(self.pattern) is not None


def draft_layer(name: str) -> str | None:
    """The beginning of the names of a layer's tensors, where this name is one that only a drafting layer has."""
    layer = _LAYER.search(name)
    return name[: layer.end()] if layer and _DRAFTS.search(name, layer.end()) else None


def layer_of(name: str) -> str | None:
    """The beginning of the names of all tensors of a tensor's layer."""
    layer = _LAYER.search(name)
    return name[: layer.end()] if layer else None


def taken_apart(name: str) -> Named:
    """What the name of one tensor says."""
    layer, expert = _LAYER.search(name), _EXPERT.search(name)
    pattern = _NUMBER.sub("*", name)
    part, beside = _said(pattern)
    return Named(pattern, part, int(layer[1]) if layer else None, int(expert[1]) if expert else None, beside)


@lru_cache(maxsize=8_192)
def _said(pattern: str) -> tuple[str, bool]:
    """The part that a name plays, and whether it is stored for another's sake: the same whatever its numbers."""
    lower = pattern.lower()
    part = next((part for part, words in _PARTS if words.search(lower)), "other")
    return part, bool(_BESIDE.search(lower))
