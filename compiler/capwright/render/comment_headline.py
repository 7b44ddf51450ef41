"""The headline of a plan in a comment, and how early it is told among those of other plans."""

from __future__ import annotations

from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from capwright.base.counting import counted
from capwright.document.outcome import is_unread, unfit
from capwright.document.plandoc import PlanDoc
from capwright.render.compared import Comparison
from capwright.render.diff import comparison
from capwright.render.diff_headline import (
    FLIPS,
    LENGTHS,
    Headline,
    headline_of,
    labelled,
    no_longer_asked,
    shortened,
    ticked,
    unmet_as_before,
)
from capwright.render.money_and_room import least_room, money, more_money
from capwright.render.pieces import Name, Pieces, Quoted, Words
from capwright.render.plan_change import PlanChange
from capwright.render.scaling import readable
from capwright.render.verdicts import margin
from capwright.render.words import STATUS, status_counts

_UNFIT: Final = 2
"""Quantities below zero that a headline tells; all of them are among the messages of the plan."""
_DOUBTFUL: Final = 2
"""The rank of a plan of which something became worse, and nothing is known to fail for that."""
_MESSAGE: Final = 160
"""Characters of the error that is told of a plan that does not compile; all of them are in its fold."""


class Told(Struct, frozen=True):
    """A plan as a comment tells it: the lower `rank` stands first, and `view` is what it was compared to, if it was."""

    change: PlanChange
    headline: Headline
    rank: int
    view: Comparison | None = None


def told_of(change: PlanChange) -> Told:
    """What is told of a plan; of one whose numbers cannot be, that first."""
    found = _compared(change)
    first = [(Words("warning: "), *ticked(one.message)) for one in unfit(change.messages)[:_UNFIT]]
    return replace(found, headline=replace(found.headline, told=(*first, *found.headline.told)))


def _compared(change: PlanChange) -> Told:
    if change.how == "deleted":
        said = no_longer_asked(change.unasked, FLIPS, LENGTHS[0])
        return Told(change, Headline(((Words("deleted"), *said),)), _DOUBTFUL if change.unasked else 3)
    view = comparison(change.diff) if change.diff is not None else None
    if change.errors:
        headline = headline_of(view) if view is not None and not view.empty else Headline(())
        lost = ": nothing was compared" if view is None and change.how != "new" else ""
        count = (Words(f"does not compile, {counted(change.errors, 'error')}{lost}"),)
        first = (*_lacked(change), _first_error(change), *headline.told)
        return Told(
            change,
            Headline((count, *headline.verdicts), first, headline.marks),
            0,
            view,
        )
    if view is None:
        return Told(change, _alone(change), 1 if _is_bad(change.document) else 3)
    return Told(change, headline_of(view, change.as_before, change.path), _rank(view, change), view)


def _said(words: str) -> Headline:
    return Headline(((Words(words),),))


def _lacked(change: PlanChange) -> list[Pieces]:
    return [(Words("before: "), *_message(change.lacked))] if change.lacked else []


def _message(text: str) -> Pieces:
    """A message of ours: what stands between its backticks is code here, too."""
    parts = shortened(text, _MESSAGE).split("`")
    if len(parts) % 2 == 0:
        parts[-2:] = ["`".join(parts[-2:])]
    return tuple(Name(part) if at % 2 else Quoted(part) for at, part in enumerate(parts) if part)


def _first_error(change: PlanChange) -> Pieces:
    first = next(filter(is_unread, change.broken), change.broken[0])
    return (
        Words(f"{first.code} "),
        Name(first.place),
        Words(": "),
        *_message(first.message),
        *((Words("; "), *_message(first.help)) if first.help else ()),
    )


def _rank(view: Comparison, change: PlanChange) -> int:
    """Worst first: what fails now, what became doubtful, any other change, what is not met as before, nothing."""
    worse = [flip.after_tone for flip in view.flips if flip.worse]
    if worse:
        return 1 if "bad" in worse else _DOUBTFUL
    if any(flip.lapsed for flip in view.flips) or any(
        one.edit == "loosened" and one.required for one in view.asked
    ):
        return _DOUBTFUL
    if not view.empty or view.unsound:
        return 3
    return 4 if change.as_before else 5


def _is_bad(document: PlanDoc | None) -> bool:
    return document is None or any(STATUS[verdict.status][1] == "bad" for verdict in document.verdicts)


def _alone(change: PlanChange) -> Headline:
    """The headline of a plan that has nothing to be compared with."""
    if change.document is None:
        return _said("cannot be read")
    document = readable(change.document)
    told = [*_lacked(change), *unmet_as_before(change.unmet, FLIPS, LENGTHS[0], "")]
    paid, least = money(document), least_room(document.verdicts)
    if paid is not None:
        more = more_money(paid.more)
        name: Pieces = (Quoted(shortened(paid.name, LENGTHS[0])), Words(": "))
        told.append((*name, *paid.value, *((Words(more),) if more else ())))
    if least is not None:
        name = labelled(least.label, least.written, "", LENGTHS[0])
        told.append((Words("room, "), *name, Words(": "), *margin(least)))
    counts = status_counts(one.status for one in document.verdicts) or "no requirement"
    what = "new" if change.how == "new" else "nothing was compared"
    return Headline(((Words(f"{what}: {counts}"),),), tuple(told))
