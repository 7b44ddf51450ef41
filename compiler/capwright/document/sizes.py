"""The size of a unit in which a number reads best: `36.71 GiB/device`, and not eleven digits of bytes.

Only units spelled in base units have a choice, and only of sizes that the document lists; whoever writes `GiB` in a
plan has chosen already.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Final

from msgspec import Struct

from capwright.base.dimension import dimension
from capwright.base.exact import Number, from_text
from capwright.base.rounding import magnitude
from capwright.document.plandoc import UnitText


class Size(Struct, frozen=True):
    """One size of a unit: its symbol, its factor as a document spells it and as a number."""

    symbol: str
    text: str
    factor: Number
    is_binary: bool


Families = Mapping[str, tuple[Size, ...]]

_HEAD: Final = re.compile(r"[^\W\d]\w*|[$%]")
_WHOLE: Final = 10**7
"""Whole numbers below this are printed as they are: people compare them digit by digit."""
_SMALL: Final = Fraction(1, 10)
_LONG: Final = 10_000
"""Beside a value below the one, a smaller size is taken, while no value reaches the other in it."""
_SHORT: Final = 4
"""Digits of a number that somebody may have written by hand."""


def families_of(scales: Mapping[str, tuple[UnitText, ...]]) -> Families:
    """The sizes of every base unit that a document lists."""
    return {name: tuple(map(_size, sizes)) for name, sizes in scales.items()}


def _size(unit: UnitText) -> Size:
    factor = from_text(unit.factor)
    return Size(
        unit.symbol, unit.factor, factor, type(factor) is int and factor > 1 and factor & (factor - 1) == 0
    )


def chosen(unit: UnitText, values: Sequence[Number], families: Families) -> UnitText:
    """The size of `unit` in which `values` (in base units) read best; `unit` itself where there is no choice."""
    head = _HEAD.match(unit.symbol)
    family = families.get(head[0]) if head is not None and unit.factor == "1" else None
    if head is None or family is None or not values or unit.symbol[head.end() : head.end() + 1] == "^":
        return unit
    given = [value for value in values if value]
    if all(value.denominator == 1 and magnitude(value) < _WHOLE for value in given):
        best = next((size for size in family if size.factor == 1), None)
        if best is None or best.symbol == head[0] or all(magnitude(value) == 1 for value in values):
            return unit
    else:
        best = _best(max(map(magnitude, given)), given, family)
    return UnitText(best.symbol + unit.symbol[head.end() :], best.text, unit.dimension)


def symbol_of(unit: UnitText) -> str:
    """What a program reads as the unit of a number: the same for one and for several."""
    return dimension(unit.dimension).text() if unit.symbol and unit.factor == "1" else unit.symbol


def _best(largest: Number, given: Sequence[Number], family: tuple[Size, ...]) -> Size:
    """The largest size that is not above `largest`, or a smaller one where values beside it would be too small in it.

    Where there are thousands and powers of two, thousands if every value is short in them: then somebody
    wrote it so.
    """
    binary = [size for size in family if size.is_binary and size.factor <= largest]
    decimal = [size for size in family if not size.is_binary]
    below = [size for size in decimal if size.factor <= largest] or decimal[:1]
    if binary and not all(_is_short(Fraction(value) / below[-1].factor) for value in given):
        return _for_all(min(map(magnitude, given)), largest, binary)
    return _for_all(min(map(magnitude, given)), largest, below)


def _for_all(smallest: Number, largest: Number, sizes: Sequence[Size]) -> Size:
    """Of sizes that grow, the largest in which the smallest value reads well, as far as the largest one still does."""
    best = sizes[-1]
    for size in reversed(sizes[:-1]):
        if smallest >= _SMALL * best.factor or largest >= _LONG * size.factor:
            break
        best = size
    return best


def are_of_two_kinds(one: UnitText, two: UnitText) -> bool:
    """Whether one is a power of two and the other of ten, as GiB and GB: a number reads as another one in them."""
    return "1" not in (one.factor, two.factor) and _size(one).is_binary is not _size(two).is_binary


def _is_short(value: Fraction) -> bool:
    scaled = abs(value) * 10**_SHORT
    return scaled.denominator == 1 and len(str(scaled.numerator).rstrip("0")) <= _SHORT
