"""Asking a checkpoint for its bytes: plan lines that ask, and the answer as an object."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from msgspec import Struct

from capwright.base.exact import Number
from capwright.importers.answers import whole

_CHECKPOINT: Final = re.compile(r"^checkpoint (\w+)\b", re.MULTILINE)
_TENSOR: Final = re.compile(r"^ *tensor (\w+) \{ part = (\w+); .*?\bdtype = (\w+)", re.MULTILINE)


class CheckpointQuestion(Struct, frozen=True):
    """A plan that asks for the bytes of the one checkpoint that it declares, by its groups of equal tensors: name,
    part and number format of each."""

    text: str
    checkpoint: str
    groups: tuple[tuple[str, str, str], ...]

    def answer(self, values: Mapping[str, Number | None]) -> dict[str, Any]:
        """The bytes from the plan's quantities by address: in all, by part, by number format, by group."""
        return {
            "checkpoint": self.checkpoint,
            "bytes": whole(values[f"{self.checkpoint}.bytes"]),
            "numbers": whole(values[f"{self.checkpoint}.numbers"]),
            "by_part": self._sums(values, 1),
            "by_dtype": self._sums(values, 2),
            "groups": [
                {
                    "name": name,
                    "part": part,
                    "dtype": dtype,
                    "bytes": whole(values[f"asked_bytes_of_{name}"]),
                }
                for name, part, dtype in self.groups
            ],
        }

    def _sums(self, values: Mapping[str, Number | None], column: int) -> dict[str, int | str | None]:
        sums: dict[str, Number] = {}
        for group in self.groups:
            sums[group[column]] = sums.get(group[column], 0) + (values[f"asked_bytes_of_{group[0]}"] or 0)
        return {name: whole(total) for name, total in sums.items()}


def checkpoint_question(text: str) -> CheckpointQuestion:
    """A plan, `text` with what it is asked; `text` declares one checkpoint, as the importer writes it."""
    name, groups = _CHECKPOINT.findall(text)[-1], tuple(_TENSOR.findall(text))
    lines = [f"asked_bytes_of_{each} : byte = all_bytes({name}.tensors.{each})" for each, _, _ in groups]
    return CheckpointQuestion("\n".join([text, *lines, ""]), name, groups)
