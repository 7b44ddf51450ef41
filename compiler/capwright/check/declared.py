"""What a program declares, resolved: kinds, slots, entities, families, scopes."""

from __future__ import annotations

from typing import Final, Literal

from msgspec import Struct, field

from capwright.base.address import bases_of, option_address
from capwright.base.dimension import PURE, Dimension
from capwright.base.exact import Number
from capwright.base.source import Span
from capwright.syntax import tree

MAX_VARIANTS: Final = 64
"""As deep may entities be variants of each other."""

Sort = Literal["quantity", "entity", "choice", "text", "bool", "value", "list", "unknown"]


class Kind(Struct, frozen=True):
    """A declared kind of a dimension. `name` is its one name in the whole program, `fleet.pool` for a kind of a
    file behind `as`; `meets` holds such names too."""

    name: str
    dim: Dimension
    decl: tree.KindDecl
    meets: tuple[str, ...] = ()


class Slot(Struct, frozen=True):
    """What may stand in a field, a parameter or a result.

    `unit` is the spelling a report prints, `dim` and `factor` its meaning; `low` and `high` bound the domain in
    base units, `None` for open. `name` spells the `entity` of an entity slot, or the type of a `value` slot. An
    `unknown` one has a type with a mistake in it: it takes anything, and what stands there has no value.
    """

    sort: Sort
    dim: Dimension = PURE
    unit: str = ""
    factor: Number = 1
    kind: str | None = None
    whole: bool = False
    static: bool = False
    low: Number | None = 0
    high: Number | None = None
    name: str = ""
    choices: tuple[str, ...] = ()
    element: Slot | None = None
    word: str | None = None
    entity: Entity | None = None

    def text(self) -> str:
        """The slot in the words of the language."""
        if self.sort == "quantity":
            return self.unit or "number"
        if self.sort == "choice":
            return "one of " + ", ".join(self.choices)
        if self.sort == "list" and self.element is not None:
            return f"list of {self.element.text()}"
        return self.name or self.sort


UNKNOWN: Final = Slot("unknown")


Role = Literal["required", "default", "derived", "assumed"]


class FieldDef(Struct, frozen=True):
    """One declared field: where it stands, what it takes, and what it is when nobody says."""

    name: str
    slot: Slot
    role: Role
    decl: tree.Field | tree.Assume
    scope: Scope
    library: bool
    permanent: tuple[tree.Caveat, ...] = ()
    """The permanent caveats of the declaration, and of those of parents in whose place it stands."""


class Entity(Struct, eq=False):
    """An entity with everything it inherits. `line` is the chain from itself up to its root."""

    name: str
    span: Span
    scope: Scope
    parent: Entity | None = None
    label: str | None = None
    fields: dict[str, FieldDef] = field(default_factory=dict)
    blocks: dict[str, Entity] = field(default_factory=dict)
    order: dict[str, None] = field(default_factory=dict)
    """Names of fields and blocks in declaration order, inherited ones first."""
    checks: list[tuple[tree.Check, Scope, bool]] = field(default_factory=list)
    absent: dict[str, tree.Absent] = field(default_factory=dict)
    views: list[tree.View] = field(default_factory=list)
    inherits: dict[str, str] = field(default_factory=dict)
    inherits_all: str | None = None
    line: tuple[Entity, ...] = ()
    library: bool = False
    knowing: bool = False
    """Declared outside the library as a variant of a variant: it takes overloads only where it says so."""
    unsure: bool = False
    """Whether what it inherits is not known, which has been said: nothing is known of its instances."""

    def is_a(self, other: Entity) -> bool:
        """Whether this entity is `other` or a variant of it."""
        return other in self.line

    @property
    def root(self) -> Entity:
        """The entity at the top of the chain."""
        return self.line[-1]

    def has(self, name: str) -> bool:
        """Whether a field or a block of that name is declared."""
        return name in self.fields or name in self.blocks

    def declares(self, span: Span) -> bool:
        """Whether a place is within what it and its parents declare of its fields, blocks and checks."""
        written = (*(each.decl for each in self.fields.values()), *(check for check, _, _ in self.checks))
        return any(each.span.holds(span) for each in written) or any(
            block.declares(span) for block in self.blocks.values()
        )

    def element_words(self) -> dict[str, str]:
        """The words that open named list elements, each with its list field."""
        return {f.slot.word: f.name for f in self.fields.values() if f.slot.word is not None}


class Overload(Struct, eq=False):
    """One body of a family. `result` is the declared result; a bodyless one only states the signature."""

    decl: tree.FormulaDecl
    scope: Scope
    slots: tuple[Slot, ...]
    result: Slot
    library: bool
    parameters: tuple[str, ...] = ()
    """The names of the parameters, in their order."""

    def __post_init__(self) -> None:
        self.parameters = tuple([each.name for each in self.decl.parameters])


class Family(Struct, eq=False):
    """All formulas of one name. The declaration without a body, else the one that takes most, gives the signature.

    A `broken` family has a declaration with a mistake in it: what it lacks is not reported a second time.
    """

    name: str
    overloads: list[Overload] = field(default_factory=list)
    broken: bool = False

    @property
    def signature(self) -> Overload:
        """The declaration that fixes parameters, result and relation."""
        return self.overloads[0]


class Named(Struct, frozen=True):
    """A value declared by name at the top of a file."""

    statement: tree.Instance | tree.Binding | tree.Assume | tree.OptionDecl
    library: bool


class Lost(Struct):
    """The names of what could not be read. That has been said, and nothing more is said where they are used.

    `everything` stands for a file that could not be read: any name may be one of its.
    """

    names: set[str] = field(default_factory=set)
    everything: bool = False

    def __contains__(self, name: str) -> bool:
        """Whether a name stands for something lost; an option is lost with what it is an option of."""
        if self.everything or name in self.names:
            return True
        bases = bases_of(name)
        return bool(bases) and (
            option_address("", name[len(bases[0]) + 1 :]) in self.names or bases[0] in self
        )

    def add(self, other: Lost) -> None:
        """Lose what another part of the program has lost."""
        self.names |= other.names
        self.everything = self.everything or other.everything


class Scope(Struct, eq=False):
    """The names that a file sees. All files reached by `use` without `as` share one.

    `prefix` stands before the addresses of its values ("" for the plan's own scope, `fleet.` behind `as`).
    """

    prefix: str
    file: str = ""
    """The file that the name stands for, as it is shown; "" for the plan's own scope, and where none was read."""
    values: dict[str, Named] = field(default_factory=dict)
    entities: dict[str, Entity] = field(default_factory=dict)
    families: dict[str, Family] = field(default_factory=dict)
    kinds: dict[str, Kind] = field(default_factory=dict)
    all_kinds: dict[str, Kind] = field(default_factory=dict)
    """Every kind of the program by its one name, the same in all scopes: what a value's kind is looked up in."""
    spaces: dict[str, Scope] = field(default_factory=dict)
    homes: dict[str, Scope] = field(default_factory=dict)
    """Values that are declared in another scope, with that scope."""
    extras: dict[str, list[Extra]] = field(default_factory=dict)
    """The dotted statements that reach into the scope's own values, by name."""
    lost: Lost = field(default_factory=Lost)
    """What of its files could not be read. A name that is declared all the same is not lost."""

    def entity(self, name: str) -> Entity | None:
        """The entity that a name, such as `device` or `fleet.device`, stands for here."""
        scope, last = self._named(name)
        return scope.entities.get(last) if scope is not None else None

    def kind(self, name: str) -> Kind | None:
        """The kind that a name stands for here."""
        scope, last = self._named(name)
        return scope.kinds.get(last) if scope is not None else None

    def unsaid(self, name: str) -> bool:
        """Whether nothing is said of a name that is not found here, such as `device` or `fleet.device`: it is lost."""
        if name in self.lost:
            return True
        scope: Scope | None = self
        for part in name.split("."):
            if scope is None or part in scope.lost:
                return scope is not None
            scope = scope.spaces.get(part)
        return False

    def behind(self, name: str) -> str | None:
        """Help for a name that only a file behind `as` declares: how it is written here."""
        found = next(
            (s for s, scope in self.spaces.items() if name in scope.values or name in scope.entities), None
        )
        return None if found is None else f"a file behind `as` has it: write `{found}.{name}`"

    def _named(self, name: str) -> tuple[Scope | None, str]:
        if "." not in name:
            return self, name
        scope: Scope | None = self
        *spaces, last = name.split(".")
        for space in spaces:
            scope = scope.spaces.get(space) if scope is not None else None
        return scope, last


class Extra(Struct, frozen=True):
    """A dotted statement that reaches into a declared thing, `prod.memory.slack : … = …`, and the scope it stands in.

    `path` starts with the name of the thing in the scope that declares it.
    """

    statement: tree.Binding | tree.Assume | tree.Broken
    scope: Scope
    path: tuple[str, ...]
    library: bool


class Orders(Struct):
    """The statements of the plan that ask for something, in order."""

    requirements: list[tree.Requirement] = field(default_factory=list)
    reports: list[tree.Report] = field(default_factory=list)
    views: list[tree.View] = field(default_factory=list)
    measures: list[tree.Measure] = field(default_factory=list)
    evidence: list[tree.Evidence] = field(default_factory=list)
    options: list[tree.OptionDecl] = field(default_factory=list)
    moved: list[tree.Moved] = field(default_factory=list)
