"""Colours, if asked for, and columns that line up."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from typing import Final

from msgspec import Struct

from capwright.render.escape import terminal_text
from capwright.render.pieces import Pieces, plain

_CODES: Final = {"good": "32", "bad": "1;31", "open": "33", "dim": "2", "bold": "1", "link": "36"}


class Style(Struct, frozen=True):
    """How text may be dressed. Only the text's owner is escaped here: pass plain text, never codes."""

    coloured: bool

    def paint(self, kind: str, text: str) -> str:
        """`text`, made safe, in the colour of `kind` (`good`, `bad`, `open`, `dim`, `bold`, `link`)."""
        safe = terminal_text(text)
        return f"\x1b[{_CODES[kind]}m{safe}\x1b[0m" if self.coloured else safe


PLAIN: Final = Style(coloured=False)
COLOURED: Final = Style(coloured=True)


def said(pieces: Pieces) -> str:
    """The pieces as safe terminal text."""
    return terminal_text(plain(pieces))


def width(text: str) -> int:
    """Columns that `text` (without codes) takes on a terminal."""
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.combining(character) else 1 + (unicodedata.east_asian_width(character) in "WF")
        for character in text
    )


def columns(rows: Sequence[Sequence[str]], right: frozenset[int] = frozenset()) -> list[str]:
    """Lines of cells that line up, two blanks apart; the columns in `right` are flush right."""
    wide = [max(map(width, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(_cell(cell, wide[at], at in right) for at, cell in enumerate(row)).rstrip() for row in rows
    ]


def wrapped(text: str, wide: int) -> list[str]:
    """`text` in lines of at most `wide` columns, two fewer after the first; at least one line.

    No line begins what a build log would take for a command.
    """
    lines = [""]
    for word in text.split(" "):
        room = wide if len(lines) == 1 else wide - 2
        if lines[-1] and width(f"{lines[-1]} {word}") <= room:
            lines[-1] += f" {word}"
        elif not lines[-1]:
            lines[-1] = word
        else:
            lines.append(word)
        while width(lines[-1]) > (room := wide if len(lines) == 1 else wide - 2):
            at = max(
                1, next(n for n in range(len(lines[-1]), 0, -1) if n == 1 or width(lines[-1][:n]) <= room)
            )
            lines[-1:] = [lines[-1][:at], lines[-1][at:]]
    return [terminal_text(line) for line in lines]


def _cell(text: str, wide: int, flush_right: bool) -> str:
    blanks = " " * (wide - width(text))
    return blanks + text if flush_right else text + blanks
