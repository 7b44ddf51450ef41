"""What rounding leaves open of a number that was read off somewhere: the range that a plan can state instead of a point."""

from __future__ import annotations

import re
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import Final

from capwright.syntax.tree import Measure, Quantity

_DIGITS: Final = re.compile(r"([\d_]+)(?:\.([\d_]+))?(?:[eE]([+-]?\d+))?")
_PRECISION: Final = 400
_COARSEST: Final = Fraction(1, 20)
"""Half a digit of a larger part of the number says little of it: who reads `1e1` off a log hardly means 5 .. 15."""


def rounded_off(written: Quantity) -> Fraction:
    """What rounding may have left off, as a part of the number that is written: at most half a unit of its last digit.

    0 where that is more than 5 % of the number, as of `5 GiB` or `1e1 GiB`: then rounding explains nothing.
    """
    if not written.value:
        return Fraction(0)
    part = abs(_half_digit(written) / Fraction(written.value))
    return part if part <= _COARSEST else Fraction(0)


def _half_digit(written: Quantity) -> Fraction:
    """Half a unit of the last digit that is written: 0.005 of `41.87 GiB`, before the unit's factor."""
    found = _DIGITS.match(written.text)
    if found is None:
        return Fraction(0)
    decimals = len((found[2] or "").replace("_", ""))
    return Fraction(1, 2) * Fraction(10) ** (int(found[3] or 0) - decimals)


def point_of(statement: Measure) -> Quantity | None:
    """The number of a measurement that states no range; None where it states one, or is not written as a number."""
    alone = statement.low is None and statement.high is None
    return statement.value if alone and isinstance(statement.value, Quantity) else None


def range_of_rounding(statement: Measure, written: Quantity) -> str:
    """`pool = 41.87 GiB in 41.865 GiB .. 41.875 GiB`, as a plan writes it."""
    half = _half_digit(written)
    unit = f" {written.unit}" if written.unit not in ("", "%") else written.unit
    low, high = (f"{_text(Fraction(written.value) + sign * half)}{unit}" for sign in (-1, 1))
    return f"{'.'.join(statement.path)} = {written.text} in {low} .. {high}"


def _text(value: Fraction) -> str:
    """A number with finitely many decimals, all of them."""
    with localcontext() as context:
        context.prec = _PRECISION
        return format(Decimal(value.numerator) / Decimal(value.denominator), "f")
