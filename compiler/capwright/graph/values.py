"""What an expression stands for while the graph is expanded.

Quantities and truths become nodes of the tape; everything else is decided here and never reaches it.
"""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from typing import Final

from msgspec import Struct, field
from msgspec.structs import replace

from capwright.base.counting import with_article
from capwright.base.source import Span
from capwright.check.declared import Entity, Scope, Slot
from capwright.check.rules import Typed
from capwright.syntax import tree

Giving = tree.Binding | tree.Field | tree.Assume
"""A statement that gives a name its value."""


class Q(Struct, frozen=True):
    """A quantity: its node and its type."""

    node: int
    type: Typed


class Truth(Struct, frozen=True):
    """A truth that depends on quantities. One that does not is a plain `bool`. `taint` is as in `Typed`."""

    node: int
    taint: frozenset[str] = frozenset()


class Choice(Struct, frozen=True):
    """One of a field's declared choices. `among` are all of them, where they are known."""

    name: str
    among: tuple[str, ...]


class Words(Struct, frozen=True):
    """A text."""

    value: str


class Static(Struct, frozen=True):
    """A value of one of the kernel's types, such as a distribution. `sort` is the type's name."""

    sort: str
    value: object


class Items(Struct, frozen=True):
    """A list; elements of entity lists are named. `open` stands in for a list of unknown length, and `of`
    says what its elements are, so that an empty sum knows its unit."""

    items: tuple[tuple[str | None, Value], ...]
    open: bool = False
    of: Slot | None = None


class Entry(Struct, frozen=True):
    """What one body says of one name: a value, a nested body, or both by way of a dotted path. A `broken` one does
    not parse, and leaves no value."""

    statement: Giving | None = None
    block: tree.Block | None = None
    child: tree.Instance | None = None
    inner: Body | None = None
    broken: bool = False


class Body(Struct, eq=False):
    """The statements of one pair of braces, by the first name of their path.

    `views` and `added` fields are what a plan adds to an instance. `replaces` names derived fields that the
    body may replace because it says `override`.
    """

    scope: Scope
    library: bool
    entries: dict[str, list[Entry]] = field(default_factory=dict)
    views: list[tree.View] = field(default_factory=list)
    checks: list[tree.Check] = field(default_factory=list)


class Layer(Struct, frozen=True):
    """A body as it lies over an instance.

    Expressions are evaluated in `owner` (the instance itself where None), then in `outer`, the instance
    around the braces, then in the scope. `rename` is the name under which a plan's dotted statement speaks of
    the instance that the layer lies over: in a copy it means the copy. `outside` marks a dotted statement at
    the top of a file, which sees the file's names only. `captured` are the parameters and list variables around
    the braces of an anonymous copy.
    """

    body: Body
    owner: Inst | None = None
    outer: Inst | None = None
    rename: str | None = None
    outside: bool = False
    captured: dict[str, Value] | None = None


class Inst(Struct, eq=False):
    """An instance of an entity. Its fields are computed when they are asked for.

    `stand_in` marks one that stands for any instance, while a formula that nobody calls is checked.
    `element` is its name in the list it belongs to. `home` is the instance an anonymous copy is a field of.
    `confidential` is what its own declaration says. `unnamed` marks a copy that an expression made and no binding
    named: its address tells it apart, and is no public one.
    """

    address: str
    entity: Entity
    layers: tuple[Layer, ...]
    span: Span
    parent: Inst | None = None
    element: str | None = None
    stand_in: bool = False
    base: Inst | None = None
    option: bool = False
    home: Inst | None = None
    confidential: bool = False
    unnamed: bool = False

    @property
    def copy(self) -> Inst | None:
        """The unnamed copy that it is, or is a part or a field of; None for what has a name."""
        around: Inst | None = self
        while around is not None and not around.unnamed:
            around = around.home or around.parent
        return around

    @property
    def origin(self) -> Inst | None:
        """What it is a copy of: the nearest that has a name; None for what is no copy."""
        found = self.base
        while found is not None and found.unnamed:
            found = found.base
        return found

    @property
    def keeper(self) -> Inst | None:
        """The instance that makes its numbers confidential: itself, or what it is a copy, a part or a field of."""
        if self.confidential:
            return self
        for around in (self.base, self.parent, self.home):
            if around is not None and (found := around.keeper) is not None:
                return found
        return None

    @property
    def top(self) -> Inst:
        """The named instance that this one is a part of."""
        around = self.home or self.parent
        return self if around is None else around.top

    def knows(self, name: str) -> bool:
        """Whether it has a field, a block or an added field of that name."""
        entity = self.entity
        if name in entity.fields or name in entity.blocks:
            return True
        for layer in self.layers:  # noqa: SIM110 - asked of every name of every formula, where a generator costs double
            if name in layer.body.entries:
                return True
        return False


class World(Struct, eq=False):
    """The plan with `option` in the place of what it is an option of, and of what that is an option of, by name;
    `values` are its names worked out there, of those that `may_differ`."""

    bases: tuple[str, ...]
    option: Inst
    may_differ: AbstractSet[str]
    values: dict[str, Value] = field(default_factory=dict)
    open: dict[str, None] = field(default_factory=dict)
    """Names that are being worked out, outermost first."""


class Poison:
    """Stands for what could not be computed; the reason has been reported."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "POISON"


POISON: Final = Poison()

Value = Q | Truth | bool | Choice | Words | Static | Items | Inst | Poison

Decider = int | Inst | tuple[Inst | Scope, str]
"""What can decide the shape of a formula: a node whose exact value was needed, a thing whose variant was, or a field
that holds no quantity."""
Deciders = dict[Decider, None]
Reads = dict[tuple[Inst | Scope, str], None]
"""The fields that hold things which a formula went through on its way to what it refers to."""


class Env(Struct, frozen=True):
    """Where an expression stands: whose names it sees, in what order."""

    scope: Scope
    self: Inst | None = None
    outer: Inst | None = None
    locals: dict[str, Value] | None = None
    library: bool = False
    rename: tuple[str, Inst] | None = None
    target: str = ""
    """The address of what is being bound: an anonymous copy takes it."""
    captured: dict[str, Value] | None = None
    """Names around the braces of an anonymous copy, seen after the copy's own fields."""
    strips: bool = False
    """Whether `x in unit` may stand here: in a `check` and in an argument that takes a whole number."""

    def known(self) -> Iterator[str]:
        """The names that mean something in an expression here."""
        yield from self.scope.values
        yield from self.locals or ()
        yield from self.captured or ()
        for start in (self.self, self.outer):
            inst = start
            while inst is not None:
                yield from inst.entity.order
                for layer in inst.layers:
                    yield from layer.body.entries
                inst = inst.parent

    def binding(self, name: str, value: Value) -> Env:
        """The same place with one more local name."""
        return replace(self, locals={**(self.locals or {}), name: value})


def what(value: Value) -> str:
    """A value's sort, in the words of a message."""
    match value:
        case Q(type=typed):
            return "a number" if not typed.dim.powers else f"a quantity in {typed.dim.text()}"
        case Truth() | bool():
            return "a truth"
        case Choice(name=name):
            return f"the choice `{name}`"
        case Words():
            return "a text"
        case Static(sort=sort):
            return with_article(sort)
        case Items():
            return "a list"
        case Inst(entity=entity):
            return f"the {entity.root.name} `{value.address}`" if value.address else with_article(entity.name)
        case _:
            return "nothing"


def slot_text(slot: Slot) -> str:
    """A slot, in the words of a message."""
    if slot.sort == "quantity":
        return f"a quantity in {slot.dim.text()}" if slot.dim.powers else "a number"
    return with_article(slot.text()) if slot.sort != "choice" else slot.text()
