"""Addresses: which name each node has in a document.

A quantity's address is its binding's. Several bindings over one node share it: the first address in order is
the node's own, the others are aliases; names in an expression's anonymous copy, which nobody wrote, come after
those that somebody did. A formula call belongs to the first binding in address order that
reaches it, so its address does not depend on the order of anything else.
"""

from __future__ import annotations

from collections.abc import Mapping

from capwright.graph.context import Bound
from capwright.graph.tape import CallInfo, SearchBody, Tape


class Names:
    """The addresses of all named nodes of a tape."""

    def __init__(self, tape: Tape, bound: Mapping[str, Bound]) -> None:
        self.tape = tape
        self.of_node: dict[int, str] = {}
        self.aliases: dict[str, list[str]] = {}
        self.calls: dict[str, list[str]] = {}
        """By binding: the addresses of the calls that belong to it, in reading order."""
        self.node_of: dict[str, int] = {}
        for address in sorted(bound, key=lambda each: (_in_anonymous_copy(each, bound), each)):
            node = bound[address].value.node
            own = self.of_node.setdefault(node, address)
            if own != address:
                self.aliases.setdefault(own, []).append(address)
            else:
                self.node_of[address] = node
        self._searched = _search_bodies(tape)
        for address in sorted(self.node_of):
            self._name_calls(address, self.node_of[address])

    def _name_calls(self, owner: str, node: int) -> None:
        taken: dict[str, int] = {}
        for call in self._own_calls(node):
            info = self.tape.data[call]
            assert isinstance(info, CallInfo)
            base = f"{owner}/{info.formula}" + (f"[{info.element}]" if info.element else "")
            taken[base] = taken.get(base, 0) + 1
            address = base if taken[base] == 1 else f"{base}#{taken[base]}"
            self.of_node[call] = address
            self.node_of[address] = call
            self.calls.setdefault(owner, []).append(address)

    def _own_calls(self, node: int) -> list[int]:
        """The calls below a binding that no other one has, in reading order, the innermost first.

        The order of the tape would be that of declarations, and a call would change its name with it.
        """
        tape, found, seen = self.tape, list[int](), set[int]()
        stack = [(each, False) for each in reversed(tape.args[node])]
        while stack:
            current, is_read = stack.pop()
            if is_read:
                found.append(current)
                continue
            if current < 0 or current in seen or tape.ops[current] == "bind" or self._is_named_call(current):
                continue
            seen.add(current)
            if tape.ops[current] == "call" and current not in self._searched:
                stack.append((current, True))
            stack.extend((each, False) for each in reversed(tape.args[current]))
        return found

    def _is_named_call(self, node: int) -> bool:
        return self.tape.ops[node] == "call" and node in self.of_node

    def __call__(self, node: int) -> str:
        """The address of a named node."""
        return self.of_node.get(node, f"/{node}")


def _in_anonymous_copy(address: str, bound: Mapping[str, Bound]) -> bool:
    """Whether an address lies in a copy that an expression made: behind a number, or inside a quantity."""
    owner = address.rpartition(".")[0]
    return "#" in owner or owner in bound


def _search_bodies(tape: Tape) -> set[int]:
    """Nodes that stand only inside the body of a search: they have no value, so no address either."""
    return {n for data in tape.data if isinstance(data, SearchBody) for n in data.nodes}
