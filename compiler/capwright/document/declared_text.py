"""How declarations are written: their text on one line, their place, and the comments that stand by them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from capwright.base.source import Source, Span

_FORMULA: Final = "formula "


def said(span: Span | None, sources: Mapping[str, Source]) -> str:
    """The text of a place, on one line."""
    source = sources.get(span.file) if span is not None else None
    return (
        " ".join(source.text[span.start : span.end].split())
        if source is not None and span is not None
        else ""
    )


def place(span: Span, sources: Mapping[str, Source]) -> str:
    source = sources.get(span.file)
    return source.place(span.start) if source is not None else span.file


def before(source: Source | None, start: int, *, together: bool = False) -> str:
    """The comment that stands right above a declaration; with `together`, above the signatures that it is one of."""
    if source is None:
        return ""
    number = source.line_column(start)[0] - 1
    while together and number > 0 and source.line(number).startswith(_FORMULA):
        number -= 1
    lines: list[str] = []
    while number > 0 and (line := source.line(number).strip()).startswith("#") and not line.startswith("# ─"):
        lines.insert(0, line.lstrip("# "))
        number -= 1
    return " ".join(lines)


def beside(source: Source | None, span: Span) -> str:
    """The comment at the end of the first or the last line of a member, or of lines of its own above it."""
    if source is None:
        return ""
    for offset in (span.start, span.end):
        line = source.line(source.line_column(offset)[0])
        if (at := _comment(line)) > len(line) - len(line.lstrip()):
            return line[at:].lstrip("# ").rstrip()
    return before(source, span.start)


def _comment(line: str) -> int:
    """Where a line's comment begins; -1 where it has none. A sign in a text opens none."""
    quoted = escaped = False
    for at, sign in enumerate(line):
        if escaped:
            escaped = False
        elif sign == "\\" and quoted:
            escaped = True
        elif sign == '"':
            quoted = not quoted
        elif sign == "#" and not quoted:
            return at
    return -1
