"""Addresses: which name each node has in a document.

A quantity's address is its binding's. Several bindings over one node share it: the first address in order, those of
copies after what they copy and of options last, is the node's own, the others are aliases. A formula call, and a field
of a copy that an expression made and nobody named, belong to the first binding in address order that reaches them, so their addresses do not depend on the order of
anything else. What only requirements reach is written out in them, unless it is no exact number: that belongs to
`require`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Final

from capwright.base.address import depth_of
from capwright.graph.context import Bound
from capwright.graph.tape import OPEN, BindInfo, CallInfo, SearchBody, Tape
from capwright.graph.values import Inst

REQUIRE: Final = "require"
_LEFT: Final = OPEN - 1


class Names:
    """The addresses of all named nodes of a tape."""

    def __init__(
        self,
        tape: Tape,
        bound: Mapping[str, Bound],
        asked: Iterable[int] = (),
        aside: Callable[[str], bool] = lambda _: False,
    ) -> None:
        """`asked` are the nodes of requirements. What lies `aside` lends a number that it shares with others its name
        last."""
        self.tape = tape
        self._aside = aside
        self.of_node: dict[int, str] = {}
        self.aliases: dict[str, list[str]] = {}
        self.calls: dict[str, list[str]] = {}
        """By binding, and for all requirements together: the addresses of the calls, and of the fields of unnamed
        copies, that belong to it, in reading order."""
        self.bound: dict[str, Bound] = {}
        """What was bound at each address, those in unnamed copies too."""
        self.node_of: dict[str, int] = {}
        self._made = bound
        self._copied = {address: path for address, held in bound.items() if (path := held.inside)}
        for address in sorted(bound.keys() - self._copied.keys(), key=self._rank):
            node = bound[address].value.node
            own = self.of_node.setdefault(node, address)
            if own != address:
                self.aliases.setdefault(own, []).append(address)
            else:
                self.node_of[address] = node
                self.bound[address] = bound[address]
        self._unnamed = self._fields_of_copies()
        self._named_within = self._calls_and_copies()
        for address in sorted(self.node_of, key=self._order):
            self._name_within(address, [self.node_of[address]])
        self._name_within(REQUIRE, asked)

    def _rank(self, address: str) -> tuple[int, int, bool, str]:
        """The order in which numbers are given to addresses, what lies aside behind what does not."""
        depth, copies, _ = self._order(address)
        return depth, copies, self._aside(address), address

    def _order(self, address: str) -> tuple[int, int, str]:
        """The order in which addresses are given out: what a plan declares has its number before any option of it, and
        what is copied before its copies."""
        return depth_of(address), _copies(self._made[address].holder), address

    def _fields_of_copies(self) -> dict[int, str]:
        """By node that no binding names: where it was bound, in the first copy by the name of what was copied."""
        found: dict[int, str] = {}
        for address, _ in sorted(self._copied.items(), key=lambda each: (each[1], each[0])):
            found.setdefault(self._made[address].value.node, address)
        return found

    def _name_within(self, owner: str, nodes: Iterable[int]) -> None:
        taken: dict[str, int] = {}
        for node in self._own(owner, nodes):
            info = self.tape.data[node]
            if isinstance(info, CallInfo):
                base = f"{owner}/{info.formula}" + (f"[{info.element}]" if info.element else "")
            else:
                base = f"{owner}/{self._copied[self._unnamed[node]]}"
            taken[base] = taken.get(base, 0) + 1
            address = base if taken[base] == 1 else f"{base}#{taken[base]}"
            self.of_node[node] = address
            self.node_of[address] = node
            self.calls.setdefault(owner, []).append(address)
            if isinstance(info, BindInfo):
                self.bound[address] = self._made[self._unnamed[node]]

    def _own(self, owner: str, nodes: Iterable[int]) -> list[int]:
        """The calls and unnamed fields below some nodes that no other owner has, in reading order, the innermost first.

        The order of the tape would be that of declarations, and a call would change its name with it.
        """
        found, seen = list[int](), set[int]()
        args, of_node, named_within = self.tape.args, self.of_node, self._named_within
        below = [each for node in nodes for each in (args[node] if owner != REQUIRE else (node,))]
        stack = below[::-1]  # a node to go into, or `_LEFT` less one that all below has been gone into
        while stack:
            current = stack.pop()
            if current <= _LEFT:
                found.append(_LEFT - current)
                continue
            if current < 0 or current in seen or current in of_node:
                continue
            seen.add(current)
            if current in named_within:
                stack.append(_LEFT - current)
            stack.extend(args[current][::-1])
        return [node for node in found if owner != REQUIRE or not self._is_exact(node)]

    def _calls_and_copies(self) -> set[int]:
        """The nodes that are named by what reaches them: calls, and fields of copies that nobody named."""
        data = self.tape.data
        calls = {node for node, held in enumerate(data) if type(held) is CallInfo}
        copies = {node for node in self._unnamed if type(data[node]) is BindInfo}
        return (calls | copies) - _search_bodies(self.tape)

    def _is_exact(self, node: int) -> bool:
        data = self.tape.data[node]
        assert isinstance(data, BindInfo | CallInfo)
        return data.relation == "="

    def __call__(self, node: int) -> str:
        """The address of a named node."""
        return self.of_node.get(node, f"/{node}")


def _copies(holder: Inst | None) -> int:
    """How many times over a thing, or what it is a part of, is a copy."""
    if holder is None:
        return 0
    return _copies(holder.base) + 1 if holder.base is not None else _copies(holder.parent)


def _search_bodies(tape: Tape) -> set[int]:
    """Nodes that stand only inside the body of a search: they have no value, so no address either."""
    return {n for data in tape.data if isinstance(data, SearchBody) for n in data.nodes}
