"""Exact numbers: whole numbers stay `int`, everything else is a reduced `Fraction`.

Growth is bounded: a result of more than `MAX_BITS` bits is refused, a power that would be much longer before it is
computed, so that ten lines of squarings cannot take the machine.
"""

from __future__ import annotations

import math
import re
from fractions import Fraction
from functools import lru_cache
from typing import Final

Number = int | Fraction

MAX_BITS: Final = 8_192
MAX_DIGITS: Final = 2_048
"""Digits of a literal, and its largest exponent."""
NUMBER: Final = re.compile(r"-?[0-9]{1,2500}(/[1-9][0-9]{0,2499})?")
"""What `to_text` writes: `from_text` of a stranger's text is only asked of what matches this."""


class TooLarge(ArithmeticError):
    """A number would need more than `MAX_BITS` bits."""


def norm(value: Number) -> Number:
    """`value` as an `int` where it is whole, else as a reduced `Fraction`."""
    if type(value) is int:
        return value
    return value.numerator if value.denominator == 1 else value


def bits(value: Number) -> int:
    """Bits of numerator and denominator together."""
    if type(value) is int:
        return value.bit_length()
    return value.numerator.bit_length() + value.denominator.bit_length()


def add(a: Number, b: Number) -> Number:
    """`a + b`, exact; raises `TooLarge` for a long result."""
    return _short(a + b)


def mul(a: Number, b: Number) -> Number:
    """`a * b`, exact; raises `TooLarge` for a long result."""
    return _short(a * b)


def div(a: Number, b: Number) -> Number:
    """`a / b`, exact; raises `ZeroDivisionError` for `b == 0` and `TooLarge` for a long result."""
    if type(a) is int and type(b) is int:
        quotient, rest = divmod(a, b)
        return _short(Fraction(a, b) if rest else quotient)
    return _short(Fraction(a) / b)


def power(base: Number, exponent: int) -> Number:
    """`base ** exponent`, exact; `exponent` is a whole number of either sign. Raises `TooLarge` before computing a power that
    is surely too long."""
    # Each bit of a part beyond its first doubles the part as often as the exponent says. No power of 0, 1 or -1 has more.
    longer = base.numerator.bit_length() + base.denominator.bit_length() - 2
    if longer * abs(exponent) > MAX_BITS:
        raise TooLarge
    return _short(Fraction(base) ** exponent)


def ceil_to(value: Number, step: Number) -> Number:
    """The smallest multiple of `step` that is not below `value`."""
    return mul(math.ceil(div(value, step)), step)


def floor_to(value: Number, step: Number) -> Number:
    """The largest multiple of `step` that is not above `value`."""
    return mul(math.floor(div(value, step)), step)


def _short(value: Number) -> Number:
    """A result that is within the budget: what two numbers within it make has but twice as many bits, so it may be computed
    before it is looked at."""
    found = norm(value)
    if bits(found) > MAX_BITS:
        raise TooLarge
    return found


def parse_number(text: str) -> Number:
    """The exact value of a decimal literal such as `131_072`, `0.90`, `2.5e9` or `128k`.

    Raises `TooLarge` for an exponent or a length out of bounds and `ValueError` for anything else.
    """
    text = text.replace("_", "")
    scale = {"k": 1_000, "M": 1_000_000}.get(text[-1:], 1)
    if scale != 1:
        text = text[:-1]
    mantissa, _, exponent = text.lower().partition("e")
    if len(mantissa) > MAX_DIGITS or len(exponent) > 6 or abs(int(exponent or 0)) > MAX_DIGITS:
        raise TooLarge
    return norm(Fraction(mantissa) * Fraction(10) ** int(exponent or 0) * scale)


def to_text(value: Number) -> str:
    """The exact value as `n` or `n/d`, the spelling documents use."""
    return str(value)


def from_text(text: str) -> Number:
    """The exact value that `to_text` wrote."""
    above, _, below = text.partition("/")
    return norm(Fraction(int(above), int(below))) if below else int(above)


@lru_cache(maxsize=65_536)
def number(text: str | None) -> Number | None:
    """The exact value of a number in a document, None where it has none."""
    return None if text is None else from_text(text)


def nearest_float(value: Number) -> float:
    """The nearest float; an infinity where there is none so large."""
    try:
        return value.numerator / value.denominator
    except OverflowError:
        return float("inf") if value > 0 else float("-inf")
