"""A difference before its causes are known: the part of two values that is looked at, and how far apart these are."""

from __future__ import annotations

from fractions import Fraction
from typing import Final, cast

from msgspec import Struct

from capwright.base.exact import Number, from_text, norm, to_text
from capwright.comparison.sides import Triple, is_apart, values
from capwright.document.diffdoc import Difference, Part
from capwright.document.plandoc import Quantity, Tree
from capwright.document.retape import Key
from capwright.document.withholding import WITHHELD, is_withheld

_PARTS: Final[tuple[Part, ...]] = ("nominal", "low", "high")


class Pending(Struct):
    """A difference whose causes are still to be found: its parts, and the quantity or the two trees it is about."""

    part: Part | None
    before: Number | None
    after: Number | None
    separated: bool
    withheld: bool = False
    key: Key | None = None
    trees: tuple[Tree, Tree] | None = None
    lost: tuple[str, ...] = ()
    won: tuple[str, ...] = ()
    alike: bool = False
    """Whether nothing of it changed: neither the part nor the range."""


def pending_of(before: Quantity, after: Quantity) -> Pending:
    """The difference of one quantity on the two sides."""
    held = difference_of(values(before), values(after))
    held.withheld = is_withheld(before) or is_withheld(after)
    return held


def difference_of(before: Triple, after: Triple) -> Pending:
    """The part to look at: the first that both have and that differs."""
    one = {"low": before[0], "nominal": before[1], "high": before[2]}
    two = {"low": after[0], "nominal": after[1], "high": after[2]}
    both = [part for part in _PARTS if one[part] is not None and two[part] is not None]
    part = next((p for p in both if one[p] != two[p]), both[0] if both else None)
    separated = is_apart(before, after)
    if part is None:
        return Pending(None, None, None, separated)
    first, second = from_text(cast("str", one[part])), from_text(cast("str", two[part]))
    return Pending(part, first, second, separated, alike=before == after)


def uncaused(held: Pending) -> Difference:
    """A difference without causes."""
    if held.part is None or held.before is None or held.after is None:
        nothing = WITHHELD if held.withheld else "no part of the value is established on both sides"
        return Difference(None, None, None, held.separated, "none", 0, (), nothing, held.lost, held.won)
    ratio: str | None = None
    if held.before > 0 and held.after > 0:  # a ratio of negative rooms says nothing that a reader expects
        ratio = to_text(norm(Fraction(held.after) / held.before))
    difference = to_text(norm(Fraction(held.after) - held.before))
    why = None if held.before != held.after or held.alike else "only the range changed"
    return Difference(held.part, difference, ratio, held.separated, "none", 0, (), why, held.lost, held.won)
