"""Functions with irrational values: exact where the value is rational and easily seen to be, else the
two neighbouring decimals of `DIGITS` digits, rounded outward.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import MAX_EMAX, MIN_EMIN, ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from typing import Final

from capwright.base.exact import MAX_BITS, Number, TooLarge, bits, norm

DIGITS: Final = 30

_LN2: Final = Decimal("0.69314718055994530941723212145817656807550013436026")
Bounds = tuple[Number, Number]
"""A low and a high bound of one number; equal where it is exact."""


def _context(rounding: str) -> Context:
    return Context(prec=DIGITS, rounding=rounding, Emax=MAX_EMAX, Emin=MIN_EMIN, traps=[])


_DOWN: Final = _context(ROUND_FLOOR)
_UP: Final = _context(ROUND_CEILING)
_WORK: Final = Context(prec=DIGITS + 6, Emax=MAX_EMAX, Emin=MIN_EMIN, traps=[])
_SLACK: Final = Decimal(10) ** -(DIGITS + 3)


def sqrt(value: Number) -> Bounds:
    """The square root of a number that is not negative."""
    x = Fraction(value)
    over, under = math.isqrt(x.numerator), math.isqrt(x.denominator)
    if over * over == x.numerator and under * under == x.denominator:
        root = norm(Fraction(over, under))
        return (root, root)
    return _outward(value, lambda decimal, context: context.sqrt(decimal))


def log2(value: Number) -> Bounds:
    """The logarithm to base 2 of a positive number."""
    x = Fraction(value)
    exponent = x.numerator.bit_length() - x.denominator.bit_length()
    if Fraction(2) ** exponent == x:
        return (exponent, exponent)
    return _outward(value, _decimal_log2)


def exp(value: Number) -> Bounds:
    """The exponential; raises `TooLarge` where the value would need more than the budget of digits."""
    if value == 0:
        return (1, 1)
    # It has more bits than its argument says.
    if not -MAX_BITS <= value <= MAX_BITS:
        raise TooLarge
    low, high = _outward(value, lambda decimal, context: context.exp(decimal))
    if max(bits(low), bits(high)) > MAX_BITS:
        raise TooLarge
    return low, high


def _decimal_log2(value: Decimal, context: Context) -> Decimal:
    return context.divide(context.ln(value), _LN2)


def _outward(value: Number, function: Callable[[Decimal, Context], Decimal]) -> Bounds:
    # The library rounds sqrt, ln and exp correctly to `_WORK` digits; the slack is a hundred times the
    # error of those and of the one division that may follow.
    low = function(_decimal(value, _DOWN), _WORK)
    high = function(_decimal(value, _UP), _WORK)
    low = _DOWN.subtract(low, _UP.multiply(abs(low), _SLACK))
    high = _UP.add(high, _UP.multiply(abs(high), _SLACK))
    return (norm(Fraction(low)), norm(Fraction(high)))


def _decimal(value: Number, context: Context) -> Decimal:
    x = Fraction(value)
    return context.divide(Decimal(x.numerator), Decimal(x.denominator))
