"""Readers of real files: a model's config and a checkpoint's headers as plan text, a trace as distributions of lengths."""

from __future__ import annotations

from typing import Final

from capwright.importers.config import import_config, read_config
from capwright.importers.contract import Beside, Reader
from capwright.importers.safetensors import head_bytes, read_checkpoint, shards_named
from capwright.importers.strict_json import MAX_BYTES, read_json
from capwright.importers.traces import MAX_TRACE, read_lengths, read_trace

__all__ = ["READERS", "Beside", "Reader", "import_config", "read_json", "read_trace"]

_READERS: Final = (
    Reader(
        "config",
        "plan",
        MAX_BYTES + 1,
        "a model from its `config.json`",
        to_plan_text=read_config,
        takes=("architecture", "quantisation"),
        siblings={"quantisation": "hf_quant_config.json"},
    ),
    Reader(
        "safetensors",
        "plan",
        MAX_BYTES + 1,
        "a checkpoint from its files' headers",
        to_plan_text=read_checkpoint,
        suffixes=(".safetensors", ".safetensors.index.json"),
        head=head_bytes,
        named=shards_named,
    ),
    Reader("trace", "lengths", MAX_TRACE + 1, "lengths from a table of requests", to_lengths=read_lengths),
)
READERS: Final[dict[str, Reader]] = {each.name: each for each in _READERS}
