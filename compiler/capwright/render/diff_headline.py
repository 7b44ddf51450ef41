"""The first lines of a comparison: verdicts that changed, what changed them, money, and the room that is left."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Final

from capwright.base.counting import counted
from capwright.render.diff import Changed, ChangedVerdict, Comparison
from capwright.render.escape import markdown_text, one_line
from capwright.render.pieces import plain

MONEY: Final = "dollar"
MEMORY: Final = "byte"
LENGTHS: Final = (64, 40, 24)
"""Characters of a label in the headline, the shorter the more there is to say; it is whole further down."""
FIRST: Final = 400
"""Characters that verdicts, money and room are to stand in: what a notice or a list of comments shows."""
FLIPS: Final = 3
"""Verdicts, and options, that are named in the headline; the rest are counted."""
EDITS: Final = 3
"""Declarations that are named in the headline; the rest are counted."""


def headline_parts(view: Comparison) -> list[str]:
    """Sentences, the most important first, as plain text.

    What was edited stands before money and room where all fit into the first characters that a reader is shown. Where
    not even verdicts, money and room do, labels are shortened, and then fewer verdicts are named.
    """
    if view.empty:
        return ["No difference."]
    for named, length in product(range(FLIPS, 0, -1), LENGTHS):
        flips, edits, room = _verdicts(view, named, length), [*_edits(view, length)], _numbers(view, length)
        for parts in ([*flips, *edits, *room], [*flips, *room, *edits]):
            if (
                len(" ".join(map(markdown_text, parts[: parts.index(room[-1]) + 1] if room else flips)))
                <= FIRST
            ):
                return [*parts, *_unsound(view)]
    return [*flips, *room, *edits, *_unsound(view)]


def _verdicts(view: Comparison, named: int, length: int) -> list[str]:
    """What changed for the worse first: nothing of it is left out beside something that changed for the better."""
    flips = view.flips
    parts = [f"{called(v, length)}: {v.before} → {v.after}." for v in flips[:named]]
    rest = flips[named:]
    if rest:
        worse = sum(v.worse for v in rest)
        parts.append(
            f"{counted(len(rest), 'more verdict')} changed{f', {worse} for the worse' if worse else ''}."
        )
    return [*(parts or ["No verdict changed."]), *_options(view, named, length)]


def _options(view: Comparison, named: int, length: int) -> Iterator[str]:
    """Options that came or went, and what a new one comes to."""
    for option in view.options[:named]:
        tally = f": {option.tally}" if option.what == "added" else ""
        yield f"Option {shortened(option.address, length)} {option.what}{tally}."
    if len(view.options) > named:
        yield f"{counted(len(view.options) - named, 'more option')} added or removed."


def called(verdict: ChangedVerdict, length: int) -> str:
    """The option and the label of a requirement, the label within `length` characters."""
    label = shortened(verdict.label, length)
    return f"{shortened(verdict.option, length)}, {label}" if verdict.option else label


def _numbers(view: Comparison, length: int) -> list[str]:
    parts = [f"{shortened(m.label or m.address, length)}: {pair(m)}." for m in _money(view)]
    return [*parts, *(f"Room, {shortened(v.label, length)}: {pair(v.room)}." for v in _rooms(view))]


def _unsound(view: Comparison) -> list[str]:
    return ["Errors: only what is sound was compared."] if view.unsound else []


def _edits(view: Comparison, length: int) -> Iterator[str]:
    """What was changed: declarations that moved a reported number first, and confidential ones by their names."""
    edits = sorted(view.declarations, key=lambda one: one.idle)
    for one in edits[:EDITS]:
        before, after = (shortened(value or "nothing", length) for value in (one.before, one.after))
        yield f"{one.address}: {before} → {after}."
    if len(edits) > EDITS:
        yield f"{counted(len(edits) - EDITS, 'more edit')}."
    names = [remark.name for remark in view.remarks if remark.sort == "confidential"]
    if names:
        more = f" and {len(names) - EDITS} more" if len(names) > EDITS else ""
        yield f"Changed, and confidential: {', '.join(names[:EDITS])}{more}."


def shortened(text: str, length: int) -> str:
    """One line of at most `length` characters: what is too long keeps its beginning and its end, which tell apart
    what begins alike."""
    line = one_line(text)
    if len(line) <= length:
        return line
    end = length // 3
    return f"{line[: length - 1 - end].rstrip()}…{line[-end:].lstrip()}"


def pair(changed: Changed) -> str:
    """What was and what is."""
    return f"{plain(changed.before)} → {plain(changed.after)}"


def _money(view: Comparison) -> list[Changed]:
    return [q for q in view.quantities if q.unit.dimension.get(MONEY, 0) > 0][:1]


def _rooms(view: Comparison) -> Iterator[ChangedVerdict]:
    rooms = [v for v in view.verdicts if v.room.unit.dimension.get(MEMORY, 0) > 0 and v.room.differs]
    yield from rooms[:1]
