"""What a comment on several plans begins with: all of them in the first few lines of a telephone.

Counts over all plans come first, then the worst of each: a verdict that changed, what is not met as before, money, and the
least room in memory; then more of these, verdicts first, as far as they fit. The plans one by one stand below.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import partial
from itertools import zip_longest
from typing import Final

from msgspec import Struct

from capwright.base.counting import counted, plural
from capwright.base.exact import from_text
from capwright.document.diffdoc import DiffDoc
from capwright.document.plandoc import PlanDoc, VerdictDoc
from capwright.render.alone import is_of_memory, least_room, money, room
from capwright.render.diff import ChangedVerdict, Comparison
from capwright.render.diff_headline import (
    FIRST,
    FLIPS,
    LENGTHS,
    MONEY,
    called,
    labelled,
    measured,
    pair,
    shortened,
    tally,
)
from capwright.render.escape import markdown_text
from capwright.render.markup import to_comment
from capwright.render.pieces import Name, Piece, Pieces, Quoted, Words
from capwright.render.scaling import readable
from capwright.render.verdicts import margin
from capwright.render.words import STATUS

_PATH: Final = 32
_MORE: Final = 16


class Plan(Struct, frozen=True):
    """A plan as the lead sees it: its comparison, or the document that stands alone; `errors` are those it has now, and
    `unmet` what of it is not met as before."""

    path: str
    how: str
    errors: int
    document: PlanDoc | None
    diff: DiffDoc | None
    view: Comparison | None
    unmet: tuple[VerdictDoc, ...]


class _Item(Struct, frozen=True):
    """A sentence of the lead on a requirement or a quantity: its name by its length, and what is said of it, if that is
    not in it. Lower `weight` is
    worse, and stands first."""

    weight: tuple[Fraction | int, ...]
    name: Callable[[int], Pieces]
    said: Pieces
    path: str

    def text(self, length: int) -> str:
        """The sentence as Markdown, its label within `length` characters."""
        said = (Words(": "), *self.said) if self.said else ()
        return to_comment((*self.name(length), *said, Words(" ("), _path(self.path), Words(").")))


def _path(path: str) -> Name:
    return Name(shortened(path, _PATH))


def lead(plans: Sequence[Plan], budget: int = FIRST) -> str:
    """The first paragraph, of at most `budget` characters, for several plans in the order of their importance."""
    text = f"**{markdown_text(_counts(plans))}**"
    flips, measured, paid, rooms = (
        sorted(found, key=lambda item: item.weight)
        for found in (_flips(plans), _measured(plans), _money(plans), _rooms(plans))
    )
    most = [column[0] for column in (flips, measured, paid, rooms) if column]
    length = next((n for n in LENGTHS if len(_joined(text, plans, most, n)) <= budget), LENGTHS[-1])
    if flips:
        text = f"{text} {flips[0].text(length)}"
    text = _with_unmet(text, plans, most[len(flips[:1]) :], length, budget)
    items = [*measured[:1], *paid[:1], *rooms[:1], *flips[1:], *measured[1:]]
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
    found = [(plan, verdict) for plan in plans for verdict in plan.unmet]
    if not found:
        return ""
    counts = Counter(STATUS[verdict.status][0] for _, verdict in found)
    pieces: list[Piece] = [Words(", ".join(f"{count} {status}" for status, count in counts.items()))]
    pieces.append(Words(", as before"))
    for at, (plan, verdict) in enumerate(found[:named]):
        pieces += [Words(", " if at else ": "), *labelled(verdict.label, verdict.written, "", length)]
        pieces += [Words(" in "), _path(plan.path)]
    left = len(found) - named
    return to_comment((*pieces, Words(f" and {left} more." if left > 0 < named else ".")))


def _joined(text: str, plans: Sequence[Plan], items: Sequence[_Item], length: int) -> str:
    return " ".join([text, _unmet(plans, 1, length), *(item.text(length) for item in items)])


def _counts(plans: Sequence[Plan]) -> str:
    flips = [verdict for plan in plans if plan.view for verdict in plan.view.flips]
    own, others = ([v for v in flips if bool(v.option) is of_option] for of_option in (False, True))
    found = [_changed(own, "verdict")] if own or not others else []
    found += [_changed(others, "verdict of options", "verdicts of options")] if others else []
    found += _came_and_went(plans)
    broken = sum(plan.errors > 0 for plan in plans)
    found += [f"{broken} {plural(broken, 'does', 'do')} not compile"] if broken else []
    for how in ("new", "deleted"):
        count = sum(plan.how == how for plan in plans)
        found += [f"{count} {how}"] if count else []
    bad = sum(
        one in _BAD
        for plan in plans
        if plan.how == "new" and plan.document
        for one in _statuses(plan.document)
    )
    found += [f"{counted(bad, 'requirement')} of new plans not met"] if bad else []
    return f"{counted(len(plans), 'plan')}: {'; '.join(found)}."


def _changed(flips: Sequence[ChangedVerdict], one: str, many: str = "") -> str:
    """How many verdicts changed, what those are now that changed for the worse, and how many changed for the better."""
    if not flips:
        return f"no {one} changed"
    return f"{counted(len(flips), one, many)} changed, {tally(flips)}"


def _came_and_went(plans: Sequence[Plan]) -> Iterator[str]:
    options = [option.what for plan in plans if plan.view for option in plan.view.options]
    for what in ("added", "removed"):
        count = options.count(what)
        if count:
            yield f"{counted(count, 'option')} {what}"


_BAD: Final = frozenset(status for status, (_, tone) in STATUS.items() if tone == "bad")


def _statuses(document: PlanDoc) -> Iterator[str]:
    return (verdict.status for verdict in document.verdicts)


def _flips(plans: Sequence[Plan]) -> list[_Item]:
    """Verdicts that changed, those for the worse first, and of them those that fail; of each plan one before the
    second of any."""
    found = []
    for plan in plans:
        for at, verdict in enumerate(plan.view.flips if plan.view else ()):
            sort = 2 - verdict.worse - (verdict.worse and verdict.after_tone == "bad")
            said = (Words(f"{verdict.before} → {verdict.after}"),)
            found.append(_Item((sort, at), partial(called, verdict), said, plan.path))
    return found


def _measured(plans: Sequence[Plan]) -> list[_Item]:
    """Measurements that began or ceased to count, or that state something else now."""
    return [
        _Item((at,), partial(_whole, said), (), plan.path)
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
            found.append(_Item((weight,), partial(_of, seen.label, seen.address), pair(seen), plan.path))
        paid = money(readable(plan.document)) if plan.view is None and plan.document is not None else None
        if paid is not None:
            found.append(_Item((0,), partial(_of, paid[0], ""), paid[1], plan.path))
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
                yield _Item((room(one.after),), name, pair(seen.room), plan.path)
    elif plan.document is not None:
        least = least_room(readable(plan.document).verdicts)
        if least is not None:
            yield _Item((room(least),), partial(_room, least.label, least.written), margin(least), plan.path)
