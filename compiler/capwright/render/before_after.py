"""One number on both sides of a comparison: before and after with what is established, the difference, and what of it is not
comparable."""

from __future__ import annotations

from typing import Final

from capwright.base.exact import Number, from_text, number
from capwright.base.rounding import MINUS, magnitude, read, shown
from capwright.document.diffdoc import Difference, ValueDoc
from capwright.document.plandoc import UnitText
from capwright.render.figures import (
    Ends,
    headline,
    headlined,
    in_unit,
    numerals_together,
    spanned,
    spans,
    telling,
    unit_piece,
)
from capwright.render.pieces import Name, Numeral, Pieces, Words

NOT_SEPARATED: Final = "the ranges overlap: not separated"
ROOMS_NOT_SEPARATED: Final = "the room before and the room now overlap as ranges: their difference is not separated; the verdict stands by itself"


def ends_of(address: str, unit: UnitText, value: ValueDoc, prefix: str) -> Ends:
    """The parts of one value, each called `prefix` and its name."""
    low, nominal, high = telling(number(value.low), number(value.nominal), number(value.high))
    return Ends(address, address, unit, low, nominal, high, value.approximate, prefix)


def both(address: str, unit: UnitText, before: ValueDoc, after: ValueDoc) -> tuple[Ends, Ends]:
    """The parts of both values."""
    return ends_of(address, unit, before, "before."), ends_of(address, unit, after, "after.")


def pair(ends: tuple[Ends, Ends], before: ValueDoc, after: ValueDoc) -> tuple[Pieces, Pieces]:
    """Both values with what is established of them, in one unit and in enough digits to tell them apart."""
    same_point = ends[0].nominal is not None and ends[0].nominal == ends[1].nominal
    wide = [spans(each) or (same_point and not each.is_point) for each in ends]
    printed = numerals_together([e if w else headlined(e) for e, w in zip(ends, wide, strict=True)])
    found = [
        (Words("true" if value.truth else "false"),) if value.truth is not None
        else spanned(e, p) if w and len(e.parts()) > 1 else headline(e, p)
        for value, e, p, w in zip((before, after), ends, printed, wide, strict=True)
    ]  # fmt: skip
    return found[0], found[1]


def notes_of(change: Difference, before: Ends, after: Ends) -> list[Pieces]:
    """What must be known of a difference beside its number; first of all which measurement is not read in its place any
    more, or is now: then two numbers of different sorts stand beside each other."""
    openings = "; ".join(_openings(before, after))
    notes = [counting(name, counts=False) for name in change.lost]
    notes += [counting(name, counts=True) for name in change.won]
    notes += [(Words(openings),)] if openings else []
    if not change.separated and _may_be_apart(before, after):
        notes.append((Words(NOT_SEPARATED),))
    return [*notes, (Words(change.why),)] if change.why else notes


def unlike(before: Ends, after: Ends) -> Pieces:
    """`a value → a lower bound: not to be subtracted`, where one of two numbers is a value and the other none; empty
    otherwise. It goes wherever the two stand beside each other without their notes."""
    was, now = (_held(each, "nominal") for each in (before, after))
    if was == now or not (before.parts() and after.parts()):
        return ()
    sorts = [f"{'an estimate' if each.approximate else 'a value'}" if held else _sort(each)
             for each, held in ((before, was), (after, now))]  # fmt: skip
    return (Words(f"{sorts[0]} → {sorts[1]}: not to be subtracted"),)


def counting(name: str, *, counts: bool) -> Pieces:
    """That a measurement ceased to count, or began to."""
    return (Words("measurement "), Name(name), Words(" counts now" if counts else " no longer counts"))


def _openings(before: Ends, after: Ends) -> list[str]:
    """What is established on one side only, in words: a bound beside a value is no smaller or larger value."""
    found = []
    for part, name in (("low", "its low end"), ("high", "its high end")):
        if _held(before, part) != _held(after, part):
            found.append(f"{name} is {'open' if _held(before, part) else 'established'} now")
    if _held(before, "nominal") != _held(after, "nominal"):
        lost = _held(before, "nominal")
        sort = _sort(after if lost else before)
        found.insert(0, f"no longer a value but {sort}" if lost else f"a value now, no longer {sort}")
    return found


def _sort(ends: Ends) -> str:
    """What is known of something that has no value."""
    if _held(ends, "low") and _held(ends, "high"):
        return "a range"
    return "a lower bound" if _held(ends, "low") else "an upper bound" if _held(ends, "high") else "open"


def _held(ends: Ends, part: str) -> bool:
    return any(name == part for name, _ in ends.parts())


def _may_be_apart(before: Ends, after: Ends) -> bool:
    """Whether two ranges, not both points, have ends that could be apart: two bounds of one direction never can."""
    facing = any(
        _held(one, "high") and _held(other, "low") for one, other in ((before, after), (after, before))
    )
    return facing and not (before.is_point and after.is_point)


def difference(address: str, unit: UnitText, change: Difference, before: Ends, after: Ends) -> Pieces:
    """`+4.6 GiB (×1.83)`; nothing where there is no number to subtract, or where one of the two is read off a
    measurement that does not count on the other side: that is no gain and no loss. Of a bound the bound is said to change, and of
    what is a bound on one side only no ratio is told: it would be read as one of values."""
    if change.difference is None or change.difference == "0" or change.lost or change.won:
        return ()
    pieces = signed(from_text(change.difference), address, "difference", unit)
    lead: Pieces = ()
    if change.part in ("low", "high"):
        bound = len(before.parts()) == len(after.parts()) == 1
        words = (
            {"low": "lower bound", "high": "upper bound"} if bound else {"low": "low end", "high": "high end"}
        )
        lead = (Words(f"{words[change.part]} "),)
    alike = [name for name, _ in before.parts()] == [name for name, _ in after.parts()]
    if change.ratio is None or (lead and not alike):
        return (*lead, *pieces)
    ratio = shown(from_text(change.ratio))
    if read(ratio) in (0, 1):
        return (*lead, *pieces)
    return (*lead, *pieces, Words(" (×"), Numeral(ratio, address, "ratio", address), Words(")"))


def signed(value: Number, address: str, part: str, unit: UnitText) -> Pieces:
    """A number with its sign, in `unit`."""
    sign = "+" if value > 0 else MINUS if value < 0 else ""
    text = shown(magnitude(in_unit(value, unit)))
    return (
        Words(sign),
        Numeral(text, address, part, address, unit.symbol),
        *unit_piece(unit),
    )
