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
_LAST: Final = 120
"""Bytes of the line that counts the rest."""


def permanent_lines(texts: Sequence[str], budget: int) -> list[str]:
    """The caveats as Markdown, one a line, within their part of `budget` bytes: the longest are left out."""
    lines = [markdown_text(text) for text in texts]
    sizes = [len(line.encode()) + _MARKS for line in lines]
    room = budget // SHARE
    if sum(sizes) <= room:
        return lines
    room -= _LAST
    kept: set[int] = set()
    for at in sorted(range(len(lines)), key=sizes.__getitem__):
        room -= sizes[at]
        if room < 0:
            break
        kept.add(at)
    more = counted(len(lines) - len(kept), "more caveat")
    return [
        *(line for at, line in enumerate(lines) if at in kept),
        f"and {more} that nothing takes away: `capwright check` tells them",
    ]
