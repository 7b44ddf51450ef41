"""What a comparison says, before any format: the one thing that its pages and the terminal are made from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from msgspec import Struct

from capwright.base.counting import plural
from capwright.base.exact import Number, from_text, number
from capwright.base.rounding import MINUS, magnitude, shown
from capwright.document.diffdoc import (
    Cause,
    DeclarationChange,
    DiffDoc,
    Difference,
    Edition,
    FactChange,
    QuantityChange,
    QuantityEntry,
    Remark,
    ValueDoc,
    VerdictChange,
)
from capwright.document.plandoc import DiagnosticDoc, MovedDoc, UnitText, VerdictDoc
from capwright.document.sizes import Families, chosen, families_of
from capwright.render.figures import (
    Ends,
    headline,
    headlined,
    in_full,
    in_unit,
    numerals_together,
    telling,
    unit_piece,
)
from capwright.render.pieces import Numeral, Piece, Pieces, Quoted, Reference, Words
from capwright.render.words import STATUS, Tone

NOT_SEPARATED: Final = "the ranges overlap: not separated"
FEW: Final = 3
"""Causes that stand beside a number; the rest are counted."""


class Share(Struct, frozen=True):
    """One cause of a difference: the declarations, what they contribute, the facts that carry it."""

    names: Pieces
    value: Pieces
    facts: tuple[str, ...]


class Changed(Struct, frozen=True):
    """One changed number: before, after, difference, and what made it. `notes` are what else must be known."""

    address: str
    label: str
    kind: str
    before: Pieces
    after: Pieces
    difference: Pieces
    shares: tuple[Share, ...]
    notes: tuple[Pieces, ...]
    unit: UnitText

    @property
    def overlaps(self) -> bool:
        """Whether the two ranges overlap, so that the difference may be none."""
        return (Words(NOT_SEPARATED),) in self.notes

    @property
    def told(self) -> tuple[Pieces, ...]:
        """The notes but for the one on ranges that overlap, which may stand once for many rows."""
        return tuple(note for note in self.notes if note != (Words(NOT_SEPARATED),))

    @property
    def first(self) -> tuple[Share, ...]:
        """The causes that stand beside the number."""
        return self.shares[:FEW]

    @property
    def more(self) -> int:
        """How many causes are left."""
        return max(0, len(self.shares) - FEW)


class ChangedVerdict(Struct, frozen=True):
    """One requirement: its verdict on both sides, and how its room changed."""

    label: str
    before: str
    after: str
    before_tone: Tone
    after_tone: Tone
    flips: bool
    written: str
    place: str
    room: Changed


class Fact(Struct, frozen=True):
    """A leaf fact that a declaration carries; `lacking` names the side that does not have it."""

    name: str
    before: Pieces
    after: Pieces
    lacking: str


class Declaration(Struct, frozen=True):
    """A changed declaration, and whether it moved a reported number."""

    id: str
    address: str
    origin: str
    before: str
    after: str
    before_place: str
    after_place: str
    facts: tuple[Fact, ...]
    idle: bool


class Entry(Struct, frozen=True):
    """A quantity that is on one side only."""

    address: str
    label: str
    value: Pieces


class Comparison(Struct, frozen=True):
    """All that is shown, in order."""

    before: Edition
    after: Edition
    empty: bool
    verdicts: tuple[ChangedVerdict, ...]
    declarations: tuple[Declaration, ...]
    quantities: tuple[Changed, ...]
    others: tuple[Changed, ...]
    remarks: tuple[Remark, ...]
    added: tuple[Entry, ...]
    removed: tuple[Entry, ...]
    moved: tuple[MovedDoc, ...]
    unchanged: Pieces
    unsound: tuple[tuple[str, tuple[DiagnosticDoc, ...]], ...]
    approximate: Pieces
    caveats: tuple[str, ...]


def comparison(doc: DiffDoc) -> Comparison:
    """The view of a comparison."""
    return _Writer(doc).comparison()


class Differences:
    """The changed quantities of a comparison, each in a unit that is asked for: that of what it stands beside."""

    def __init__(self, doc: DiffDoc) -> None:
        self._writer = _Writer(doc)
        self._changes = {change.address: change for change in doc.quantities}

    def of(self, address: str, unit: UnitText) -> Changed | None:
        """The change of a quantity, its values, difference and causes in `unit`; None where it has none."""
        change = self._changes.get(address)
        return None if change is None else self._writer.changed(change, unit)


class _Writer:
    def __init__(self, doc: DiffDoc) -> None:
        self.doc = doc
        self.families: Families = families_of(doc.scales)
        self.named = {d.id: d.address for d in doc.declarations}
        self.differences = [q.change for q in doc.quantities] + [v.change for v in doc.verdicts]
        self.used = {id for each in self.differences for cause in each.causes for id in cause.declarations}

    def comparison(self) -> Comparison:
        doc = self.doc
        editions = (doc.before, doc.after)
        return Comparison(
            doc.before,
            doc.after,
            doc.empty,
            tuple(self._verdict(v) for v in doc.verdicts),
            tuple(self._declaration(d) for d in doc.declarations),
            tuple(self.changed(q) for q in doc.quantities),
            tuple(self.changed(q) for q in doc.others),
            doc.remarks,
            tuple(self._entry(q) for q in doc.added),
            tuple(self._entry(q) for q in doc.removed),
            doc.moved,
            self._unchanged(),
            tuple((e.name, e.messages) for e in editions if e.failed),
            self._approximate(),
            tuple(caveat.text for caveat in doc.caveats),
        )

    def _unchanged(self) -> Pieces:
        doc = self.doc
        return (
            Numeral(f"{doc.unchanged_quantities:,}", "document", "unchanged_quantities", "document"),
            Words(f" {plural(doc.unchanged_quantities, 'quantity', 'quantities')} and "),
            Numeral(f"{doc.unchanged_verdicts:,}", "document", "unchanged_verdicts", "document"),
            Words(f" {plural(doc.unchanged_verdicts, 'verdict')} are unchanged"),
            *self._withheld(),
        )

    def _withheld(self) -> Pieces:
        """How much nobody is told of."""
        count = self.doc.withheld_quantities
        if not count:
            return ()
        return (
            Words("; "),
            Numeral(f"{count:,}", "document", "withheld_quantities", "document"),
            Words(" more quantity is withheld" if count == 1 else " more quantities are withheld"),
        )

    def _approximate(self) -> Pieces:
        """How causes were approximated, where that was needed."""
        orders = [each.orders for each in self.differences if each.orders]
        if not orders:
            return ()
        return (
            Words("With so many declarations the parts are averages over at least "),
            Numeral(f"{min(orders):,}", "document", "orders", "document"),
            Words(" sampled orders. They add up exactly; each says its standard error."),
        )

    def changed(self, change: QuantityChange, unit: UnitText | None = None) -> Changed:
        """One changed quantity, in the unit that reads best where none is given."""
        unit = unit or self._unit(change.unit, change.before, change.after)
        before, after = self._pair(change.address, unit, change.before, change.after)
        notes = list(_notes(change.change, change.before, change.after))
        if change.before_address is not None:
            notes.append((Words("was "), Quoted(change.before_address)))
        if change.before.binds != change.after.binds and change.after.binds:
            notes.append((Words("now bound by "), Quoted(change.after.binds)))
        kind = self.doc.kinds.get(change.kind or "", change.kind or "")
        return self._row(
            change.address, change.label or "", kind if kind != change.label else "", unit,
            (before, after), change.change, notes,
        )  # fmt: skip

    def _row(
        self,
        address: str,
        label: str,
        kind: str,
        unit: UnitText,
        printed: tuple[Pieces, Pieces],
        change: Difference,
        notes: Sequence[Pieces],
    ) -> Changed:
        return Changed(
            address, label, kind, *printed, _difference(address, unit, change),
            tuple(self._share(address, unit, at, cause) for at, cause in enumerate(change.causes)),
            tuple(notes), unit,
        )  # fmt: skip

    def _share(self, address: str, unit: UnitText, at: int, cause: Cause) -> Share:
        names: list[Piece] = []
        for id in cause.declarations:
            names += [
                Words(" with " if names else ""),
                Reference(self.named.get(id, id), f"declaration:{id}"),
            ]
        value = _signed(from_text(cause.share), address, f"causes.{at}.share", unit)
        if cause.error is not None:
            error = Numeral(
                shown(in_unit(from_text(cause.error), unit), "up"), address, f"causes.{at}.error", address
            )
            value = (*value, Words(" ± "), error)
        return Share(tuple(names), value, cause.facts)

    def _unit(self, unit: UnitText, *values: ValueDoc) -> UnitText:
        ends = [e for v in values for e in (v.low, v.nominal, v.high) if e is not None]
        return chosen(unit, [from_text(e) for e in ends], self.families)

    def _pair(self, address: str, unit: UnitText, before: ValueDoc, after: ValueDoc) -> tuple[Pieces, Pieces]:
        """Both values in `unit`, in enough digits to tell them apart."""
        ends = [_ends(address, unit, before, "before."), _ends(address, unit, after, "after.")]
        same_point = before.nominal is not None and before.nominal == after.nominal
        printed = numerals_together(ends if same_point else [headlined(each) for each in ends])
        found = [
            (Words("true" if value.truth else "false"),) if value.truth is not None
            else in_full(e, p) if same_point else headline(e, p)
            for value, e, p in zip((before, after), ends, printed, strict=True)
        ]  # fmt: skip
        return found[0], found[1]

    def _verdict(self, change: VerdictChange) -> ChangedVerdict:
        verdict = change.after or change.before
        assert verdict is not None
        before, after = _status(change.before), _status(change.after)
        address = f"verdict:{verdict.id}"
        values = (_margin(change.before), _margin(change.after))
        unit = self._unit(verdict.unit, *values)
        printed = self._pair(address, unit, *values)
        notes = _notes(change.change, *values) if change.before and change.after else []
        room = self._row(address, change.label, "", unit, printed, change.change, notes)
        return ChangedVerdict(
            change.label, before[0], after[0], before[1], after[1], change.what != "margin", verdict.written,
            verdict.place, room,
        )  # fmt: skip

    def _declaration(self, change: DeclarationChange) -> Declaration:
        return Declaration(
            change.id, change.address, change.origin, change.before or "", change.after or "", change.before_place,
            change.after_place, tuple(self._fact(change.id, f) for f in change.facts), change.id not in self.used,
        )  # fmt: skip

    def _fact(self, id: str, fact: FactChange) -> Fact:
        address = f"declaration:{id}:{fact.name}"
        nothing = ValueDoc(None, None, None)
        values = (fact.before or nothing, fact.after or nothing)
        before, after = self._pair(address, self._unit(fact.unit, *values), *values)
        lacking = "before" if fact.before is None else "after" if fact.after is None else ""
        return Fact(fact.name, before if fact.before else (), after if fact.after else (), lacking)

    def _entry(self, entry: QuantityEntry) -> Entry:
        unit = self._unit(entry.unit, entry.value)
        ends = _ends(entry.address, unit, entry.value, "")
        value: Pieces = headline(ends)
        if entry.value.truth is not None:
            value = (Words("true" if entry.value.truth else "false"),)
        return Entry(entry.address, entry.label or "", value)


def _status(verdict: VerdictDoc | None) -> tuple[str, Tone]:
    return ("not asked", "open") if verdict is None else STATUS[verdict.status]


def _margin(verdict: VerdictDoc | None) -> ValueDoc:
    if verdict is None:
        return ValueDoc(None, None, None)
    return ValueDoc(verdict.margin_low, verdict.margin_nominal, verdict.margin_high)


def _ends(address: str, unit: UnitText, value: ValueDoc, prefix: str) -> Ends:
    low, nominal, high = telling(number(value.low), number(value.nominal), number(value.high))
    return Ends(address, address, unit, low, nominal, high, value.approximate, prefix)


def _notes(change: Difference, before: ValueDoc, after: ValueDoc) -> list[Pieces]:
    ranged = any(v.low != v.high for v in (before, after))
    notes: list[Pieces] = [(Words(NOT_SEPARATED),)] if ranged and not change.separated else []
    return [*notes, (Words(change.why),)] if change.why else notes


def _difference(address: str, unit: UnitText, change: Difference) -> Pieces:
    """`+4.6 GiB (×1.83)`; nothing where there is no number to subtract."""
    if change.difference is None or change.difference == "0":
        return ()
    pieces = _signed(from_text(change.difference), address, "difference", unit)
    lead: Pieces = (Words("low end "),) if change.part == "low" else ()
    lead = (Words("high end "),) if change.part == "high" else lead
    if change.ratio is None:
        return (*lead, *pieces)
    ratio = shown(from_text(change.ratio))
    if ratio.rstrip("0").rstrip(".") in ("1", "0"):
        return (*lead, *pieces)
    return (*lead, *pieces, Words(" (×"), Numeral(ratio, address, "ratio", address), Words(")"))


def _signed(value: Number, address: str, part: str, unit: UnitText) -> Pieces:
    sign = "+" if value > 0 else MINUS if value < 0 else ""
    text = shown(magnitude(in_unit(value, unit)))
    return (
        Words(sign) if sign else Words(""),
        Numeral(text, address, part, address, unit.symbol),
        *unit_piece(unit),
    )
