"""The caveats that nothing takes away, where there is only so much room: as many as fit, and the rest counted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from capwright.base.counting import counted
from capwright.render.escape import markdown_text

SHARE: Final = 4
"""The part of a budget that these caveats may take is one of so many."""
_MARKS: Final = 4
"""Bytes of a line beside its text."""


def permanent_lines(texts: Sequence[str], budget: int, whole: str) -> list[str]:
    """The caveats as Markdown, one a line and each once, within their part of `budget` bytes. The first ones matter most:
    what no longer fits is left out, and counted with the command that tells all, `whole`, as Markdown."""
    lines = [markdown_text(text) for text in dict.fromkeys(texts)]
    room = budget // SHARE
    if sum(map(_size, lines)) <= room:
        return lines
    room -= _size(_rest(len(lines), whole))
    kept: list[str] = []
    for line in lines:
        if _size(line) <= room:
            room -= _size(line)
            kept.append(line)
    return [*kept, _rest(len(lines) - len(kept), whole)]


def _size(line: str) -> int:
    return len(line.encode()) + _MARKS


def _rest(count: int, whole: str) -> str:
    return f"and {counted(count, 'more caveat')} that nothing takes away: {whole} tells them"
