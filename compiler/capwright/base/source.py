"""Where something stands in a file."""

from __future__ import annotations

from bisect import bisect_right
from typing import NamedTuple


class Span(NamedTuple):
    """A half-open range of characters `[start, end)` in the file called `file`."""

    file: str
    start: int
    end: int

    def to(self, other: Span) -> Span:
        """The range from the start of this one to the end of `other`."""
        return Span(self.file, self.start, other.end)

    def holds(self, other: Span) -> bool:
        """Whether all of `other` is within it."""
        return self.file == other.file and self.start <= other.start and other.end <= self.end


NOWHERE = Span("", 0, 0)

IMPORTED = " (imported)"
"""Follows the name of a file where the plan text that was made of it is meant."""


def place_text(place: str) -> str:
    """`file:line` as a reader is led there: of text that was made of a file, which has no lines of its own, the file."""
    file, made, _ = place.partition(f"{IMPORTED}:")
    return file if made else place


class Source:
    """The text of one file, with its lines found once.

    `path` is the name shown to a reader: relative to the project root where that is possible.
    """

    __slots__ = ("_starts", "path", "text")

    def __init__(self, path: str, text: str) -> None:
        self.path = path
        self.text = text
        self._starts: list[int] | None = None

    @property
    def starts(self) -> list[int]:
        """Offset of the first character of every line."""
        if self._starts is None:
            found = [0]
            at = self.text.find("\n")
            while at >= 0:
                found.append(at + 1)
                at = self.text.find("\n", at + 1)
            self._starts = found
        return self._starts

    def line_column(self, offset: int) -> tuple[int, int]:
        """The line and the column, both counted from one, of a character offset."""
        line = bisect_right(self.starts, offset)
        return line, offset - self.starts[line - 1] + 1

    def line(self, number: int) -> str:
        """The text of line `number` (counted from one), without its line end."""
        start = self.starts[number - 1]
        end = self.text.find("\n", start)
        return self.text[start:] if end < 0 else self.text[start:end]

    def place(self, offset: int) -> str:
        """`file:line`, as a trace prints it."""
        return f"{self.path}:{self.line_column(offset)[0]}"
