"""Which requirement of one document is which of the other, by what it asks, else by its words; and which change is told first."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from msgspec import Struct

from capwright.comparison.sides import Side
from capwright.document.diffdoc import AnswerChange, VerdictChange
from capwright.document.outcome import rank
from capwright.document.plandoc import STATUSES, VerdictDoc


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


def matched_verdicts(
    a: Side, b: Side, matched: Mapping[str, object]
) -> tuple[list[Match], list[VerdictDoc], list[VerdictDoc]]:
    """Pairs in the order of the second document, what only it asks, and what only the first one asked."""
    ways: list[Callable[[Side, VerdictDoc], object]] = [
        lambda side, v: (
            v.verb,
            v.comparison,
            *(side.signature(s.formula, matched) for s in (v.left, v.right)),
        ),
        lambda _, v: (v.verb, v.label),
        lambda _, v: (v.verb, "".join(v.written.split())),
    ]
    left, right = list(a.doc.verdicts), list(b.doc.verdicts)
    found: dict[str, Match] = {}
    for way in ways:
        waiting: dict[object, list[VerdictDoc]] = {}
        for verdict in left:
            waiting.setdefault(way(a, verdict), []).append(verdict)
        for verdict in right:
            same = waiting.get(way(b, verdict))
            if same and verdict.id not in found:
                found[verdict.id] = Match(same.pop(0), verdict)
        taken = {match.before.id for match in found.values()}
        left = [v for v in left if v.id not in taken]
        right = [v for v in right if v.id not in found]
    ordered = [found[v.id] for v in b.doc.verdicts if v.id in found]
    return ordered, right, left
