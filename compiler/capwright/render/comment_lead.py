"""What a comment on several plans begins with: all of them in the first few lines of a telephone.

Counts over all plans come first, then the worst of each: a verdict that changed, money, and the least room in memory; then
more of these, the worst first, as far as they fit. The plans one by one stand below.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import zip_longest
from typing import Final

from msgspec import Struct

from capwright.base.counting import counted, plural
from capwright.base.exact import from_text
from capwright.document.diffdoc import DiffDoc
from capwright.document.plandoc import PlanDoc
from capwright.render.alone import is_of_memory, least_room, money, room
from capwright.render.diff import ChangedVerdict, Comparison
from capwright.render.diff_headline import FIRST, LENGTHS, MONEY, pair, shortened
from capwright.render.escape import markdown_code, markdown_text
from capwright.render.pieces import plain
from capwright.render.scaling import readable
from capwright.render.verdicts import margin
from capwright.render.words import STATUS

_PATH: Final = 32
_MORE: Final = 16
_APART: Final = 1_000_000
"""More than any plan has verdicts."""


class Plan(Struct, frozen=True):
    """A plan as the lead sees it: its comparison, or the document that stands alone; `errors` are those it has now."""

    path: str
    how: str
    errors: int
    document: PlanDoc | None
    diff: DiffDoc | None
    view: Comparison | None


class _Item(Struct, frozen=True):
    """A sentence of the lead. Lower `weight` is worse, and stands first."""

    weight: Fraction
    label: str
    said: str
    path: str

    def text(self, length: int) -> str:
        """The sentence as Markdown, its label within `length` characters."""
        path = markdown_code(shortened(self.path, _PATH))
        return f"{markdown_text(f'{shortened(self.label, length)}: {self.said}')} ({path})."


def lead(plans: Sequence[Plan], budget: int = FIRST) -> str:
    """The first paragraph, of at most `budget` characters, for several plans in the order of their importance."""
    text = f"**{markdown_text(_counts(plans))}**"
    columns = [
        sorted(found, key=lambda item: item.weight) for found in (_flips(plans), _money(plans), _rooms(plans))
    ]
    most = [column[0] for column in columns if column]
    length = next((n for n in LENGTHS if len(_joined(text, most, n)) <= budget), LENGTHS[-1])
    items = [item for row in zip_longest(*columns) for item in row if item is not None]
    left = 0
    for item in items:
        longer = f"{text} {item.text(length)}"
        if len(longer) + _MORE <= budget:
            text = longer
        else:
            left += 1
    return f"{text} And {left} more." if left else text


def _joined(text: str, items: Sequence[_Item], length: int) -> str:
    return " ".join([text, *(item.text(length) for item in items)])


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
    """How many verdicts changed, how many for the worse, and what fails now."""
    if not flips:
        return f"no {one} changed"
    failed = [verdict.after for verdict in flips if verdict.after_tone == "bad" and verdict.worse]
    worse = sum(verdict.worse for verdict in flips) - len(failed)
    said = [f"{counted(len(flips), one, many)} changed"]
    said += [f"{len(failed)} now {' or '.join(sorted(set(failed)))}"] if failed else []
    said += [f"{worse} {'more ' if failed else ''}for the worse"] if worse else []
    return ", ".join(said)


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
            weight = Fraction(sort * _APART + at)
            found.append(_Item(weight, verdict.name, f"{verdict.before} → {verdict.after}", plan.path))
    return found


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
            weight = -Fraction(from_text(difference)) if difference is not None else Fraction(0)
            found.append(_Item(weight, seen.label or seen.address, pair(seen), plan.path))
        paid = money(readable(plan.document)) if plan.view is None and plan.document is not None else None
        if paid is not None:
            found.append(_Item(Fraction(0), paid[0], plain(paid[1]), plan.path))
    return found


def _rooms(plans: Sequence[Plan]) -> list[_Item]:
    """The least room in memory of each plan, where it changed or the plan is new; the least first."""
    return [item for plan in plans for item in sorted(_rooms_of(plan), key=lambda item: item.weight)[:1]]


def _rooms_of(plan: Plan) -> Iterator[_Item]:
    if plan.view is not None and plan.diff is not None:
        for seen, one in zip(plan.view.verdicts, plan.diff.verdicts, strict=True):
            if one.after is not None and is_of_memory(one.after) and seen.room.differs:
                yield _Item(room(one.after), f"room, {seen.label}", pair(seen.room), plan.path)
    elif plan.document is not None:
        least = least_room(readable(plan.document).verdicts)
        if least is not None:
            yield _Item(room(least), f"room, {least.label or least.written}", plain(margin(least)), plan.path)
