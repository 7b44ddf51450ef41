"""Options side by side on a terminal: verdicts, and the reported quantities that differ."""

from __future__ import annotations

from collections.abc import Iterator

from capwright.document.plandoc import PlanDoc
from capwright.render.escape import terminal_text
from capwright.render.index import index
from capwright.render.options import Cell, Column, Options, options_of
from capwright.render.pieces import plain
from capwright.render.terminal.grid import grid
from capwright.render.terminal.style import PLAIN, Style, fitted
from capwright.render.words import CONFIDENTIAL, Tone

UNCHANGED = "·"
"""A value that is as in the base."""


def options_table(doc: PlanDoc, style: Style = PLAIN, wide: int | None = None) -> str:
    """A table for every thing with options, within `wide` columns; empty where there are none."""
    return "\n".join(line for options in options_of(index(doc)) for line in _table(options, style, wide))


def _table(options: Options, style: Style, wide: int | None) -> Iterator[str]:
    yield style.paint("bold", f"options of {options.base}")
    for column in options.columns[1:]:
        yield from _column(column, style, wide)
    rows = [("", *(column.address for column in options.columns))]
    rows += [(v.label, *map(_status, v.statuses, v.caveats)) for v in options.verdicts]
    rows += [
        (r.label or r.address, _value(r.cells[0]), *(_cell(one, r.cells[0]) for one in r.cells[1:]))
        for r in options.rows
    ]
    safe = [tuple(terminal_text(cell) for cell in row) for row in rows]
    if len(rows) > 1:
        yield from grid(safe, wide, UNCHANGED)
    for line in fitted(f"{UNCHANGED} as in {options.base}; {plain(options.alike)}", wide):
        yield style.paint("dim", line)
    for line in fitted(f"why: capwright diff PLAN {options.base} {options.columns[-1].address}", wide):
        yield style.paint("dim", line)
    yield ""


def _column(column: Column, style: Style, wide: int | None) -> Iterator[str]:
    """What an option is called, and what makes it."""
    changes = [f"{d.address}: {d.before or 'nothing'} → {d.after or 'nothing'}" for d in column.declarations]
    said = column.label or "; ".join(changes)
    if wide is None or len(column.address) + len(said) + 4 <= wide:
        yield f"  {style.paint('bold', column.address)}  {style.paint('dim', said)}"
    else:
        yield f"  {style.paint('bold', column.address)}"
        for part in [column.label] if column.label else changes:
            yield from (style.paint("dim", f"    {line}") for line in fitted(part, wide - 4))
    for change in column.declarations:
        for fact in change.facts:
            lacking = fitted(f"{change.after} has no {fact.name}", None if wide is None else wide - 6)
            yield from (style.paint("open", f"      {line}") for line in lacking)


def _status(status: tuple[str, Tone], caveats: tuple[str, ...]) -> str:
    """A verdict with the caveats that it has and that of the base has not."""
    return f"{status[0]} ({', '.join(caveats)})" if caveats else status[0]


def _cell(cell: Cell, base: Cell) -> str:
    """A value that differs; with what is established of it where only that differs."""
    if cell.missing:
        return "none"
    if not cell.changed:
        return UNCHANGED
    if plain(cell.value) != plain(base.value):
        return _value(cell)
    return f"{_value(cell)} ({plain(cell.established)})"


def _value(cell: Cell) -> str:
    """A value, marked where others may not be told it."""
    return plain(cell.value) + (f" ({CONFIDENTIAL})" if cell.confidential else "")
