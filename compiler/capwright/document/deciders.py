"""What decided the shape of a quantity's formula, what it went through, and what it was called with, by address."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from capwright.base.exact import to_text
from capwright.base.interval import Range
from capwright.document.naming import Names
from capwright.graph.called_formula import said
from capwright.graph.context import Context
from capwright.graph.tape import Constant, arguments
from capwright.graph.values import Decider, Inst, Q, Truth, Value

ANY: Final = "*"
"""Stands in an address for every element of a list: a formula that asks one of them mostly asks all."""


class Deciding:
    """Finds the addresses of what expansion remembered; many formulas are decided by the same things."""

    def __init__(self, ctx: Context, names: Names) -> None:
        self.ctx = ctx
        self.names = names
        self._addresses: dict[Decider, tuple[str, ...]] = {}

    def of(self, node: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The addresses of the fields, things and numbers that decided the formula of a named node, in order; and of
        the fields holding things that it went through.

        A call without a name of its own, such as one in the condition of a search, stands in that formula.
        """
        tape, named = self.ctx.tape, self.names.of_node
        decided, read = self.ctx.decided_nodes.get, self.ctx.read_nodes.get
        found: set[str] = set()
        through: set[str] = set()
        stack, seen = [node], set[int]()
        while stack:
            current = stack.pop()
            if current < 0 or current in seen or (current in named and current != node):
                continue
            seen.add(current)
            for each in decided(current, ()):
                found.update(self._named(each))
            for key in read(current, ()):
                through.update(self._named(key))
            stack += arguments(tape, current) if tape.ops[current] == "search" else tape.args[current]
        return tuple(sorted(found)), tuple(sorted(through))

    def addresses(self, deciders: Iterable[Decider]) -> tuple[str, ...]:
        """The addresses of what something was decided by, in order."""
        return tuple(sorted({name for each in deciders for name in self._named(each)}))

    def given(self, node: int) -> tuple[str | None, ...]:
        """What a call was given: addresses of things and of named numbers, else what is written; None for a number that
        is neither. A copy that has no name goes by what it copies and where."""
        given = self.ctx.given.get(node)
        return () if given is None else tuple(map(self._argument, given))

    def _argument(self, value: Value) -> str | None:
        if type(value) is Inst:
            if not value.unnamed or value.base is None:
                return value.address
            source = self.ctx.sources.get(value.span.file)
            place = value.span.file if source is None else source.place(value.span.start)
            return f"{self._argument(value.base)}#{place}"
        if type(value) is Q or type(value) is Truth:
            name = self.names.of_node.get(value.node)
            data = self.ctx.tape.data[value.node]
            if name is None and isinstance(data, Constant) and not isinstance(data.value, Range):
                return to_text(data.value)
            return name
        return said(value) or None

    def _named(self, decider: Decider) -> tuple[str, ...]:
        found = self._addresses.get(decider)
        if found is None:
            found = self._addresses[decider] = tuple(self._find(decider))
        return found

    def _find(self, decider: Decider) -> list[str]:
        if isinstance(decider, int):
            return self._below(decider)
        if isinstance(decider, Inst):
            return [_address(decider)]
        holder, name = decider
        return [f"{_address(holder)}.{name}" if isinstance(holder, Inst) else holder.prefix + name]

    def _below(self, node: int) -> list[str]:
        """The named numbers nearest to a node, and what decided the nameless calls above them or led through them."""
        found: list[str] = []
        stack, seen = [node], set[int]()
        while stack:
            current = stack.pop()
            if current < 0 or current in seen:
                continue
            seen.add(current)
            name = self.names.of_node.get(current)
            if name is not None:
                found.append(name)
                continue
            for each in (*self.ctx.decided_nodes.get(current, ()), *self.ctx.read_nodes.get(current, ())):
                found.extend(self._named(each))
            stack.extend(self.ctx.tape.args[current])
        return found


def _address(inst: Inst) -> str:
    if inst.parent is not None and inst.element is None:
        return _address(inst.parent) + inst.address[len(inst.parent.address) :]
    return inst.address if inst.element is None else f"{inst.address.rpartition('.')[0]}.{ANY}"
