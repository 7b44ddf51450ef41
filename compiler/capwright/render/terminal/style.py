"""Colours, if asked for, and columns that line up."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from typing import Final

from msgspec import Struct

from capwright.render.escape import JOINER, terminal_text
from capwright.render.pieces import Pieces, plain

_CODES: Final = {"good": "32", "bad": "1;31", "open": "33", "dim": "2", "bold": "1", "link": "36"}
_CODE: Final = re.compile(r"\x1b\[[0-9;]*m")
_LEAST: Final = 20
"""Columns of text that lines keep, however far they are indented, on a terminal of twice as many."""


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
    return sum(map(_columns_of, text))


def _columns_of(character: str) -> int:
    if unicodedata.combining(character) or character == JOINER:
        return 0
    return 1 + (unicodedata.east_asian_width(character) in "WF")


def columns(rows: Sequence[Sequence[str]], right: frozenset[int] = frozenset()) -> list[str]:
    """Lines of cells that line up, two blanks apart; the columns in `right` are flush right."""
    wide = [max(map(width, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(_cell(cell, wide[at], at in right) for at, cell in enumerate(row)).rstrip() for row in rows
    ]


def fitted(line: str, wide: int | None, hang: str | None = None) -> list[str]:
    """A line, dressed or not, in lines of at most `wide` columns, or as it is where nobody looks at it as it is. A line that
    begins with so many blanks that little is left for its text goes beyond them, as text in slivers cannot be read.

    Lines after the first begin with `hang`: where none is given, with the blanks that the line begins with and two more.
    """
    bare = _CODE.sub("", line)
    if wide is None or width(bare) <= wide:
        return [line]
    text = bare.lstrip(" ")
    indent = len(bare) - len(text)
    rest = " " * (indent + 2) if hang is None else hang
    least = min(_LEAST, wide // 2)
    parts = wrapped(text, max(least, wide - indent), max(least, wide - width(rest)))
    first, *more = _dressed_again(line, parts)
    return [f"{bare[:indent]}{first}", *(f"{rest}{part}" for part in more)]


def _dressed_again(line: str, parts: Sequence[str]) -> list[str]:
    """The parts of a dressed line, which lost blanks where it was broken, with its codes where they were."""
    codes: dict[int, str] = {}
    bare = ""
    for at, piece in enumerate(re.split(f"({_CODE.pattern})", line)):
        if at % 2:
            codes[len(bare)] = codes.get(len(bare), "") + piece
        else:
            bare += piece
    if not codes:
        return list(parts)
    at = 0
    found = []
    for part in parts:
        made = ""
        for sign in part:
            if sign == JOINER != bare[at]:  # which a line that begins like a command was given
                made += sign
                continue
            while bare[at] != sign:
                made += codes.pop(at, "")
                at += 1
            made += codes.pop(at, "") + sign
            at += 1
        found.append(made + codes.pop(at, ""))
    found[-1] += "".join(codes.values())  # of blanks that the last line lost
    return found


def wrapped(text: str, wide: int, later: int | None = None) -> list[str]:
    """`text` in lines of at most `wide` columns, and `later` ones, two fewer unless given, after the first; at least one line.

    No line begins what a build log would take for a command.
    """
    lines = [""]
    after = wide - 2 if later is None else later
    for word in text.split(" "):
        room = wide if len(lines) == 1 else after
        if lines[-1] and width(f"{lines[-1]} {word}") <= room:
            lines[-1] += f" {word}"
        elif not lines[-1]:
            lines[-1] = word
        else:
            lines[-1:] = [lines[-1].rstrip(" "), word]
        lines[-1:] = _cut(lines[-1], wide if len(lines) == 1 else after, after)
    return [terminal_text(line) for line in lines]


def _cut(word: str, room: int, later: int) -> list[str]:
    """A word in parts of at most `room` columns, and `later` ones after the first; each has at least one sign."""
    if width(word) <= room:
        return [word]
    parts: list[str] = []
    start = used = 0
    for at, sign in enumerate(word):
        columns = _columns_of(sign)
        if used + columns > room and at > start:
            parts.append(word[start:at])
            start, used, room = at, 0, later
        used += columns
    return [*parts, word[start:]]


def _cell(text: str, wide: int, flush_right: bool) -> str:
    blanks = " " * (wide - width(text))
    return blanks + text if flush_right else text + blanks
