"""Readers of real files: a model's config as plan text, a trace as distributions of lengths."""

from __future__ import annotations

from typing import Final

from capwright.importers.config import import_config, read_config
from capwright.importers.contract import Reader
from capwright.importers.strict_json import MAX_BYTES, read_json

__all__ = ["READERS", "Reader", "import_config", "read_json"]

READERS: Final[dict[str, Reader]] = {
    "config": Reader(
        "config", "plan", MAX_BYTES + 1, "a model from its `config.json`", to_plan_text=read_config
    ),
}
