"""The sizes in which a unit may be printed: what a renderer chooses a readable one from."""

from __future__ import annotations

from functools import lru_cache

from msgspec.structs import replace

from capwright.base.dimension import Unit, UnitTable
from capwright.base.exact import Number, mul, to_text
from capwright.check.units import PREFIXES
from capwright.document.plandoc import UnitText


@lru_cache(maxsize=16)
def scale_docs(units: UnitTable) -> dict[str, tuple[UnitText, ...]]:
    """For each spelling of a base unit that is printed in several ways, its sizes from small to large.

    Among them is its own, by the word for several: `byte` is printed as `bytes`, `KiB` and so on.
    """
    found: dict[str, tuple[UnitText, ...]] = {}
    for unit in units.by_name.values():
        sizes = _sizes(unit, units)
        if unit.factor == 1 and len(sizes) > 1:
            for name, other in units.by_name.items():
                if (other.dim, other.factor) == (unit.dim, 1):
                    found[name] = tuple(_own(size, name, units) for size in sizes)
    for name in units.plural.keys() - found.keys():
        unit = units.by_name[name]
        if unit.factor == 1:
            found[name] = (_own(UnitText(name, "1", dict(unit.dim.powers)), name, units),)
    return dict(sorted(found.items()))


def _own(size: UnitText, name: str, units: UnitTable) -> UnitText:
    """The size under its name for several; the unit's own size under that of the word that was spelled."""
    symbol = name if size.factor == "1" else size.symbol
    return replace(size, symbol=units.plural.get(symbol, symbol))


def _sizes(unit: Unit, units: UnitTable) -> tuple[UnitText, ...]:
    held: list[tuple[Number, str]] = [(unit.factor, unit.symbol)]
    for prefix, scale in (PREFIXES["decimal"] | PREFIXES["binary"]).items():
        name = prefix + unit.symbol
        other = units.by_name.get(name) if prefix != "u" else None
        if other is not None and (other.dim, other.factor) == (unit.dim, mul(unit.factor, scale)):
            held.append((other.factor, name))
    return tuple(UnitText(name, to_text(factor), dict(unit.dim.powers)) for factor, name in sorted(held))
