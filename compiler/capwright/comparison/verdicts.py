"""Which requirement of one document is which of the other, by what it asks, else by its words, else by what it limits; and
which change is told first."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Literal

from msgspec import Struct

from capwright.base.spelling import unspaced
from capwright.comparison.sides import Side, Triple
from capwright.document.diffdoc import AnswerChange, Difference, VerdictChange
from capwright.document.outcome import WISHED, became_worse, rank
from capwright.document.plandoc import STATUSES, VerdictDoc
from capwright.document.plandoc import Side as SideDoc
from capwright.document.withholding import NOTHING, is_told_alone


def urgency(change: VerdictChange | AnswerChange) -> tuple[int, int]:
    """What is told first sorts first: what became worse, the worst of it before the rest; then what became better;
    then what kept its verdict."""
    if change.what == "margin":
        return 2, 0
    return int(not change.worse), rank(change.after.status) if change.after is not None else len(STATUSES)


class Match(Struct, frozen=True):
    """One requirement on both sides."""

    before: VerdictDoc
    after: VerdictDoc


def ordered(verdict: VerdictDoc) -> tuple[SideDoc, SideDoc]:
    """The side that is to be the lesser one, and the greater: room is what the second has over the first."""
    sides = verdict.left, verdict.right
    return (sides[1], sides[0]) if verdict.comparison in (">=", ">") else sides


def _sense(side: Side, one: SideDoc, matched: Mapping[str, object]) -> object:
    """What a side of a requirement says, whatever its numbers come to. What is withheld has one formula, whatever it is:
    of that only the words are known."""
    if one.formula == NOTHING:
        return side.words(one.written)
    return side.signature(one.formula, matched)


def _limited(at: int, matched: Mapping[str, object], side: Side, verdict: VerdictDoc) -> object:
    """For a requirement without words of its own: what it limits, the lesser or the greater side, whatever the limit is
    now. None for one that has words, and for a side that names nothing of the plan."""
    held = ordered(verdict)[at]
    if verdict.label != verdict.written or not held.named:
        return None
    return (_sense(side, held, matched),)


def _of_one_verb(way: Callable[[Side, VerdictDoc], object], side: Side, verdict: VerdictDoc) -> object:
    key = way(side, verdict)
    return None if key is None else (verdict.verb, key)


def matched_verdicts(
    a: Side, b: Side, matched: Mapping[str, object]
) -> tuple[list[Match], list[VerdictDoc], list[VerdictDoc]]:
    """Pairs in the order of the second document, what only it asks, and what only the first one asked."""

    def asked(side: Side, v: VerdictDoc) -> tuple[object, ...]:
        return (v.comparison, *(_sense(side, s, matched) for s in (v.left, v.right)))

    alike: list[Callable[[Side, VerdictDoc], object]] = [
        lambda side, v: (v.label, *asked(side, v)),  # of several that ask the same
        asked,
        lambda _, v: v.label,
        lambda _, v: unspaced(v.written),
        *(partial(_limited, at, matched) for at in (0, 1)),
    ]
    # What is required on one side may only be expected on the other: it is the same that is asked.
    ways: list[Callable[[Side, VerdictDoc], object]] = [
        *(partial(_of_one_verb, way) for way in alike),
        *alike,
    ]
    left, right = list(a.doc.verdicts), list(b.doc.verdicts)
    found: dict[str, Match] = {}
    for way in ways:
        waiting: dict[object, list[VerdictDoc]] = {}
        for verdict in left:
            if (key := way(a, verdict)) is not None:
                waiting.setdefault(key, []).append(verdict)
        for verdict in right:
            same = waiting.get(way(b, verdict))
            if same and verdict.id not in found:
                found[verdict.id] = Match(same.pop(0), verdict)
        taken = {match.before.id for match in found.values()}
        left = [v for v in left if v.id not in taken]
        right = [v for v in right if v.id not in found]
    ordered = [found[v.id] for v in b.doc.verdicts if v.id in found]
    return ordered, right, left


def is_changed(match: Match) -> bool:
    """Whether the verdict or its room is another."""
    before, after = match.before, match.after
    return (before.status, *room(before)) != (after.status, *room(after))


def room(verdict: VerdictDoc) -> Triple:
    """What is left between the two sides: its low end, nominal value and high end."""
    return verdict.margin_low, verdict.margin_nominal, verdict.margin_high


def is_silent(match: Match) -> bool:
    """Whether the verdict of a side is told alone: its numbers are withheld."""
    return is_told_alone(match.before) or is_told_alone(match.after)


def what_changed(match: Match) -> Literal["status", "margin"]:
    """Whether the verdict changed: what holds and is only expected now is met as before, whatever that is called."""
    before, after = match.before.status, match.after.status
    return "margin" if before == after or {before, after} <= WISHED else "status"


def on_one_side(verdict: VerdictDoc, what: Literal["added", "removed"]) -> VerdictChange:
    """The change of a requirement that only one side has."""
    none = Difference(None, None, None, False, "none", 0, ())
    before, after = (verdict, None) if what == "removed" else (None, verdict)
    worse = became_worse(before, after)
    return VerdictChange(what, verdict.label, before, after, none, worse)
