"""The tape: the plan as one flat list of operations in evaluation order.

Nodes are integers; an argument's number is always smaller than its user's. Equal operations on equal
arguments are one node (value numbering), so an option that changes nothing costs nothing. Three ops are
*wrappers* that carry meaning and no arithmetic: `bind` (a named quantity), `call` (one use of a formula)
and `effective` (a quantity read together with its measurement).
"""

from __future__ import annotations

from typing import Final, Literal

from msgspec import Struct, field

from capwright.base.dimension import Dimension
from capwright.base.exact import Number
from capwright.base.interval import Value
from capwright.base.source import NOWHERE, Span
from capwright.syntax.tree import Clauses, Relation

Op = Literal[
    "const",  # data: Constant
    "add", "sub", "mul", "div", "neg",
    "pow",  # data: int exponent
    "min", "max",  # any number of arguments
    "ceil", "floor",  # data: Number step, in base units
    "mod", "divides",
    "sqrt", "log2", "exp",  # irrational: rounded outward
    "lt", "le", "eq", "ne",
    "and", "or", "not",
    "if",  # condition, then, otherwise
    "kernel",  # data: KernelCall; arguments: the quantities it takes
    "variable",  # data: str; the number a search tries
    "search",  # low, high; data: SearchBody
    "source",  # nominal, low, high; data: SourceInfo (an `assume`); argument -1 stands for an open end
    "bind",  # root; data: BindInfo
    "call",  # root; data: CallInfo
    "effective",  # derived, measured; data: str, the measurement's address
]  # fmt: skip

OPEN: Final = -1

CHAINED: Final = ("add", "mul", "and", "or")
"""Operations whose chains a document writes as one, with all their operands."""


class Constant(Struct, frozen=True):
    """A constant: `value` in base units, and how the plan spelled it."""

    value: Value
    text: str = ""
    unit: str = ""
    span: Span = NOWHERE


class KernelCall(Struct, frozen=True):
    """A call of a kernel primitive: its name and its static arguments."""

    function: str
    static: tuple[object, ...]


class SearchBody(Struct, frozen=True):
    """The body of a bounded search. `nodes` are the nodes that depend on `variable`, in tape order, ending
    with `condition`; all else is evaluated once."""

    which: Literal["largest", "smallest"]
    variable: int
    condition: int
    nodes: tuple[int, ...]
    step: Number
    """One whole unit of the searched quantity, in base units."""


class SourceInfo(Struct, frozen=True):
    """A named uncertainty: where an interval comes from. `id` is the address of the binding site."""

    id: str
    relation: Literal["assume", ">=", "<=", "~"]
    span: Span
    because: str | None = None
    review: str | None = None
    from_measure: str | None = None
    confidential: bool = False
    """Whether a measurement is; of other sources, the quantity that holds them says so."""
    measured: bool = False
    """Whether it is a measurement itself, and not what was read off one."""


class BindInfo(Struct, frozen=True, cache_hash=True):
    """What a named quantity declares about itself.

    `low`/`high` bound its domain (base units, None = open); `site` identifies the declaration, so that the
    same declaration over the same arguments is one node in every option. For `>=`, `<=` and `~` the node is
    itself a source, called `source`.
    """

    site: Span
    name: str
    relation: Relation
    kind: str | None
    whole: bool
    low: Number | None
    high: Number | None
    clauses: Clauses
    unit: str
    source: SourceInfo | None = None
    truth: bool = False
    """Whether it is a truth, 1 or 0, and not a number."""
    confidential: bool = False
    keeper: str = ""
    """The confidential instance that it is a number of."""
    grain: Number = 1
    """What a whole quantity counts, in base units."""
    of: str = ""
    """What it is a number of, as copies and options of that have it too: equal numbers of two things are two."""
    measured: bool = False
    """Whether it is a field that is measured: then it is no copy's number as well, nor what that is copied from."""
    foreign: bool = False
    """Whether its domain is the library's."""
    written: bool = False
    """Whether it is a number as somebody wrote it, and not computed."""
    decided: tuple[int, ...] = ()
    """The exact numbers that decided what its formula is: they are in it no more, and it leans on them all the same."""


class CallInfo(Struct, frozen=True, cache_hash=True):
    """One use of a formula. `static` names the entity and choice arguments for a reader."""

    formula: str
    site: Span
    relation: Relation
    kind: str | None
    clauses: Clauses
    parameters: tuple[str, ...]
    static: tuple[str, ...]
    element: str | None = None
    source: SourceInfo | None = None
    low: Number | None = 0
    high: Number | None = None
    unit: str = ""
    whole: bool = False
    grain: Number = 1
    foreign: bool = False
    decided: tuple[int, ...] = ()
    """As in `BindInfo`."""


class Tape(Struct):
    """Parallel lists, one entry a node."""

    ops: list[Op] = field(default_factory=list)
    args: list[tuple[int, ...]] = field(default_factory=list)
    data: list[object] = field(default_factory=list)
    dims: list[Dimension] = field(default_factory=list)
    spans: list[Span] = field(default_factory=list)
    same: list[int] = field(default_factory=list)
    """For each node the first one that must have its value: equal but for where its literals are written."""
    _numbers: dict[tuple[object, ...], int] = field(default_factory=dict)
    _alike: dict[tuple[object, ...], int] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.ops)

    def emit(self, op: Op, args: tuple[int, ...], dim: Dimension, span: Span, data: object = None) -> int:
        """The node for this operation: an old one where there is an equal one, else a new one."""
        node = len(self.ops)
        found = self._numbers.setdefault((op, args, data, dim), node)
        if found != node:
            return found
        self.ops.append(op)
        self.args.append(args)
        self.data.append(data)
        self.dims.append(dim)
        self.spans.append(span)
        self.same.append(self._first_alike(op, args, dim, data, node))
        return node

    def _first_alike(self, op: Op, args: tuple[int, ...], dim: Dimension, data: object, node: int) -> int:
        same = self.same
        if op == "const" and isinstance(data, Constant):
            return self._alike.setdefault((op, data.value, dim), node)
        for arg in args:
            if arg >= 0 and same[arg] != arg:
                break
        else:
            return node
        key = (op, tuple([same[a] if a >= 0 else a for a in args]), data, dim)
        found = self._numbers.get(key)
        return self._alike.setdefault(key, node) if found is None else same[found]


def is_confidential(tape: Tape, node: int) -> bool:
    """Whether what is written here stays out of documents for others: a quantity, a formula, a measurement."""
    return _is_secret(tape.data[node])


def confidential_nodes(tape: Tape) -> set[int]:
    """The nodes of which that is so, looked for in one go."""
    return {node for node, data in enumerate(tape.data) if data is not None and _is_secret(data)}


def _is_secret(data: object) -> bool:
    if type(data) is CallInfo:
        return data.clauses.confidential
    return (type(data) is BindInfo or type(data) is SourceInfo) and data.confidential


def arguments(tape: Tape, node: int) -> tuple[int, ...]:
    """What a node needs: its arguments and, for a search, what its body needs from outside and within."""
    data = tape.data[node]
    if type(data) is SearchBody:
        return (*tape.args[node], *(n for n in data.nodes if n != data.variable))
    return tape.args[node]


def leaned_on(tape: Tape, node: int) -> tuple[int, ...]:
    """What a node needs, and what decided its formula."""
    data = tape.data[node]
    if type(data) is BindInfo or type(data) is CallInfo:
        return (*tape.args[node], *data.decided) if data.decided else tape.args[node]
    return arguments(tape, node) if type(data) is SearchBody else tape.args[node]


def decided_by(tape: Tape, node: int) -> tuple[int, ...]:
    """The exact numbers that decided what the formula of a name or a call is; they stand before it."""
    data = tape.data[node]
    return data.decided if type(data) is BindInfo or type(data) is CallInfo else ()
