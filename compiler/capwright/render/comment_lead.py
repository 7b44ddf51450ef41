"""What a comment on several plans begins with: all of them in the first few lines of a telephone.

Counts over all plans come first, then the verdicts that became worse by name, what is not met as before, what was changed,
money, and the least room in memory: of each the worst, and more of these, verdicts first, as far as they fit. What several
plans share is told once. The plans one by one stand below.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import partial
from itertools import zip_longest
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from capwright.base.counting import counted, plural
from capwright.base.exact import from_text
from capwright.document.diffdoc import DiffDoc
from capwright.document.plandoc import PlanDoc, VerdictDoc
from capwright.render.alone import is_of_memory, least_room, money, room
from capwright.render.compared import ChangedVerdict, Comparison
from capwright.render.diff_headline import (
    FIRST,
    FLIPS,
    LENGTHS,
    MONEY,
    called,
    labelled,
    measured,
    no_longer_asked,
    pair,
    shortened,
    tally,
    turned,
)
from capwright.render.escape import markdown_text
from capwright.render.markup import to_comment
from capwright.render.pieces import Name, Piece, Pieces, Quoted, Words, plain
from capwright.render.scaling import readable
from capwright.render.verdicts import margin
from capwright.render.words import STATUS

_PATH: Final = 32
_EDITED: Final = 2
"""The weight of a requirement that was edited: after those whose verdict changed, and was no gain."""
_MORE: Final = 16


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
    """A sentence of the lead on a requirement or a quantity: its name by its length, and what is said of it, if that is
    not in it. Lower `weight` is
    worse, and stands first."""

    weight: tuple[Fraction | int, ...]
    name: Callable[[int], Pieces]
    said: Pieces
    paths: tuple[str, ...]

    def pieces(self, length: int) -> Pieces:
        """What is said, the label within `length` characters."""
        return (*self.name(length), *((Words(": "), *self.said) if self.said else ()))

    def text(self, length: int) -> str:
        """The sentence as Markdown, with the plans that it is of."""
        return to_comment((*self.pieces(length), Words(" ("), *_where(self.paths), Words(").")))


def _where(paths: Sequence[str], what: str = "") -> Pieces:
    """`a.plan`, or `a.plan and 2 more`, or what there are more of."""
    name = Name(shortened(paths[0], _PATH))
    more = len(paths) - 1
    return (name, Words(f" and {more} more{what and ' ' + plural(more, what)}")) if more else (name,)


def _merged(items: Sequence[_Item]) -> list[_Item]:
    """The items, the worst first, what is said alike of several plans once."""
    found: dict[str, _Item] = {}
    for item in sorted(items, key=lambda item: item.weight):
        said = plain(item.pieces(LENGTHS[0]))
        old = found.get(said)
        found[said] = item if old is None else replace(old, paths=(*old.paths, *item.paths))
    return list(found.values())


def lead(plans: Sequence[Plan], budget: int = FIRST) -> str:
    """The first paragraph, of at most `budget` characters, for several plans in the order of their importance."""
    text = f"**{markdown_text(_counts(plans))}**"
    worse, better, edits, measured, paid, rooms = map(
        _merged,
        (*_flips(plans), _edits(plans), _measured(plans), _money(plans), _rooms(plans)),
    )
    # Of each sort the worst has its place; what was edited takes what is left, and stands before numbers where all fit.
    first = [column[0] for column in (measured, paid, rooms) if column]
    length = next(
        (n for n in LENGTHS if len(_joined(text, plans, [*worse[:1], *first], n)) <= budget), LENGTHS[-1]
    )
    kept = len(_joined("", plans, first, length, named=0)) + _MORE
    named = 0
    for item in worse:
        longer = f"{text} {item.text(length)}"
        if named and len(longer) + kept > budget:
            break
        text, named = longer, named + 1
    text = _with_unmet(text, plans, first, length, budget)
    causes = [*measured[:1], *edits[:1]]
    told = " ".join([text, *(item.text(length) for item in (*causes, *paid[:1], *rooms[:1]))])
    first = [*causes, *paid[:1], *rooms[:1]] if len(told) + _MORE <= budget else [*first, *edits[:1]]
    items = [*first, *worse[named:], *measured[1:], *edits[1:], *better]
    items += [item for row in zip_longest(paid[1:], rooms[1:]) for item in row if item is not None]
    left = 0
    for item in items:
        longer = f"{text} {item.text(length)}"
        if len(longer) + _MORE <= budget:
            text = longer
        else:
            left += 1
    return f"{text} And {left} more." if left else text


def _with_unmet(text: str, plans: Sequence[Plan], most: Sequence[_Item], length: int, budget: int) -> str:
    """The counts with what is not met as before: as many of it named as leave room for the worst of all else."""
    said = [f"{text} {unmet}" for named in range(FLIPS, -1, -1) if (unmet := _unmet(plans, named, length))]
    room = budget - _MORE - sum(len(item.text(length)) + 1 for item in most)
    return next((each for each in said if len(each) <= room), said[-1] if said else text)


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


def _joined(text: str, plans: Sequence[Plan], items: Sequence[_Item], length: int, named: int = 1) -> str:
    return " ".join([text, _unmet(plans, named, length), *(item.text(length) for item in items)])


def _counts(plans: Sequence[Plan]) -> str:
    every = (verdict for plan in plans if plan.view for verdict in plan.view.flips)
    # A requirement of a file that several plans use is one.
    flips = list({(v.place, v.written, v.option, v.before, v.after): v for v in every}.values())
    own, others = ([v for v in flips if bool(v.option) is of_option] for of_option in (False, True))
    compared = any(not plan.lost and (plan.view is not None or not plan.errors) for plan in plans)
    found = [_changed(own, "verdict")] if own or (compared and not others) else []
    found += [_changed(others, "verdict of options", "verdicts of options")] if others else []
    found += _edited(plans)
    found += _came_and_went(plans)
    broken = sum(plan.errors > 0 for plan in plans)
    lost = sum(plan.lost for plan in plans)
    found += [f"{broken} {plural(broken, 'does', 'do')} not compile"] if broken else []
    found += [f"{lost} could not be compared"] if lost else []
    for how in ("new", "deleted"):
        count = sum(plan.how == how for plan in plans)
        found += [f"{count} {how}"] if count else []
    gone = {(one.place, one.written) for plan in plans for one in plan.unasked}
    found += [f"{counted(len(gone), 'requirement')} of deleted plans no longer asked"] if gone else []
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
    return f"{counted(len(flips), one, many)} changed, {tally(flips)}"


def _edited(plans: Sequence[Plan]) -> Iterator[str]:
    """How many requirements were edited whose verdict is as before, and how."""
    every = (verdict for plan in plans if plan.view for verdict in plan.view.edited)
    # A requirement of a file that several plans use is one.
    held = {(one.place, one.written): one.edit for one in every}
    for edit, count in Counter(held.values()).items():
        yield f"{counted(count, 'requirement')} {edit}"


def _came_and_went(plans: Sequence[Plan]) -> Iterator[str]:
    options = [option.what for plan in plans if plan.view for option in plan.view.options]
    for what in ("added", "removed"):
        count = options.count(what)
        if count:
            yield f"{counted(count, 'option')} {what}"


_BAD: Final = frozenset(status for status, (_, tone) in STATUS.items() if tone == "bad")


def _flips(plans: Sequence[Plan]) -> tuple[list[_Item], list[_Item]]:
    """Verdicts that changed and not for the better, what became worse and fails first, with what was deleted or edited; and
    those that did; of each plan one before the second of any."""
    others: list[_Item] = []
    better: list[_Item] = []
    for plan in plans:
        for at, turn in enumerate(plan.view.turns if plan.view else ()):
            verdict, said = turn.first, turned(turn, LENGTHS[0])
            weight = (at,) if verdict.better else (not verdict.worse, verdict.after_tone != "bad", at)
            item = _Item(weight, partial(called, verdict), said, (plan.path,))
            (better if verdict.better else others).append(item)
        others += [
            _Item((_EDITED, at), partial(_loosened, verdict), (), (plan.path,))
            for at, verdict in enumerate(plan.view.edited if plan.view else ())
        ]
        if plan.unasked:
            others.append(_Item((True, True, 0), partial(_deleted, plan.unasked), (), (plan.path,)))
    return others, better


def _loosened(verdict: ChangedVerdict, length: int) -> Pieces:
    return (Words(f"requirement {verdict.edit}: "), *called(verdict, length))


def _deleted(verdicts: Sequence[VerdictDoc], length: int) -> Pieces:
    return (Words("deleted"), *no_longer_asked(verdicts, FLIPS, length))


def _edits(plans: Sequence[Plan]) -> list[_Item]:
    """Declarations that moved a reported number, and confidential ones by their names."""
    found = []
    for plan in plans:
        moved = [one for one in plan.view.edits if not one.idle] if plan.view else []
        found += [
            _Item((at,), partial(_edit, one.address, one.before, one.after), (), (plan.path,))
            for at, one in enumerate(moved)
        ]
        found += [
            _Item((len(moved) + at,), partial(_silent, one.name), (), (plan.path,))
            for at, one in enumerate(plan.view.remarks if plan.view else ())
            if one.sort == "confidential"
        ]
    return found


def _edit(address: str, before: str, after: str, length: int) -> Pieces:
    told = (Name(shortened(value, length)) if value else Words("nothing") for value in (before, after))
    was, now = told
    return (Words("changed "), Name(shortened(address, length)), Words(": "), was, Words(" → "), now)


def _silent(name: str, length: int) -> Pieces:
    return (Words("changed, and confidential: "), Name(shortened(name, length)))


def _measured(plans: Sequence[Plan]) -> list[_Item]:
    """Measurements that began or ceased to count, or that state something else now."""
    return [
        _Item((at,), partial(_whole, said), (), (plan.path,))
        for plan in plans
        for at, said in enumerate(measured(plan.view).values() if plan.view else ())
    ]


def _whole(said: Pieces, _length: int) -> Pieces:
    return said


def _money(plans: Sequence[Plan]) -> list[_Item]:
    """Money by plan, what rose most first."""
    found = []
    for plan in plans:
        changes = (
            zip(plan.view.quantities, plan.diff.quantities, strict=True) if plan.view and plan.diff else ()
        )
        held = [
            (seen, one.change.difference) for seen, one in changes if one.unit.dimension.get(MONEY, 0) > 0
        ]
        for seen, difference in held[:1]:
            weight = -Fraction(from_text(difference)) if difference is not None else 0
            found.append(_Item((weight,), partial(_of, seen.label, seen.address), pair(seen), (plan.path,)))
        alone = plan.document if plan.view is None and not plan.lost else None
        paid = money(readable(alone)) if alone is not None else None
        if paid is not None:
            found.append(_Item((0,), partial(_of, paid[0], ""), paid[1], (plan.path,)))
    return found


def _of(label: str, address: str, length: int) -> Pieces:
    return (Quoted(shortened(label, length)) if label else Name(shortened(address, length)),)


def _room(label: str, written: str, length: int) -> Pieces:
    return (Words("room, "), *labelled(label, written, "", length))


def _rooms(plans: Sequence[Plan]) -> list[_Item]:
    """The least room in memory of each plan, where it changed or the plan is new; the least first."""
    return [item for plan in plans for item in sorted(_rooms_of(plan), key=lambda item: item.weight)[:1]]


def _rooms_of(plan: Plan) -> Iterator[_Item]:
    if plan.view is not None and plan.diff is not None:
        for seen, one in zip(plan.view.verdicts, plan.diff.verdicts, strict=True):
            if one.after is not None and is_of_memory(one.after) and seen.room.differs:
                name = partial(_room, seen.label, seen.written)
                yield _Item((room(one.after),), name, pair(seen.room), (plan.path,))
    elif plan.document is not None and not plan.lost:
        least = least_room(readable(plan.document).verdicts)
        if least is not None:
            yield _Item(
                (room(least),), partial(_room, least.label, least.written), margin(least), (plan.path,)
            )
