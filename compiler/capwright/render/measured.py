"""The counted measurements of quantities, and how they are said beside a number that is not read off them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from capwright.base.source import place_text
from capwright.document.outcome import is_counted
from capwright.document.plandoc import MeasurementDoc, PlanDoc, Quantity
from capwright.document.withholding import WITHHELD
from capwright.render.figures import in_full, measurement_ends
from capwright.render.pieces import Name, Piece, Pieces, Words

MEASURED: Final = "measured "
Counted = Mapping[str, tuple[MeasurementDoc, ...]]
"""Measurements that count and are told, by the address of what each is of."""


def counted_measurements(doc: PlanDoc) -> Counted:
    """The measurements of a document that count, without those that are withheld."""
    found: dict[str, tuple[MeasurementDoc, ...]] = {}
    for one in doc.measurements:
        if is_counted(one) and WITHHELD not in one.context:
            found[one.of] = (*found.get(one.of, ()), one)
    return found


def measurements_of(quantity: Quantity, counted: Counted) -> tuple[MeasurementDoc, ...]:
    """The counted measurements of a quantity under the name that it is shown by: what is measured of a thing is not
    measured of an option, though both have one number derived."""
    return counted.get(quantity.address, ())


def value_of_measurement(one: MeasurementDoc) -> Pieces:
    """`≈ 31.9 ms`, with its range where it states one."""
    return in_full(measurement_ends(one), word="range")


def measurement_pieces(one: MeasurementDoc, name: Piece) -> Pieces:
    """`≈ 31.9 ms (prod.itl!load, gap closed, fleet.plan:12)`, with `name` for its address."""
    place = Name(place_text(one.place))
    return (*value_of_measurement(one), Words(" ("), name, Words(f", {one.comparison}, "), place, Words(")"))
