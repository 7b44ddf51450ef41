"""The tree of a plan file: plain frozen data, one class a construct, every node with its span.

Nothing here is checked beyond shape. Numbers are exact already; unit spellings are still text, since
units are declared in plans. Names are text; `prod@tp8` is one name.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import Literal

from msgspec import Struct, field

from capwright.base.exact import Number
from capwright.base.source import Span

Relation = Literal["=", ">=", "<=", "~"]
Comparison = Literal["==", "!=", "<", "<=", ">", ">="]


# ── expressions ──────────────────────────────────────────────────────────────────────────────────


class Quantity(Struct, frozen=True):
    """A number with its unit spelling as written: `16 tokens/block`, `35%`, `2`.

    `value` is the exact number before the unit's factor; `unit` is "" for a bare number; `text` is the
    literal as it stands in the file.
    """

    span: Span
    value: Number
    unit: str
    text: str


class Text(Struct, frozen=True):
    """A quoted string; `value` has its escapes resolved."""

    span: Span
    value: str


class Name(Struct, frozen=True):
    span: Span
    name: str


class Attribute(Struct, frozen=True):
    """`base.name`."""

    span: Span
    base: Expr
    name: str
    name_span: Span


class Argument(Struct, frozen=True):
    """One argument of a call; `name` is None for a positional one."""

    span: Span
    name: str | None
    value: Expr


class Call(Struct, frozen=True):
    """`function(arguments)`. `min(a, b)` and `ceil(x, to 16 bytes)` are calls too: the step after `to`
    is an argument named `to`."""

    span: Span
    function: str
    function_span: Span
    arguments: tuple[Argument, ...]


class Comprehension(Struct, frozen=True):
    """`sum(body for variable in source where condition)`, with `sum`, `min`, `max`, `count`, `filter`,
    `all`, `any` or `list` as `function`. `count(g in xs where c)` and `filter(g in xs where c)` have the
    variable itself as body."""

    span: Span
    function: str
    body: Expr
    variable: str
    source: Expr
    condition: Expr | None


class ListOf(Struct, frozen=True):
    """`[a, b, c]`: an anonymous list of plain values."""

    span: Span
    items: tuple[Expr, ...]


class Unary(Struct, frozen=True):
    span: Span
    operator: Literal["-", "not"]
    operand: Expr


class Binary(Struct, frozen=True):
    """Arithmetic, comparison, `and` and `or`. `^` has a whole literal (or its negation) on the right."""

    span: Span
    operator: Literal["+", "-", "*", "/", "^", "and", "or", "==", "!=", "<", "<=", ">", ">="]
    left: Expr
    right: Expr


class If(Struct, frozen=True):
    span: Span
    condition: Expr
    then: Expr
    otherwise: Expr


class Is(Struct, frozen=True):
    """`x is square`: a test of an entity's variant, decided at expansion."""

    span: Span
    operand: Expr
    type_name: str
    type_span: Span
    negated: bool = False


class InUnit(Struct, frozen=True):
    """`x in step`: the bare number of units, the one explicit way to strip a dimension."""

    span: Span
    operand: Expr
    unit: str


class AsKind(Struct, frozen=True):
    """`x as pool`: gives a value a kind."""

    span: Span
    operand: Expr
    kind: str
    kind_span: Span


class Search(Struct, frozen=True):
    """`largest n in low .. high where condition`, a bounded search over whole numbers of `low`'s unit."""

    span: Span
    which: Literal["largest", "smallest"]
    variable: str
    low: Expr
    high: Expr
    condition: Expr


class Derive(Struct, frozen=True):
    """`small_box { field = … }`: an anonymous copy with other fields."""

    span: Span
    base: Expr
    body: tuple[Member, ...]


Expr = (
    Quantity
    | Text
    | Name
    | Attribute
    | Call
    | Comprehension
    | ListOf
    | Unary
    | Binary
    | If
    | Is
    | InUnit
    | AsKind
    | Search
    | Derive
)


def is_number(expr: Expr) -> bool:
    """Whether an expression is one number as somebody wrote it, its sign included: there is nothing that it comes of."""
    return isinstance(expr, Quantity) or (
        isinstance(expr, Unary) and expr.operator == "-" and isinstance(expr.operand, Quantity)
    )


# ── types and clauses ────────────────────────────────────────────────────────────────────────────


class TypeRef(Struct, frozen=True):
    """What may stand in a slot.

    `spelling` is a unit (`byte/device`), an entity, or a value type (`number`, `text`, `bool`, `mask`,
    `lengths`); a lone name is an entity first and a unit second. `list of X [named word]` has
    `list_of = True`, `spelling = "X"` and the word that opens its named elements. `one of a, b` has
    `choices` and an empty spelling. `whole` alone is `whole number`.
    """

    span: Span
    spelling: str
    whole: bool = False
    static: bool = False
    signed: bool = False
    list_of: bool = False
    element_word: str | None = None
    choices: tuple[str, ...] = ()
    low: Expr | None = None
    high: Expr | None = None


class Caveat(Struct, frozen=True):
    """`caveat name [permanent] for scope, scope "text"`: `permanent` ones cannot be discharged."""

    span: Span
    name: str
    scopes: tuple[str, ...]
    text: str
    permanent: bool = False


class Exclusion(Struct, frozen=True):
    """One entry of `excludes` or `includes`: a formula family by name, or quoted words where no family exists."""

    span: Span
    name: str
    quoted: bool


class Clauses(Struct, frozen=True, cache_hash=True):
    """What may follow a declaration or a binding, in any order, each at most once (caveats: any number)."""

    over: tuple[str, ...] = ()
    each: tuple[str, ...] = ()
    excludes: tuple[Exclusion, ...] = ()
    includes: tuple[Exclusion, ...] = ()
    """What a formula counts in another way than by calling it."""
    caveats: tuple[Caveat, ...] = ()
    discharges: tuple[str, ...] = ()
    because: str | None = None
    review: str | None = None
    source: str | None = None
    """Where a fact comes from, as a reader can look it up."""
    key: str | None = None
    """The key of an imported file, `config.json#/num_key_value_heads`."""
    from_measure: str | None = None
    flag: str | None = None
    """The launch flag that carries a field."""
    label: str | None = None
    """The words a report prints for the quantity: a trailing string."""
    confidential: bool = False
    """Whether the number stays out of what is shown to others than the plan's own readers."""
    over_span: Span | None = None

    @property
    def naming(self) -> bool:
        """Whether they name a formula, a caveat or a measurement, or declare a caveat."""
        return bool(
            self.excludes or self.includes or self.caveats or self.discharges or self.from_measure is not None
        )


# ── members of a body ────────────────────────────────────────────────────────────────────────────


class Field(Struct, frozen=True):
    """`name : type [default e | rel e] [kind k] clauses`, in an entity or, with a relation, in a plan."""

    span: Span
    name: str
    name_span: Span
    type: TypeRef
    kind: str | None = None
    default: Expr | None = None
    relation: Relation = "="
    value: Expr | None = None
    clauses: Clauses = field(default_factory=Clauses)


class Binding(Struct, frozen=True):
    """`[override] a.b.c [: type [kind k]] rel e clauses`."""

    span: Span
    path: tuple[str, ...]
    path_span: Span
    relation: Relation
    value: Expr
    type: TypeRef | None = None
    kind: str | None = None
    override: bool = False
    clauses: Clauses = field(default_factory=Clauses)


class Block(Struct, frozen=True):
    """`name ["words"] { … }` inside an entity or an instance: a nested group of fields."""

    span: Span
    name: str
    name_span: Span
    body: tuple[Member, ...]
    label: str | None = None


class Instance(Struct, frozen=True):
    """`type name [: variant | from base] { … }` or `type name = value`.

    `base` is a path expression or an importer call such as `config("config.json")`.
    """

    span: Span
    type_name: str
    type_span: Span
    name: str
    name_span: Span
    variant: str | None = None
    variant_span: Span | None = None
    base: Expr | None = None
    value: Expr | None = None
    body: tuple[Member, ...] = ()
    clauses: Clauses = field(default_factory=Clauses)


class Check(Struct, frozen=True):
    """`check condition "reason"` in an entity: what must hold of every instance."""

    span: Span
    condition: Expr
    message: str


class Absent(Struct, frozen=True):
    """`absent a, b because "reason"` in an entity: names it has on purpose not, and why."""

    span: Span
    names: tuple[str, ...]
    because: str


class Inherits(Struct, frozen=True):
    """`inherits edge, area from square`, or `inherits all from square`, in an entity that is
    a variant of a variant: the parent's overloads that it takes knowingly. `families` is empty for `all`."""

    span: Span
    families: tuple[str, ...]
    variant: str
    variant_span: Span


class Assume(Struct, frozen=True):
    """`assume path = e in low .. high because "…"`; without a range the two ends are open."""

    span: Span
    path: tuple[str, ...]
    path_span: Span
    value: Expr
    low: Expr | None
    high: Expr | None
    type: TypeRef | None = None
    kind: str | None = None
    clauses: Clauses = field(default_factory=Clauses)


class View(Struct, frozen=True):
    """`view chart of name "title" : a, b, c`: which quantities a generic chart draws."""

    span: Span
    chart: str
    name: str
    title: str
    operands: tuple[Expr, ...]


class Broken(Struct, frozen=True):
    """What does not parse, and the names that it seems to declare: whatever they were to be, nothing more is said of
    them.

    A path is one name, or a dotted one; `@tp8` is an option of something that is not known. `words` are the caveats,
    purposes and measurements that it names, and the word before the name. `rest` is a part of a file that was not
    read: it may declare anything.
    """

    span: Span
    paths: tuple[tuple[str, ...], ...] = ()
    words: tuple[str, ...] = ()
    rest: bool = False


Member = Field | Binding | Block | Instance | Check | Absent | Inherits | Assume | View | Broken


# ── statements ───────────────────────────────────────────────────────────────────────────────────


class Use(Struct, frozen=True):
    """`use std` or `use "path.plan" [as name]`; with `as` the file's names stand behind `name.`."""

    span: Span
    target: str
    is_path: bool
    alias: str | None = None


class UnitDecl(Struct, frozen=True):
    """`unit name {, other} [symbol s] [prefixes decimal binary] [counting] [= e]`."""

    span: Span
    names: tuple[str, ...]
    symbol: str | None = None
    prefixes: tuple[str, ...] = ()
    counting: bool = False
    value: Expr | None = None


class ContextTerm(Struct, frozen=True):
    """One thing that an entry must say: what the plan has at one of `paths`, by any of the names that it has there; by the
    name at `instead` only where none of these is one exact number."""

    paths: tuple[tuple[str, ...], ...]
    instead: tuple[str, ...] | None = None


class ContextKey(Struct, frozen=True):
    """A thing that a measurement or evidence of a kind must state.

    It must say what the plan has for each of `terms`, or one of `words`, where there are any. An optional one need not be
    stated, and is compared where it is.
    """

    span: Span
    name: str
    terms: tuple[ContextTerm, ...] = ()
    words: tuple[str, ...] = ()
    optional: bool = False


class KindDecl(Struct, frozen=True):
    """`kind name : unit [for scope] [meets a, b] [context k, optional k, …] [refuses scope, … because "…"] [measured] ["words"]`."""

    span: Span
    name: str
    name_span: Span
    unit: str
    unit_span: Span
    scope: str | None = None
    meets: tuple[str, ...] = ()
    context: tuple[ContextKey, ...] = ()
    refuses: tuple[str, ...] = ()
    because: str | None = None
    label: str | None = None
    measured: bool = False


class EntityDecl(Struct, frozen=True):
    span: Span
    name: str
    name_span: Span
    parent: str | None
    parent_span: Span | None
    members: tuple[Member, ...]
    label: str | None = None


class Parameter(Struct, frozen=True):
    span: Span
    name: str
    type: TypeRef
    kind: str | None = None


class FormulaDecl(Struct, frozen=True):
    """`formula name(params) : type [kind k] clauses rel body`.

    Without a body it only declares the family's signature. `default` marks a body on an abstract root
    that every variant may take.
    """

    span: Span
    name: str
    name_span: Span
    parameters: tuple[Parameter, ...]
    type: TypeRef
    kind: str | None
    relation: Relation
    body: Expr | None
    default: bool = False
    clauses: Clauses = field(default_factory=Clauses)


class Measure(Struct, frozen=True):
    """`measure path = e [in low .. high] [as name] { context }`."""

    span: Span
    path: tuple[str, ...]
    path_span: Span
    value: Expr
    low: Expr | None
    high: Expr | None
    name: str | None
    context: tuple[Member, ...]
    clauses: Clauses = field(default_factory=Clauses)


class Evidence(Struct, frozen=True):
    """`evidence name of path { context } [discharges caveat]`."""

    span: Span
    name: str
    path: tuple[str, ...]
    path_span: Span
    context: tuple[Member, ...]
    clauses: Clauses = field(default_factory=Clauses)


class Requirement(Struct, frozen=True):
    """`require [established] a <= b "words"` or `expect a <= b "words"`."""

    span: Span
    verb: Literal["require", "expect"]
    condition: Expr
    label: str | None = None
    established: bool = False


class OptionDecl(Struct, frozen=True):
    """`option name of base { … }`: address `base@name`."""

    span: Span
    name: str
    name_span: Span
    base: Expr
    body: tuple[Member, ...]
    label: str | None = None


class Report(Struct, frozen=True):
    """`report a.b, c ["title"]`: the sections of the report, in order."""

    span: Span
    paths: tuple[tuple[tuple[str, ...], Span], ...]
    title: str | None = None


class Moved(Struct, frozen=True):
    """`moved old.path to new.path`: the same quantity under another address."""

    span: Span
    old: tuple[str, ...]
    new: tuple[str, ...]


Statement = (
    Use
    | UnitDecl
    | KindDecl
    | EntityDecl
    | FormulaDecl
    | View
    | Assume
    | Measure
    | Evidence
    | Requirement
    | OptionDecl
    | Report
    | Moved
    | Instance
    | Binding
    | Broken
)


class Module(Struct, frozen=True, dict=True):
    """One parsed file; what of it does not parse stands among the statements as `Broken`.

    What is asked of a file by every plan that uses it is found once.
    """

    path: str
    statements: tuple[Statement, ...]

    @cached_property
    def uses(self) -> tuple[Use, ...]:
        """The files that it names."""
        return tuple(one for one in self.statements if type(one) is Use)

    @cached_property
    def broken(self) -> tuple[Broken, ...]:
        """Its statements that do not parse; members of others are not among them."""
        return tuple(one for one in self.statements if type(one) is Broken)

    @cached_property
    def everything(self) -> tuple[Statement | Member, ...]:
        """Its statements, each followed by all that stands in its braces."""
        return tuple(_with_members(self.statements))

    @cached_property
    def naming(self) -> tuple[tuple[Statement | Member, Clauses], ...]:
        """All that has clauses in which something is named or declared, and these clauses."""
        return tuple(
            (one, found)
            for one in self.everything
            if isinstance(found := getattr(one, "clauses", None), Clauses) and found.naming
        )


def _with_members(statements: Iterable[Statement | Member]) -> Iterator[Statement | Member]:
    for statement in statements:
        yield statement
        match statement:
            case Instance(body=inner) | Block(body=inner) | OptionDecl(body=inner):
                yield from _with_members(inner)
            case EntityDecl(members=inner):
                yield from _with_members(inner)
            case _:
                pass
