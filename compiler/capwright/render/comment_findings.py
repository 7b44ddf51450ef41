"""Why the job of a comment fails, in one sentence: the findings of all its plans, as the exit code counts them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from msgspec import Struct

from capwright.base.counting import counted, plural
from capwright.document.outcome import tally
from capwright.document.plandoc import MeasurementDoc, Status, VerdictDoc
from capwright.render.diff_headline import LENGTHS, labelled, shortened
from capwright.render.markup import to_comment
from capwright.render.pieces import Name, Piece, Pieces, Words
from capwright.render.words import STATUS

_NAMED: Final = 3
"""Plans, requirements and measurements that are named; the rest are counted."""


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
    """`**The job fails:** 2 requirements are violated, 1 of them as before (`small` in `base.plan`, `it fits`).` as
    Markdown; empty where it does not fail. Where nothing in the change makes it fail, that is said first."""
    unmet = _unmet(found)
    others = [to_comment(reason) for reason in _others(found)]
    before = not others and all(one.old for one in unmet)
    reasons = [*(to_comment(reason) for reason in _requirements(unmet, each=not before)), *others]
    lead = "The job fails, as before this change:" if before else "The job fails:"
    return f"**{lead}** {'; '.join(reasons)}.\n\n" if reasons else ""


class _Unmet(Struct):
    """A requirement by where it stands, whichever plans ask it: new where it is new in any of them."""

    verdict: VerdictDoc
    paths: list[str]
    old: bool = True

    @property
    def called(self) -> Pieces:
        """Its label, and the place it stands at where that is in none of the plans that are asked."""
        name = labelled(self.verdict.label, self.verdict.written, "", LENGTHS[1])
        file = self.verdict.place.rpartition(":")[0]
        if file in self.paths:
            return name
        return (*name, Words(" at "), Name(shortened(self.verdict.place, LENGTHS[0])))


def _unmet(found: Sequence[Failing]) -> list[_Unmet]:
    each: dict[tuple[str, str, Status], _Unmet] = {}
    for one in found:
        for verdict in one.unmet:
            held = each.setdefault((verdict.place, verdict.written, verdict.status), _Unmet(verdict, []))
            held.paths.append(one.path)
            held.old = held.old and verdict.id in one.old
    return sorted(each.values(), key=lambda held: held.old)


def _requirements(unmet: Sequence[_Unmet], *, each: bool) -> Iterator[Pieces]:
    """By status how many are not met, what makes the job fail now named first; `each` says whether it is told of each
    status how many are as before."""
    for status in tally(one.verdict.status for one in unmet):
        mine = [one for one in unmet if one.verdict.status == status]
        said = f"{counted(len(mine), 'requirement')} {plural(len(mine), 'is', 'are')} {STATUS[status][0]}"
        before = sum(one.old for one in mine)
        if each and before:
            said += ", as before" if before == len(mine) else f", {before} of them as before"
        yield (Words(said), *_listed([one.called for one in mine]))


def _others(found: Sequence[Failing]) -> Iterator[Pieces]:
    unread = [one.path for one in found if one.unread]
    if unread:
        yield (Words(f"{counted(len(unread), 'plan')} cannot be read"), *_named(unread))
    broken = [one.path for one in found if one.errors]
    if broken:
        does = plural(len(broken), "does", "do")
        yield (Words(f"{counted(len(broken), 'plan')} {does} not compile"), *_named(broken))
    names = [measured.address for one in found for measured in one.contradictions]
    if names:
        verb = plural(len(names), "contradicts", "contradict")
        yield (Words(f"{counted(len(names), 'measurement')} {verb} what is derived"), *_named(names))


def _named(names: Sequence[str]) -> Pieces:
    return _listed([(Name(shortened(name, LENGTHS[0])),) for name in names])


def _listed(names: Sequence[Pieces]) -> Pieces:
    """` (A, B, C and 2 more)`."""
    pieces: list[Piece] = []
    for name in names[:_NAMED]:
        pieces += [Words(", ") if pieces else Words(" ("), *name]
    left = len(names) - _NAMED
    return (*pieces, Words(f" and {left} more)" if left > 0 else ")"))
