"""PlanDoc: everything a renderer, a diff or an editor may know of a compiled plan.

Numbers are exact text in base units (`"7/2"`), `None` where there is none or an end is open. The JSON form
is these classes field by field; `grammar/plandoc.schema.json` is its contract.
"""

from __future__ import annotations

from typing import Any, Final, Literal

from msgspec import Struct, field

FORMAT: Final = "capwright/plandoc"
VERSION: Final = "1.8"
"""1.1 added the domain of a quantity and the settings, 1.2 launch flags, what else than a quantity is confidential, and what
decided a formula, 1.3 which things a formula went through, what it was called with, the formulas themselves, and how many
of independent trials succeed, 1.4 what of the plan a measurement was compared with, 1.5 what is left out of a verdict's
sides, 1.6 why a measurement does not count, 1.7 what a measurement or evidence states that is compared with nothing, what it leaves
out and what it names only, what of the plan evidence was compared with, what may stand whatever the confidential numbers are,
pairs of a prefix, and whether a mask hides keys or looks back only, 1.8 the ranges of the plan that what a measurement or
evidence states lies within, where in its line a setting is said, and whether the library says a caveat."""

Tree = dict[str, Any]
"""A formula as an evaluable tree: `{"op": …}` with, by op,

- `const`: `value` (exact text, base units), `text` (as written), `place` (`file:line`)
- `ref`: `address` of another quantity in the document
- `var`: `name` of a search variable
- `add sub mul div neg min max mod divides sqrt log2 exp lt le eq ne and or not if`: `args`
- `pow`: `args` (one), `exponent`; `ceil`, `floor`: `args` (one), `step` (exact text, base units)
- `kernel`: `function`, `static` (JSON values, each with a `text`), `args`
- `search`: `which`, `variable`, `low`, `high`, `condition`, `step`
- `assume`: `source` (id), `args` (the nominal), `low`, `high` (trees, or null for an open end)
- `effective`: `args`, a quantity and its measurement: what their readers read

"""


class UnitText(Struct, frozen=True):
    """How a quantity is printed: value / factor in `symbol`. `dimension` maps base names to powers."""

    symbol: str
    factor: str
    dimension: dict[str, int]


class Provenance(Struct, frozen=True):
    """Where a number comes from.

    `text` is the reason, source or key as written; `place` is `file:line`; `line` is that line of the plan. `flag` is
    the launch flag that carries the field, None where it has none. `declared` is where a field that something else sets
    than its default is declared, with its default.
    """

    sort: Literal["fact", "choice", "assumption", "imported", "measurement", "derived", "default"]
    text: str
    review: str | None
    place: str
    line: str
    flag: str | None = None
    declared: str | None = None


class QuantityMarks(Struct, frozen=True):
    """What may stand on a quantity, or be discharged there, whatever the confidential numbers are: names, as of a quantity."""

    caveats_here: tuple[str, ...]
    caveats_inherited: tuple[str, ...]
    discharged: tuple[str, ...]
    exclusions: tuple[str, ...]


class VerdictMarks(Struct, frozen=True):
    """What may stand on the sides of a requirement, whatever the confidential numbers are."""

    caveats: tuple[str, ...]
    exclusions: tuple[str, ...]


class Quantity(Struct, frozen=True):
    """One named quantity, or a part of one (`internal`): a formula call (`binding/formula[element]`), or a field of a
    copy that has no name (`binding/copied.field`).

    `relation` is how it was written. `sources` are ids of what its interval leans on. `caveats_here` enter at
    this quantity, `caveats_inherited` come from below; `discharged` were removed here by name. `formula` is
    the evaluable tree, `written` the expression as text. `loose` says that the interval is sound but perhaps not
    tight. A `confidential` fact, and all that derives from it, is
    without numbers in a document made for others (`document/withholding.py`).
    """

    address: str
    label: str | None
    unit: UnitText
    kind: str | None
    relation: Literal["=", ">=", "<=", "~", "assume", "measure"]
    low: str | None
    nominal: str | None
    high: str | None
    approximate: bool
    loose: bool
    whole: bool
    truth: bool | None
    provenance: Provenance
    formula: Tree | None
    written: str
    sources: tuple[str, ...]
    caveats_here: tuple[str, ...]
    caveats_inherited: tuple[str, ...]
    discharged: tuple[str, ...]
    exclusions: tuple[str, ...]
    internal: bool = False
    aliases: tuple[str, ...] = ()
    binds: str | None = None
    """For a `min` or `max` over named things: the one that binds at the nominal value."""
    domain_low: str | None = None
    domain_high: str | None = None
    """The declared domain, in base units; None where it is open."""
    confidential: bool = False
    decided_by: tuple[str, ...] = ()
    """What gave the formula its shape: the addresses of fields that hold no quantity, of numbers that were needed
    exactly, and of things whose variant chose a formula. `*` stands for every element of a list."""
    through: tuple[str, ...] = ()
    """The addresses of the fields that hold things which the formula went through to what it refers to."""
    given: tuple[str | None, ...] = ()
    """For a formula call its arguments: the addresses of things and of named numbers, a copy that has no name as
    `what-it-copies#where`, else what is written; None for a number that is neither."""
    possible: QuantityMarks | None = None
    """What others are told to stand on it, where a confidential number decides which of that does; None where that is what
    does."""


class SourceDoc(Struct, frozen=True):
    """One named uncertainty. `used_by` lists the addresses of quantities whose interval leans on it."""

    id: str
    sort: Literal["assume", "bound", "estimate"]
    low: str | None
    nominal: str | None
    high: str | None
    unit: UnitText
    because: str
    review: str | None
    place: str
    line: str
    used_by: tuple[str, ...]
    replaces: str | None = None
    """The library's own range where the plan assumes another, as text."""


class CaveatDoc(Struct, frozen=True):
    name: str
    scope: str
    text: str
    permanent: bool
    used_by: tuple[str, ...]
    library: bool = False
    """Whether it is the library that says so, and not the plan itself."""


class Side(Struct, frozen=True):
    """One side of a comparison, printed in the verdict's unit."""

    written: str
    address: str | None
    low: str | None
    nominal: str | None
    high: str | None
    formula: Tree
    confidential: bool = False
    """Whether something confidential is written out in it that no quantity stands for."""
    named: tuple[str, ...] = ()
    """The addresses that are written in it: one quantity may have several, and `other.room` is not `main.room`."""


Status = Literal["holds", "violated", "not established", "expected", "not expected", "contradicted"]
STATUSES: Final[tuple[Status, ...]] = (
    "violated", "contradicted", "not established", "not expected", "expected", "holds",
)  # fmt: skip
"""All of them, what needs attention first: what is a finding, what is one where that is asked for, what is none."""


class VerdictDoc(Struct, frozen=True):
    """What became of one `require` or `expect`.

    `margin` (right minus left, so positive is room; of `==` and `!=` a difference, which is none) has its own exact ends. `leans_on` are the sources it
    holds or fails under. For `not established`: `opened_by` is the address that opens the end, `opened_line`
    its line, `closed_by` the evidence that would close it. `caveats` and `exclusions` are those of its sides.
    """

    id: str
    verb: Literal["require", "expect"]
    label: str
    written: str
    comparison: Literal["<=", "<", ">=", ">", "==", "!="]
    status: Status
    left: Side
    right: Side
    unit: UnitText
    margin_low: str | None
    margin_nominal: str | None
    margin_high: str | None
    leans_on: tuple[str, ...]
    opened_by: str | None
    opened_line: str | None
    closed_by: str | None
    strict: bool
    caveats: tuple[str, ...]
    place: str
    line: str
    exclusions: tuple[str, ...] = ()
    possible: VerdictMarks | None = None
    """As of a quantity."""


class AnswerDoc(Struct, frozen=True):
    """What comes of a requirement, by its `id`, with an option in its base's place; no verdict where it is the base's."""

    option: str
    id: str
    verdict: VerdictDoc | None


class MeasurementDoc(Struct, frozen=True):
    """A measurement: its own leaf, its stated context, and how it compares with what was derived."""

    address: str
    of: str
    low: str
    nominal: str
    high: str
    unit: UnitText
    context: dict[str, str]
    comparison: Literal["agreement", "contradiction", "not independent", "gap closed", "does not count"]
    place: str
    line: str
    confidential: bool = False
    compared: tuple[str, ...] = ()
    """What of the plan its context was compared with, by address."""
    objection: str = ""
    """Why it is not of this plan, and so does not count; empty where it counts, or where others may not be told."""
    idle: tuple[str, ...] = ()
    """Names in `context` that are compared with nothing."""
    unstated: tuple[str, ...] = ()
    """What it may state and does not, though the plan has it: it counts whatever that is."""
    named: tuple[str, ...] = ()
    """Things of the plan that it states by their names alone: it counts whatever is in them."""
    within: dict[str, str] = field(default_factory=dict)
    """By name in `context`, the range of the plan that it was compared with and lies within, as a message says it."""


class EvidenceDoc(Struct, frozen=True):
    name: str
    of: str
    context: dict[str, str]
    discharges: tuple[str, ...]
    counts: bool
    reason: str
    place: str
    idle: tuple[str, ...] = ()
    """As of a measurement."""
    unstated: tuple[str, ...] = ()
    compared: tuple[str, ...] = ()
    named: tuple[str, ...] = ()
    within: dict[str, str] = field(default_factory=dict)


class SectionDoc(Struct, frozen=True):
    """One section of the report: a title and the addresses in it, in declaration order."""

    path: str
    title: str
    addresses: tuple[str, ...]


class ViewDoc(Struct, frozen=True):
    chart: str
    name: str
    title: str
    owner: str
    addresses: tuple[str, ...]


class OptionDoc(Struct, frozen=True):
    address: str
    base: str
    label: str | None
    changes: tuple[str, ...]


class InputDoc(Struct, frozen=True):
    """A file that went into the plan. `role` is `plan`, `catalogue`, `config`, `trace`, …"""

    path: str
    sha256: str
    role: str


class DiagnosticDoc(Struct, frozen=True):
    code: str
    severity: Literal["error", "warning", "hint"]
    message: str
    help: str
    place: str
    line: str
    column: int
    notes: tuple[str, ...]


class MovedDoc(Struct, frozen=True):
    old: str
    new: str


class FormulaDoc(Struct, frozen=True):
    """A formula. `head` says for which arguments, `text` what it gives, its clauses and its body."""

    name: str
    head: str
    text: str
    place: str
    confidential: bool = False


class SettingDoc(Struct, frozen=True):
    """What a field that is no quantity is set to, or what an instance is made from.

    `sort` is `thing` (a reference to the instance at `refers`), `choice`, `text`, `value` (of one of the
    kernel's types), `list` (`value` has the elements' names), or `origin` for an instance itself: what it copies,
    else the entity it is of. `given` says that the plan sets it; otherwise it is the library's.
    """

    address: str
    sort: Literal["thing", "choice", "text", "value", "list", "origin"]
    value: str
    refers: str | None
    given: bool
    place: str
    line: str
    column: int = 0
    """Where in its line it is said, counted from one: a line may set one field of several things. 0 where nobody says."""


class PlanDoc(Struct, frozen=True):
    title: str
    path: str
    tool_version: str
    tool_sha256: str
    library_sha256: str
    inputs: tuple[InputDoc, ...]
    quantities: tuple[Quantity, ...]
    sources: tuple[SourceDoc, ...]
    caveats: tuple[CaveatDoc, ...]
    verdicts: tuple[VerdictDoc, ...]
    measurements: tuple[MeasurementDoc, ...]
    evidence: tuple[EvidenceDoc, ...]
    sections: tuple[SectionDoc, ...]
    views: tuple[ViewDoc, ...]
    options: tuple[OptionDoc, ...]
    moved: tuple[MovedDoc, ...]
    diagnostics: tuple[DiagnosticDoc, ...]
    kinds: dict[str, str] = field(default_factory=dict)
    """Kind name to the words a report prints for it."""
    scales: dict[str, tuple[UnitText, ...]] = field(default_factory=dict)
    """Spelling of a base unit to the sizes in which it may be printed (`B`, `KiB`, `kB`, …), small to large."""
    settings: tuple[SettingDoc, ...] = ()
    answers: tuple[AnswerDoc, ...] = ()
    """What comes of every requirement with each option in its base's place."""
    formulas: tuple[FormulaDoc, ...] = ()
    """The formulas of the plan, and those of the library that were called, by name and where they are declared."""
    possible_caveats: tuple[CaveatDoc, ...] = ()
    """Caveats that stand on nothing, and may, were a confidential number another: others are told them."""
