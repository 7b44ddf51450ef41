"""The unit of an axis, and of every value that is named beside it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction

from msgspec.structs import replace

from capwright.base.exact import Number, number
from capwright.base.rounding import magnitude
from capwright.document.plandoc import Quantity, UnitText
from capwright.document.sizes import are_of_two_kinds
from capwright.render.figures import Ends, headline, quantity_ends
from capwright.render.pieces import Numeral, Pieces, Words


def middle(ends: Ends) -> Number | None:
    """The value at which a quantity is drawn: its nominal one, else the end that is established."""
    found = (ends.nominal, ends.low, ends.high)
    return next((value for value in found if value is not None), None)


def axis_unit(quantities: Sequence[Quantity]) -> UnitText:
    """The unit in which most of `quantities` are printed, that of the largest value among equals.

    The first one says what the axis measures.
    """
    alike = [q for q in quantities if q.unit.dimension == quantities[0].unit.dimension]
    symbols = Counter(quantity.unit.symbol for quantity in alike)
    telling = max(alike, key=lambda quantity: (symbols[quantity.unit.symbol], _size(quantity)))
    return telling.unit


def on_axis(quantity: Quantity, unit: UnitText) -> Ends:
    """The value in the unit of its axis; in its own where that measures something else."""
    ends = quantity_ends(quantity)
    return replace(ends, unit=unit) if quantity.unit.dimension == unit.dimension else ends


def on_axis_text(quantity: Quantity, ends: Ends, parts: dict[str, Numeral] | None = None) -> Pieces:
    """A value in the unit of its axis, and as tables have it where it reads as another number there: `74.51 GiB (80 GB)`."""
    told = headline(ends, parts)
    if not are_of_two_kinds(quantity.unit, ends.unit):
        return told
    return (*told, Words(" ("), *headline(quantity_ends(quantity)), Words(")"))


def _size(quantity: Quantity) -> Fraction:
    found = (number(end) for end in (quantity.nominal, quantity.low, quantity.high))
    return max((Fraction(magnitude(value)) for value in found if value is not None), default=Fraction(0))
