"""What decided the shape of a quantity's formula, by address."""

from __future__ import annotations

from typing import Final

from capwright.document.naming import Names
from capwright.graph.context import Context
from capwright.graph.tape import arguments
from capwright.graph.values import Decider, Inst

ANY: Final = "*"
"""Stands in an address for every element of a list: a formula that asks one of them mostly asks all."""


class Deciding:
    """Finds the addresses of what expansion remembered; many formulas are decided by the same things."""

    def __init__(self, ctx: Context, names: Names) -> None:
        self.ctx = ctx
        self.names = names
        self._addresses: dict[Decider, tuple[str, ...]] = {}

    def of(self, node: int) -> tuple[str, ...]:
        """The addresses of the fields, things and numbers that decided the formula of a named node, in order.

        A call without a name of its own, such as one in the condition of a search, stands in that formula.
        """
        tape, named = self.ctx.tape, self.names.of_node
        found: set[str] = set()
        stack, seen = [node], set[int]()
        while stack:
            current = stack.pop()
            if current < 0 or current in seen or (current in named and current != node):
                continue
            seen.add(current)
            for each in self.ctx.decided_nodes.get(current, ()):
                found.update(self._named(each))
            stack.extend(arguments(tape, current))
        return tuple(sorted(found))

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
        """The named numbers nearest to a node."""
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
            else:
                stack.extend(self.ctx.tape.args[current])
        return found


def _address(inst: Inst) -> str:
    if inst.parent is not None and inst.element is None:
        return _address(inst.parent) + inst.address[len(inst.parent.address) :]
    return inst.address if inst.element is None else f"{inst.address.rpartition('.')[0]}.{ANY}"
