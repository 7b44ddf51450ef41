"""A readable size for every unit: `36.71 GiB/device`, and not eleven digits of bytes.

Only units spelled in base units are changed, and only to sizes that the document lists; whoever writes
`GiB` in a plan has chosen already.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Final, NamedTuple, TypeVar

from msgspec.structs import replace

from capwright.base.exact import Number, from_text
from capwright.base.rounding import magnitude
from capwright.document.plandoc import MeasurementDoc, PlanDoc, Quantity, SourceDoc, UnitText, VerdictDoc

Holder = TypeVar("Holder", Quantity, SourceDoc, MeasurementDoc)


class Size(NamedTuple):
    """One size of a unit: its symbol, its factor as a document spells it and as a number."""

    symbol: str
    text: str
    factor: Fraction
    is_binary: bool


Families = Mapping[str, tuple[Size, ...]]

_HEAD: Final = re.compile(r"[^\W\d]\w*|[$%]")
_WHOLE: Final = 10**7
"""Whole numbers below this are printed as they are: people compare them digit by digit."""
_SHORT: Final = 4
"""Digits of a number that somebody may have written by hand."""


def readable(doc: PlanDoc) -> PlanDoc:
    """The same document, with units in which its numbers read well."""
    families = families_of(doc.scales)
    if not families:
        return doc
    return replace(
        doc,
        quantities=tuple(_rescaled(quantity, families) for quantity in doc.quantities),
        sources=tuple(_rescaled(source, families) for source in doc.sources),
        measurements=tuple(_rescaled(measured, families) for measured in doc.measurements),
        verdicts=tuple(_rescaled_verdict(verdict, families) for verdict in doc.verdicts),
    )


def families_of(scales: Mapping[str, tuple[UnitText, ...]]) -> Families:
    """The sizes of every base unit that a document lists."""
    return {name: tuple(map(_size, sizes)) for name, sizes in scales.items()}


def _size(unit: UnitText) -> Size:
    factor = Fraction(unit.factor)
    whole = factor.numerator if factor.denominator == 1 else 0
    return Size(unit.symbol, unit.factor, factor, whole > 1 and whole & (whole - 1) == 0)


def _rescaled(holder: Holder, families: Families) -> Holder:
    telling = next((value for value in (holder.nominal, holder.low, holder.high) if value is not None), None)
    unit = holder.unit if telling is None else chosen(holder.unit, [from_text(telling)], families)
    return holder if unit is holder.unit else replace(holder, unit=unit)


def _rescaled_verdict(verdict: VerdictDoc, families: Families) -> VerdictDoc:
    sides = (verdict.left, verdict.right)
    ends = [end for side in sides for end in (side.low, side.nominal, side.high) if end is not None]
    unit = chosen(verdict.unit, [from_text(end) for end in ends], families)
    return verdict if unit is verdict.unit else replace(verdict, unit=unit)


def chosen(unit: UnitText, values: Sequence[Number], families: Families) -> UnitText:
    """The size of `unit` in which `values` (in base units) read best; `unit` itself where there is no choice."""
    head = _HEAD.match(unit.symbol)
    family = families.get(head[0]) if head is not None and unit.factor == "1" else None
    given = [value for value in values if value]
    if head is None or family is None or not given or unit.symbol[head.end() : head.end() + 1] == "^":
        return unit
    if all(value.denominator == 1 and magnitude(value) < _WHOLE for value in given):
        return unit
    best = _best(max(map(magnitude, given)), given, family)
    return UnitText(best.symbol + unit.symbol[head.end() :], best.text, unit.dimension)


def _best(largest: Number, given: Sequence[Number], family: tuple[Size, ...]) -> Size:
    """The largest size that is not above `largest`.

    Where there are thousands and powers of two, thousands if every value is short in them: then somebody
    wrote it so.
    """
    binary = [size for size in family if size.is_binary and size.factor <= largest]
    decimal = [size for size in family if not size.is_binary]
    below = [size for size in decimal if size.factor <= largest]
    best = below[-1] if below else decimal[0]
    return best if not binary or all(_is_short(value / best.factor) for value in given) else binary[-1]


def _is_short(value: Fraction) -> bool:
    scaled = abs(value) * 10**_SHORT
    return scaled.denominator == 1 and len(str(scaled.numerator).rstrip("0")) <= _SHORT
