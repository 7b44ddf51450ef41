"""What fills a marked region of a Markdown file: a value, a table, a chart or a derivation of one document.

A woven number stands alone: there is no report around it to lead to. So what is established of it and its caveats stand
beside it, whole. Where a document has a region for the caveats of a passage, the numbers before it have raised marks
that lead there instead.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Final

from msgspec import Struct

from capwright.base.counting import counted
from capwright.base.exact import number
from capwright.base.rounding import MINUS, shown
from capwright.base.source import place_text
from capwright.document.plandoc import CaveatDoc, MeasurementDoc, Quantity, UnitText, ViewDoc
from capwright.document.withholding import WITHHELD, is_withheld
from capwright.render.charts.units import axis_unit
from capwright.render.escape import JOINER, markdown_code, markdown_text, one_line
from capwright.render.figures import established, headline, in_full, in_unit, quantity_ends
from capwright.render.folding import folded
from capwright.render.formulas import numbers_put_in, symbols, truth_or_value
from capwright.render.index import Index, references
from capwright.render.measured import MEASURED, measurements_of, value_of_measurement
from capwright.render.pieces import Pieces, Words, plain

BARS: Final = 40
"""What a reader, and a forge's drawing, can take in one picture."""
_STEPS: Final = 16
_DECIMALS: Final = 6
_SIGNS: Final = {"=": "= ", "measure": "= ", "assume": "= "}
"""What stands before a result; bounds and estimates say their own."""
_UNDRAWABLE: Final = re.compile(r"[^\w .,:()/%+=<>'-]+")


def value(quantity: Quantity, of: Index, told: list[str] | None = None) -> str:
    """The value in a line, with what is established of it, the measurements of it that count, what it excludes, and its
    caveats in parentheses; with `told`, which these are added to, marks that count there."""
    texts = [one.text for group in _carried([quantity], of) for one in group]
    notes = [*_measured(quantity, of), *_excluded(quantity)]
    if told is not None:
        told += [text for text in texts if text not in told]
        return markdown_text(_noted(quantity, notes)) + "".join(_mark(told.index(text)) for text in texts)
    return markdown_text(_noted(quantity, [*notes, *(text.strip().rstrip(".;") for text in texts)]))


def measured_value(one: MeasurementDoc) -> str:
    """What was measured, in a line, and how that compares with what is derived."""
    if WITHHELD in one.context:
        return markdown_text(WITHHELD)
    return markdown_text(f"{plain(value_of_measurement(one))} ({MEASURED.strip()}, {one.comparison})")


def _noted(quantity: Quantity, notes: Sequence[str]) -> str:
    """The value with all that is established of it, and notes behind that, in parentheses."""
    said = _said(quantity)
    if not notes:
        return said
    has_range = said != plain(_value(quantity))
    joined = "; ".join(notes)
    return f"{said.removesuffix(')')}; {joined})" if has_range else f"{said} ({joined})"


def _measured(quantity: Quantity, of: Index) -> list[str]:
    """`measured ≈ 31.9 ms by prod.itl!load, gap closed`, for each measurement that counts."""
    return [
        f"{MEASURED}{plain(value_of_measurement(one))} by {one.address}, {one.comparison}"
        for one in measurements_of(quantity, of.measured)
    ]


def caveats(told: Sequence[str]) -> str:
    """The caveats of the values before, each by its mark."""
    lines = [f"> {_mark(at)} {markdown_text(text)}" for at, text in enumerate(told)]
    return "\n>\n".join(lines)


def _mark(at: int) -> str:
    # In brackets: a raised number after a unit would be its power.
    return f"<sup>[{at + 1}]</sup>"


def table(named: Sequence[tuple[str, Quantity]], of: Index) -> str:
    """Three columns, quantities by the names that they are asked for by, and below what they exclude and their caveats,
    those that do not stand on every row with marks."""
    rows = [one for _, one in named]
    notes = _notes(rows, of)
    apart = [note for note in notes if len(note.on) < len({one.address for one in rows})]
    lines = ["| Quantity | Value | Established |", "|:--|--:|:--|"]
    for address, one in named:
        label = f"{markdown_text(one.label)} " if one.label else ""
        known: Pieces = (Words(WITHHELD if is_withheld(one) else "exact"),)
        if one.truth is None and not is_withheld(one):
            known = established(quantity_ends(one))
        cells = (
            f"{label}{markdown_code(address, cell=True)}",
            markdown_text(plain(_value(one)))
            + "".join(_letter(at) for at, note in enumerate(apart) if one.address in note.on),
            "<br>".join(map(markdown_text, (plain(known), *_measured(one, of)))),
        )
        lines.append(f"| {' | '.join(cells)} |")
    below = [markdown_text(note.text) for note in notes if note not in apart]
    below += [f"{_letter(at)} {markdown_text(note.text)}" for at, note in enumerate(apart)]
    return "\n".join([*lines, *_quoting(below)])


def chart(view: ViewDoc, of: Index) -> str:
    """The bars of a view as a Mermaid drawing, in one unit, and below it what is established of those that are ranges, which
    are withheld, and the caveats; empty where nothing has a number."""
    found = [q for address in view.addresses if (q := of.quantities.get(address)) is not None]
    drawn = [q for q in found if _middle(q) is not None and not is_withheld(q)][:BARS]
    if not drawn or len({tuple(sorted(q.unit.dimension.items())) for q in drawn}) > 1:
        return ""
    unit = axis_unit(drawn)
    bars = [_plain_number(q, unit) for q in drawn]
    names = [_drawable(_bar_name(q)) for q in drawn]
    lines = [
        "```mermaid",
        "xychart-beta horizontal",
        f'  title "{_drawable(view.title or view.name)}"',
        f"  x-axis [{', '.join(_quoted(name) for name in names)}]",
        f'  y-axis "{_drawable(unit.symbol) or "number"}"',
        f"  bar [{', '.join(bars)}]",
        "```",
    ]
    ranges = [
        f"{q.label or q.address}: {plain(established(ends))}"
        for q in drawn
        if not (ends := quantity_ends(q)).is_point and len(ends.parts()) > 1
    ]
    said = _quoting(
        [*([markdown_text(f"Established: {'; '.join(ranges)}")] if ranges else []), *_hidden(found)]
    )
    return "\n".join([*lines, *said, *_below(drawn, of)])


def _hidden(found: Sequence[Quantity]) -> list[str]:
    """Which of the quantities of a view are drawn nowhere, since they are withheld."""
    names = [q.label or q.address for q in found if is_withheld(q)]
    return [markdown_text(f"{WITHHELD[0].upper()}{WITHHELD[1:]}: {', '.join(names)}")] if names else []


def pictured(view: ViewDoc, of: Index, path: str) -> str:
    """A view as a picture in the file at `path`, written as in a link, and the caveats of what it shows below."""
    found = [q for address in view.addresses if (q := of.quantities.get(address)) is not None]
    image = f"![{markdown_text(view.title or view.name)}]({path})"
    return "\n".join(
        [image, *_quoting(_hidden(found)), *_below([q for q in found if not is_withheld(q)], of)]
    )


def derivation(quantity: Quantity, of: Index, asked: str = "") -> str:
    """Formula, numbers put in, result, for a quantity and all that it comes from, nearest first; steps that only name
    another number stand in one line of what they are named in.

    `asked` is the name that the quantity is asked for by, where it has several.
    """
    blocks: list[str] = []
    waiting, seen = [quantity.address], {quantity.address}
    while waiting and len(blocks) < _STEPS:
        one = of.quantities[waiting.pop(0)]
        blocks.append(_step(one, of, one.address if blocks else asked or one.address))
        for address in _needs(one, of):
            if address not in seen:
                seen.add(address)
                waiting.append(address)
    if waiting:
        blocks.append(f"… and {counted(len(waiting), 'more quantity', 'more quantities')}")
    text = "\n".join(blocks).replace("<!--", f"<!{JOINER}--").replace("-->", f"--{JOINER}>")
    ticks = "`" * max(3, 1 + max((len(run) for run in re.findall(r"`+", text)), default=0))
    return "\n".join([f"{ticks}text", text, ticks, *_below([quantity], of)])


def _said(quantity: Quantity) -> str:
    """The value with all that is established of it: in a line of text there is no column for that."""
    alone = quantity.truth is not None or is_withheld(quantity)
    return plain(_value(quantity) if alone else in_full(quantity_ends(quantity)))


def _value(quantity: Quantity) -> Pieces:
    if is_withheld(quantity):
        return (Words(WITHHELD),)
    return headline(quantity_ends(quantity)) if quantity.truth is None else truth_or_value(quantity)


def _carried(quantities: Iterable[Quantity], of: Index) -> tuple[list[CaveatDoc], list[CaveatDoc]]:
    """The caveats that stand on any of `quantities`: the permanent ones, and the others."""
    names = {name for q in quantities for name in (*q.caveats_here, *q.caveats_inherited)}
    found = [of.caveats[name] for name in sorted(names) if name in of.caveats]
    return [one for one in found if one.permanent], [one for one in found if not one.permanent]


class _Note(Struct, frozen=True):
    """What is told below numbers, and the addresses of those that it is of."""

    text: str
    on: tuple[str, ...]


def _notes(quantities: Sequence[Quantity], of: Index) -> list[_Note]:
    """The caveats of quantities, those for good first, and what these exclude."""
    different = {one.address: one for one in quantities}.values()
    carried = {one.address: {*one.caveats_here, *one.caveats_inherited} for one in different}
    found = [
        _Note(one.text, tuple(address for address, names in carried.items() if one.name in names))
        for group in _carried(different, of)
        for one in group
    ]
    lacking: dict[str, list[str]] = {}
    for one in different:
        for text in _excluded(one):
            lacking.setdefault(text[0].upper() + text[1:], []).append(one.address)
    return [*found, *(_Note(text, tuple(on)) for text, on in lacking.items())]


def _excluded(quantity: Quantity) -> list[str]:
    """`excludes kernel overhead, norms`, where a number leaves something out."""
    told = quantity.exclusions and not is_withheld(quantity)
    return [f"excludes {', '.join(quantity.exclusions)}"] if told else []


def _letter(at: int) -> str:
    """The mark of a note of a table: `[a]`, so that none is taken for one of the caveats of a passage."""
    name = ""
    while at >= 0:
        name, at = chr(ord("a") + at % 26) + name, at // 26 - 1
    return f"<sup>[{name}]</sup>"


def _below(quantities: Sequence[Quantity], of: Index) -> list[str]:
    """The notes below a drawing or a derivation: where one is not of all that is shown, with the names of what it is of."""
    several = len({one.address for one in quantities})
    return _quoting(
        markdown_text(note.text)
        + (f" ({', '.join(markdown_code(address) for address in note.on)})" if len(note.on) < several else "")
        for note in _notes(quantities, of)
    )


def _quoting(texts: Iterable[str]) -> list[str]:
    """The texts in one quotation, after an empty line."""
    return ["", *(line for text in texts for line in (f"> {text}", ">"))][:-1]


def _middle(quantity: Quantity) -> str | None:
    return next((end for end in (quantity.nominal, quantity.low, quantity.high) if end is not None), None)


def _plain_number(quantity: Quantity, unit: UnitText) -> str:
    """The number as a drawing takes it: digits and a point."""
    found = number(_middle(quantity))
    assert found is not None
    text = shown(in_unit(found, unit)).replace(",", "").replace(MINUS, "-")
    if "e" not in text and "/" not in text:
        return text
    whole, rest = divmod(abs(round(Fraction(in_unit(found, unit)) * 10**_DECIMALS)), 10**_DECIMALS)
    return f"{'-' if found < 0 else ''}{whole}.{rest:0{_DECIMALS}d}"


def _bar_name(quantity: Quantity) -> str:
    """What a bar is called, and what it is where it is not a value."""
    name = quantity.label or quantity.address.rpartition(".")[2]
    if quantity.nominal is None:
        return f"{name} ({'at least' if quantity.low is not None else 'at most'})"
    return f"{name} (estimate)" if quantity.low is None and quantity.high is None else name


def _drawable(text: str) -> str:
    """Letters, digits and a few signs: nothing that a drawing's language could take for its own."""
    return " ".join(_UNDRAWABLE.sub(" ", one_line(text)).split())[:60]


def _quoted(name: str) -> str:
    return f'"{name or "-"}"'


def _step(one: Quantity, of: Index, name: str) -> str:
    label = f"  ({one_line(one.label)})" if one.label else ""
    head = f"{one_line(name)}{label}"
    if is_withheld(one):
        return f"{head}\n  = {WITHHELD}"
    fold = folded(one, of.quantities)
    body = fold.body
    tree = body.formula if body.formula is not None and body.formula["op"] != "const" else None
    said = one_line(_said(one))
    lines = [head]
    if fold.names:
        lines.append(f"  = {one_line(plain(fold.said()))}")
    if tree is not None:
        names = one_line(plain(symbols(tree, body)))
        numbers = one_line(plain(numbers_put_in(tree, body, of.quantities)))
        lines.append(f"  = {names}")
        lines += [f"  = {numbers}"] if numbers and numbers not in (said, names) else []
    lines.append(f"  {_SIGNS.get(one.relation, '')}{said}")
    lines += [
        f"    {one_line(text)}, {one_line(place_text(measured.place))}"
        for text, measured in zip(_measured(one, of), measurements_of(one, of.measured), strict=True)
    ]
    if tree is None or tree["op"] == "assume":
        where = one.provenance.text or one.provenance.sort
        lines.append(f"    {one_line(where)}, {one_line(place_text(one.provenance.place))}")
    return "\n".join(lines)


def _needs(one: Quantity, of: Index) -> list[str]:
    if is_withheld(one):
        return []
    formula = folded(one, of.quantities).body.formula
    return [target for address in references(formula) if (target := of.target(address)) is not None]
