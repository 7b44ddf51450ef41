"""Requirements of which a side with errors has no verdict: which is which of the two sides, and what was done to it.

No number of such a requirement is compared. What it asks is written for all to see, so that nobody moves a limit unseen by
what breaks a plan, or mends it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial

from msgspec import Struct

from capwright.comparison.edits import edit_as_written, is_limit
from capwright.document.diffdoc import RequirementDoc, UnjudgedChange, WrittenSide
from capwright.document.plandoc import Side, VerdictDoc

Unjudged = tuple[Sequence[RequirementDoc], Sequence[RequirementDoc]]
"""What the two sides ask without a verdict."""


class _Asked(Struct, frozen=True):
    """A requirement of one side, and its verdict there, if any."""

    text: RequirementDoc
    verdict: VerdictDoc | None = None


def unjudged_changes(
    gone: Iterable[VerdictDoc], new: Iterable[VerdictDoc], unjudged: Unjudged, failed: tuple[bool, bool]
) -> tuple[UnjudgedChange, ...]:
    """What can be told of them. `gone` and `new` are the verdicts that only one side has; of a side with errors (`failed`)
    nobody knows what else it asks."""
    left = [*(_Asked(_written(one), one) for one in gone), *map(_Asked, unjudged[0])]
    right = [*(_Asked(_written(one), one) for one in new), *map(_Asked, unjudged[1])]
    pairs = list(_pairs(left, right))
    ours, theirs = ([id(pair[at]) for pair in pairs] for at in (0, 1))
    found = [change for pair in pairs if (change := _change(*pair)) is not None]
    found += [_change_of(None, two) for two in right if id(two) not in theirs and _is_told(two, failed[0])]
    found += [_change_of(one, None) for one in left if id(one) not in ours and _is_told(one, failed[1])]
    return tuple(found)


def _is_told(one: _Asked, other_failed: bool) -> bool:
    """Of what only one side asks: a verdict that the other side may have lost, and a requirement without a verdict that
    came or went. A verdict that came or went is told among the verdicts."""
    return (one.verdict is not None) == other_failed


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


def _pairs(left: list[_Asked], right: list[_Asked]) -> Iterator[tuple[_Asked, _Asked]]:
    """Which is which: by what is written, else by the label, else by what is limited, what is required on both sides first; at least one of the two has no
    verdict."""
    alike: list[Callable[[RequirementDoc], object]] = [
        lambda one: _bare(one.written),
        lambda one: one.label if one.label != one.written else None,
        *(partial(_limited, at) for at in (0, 1)),
    ]
    ways: list[Callable[[RequirementDoc], object]] = [*(partial(_of_one_verb, way) for way in alike), *alike]
    taken = set[int]()
    for way in ways:
        for two in right:
            key = way(two.text)
            same = (
                one
                for one in left
                if id(one) not in taken and way(one.text) == key and not (one.verdict and two.verdict)
            )
            one = next(same, None) if key is not None and id(two) not in taken else None
            if one is not None:
                taken |= {id(one), id(two)}
                yield one, two


def _limited(at: int, one: RequirementDoc) -> object:
    """For a requirement without words of its own: the side that it limits, whatever the limit is now."""
    held = (one.left, one.right)[at]
    if one.label != one.written or held.value is not None or not is_limit(one.comparison):
        return None
    return at, _bare(held.written)


def _of_one_verb(way: Callable[[RequirementDoc], object], one: RequirementDoc) -> object:
    key = way(one)
    return None if key is None else (one.verb, key)


def _bare(text: str) -> str:
    return "".join(text.split())


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
