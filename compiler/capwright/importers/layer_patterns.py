"""Which layers of a model are alike, and how a set of layers is written in a plan."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import TypeVar

Mark = TypeVar("Mark")


def classes(layers: Sequence[int], mark: Callable[[int], Mark]) -> list[tuple[Mark, list[int]]]:
    """The layers in sets of one mark each, in the order in which the marks appear."""
    found: dict[Mark, list[int]] = {}
    for layer in layers:
        found.setdefault(mark(layer), []).append(layer)
    return list(found.items())


def pattern(layers: Sequence[int], total: int) -> tuple[int, int, int] | None:
    """`(first, run, every)` such that these are `run` of every `every` layers from layer `first` on.

    None where no such pattern gives them. All layers of a model are `(0, 1, 1)`.
    """
    wanted, first = list(layers), layers[0]
    members = set(wanted)
    run = 1
    while first + run in members:
        run += 1
    if run == total:
        return 0, 1, 1
    every = layers[run] - first if len(layers) > run else max(run + 1, total - first)
    made = [at for at in range(first, total) if (at - first) % every < run]
    return (first, run, every) if made == wanted else None


@lru_cache(maxsize=256)
def placed(layers: tuple[int, ...], total: int) -> str | None:
    """The plan fields that say where these layers lie; None where they are all layers."""
    found = pattern(layers, total)
    if found == (0, 1, 1):
        return None
    if found is not None:
        return "first = {}; run = {}; every = {}".format(*found)
    return f"at = [{', '.join(map(str, layers))}]"
