"""Exact numbers to the text people read, and back to check it.

Whole numbers are printed whole. Others get about four significant digits, with a power of ten where they are tiny or
huge. They are rounded to nearest, but a lower bound down and an upper bound up, so that what is printed is still
established. Nothing here is a float.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import combinations
from typing import Final, Literal, NamedTuple

from capwright.base.exact import Number, norm

Direction = Literal["nearest", "down", "up"]

MINUS: Final = "\N{MINUS SIGN}"
_HUGE: Final = 10**21
_TINY: Final = 10**4
"""Below one part in so many nobody counts the zeros after the point: `2.458e-6`."""
_FINEST: Final = 24
"""Digits past the usual ones that are tried to keep two values apart; after that they print as fractions."""


class _Text(NamedTuple):
    """A text, and the number that it says: `scaled` with so many decimals, which are below zero where zeros follow it."""

    text: str
    scaled: int
    decimals: int


@lru_cache(maxsize=16_384)
def shown(value: Number, direction: Direction = "nearest") -> str:
    """The text of one number, rounded in `direction`."""
    return _text(value, _places(value), direction, 0).text


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
        if _in_order([value for value, _ in values], _aligned_numbers(texts), alike=alike):
            return tuple(one.text for one in texts)
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
    return _in_order(values, [read(text) for text in texts], alike=alike)


def _in_order(values: Sequence[Number], said: Sequence[Number], *, alike: bool) -> bool:
    return all(
        _order(values[a], values[b]) == _order(said[a], said[b]) or (not alike and values[a] == values[b])
        for a, b in combinations(range(len(values)), 2)
    )


def _aligned_numbers(texts: Sequence[_Text]) -> list[int]:
    """The numbers that texts say, all times one power of ten that makes them whole."""
    most = max((one.decimals for one in texts), default=0)
    return [one.scaled * 10 ** (most - one.decimals) for one in texts]


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
    above, below = abs(value.numerator), value.denominator
    return above != 0 and not (below <= above * _TINY and above < _HUGE * below)


def _places(value: Number) -> int:
    """Decimals for `value`: as many as it has, up to about four significant digits in all."""
    above, below = abs(value.numerator), value.denominator
    if below == 1:
        return 0
    most: int = 1 if above >= 1000 * below else 2 if above >= 10 * below else 3 - exponent(value)
    return next((few for few in range(most) if above * 10**few % below == 0), most)


def magnitude(value: Number) -> Number:
    """The value without its sign."""
    return -value if value < 0 else value


def exponent(value: Number) -> int:
    """The power of ten of the first digit: 2 for 123, -2 for 0.05. `value` is not zero."""
    above, below = abs(value.numerator), value.denominator
    guess = len(str(above)) - len(str(below))
    reached = above >= below * 10**guess if guess >= 0 else above * 10**-guess >= below
    return guess if reached else guess - 1


def _text(value: Number, places: int, direction: Direction, finer: int) -> _Text:
    if _scientific(value):
        return _scientific_text(value, 3 + finer, direction)
    digits = places + (finer if places or value.denominator != 1 else 0)
    return _decimal_text(value.numerator, value.denominator, digits, direction)


def _scientific_text(value: Number, digits: int, direction: Direction) -> _Text:
    power = exponent(value)
    above, below = value.numerator * 10 ** max(-power, 0), value.denominator * 10 ** max(power, 0)
    while digits > 0 and above * 10 ** (digits - 1) % below == 0:
        digits -= 1
    said = _decimal_text(above, below, digits, direction)
    if abs(said.scaled) >= 10 ** (digits + 1):  # 9.9999 rounds to what is written with the next power
        said, power = _decimal_text(above, below * 10, digits, direction), power + 1
    return _Text(f"{said.text}e{power}", said.scaled, said.decimals - power)


def _decimal_text(above: int, below: int, places: int, direction: Direction) -> _Text:
    """The text of `above / below` with so many decimals."""
    scaled = _divided(above * 10**places, below, direction)
    sign = MINUS if scaled < 0 else ""
    whole, rest = divmod(abs(scaled), 10**places)
    return _Text(f"{sign}{whole:,}" + (f".{rest:0{places}d}" if places else ""), scaled, places)


def _divided(above: int, below: int, direction: Direction) -> int:
    """`above / below` as a whole number; what lies in the middle between two goes to the even one, where it may."""
    whole, rest = divmod(above, below)
    if direction == "down" or rest == 0:
        return whole
    if direction == "up":
        return whole + 1
    return whole + (2 * rest > below or (2 * rest == below and whole % 2 == 1))
