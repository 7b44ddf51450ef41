"""What expansion carries along: the tape, the names already computed, and the messages."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from collections.abc import Set as AbstractSet
from typing import Any, Final

from msgspec import Struct, field

from capwright.base.demand import Demand
from capwright.base.diagnostic import Offer, Spelling
from capwright.base.source import Source, Span
from capwright.check.declared import Entity, Family, FieldDef, Overload, Scope, Slot
from capwright.check.program import Program
from capwright.check.report import Report
from capwright.graph.evaluate import Machine
from capwright.graph.faults import Fault
from capwright.graph.tape import Tape
from capwright.graph.values import POISON, Deciders, Env, Giving, Inst, Q, Reads, Value, World
from capwright.syntax import tree
from capwright.syntax.tree import Module

NODES: Final = 200_000
NODES_A_STATEMENT: Final = 12
STEPS: Final = 65_000
STEPS_A_STATEMENT: Final = 90
"""What a plan may cost: so much whatever it says, and so much more for each statement that somebody wrote."""
_ELEMENTS_A_STEP: Final = 4
MAX_NESTING: Final = 64
MAX_LIST: Final = 10_000

Key = tuple[Inst | Scope, str]
Called = tuple[Value, Deciders, Reads]
"""What a formula gave for some arguments, what decided that, and the things it went through."""
Walker = Callable[["Context", Any, Env, Slot | None], Value]
"""Evaluates one sort of expression."""


class Bound(Struct, frozen=True):
    """One named quantity as it was bound: node and type, and what was written where.

    `statement` is what the number came from: a binding or an assumption of a plan, or an entity's field. `holder` is
    the instance that it is a field of.
    """

    address: str
    value: Q
    field: FieldDef | None
    statement: Giving
    expr: tree.Expr
    library: bool
    order: int
    replaced: str | None = None
    holder: Inst | None = None

    @property
    def inside(self) -> str:
        """For a field of a copy without a name: what was copied, and its path in it (`node.price`); "" for others."""
        copy = self.holder.copy if self.holder is not None else None
        if copy is None:
            return ""
        return (copy.origin or copy).address + self.address[len(copy.address) :]


class Override(Struct, frozen=True):
    """`--set ADDRESS=VALUE`, parsed."""

    path: tuple[str, ...]
    value: tree.Expr
    path_span: Span


def _early(_: object) -> Value:
    raise AssertionError("names are asked for before `start`")


class Context(Struct, eq=False):
    """One expansion. `compute` and `on_cycle` are set by the driver."""

    program: Program
    report: Report
    sources: Mapping[str, Source]
    imports: Mapping[tuple[str, ...], Module]
    lengths: Mapping[tuple[str, ...], object]
    walkers: Mapping[type, Walker]
    readers: AbstractSet[str] = frozenset()
    """Names of calls that read a file: what they gave is in `imports` and `lengths`."""
    overrides: tuple[Override, ...] = ()
    tape: Tape = field(default_factory=Tape)
    bound: dict[str, Bound] = field(default_factory=dict)
    instances: dict[str, Inst] = field(default_factory=dict)
    calls: dict[tuple[object, ...], Called] = field(default_factory=dict)
    """What each formula gave for these arguments; where it gave no value, also by the option that asked."""
    world: World | None = None
    """The option that stands in its base's place while the plan is asked again."""
    option: Inst | None = None
    """The option whose field, or whose number in its base's place, is being worked out; None outside of options."""
    deciding: list[Deciders] = field(default_factory=list)
    """What has decided the shape of each thing that is being expanded, outermost first."""
    decided_nodes: dict[int, Deciders] = field(default_factory=dict)
    decided_fields: dict[Key, Deciders] = field(default_factory=dict)
    tainted: dict[int, frozenset[str]] = field(default_factory=dict)
    """The kinds that refuse a purpose, of the nodes that decided something and lean on one."""
    reading: list[Reads] = field(default_factory=lambda: [{}])
    """The fields that hold things which each formula that is being expanded went through, outermost first; the first
    ones are of what stands outside of all."""
    read_nodes: dict[int, Reads] = field(default_factory=dict)
    used: dict[Span, tree.FormulaDecl] = field(default_factory=dict)
    """The formulas that were called, by where they are declared."""
    given: dict[int, tuple[Value, ...]] = field(default_factory=dict)
    """The arguments of each call node: the first, where several calls come to one node."""
    selected: dict[tuple[Family, tuple[Entity | None, ...]], Overload | None] = field(default_factory=dict)
    """The body of each family for arguments of these entities."""
    choosing: dict[Family, tuple[int, ...]] = field(default_factory=dict)
    """The places of the arguments that choose among the bodies of each family."""
    built: dict[int, tuple[object, Span]] = field(default_factory=dict)
    """The kernel's values by identity, each with where a plan builds it."""
    machine: Machine | None = None
    computed: set[int] = field(default_factory=set)
    withheld: set[int] = field(default_factory=set)
    """Of these the ones that are confidential, or derive from one that is; and quantities whose measurement was compared
    with one."""
    walked: int = 0
    """Nodes that were walked over for what messages name beside a mistake."""
    measured: dict[str, tuple[int, str]] = field(default_factory=dict)
    applies: Callable[[str, str | None, int], bool] = lambda _address, _kind, _node: True
    """Whether what is measured at an address counts for its quantity, of a kind and derived at a node: not if it was of
    something else."""
    evidenced: frozenset[str] = frozenset()
    """The things that evidence speaks of: each option of theirs has numbers of its own, since what is shown of one need
    not be of the other."""
    copied: dict[str, int] = field(default_factory=dict)
    """How many anonymous copies were made at an address."""
    lacks: int = 0
    """How often an option lacked what it reads, or read what has no value for that reason."""
    lacked: dict[tuple[Inst, Inst, str], list[Span]] = field(default_factory=dict)
    """What is lacking: the option, the thing and its field, with the places that read it."""
    own_words: dict[Inst, dict[str, tuple[list[int], list[int]]]] = field(default_factory=dict)
    """Where what is written for each option begins and ends, by file, once something is lacking to it."""
    known_fields: dict[Entity | None, set[str]] = field(default_factory=dict)
    """The fields of things of each sort, by its root, once something is lacking; as `known_fields.known_fields` gives them."""
    lacking: set[tuple[object, ...]] = field(default_factory=set)
    """Fields of options, and calls in options, that have no value because something is lacking, which is told."""
    missing: list[tuple[Inst, FieldDef]] = field(default_factory=list)
    """Fields that were asked for, must be given and are not."""
    handed: list[tuple[Inst, tree.Expr]] = field(default_factory=list)
    """Things that the plan asked something of that has no value, itself or by a formula, and where."""
    unwritten: dict[Span, list[frozenset[Inst]]] = field(default_factory=dict)
    """Where a formula was called that is not written for its arguments: of each call the things for some sorts of which alone there
    is a body."""
    faulted: list[Fault] = field(default_factory=list)
    """Faults of numbers that were to decide something: told once it is known what else is wrong with these."""
    used_overrides: set[tuple[str, ...]] = field(default_factory=set)
    active: dict[int, str] = field(default_factory=dict)
    """Formulas being expanded, outermost first: none may be entered again."""
    nodes: int = NODES
    steps: int = STEPS
    full: bool = False
    demand: Demand[Key, Value] = field(default_factory=lambda: Demand(_early, _early))

    def start(
        self, compute: Callable[[Context, Key], Value], on_cycle: Callable[[Context, list[Key]], Value]
    ) -> None:
        """Say how names are computed."""
        self.demand = Demand(lambda key: compute(self, key), lambda path: on_cycle(self, path))

    def say(self, code: str, span: Span, message: str, help: str | Spelling | Offer) -> Value:
        """Report a mistake; the value it leaves is poison."""
        self.report.say(code, span, message, help)
        return POISON

    def text(self, span: Span) -> str:
        """What is written at `span`."""
        source = self.sources.get(span.file)
        return source.text[span.start : span.end] if source is not None else ""

    def charge(self, elements: int) -> None:
        """Count the work of going through a list, which is less than a step an element."""
        self.steps -= elements // _ELEMENTS_A_STEP

    def spent(self, span: Span) -> bool:
        """Whether the plan has used up its budget of nodes or steps; says so once."""
        if self.steps > 0 and len(self.tape) <= self.nodes:
            return False
        if not self.full:
            self.full = True
            what = "steps" if self.steps <= 0 else f"nodes ({self.nodes:,})"
            self.report.say(
                "CW0403",
                span,
                f"the plan needs more {what} than a plan of its length may take",
                "shorten its lists or lower the whole numbers that make them long, ask less of fewer options, or write "
                "fewer formulas that call each other many times over",
            )
        return True
