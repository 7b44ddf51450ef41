"""Readers of real files: a model's config and a checkpoint's headers as plan text, a trace as distributions of lengths."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any, Final

from capwright.importers.config import import_config, read_config
from capwright.importers.contract import MAX_TRACE, Beside, Reader
from capwright.importers.strict_json import MAX_BYTES, read_json

__all__ = ["READERS", "Beside", "Reader", "import_config", "read_json"]


def _of(module: str, name: str) -> Callable[..., Any]:
    """A function of a module that is imported when the function is first called: most plans read few sorts of files."""

    def called(*words: Any, **named: Any) -> Any:
        return getattr(import_module(f"capwright.importers.{module}"), name)(*words, **named)

    return called


_READERS: Final = (
    Reader(
        "config",
        "plan",
        MAX_BYTES + 1,
        "a model from its `config.json`; with `architecture`, by a description of one's own",
        'config("config.json", architecture: "own.toml", quantisation: "hf_quant_config.json")',
        6,
        to_plan_text=read_config,
        takes=("architecture", "quantisation"),
        siblings={"quantisation": "hf_quant_config.json"},
    ),
    Reader(
        "safetensors",
        "plan",
        MAX_BYTES + 1,
        "a checkpoint from its files' headers: the bytes of its tensors as they lie there",
        'safetensors("model.safetensors.index.json")',
        6,
        to_plan_text=_of("safetensors", "read_checkpoint"),
        suffixes=(".safetensors", ".safetensors.index.json"),
        head=_of("safetensors", "head_bytes"),
        named=_of("safetensors", "shards_named"),
    ),
    Reader(
        "trace",
        "lengths",
        MAX_TRACE + 1,
        "lengths from the columns of a table of requests, CSV or JSON lines",
        'trace("requests.csv", input: "ContextTokens", output: "GeneratedTokens")',
        8,
        to_lengths=_of("traces", "read_lengths"),
    ),
)
READERS: Final[dict[str, Reader]] = {each.name: each for each in _READERS}
