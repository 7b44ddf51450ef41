"""What a changed declaration says on either side, and where the change was made."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Final

from capwright.base.exact import from_text, norm
from capwright.base.rounding import shown_together
from capwright.base.source import IMPORTED
from capwright.comparison.blamed import Blamed, Said
from capwright.comparison.sides import LIBRARY
from capwright.document.plandoc import (
    FormulaDoc,
    InputDoc,
    MeasurementDoc,
    PlanDoc,
    Quantity,
    SettingDoc,
    Tree,
    UnitText,
)
from capwright.document.sizes import Families, chosen, families_of
from capwright.document.withholding import WITHHELD, is_withheld

_WRITTEN: Final = frozenset({"plan", "catalogue", "project", "library"})
"""Roles of files that are in the language: what changed in one, a declaration there says."""


def told_apart(before: Said | None, after: Said | None, families: Families) -> tuple[str | None, str | None]:
    """What the two sides say, in words that differ: the expression, else its line, else the exact value. What was
    measured is said in a unit of `families` in which both sides read well; what is assumed with its range, beside which
    a plain number is said to be exact."""
    found: tuple[str | None, str | None] = (None, None)
    if isinstance(before, MeasurementDoc | None) and isinstance(after, MeasurementDoc | None):
        found = _measured(before, after, families)
        if found[0] != found[1]:
            return found
    for way in (_said, _line, _exactly):
        found = (None if before is None else way(before), None if after is None else way(after))
        if found[0] != found[1]:
            return _beside_ranges(found, before, after) if way is _said else found
    return found


def _beside_ranges(
    found: tuple[str | None, str | None], before: Said | None, after: Said | None
) -> tuple[str | None, str | None]:
    """What replaces a range, or is replaced by one, is no range itself."""
    one, two = found
    if _is_assumed(before) and _is_exact(after):
        return one, f"{two} exactly"
    if _is_exact(before) and _is_assumed(after):
        return f"{one} exactly", two
    return found


def _is_assumed(held: Said | None) -> bool:
    return isinstance(held, Quantity) and held.formula is not None and held.formula["op"] == "assume"


def _is_exact(held: Said | None) -> bool:
    return isinstance(held, Quantity) and held.relation == "=" and _literal(held.formula) is not None


def _said(held: Said) -> str:
    match held:
        case SettingDoc():
            return held.value
        case FormulaDoc():
            return held.text
        case MeasurementDoc():
            return _line(held)
        case Quantity():
            return _stated(held)


_BOUND: Final = {">=": "≥ ", "<=": "≤ ", "~": "~ "}
"""What stands before a number that is not all that is known."""
_WHOLE: Final = re.compile(r"(?<![\w.])\d[\d_]*")


def _stated(held: Quantity) -> str:
    """A number as all others are printed, `8,000 requests`, an assumed one with its range; else the expression."""
    if _is_assumed(held):
        assert held.formula is not None
        nominal, low, high = map(
            _literal, (held.formula["args"][0], held.formula["low"], held.formula["high"])
        )
        if nominal is None or low is None or high is None:
            return _line(held)
        return f"{nominal} (assumed {low} .. {high})"
    if is_withheld(held):
        return WITHHELD
    plain = _literal(held.formula)
    said = plain if plain is not None else " ".join(held.written.split())
    return _BOUND.get(held.relation, "") + said


def _literal(tree: Tree | None) -> str | None:
    """A number that is written out, its digits in groups; None for what is no number alone."""
    if tree is None or tree["op"] != "const" or "text" not in tree:
        return None
    return _WHOLE.sub(lambda found: _grouped(found[0].replace("_", "")), " ".join(tree["text"].split()))


def _grouped(digits: str) -> str:
    """`8000` as `8,000`, however many digits there are."""
    first = len(digits) % 3
    parts = [digits[:first], *(digits[at : at + 3] for at in range(first, len(digits), 3))]
    return ",".join(filter(None, parts))


def _measured(
    before: MeasurementDoc | None, after: MeasurementDoc | None, families: Families
) -> tuple[str | None, str | None]:
    held = [each for each in (before, after) if each is not None]
    if not held:
        return None, None
    values = [from_text(end) for each in held for end in (each.low, each.nominal, each.high)]
    unit = chosen(held[-1].unit, values, families)
    return tuple(None if each is None else _range(each, unit) for each in (before, after))  # type: ignore[return-value]  # one for each of two


def _range(held: MeasurementDoc, unit: UnitText) -> str:
    """`31.9 (31.1 .. 32.7) ms`, the ends rounded outward."""
    factor = from_text(unit.factor)
    low, nominal, high = shown_together(
        tuple(
            (norm(Fraction(from_text(end)) / factor), direction)
            for end, direction in ((held.low, "down"), (held.nominal, "nearest"), (held.high, "up"))
        ),
        alike=False,
    )
    if held.low == held.high:
        return f"{nominal} {unit.symbol}".rstrip()
    return f"{nominal} ({low} .. {high}) {unit.symbol}".rstrip()


def _line(held: Said) -> str:
    if isinstance(held, FormulaDoc):
        return f"{held.head} {held.text}"
    return " ".join((held.provenance.line if isinstance(held, Quantity) else held.line).split())


def _exactly(held: Said) -> str:
    if isinstance(held, SettingDoc | FormulaDoc):
        return _said(held)
    return " .. ".join(end for end in (held.low, held.nominal, held.high) if end is not None) or "open"


def place_of(held: Said) -> str:
    return held.provenance.place if isinstance(held, Quantity) else held.place


class Origins:
    """Where changes were made: in a plan, a catalogue of the project's or the library's, a profile, a file that a plan reads."""

    def __init__(self, a: PlanDoc, b: PlanDoc) -> None:
        self.families = families_of({**a.scales, **b.scales})
        inputs = [*a.inputs, *b.inputs]
        self.roles = {one.path: one.role for one in inputs}
        same = {(one.path, one.sha256) for one in a.inputs} & {(one.path, one.sha256) for one in b.inputs}
        self.read = [one for one in inputs if one.role not in _WRITTEN and (one.path, one.sha256) not in same]
        """Files that were read, and that are other ones on the two sides."""

    def of(self, blamed: Blamed, places: list[str]) -> str:
        """Where a declaration was changed. A library's folder of things is a catalogue; one of a single thing has its
        profiles."""
        if blamed.sort == "measurement":
            held = {"before": blamed.before, "after": blamed.after}
            sides = [name for name, each in held.items() if each is not None]
            return "measurement" if len(sides) == 2 else f"measurement, {sides[0]} only"
        given = [each.given for each in (blamed.before, blamed.after) if isinstance(each, SettingDoc)]
        place = next((p for p in reversed(places) if p and not p.startswith(LIBRARY)), places[1] or places[0])
        if any(given) or not place.startswith(LIBRARY):
            return self._project(blamed, place)
        folders = place.split("/")[1:-1]
        if not folders:
            return "library"
        return "catalogue" if folders[0].endswith("s") else f"{folders[0]} profile"

    def _project(self, blamed: Blamed, place: str) -> str:
        if f"{IMPORTED}:" in place:
            return "imported file"
        read = self._read_file(blamed)
        if read is not None:
            return read.role
        return "catalogue" if self.roles.get(place.rpartition(":")[0]) == "catalogue" else "plan edit"

    def _read_file(self, blamed: Blamed) -> InputDoc | None:
        """For what a plan says in the same words on both sides: the file that it reads, where that is another one."""
        before, after = blamed.before, blamed.after
        if before is None or after is None or _line(before) != _line(after):
            return None
        if isinstance(before, Quantity) and _said(before) != _said(after):
            return None
        named = [one for one in self.read if one.path.rpartition("/")[2] in _line(after)]
        return next(iter([*named, *self.read]), None)
