"""From a comparison's document to what it says: its rows, and the sentences that count what has none."""

from __future__ import annotations

from capwright.base.counting import counted, plural
from capwright.document.diffdoc import DiffDoc, OptionEntry, OptionStatus, RenameDoc
from capwright.document.outcome import gained_caveats, rank
from capwright.document.sizes import Families
from capwright.render.compared import Comparison, Note, Option, OptionVerdict, Rename
from capwright.render.diff_counts import approximated, roomier, unchanged
from capwright.render.diff_rows import Rows
from capwright.render.diff_verdicts import VerdictRows, compared
from capwright.render.money_and_room import changed_money, changed_rooms
from capwright.render.pieces import Numeral, Pieces, Words
from capwright.render.words import STATUS, status_counts


def comparison(doc: DiffDoc) -> Comparison:
    """The view of a comparison."""
    rows = Rows(doc)
    asked = VerdictRows(doc, rows)
    editions = (doc.before, doc.after)
    verdicts = {id(one): asked.verdict(one) for one in doc.verdicts}
    changed = {one.address: rows.changed(one) for one in (*doc.quantities, *doc.others)}
    return Comparison(
        doc.before,
        doc.after,
        doc.empty,
        tuple(verdicts.values()),
        tuple(map(asked.unjudged, doc.unjudged)),
        tuple(asked.verdict(v) for v in doc.answers if v.what != "margin"),
        roomier(doc, asked),
        tuple(_option(entry, rows.families) for entry in doc.options),
        tuple(rows.declaration(d) for d in doc.declarations),
        tuple(changed[q.address] for q in doc.quantities),
        tuple(changed[q.address] for q in doc.others),
        tuple(changed[q.address] for q in changed_money(doc)),
        tuple(seen for v in changed_rooms(doc) if (seen := verdicts[id(v)]).room.differs),
        (
            *(Note(text) for text in doc.uncompared),
            *(Note(one.text, one.sort, one.name, one.leaned, one.what) for one in doc.remarks),
        ),
        tuple(rows.entry(q) for q in doc.added if q.option is None),  # an option's are told with it
        tuple(rows.entry(q) for q in doc.removed if q.option is None),
        tuple(map(_rename, doc.renames or (RenameDoc(one.old, one.new, 1) for one in doc.moved))),
        unchanged(doc),
        tuple((e.name, e.messages) for e in editions if e.failed),
        approximated(doc),
        tuple(dict.fromkeys(caveat.text for caveat in doc.caveats if caveat.permanent)),
        _told(doc),
    )


def _told(doc: DiffDoc) -> tuple[tuple[str, str], ...]:
    """The caveats that verdicts are told with, by name, and what they say."""
    named = {
        name
        for one in doc.asked
        if (stands := one.after or one.before) is not None
        for name in (stands.caveats if one.what != "margin" else gained_caveats(one.before, one.after))
    } | {name for one in doc.unjudged if one.after is not None for name in one.after.caveats}
    return tuple((c.name, c.text) for c in doc.caveats if c.name in named and not c.permanent)


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


def _option_verdict(one: OptionStatus, address: str, families: Families) -> OptionVerdict:
    notes = () if one.verdict is None else compared(one.verdict, f"{one.verdict.id}.", address, families)
    return OptionVerdict(*STATUS[one.status], one.label, tuple(notes))


def _rename(one: RenameDoc) -> Rename:
    if one.quantities == 1:
        return Rename(one.old, one.new, ())
    count = Numeral(f"{one.quantities:,}", "document", "renames.quantities", "document")
    return Rename(one.old, one.new, (count, Words(" quantities")))
