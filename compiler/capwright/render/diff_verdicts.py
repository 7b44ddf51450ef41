"""The verdicts of a comparison as rows: what each requirement came to on both sides, and the room that it leaves."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from capwright.document.diffdoc import (
    AnswerChange,
    DiffDoc,
    RequirementDoc,
    UnjudgedChange,
    ValueDoc,
    VerdictChange,
)
from capwright.document.outcome import as_asked_now, became_better, became_worse, has_room, lapsed
from capwright.document.plandoc import Status, UnitText, VerdictDoc
from capwright.document.sizes import Families
from capwright.document.withholding import is_told_alone
from capwright.render.before_after import NOT_SEPARATED, ROOMS_NOT_SEPARATED, both, notes_of, pair
from capwright.render.compared import Changed, ChangedVerdict
from capwright.render.diff_rows import Rows
from capwright.render.pieces import Name, Numeral, Pieces, Words
from capwright.render.scaling import rescaled
from capwright.render.standing import gained, standing
from capwright.render.verdicts import comparison as comparison_of
from capwright.render.verdicts import margin
from capwright.render.words import NO_VERDICT, NOT_ASKED, STATUS, Tone


def id_of(change: UnjudgedChange) -> str:
    """What a requirement goes by that may have no verdict now, and so no id."""
    if change.after is not None:
        return change.after.id
    asked = change.asked_after or change.asked_before
    return f"asked:{asked.written}" if asked is not None else f"asked:{change.label}"


class VerdictRows:
    """The requirements of one comparison, those of options with it."""

    def __init__(self, doc: DiffDoc, rows: Rows) -> None:
        self._rows = rows
        self._permanent = frozenset(caveat.name for caveat in doc.caveats if caveat.permanent)

    def verdict(self, change: VerdictChange | AnswerChange) -> ChangedVerdict:
        """A requirement whose verdict or room changed, or that is on one side only."""
        verdict = change.after or change.before
        assert verdict is not None
        before, after = _status(change.before), _status(change.after)
        option = change.option if isinstance(change, AnswerChange) else ""
        address = f"verdict:{option}:{verdict.id}" if option else f"verdict:{verdict.id}"
        values = (_margin(change.before), _margin(change.after))
        unit = self._rows.unit(verdict.unit, *values)
        ends = both(address, unit, *values)
        asked = change.before is not None and change.after is not None
        printed: tuple[Pieces, Pieces] = pair(ends, *values) if asked else ((), ())
        label = change.label or verdict.written
        notes = (
            _of_rooms(notes_of(change.change, *ends))
            if asked
            else _asked_once(change, address, self._rows.families)
        )
        edit = change.edit if isinstance(change, VerdictChange) else ""
        if edit and not self._rows.tells_edit(change.change) and not _is_written_alike(change):
            notes.append(_edited(change.before, change.after))
        if edit and asked and (was_called := _label(change.before)) != label:
            notes.append((Words("it was called "), Name(was_called), Words(" and is called "), Name(label)))
        room = self._rows.row(address, label, "", unit, ends, printed, change.change, notes)
        if not room.difference:
            room = replace(room, notes=room.told)
        flips = change.what != "margin"
        marks: tuple[Pieces, ...] = ()
        if change.after is not None:
            marks = (
                standing(change.after, self._permanent, address)
                if flips
                else gained(change.before, change.after, self._permanent)
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

    def unjudged(self, change: UnjudgedChange) -> ChangedVerdict:
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
            asked.written, asked.place, room, standing(now, self._permanent, address) if now is not None else (), (), (),
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


def _of_rooms(notes: Sequence[Pieces]) -> list[Pieces]:
    """Notes on the room of a verdict: that two rooms overlap says nothing against it."""
    return [(Words(ROOMS_NOT_SEPARATED),) if note == (Words(NOT_SEPARATED),) else note for note in notes]


def _asked_once(change: VerdictChange | AnswerChange, address: str, families: Families) -> list[Pieces]:
    """What a requirement that is on one side only compares there, and the room that it leaves."""
    side, verdict = ("before", change.before) if change.after is None else ("after", change.after)
    return compared(verdict, f"{side}.", address, families, address)


def compared(
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


def _label(verdict: VerdictDoc | None) -> str:
    return "" if verdict is None else verdict.label or verdict.written


def _status(verdict: VerdictDoc | None) -> tuple[str, Tone]:
    return (NOT_ASKED, "open") if verdict is None else STATUS[verdict.status]


def _margin(verdict: VerdictDoc | None) -> ValueDoc:
    if verdict is None or not has_room(verdict):
        return ValueDoc(None, None, None)
    return ValueDoc(verdict.margin_low, verdict.margin_nominal, verdict.margin_high)
