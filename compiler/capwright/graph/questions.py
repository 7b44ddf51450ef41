"""Questions people ask of the dependency graph: why one quantity leans on another.

Edges lead from a quantity to what it is computed from, as in `Mapping[address, addresses]`. networkx takes
long to import and no check needs it, so it is imported where a question is asked.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from networkx import DiGraph

Edges = Mapping[str, Iterable[str]]


def digraph(edges: Edges) -> DiGraph[str]:
    """The graph whose edges lead from each address to what it depends on."""
    import networkx as nx

    graph: DiGraph[str] = nx.DiGraph()
    graph.add_nodes_from(edges)
    graph.add_edges_from((user, used) for user, targets in edges.items() for used in targets)
    return graph


def path_between(
    graph: DiGraph[str], start: str, goal: str, idle: Container[str] = ()
) -> tuple[str, ...] | None:
    """A chain from `start` down to `goal`, both included, or None where there is none: of those that lead through the
    fewest addresses of `idle`, a shortest one."""
    import networkx as nx

    longest = len(graph)

    def cost(_user: str, used: str, _edge: Mapping[str, object]) -> int:
        return longest if used in idle else 1

    try:
        return tuple(nx.shortest_path(graph, start, goal, weight=cost))
    except nx.NetworkXNoPath:
        return None
