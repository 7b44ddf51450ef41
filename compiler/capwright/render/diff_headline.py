"""The first lines of a comparison: verdicts that changed, what changed them, money, and the room that is left."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from capwright.base.counting import counted
from capwright.render.diff import Changed, ChangedVerdict, Comparison
from capwright.render.escape import one_line
from capwright.render.pieces import plain

MONEY: Final = "dollar"
MEMORY: Final = "byte"
LONGEST: Final = 64
"""Characters of a label in the headline; it is whole further down."""
EDITS: Final = 3
"""Declarations that are named in the headline; the rest are counted."""


def headline_parts(view: Comparison) -> list[str]:
    """Sentences, the most important first, as plain text."""
    if view.empty:
        return ["No difference."]
    flips = [v for v in view.verdicts if v.flips]
    parts = [*(_flip(v) for v in flips[:2])]
    if len(flips) > 2:
        parts.append(f"{counted(len(flips) - 2, 'more verdict')} changed.")
    if not flips:
        parts.append("No verdict changed.")
    parts += _edits(view)
    parts += [f"{shortened(m.label or m.address)}: {_pair(m)}." for m in _money(view)]
    parts += [f"Room, {shortened(v.label)}: {_pair(v.room)}." for v in _rooms(view)]
    if view.unsound:
        parts.append("Errors: only what is sound was compared.")
    return parts


def _edits(view: Comparison) -> Iterator[str]:
    """What was changed: declarations that moved a reported number first, and confidential ones by their names."""
    edits = sorted(view.declarations, key=lambda one: one.idle)
    for one in edits[:EDITS]:
        yield f"{one.address}: {shortened(one.before or 'nothing')} → {shortened(one.after or 'nothing')}."
    if len(edits) > EDITS:
        yield f"{counted(len(edits) - EDITS, 'more edit')}."
    names = [remark.name for remark in view.remarks if remark.sort == "confidential"]
    if names:
        more = f" and {len(names) - EDITS} more" if len(names) > EDITS else ""
        yield f"Changed, and confidential: {', '.join(names[:EDITS])}{more}."


def _flip(verdict: ChangedVerdict) -> str:
    return f"{shortened(verdict.label)}: {verdict.before} → {verdict.after}."


def shortened(text: str) -> str:
    """A text on one line, as long as there is room for in a headline."""
    line = one_line(text)
    return line if len(line) <= LONGEST else f"{line[: LONGEST - 1].rstrip()}…"


def _pair(changed: Changed) -> str:
    return f"{plain(changed.before)} → {plain(changed.after)}"


def _money(view: Comparison) -> list[Changed]:
    return [q for q in view.quantities if q.unit.dimension.get(MONEY, 0) > 0][:1]


def _rooms(view: Comparison) -> Iterator[ChangedVerdict]:
    rooms = [v for v in view.verdicts if v.room.unit.dimension.get(MEMORY, 0) > 0 and v.room.difference]
    yield from rooms[:1]
