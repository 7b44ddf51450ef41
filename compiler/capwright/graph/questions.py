"""Questions people ask of the dependency graph: why, impact, slices, paths, cycles.

Edges lead from a quantity to what it is computed from, as in `Mapping[address, addresses]`. networkx takes
long to import and no check needs it, so it is imported where a question is asked.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING

from msgspec import Struct

if TYPE_CHECKING:
    from networkx import DiGraph

Edges = Mapping[str, Iterable[str]]


class Slice(Struct, frozen=True):
    """A part of the graph small enough to draw: addresses nearest first, the edges between them, and how many
    reachable addresses were left out."""

    addresses: tuple[str, ...]
    edges: tuple[tuple[str, str], ...]
    left_out: int


def digraph(edges: Edges) -> DiGraph[str]:
    """The graph whose edges lead from each address to what it depends on."""
    import networkx as nx

    graph: DiGraph[str] = nx.DiGraph()
    graph.add_nodes_from(edges)
    graph.add_edges_from((user, used) for user, targets in edges.items() for used in targets)
    return graph


def dependencies(graph: DiGraph[str], address: str, depth: int | None = None) -> tuple[str, ...]:
    """What `address` is computed from, nearest first, to `depth` steps; without `depth`, all of it."""
    return tuple(_nearest_first(graph.successors, address, depth))


def dependents(graph: DiGraph[str], address: str, depth: int | None = None) -> tuple[str, ...]:
    """What a change of `address` may change, nearest first."""
    return tuple(_nearest_first(graph.predecessors, address, depth))


def _nearest_first(
    neighbours: Callable[[str], Iterable[str]], start: str, depth: int | None
) -> Iterable[str]:
    seen = {start}
    waiting = deque([(start, 0)])
    while waiting:
        here, steps = waiting.popleft()
        if depth is not None and steps >= depth:
            continue
        for other in neighbours(here):
            if other not in seen:
                seen.add(other)
                yield other
                waiting.append((other, steps + 1))


def sliced(graph: DiGraph[str], addresses: Iterable[str], limit: int) -> Slice:
    """The graph below `addresses`, cut to the `limit` addresses nearest to them."""
    roots = tuple(dict.fromkeys(addresses))
    distance: dict[str, int] = dict.fromkeys(roots, 0)
    waiting = deque(roots)
    while waiting:
        here = waiting.popleft()
        for other in graph.successors(here):
            if other not in distance:
                distance[other] = distance[here] + 1
                waiting.append(other)
    kept = tuple(distance)[:limit]
    inside = set(kept)
    edges = tuple((user, used) for user in kept for used in graph.successors(user) if used in inside)
    return Slice(kept, edges, len(distance) - len(kept))


def path_between(graph: DiGraph[str], start: str, goal: str) -> tuple[str, ...] | None:
    """A shortest chain from `start` down to `goal`, both included, or None where there is none."""
    import networkx as nx

    try:
        return tuple(nx.shortest_path(graph, start, goal))
    except nx.NetworkXNoPath:
        return None


def cycles(graph: DiGraph[str]) -> tuple[tuple[str, ...], ...]:
    """One cycle for every knot of addresses that depend on each other, beginning at its first address."""
    import networkx as nx

    knots = [knot for knot in nx.strongly_connected_components(graph) if _is_knot(graph, knot)]
    return tuple(sorted(_one_cycle(graph, knot) for knot in knots))


def _is_knot(graph: DiGraph[str], knot: set[str]) -> bool:
    first = next(iter(knot))
    return len(knot) > 1 or graph.has_edge(first, first)


def _one_cycle(graph: DiGraph[str], knot: set[str]) -> tuple[str, ...]:
    first = min(knot)
    chains = [path_between(graph, after, first) for after in sorted(graph.successors(first)) if after in knot]
    chain = min((chain for chain in chains if chain is not None), key=len)
    return (first, *chain[:-1])
