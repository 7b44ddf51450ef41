"""Why the job of a comment fails, in one sentence: the findings of all its plans, as the exit code counts them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from msgspec import Struct

from capwright.base.counting import counted, plural
from capwright.document.outcome import tally
from capwright.document.plandoc import MeasurementDoc, Status, VerdictDoc
from capwright.render.diff_headline import LENGTHS, shortened
from capwright.render.markup import to_comment
from capwright.render.pieces import Name, Piece, Pieces, Words
from capwright.render.words import STATUS

_NAMED: Final = 3
"""Plans, and measurements, that are named; the rest are counted."""


class Failing(Struct, frozen=True):
    """What of one plan makes its check fail. `unread` says that it cannot be read at all; `old` are the ids of verdicts
    that were as bad before."""

    path: str
    errors: int = 0
    unread: bool = False
    unmet: tuple[VerdictDoc, ...] = ()
    old: frozenset[str] = frozenset()
    contradictions: tuple[MeasurementDoc, ...] = ()


def why_it_fails(found: Sequence[Failing]) -> str:
    """`**The job fails:** 2 requirements violated; 1 plan does not compile (`a.plan`).` as Markdown; empty where it does
    not fail."""
    reasons = [to_comment(reason) for reason in _reasons(found)]
    return f"**The job fails:** {'; '.join(reasons)}.\n\n" if reasons else ""


def _reasons(found: Sequence[Failing]) -> Iterator[Pieces]:
    unread = [one.path for one in found if one.unread]
    if unread:
        yield (Words(f"{counted(len(unread), 'plan')} cannot be read"), *_named(unread))
    broken = [one.path for one in found if one.errors]
    if broken:
        does = plural(len(broken), "does", "do")
        yield (Words(f"{counted(len(broken), 'plan')} {does} not compile"), *_named(broken))
    # A requirement in a file that several plans use is one, and new where it is new in any of them.
    unmet: dict[tuple[str, Status], bool] = {}
    for one in found:
        for verdict in one.unmet:
            key = verdict.place, verdict.status
            unmet[key] = unmet.get(key, True) and verdict.id in one.old
    for status in tally(status for _, status in unmet):
        mine = [old for (_, each), old in unmet.items() if each == status]
        said = f"{counted(len(mine), 'requirement')} {plural(len(mine), 'is', 'are')} {STATUS[status][0]}"
        before = sum(mine)
        whole = before == len(mine)
        yield (
            Words(
                said
                + (", as before this change" if whole else f", {before} of them as before" if before else "")
            ),
        )
    names = [measured.address for one in found for measured in one.contradictions]
    if names:
        verb = plural(len(names), "contradicts", "contradict")
        yield (Words(f"{counted(len(names), 'measurement')} {verb} what is derived"), *_named(names))


def _named(names: Sequence[str]) -> Pieces:
    pieces: list[Piece] = []
    for name in names[:_NAMED]:
        pieces += [Words(", ") if pieces else Words(" ("), Name(shortened(name, LENGTHS[0]))]
    left = len(names) - _NAMED
    return (*pieces, Words(f" and {left} more)" if left > 0 else ")"))
