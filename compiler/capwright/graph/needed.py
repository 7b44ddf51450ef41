"""Which nodes the answers lean on: a fault elsewhere is not worth a message."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from capwright.base.interval import Range, Value
from capwright.graph.tape import SearchBody, Tape


def needed_nodes(tape: Tape, values: Sequence[Value | None], roots: Iterable[int] | None) -> set[int]:
    """The nodes that `roots` lean on through branches that are taken.

    Without `roots`, every named quantity and every node that nothing uses is one.
    """
    waiting = _natural_roots(tape) if roots is None else list(roots)
    needed: set[int] = set()
    while waiting:
        node = waiting.pop()
        if node >= 0 and node not in needed:
            needed.add(node)
            waiting.extend(_direct_needs(tape, values, node))
    return needed


def _natural_roots(tape: Tape) -> list[int]:
    used = {arg for args in tape.args for arg in args}
    return [node for node in range(len(tape)) if node not in used or tape.ops[node] == "bind"]


def _direct_needs(tape: Tape, values: Sequence[Value | None], node: int) -> tuple[int, ...]:
    args, op, data = tape.args[node], tape.ops[node], tape.data[node]
    if op == "if":
        condition = values[args[0]]
        if condition is not None and not isinstance(condition, Range):
            return (args[0], args[1] if condition else args[2])
    if op in ("and", "or"):
        decisive = 0 if op == "and" else 1
        return tuple(arg for arg in args if values[arg] == decisive) or args
    return (*args, *data.nodes) if isinstance(data, SearchBody) else args
