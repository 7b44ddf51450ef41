"""A document back to a tape, so that it can be evaluated, judged and mixed with another one without its source.

Formula trees become the operations they were written from, by the same evaluator; named quantities become
`bind` nodes with their relation, domain and source. A `select` tree, which only a comparison makes, takes one of
two branches by a *player*: a switch that is set before the tape is run.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from itertools import count
from typing import Final

from msgspec import Struct, field

from capwright.base.dimension import PURE
from capwright.base.exact import Number, from_text, number
from capwright.base.interval import Range
from capwright.base.source import NOWHERE, Span
from capwright.document.plandoc import PlanDoc, Quantity, Tree
from capwright.graph.evaluate import evaluate
from capwright.graph.evaluation import Evaluation
from capwright.graph.kernel_value import KernelWithin
from capwright.graph.tape import (
    OPEN,
    BindInfo,
    Constant,
    KernelCall,
    Op,
    SearchBody,
    SourceInfo,
    Tape,
    arguments,
)
from capwright.kernel.rebuilding import from_json
from capwright.syntax.tree import Clauses, Relation

Key = Hashable
_PARTS: Final = ("low", "high", "condition")
_WITH_PARTS: Final = frozenset({"assume", "search"})
"""Operations that have trees elsewhere than among their arguments."""
_CHAINS: Final = frozenset({"add", "mul"})
"""Operations that a tree writes with any number of arguments and a tape with two."""
_LONG: Final = 8
"""Operands of a sum that is worth balancing."""
_NO_CLAUSES: Final = Clauses()


class Definition(Struct, frozen=True):
    """What a named quantity is: its formula, and what the name adds to it. References in the tree are keys."""

    name: str
    tree: Tree
    relation: Relation = "="
    low: Number | None = None
    high: Number | None = None
    whole: bool = False
    grain: Number = 1


class Taped(Struct):
    """A tape, the node of every key, the switch of every player, and the keys that lead to themselves."""

    tape: Tape
    writer: Callable[[Tree], int]
    """Writes one more tree over what stands on the tape, and gives its node."""
    node_of: dict[Key, int] = field(default_factory=dict)
    switches: dict[int, int] = field(default_factory=dict)
    circular: list[Key] = field(default_factory=list)
    sources: dict[str, str] = field(default_factory=dict)
    """Id of a source on the tape to the name of the quantity that holds it."""


def parts_of(tree: Tree) -> Sequence[Tree]:
    """The trees directly below one."""
    args: Sequence[Tree] = tree.get("args", ())
    if tree["op"] not in _WITH_PARTS:
        return args
    return [*args, *(part for key in _PARTS if (part := tree.get(key)) is not None)]


def with_parts(tree: Tree, parts: Iterable[Tree]) -> Tree:
    """The tree with others directly below it, as many as `parts_of` gives and in that order."""
    rest = iter(parts)
    made = dict(tree)
    if "args" in tree:
        made["args"] = [next(rest) for _ in tree["args"]]
    if tree["op"] in _WITH_PARTS:
        made.update({key: next(rest) for key in _PARTS if tree.get(key) is not None})
    return made


def references(tree: Tree) -> Iterator[Key]:
    """What a tree refers to, with repetitions."""
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        op = node["op"]
        if op == "ref":
            yield node["address"]
        else:
            waiting.extend(parts_of(node) if op in _WITH_PARTS else node.get("args", ()))


def definition(quantity: Quantity) -> Definition:
    """The definition of a quantity of a document."""
    q = quantity
    relation = q.relation if q.relation in (">=", "<=", "~") else "="
    low, high = number(q.domain_low), number(q.domain_high)
    grain = from_text(q.unit.factor) if q.whole else 1
    return Definition(q.address, q.formula or _frozen(q), relation, low, high, q.whole, grain)


def _frozen(quantity: Quantity) -> Tree:
    """A quantity without a formula stands for what is known of it."""
    q = quantity
    return {"op": "held", "value": Range(number(q.low), number(q.nominal), number(q.high))}


def retape(doc: PlanDoc) -> Taped:
    """The tape of a document; aliases share their quantity's node."""
    taped = assemble({q.address: definition(q) for q in doc.quantities})
    for quantity in doc.quantities:
        for alias in quantity.aliases:
            taped.node_of.setdefault(alias, taped.node_of[quantity.address])
    return taped


def evaluated(taped: Taped) -> Evaluation:
    """The value of every node."""
    return evaluate(taped.tape, KernelWithin(taped.tape))


def assemble(definitions: Mapping[Key, Definition], *, balanced: bool = False) -> Taped:
    """The tape of definitions that may stand in any order. What leads to itself has no value.

    With `balanced`, long sums are trees, so that a change in one operand moves few nodes.
    """
    writer = _Writer(balanced=balanced)
    taped = writer.taped
    for key in definitions:
        _assemble(definitions, key, taped, writer)
    return taped


def _assemble(definitions: Mapping[Key, Definition], start: Key, taped: Taped, writer: _Writer) -> None:
    node_of, opened = taped.node_of, set[Key]()
    waiting = [start]
    while waiting:
        key = waiting[-1]
        if key in node_of:
            waiting.pop()
            continue
        held = definitions.get(key)
        if held is None:
            node_of[key] = writer.unknown(key)
            continue
        if key in opened:  # whatever it refers to stands on the tape by now
            node_of[key] = writer.named(held)
            opened.discard(waiting.pop())
            continue
        opened.add(key)
        for known in references(held.tree):
            if known in opened and known not in node_of:
                taped.circular.append(known)
                node_of[known] = writer.unknown(known)
            elif known not in node_of:
                waiting.append(known)


class _Writer:
    """Writes trees onto a tape. Quantities that they refer to must stand there already."""

    def __init__(self, *, balanced: bool) -> None:
        self.balanced = balanced
        self.tape = Tape()
        self.taped = Taped(self.tape, self.write)
        self._variables: dict[str, list[int]] = {}
        self._fresh = count()

    def unknown(self, key: Key) -> int:
        """A node that never has a value."""
        return self._emit("variable", (), ("unknown", key))

    def _emit(self, op: Op, args: tuple[int, ...], data: object = None) -> int:
        return self.tape.emit(op, args, PURE, NOWHERE, data)

    def named(self, held: Definition) -> int:
        """The `bind` node of a definition."""
        source = None
        if held.relation != "=":
            source = SourceInfo(held.name, held.relation, NOWHERE)
            self.taped.sources.setdefault(held.name, held.name)
        if held.tree["op"] == "assume":
            self.taped.sources.setdefault(held.tree["source"], held.name)
        site = Span(held.name, 0, 0)
        info = BindInfo(
            site, held.name, held.relation, None, held.whole, held.low, held.high, _NO_CLAUSES, "", source,
            grain=held.grain,
        )  # fmt: skip
        return self._emit("bind", (self.write(held.tree),), info)

    def write(self, tree: Tree) -> int:
        """The node of a tree."""
        op = tree["op"]
        match op:
            case "ref":
                return self._known(tree["address"])
            case "const":
                place = Span(f"{tree.get('place', '')} {tree.get('text', '')}", 0, 0)
                return self._emit("const", (), Constant(from_text(tree["value"]), "", "", place))
            case "held":
                return self._emit("const", (), Constant(tree["value"]))
            case "var":
                return (
                    self._variables[tree["name"]][-1]
                    if self._variables.get(tree["name"])
                    else self.unknown(op)
                )
            case "select":
                before, after = (self.write(arg) for arg in tree["args"])
                return self._emit("if", (self.switch(tree["player"]), after, before))
            case "search":
                return self._search(tree)
            case "assume":
                return self._assumed(tree)
        args = [self.write(arg) for arg in tree["args"]]
        if op in _CHAINS and len(args) != 2:
            return self._chain(op, args)
        return self._emit(op, tuple(args), self._data(tree))

    def _known(self, key: Key) -> int:
        found = self.taped.node_of.get(key)
        return self.unknown(key) if found is None else found

    def switch(self, player: int) -> int:
        """The node that says whether a player takes its second branch."""
        found = self.taped.switches.get(player)
        if found is None:
            found = self.taped.switches[player] = self._emit("variable", (), ("player", player))
        return found

    def _chain(self, op: Op, args: list[int]) -> int:
        if self.balanced and len(args) > _LONG:
            half = len(args) // 2
            return self._emit(op, (self._chain(op, args[:half]), self._chain(op, args[half:])))
        node = args[0]
        for arg in args[1:]:
            node = self._emit(op, (node, arg))
        return node

    def _data(self, tree: Tree) -> object:
        match tree["op"]:
            case "pow":
                return int(tree["exponent"])
            case "ceil" | "floor":
                return from_text(tree["step"])
            case "kernel":
                return KernelCall(tree["function"], tuple(map(from_json, tree["static"])))
            case "effective":
                return ""
            case _:
                return None

    def _assumed(self, tree: Tree) -> int:
        nominal = self.write(tree["args"][0])
        ends = [OPEN if tree[end] is None else self.write(tree[end]) for end in ("low", "high")]
        return self._emit("source", (nominal, *ends), SourceInfo(tree["source"], "assume", NOWHERE))

    def _search(self, tree: Tree) -> int:
        low, high = self.write(tree["low"]), self.write(tree["high"])
        name = tree["variable"]
        variable = self._emit("variable", (), ("searched", next(self._fresh)))
        self._variables.setdefault(name, []).append(variable)
        condition = self.write(tree["condition"])
        self._variables[name].pop()
        nodes = _between(self.tape, variable, condition)
        body = SearchBody(tree["which"], variable, condition, nodes, from_text(tree["step"]))
        return self._emit("search", (low, high), body)


def _between(tape: Tape, variable: int, condition: int) -> tuple[int, ...]:
    """The nodes from a variable to a condition; they all stand after it on the tape."""
    found = {variable}
    for node in range(variable + 1, condition + 1):
        if not found.isdisjoint(arguments(tape, node)):
            found.add(node)
    return tuple(sorted(found))
