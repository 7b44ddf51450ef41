"""Axes: where a value lies in a drawing, and which ticks are worth printing.

Positions in a drawing are pixels and shares of a width; they are the one place where a number may be a
float, since nobody reads them back.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Final

from msgspec import Struct

from capwright.base.exact import Number
from capwright.base.rounding import exponent

TICKS: Final = 5
DECADES: Final = 12


class Linear(Struct, frozen=True):
    """Equal steps for equal differences; `low < high`."""

    low: Number
    high: Number

    def at(self, value: Number) -> float:
        share = Fraction(value - self.low) / Fraction(self.high - self.low)
        return float(min(max(share, Fraction(0)), Fraction(1)))

    def ticks(self) -> list[Number]:
        step = round_step(Fraction(self.high - self.low) / TICKS)
        first = math.ceil(self.low / step)
        return [index * step for index in range(first, math.floor(self.high / step) + 1)]


class Logarithmic(Struct, frozen=True):
    """Equal steps for equal ratios; `0 < low < high`."""

    low: Number
    high: Number

    def at(self, value: Number) -> float:
        if value <= self.low:
            return 0.0
        share = (_log(value) - _log(self.low)) / (_log(self.high) - _log(self.low))
        return min(share, 1.0)

    def ticks(self) -> list[Number]:
        first, last = exponent(self.low), exponent(self.high)
        every = max(1, -(-(last - first) // DECADES))
        found = [Fraction(10) ** power for power in range(first, last + 1, every)]
        return [tick for tick in found if self.low <= tick <= self.high]


Scale = Linear | Logarithmic
"""An axis from `low` to `high`: where a value lies on it (as a share), and its round values."""


def linear(values: list[Number]) -> Linear:
    """The axis from zero that shows all of `values`."""
    low, high = min([0, *values]), max([0, *values])
    return Linear(low, high if high > low else low + 1)


def round_step(rough: Fraction) -> Fraction:
    """The smallest of 1, 2, 2.5 and 5 times a power of ten that is not below `rough`."""
    power = Fraction(10) ** exponent(rough)
    return next(power * lead for lead in (1, 2, Fraction(5, 2), 5, 10) if power * lead >= rough)


def _log(value: Number) -> float:
    return math.log10(value.numerator) - math.log10(value.denominator)
