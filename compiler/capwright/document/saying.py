"""How a message says what a quantity is: in the unit and by the rounding of a report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import chain

from capwright.base.dimension import Dimension, UnitTable
from capwright.base.exact import Number, norm
from capwright.base.interval import Value, as_range
from capwright.base.rounding import Direction, in_order, shown_together
from capwright.document.plandoc import UnitText
from capwright.document.quantities import unit_text
from capwright.document.scales import scale_docs
from capwright.document.sizes import Families, chosen, families_of

_Rounded = tuple[tuple[Number, Direction], ...]

_DIRECTIONS: Mapping[str, Direction] = {"low": "down", "nominal": "nearest", "high": "up"}


class Saying:
    """Says values in units of `units`; the sizes to choose from are worked out for the first one."""

    def __init__(self, units: UnitTable) -> None:
        self.units = units
        self._families: Families | None = None

    def together(
        self, values: tuple[Value | None, ...], spelling: str, dim: Dimension, *, from_zero: bool = False
    ) -> tuple[str, ...]:
        """Values in base units side by side, in one unit: `≥ 3 ms`, `−93.1 GiB (established: −98.7 .. −91.4 GiB)`.

        Different numbers never print equal, of one value or of two.
        `spelling` is the unit that the quantity is declared in. Of a bound the zero that every quantity starts at
        is left out, unless `from_zero`.
        """
        parts = [_parts(value, from_zero) for value in values]
        numbers = [number for part in parts for number in part.values()]
        if self._families is None:
            self._families = families_of(scale_docs(self.units))
        declared = unit_text(self.units, spelling, dict(dim.powers))
        unit = chosen(declared, numbers, self._families)
        texts = iter(_texts([_rounded(part, unit) for part in parts]))
        return tuple(_said({name: next(texts) for name in part}, unit) for part in parts)

    def one(self, value: Value | None, spelling: str, dim: Dimension) -> str:
        """One value in base units, said in a unit of its own choice."""
        return self.together((value,), spelling, dim)[0]


def _parts(value: Value | None, from_zero: bool) -> dict[str, Number]:
    if value is None:
        return {}
    held = as_range(value)
    if held.low is not None and held.low == held.high:
        return {"nominal": held.low}
    only_a_bound = not from_zero and held.low == 0 and ((held.nominal is None) != (held.high is None))
    ends = {"low": None if only_a_bound else held.low, "nominal": held.nominal, "high": held.high}
    return {name: end for name, end in ends.items() if end is not None}


def _rounded(parts: Mapping[str, Number], unit: UnitText) -> _Rounded:
    factor = Fraction(unit.factor)
    return tuple((norm(Fraction(number) / factor), _DIRECTIONS[name]) for name, number in parts.items())


def _texts(values: Sequence[_Rounded]) -> tuple[str, ...]:
    """The ends of all values, one after the other: each value with digits of its own, unless these do not tell it from
    the others."""
    ends = tuple(chain.from_iterable(values))
    alone = tuple(chain.from_iterable(shown_together(each, alike=False) for each in values))
    if in_order([number for number, _ in ends], alone, alike=False):
        return alone
    return shown_together(ends, alike=False)


def _said(texts: Mapping[str, str], unit: UnitText) -> str:
    symbol = f" {unit.symbol}" if unit.symbol else ""
    between = _between(texts.get("low"), texts.get("high"))
    if "nominal" not in texts:
        return f"{between}{symbol}" if between else "open"
    return f"{texts['nominal']}{symbol}" + (f" (established: {between}{symbol})" if between else "")


def _between(low: str | None, high: str | None) -> str:
    if low is not None and high is not None:
        return f"{low} .. {high}"
    if low is not None:
        return f"≥ {low}"
    return f"≤ {high}" if high is not None else ""
