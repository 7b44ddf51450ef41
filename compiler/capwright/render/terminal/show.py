"""Which quantities are shown, and they as JSON and CSV: displayed and exact, with all that a reader must know of them."""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from capwright.base.exact import Number, from_text, nearest_float, to_text
from capwright.base.source import place_text
from capwright.document.plandoc import MeasurementDoc, PlanDoc, Quantity
from capwright.document.sizes import symbol_of
from capwright.document.withholding import Confidential, confidential
from capwright.render.escape import csv_text, json_for_a_log
from capwright.render.figures import in_unit
from capwright.render.formulas import truth_or_value
from capwright.render.measured import (
    Counted,
    counted_measurements,
    measurement_pieces,
    measurements_of,
    value_of_measurement,
)
from capwright.render.pieces import Name, plain
from capwright.render.words import provenance_word

VERSION: Final = "2.3"
"""Of what `show` writes as JSON: 2.1 added the measurements that count, 2.2 whether a number is
confidential, 2.3 the ranges that what was measured of lies within."""

FIELDS: Final = (
    "address", "displayed", "unit", "kind", "relation", "low", "nominal", "high", "exact_low", "exact_nominal",
    "exact_high", "approximate", "origin", "source", "place", "assumptions", "caveats", "inherited_caveats",
    "exclusions", "measurements", "confidential",
)  # fmt: skip

_PLAIN: Final = frozenset(
    (*(lead + end for lead in ("", "exact_") for end in ("low", "nominal", "high")), "relation")
)
"""Fields that a spreadsheet may read as they are."""


def reported(doc: PlanDoc) -> list[Quantity]:
    """The quantities that the plan reports, or all that its own file writes where it has no `report`."""
    if not doc.sections:
        own = f"{doc.path}:"
        return [
            q
            for q in doc.quantities
            if not q.internal and "#" not in q.address and q.provenance.place.startswith(own)
        ]
    by_address = {quantity.address: quantity for quantity in doc.quantities}
    return [by_address[address] for address in _sections(doc) if address in by_address]


def as_reported(doc: PlanDoc, quantities: Sequence[Quantity]) -> list[Quantity]:
    """The quantities, those among them that are reported in the order of their declaration, as the report has them.

    A document has its quantities in the order in which they were reached.
    """
    rank = {address: at for at, address in enumerate(_sections(doc))}
    ranked = iter(sorted((q for q in quantities if q.address in rank), key=lambda q: rank[q.address]))
    return [next(ranked) if q.address in rank else q for q in quantities]


def _sections(doc: PlanDoc) -> list[str]:
    return list(dict.fromkeys(address for section in doc.sections for address in section.addresses))


def asked_for(quantities: Iterable[Quantity], addresses: Sequence[str]) -> bool:
    """Whether each of `quantities` is meant by an address of its own."""
    return bool(addresses) and all({q.address, *q.aliases} & set(addresses) for q in quantities)


def show_json(doc: PlanDoc, quantities: Iterable[Quantity]) -> str:
    """The quantities as JSON, each an object with `FIELDS`; lists stay lists, open ends are null.

    `low`, `nominal` and `high` are the nearest floats, in `unit`; `exact_low` and its like are the same numbers unrounded,
    as text. `measurements` are those that count, each with its own numbers.
    """
    caveats, counted, silent = _told(doc), counted_measurements(doc), confidential(doc)
    records = [_record(quantity, caveats, counted, silent) for quantity in quantities]
    told = {"format": "capwright/show", "version": VERSION, "path": doc.path, "quantities": records}
    return json_for_a_log(json.dumps(told, indent=2)) + "\n"


def show_csv(doc: PlanDoc, quantities: Iterable[Quantity]) -> str:
    """The quantities as CSV with a header line; lists are joined with `; `, open ends are empty."""
    out, caveats, counted = io.StringIO(), _told(doc), counted_measurements(doc)
    silent = confidential(doc)
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(FIELDS)
    for quantity in quantities:
        record = _record(quantity, caveats, counted, silent)
        record["measurements"] = [
            plain(measurement_pieces(one, Name(one.address))) for one in measurements_of(quantity, counted)
        ]
        writer.writerow([_csv_cell(field, record[field]) for field in FIELDS])
    return out.getvalue()


def _told(doc: PlanDoc) -> dict[str, str]:
    """Each caveat with what it says, so that a table never loses it."""
    return {caveat.name: f"{caveat.name}: {caveat.text}" for caveat in doc.caveats}


def _csv_cell(field: str, value: object) -> str:
    if value is None:
        return ""
    # Numbers may begin with a sign, and a relation, which is one of a few, with `=`.
    if field in _PLAIN:
        return str(value)
    return csv_text("; ".join(map(str, value)) if isinstance(value, list) else str(value))


def _record(
    q: Quantity, caveats: Mapping[str, str], counted: Counted, silent: Confidential
) -> dict[str, Any]:
    return {
        "address": q.address,
        "displayed": plain(truth_or_value(q)),
        "unit": symbol_of(q.unit),
        "kind": q.kind,
        "relation": q.relation,
        **_numbers(q),
        "approximate": q.approximate,
        "origin": provenance_word(q.provenance),
        "source": q.provenance.text,
        "place": place_text(q.provenance.place),
        "assumptions": list(q.sources),
        "caveats": [caveats.get(name, name) for name in q.caveats_here],
        "inherited_caveats": [caveats.get(name, name) for name in q.caveats_inherited],
        "exclusions": list(q.exclusions),
        "measurements": [_measurement(one) for one in measurements_of(q, counted)],
        "confidential": q.address in silent.quantities,
    }


def _numbers(of: Quantity | MeasurementDoc) -> dict[str, float | str | None]:
    ends = {name: getattr(of, name) for name in ("low", "nominal", "high")}
    exact = {name: None if end is None else in_unit(from_text(end), of.unit) for name, end in ends.items()}
    floats = {name: None if value is None else _finite(value) for name, value in exact.items()}
    return {
        **floats,
        **{f"exact_{name}": None if value is None else to_text(value) for name, value in exact.items()},
    }


def _measurement(one: MeasurementDoc) -> dict[str, Any]:
    return {
        "address": one.address,
        "displayed": plain(value_of_measurement(one)),
        "unit": symbol_of(one.unit),
        **_numbers(one),
        "comparison": one.comparison,
        "context": one.context,
        "idle": list(one.idle),
        "within": one.within,
        "unstated": list(one.unstated),
        "place": place_text(one.place),
    }


def _finite(value: Number) -> float | None:
    """The nearest float; None where JSON has none so large."""
    found = nearest_float(value)
    return found if math.isfinite(found) else None
