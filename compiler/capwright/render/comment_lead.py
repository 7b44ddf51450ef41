"""What a comment on several plans begins with: all of them in the first few lines of a telephone.

Counts over all plans come first, what is worst at their head; then, each under its own words, the verdicts that became worse,
the requirements that ask less now or are gone, what is no longer shown to be violated, what is not met as before, what was
changed at the root, money, and the least room in memory. What one name already tells is not told beside another, and what
several plans share is told once. The plans one by one stand below.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import partial
from itertools import product
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from capwright.base.counting import counted, plural
from capwright.base.exact import from_text
from capwright.document.diffdoc import DiffDoc, RequirementDoc, UnjudgedChange, VerdictChange
from capwright.document.plandoc import PlanDoc, VerdictDoc
from capwright.render.compared import Changed, ChangedVerdict, Comparison, Declaration, Turn
from capwright.render.diff import id_of
from capwright.render.diff_headline import (
    CONFIDED,
    FIRST,
    FLIPS,
    LENGTHS,
    also_with,
    called,
    labelled,
    measured,
    pair,
    shortened,
    tally,
    told_pair,
)
from capwright.render.escape import markdown_text
from capwright.render.markup import to_comment
from capwright.render.money_and_room import (
    changed_money,
    changed_rooms,
    is_of_memory,
    least_room,
    money,
    room,
)
from capwright.render.pieces import Name, Numeral, Piece, Pieces, Quoted, Words, plain
from capwright.render.scaling import readable
from capwright.render.verdicts import margin
from capwright.render.words import NOT_ASKED, STATUS

_PATH: Final = 32
_MORE: Final = 16
_FIRST: Final = {0: 4, 1: 4, 2: 4, 3: 4, 4: 1, 5: 2, 6: 1, 7: 1, 8: 1}
"""By the order of a sort how many of it are to be told before labels stay long and each has its plan beside it."""
_FAILING, _WORSE, _EASED, _LAPSED, _MEASURED, _CAUSE, _SILENT, _PAID, _ROOM, _REST = range(10)
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


class _Item(Struct, frozen=True):
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

    def is_told_by(self, others: Sequence[_Item]) -> bool:
        """Whether it is a number alone, and others tell that: of several plans it is one and the same."""
        return self.sort in (_PAID, _ROOM) and any(not self.about.isdisjoint(other.about) for other in others)

    def pieces(self, length: int, *, with_paths: bool, bare: bool = False) -> Pieces:
        """`small in a.plan and 1 more (5 GiB → 3 GiB)`, the label within `length` characters; `bare` without by how
        much."""
        where: Pieces = (Words(" in "), *_where(self.paths)) if with_paths and self.paths else ()
        said = () if bare and self.is_gauged else self.said(length)
        return (*self.name(length), *where, *((Words(" ("), *said, Words(")")) if said else ()))


def _nothing(_length: int) -> Pieces:
    return ()


def _as_it_is(said: Pieces, _length: int) -> Pieces:
    return said


def _where(paths: Sequence[str], what: str = "") -> Pieces:
    """`a.plan`, or `a.plan and 2 more`, or what there are more of."""
    name = Name(shortened(paths[0], _PATH))
    more = len(paths) - 1
    return (name, Words(f" and {more} more{what and ' ' + plural(more, what)}")) if more else (name,)


def _merged(items: Sequence[_Item]) -> list[_Item]:
    """The items, the worst first, what is said alike of several plans once."""
    found: dict[str, _Item] = {}
    for item in sorted(items, key=lambda item: (item.sort, item.weight)):
        said = f"{plain(item.head)}: {plain(item.pieces(LENGTHS[0], with_paths=False))}"
        old = found.get(said)
        found[said] = (
            item
            if old is None
            else replace(old, paths=(*old.paths, *item.paths), about=old.about | item.about)
        )
    return list(found.values())


def lead(plans: Sequence[Plan], budget: int = FIRST) -> str:
    """The first paragraph, of at most `budget` characters, for several plans in the order of their importance."""
    counts = f"**{markdown_text(_counts(plans))}**"
    items = _merged([item for plan in plans for item in _items(plan)])
    ranks = Counter[int]()
    order: list[tuple[int, int, _Item]] = []
    for item in items:
        order.append((ranks[item.sort], item.sort, item))
        ranks[item.sort] += 1
    # The worst of each sort has its place before the second of any.
    waiting = [item for _, _, item in sorted(order, key=lambda one: one[:2])]
    needed: list[_Item] = []
    for rank, sort, item in order:
        if rank < _FIRST.get(sort, 0) and not item.is_told_by(needed):
            needed.append(item)
    level, kept = (LENGTHS[-1], False), []
    for with_paths, length in product((True, False), LENGTHS):
        text = _text(counts, needed, plans, 0, (length, with_paths))
        if len(text) + (_MORE if len(needed) < len(items) else 0) <= budget:
            level, kept = (length, with_paths), needed
            break
    named = 0
    if kept:
        named = next((n for n in range(FLIPS, 0, -1)
                      if len(_text(counts, kept, plans, n, level)) + _MORE <= budget), 0)  # fmt: skip
    for item in waiting:
        if item in kept or item.is_told_by(kept):
            continue
        if len(_text(counts, [*kept, item], plans, named, level)) + _MORE <= budget:
            kept = [*kept, item]
    text = _text(counts, kept, plans, named, level)
    left = [item for item in items if item not in kept and not item.is_told_by(kept)]
    return _and_more(text, left, budget)


def _text(
    counts: str, items: Sequence[_Item], plans: Sequence[Plan], named: int, level: tuple[int, bool]
) -> str:
    """The counts, and a sentence a head, in the order of their sorts; what is not met as before stands after verdicts."""
    length, with_paths = level
    sentences: dict[tuple[int, str], list[_Item]] = {}
    for item in sorted(items, key=lambda item: item.sort):
        sentences.setdefault((item.sort, plain(item.head)), []).append(item)
    first = [_sentence(held, length, with_paths) for (sort, _), held in sentences.items() if sort <= _LAPSED]
    rest = [_sentence(held, length, with_paths) for (sort, _), held in sentences.items() if sort > _LAPSED]
    return " ".join(filter(None, [counts, *first, _unmet(plans, named, length), *rest]))


def _sentence(items: Sequence[_Item], length: int, with_paths: bool) -> str:
    pieces: list[Piece] = [*items[0].head, Words(": ")] if items[0].head else []
    for at, item in enumerate(items):
        told = item.pieces(length, with_paths=with_paths, bare=at > 0 and not with_paths)
        pieces += [*([Words(", ")] if at else []), *told]
    return to_comment((*pieces, Words(".")))


def _and_more(text: str, left: Sequence[_Item], budget: int) -> str:
    """The text with how many are left, and the names of as many of these as there is room for."""
    if not left:
        return text
    for count in range(len(left), -1, -1):
        pieces: list[Piece] = [Words(f" And {len(left)} more")]
        for at, item in enumerate(left[:count]):
            pieces += [Words(", " if at else ": "), *item.name(LENGTHS[-1])]
        pieces.append(Words(" …" if 0 < count < len(left) else "."))
        longer = text + to_comment(pieces)
        if len(longer) <= budget or not count:
            return longer
    return text


def _unmet(plans: Sequence[Plan], named: int, length: int) -> str:
    """`2 violated, as before: A in P, B in Q and 3 more.`"""
    found: dict[tuple[str, ...], tuple[VerdictDoc, list[str]]] = {}
    for plan in plans:
        for verdict in plan.unmet:
            key = (verdict.place, verdict.written, verdict.status)
            found.setdefault(key, (verdict, []))[1].append(plan.path)
    if not found:
        return ""
    counts = Counter(STATUS[verdict.status][0] for verdict, _ in found.values())
    pieces: list[Piece] = [Words(", ".join(f"{count} {status}" for status, count in counts.items()))]
    pieces.append(Words(", as before"))
    for at, (verdict, paths) in enumerate(list(found.values())[:named]):
        pieces += [Words(", " if at else ": "), *labelled(verdict.label, verdict.written, "", length)]
        pieces += [Words(" in "), *_where(paths, "plan")]
    left = len(found) - named
    return to_comment((*pieces, Words(f" and {left} more." if left > 0 < named else ".")))


def _counts(plans: Sequence[Plan]) -> str:
    """How much there is of each, what is worst first: what fails now before what was made to ask less, and that before what
    is only no longer shown to be bad."""
    every = (verdict for plan in plans if plan.view for verdict in plan.view.flips)
    # A requirement of a file that several plans use is one.
    flips = list({(v.place, v.written, v.option, v.before, v.after): v for v in every}.values())
    turned = [verdict for verdict in flips if verdict.after != NOT_ASKED]
    own, others = ([v for v in turned if bool(v.option) is of_option] for of_option in (False, True))
    compared = any(not plan.lost and (plan.view is not None or not plan.errors) for plan in plans)
    eased = _eased(plans, flips)
    unjudged = {(one.place, one.written) for plan in plans if plan.view for one in plan.view.lost}
    changed = [_changed(own, "verdict")] if own or (compared and not others and not unjudged) else []
    if eased and not others and all(verdict.edit for verdict in own) and _is_still(plans):
        eased = [f"{', '.join(eased)}, and no number moved"]
        changed = [tally(own)] if own else []
    eased = [", ".join(eased)] if eased else []
    found = [*changed, *eased] if any(verdict.worse for verdict in own) else [*eased, *changed]
    found += [_changed(others, "verdict of options", "verdicts of options")] if others else []
    found += _came_and_went(plans)
    found += [f"{counted(len(unjudged), 'verdict')} lost"] if unjudged else []
    broken = sum(plan.errors > 0 for plan in plans)
    mended = sum(not plan.errors and plan.view is not None and bool(plan.view.unsound) for plan in plans)
    lost = sum(plan.lost for plan in plans)
    found += [f"{broken} {plural(broken, 'does', 'do')} not compile"] if broken else []
    found += [f"{mended} did not compile before"] if mended else []
    found += [f"{lost} could not be compared"] if lost else []
    new, deleted = (sum(plan.how == how for plan in plans) for how in ("new", "deleted"))
    found += [f"{new} new"] if new else []
    gone = len({(one.place, one.written) for plan in plans for one in plan.unasked})
    with_it = f" with {counted(gone, 'requirement')}" if gone else ""
    found += [f"{deleted} deleted{with_it}"] if deleted else []
    bad = {
        (one.place, one.written)
        for plan in plans
        if plan.how == "new" and plan.document
        for one in plan.document.verdicts
        if one.status in _BAD
    }
    found += [f"{counted(len(bad), 'requirement')} of new plans not met"] if bad else []
    return f"{counted(len(plans), 'plan')}: {'; '.join(found)}."


def _changed(flips: Sequence[ChangedVerdict], one: str, many: str = "") -> str:
    """How many verdicts changed, what those are now that changed for the worse, which are no longer shown to be bad, and
    how many changed for the better."""
    if not flips:
        return f"no {one} changed"
    said = tally(flips)
    # What became of all of them is told with their number.
    alike = said.startswith(f"{len(flips)} ") and ", " not in said and "better" not in said
    return f"{counted(len(flips), one, many)} {said.partition(' ')[2] if alike else f'changed, {said}'}"


def _eased(plans: Sequence[Plan], flips: Sequence[ChangedVerdict]) -> list[str]:
    """How many requirements were edited, and how, whatever became of their verdicts, and how many are gone from plans that
    are still there: `3 requirements loosened`, `1 removed`."""
    every = (v for plan in plans if plan.view for v in plan.view.asked if v.edit and v.required)
    # A requirement of a file that several plans use is one.
    edits = Counter({(one.place, one.written): one.edit for one in every}.values())
    said = [(edits[edit], str(edit)) for edit in ("loosened", "edited", "tightened") if edits[edit]]
    gone = sum(verdict.after == NOT_ASKED and not verdict.option for verdict in flips)
    said += [(gone, "removed")] if gone else []
    return [
        f"{count} {what}" if at else f"{counted(count, 'requirement')} {what}"
        for at, (count, what) in enumerate(said)
    ]


def _is_still(plans: Sequence[Plan]) -> bool:
    """Whether every plan could be compared, and none of its numbers changed, told or not."""
    return all(
        plan.view is not None
        and not plan.view.unsound
        and not (plan.view.quantities or plan.view.others or plan.view.added or plan.view.removed)
        and not any(remark.sort == "confidential" for remark in plan.view.remarks)
        for plan in plans
    )


def _came_and_went(plans: Sequence[Plan]) -> Iterator[str]:
    options = [option.what for plan in plans if plan.view for option in plan.view.options]
    for what in ("added", "removed"):
        count = options.count(what)
        if count:
            yield f"{counted(count, 'option')} {what}"


_BAD: Final = frozenset(status for status, (_, tone) in STATUS.items() if tone == "bad")


def _items(plan: Plan) -> Iterator[_Item]:
    """All that may be told of a plan."""
    asked = _asked(plan.diff) if plan.diff is not None else {}
    if plan.view is not None:
        for at, turn in enumerate(plan.view.turns):
            yield _flip(plan, turn, at, asked.get(turn.first.id) if not turn.first.option else None)
        for at, verdict in enumerate(plan.view.edited):
            sort = _EASED if verdict.required and verdict.edit != "tightened" else _REST
            limits = partial(_limits, asked.get(verdict.id))
            yield _Item(sort, (Words(verdict.edit),), (at,), partial(called, verdict), limits, (plan.path,))
        yield from _roots(plan, plan.view)
    for at, one in enumerate(plan.unasked):
        name = partial(labelled, one.label, one.written, "")
        yield _Item(_EASED, (Words("deleted"),), (at,), name, _nothing, (plan.path,))
    yield from _money(plan)
    yield from _rooms(plan)


Asked = VerdictChange | UnjudgedChange


def _asked(diff: DiffDoc) -> dict[str, Asked]:
    """What became of each requirement that is on both sides or is new, by the id that it has in the view."""
    found: dict[str, Asked] = {one.after.id: one for one in diff.verdicts if one.after is not None}
    found.update((id_of(one), one) for one in diff.unjudged)
    return found


def _flip(plan: Plan, turn: Turn, at: int, change: Asked | None) -> _Item:
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
    return _Item(
        _sort(verdict), (Words(head),), (at,), partial(called, verdict), partial(_joined, said), (plan.path,),
        gauged, frozenset(about),
    )  # fmt: skip


def _sort(verdict: ChangedVerdict) -> int:
    if verdict.after == NOT_ASKED:
        return _EASED
    if verdict.worse:
        return _FAILING if verdict.after_tone == "bad" else _WORSE
    if verdict.edit == "loosened" and verdict.required:
        return _EASED
    return _REST if verdict.better else _LAPSED


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
            if "".join(one.written.split()) == "".join(two.written.split()):
                return told_pair(was.written, now.written, length)
    return told_pair(before.written, after.written, length)


def _roots(plan: Plan, view: Comparison) -> Iterator[_Item]:
    """What was changed: measurements, declarations that moved a reported number or a verdict, those of verdicts that changed
    first, and confidential ones by their names. What was done to a requirement is told with that."""
    for at, said in enumerate(measured(view).values()):
        yield _Item(_MEASURED, (), (at,), partial(_as_it_is, said), _nothing, (plan.path,))
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
        yield _Item(
            _CAUSE, (Words("changed"),), (one.id not in turning, at), partial(_address, one.address),
            partial(_edit, one), (plan.path,), about=frozenset({(plan.path, one.address)}),
        )  # fmt: skip
    silent = [one for one in view.remarks if one.sort == "confidential"]
    for at, remark in enumerate(silent):
        head, name = (Words(CONFIDED[remark.what]),), partial(_address, remark.name)
        yield _Item(_SILENT, head, (at,), name, _nothing, (plan.path,))


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


def _money(plan: Plan) -> Iterator[_Item]:
    """The money of a plan that is told first, of several plans what rose most; of a plan that stands alone its money."""
    head = (Words("money"),)
    if plan.view is not None and plan.diff is not None:
        for seen, one in list(zip(plan.view.money, changed_money(plan.diff), strict=True))[:1]:
            difference = one.change.difference
            weight = -Fraction(from_text(difference)) if difference is not None else Fraction(0)
            said, about = partial(_as_it_is, brief_pair(seen)), frozenset({(plan.path, seen.address)})
            name = partial(_of, seen.label, seen.address)
            yield _Item(_PAID, head, (weight,), name, said, (plan.path,), about=about)
    elif plan.document is not None and not plan.lost:
        paid = money(readable(plan.document))
        if paid is not None:
            said = partial(_as_it_is, paid.value)
            yield _Item(_PAID, head, (0,), partial(_of, paid.name, ""), said, (plan.path,))


def _of(label: str, address: str, length: int) -> Pieces:
    return (Quoted(shortened(label, length)) if label else Name(shortened(address, length)),)


def _rooms(plan: Plan) -> Iterator[_Item]:
    """The least room in memory of those that changed, but for that of an edited requirement; the least of a new plan."""
    head = (Words("room"),)
    if plan.view is not None and plan.diff is not None:
        rooms = {one.after.id: room(one.after) for one in changed_rooms(plan.diff) if one.after is not None}
        for seen in plan.view.rooms[:1]:
            if not seen.edit:
                name = partial(labelled, seen.label, seen.written, "")
                said = partial(_as_it_is, brief_pair(seen.room))
                about = frozenset({(plan.path, f"room {seen.id}")})
                yield _Item(_ROOM, head, (rooms[seen.id],), name, said, (plan.path,), about=about)
    elif plan.document is not None and not plan.lost:
        least = least_room(readable(plan.document).verdicts)
        if least is not None:
            name = partial(labelled, least.label, least.written, "")
            said = partial(_as_it_is, margin(least))
            yield _Item(_ROOM, head, (room(least),), name, said, (plan.path,))
