"""How one value is printed: a point, a range, a bound, an estimate, or open."""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from capwright.base.dimension import dimension
from capwright.base.exact import Number, from_text, norm, number
from capwright.base.rounding import Direction, fraction_text, shown, shown_together
from capwright.document.plandoc import MeasurementDoc, Quantity, Side, SourceDoc, UnitText
from capwright.render.pieces import Numeral, Piece, Pieces, Quoted, Words

DIRECTIONS: Final[dict[str, Direction]] = {"low": "down", "nominal": "nearest", "high": "up"}

Parts = tuple[Number | None, Number | None, Number | None]

_POWER: Final = re.compile(r"\^(-?[0-9]+)")
_RAISED: Final = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


class Ends(Struct, frozen=True):
    """The three parts of a value in base units, with what they are called and where they come from.

    `prefix` names the parts of a side of a comparison (`left.low`); `target` is the quantity whose derivation
    a numeral opens.
    """

    address: str
    target: str
    unit: UnitText
    low: Number | None
    nominal: Number | None
    high: Number | None
    approximate: bool = False
    prefix: str = ""

    @property
    def is_point(self) -> bool:
        """Whether this is one established number."""
        return self.low is not None and self.low == self.high == self.nominal

    @property
    def is_bound(self) -> bool:
        """Whether this is one established end, and no value."""
        return self.nominal is None and (self.low is None) != (self.high is None)

    def parts(self) -> list[tuple[str, Number]]:
        """The parts that there are, in order."""
        found = (("low", self.low), ("nominal", self.nominal), ("high", self.high))
        return [(name, value) for name, value in found if value is not None]


def quantity_ends(quantity: Quantity) -> Ends:
    """The value of a quantity."""
    q = quantity
    low, nominal, high = telling(number(q.low), number(q.nominal), number(q.high))
    return Ends(q.address, q.address, q.unit, low, nominal, high, q.approximate)


def telling(low: Number | None, nominal: Number | None, high: Number | None) -> Parts:
    """The parts that say something: not the zero that every quantity starts at, where it is only that."""
    trivial = low == 0 and ((nominal is None) != (high is None))
    return (None if trivial else low), nominal, high


def source_ends(source: SourceDoc, target: str) -> Ends:
    """The range of an assumption or bound."""
    s = source
    return Ends(f"source:{s.id}", target, s.unit, number(s.low), number(s.nominal), number(s.high))


def measurement_ends(measured: MeasurementDoc) -> Ends:
    """What was measured."""
    m = measured
    low, nominal, high = from_text(m.low), from_text(m.nominal), from_text(m.high)
    return Ends(f"measurement:{m.address}", m.of, m.unit, low, nominal, high, approximate=True)


def side_ends(side: Side, verdict: str, prefix: str, unit: UnitText) -> Ends:
    """One side of a comparison, in the verdict's unit."""
    address, target = f"verdict:{verdict}", side.address or f"verdict:{verdict}"
    low, nominal, high = telling(number(side.low), number(side.nominal), number(side.high))
    return Ends(address, target, unit, low, nominal, high, prefix=f"{prefix}.")


def in_unit(value: Number, unit: UnitText) -> Number:
    """A base-unit value as a number of `unit`."""
    return value if unit.factor == "1" else _divided(value, unit.factor)


@lru_cache(maxsize=16_384)
def _divided(value: Number, factor: str) -> Number:
    """A number by what a document says of a unit's size: many stand in a report in several places."""
    return norm(Fraction(value) / from_text(factor))


def unit_piece(unit: UnitText) -> Pieces:
    """A blank and the unit's symbol, with raised powers; no blank before a per cent sign."""
    if not unit.symbol:
        return ()
    symbol = _POWER.sub(lambda found: found[1].translate(_RAISED), unit.symbol)
    return (Quoted(symbol),) if symbol == "%" else (Words("\N{NO-BREAK SPACE}"), Quoted(symbol))


def numerals(ends: Ends) -> dict[str, Numeral]:
    """The printed parts of one value, by part."""
    if ends.is_point and ends.nominal is not None:  # as most values are
        return {"nominal": _numeral(ends, "nominal", shown(in_unit(ends.nominal, ends.unit)))}
    return numerals_together([ends], alike=False)[0]


def _numeral(ends: Ends, part: str, text: str) -> Numeral:
    return Numeral(text, ends.address, ends.prefix + part, ends.target, ends.unit.symbol)


def numerals_together(values: Sequence[Ends], *, alike: bool = True) -> list[dict[str, Numeral]]:
    """The printed parts of values that stand side by side in one unit: different ones never look equal.

    A value has the digits that it has alone, or more where others must be told from it. The parts of a point are one
    number, rounded to nearest. The ends of an approximate value keep apart from each
    other, not from its nominal one: they may be the twentieth digit of a root away from it.
    """
    flat = [
        (at, part, value)
        for at, ends in enumerate(values)
        for part, value in ([("nominal", ends.nominal)] if ends.is_point else ends.parts())
        if value is not None
    ]
    about = [
        values[at].nominal is not None and values[at].approximate and part != "nominal"
        for at, part, _ in flat
    ]
    found: list[dict[str, Numeral]] = [{} for _ in values]
    for wanted in (False, True):
        group = [one for one, is_end in zip(flat, about, strict=True) if is_end is wanted]
        texts = shown_together(
            tuple((in_unit(value, values[at].unit), DIRECTIONS[part]) for at, part, value in group),
            alike=alike,
            ranges=tuple(at for at, _, _ in group),
        )
        for (at, part, _), text in zip(group, texts, strict=True):
            found[at][part] = _numeral(values[at], part, text)
    return found


def headlined(ends: Ends) -> Ends:
    """The parts that a headline prints: no others have to be told apart from them."""
    return ends if ends.nominal is None else replace(ends, low=None, high=None)


def headline(ends: Ends, parts: dict[str, Numeral] | None = None) -> Pieces:
    """The value in its shortest honest form: `40.96 GiB`, `≥ 15.2 ms`, `36.1 .. 41.0 GiB`, `open`.

    `≈` marks what went through a measurement or an irrational function, `~` an estimate of which nothing is
    established. A bound has its own sign: rounded outward, it is one however it was come by.
    """
    printed = numerals(ends) if parts is None else parts
    mark: Pieces = (Words("≈ "),) if ends.approximate and not ends.is_bound else ()
    if ends.nominal is not None and ends.low is None and ends.high is None:
        mark = (Words("~ "),)
    if "nominal" in printed:
        return (*mark, printed["nominal"], *unit_piece(ends.unit))
    return (*mark, *_interval(printed), *(unit_piece(ends.unit) if printed else ()))


def established(ends: Ends, parts: dict[str, Numeral] | None = None) -> Pieces:
    """What is established of the value: `exact`, a range, a bound, or `nothing`.

    A point that went through a measurement or an irrational function is `approximate`: its ends agree, and it is only
    as good as these.
    """
    if ends.is_point:
        return (Words("approximate" if ends.approximate else "exact"),)
    if ends.is_bound:
        return (Words("upper bound" if ends.low is None else "lower bound"),)
    return interval(ends, parts) if ends.low is not None or ends.high is not None else (Words("nothing"),)


def interval(ends: Ends, parts: dict[str, Numeral] | None = None) -> Pieces:
    """The established ends alone: `36.1 .. 41.0 GiB`, `≥ 15.2 ms`, `open`."""
    printed = numerals(ends) if parts is None else parts
    bounds = {part: numeral for part, numeral in printed.items() if part != "nominal"}
    return (*_interval(bounds), *(unit_piece(ends.unit) if bounds else ()))


def in_full(ends: Ends, parts: dict[str, Numeral] | None = None, word: str = "established") -> Pieces:
    """Value and range in one line: `38.2 GiB (established: 36.1 .. 41.0 GiB)`."""
    printed = numerals(ends) if parts is None else parts
    head = headline(ends, printed)
    if ends.is_point or "nominal" not in printed:
        return head
    return (*head, Words(f" ({word}: "), *established(ends, printed), Words(")"))


def spans(ends: Ends) -> bool:
    """Whether more is established of a value than its nominal says: ends that are no mere rounding of it."""
    if ends.is_point or ends.nominal is None or (ends.low is None and ends.high is None):
        return False
    if ends.low is None or ends.high is None:
        return True
    return len({shown(in_unit(value, ends.unit)) for _, value in ends.parts()}) > 1


def spanned(ends: Ends, parts: dict[str, Numeral]) -> Pieces:
    """Value and established range, for where two stand beside each other: `15.8 (14.9 .. 16.5) ms`, `1.2 (≤ 3) GiB`."""
    bounds = {part: numeral for part, numeral in parts.items() if part != "nominal"}
    mark: Pieces = (Words("≈ "),) if ends.approximate else ()
    return (*mark, parts["nominal"], Words(" ("), *_interval(bounds), Words(")"), *unit_piece(ends.unit))


def exactly(ends: Ends) -> Pieces:
    """The unrounded parts: in base units where these are whole, else as fractions of the value's own unit.

    Nothing for a point that is printed exactly already.
    """
    if (
        ends.is_point
        and ends.unit.factor == "1"
        and ends.nominal is not None
        and ends.nominal.denominator == 1
    ):
        return ()
    parts = [("nominal", ends.nominal)] if ends.is_point else ends.parts()
    values = [(part, value) for part, value in parts if value is not None]
    whole = all(value.denominator == 1 for _, value in values)
    unit = UnitText(dimension(ends.unit.dimension).text(), "1", ends.unit.dimension) if whole else ends.unit
    symbol = "" if unit.symbol == "1" else unit.symbol
    pieces: list[Piece] = []
    for part, value in values:
        lead = "" if ends.is_point else f"{part} "
        pieces.append(Words(f", {lead}" if pieces else lead))
        text = fraction_text(in_unit(value, unit))
        pieces.append(Numeral(text, ends.address, ends.prefix + part, ends.target, symbol))
    return (*pieces, *unit_piece(replace(unit, symbol=symbol))) if pieces else ()


def _interval(printed: dict[str, Numeral]) -> Pieces:
    low, high = printed.get("low"), printed.get("high")
    if low is not None and high is not None:
        return (low, Words(" .. "), high)
    if low is not None:
        return (Words("≥ "), low)
    return (Words("≤ "), high) if high is not None else (Words("open"),)
