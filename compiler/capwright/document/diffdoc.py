"""DiffDoc: what became of one plan in another, and why.

Numbers are exact text in base units, as in a PlanDoc. The JSON form is these classes field by field;
`grammar/diffdoc.schema.json` is its contract.
"""

from __future__ import annotations

from typing import Final, Literal

from msgspec import Struct, field

from capwright.document.plandoc import (
    CaveatDoc,
    DiagnosticDoc,
    InputDoc,
    MovedDoc,
    Status,
    UnitText,
    VerdictDoc,
)

FORMAT: Final = "capwright/diffdoc"
VERSION: Final = "1.8"
"""1.1 added what is confidential of a side, 1.2 measurements among the declarations, and what is told of what is
withheld, 1.3 options: their verdicts, and those that came and went; and measurements that began or ceased to count, 1.4
what is left out of a verdict's sides, the caveats that stand on verdicts that changed, whether one changed for the worse,
the option that a quantity came or went with, how many requirements could not be asked of an option, what was not compared
as a document does not say it, and whether a requirement leans on the measurement that a remark is of, 1.5 whether a
quantity that came or went is withheld, 1.6 requirements among the declarations, and what was done to one itself,
1.7 requirements that have no verdict on a side that has errors, what may stand on a verdict whatever the confidential
numbers are, what was renamed as a whole, and what a requirement compares that an option on one side only does not meet,
1.8 whether the library says a caveat."""

Part = Literal["nominal", "low", "high"]


class Edition(Struct, frozen=True):
    """One of the two things compared. `name` is how the user called it; `failed` says that it has errors, so
    that only what is sound was compared."""

    name: str
    title: str
    path: str
    tool_version: str
    tool_sha256: str
    library_sha256: str
    inputs: tuple[InputDoc, ...]
    failed: bool
    messages: tuple[DiagnosticDoc, ...]


class ValueDoc(Struct, frozen=True):
    """What was established of a quantity, and its nominal value."""

    low: str | None
    nominal: str | None
    high: str | None
    approximate: bool = False
    truth: bool | None = None
    binds: str | None = None


class FactChange(Struct, frozen=True):
    """One leaf fact that a declaration carries: its name below the declaration, and its value on both sides.

    An address is None on the side that lacks the fact: it is not inherited.
    """

    name: str
    before_address: str | None
    after_address: str | None
    unit: UnitText
    before: ValueDoc | None
    after: ValueDoc | None


class DeclarationChange(Struct, frozen=True):
    """A changed declaration. `origin` says where it stands: in the plan, an imported file, a catalogue, a profile,
    another file of the library, or, where two versions of it wrote the documents, in the tool itself. `before` and
    `after` are what it says, None where it is not.
    """

    id: str
    address: str
    sort: Literal["setting", "value", "formula", "measurement", "requirement", "tool"]
    origin: str
    before: str | None
    after: str | None
    before_place: str
    after_place: str
    facts: tuple[FactChange, ...]


class Cause(Struct, frozen=True):
    """A part of a difference and the declarations that made it: one, or several that only work together.

    `facts` names the leaf facts of the declaration that the quantity depends on. `error` is the standard error
    of a sampled part, rounded up.
    """

    declarations: tuple[str, ...]
    share: str
    facts: tuple[str, ...] = ()
    error: str | None = None


class Difference(Struct, frozen=True):
    """After minus before, of the part that both have, and its causes, which add up to it exactly.

    `ratio` is after over before. `separated` says that the two intervals do not overlap. `method` is how the causes
    were found: over all coalitions, or over `orders` sampled orders. `why` says why there are none. `lost` and `won` are
    measurements that the value before, or after, rests on, and that count on that side only.
    """

    part: Part | None
    difference: str | None
    ratio: str | None
    separated: bool
    method: Literal["exact", "sampled", "none"]
    orders: int
    causes: tuple[Cause, ...]
    why: str | None = None
    lost: tuple[str, ...] = ()
    won: tuple[str, ...] = ()


class QuantityChange(Struct, frozen=True):
    """A quantity that is on both sides and differs. `before_address` is set where it was renamed."""

    address: str
    before_address: str | None
    label: str | None
    unit: UnitText
    kind: str | None
    reported: bool
    before: ValueDoc
    after: ValueDoc
    change: Difference


class QuantityEntry(Struct, frozen=True):
    """A quantity that is on one side only."""

    address: str
    label: str | None
    unit: UnitText
    kind: str | None
    reported: bool
    value: ValueDoc
    option: str | None = None
    """The option that came or went with it."""
    withheld: bool = False
    """Whether its numbers are left out as confidential: then no end of its value is open, it is not told."""


Edit = Literal["", "loosened", "tightened", "edited"]
"""What was done to a requirement itself: it asks less or more now, or something else. Empty where it asks the same."""


class VerdictChange(Struct, frozen=True):
    """A requirement whose verdict or room changed, that was edited, or that is on one side only."""

    what: Literal["status", "margin", "added", "removed"]
    label: str
    before: VerdictDoc | None
    after: VerdictDoc | None
    change: Difference
    worse: bool = False
    """Whether the verdict changed for the worse."""
    edit: Edit = ""


class WrittenSide(Struct, frozen=True):
    """One side of a comparison as it is written; `value` is exact text in base units where it is a number that is
    written out, else None."""

    written: str
    value: str | None


class RequirementDoc(Struct, frozen=True):
    """A `require` or `expect` as it is written, whatever comes of it. `comparison` is empty, and `right` has no words,
    where it is none."""

    verb: Literal["require", "expect"]
    label: str
    written: str
    comparison: str
    left: WrittenSide
    right: WrittenSide
    strict: bool
    place: str


class Unjudged(Struct, frozen=True):
    """What a side asks without a verdict, and whether that, with its verdicts, is all that it asks: what cannot be read may
    ask anything. It is no part of a document."""

    requirements: tuple[RequirementDoc, ...] = ()
    complete: bool = True


class UnjudgedChange(Struct, frozen=True):
    """A requirement that has no verdict on a side with errors, where it has one on the other, where it was edited, or
    where only one side asks it. `asked_before` and `asked_after` are what it asks; None where it is not asked. Where the
    other side has a verdict, None says that a side with errors could not be read as a whole, and may ask it."""

    label: str
    asked_before: RequirementDoc | None
    asked_after: RequirementDoc | None
    before: VerdictDoc | None
    after: VerdictDoc | None
    edit: Edit = ""


class AnswerChange(Struct, frozen=True):
    """A requirement whose verdict or room changed with an option in its base's place. `added` is one that is new, and
    that the option meets otherwise than its base, or that could not be asked of the option before; `removed` is one that is
    gone, and that the option met otherwise, or that cannot be asked of it any more."""

    option: str
    what: Literal["status", "margin", "added", "removed"]
    label: str
    before: VerdictDoc | None
    after: VerdictDoc | None
    change: Difference
    worse: bool = False
    """Whether the verdict changed for the worse."""


class RenameDoc(Struct, frozen=True):
    """What was renamed to what, and of how many quantities that are on both sides it is the name or a part of it."""

    old: str
    new: str
    quantities: int


class OptionStatus(Struct, frozen=True):
    """What becomes of a requirement with an option in its base's place; the `verdict` is there where it is not as wished."""

    label: str
    status: Status
    verdict: VerdictDoc | None = None


class OptionEntry(Struct, frozen=True):
    """An option that is on one side only, how many quantities it has of its own there, and what it comes to."""

    what: Literal["added", "removed"]
    address: str
    base: str
    label: str | None
    quantities: int
    statuses: tuple[OptionStatus, ...]
    unasked: int | None = None
    """How many requirements could not be asked of it; None where its document does not say what options come to."""


class Remark(Struct, frozen=True):
    """A change in words: of what the reported numbers lean on and carry with them.

    `cause` is the id of the declaration that brought it, where that is known. `leaned` says of a measurement that a
    requirement leans on it, on either side.
    """

    sort: Literal[
        "assumption",
        "bound",
        "caveat",
        "exclusion",
        "measurement",
        "evidence",
        "confidential",
        "moved",
    ]
    what: Literal["lost", "new", "changed"]
    name: str
    text: str
    cause: str | None
    addresses: tuple[str, ...]
    leaned: bool = False


class DiffDoc(Struct, frozen=True):
    before: Edition
    after: Edition
    declarations: tuple[DeclarationChange, ...]
    verdicts: tuple[VerdictChange, ...]
    quantities: tuple[QuantityChange, ...]
    others: tuple[QuantityChange, ...]
    added: tuple[QuantityEntry, ...]
    removed: tuple[QuantityEntry, ...]
    moved: tuple[MovedDoc, ...]
    remarks: tuple[Remark, ...]
    unchanged_quantities: int
    unchanged_verdicts: int
    caveats: tuple[CaveatDoc, ...] = ()
    """The permanent caveats of what was compared, which stand on differences as on numbers, and those of verdicts that
    changed."""
    kinds: dict[str, str] = field(default_factory=dict)
    scales: dict[str, tuple[UnitText, ...]] = field(default_factory=dict)
    withheld_quantities: int = 0
    """How many quantities of both sides are withheld: they are counted neither as changed nor as unchanged."""
    answers: tuple[AnswerChange, ...] = ()
    """What changed of the verdicts of options that are on both sides."""
    options: tuple[OptionEntry, ...] = ()
    unchanged_answers: int = 0
    """How many verdicts of options that are on both sides are what they were."""
    uncompared: tuple[str, ...] = ()
    """What was not compared, as one of the documents does not say it, in words."""
    unjudged: tuple[UnjudgedChange, ...] = ()
    """What can be told of requirements without a verdict on a side that has errors."""
    renames: tuple[RenameDoc, ...] = ()
    """What `moved` is made of: what the documents say was renamed."""

    @property
    def asked(self) -> tuple[VerdictChange | AnswerChange, ...]:
        """What changed of verdicts, of the plan's own and of its options'."""
        return (*self.verdicts, *self.answers)

    @property
    def alike(self) -> bool:
        """Whether the two sides are known to say the same: nothing of what was compared differs, and all of both was."""
        return self.empty and not (self.before.failed or self.after.failed)

    @property
    def empty(self) -> bool:
        """Whether the two sides say the same in what was compared."""
        return not (
            self.declarations
            or self.verdicts
            or self.quantities
            or self.others
            or self.added
            or self.removed
            or self.moved
            or self.remarks
            or self.answers
            or self.options
            or self.uncompared
            or self.unjudged
        )
