"""From a comparison's document to what it says: names, numbers in readable units, shares, notes."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Final

from msgspec.structs import replace

from capwright.base.counting import counted, plural
from capwright.base.exact import from_text
from capwright.base.rounding import shown
from capwright.document.diffdoc import (
    AnswerChange,
    Cause,
    DeclarationChange,
    DiffDoc,
    Difference,
    FactChange,
    OptionEntry,
    OptionStatus,
    QuantityChange,
    QuantityEntry,
    RenameDoc,
    RequirementDoc,
    UnjudgedChange,
    ValueDoc,
    VerdictChange,
)
from capwright.document.outcome import (
    as_asked_now,
    became_better,
    became_worse,
    gained_caveats,
    has_room,
    lapsed,
    rank,
)
from capwright.document.plandoc import Status, UnitText, VerdictDoc
from capwright.document.sizes import Families, chosen, families_of
from capwright.document.withholding import WITHHELD, is_told_alone
from capwright.render.before_after import (
    NOT_SEPARATED,
    ROOMS_NOT_SEPARATED,
    both,
    difference,
    ends_of,
    notes_of,
    pair,
    signed,
    unlike,
)
from capwright.render.compared import (
    Changed,
    ChangedVerdict,
    Comparison,
    Declaration,
    Entry,
    Fact,
    Note,
    Option,
    OptionVerdict,
    Rename,
    Share,
)
from capwright.render.figures import (
    Ends,
    headline,
    in_unit,
)
from capwright.render.money_and_room import changed_money, changed_rooms, is_of_memory, room
from capwright.render.pieces import Name, Numeral, Piece, Pieces, Quoted, Reference, Words
from capwright.render.scaling import rescaled
from capwright.render.standing import gained, standing
from capwright.render.verdicts import comparison as comparison_of
from capwright.render.verdicts import margin
from capwright.render.words import NO_VERDICT, NOT_ASKED, STATUS, Tone, status_counts

_OTHER_SIZE: Final = Fraction(4)
"""A number that grew to so many times itself, or shrank by as much, is of another size."""


def comparison(doc: DiffDoc) -> Comparison:
    """The view of a comparison."""
    return _Writer(doc).comparison()


def id_of(change: UnjudgedChange) -> str:
    """What a requirement goes by that may have no verdict now, and so no id."""
    if change.after is not None:
        return change.after.id
    asked = change.asked_after or change.asked_before
    return f"asked:{asked.written}" if asked is not None else f"asked:{change.label}"


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
        self.requirements = {d.id: d for d in doc.declarations if d.sort == "requirement"}
        self.asked: list[VerdictChange | AnswerChange] = [*doc.verdicts, *doc.answers]
        self.differences = [q.change for q in doc.quantities] + [v.change for v in self.asked]
        self.permanent = frozenset(caveat.name for caveat in doc.caveats if caveat.permanent)
        self.ratios = {q.address: q.change.ratio for q in (*doc.quantities, *doc.others)}
        self.used = {id for each in self.differences for cause in each.causes for id in cause.declarations}

    def comparison(self) -> Comparison:
        doc = self.doc
        editions = (doc.before, doc.after)
        verdicts = {id(one): self._verdict(one) for one in doc.verdicts}
        changed = {one.address: self.changed(one) for one in (*doc.quantities, *doc.others)}
        return Comparison(
            doc.before,
            doc.after,
            doc.empty,
            tuple(verdicts.values()),
            tuple(map(self._unjudged, doc.unjudged)),
            tuple(self._verdict(v) for v in doc.answers if v.what != "margin"),
            self._roomier(),
            tuple(_option(entry, self.families) for entry in doc.options),
            tuple(self._declaration(d) for d in doc.declarations),
            tuple(changed[q.address] for q in doc.quantities),
            tuple(changed[q.address] for q in doc.others),
            tuple(changed[q.address] for q in changed_money(doc)),
            tuple(seen for v in changed_rooms(doc) if (seen := verdicts[id(v)]).room.differs),
            (
                *(Note(text) for text in doc.uncompared),
                *(Note(one.text, one.sort, one.name, one.leaned, one.what) for one in doc.remarks),
            ),
            tuple(self._entry(q) for q in doc.added if q.option is None),  # an option's are told with it
            tuple(self._entry(q) for q in doc.removed if q.option is None),
            tuple(map(_rename, doc.renames or (RenameDoc(one.old, one.new, 1) for one in doc.moved))),
            self._unchanged(),
            tuple((e.name, e.messages) for e in editions if e.failed),
            self._approximate(),
            tuple(caveat.text for caveat in doc.caveats if caveat.permanent),
            self._told(),
        )

    def _told(self) -> tuple[tuple[str, str], ...]:
        named = {
            name
            for one in self.asked
            if (stands := one.after or one.before) is not None
            for name in (stands.caveats if one.what != "margin" else gained_caveats(one.before, one.after))
        } | {name for one in self.doc.unjudged if one.after is not None for name in one.after.caveats}
        return tuple((c.name, c.text) for c in self.doc.caveats if c.name in named and not c.permanent)

    def _unchanged(self) -> Pieces:
        doc = self.doc
        return (
            Numeral(f"{doc.unchanged_quantities:,}", "document", "unchanged_quantities", "document"),
            Words(f" {plural(doc.unchanged_quantities, 'quantity', 'quantities')} and "),
            Numeral(f"{doc.unchanged_verdicts:,}", "document", "unchanged_verdicts", "document"),
            Words(f" {plural(doc.unchanged_verdicts, 'verdict')}"),
            *self._unchanged_answers(),
            Words(" are unchanged"),
            *self._withheld(),
        )

    def _unchanged_answers(self) -> Pieces:
        count = self.doc.unchanged_answers
        if not count:
            return ()
        return (
            Words(", and "),
            Numeral(f"{count:,}", "document", "unchanged_answers", "document"),
            Words(f" {plural(count, 'verdict')} of options,"),
        )

    def _roomier(self) -> Pieces:
        roomier = [one for one in self.doc.answers if one.what == "margin"]
        count = len(roomier)
        if not count:
            return ()
        return (
            Numeral(f"{count:,}", "document", "answers.margin", "document"),
            Words(
                f" {plural(count, 'verdict')} of options {plural(count, 'is', 'are')} as before, with another room"
            ),
            *self._least_room(roomier),
        )

    def _least_room(self, answers: Sequence[AnswerChange]) -> Pieces:
        """The least room in memory that is left by verdicts of options, and what it was; empty where none is of memory."""
        held = [(one.after, one) for one in answers if one.after is not None and is_of_memory(one.after)]
        if not held:
            return ()
        _, least = min(held, key=lambda each: room(each[0]))
        told = self._verdict(least)
        # Such a verdict has no place of its own on a page that its numbers could lead to.
        was, now = (
            tuple(replace(one, target="document") if isinstance(one, Numeral) else one for one in side)
            for side in (told.room.before, told.room.after)
        )
        named = (Words("; the least of memory: "), Name(told.option), Words(", "), Quoted(told.label))
        return (*named, Words(", room "), *was, Words(" → "), *now)

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
        ends = both(change.address, unit, change.before, change.after)
        printed = pair(ends, change.before, change.after)
        notes = list(notes_of(change.change, *ends))
        if change.before_address is not None:
            notes.append((Words("was "), Name(change.before_address)))
        if change.before.binds != change.after.binds and change.after.binds:
            notes.append((Words("now bound by "), Quoted(change.after.binds)))
        kind = self.doc.kinds.get(change.kind or "", change.kind or "")
        return self._row(
            change.address, change.label or "", kind if kind != change.label else "", unit,
            ends, printed, change.change, notes,
        )  # fmt: skip

    def _row(
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
        edited = self.requirements.get(id)
        if edited is None:
            return (Reference(self.named.get(id, id), f"declaration:{id}"),)
        was, now = Name(edited.before or ""), Name(edited.after or "")
        return (Words("the requirement itself was edited ("), was, Words(" → "), now, Words(")"))

    def _unit(self, unit: UnitText, *values: ValueDoc) -> UnitText:
        ends = [e for v in values for e in (v.low, v.nominal, v.high) if e is not None]
        return chosen(unit, [from_text(e) for e in ends], self.families)

    def _verdict(self, change: VerdictChange | AnswerChange) -> ChangedVerdict:
        verdict = change.after or change.before
        assert verdict is not None
        before, after = _status(change.before), _status(change.after)
        option = change.option if isinstance(change, AnswerChange) else ""
        address = f"verdict:{option}:{verdict.id}" if option else f"verdict:{verdict.id}"
        values = (_margin(change.before), _margin(change.after))
        unit = self._unit(verdict.unit, *values)
        ends = both(address, unit, *values)
        asked = change.before is not None and change.after is not None
        printed: tuple[Pieces, Pieces] = pair(ends, *values) if asked else ((), ())
        label = change.label or verdict.written
        notes = (
            _of_rooms(notes_of(change.change, *ends))
            if asked
            else _asked_once(change, address, self.families)
        )
        edit = change.edit if isinstance(change, VerdictChange) else ""
        if edit and not self._tells_edit(change.change) and not _is_written_alike(change):
            notes.append(_edited(change.before, change.after))
        room = self._row(address, label, "", unit, ends, printed, change.change, notes)
        if not room.difference:
            room = replace(room, notes=room.told)
        flips = change.what != "margin"
        marks: tuple[Pieces, ...] = ()
        if change.after is not None:
            marks = (
                standing(change.after, self.permanent, address)
                if flips
                else gained(change.before, change.after, self.permanent)
            )
        was: Status | None = None
        if change.before is not None:
            was = change.before.status if change.after is None else as_asked_now(change.before, change.after)
        better = flips and change.after is not None and became_better(was, change.after.status)
        lost = ""
        if flips and change.before is not None and change.after is not None:
            lost = lapsed(change.before.status, change.after.status)
        return ChangedVerdict(
            option, label, before[0], after[0], before[1], after[1], flips, change.worse,
            better, lost, verdict.written, verdict.place, room, marks, change.change.lost, change.change.won,
            edit, verdict.id, (change.before or verdict).verb == "require",
        )  # fmt: skip

    def _unjudged(self, change: UnjudgedChange) -> ChangedVerdict:
        """A requirement without a verdict on a side that has errors. It has no room to compare."""
        held, asked = change.after or change.before, change.asked_after or change.asked_before
        assert asked is not None
        is_lost = None in (change.asked_before, change.asked_after) and held is not None
        before = self._without(change.before, change.asked_before, is_lost=is_lost)
        after = self._without(change.after, change.asked_after, is_lost=is_lost)
        address = f"verdict:{id_of(change)}"
        notes = [_edited(change.asked_before, change.asked_after)] if change.edit else []
        unit = UnitText("", "1", {}) if held is None else held.unit
        room = Changed(address, change.label, "", (), (), (), (), tuple(notes), unit)
        now = change.after
        return ChangedVerdict(
            "", change.label, before[0], after[0], before[1], after[1], before != after,
            now is not None and became_worse(None, now), now is not None and became_better(None, now.status), "",
            asked.written, asked.place, room, standing(now, self.permanent, address) if now is not None else (), (), (),
            change.edit, id_of(change), (change.asked_before or asked).verb == "require",
        )  # fmt: skip

    @staticmethod
    def _without(
        verdict: VerdictDoc | None, asked: RequirementDoc | None, *, is_lost: bool
    ) -> tuple[str, Tone]:
        """What stands for a verdict: of a side that could not be read as a whole nobody knows that something is not asked."""
        if verdict is not None or (asked is None and not is_lost):
            return _status(verdict)
        return (NO_VERDICT, "open")

    def _tells_edit(self, change: Difference) -> bool:
        """Whether the causes of how a room changed tell what a requirement asked, and asks."""
        return any(id in self.requirements for cause in change.causes for id in cause.declarations)

    def _declaration(self, change: DeclarationChange) -> Declaration:
        return Declaration(
            change.id, change.address, change.origin, change.before or "", change.after or "", change.before_place,
            change.after_place, tuple(self._fact(change.id, f) for f in change.facts), change.id not in self.used,
            self._ratio(change.address),
        )  # fmt: skip

    def _ratio(self, address: str) -> Pieces:
        """`×11.55`, where the number at an address is another size now: a slip of a digit is seen by nothing sooner."""
        ratio = self.ratios.get(address)
        if ratio is None or 1 / _OTHER_SIZE < from_text(ratio) < _OTHER_SIZE:
            return ()
        return (Words("×"), Numeral(shown(from_text(ratio)), address, "ratio", address))

    def _fact(self, id: str, fact: FactChange) -> Fact:
        address = f"declaration:{id}:{fact.name}"
        nothing = ValueDoc(None, None, None)
        values = (fact.before or nothing, fact.after or nothing)
        before, after = pair(both(address, self._unit(fact.unit, *values), *values), *values)
        lacking = "before" if fact.before is None else "after" if fact.after is None else ""
        return Fact(fact.name, before if fact.before else (), after if fact.after else (), lacking)

    def _entry(self, entry: QuantityEntry) -> Entry:
        unit = self._unit(entry.unit, entry.value)
        ends = ends_of(entry.address, unit, entry.value, "")
        value: Pieces = headline(ends)
        if entry.value.truth is not None:
            value = (Words("true" if entry.value.truth else "false"),)
        if entry.withheld:
            value = (Words(WITHHELD),)
        return Entry(entry.address, entry.label or "", value)


def _of_rooms(notes: Sequence[Pieces]) -> list[Pieces]:
    """Notes on the room of a verdict: that two rooms overlap says nothing against it."""
    return [(Words(ROOMS_NOT_SEPARATED),) if note == (Words(NOT_SEPARATED),) else note for note in notes]


def _asked_once(change: VerdictChange | AnswerChange, address: str, families: Families) -> list[Pieces]:
    """What a requirement that is on one side only compares there, and the room that it leaves."""
    side, verdict = ("before", change.before) if change.after is None else ("after", change.after)
    return _compared(verdict, f"{side}.", address, families, address)


def _compared(
    verdict: VerdictDoc | None, side: str, address: str, families: Families, target: str = "document"
) -> list[Pieces]:
    """What a requirement compares, and the room that it leaves, as parts of what is at `address`; nothing of one of which
    only the status is told."""
    if verdict is None or is_told_alone(verdict):
        return []
    verdict = rescaled(verdict, families)
    room = margin(verdict)
    return [
        tuple(
            replace(each, address=address, part=f"{side}{each.part}", target=target)
            if isinstance(each, Numeral)
            else each
            for each in pieces
        )
        for pieces in (comparison_of(verdict), (Words("room "), *room) if room else ())
        if pieces
    ]


def _is_written_alike(change: VerdictChange | AnswerChange) -> bool:
    """Whether a requirement reads as before: what moved is the number of its limit's name, which is among the causes."""
    before, after = change.before, change.after
    return before is not None and after is not None and _edited(before, before) == _edited(before, after)


def _edited(before: VerdictDoc | RequirementDoc | None, after: VerdictDoc | RequirementDoc | None) -> Pieces:
    """What a requirement asked, and asks."""
    was, now = (
        "" if one is None else f"{one.verb} {'established ' if one.strict else ''}{one.written}"
        for one in (before, after)
    )
    return (Words("it was "), Name(was), Words(" and is "), Name(now))


def _rename(one: RenameDoc) -> Rename:
    if one.quantities == 1:
        return Rename(one.old, one.new, ())
    count = Numeral(f"{one.quantities:,}", "document", "renames.quantities", "document")
    return Rename(one.old, one.new, (count, Words(" quantities")))


def _option_verdict(one: OptionStatus, address: str, families: Families) -> OptionVerdict:
    notes = () if one.verdict is None else _compared(one.verdict, f"{one.verdict.id}.", address, families)
    return OptionVerdict(*STATUS[one.status], one.label, tuple(notes))


def _option(entry: OptionEntry, families: Families) -> Option:
    ordered = sorted(entry.statuses, key=lambda one: rank(one.status))
    statuses = tuple(_option_verdict(one, f"option:{entry.address}", families) for one in ordered)
    tally = status_counts(one.status for one in ordered)
    if entry.unasked:
        tally += f"{', ' if tally else ''}{counted(entry.unasked, 'requirement')} cannot be asked of it"
    at = f"option:{entry.address}"
    count = entry.quantities
    quantities: Pieces = (
        Numeral(f"{count:,}", at, "quantities", "document"),
        Words(f" {plural(count, 'quantity', 'quantities')}"),
    )
    none = "no requirement" if entry.unasked == 0 else "its document does not say what it comes to"
    return Option(entry.what, entry.address, entry.label or "", quantities, statuses, tally or none)


def _status(verdict: VerdictDoc | None) -> tuple[str, Tone]:
    return (NOT_ASKED, "open") if verdict is None else STATUS[verdict.status]


def _margin(verdict: VerdictDoc | None) -> ValueDoc:
    if verdict is None or not has_room(verdict):
        return ValueDoc(None, None, None)
    return ValueDoc(verdict.margin_low, verdict.margin_nominal, verdict.margin_high)
