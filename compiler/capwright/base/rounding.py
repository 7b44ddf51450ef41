"""Exact numbers to the text people read, and back to check it.

Whole numbers are printed whole. Others get about four significant digits, with a power of ten where they are tiny or
huge. They are rounded to nearest, but a lower bound down and an upper bound up, so that what is printed is still
established. Nothing here is a float.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import combinations
from typing import Final, Literal

from capwright.base.exact import Number, norm

Direction = Literal["nearest", "down", "up"]

MINUS: Final = "\N{MINUS SIGN}"
_HUGE: Final = 10**21
_TINY: Final = Fraction(1, 10**4)
"""Below this nobody counts the zeros after the point: `2.458e-6`."""
_FINEST: Final = 24
"""Digits past the usual ones that are tried to keep two values apart; after that they print as fractions."""


def shown(value: Number, direction: Direction = "nearest") -> str:
    """The text of one number, rounded in `direction`."""
    return _text(value, _places(value), direction, 0)


@lru_cache(maxsize=16_384)
def shown_together(
    values: tuple[tuple[Number, Direction], ...], *, alike: bool = True, ranges: tuple[int, ...] = ()
) -> tuple[str, ...]:
    """The texts of numbers that stand side by side in one unit.

    They get enough digits that different values never print equal and never print in the wrong order, each
    still rounded in its own direction. With `alike`, equal values print equal too, as fractions if need be.
    Without it they are the parts of one range. The parts of a range get the same number of decimals where that reads
    well, whatever it stands beside: `ranges` says of which range each number is, where there are several.
    """
    places = _in_ranges([value for value, _ in values], ranges or ((0,) * len(values) if not alike else ()))
    for finer in range(_FINEST):
        texts = tuple(
            _text(value, place, direction, finer)
            for (value, direction), place in zip(values, places, strict=True)
        )
        if in_order([value for value, _ in values], texts, alike=alike):
            return texts
    return tuple(fraction_text(value) for value, _ in values)


def fraction_text(value: Number) -> str:
    """The exact value as a whole number or a fraction, with thousands separators."""
    sign = MINUS if value < 0 else ""
    above = f"{abs(value.numerator):,}"
    return sign + (above if value.denominator == 1 else f"{above}/{value.denominator:,}")


def read(text: str) -> Number:
    """The number that a printed text says."""
    return norm(Fraction(text.replace(",", "").replace(MINUS, "-")))


def in_order(values: Sequence[Number], texts: Sequence[str], *, alike: bool) -> bool:
    """Whether texts are in the order of the values that they say: different ones neither equal nor turned round, and, with
    `alike`, equal ones equal."""
    said = [read(text) for text in texts]
    return all(
        _order(values[a], values[b]) == _order(said[a], said[b]) or (not alike and values[a] == values[b])
        for a, b in combinations(range(len(values)), 2)
    )


def _order(a: Number, b: Number) -> int:
    return (a > b) - (a < b)


def _in_ranges(values: Sequence[Number], ranges: Sequence[int]) -> list[int]:
    """Decimals of numbers by the range that each is a part of. Equal ones get equally many."""
    places = [_places(value) for value in values]
    for one in dict.fromkeys(ranges):
        mine = [at for at, each in enumerate(ranges) if each == one]
        aligned = _aligned([values[at] for at in mine], [places[at] for at in mine])
        for at, few in zip(mine, aligned, strict=True):
            places[at] = few
    most: dict[Number, int] = {}
    for value, few in zip(values, places, strict=True):
        most[value] = max(few, most.get(value, 0))
    return [most[value] for value in values]


def _aligned(values: Sequence[Number], places: list[int]) -> list[int]:
    most, least = max(places, default=0), min(places, default=0)
    return [most] * len(places) if most - least <= 3 and not any(map(_scientific, values)) else places


def _scientific(value: Number) -> bool:
    return value != 0 and not _TINY <= magnitude(value) < _HUGE


def _places(value: Number) -> int:
    """Decimals for `value`: as many as it has, up to about four significant digits in all."""
    size = magnitude(value)
    if value.denominator == 1:
        return 0
    most: int = 1 if size >= 1000 else 2 if size >= 10 else 3 - exponent(value)
    exact = Fraction(size)
    return next((few for few in range(most) if (exact * 10**few).denominator == 1), most)


def magnitude(value: Number) -> Number:
    """The value without its sign."""
    return -value if value < 0 else value


def exponent(value: Number) -> int:
    """The power of ten of the first digit: 2 for 123, -2 for 0.05. `value` is not zero."""
    size = Fraction(magnitude(value))
    guess = len(str(size.numerator)) - len(str(size.denominator))
    return guess if size >= Fraction(10) ** guess else guess - 1


def _text(value: Number, places: int, direction: Direction, finer: int) -> str:
    if _scientific(value):
        return _scientific_text(value, 3 + finer, direction)
    digits = places + (finer if places or value.denominator != 1 else 0)
    return _decimal_text(value, digits, direction)


def _scientific_text(value: Number, digits: int, direction: Direction) -> str:
    power = exponent(value)
    mantissa = Fraction(value) / Fraction(10) ** power
    while digits > 0 and (mantissa * 10 ** (digits - 1)).denominator == 1:
        digits -= 1
    text = _decimal_text(mantissa, digits, direction)
    if magnitude(read(text)) >= 10:  # 9.9999 rounds to what is written with the next power
        text, power = _decimal_text(mantissa / 10, digits, direction), power + 1
    return f"{text}e{power}"


def _decimal_text(value: Number, places: int, direction: Direction) -> str:
    scaled = _rounded(value * 10**places, direction)
    sign = MINUS if scaled < 0 else ""
    whole, rest = divmod(abs(scaled), 10**places)
    return f"{sign}{whole:,}" + (f".{rest:0{places}d}" if places else "")


def _rounded(value: Number, direction: Direction) -> int:
    if direction == "down":
        return math.floor(value)
    return math.ceil(value) if direction == "up" else round(value)
