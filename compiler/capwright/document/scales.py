"""The sizes in which a unit may be printed: what a renderer chooses a readable one from."""

from __future__ import annotations

from typing import Final

from capwright.base.dimension import Unit, UnitTable
from capwright.base.exact import Number, mul, to_text
from capwright.check.units import BINARY, DECIMAL
from capwright.document.plandoc import UnitText

_ONLY_SMALLER: Final = frozenset({"second"})
"""Nobody says kiloseconds. What takes powers of two comes in whole pieces, and has no thousandths."""


def scale_docs(units: UnitTable) -> dict[str, tuple[UnitText, ...]]:
    """For each spelling of a base unit that takes prefixes, its sizes from small to large, its own among them."""
    found: dict[str, tuple[UnitText, ...]] = {}
    for unit in units.by_name.values():
        sizes = _sizes(unit, units)
        if unit.factor == 1 and len(sizes) > 1:
            same = [
                name for name, other in units.by_name.items() if (other.dim, other.factor) == (unit.dim, 1)
            ]
            found.update((name, sizes) for name in same)
    return found


def _sizes(unit: Unit, units: UnitTable) -> tuple[UnitText, ...]:
    prefixed = [
        (prefix + unit.symbol, scale) for prefix, scale in (DECIMAL | BINARY).items() if prefix != "u"
    ]
    in_pieces = any(prefix + unit.symbol in units.by_name for prefix in BINARY)
    held: list[tuple[Number, str]] = [(unit.factor, unit.symbol)]
    for name, scale in prefixed:
        other = units.by_name.get(name)
        if other is None or (other.dim, other.factor) != (unit.dim, mul(unit.factor, scale)):
            continue
        if not in_pieces if scale < 1 else not _ONLY_SMALLER & unit.dim.names:
            held.append((other.factor, name))
    return tuple(UnitText(name, to_text(factor), dict(unit.dim.powers)) for factor, name in sorted(held))
