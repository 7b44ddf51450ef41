"""Requirements of which a side with errors has no verdict: which is which of the two sides, and what was done to it.

No number of such a requirement is compared. What it asks is written for all to see, so that nobody moves a limit unseen by
what breaks a plan, or mends it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial

from msgspec import Struct

from capwright.base.spelling import unspaced
from capwright.comparison.edits import edit_as_written, is_limit, lesser_first
from capwright.document.diffdoc import RequirementDoc, Unjudged, UnjudgedChange, WrittenSide
from capwright.document.plandoc import Side, VerdictDoc


class _Asked(Struct, frozen=True):
    """A requirement of one side, and its verdict there, if any."""

    text: RequirementDoc
    verdict: VerdictDoc | None = None


def unjudged_changes(
    gone: Iterable[VerdictDoc], new: Iterable[VerdictDoc], sides: tuple[Unjudged, Unjudged]
) -> tuple[UnjudgedChange, ...]:
    """What can be told of them. `gone` and `new` are the verdicts that only one side has."""
    if all(side.complete and not side.requirements for side in sides):
        return ()
    left, right = (
        [*(_Asked(_written(one), one) for one in lone), *map(_Asked, side.requirements)]
        for lone, side in zip((gone, new), sides, strict=True)
    )
    pairs = list(_pairs(left, right))
    ours, theirs = ({id(pair[at]) for pair in pairs} for at in (0, 1))
    found = [change for pair in pairs if (change := _change(*pair)) is not None]
    found += [_change_of(None, two) for two in right if id(two) not in theirs and _is_told(two, sides[0])]
    found += [_change_of(one, None) for one in left if id(one) not in ours and _is_told(one, sides[1])]
    return tuple(found)


def _is_told(one: _Asked, other: Unjudged) -> bool:
    """Of what only one side asks: a verdict that the other side may have lost, and a requirement without a verdict that
    came or went. A verdict that came or went is told among the verdicts."""
    return (one.verdict is None) == other.complete


def _written(verdict: VerdictDoc) -> RequirementDoc:
    """A requirement that has a verdict, as it is written."""
    return RequirementDoc(
        verdict.verb,
        verdict.label,
        verdict.written,
        verdict.comparison,
        _side(verdict.left),
        _side(verdict.right),
        verdict.strict,
        verdict.place,
    )


def _side(side: Side) -> WrittenSide:
    return WrittenSide(side.written, side.low if not side.named and side.low == side.high else None)


def _pairs(left: Sequence[_Asked], right: Sequence[_Asked]) -> Iterator[tuple[_Asked, _Asked]]:
    """Which is which: by what is written, else by the label, else by what is limited, or is to be equal; what is required
    on both sides first. At least one of the two has no verdict."""
    alike: list[Callable[[RequirementDoc], object]] = [
        lambda one: unspaced(one.written),
        lambda one: one.label if one.label != one.written else None,
        *(partial(_compared, at) for at in (0, 1)),
    ]
    ways: list[Callable[[RequirementDoc], object]] = [*(partial(_of_one_verb, way) for way in alike), *alike]
    for way in ways:
        same: dict[tuple[object, bool], list[_Asked]] = {}
        for one in reversed(left):
            if (key := way(one.text)) is not None:
                same.setdefault((key, one.verdict is not None), []).append(one)
        taken = set[int]()
        for two in right:
            key = way(two.text)
            held = (same.get((key, True)) if two.verdict is None else None) or same.get((key, False))
            if held:
                one = held.pop()
                taken |= {id(one), id(two)}
                yield one, two
        left, right = ([one for one in side if id(one) not in taken] for side in (left, right))


def _compared(at: int, one: RequirementDoc) -> object:
    """For a requirement without words of its own: the side that it limits, from above or from below, or says to be equal
    to a number or not, whatever that number is now."""
    if one.label != one.written or not one.comparison:
        return None
    held = lesser_first(one)[at]
    if held.value is not None:
        return None
    return at, "" if is_limit(one.comparison) else one.comparison, unspaced(held.written)


def _of_one_verb(way: Callable[[RequirementDoc], object], one: RequirementDoc) -> object:
    key = way(one)
    return None if key is None else (one.verb, key)


def _change(one: _Asked, two: _Asked) -> UnjudgedChange | None:
    """Nothing where neither side has a verdict and both ask the same."""
    edit = edit_as_written(one.text, two.text)
    if not edit and one.verdict is None and two.verdict is None:
        return None
    return UnjudgedChange(two.text.label, one.text, two.text, one.verdict, two.verdict, edit)


def _change_of(one: _Asked | None, two: _Asked | None) -> UnjudgedChange:
    held = two or one
    assert held is not None
    before, after = (None if each is None else each.text for each in (one, two))
    was, now = (None if each is None else each.verdict for each in (one, two))
    return UnjudgedChange(held.text.label, before, after, was, now)
