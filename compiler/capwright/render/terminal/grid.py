"""A comparison in columns that fits a terminal: fewer columns at a time, names on several lines, or a block a row."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from capwright.render.terminal.style import columns, width, wrapped

NARROWEST: Final = 20
"""Columns that the name of a row needs: with less left, a row is a block of lines."""
_GAP: Final = 2

Row = Sequence[str]
"""A name, the value that the others are compared with, and the others; the first row has the headings."""


def grid(rows: Sequence[Row], wide: int | None, same: str = "") -> Iterator[str]:
    """The rows in lines of at most `wide` columns, if that is given and the values themselves allow it.

    Where not all values stand beside each other, the columns come in several tables, each with the first two; a row
    that has only `same` in one of them is left out there.
    """
    sizes = [max(map(width, column)) for column in zip(*rows, strict=True)]
    if wide is None or sum(sizes) + _GAP * (len(sizes) - 1) <= wide:
        yield from columns(rows, right=frozenset(range(1, len(sizes))))
        return
    room = wide - sizes[1] - _GAP
    if max(sizes[2:], default=0) + _GAP > room - NARROWEST:
        yield from _blocks(rows, wide, same)
        return
    least = min(sizes[0], max(NARROWEST, room // 2))
    for at, group in enumerate(_groups(sizes[2:], room - least)):
        if at:
            yield ""
        taken = sum(sizes[2 + each] + _GAP for each in group)
        shown = [(r[0], r[1], *(r[2 + each] for each in group)) for r in rows]
        yield from _table([r for r in shown if set(r[2:]) != {same}], room - taken)


def _groups(sizes: Sequence[int], room: int) -> Iterator[list[int]]:
    """The columns that fit beside each other, at least one at a time."""
    group: list[int] = []
    left = room
    for at, size in enumerate(sizes):
        if group and size + _GAP > left:
            yield group
            group, left = [], room
        group.append(at)
        left -= size + _GAP
    yield group


def _table(rows: Sequence[Row], named: int) -> list[str]:
    """Rows whose names take at most `named` columns; what is left of a name goes on below."""
    lines: list[Row] = []
    for name, *values in rows:
        first, *rest = wrapped(name, named)
        lines.append((first, *values))
        lines += [(f"  {more}", *[""] * len(values)) for more in rest]
    return columns(lines, right=frozenset(range(1, len(rows[0]))))


def _blocks(rows: Sequence[Row], wide: int, same: str) -> Iterator[str]:
    """Each row as a name and a line for every column that has something else than `same`, or more where that is too long
    for one."""
    (_, *heads), *others = rows
    size = max(map(width, heads))
    for name, *values in others:
        yield from wrapped(name, wide)
        for head, value in zip(heads, values, strict=True):
            if value == same:
                continue
            beside = columns([(f"  {head}".ljust(size + _GAP), value)])
            if max(map(width, beside)) <= wide:
                yield from beside
            else:
                yield f"  {head}"
                yield from (f"    {line}" for line in wrapped(value, wide - 4))
