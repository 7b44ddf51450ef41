"""Dimensions and units. The names come from `unit` statements; nothing here knows any of them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Final

from msgspec import Struct

from capwright.base.exact import Number, TooLarge, div, mul, power

MAX_POWER: Final = 64
"""Of a base dimension in a quantity: one to a larger power is no quantity anybody means."""
MAX_BASES: Final = 16
"""Base dimensions in one quantity. Each of them may stand in every node and every number's unit."""
_DIGITS: Final = 4
"""Signs of an exponent that are read at all."""


class Dimension:
    """A product of powers of base dimensions, interned: equal dimensions are one object."""

    __slots__ = ("powers",)
    powers: tuple[tuple[str, int], ...]

    def __repr__(self) -> str:
        return self.text()

    def __reduce__(self) -> tuple[object, ...]:
        return (dimension, (dict(self.powers),))

    def text(self, symbols: Mapping[str, str] | None = None) -> str:
        """`byte/device/token`, `token^2`, or `1` for a pure number; in the `symbols` of the dimensions that have one."""
        named = [((symbols or {}).get(name, name), power) for name, power in self.powers]
        above = [_factor(name, power) for name, power in named if power > 0]
        below = [_factor(name, -power) for name, power in named if power < 0]
        head = "*".join(above) or "1"
        return "/".join([head, *below])

    @property
    def names(self) -> frozenset[str]:
        """The base dimensions that occur, with whatever power."""
        return frozenset(name for name, _ in self.powers)


def _factor(name: str, exponent: int) -> str:
    return name if exponent == 1 else f"{name}^{exponent}"


_interned: dict[tuple[tuple[str, int], ...], Dimension] = {}


def dimension(powers: dict[str, int]) -> Dimension:
    """The one `Dimension` with these powers; zero powers are dropped."""
    key = tuple(sorted((name, power) for name, power in powers.items() if power))
    found = _interned.get(key)
    if found is None:
        found = Dimension()
        found.powers = key
        _interned[key] = found
    return found


PURE: Final = dimension({})


@lru_cache(maxsize=65_536)
def times(a: Dimension, b: Dimension) -> Dimension:
    """The dimension of a product."""
    powers = dict(a.powers)
    for name, exponent in b.powers:
        powers[name] = powers.get(name, 0) + exponent
    return dimension(powers)


@lru_cache(maxsize=65_536)
def over(a: Dimension, b: Dimension) -> Dimension:
    """The dimension of a quotient."""
    powers = dict(a.powers)
    for name, exponent in b.powers:
        powers[name] = powers.get(name, 0) - exponent
    return dimension(powers)


def raised(a: Dimension, exponent: int) -> Dimension:
    """The dimension of a whole power."""
    return dimension({name: power * exponent for name, power in a.powers})


@lru_cache(maxsize=65_536)
def is_bounded(a: Dimension) -> bool:
    """Whether a quantity may have this dimension: squares of squares, line by line, soon have none that can be written."""
    return len(a.powers) <= MAX_BASES and all(-MAX_POWER <= power <= MAX_POWER for _, power in a.powers)


class Unit(Struct, frozen=True):
    """A named size of a dimension: `factor` base units. `symbol` is how it is printed."""

    symbol: str
    dim: Dimension
    factor: Number


ONE: Final = Unit("", PURE, 1)

_TOKEN = re.compile(r"([*/·])?([^\W\d]\w*|[$%])(?:\^(-?\d+))?|(-)(?=[^\W\d])")


class UnknownUnit(LookupError):
    """`name` is no unit; `args[0]` is the name."""


class UnitTable:
    """All units in scope, by name, and how a compound spelling is read.

    `counting` are the base dimensions that count things; only they may be consumed by `over` and
    `each`, and only they and pure numbers may be rounded to whole numbers. `plural` gives the word for several
    of a unit that has one, by either of its words.
    """

    __slots__ = ("_compounds", "by_name", "counting", "display", "plural")

    def __init__(self) -> None:
        self.by_name: dict[str, Unit] = {}
        self.counting: set[str] = set()
        self.display: dict[str, str] = {}
        self.plural: dict[str, str] = {}
        self._compounds: dict[str, Unit] = {}

    def add(self, name: str, unit: Unit) -> None:
        """Make `name` a spelling of `unit`."""
        self.by_name[name] = unit
        self._compounds.clear()

    def read(self, text: str) -> Unit:
        """The unit that `text` spells, such as `GiB/device` or `token^2`.

        Raises `UnknownUnit` with the first name that is not declared, and `TooLarge` for a dimension out of bounds.
        """
        found = self._compounds.get(text)
        if found is None:
            found = self._read(text)
            self._compounds[text] = found
        return found

    def _read(self, text: str) -> Unit:
        dim, factor = PURE, 1
        value: Number = factor
        position = 1 if text.startswith("1/") else 0
        below = False
        while position < len(text):
            match = _TOKEN.match(text, position)
            if match is None:
                raise UnknownUnit(text[position:])
            position = match.end()
            sign, name, exponent, hyphen = match.groups()
            if hyphen:
                continue
            below = sign == "/" if sign else below and text[match.start() - 1 : match.start()] == "-"
            unit = self.by_name.get(name)
            if unit is None:
                raise UnknownUnit(name)
            count = int(exponent or 1) if len(exponent or "") <= _DIGITS else MAX_POWER + 1
            if abs(count) > MAX_POWER:
                raise TooLarge
            if below:
                dim = over(dim, raised(unit.dim, count))
                value = div(value, power(unit.factor, count))
            else:
                dim = times(dim, raised(unit.dim, count))
                value = mul(value, power(unit.factor, count))
            if not is_bounded(dim):
                raise TooLarge
        return Unit(text, dim, value)
