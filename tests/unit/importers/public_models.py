"""Public models outside the data, one a line of `public_models.jsonl`: sizes as their configs give them, and what others count.

Without `source`, `parameters` and `text_parameters` (these alone where the importer leaves a tower out) are those of the model that
transformers 5.24.0 builds from the config on the meta device, tied weights once, and `cache_300` are the bytes that it
caches for one sequence of 300 tokens at bf16. Another `source` says where the figures come from.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

COUNTS: Final = ("parameters", "text_parameters", "with_draft")


def _models() -> dict[str, dict[str, Any]]:
    lines = Path(__file__).with_suffix(".jsonl").read_text(encoding="utf-8").splitlines()
    return {row["name"]: row for row in map(json.loads, lines)}


PUBLIC: Final = _models()
