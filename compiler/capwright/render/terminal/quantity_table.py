"""Quantities for people at a terminal: a table as wide as it may be, or a block of lines each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from capwright.base.counting import plural
from capwright.base.source import place_text
from capwright.document.plandoc import PlanDoc, Quantity
from capwright.document.withholding import confidential
from capwright.render.escape import terminal_text
from capwright.render.figures import established, exactly, quantity_ends
from capwright.render.formulas import truth_or_value
from capwright.render.measured import (
    Counted,
    counted_measurements,
    measurement_pieces,
    measurements_of,
    value_of_measurement,
)
from capwright.render.pieces import Name
from capwright.render.terminal.style import PLAIN, Style, columns, fitted, said, width, wrapped
from capwright.render.words import CONFIDENTIAL, provenance_word

HEADER: Final = (
    "quantity", "value", "established", "exact value", "measured", "kind", "origin", "caveats", "excludes",
)  # fmt: skip
_NEEDED: Final = frozenset(("quantity", "value", "established"))
_WANTED: Final = ("measured", "kind", "caveats", "excludes", "origin", "exact value")
"""The other columns, what is missed most first."""
_SELDOM: Final = frozenset(("measured", "excludes"))
"""Columns that a table has only where some quantity has something in them."""
_TOLD: Final = frozenset(("caveats", "excludes"))
"""Columns whose words stand below the table where it has no room for them."""
_RIGHT: Final = frozenset(("value", "established", "exact value"))
_GAP: Final = 2
_INDENT: Final = 4

Row = Mapping[str, str]


def show_table(
    doc: PlanDoc,
    quantities: Iterable[Quantity],
    style: Style = PLAIN,
    wide: int | None = None,
    *,
    exact: bool = False,
) -> str:
    """The quantities as an aligned table, and the texts of the caveats that stand on them.

    Within `wide` columns the table has those that fit, or it is a block a quantity. Exact values, whose fractions can be
    longer than all the rest, are in it with `exact`, or where a terminal has room for them.
    """
    found = list(quantities)
    if not found:
        return "nothing to show\n"
    counted = counted_measurements(doc)
    silent = confidential(doc).quantities
    rows = [_row(quantity, doc, counted, silent) for quantity in found]
    needed = _NEEDED | {"exact value"} if exact else _NEEDED
    without = tuple(
        name
        for name in HEADER
        if (exact or name != "exact value") and (name not in _SELDOM or any(row[name] for row in rows))
    )
    shown = without if wide is None else _fitting(rows, wide, needed)
    if shown is None:
        assert wide is not None
        lines = [line for row in rows for line in _block(row, _facts(row, exact=exact), style, wide)]
        shown = without
    else:
        head, *lines = columns(
            [shown, *(tuple(row[name] for name in shown) for row in rows)],
            frozenset(at for at, name in enumerate(shown) if name in _RIGHT),
        )
        lines = [style.paint("dim", head), *lines]
    left_out = [name for name in HEADER if name not in shown and any(row[name] for row in rows)]
    return "\n".join([*lines, *_below(doc, found, left_out, style, wide)]) + "\n"


def show_in_full(
    doc: PlanDoc, quantities: Iterable[Quantity], style: Style = PLAIN, wide: int | None = None
) -> str:
    """All that is known of each quantity, a line a fact, within `wide` columns."""
    found = list(quantities)
    counted, silent = counted_measurements(doc), confidential(doc).quantities
    lines: list[str] = []
    for quantity in found:
        row = _row(quantity, doc, counted, silent)
        facts = {**_facts(row, exact=True), **_sources(quantity)}
        facts["measured"] = "; ".join(
            said(measurement_pieces(one, Name(one.address))) for one in measurements_of(quantity, counted)
        )
        lines += _block(row, facts, style, wide)
    return "\n".join([*lines, *_below(doc, found, [], style, wide)]) + "\n"


def _row(q: Quantity, doc: PlanDoc, counted: Counted, silent: frozenset[str]) -> Row:
    ends = quantity_ends(q)
    measured = measurements_of(q, counted)
    caveats = (*q.caveats_here, *(f"({name})" for name in q.caveats_inherited))
    cells = (
        terminal_text(q.address),
        said(truth_or_value(q)) + (f" ({CONFIDENTIAL})" if q.address in silent else ""),
        said(established(ends)) if q.truth is None else "",
        said(exactly(ends)) if q.truth is None else "",
        "; ".join(f"{said(value_of_measurement(one))} {terminal_text(one.address)}" for one in measured),
        terminal_text(doc.kinds.get(q.kind, q.kind) if q.kind else ""),
        terminal_text(f"{provenance_word(q.provenance)} {place_text(q.provenance.place)}"),
        terminal_text(", ".join(caveats)),
        terminal_text(", ".join(q.exclusions)),
    )
    return dict(zip(HEADER, cells, strict=True))


def _fitting(rows: Sequence[Row], wide: int, needed: frozenset[str]) -> tuple[str, ...] | None:
    """The columns that fit beside each other, in order; None where not even those that are needed do."""
    sizes = {name: max(width(name), *(width(row[name]) for row in rows)) for name in HEADER}
    kept = set(needed)
    room = wide - sum(sizes[name] + _GAP for name in kept) + _GAP
    if room < 0:
        return None
    for name in _WANTED:
        if name not in kept and any(row[name] for row in rows) and sizes[name] + _GAP <= room:
            kept.add(name)
            room -= sizes[name] + _GAP
    return tuple(name for name in HEADER if name in kept)


def _facts(row: Row, *, exact: bool) -> dict[str, str]:
    names = HEADER[2:] if exact else HEADER[2:3] + HEADER[4:]
    return {name: row[name] for name in names}


def _sources(q: Quantity) -> dict[str, str]:
    return {
        "source": terminal_text(q.provenance.text),
        "leans on": terminal_text(", ".join(q.sources)),
    }


def _block(row: Row, facts: Mapping[str, str], style: Style, wide: int | None) -> Iterator[str]:
    """The name and the value, on one line if they fit, and a line for every fact."""
    name, value = row["quantity"], row["value"]
    if wide is None or width(name) + _GAP + width(value) <= wide:
        yield f"{style.paint('bold', name)}{' ' * _GAP}{value}"
    else:
        yield from (style.paint("bold", line) for line in wrapped(name, wide))
        yield from _indented(value, wide)
    for fact, text in facts.items():
        if text:
            yield from _indented(f"{fact}: {text}", wide)


def _indented(text: str, wide: int | None) -> list[str]:
    return fitted(f"{' ' * _INDENT}{text}", wide)


def _below(
    doc: PlanDoc, found: Sequence[Quantity], left_out: Sequence[str], style: Style, wide: int | None
) -> Iterator[str]:
    """The caveats in words, and by the quantities that they stand on, likewise exclusions, where no column says so; and
    what is left out."""
    on: dict[str, list[str]] = {}
    for quantity in found:
        for name in (*quantity.caveats_here, *quantity.caveats_inherited):
            on.setdefault(name, []).append(quantity.address)
    notes = []
    for caveat in doc.caveats:
        if caveat.name in on:
            where = f" On {', '.join(on[caveat.name])}." if "caveats" in left_out else ""
            notes.append(("open", f"{caveat.name}: {caveat.text}{where}"))
    without: dict[str, list[str]] = {}
    for quantity in found if "excludes" in left_out else ():
        if quantity.exclusions:
            without.setdefault(", ".join(quantity.exclusions), []).append(quantity.address)
    notes += [("dim", f"excludes {names}: {', '.join(where)}") for names, where in without.items()]
    missing = [name for name in left_out if name not in _TOLD]
    if missing:
        alone = "" if wide is None else "one address alone, "
        said_how = f"`--exact`, {alone}`--format json` or `csv`"
        noun = plural(len(missing), "column", "columns")
        notes.append(("dim", f"{noun} left out: {', '.join(missing)} ({said_how})"))
    if notes:
        yield ""
    for tone, note in notes:
        yield from fitted(style.paint(tone, note), wide)
