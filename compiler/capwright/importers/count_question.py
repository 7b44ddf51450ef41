"""Asking an imported model for its counts: plan lines that ask, and the answer as an object.

The sums are the library's, and the parts are those that the text names.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from msgspec import Struct

from capwright.base.exact import Number
from capwright.importers.answers import whole

_TOTALS: Final = {
    "parameters_total": "parameters",
    "parameters_text": "text_parameters",
    "parameters_active": "active_parameters",
    "parameters_vision": "vision_parameters",
    "parameters_draft": "draft_parameters",
    "buffer_numbers": "buffer_numbers",
}
_MODEL: Final = re.compile(r"^model (\w+)\b", re.MULTILINE)
_PART: Final = re.compile(r"\bpart = (\w+)")


class CountQuestion(Struct, frozen=True):
    """A plan that asks for the counts of the one model that it declares, and the parts that the model has, as they come."""

    text: str
    model: str
    parts: tuple[str, ...]

    def answer(self, values: Mapping[str, Number | None]) -> dict[str, Any]:
        """The counts from the plan's quantities by address: totals, then the numbers of each part."""
        counts: dict[str, Any] = {name: whole(values[f"{self.model}.{at}"]) for name, at in _TOTALS.items()}
        counts["parts"] = {part: whole(values[f"asked_count_of_{part}"]) for part in self.parts}
        return counts


def count_question(text: str) -> CountQuestion:
    """A plan, `text` with what it is asked; `text` declares one model, as the importer writes it."""
    name, parts = _MODEL.findall(text)[-1], tuple(dict.fromkeys(_PART.findall(text)))
    lines = [
        f"asked_count_of_{part} : parameter = sum(stored_parameters(t) for t in {name}.tensors where t.part == {part})"
        for part in parts
    ]
    return CountQuestion("\n".join([text, *lines, ""]), name, parts)
