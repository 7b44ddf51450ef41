"""What a comment's first lines may tell of each plan: requirements, declarations, money and rooms, each with its words for
every length of a label and with what it is weighed by."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import partial
from typing import Final

from msgspec import Struct

from capwright.base.counting import plural
from capwright.base.exact import from_text
from capwright.base.spelling import unspaced
from capwright.document.diffdoc import DiffDoc, RequirementDoc, UnjudgedChange, VerdictChange
from capwright.document.plandoc import PlanDoc, VerdictDoc
from capwright.render.compared import Changed, ChangedVerdict, Comparison, Declaration, Turn
from capwright.render.diff_headline import (
    CONFIDED,
    also_with,
    called,
    labelled,
    measured,
    pair,
    shortened,
    told_pair,
)
from capwright.render.diff_verdicts import id_of
from capwright.render.money_and_room import (
    changed_money,
    changed_rooms,
    is_of_memory,
    least_room,
    money,
    room,
)
from capwright.render.pieces import Name, Numeral, Piece, Pieces, Quoted, Words
from capwright.render.scaling import readable
from capwright.render.verdicts import margin
from capwright.render.words import NOT_ASKED

_PATH: Final = 32
FAILING, WORSE, EASED, LAPSED, MEASURED, CAUSE, SILENT, PAID, ROOM, REST = range(10)
"""The sorts of what is told, in their order: what fails now, what became worse otherwise, requirements that ask less or are
gone, what is no longer shown to be bad, measurements, what was changed, and what of that is confidential, money, room in
memory, and all that is as it should be."""


class Plan(Struct, frozen=True):
    """A plan as the lead sees it: its comparison, or the document that stands alone; `errors` are those it has now, and
    `unmet` what of it is not met as before; `unasked` is what nobody asks any more, as it was deleted."""

    path: str
    how: str
    errors: int
    document: PlanDoc | None
    diff: DiffDoc | None
    view: Comparison | None
    unmet: tuple[VerdictDoc, ...]
    unasked: tuple[VerdictDoc, ...] = ()

    @property
    def lost(self) -> bool:
        """Whether nothing of it could be compared, though it was there before."""
        is_here = self.errors > 0 or self.document is not None
        return is_here and self.view is None and self.how in ("changed", "renamed")


class Item(Struct, frozen=True):
    """A requirement, a declaration or a quantity that the lead tells, under the words of its `head`: its name and what is
    `said` of it, each by the length of a label. Of one sort and one head the lower `weight` is worse, and stands first."""

    sort: int
    head: Pieces
    weight: tuple[Fraction | int, ...]
    name: Callable[[int], Pieces]
    said: Callable[[int], Pieces]
    paths: tuple[str, ...]
    is_gauged: bool = False
    """Whether what is said is only by how much: of several beside each other the first tells it."""
    about: frozenset[tuple[str, str]] = frozenset()
    """The quantities and the rooms that it tells, by plan: of each one item is enough."""

    def is_told_by(self, others: Sequence[Item]) -> bool:
        """Whether it is a number alone, and others tell that: of several plans it is one and the same."""
        return self.sort in (PAID, ROOM) and any(not self.about.isdisjoint(other.about) for other in others)

    def pieces(self, length: int, *, with_paths: bool, bare: bool = False) -> Pieces:
        """`small in a.plan and 1 more (5 GiB → 3 GiB)`, the label within `length` characters; `bare` without by how
        much."""
        where: Pieces = (Words(" in "), *in_plans(self.paths)) if with_paths and self.paths else ()
        said = () if bare and self.is_gauged else self.said(length)
        return (*self.name(length), *where, *((Words(" ("), *said, Words(")")) if said else ()))


def _nothing(_length: int) -> Pieces:
    return ()


def _as_it_is(said: Pieces, _length: int) -> Pieces:
    return said


def in_plans(paths: Sequence[str], what: str = "") -> Pieces:
    """`a.plan`, or `a.plan and 2 more`, or what there are more of."""
    name = Name(shortened(paths[0], _PATH))
    more = len(paths) - 1
    return (name, Words(f" and {more} more{what and ' ' + plural(more, what)}")) if more else (name,)


def items_of(plan: Plan) -> Iterator[Item]:
    """All that may be told of a plan."""
    asked = _asked(plan.diff) if plan.diff is not None else {}
    if plan.view is not None:
        for at, turn in enumerate(plan.view.turns):
            yield _flip(plan, turn, at, asked.get(turn.first.id) if not turn.first.option else None)
        for at, verdict in enumerate(plan.view.edited):
            sort = EASED if verdict.required and verdict.edit != "tightened" else REST
            limits = partial(_limits, asked.get(verdict.id))
            yield Item(sort, (Words(verdict.edit),), (at,), partial(called, verdict), limits, (plan.path,))
        yield from _roots(plan, plan.view)
    for at, one in enumerate(plan.unasked):
        name = partial(labelled, one.label, one.written, "")
        yield Item(EASED, (Words("deleted"),), (at,), name, _nothing, (plan.path,))
    yield from _money(plan)
    yield from _rooms(plan)


Asked = VerdictChange | UnjudgedChange


def _asked(diff: DiffDoc) -> dict[str, Asked]:
    """What became of each requirement that is on both sides or is new, by the id that it has in the view."""
    found: dict[str, Asked] = {one.after.id: one for one in diff.verdicts if one.after is not None}
    found.update((id_of(one), one) for one in diff.unjudged)
    return found


def _flip(plan: Plan, turn: Turn, at: int, change: Asked | None) -> Item:
    """A verdict that changed: what was done to the requirement, or by how much its money or its room moved."""
    verdict = turn.first
    said: list[Callable[[int], Pieces]] = []
    about: list[tuple[str, str]] = []
    if verdict.edit:
        said.append(partial(_limits, change))
    elif plan.view is not None and isinstance(change, VerdictChange) and change.after is not None:
        sides = {change.after.left.address, change.after.right.address}
        paid = next((q for q in plan.view.money if q.address in sides), None)
        if paid is not None:
            about.append((plan.path, paid.address))
            said.append(partial(_as_it_is, brief_pair(paid)))
        elif is_of_memory(change.after) and verdict.room.differs:
            about.append((plan.path, f"room {verdict.id}"))
            said.append(partial(_as_it_is, (Words("room "), *brief_pair(verdict.room))))
    said.append(partial(also_with, turn))
    if verdict.after == NOT_ASKED:
        head, said = "removed", [partial(_as_it_is, (Words(f"was: {verdict.before}"),))]
    elif verdict.before == NOT_ASKED:
        head = f"new, {verdict.after}"
    else:
        head = f"{verdict.edit and verdict.edit + ', '}{verdict.before} → {verdict.after}"
    gauged = not verdict.edit and len(said) > 1 and not turn.also
    return Item(
        _sort(verdict), (Words(head),), (at,), partial(called, verdict), partial(_joined, said), (plan.path,),
        gauged, frozenset(about),
    )  # fmt: skip


def _sort(verdict: ChangedVerdict) -> int:
    if verdict.after == NOT_ASKED:
        return EASED
    if verdict.worse:
        return FAILING if verdict.after_tone == "bad" else WORSE
    if verdict.edit == "loosened" and verdict.required:
        return EASED
    return REST if verdict.better else LAPSED


def _joined(said: Sequence[Callable[[int], Pieces]], length: int) -> Pieces:
    pieces: list[Piece] = []
    for each in said:
        if found := each(length):
            pieces += [*([Words("; ")] if pieces else []), *found]
    return tuple(pieces)


def _limits(change: Asked | None, length: int) -> Pieces:
    """What a requirement asked and asks: of one whose one side was edited that side alone."""
    before: VerdictDoc | RequirementDoc | None = None
    after: VerdictDoc | RequirementDoc | None = None
    match change:
        case VerdictChange():
            before, after = change.before, change.after
        case UnjudgedChange():
            before, after = change.asked_before, change.asked_after
    if before is None or after is None:
        return ()
    if before.written == after.written:
        return () if before.verb == after.verb else told_pair(before.verb, after.verb, length)
    if before.comparison == after.comparison:
        for one, two, was, now in (
            (before.left, after.left, before.right, after.right),
            (before.right, after.right, before.left, after.left),
        ):
            if unspaced(one.written) == unspaced(two.written):
                return told_pair(was.written, now.written, length)
    return told_pair(before.written, after.written, length)


def _roots(plan: Plan, view: Comparison) -> Iterator[Item]:
    """What was changed: measurements, declarations that moved a reported number or a verdict, those of verdicts that changed
    first, and confidential ones by their names. What was done to a requirement is told with that."""
    for at, said in enumerate(measured(view).values()):
        yield Item(MEASURED, (), (at,), partial(_as_it_is, said), _nothing, (plan.path,))
    asked = {one.id for one in plan.diff.declarations if one.sort == "requirement"} if plan.diff else set()
    turning = {
        id
        for one in (plan.diff.verdicts if plan.diff else ())
        if one.what != "margin"
        for cause in one.change.causes
        for id in cause.declarations
    }
    moved = [one for one in view.edits if not one.idle and one.id not in asked]
    for at, one in enumerate(sorted(moved, key=lambda one: one.id not in turning)):
        yield Item(
            CAUSE, (Words("changed"),), (one.id not in turning, at), partial(_address, one.address),
            partial(_edit, one), (plan.path,), about=frozenset({(plan.path, one.address)}),
        )  # fmt: skip
    silent = [one for one in view.remarks if one.sort == "confidential"]
    for at, remark in enumerate(silent):
        head, name = (Words(CONFIDED[remark.what]),), partial(_address, remark.name)
        yield Item(SILENT, head, (at,), name, _nothing, (plan.path,))


def _address(address: str, length: int) -> Pieces:
    return (Name(shortened(address, length)),)


def _edit(one: Declaration, length: int) -> Pieces:
    return (*told_pair(one.before, one.after, length), *((Words(", "), *one.ratio) if one.ratio else ()))


def brief_pair(changed: Changed) -> Pieces:
    """What was and what is, the unit once where both are one number in it."""
    before, after = list(changed.before), list(changed.after)
    if changed.unlike or any(sum(isinstance(p, Numeral) for p in side) != 1 for side in (before, after)):
        return pair(changed)
    while before and after and before[-1] == after[-1] and not isinstance(before[-1], Numeral):
        before.pop()
        after.pop()
    return (*before, Words(" → "), *after, *changed.after[len(after) :])


def _money(plan: Plan) -> Iterator[Item]:
    """The money of a plan that is told first, of several plans what rose most; of a plan that stands alone its money."""
    head = (Words("money"),)
    if plan.view is not None and plan.diff is not None:
        for seen, one in list(zip(plan.view.money, changed_money(plan.diff), strict=True))[:1]:
            difference = one.change.difference
            weight = -Fraction(from_text(difference)) if difference is not None else Fraction(0)
            said, about = partial(_as_it_is, brief_pair(seen)), frozenset({(plan.path, seen.address)})
            name = partial(_of, seen.label, seen.address)
            yield Item(PAID, head, (weight,), name, said, (plan.path,), about=about)
    elif plan.document is not None and not plan.lost:
        paid = money(readable(plan.document))
        if paid is not None:
            said = partial(_as_it_is, paid.value)
            yield Item(PAID, head, (0,), partial(_of, paid.name, ""), said, (plan.path,))


def _of(label: str, address: str, length: int) -> Pieces:
    return (Quoted(shortened(label, length)) if label else Name(shortened(address, length)),)


def _rooms(plan: Plan) -> Iterator[Item]:
    """The least room in memory of those that changed, but for that of an edited requirement; the least of a new plan."""
    head = (Words("room"),)
    if plan.view is not None and plan.diff is not None:
        rooms = {one.after.id: room(one.after) for one in changed_rooms(plan.diff) if one.after is not None}
        for seen in plan.view.rooms[:1]:
            if not seen.edit:
                name = partial(labelled, seen.label, seen.written, "")
                said = partial(_as_it_is, brief_pair(seen.room))
                about = frozenset({(plan.path, f"room {seen.id}")})
                yield Item(ROOM, head, (rooms[seen.id],), name, said, (plan.path,), about=about)
    elif plan.document is not None and not plan.lost:
        least = least_room(readable(plan.document).verdicts)
        if least is not None:
            name = partial(labelled, least.label, least.written, "")
            said = partial(_as_it_is, margin(least))
            yield Item(ROOM, head, (room(least),), name, said, (plan.path,))
