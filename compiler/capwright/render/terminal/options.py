"""Options side by side on a terminal: verdicts, and the reported quantities that differ."""

from __future__ import annotations

from collections.abc import Iterator

from capwright.document.plandoc import PlanDoc
from capwright.render.escape import terminal_text
from capwright.render.index import index
from capwright.render.options import Cell, Options, options_of
from capwright.render.pieces import plain
from capwright.render.terminal.style import PLAIN, Style, columns

UNCHANGED = "·"
"""A value that is as in the base."""


def options_table(doc: PlanDoc, style: Style = PLAIN) -> str:
    """A table for every thing with options; empty where there are none."""
    return "\n".join(line for options in options_of(index(doc)) for line in _table(options, style))


def _table(options: Options, style: Style) -> Iterator[str]:
    yield style.paint("bold", f"options of {options.base}")
    for column in options.columns[1:]:
        changes = "; ".join(
            f"{d.address}: {d.before or 'nothing'} → {d.after or 'nothing'}" for d in column.declarations
        )
        yield f"  {style.paint('bold', column.address)}  {style.paint('dim', column.label or changes)}"
        for change in column.declarations:
            for fact in change.facts:
                yield style.paint("open", f"      {change.after} has no {fact.name}")
    rows = [("", *(column.address for column in options.columns))]
    rows += [(v.label, *(status for status, _ in v.statuses)) for v in options.verdicts]
    rows += [(r.label or r.address, plain(r.cells[0].value), *map(_cell, r.cells[1:])) for r in options.rows]
    safe = [tuple(terminal_text(cell) for cell in row) for row in rows]
    yield from columns(safe, right=frozenset(range(1, len(options.columns) + 1)))
    yield style.paint(
        "dim", f"{UNCHANGED} as in {options.base}; {options.same:,} reported quantities are alike everywhere"
    )
    yield style.paint("dim", f"why: capwright diff PLAN {options.base} {options.columns[-1].address}")
    yield ""


def _cell(cell: Cell) -> str:
    if cell.missing:
        return "none"
    return plain(cell.value) if cell.changed else UNCHANGED
