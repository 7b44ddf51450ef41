"""From the tape to the evaluable formula trees of a document."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from collections.abc import Set as AbstractSet
from typing import Any

from capwright.base.exact import to_text
from capwright.base.interval import Range
from capwright.base.source import Span
from capwright.document.key_order import in_order
from capwright.document.plandoc import Tree
from capwright.graph.tape import (
    CHAINED,
    BindInfo,
    CallInfo,
    Constant,
    KernelCall,
    SearchBody,
    SourceInfo,
    Tape,
    arguments,
    confidential_nodes,
)


class Trees:
    """Writes the formula below a node; named nodes below it become references.

    `address` gives the address of a `bind` or `call` node, `sources` that of a source by its id on the tape,
    `place` the `file:line` of a span.
    """

    def __init__(
        self,
        tape: Tape,
        address: Callable[[int], str],
        sources: Mapping[str, str],
        place: Callable[[Span], str],
    ) -> None:
        self.tape = tape
        self.address = address
        self.sources = sources
        self.place = place
        self._variables: dict[int, str] = {}
        self._unnamed = {node for node in confidential_nodes(tape) if address(node).startswith("/")}

    def of(self, node: int) -> Tree:
        """The tree of the formula whose result is `node` (a wrapper is looked into)."""
        if self.tape.ops[node] in ("bind", "call"):
            return self.below(self.tape.args[node][0])
        return self.below(node)

    def hides(self, node: int) -> bool:
        """Whether the tree of a node has something confidential written out in it that no quantity stands for."""
        waiting, seen = list(self.tape.args[node]) if self._is_named(node) else [node], set[int]()
        while self._unnamed and waiting:
            current = waiting.pop()
            if current in self._unnamed:
                return True
            if current >= 0 and current not in seen and not self._is_named(current):
                seen.add(current)
                waiting += arguments(self.tape, current)
        return False

    def _is_named(self, node: int) -> bool:
        return self.tape.ops[node] in ("bind", "call") and not self.address(node).startswith("/")

    def below(self, node: int) -> Tree:
        """The tree of a node; named ones are references."""
        tape = self.tape
        op, args, data = tape.ops[node], tape.args[node], tape.data[node]
        if op in ("bind", "call"):
            if self._is_named(node) or not _is_exact(data):
                return {"op": "ref", "address": self.address(node)}
            return self.below(args[0])  # a call that only a requirement makes
        match data:
            case Constant():
                return self._constant(data)
            case KernelCall(function=function, static=static):
                held = [_static(s) for s in static]
                made = [self.below(a) for a in args]
                return {"op": "kernel", "args": made, "function": function, "static": held}
            case SearchBody():
                return self._search(node, data)
            case SourceInfo() if op == "source":
                return self._source(args, data)
            case _:
                return self._plain(node)

    def _plain(self, node: int) -> Tree:
        tape = self.tape
        op, data = tape.ops[node], tape.data[node]
        if op == "variable":
            return {"op": "var", "name": self._variables.get(node, str(data).split("@")[0])}
        tree: dict[str, Any] = {"op": op}
        operands = self._flat(node, op) if op in CHAINED else None
        tree["args"] = [self.below(a) for a in operands or tape.args[node]]
        if op == "pow":
            tree["exponent"] = data
        if op in ("ceil", "floor"):
            tree["step"] = to_text(data)  # type: ignore[arg-type]  # what a rounding has as its data
        return tree

    def _flat(self, node: int, op: str, inside: AbstractSet[int] = frozenset()) -> list[int] | None:
        """The operands of a chain of one operator: a long sum is one sum, not a tower. Names `inside` a search are
        looked through."""
        found: list[int] = []
        stack = [node]
        while stack:
            current = stack.pop()
            here = self.tape.ops[current]
            if here == op or (current in inside and here in ("bind", "call")):
                stack.extend(reversed(self.tape.args[current]))
            else:
                found.append(current)
        return found if len(found) > 2 else None

    def _constant(self, data: Constant) -> Tree:
        value = data.value
        exact = value.nominal if isinstance(value, Range) else value
        return {
            "op": "const",
            "place": self.place(data.span) if data.span.file else "",
            "text": data.text,
            "value": to_text(exact if exact is not None else 0),
        }

    def _source(self, args: tuple[int, ...], data: SourceInfo) -> Tree:
        nominal, low, high = args
        return {
            "op": "assume",
            "args": [self.below(nominal)],
            "high": self.below(high) if high >= 0 else None,
            "low": self.below(low) if low >= 0 else None,
            "source": self.sources.get(data.id, data.id),
        }

    def _search(self, node: int, body: SearchBody) -> Tree:
        low, high = self.tape.args[node]
        name = str(self.tape.data[body.variable]).split("@")[0]
        self._variables[body.variable] = name
        return {
            "op": "search",
            "condition": self._unfolded(body.condition, set(body.nodes)),
            "high": self.below(high),
            "low": self.below(low),
            "step": to_text(body.step),
            "variable": name,
            "which": body.which,
        }

    def _unfolded(self, node: int, inside: set[int]) -> Tree:
        """The condition with the named steps inside it written out: they have no value of their own."""
        if node in inside and self.tape.ops[node] in ("bind", "call"):
            return self._unfolded(self.tape.args[node][0], inside)
        if node not in inside or self.tape.ops[node] == "variable":
            return self.below(node)
        data = self.tape.data[node]
        if isinstance(data, SearchBody | KernelCall | SourceInfo):
            return self._special(node, inside)
        tree: dict[str, Any] = {"op": self.tape.ops[node]}
        operands = self._flat(node, tree["op"], inside) if tree["op"] in CHAINED else None
        tree["args"] = [self._unfolded(a, inside) for a in operands or self.tape.args[node]]
        if tree["op"] == "pow":
            tree["exponent"] = data
        if tree["op"] in ("ceil", "floor"):
            tree["step"] = to_text(data)  # type: ignore[arg-type]  # what a rounding has as its data
        return tree

    def _special(self, node: int, inside: set[int]) -> Tree:
        data = self.tape.data[node]
        if isinstance(data, KernelCall):
            args = [self._unfolded(a, inside) for a in self.tape.args[node]]
            static = [_static(s) for s in data.static]
            return {"op": "kernel", "args": args, "function": data.function, "static": static}
        return self.below(node)


def _is_exact(data: object) -> bool:
    """Whether a named node is what its formula says, and no bound or estimate."""
    return isinstance(data, BindInfo | CallInfo) and data.relation == "="


def _static(value: Any) -> Any:
    """A static argument of a primitive as plain data with its `text`."""
    return in_order({"text": value.text(), **value.json()})
