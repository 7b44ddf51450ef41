"""What a comparison tells, as rows: changed quantities, declarations and their facts, what is new or gone."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Final

from capwright.base.exact import from_text
from capwright.base.rounding import shown
from capwright.document.diffdoc import (
    Cause,
    DeclarationChange,
    DiffDoc,
    Difference,
    FactChange,
    QuantityChange,
    QuantityEntry,
    ValueDoc,
)
from capwright.document.plandoc import UnitText
from capwright.document.sizes import Families, chosen, families_of
from capwright.document.withholding import WITHHELD
from capwright.render.before_after import both, difference, ends_of, notes_of, pair, signed, unlike
from capwright.render.compared import Changed, Declaration, Entry, Fact, Share
from capwright.render.figures import Ends, headline, in_unit
from capwright.render.pieces import Name, Numeral, Piece, Pieces, Quoted, Reference, Words

_OTHER_SIZE: Final = Fraction(4)
"""A number that grew to so many times itself, or shrank by as much, is of another size."""


class Rows:
    """The rows of one comparison, each number in the unit that reads best, or in one that is asked for."""

    def __init__(self, doc: DiffDoc) -> None:
        self.families: Families = families_of(doc.scales)
        self._kinds = doc.kinds
        self._named = {d.id: d.address for d in doc.declarations}
        self._requirements = {d.id: d for d in doc.declarations if d.sort == "requirement"}
        self._ratios = {q.address: q.change.ratio for q in (*doc.quantities, *doc.others)}
        differences = [*(one.change for one in doc.quantities), *(one.change for one in doc.asked)]
        self._used = {id for each in differences for cause in each.causes for id in cause.declarations}

    def changed(self, change: QuantityChange, unit: UnitText | None = None) -> Changed:
        """One changed quantity, in the unit that reads best where none is given."""
        unit = unit or self.unit(change.unit, change.before, change.after)
        ends = both(change.address, unit, change.before, change.after)
        printed = pair(ends, change.before, change.after)
        notes = list(notes_of(change.change, *ends))
        if change.before_address is not None:
            notes.append((Words("was "), Name(change.before_address)))
        if change.before.binds != change.after.binds and change.after.binds:
            notes.append((Words("now bound by "), Quoted(change.after.binds)))
        kind = self._kinds.get(change.kind or "", change.kind or "")
        return self.row(
            change.address, change.label or "", kind if kind != change.label else "", unit,
            ends, printed, change.change, notes,
        )  # fmt: skip

    def row(
        self,
        address: str,
        label: str,
        kind: str,
        unit: UnitText,
        ends: tuple[Ends, Ends],
        printed: tuple[Pieces, Pieces],
        change: Difference,
        notes: Sequence[Pieces],
    ) -> Changed:
        """What became of one number: both values as they are printed, their difference and its parts."""
        return Changed(
            address, label, kind, *printed, difference(address, unit, change, *ends),
            tuple(self._share(address, unit, at, cause, change) for at, cause in enumerate(change.causes)),
            tuple(notes), unit, unlike(*ends),
        )  # fmt: skip

    def _share(self, address: str, unit: UnitText, at: int, cause: Cause, change: Difference) -> Share:
        names: list[Piece] = []
        for id in cause.declarations:
            names += [Words(" with " if names else ""), *self._cause(id)]
        if change.lost or change.won:  # the whole is no gain and no loss, so neither is a part of it
            return Share(tuple(names), (), cause.facts)
        value = signed(from_text(cause.share), address, f"causes.{at}.share", unit)
        if cause.error is not None:
            error = Numeral(
                shown(in_unit(from_text(cause.error), unit), "up"), address, f"causes.{at}.error", address
            )
            value = (*value, Words(" ± "), error)
        return Share(tuple(names), value, cause.facts)

    def _cause(self, id: str) -> Pieces:
        """A declaration beside what it made: by its address, and a requirement, which makes nothing but its own room, by
        what it asked and asks."""
        edited = self._requirements.get(id)
        if edited is None:
            return (Reference(self._named.get(id, id), f"declaration:{id}"),)
        was, now = Name(edited.before or ""), Name(edited.after or "")
        return (Words("the requirement itself was edited ("), was, Words(" → "), now, Words(")"))

    def unit(self, unit: UnitText, *values: ValueDoc) -> UnitText:
        """The unit that some values read best in together."""
        ends = [e for v in values for e in (v.low, v.nominal, v.high) if e is not None]
        return chosen(unit, [from_text(e) for e in ends], self.families)

    def tells_edit(self, change: Difference) -> bool:
        """Whether the causes of how a room changed tell what a requirement asked, and asks."""
        return any(id in self._requirements for cause in change.causes for id in cause.declarations)

    def declaration(self, change: DeclarationChange) -> Declaration:
        """A declaration that was edited, with the facts that it states."""
        return Declaration(
            change.id, change.address, change.origin, change.before or "", change.after or "", change.before_place,
            change.after_place, tuple(self._fact(change.id, f) for f in change.facts), change.id not in self._used,
            self._ratio(change.address),
        )  # fmt: skip

    def _ratio(self, address: str) -> Pieces:
        """`×11.55`, where the number at an address is another size now: a slip of a digit is seen by nothing sooner."""
        ratio = self._ratios.get(address)
        if ratio is None or 1 / _OTHER_SIZE < from_text(ratio) < _OTHER_SIZE:
            return ()
        return (Words("×"), Numeral(shown(from_text(ratio)), address, "ratio", address))

    def _fact(self, id: str, fact: FactChange) -> Fact:
        address = f"declaration:{id}:{fact.name}"
        nothing = ValueDoc(None, None, None)
        values = (fact.before or nothing, fact.after or nothing)
        before, after = pair(both(address, self.unit(fact.unit, *values), *values), *values)
        lacking = "before" if fact.before is None else "after" if fact.after is None else ""
        return Fact(fact.name, before if fact.before else (), after if fact.after else (), lacking)

    def entry(self, entry: QuantityEntry) -> Entry:
        """A quantity that is on one side only."""
        unit = self.unit(entry.unit, entry.value)
        ends = ends_of(entry.address, unit, entry.value, "")
        value: Pieces = headline(ends)
        if entry.value.truth is not None:
            value = (Words("true" if entry.value.truth else "false"),)
        if entry.withheld:
            value = (Words(WITHHELD),)
        return Entry(entry.address, entry.label or "", value)


class Differences:
    """The changed quantities of a comparison, each in a unit that is asked for: that of what it stands beside."""

    def __init__(self, doc: DiffDoc) -> None:
        self._rows = Rows(doc)
        self._changes = {change.address: change for change in doc.quantities}

    def of(self, address: str, unit: UnitText) -> Changed | None:
        """The change of a quantity, its values, difference and causes in `unit`; None where it has none."""
        change = self._changes.get(address)
        return None if change is None else self._rows.changed(change, unit)
