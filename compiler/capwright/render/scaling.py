"""A readable size for every unit of a document's numbers."""

from __future__ import annotations

from typing import TypeVar

from msgspec.structs import replace

from capwright.base.exact import from_text
from capwright.document.plandoc import MeasurementDoc, PlanDoc, Quantity, SourceDoc, UnitText, VerdictDoc
from capwright.document.sizes import Families, chosen, families_of

Holder = TypeVar("Holder", Quantity, SourceDoc, MeasurementDoc)
Sizes = dict[tuple[str, str, str], UnitText]
"""The size that was chosen, by unit and number: options repeat most of what their base has."""


def readable(doc: PlanDoc) -> PlanDoc:
    """The same document, with units in which its numbers read well."""
    families = families_of(doc.scales)
    if not families:
        return doc
    sizes: Sizes = {}
    return replace(
        doc,
        quantities=tuple(_rescaled(quantity, families, sizes) for quantity in doc.quantities),
        sources=tuple(_rescaled(source, families, sizes) for source in doc.sources),
        measurements=tuple(_rescaled(measured, families, sizes) for measured in doc.measurements),
        verdicts=tuple(rescaled(verdict, families) for verdict in doc.verdicts),
        answers=tuple(
            one if one.verdict is None else replace(one, verdict=rescaled(one.verdict, families))
            for one in doc.answers
        ),
    )


def _rescaled(holder: Holder, families: Families, sizes: Sizes) -> Holder:
    held = [value for value in (holder.nominal, holder.low, holder.high) if value is not None]
    telling = next((value for value in held if value != "0"), held[0] if held else None)
    if telling is None:
        return holder
    key = (holder.unit.symbol, holder.unit.factor, telling)
    unit = sizes.get(key)
    if unit is None:
        unit = sizes[key] = chosen(holder.unit, [from_text(telling)], families)
    return holder if unit == holder.unit else replace(holder, unit=unit)


def rescaled(verdict: VerdictDoc, families: Families) -> VerdictDoc:
    """A verdict in a unit in which both its sides read well."""
    sides = (verdict.left, verdict.right)
    ends = [end for side in sides for end in (side.low, side.nominal, side.high) if end is not None]
    unit = chosen(verdict.unit, [from_text(end) for end in ends], families)
    return verdict if unit is verdict.unit else replace(verdict, unit=unit)
