"""What a comparison says, before any format: the one thing that its pages and the terminal are made from."""

from __future__ import annotations

from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from capwright.base.address import depth_of, top_of
from capwright.document.diffdoc import (
    Edit,
    Edition,
)
from capwright.document.plandoc import DiagnosticDoc, UnitText
from capwright.render.before_after import (
    NOT_SEPARATED,
    ROOMS_NOT_SEPARATED,
)
from capwright.render.pieces import Pieces, Words, plain
from capwright.render.words import NO_VERDICT, NOT_ASKED, Tone

FEW: Final = 3
"""Causes that stand beside a number; the rest are counted."""


class Share(Struct, frozen=True):
    """One cause of a difference: the declarations, what they contribute, the facts that carry it."""

    names: Pieces
    value: Pieces
    facts: tuple[str, ...]

    @property
    def said(self) -> Pieces:
        """The declarations and what they contribute, where that is told."""
        return (*self.names, Words(" "), *self.value) if self.value else self.names


class Changed(Struct, frozen=True):
    """One changed number: before, after, difference, and what made it. `notes` are what else must be known; `unlike` says
    that one of the two is a value and the other a bound."""

    address: str
    label: str
    kind: str
    before: Pieces
    after: Pieces
    difference: Pieces
    shares: tuple[Share, ...]
    notes: tuple[Pieces, ...]
    unit: UnitText
    unlike: Pieces = ()

    @property
    def differs(self) -> bool:
        """Whether there is something to tell of the number."""
        return bool(self.difference) or plain(self.before) != plain(self.after)

    @property
    def overlaps(self) -> bool:
        """Whether the two ranges overlap, so that the difference may be none."""
        return any(note in _OVERLAPS for note in self.notes)

    @property
    def told(self) -> tuple[Pieces, ...]:
        """The notes but for the one on ranges that overlap, which may stand once for many rows."""
        return tuple(note for note in self.notes if note not in _OVERLAPS)

    @property
    def first(self) -> tuple[Share, ...]:
        """The causes that stand beside the number."""
        return self.shares[:FEW]

    @property
    def more(self) -> int:
        """How many causes are left."""
        return max(0, len(self.shares) - FEW)


_OVERLAPS: Final = ((Words(NOT_SEPARATED),), (Words(ROOMS_NOT_SEPARATED),))


class ChangedVerdict(Struct, frozen=True):
    """One requirement: its verdict on both sides, and how its room changed. `option` is what it is asked of, where that
    is not what the plan says it of; `worse` and `better` that it changed for the worse or the better, and `lapsed` says
    that it did neither, in words. `marks` are what a verdict that changed stands
    on and carries now, and the caveats and exclusions that one which stays has now and had not. `lost` and `won` are measurements that its sides are read off on one side only. `edit` says what
    was done to the requirement itself, if anything."""

    option: str
    label: str
    before: str
    after: str
    before_tone: Tone
    after_tone: Tone
    flips: bool
    worse: bool
    better: bool
    lapsed: str
    written: str
    place: str
    room: Changed
    marks: tuple[Pieces, ...]
    lost: tuple[str, ...]
    won: tuple[str, ...]
    edit: Edit = ""
    id: str = ""
    required: bool = True
    """Whether it was required, and not only expected; of what is new whether it is."""

    @property
    def noun(self) -> str:
        """What it is that was edited."""
        return "requirement" if self.required else "expectation"

    @property
    def turn(self) -> str:
        """`violated → not established, no longer shown to be violated`: from what to what, what that is not, and what
        was done to the requirement itself."""
        return ", ".join([f"{self.before} → {self.after}", *self.beside])

    @property
    def beside(self) -> tuple[str, ...]:
        """What is told right after what became of it."""
        edited = f"{self.noun} {self.edit}" if self.edit else ""
        return tuple(filter(None, (self.lapsed, edited)))

    @property
    def counting(self) -> tuple[Pieces, ...]:
        """What is told before its room: the measurements that count on one side only."""
        return self.room.notes[: len(self.lost) + len(self.won)]

    @property
    def notes(self) -> tuple[Pieces, ...]:
        """What is told after its room; that two rooms overlap may stand once for many."""
        return tuple(note for note in self.room.told if note not in self.counting)

    @property
    def name(self) -> str:
        """What it is called among those of others: its option first."""
        return f"{self.option}, {self.label}" if self.option else self.label


class Turn(Struct, frozen=True):
    """A verdict that changed, and the same of further options: of one requirement the same becomes of them."""

    first: ChangedVerdict
    also: tuple[ChangedVerdict, ...] = ()

    @property
    def flips(self) -> tuple[ChangedVerdict, ...]:
        """All of them."""
        return (self.first, *self.also)


class OptionVerdict(Struct, frozen=True):
    """What a requirement comes to with an option in its base's place, and of one that is not as wished what it compares and
    the room that it leaves."""

    status: str
    tone: Tone
    label: str
    notes: tuple[Pieces, ...]


class Option(Struct, frozen=True):
    """An option that came or went: how many quantities it has of its own, and what its requirements come to, those that
    need attention first, each with its label."""

    what: str
    address: str
    label: str
    quantities: Pieces
    statuses: tuple[OptionVerdict, ...]
    tally: str
    """How many of its requirements came out how, and how many cannot be asked: `1 violated, 2 holds`."""

    @property
    def unmet(self) -> tuple[OptionVerdict, ...]:
        """The requirements that a new one is not known to meet."""
        return tuple(each for each in self.statuses if each.tone != "good" and self.what == "added")


class Fact(Struct, frozen=True):
    """A leaf fact that a declaration carries; `lacking` names the side that does not have it."""

    name: str
    before: Pieces
    after: Pieces
    lacking: str


class Declaration(Struct, frozen=True):
    """A changed declaration, and whether it moved a reported number. `ratio` is after over before of its own number where
    that is another size now: at least four times it, or at most a quarter."""

    id: str
    address: str
    origin: str
    before: str
    after: str
    before_place: str
    after_place: str
    facts: tuple[Fact, ...]
    idle: bool
    ratio: Pieces = ()


class Entry(Struct, frozen=True):
    """A quantity that is on one side only."""

    address: str
    label: str
    value: Pieces


class Rename(Struct, frozen=True):
    """What was renamed, and how many quantities with it; nothing where it is a quantity itself."""

    old: str
    new: str
    quantities: Pieces


class Note(Struct, frozen=True):
    """A sentence beside the numbers: what was not compared, or a remark, with its sort, what it is of, whether a
    requirement leans on that, and what became of it."""

    text: str
    sort: str = ""
    name: str = ""
    leaned: bool = False
    what: str = ""


class Comparison(Struct, frozen=True):
    """All that is shown, in order."""

    before: Edition
    after: Edition
    empty: bool
    verdicts: tuple[ChangedVerdict, ...]
    unjudged: tuple[ChangedVerdict, ...]
    """Requirements that have no verdict on a side that has errors."""
    answers: tuple[ChangedVerdict, ...]
    """The verdicts of options that changed."""
    roomier: Pieces
    """How many verdicts of options stay and have another room."""
    options: tuple[Option, ...]
    declarations: tuple[Declaration, ...]
    quantities: tuple[Changed, ...]
    others: tuple[Changed, ...]
    money: tuple[Changed, ...]
    """The money that changed, that which is told first at its head."""
    rooms: tuple[ChangedVerdict, ...]
    """The requirements whose room in memory changed, the least room first."""
    remarks: tuple[Note, ...]
    added: tuple[Entry, ...]
    removed: tuple[Entry, ...]
    renames: tuple[Rename, ...]
    unchanged: Pieces
    unsound: tuple[tuple[str, tuple[DiagnosticDoc, ...]], ...]
    approximate: Pieces
    caveats: tuple[str, ...]
    """What the permanent caveats say, what matters most first."""
    told: tuple[tuple[str, str], ...]
    """What the others say that stand on verdicts that changed, by name."""

    @property
    def of_options(self) -> tuple[Changed, ...]:
        """The other quantities that are of options: the table of options in a report shows some of them."""
        return tuple(one for one in self.others if depth_of(top_of(one.address)))

    @property
    def unreported(self) -> tuple[Changed, ...]:
        """The other quantities that no report shows."""
        return tuple(one for one in self.others if not depth_of(top_of(one.address)))

    @property
    def asked(self) -> tuple[ChangedVerdict, ...]:
        """What became of the plan's own requirements: what has no verdict on a side stands first."""
        return (*self.unjudged, *self.verdicts)

    @property
    def lost(self) -> tuple[ChangedVerdict, ...]:
        """The requirements that had a verdict and have none for the plan's errors."""
        return tuple(
            one for one in self.unjudged if one.flips and one.after == NO_VERDICT != one.before != NOT_ASKED
        )

    @property
    def flips(self) -> tuple[ChangedVerdict, ...]:
        """All verdicts that changed: for the worse first, for the better last, the plan's own before those of its options.
        What has none any more for an error is no change of it."""
        flips = [v for v in (*self.asked, *self.answers) if v.flips and v.after != NO_VERDICT]
        return tuple(sorted(flips, key=lambda verdict: (not verdict.worse, verdict.better)))

    @property
    def turns(self) -> tuple[Turn, ...]:
        """The verdicts that changed, in their order; what became of one requirement in one way is told once."""
        found: dict[tuple[str, ...], Turn] = {}
        for flip in self.flips:
            key = (flip.id, flip.place, flip.before, flip.after)
            first = found.get(key)
            found[key] = Turn(flip) if first is None else replace(first, also=(*first.also, flip))
        return tuple(found.values())

    @property
    def edits(self) -> tuple[Declaration, ...]:
        """The declarations, those that moved a reported number first; what was written once and holds in many things, as
        in a plan and its options, is told once, of the plainest of them."""
        found: dict[tuple[str, ...], Declaration] = {}
        order = sorted(self.declarations, key=lambda one: (one.idle, "@" in one.address))
        for one in order:
            places = (
                (one.before_place, one.after_place) if one.before_place and one.after_place else (one.id,)
            )
            top = top_of(one.address)  # two fields that stand on one line are two
            field = one.address[len(top) :] or top.partition("@")[0]
            found.setdefault((one.before, one.after, field, *places), one)
        return tuple(found.values())

    @property
    def edited(self) -> tuple[ChangedVerdict, ...]:
        """The requirements that were edited and whose verdict is as before, or that have none now, those first that ask
        less now."""
        order: list[Edit] = ["loosened", "edited", "tightened"]
        held = [v for v in self.asked if v.edit and (not v.flips or v.after == NO_VERDICT)]
        return tuple(sorted(held, key=lambda verdict: order.index(verdict.edit)))
