"""Answers in the order in which they are asked for: long chains, cycles, each question once."""

from __future__ import annotations

import sys
from collections import Counter
from itertools import pairwise

import pytest

from capwright.base.demand import Demand


class Asked:
    """Questions that need others, by name; what was computed how often, and the cycles that were met."""

    def __init__(self, needs: dict[object, list[object]]) -> None:
        self.needs = needs
        self.finished: Counter[object] = Counter()
        self.cycles: list[list[object]] = []
        self.demand: Demand[object, int] = Demand(self.compute, self.broken)

    def compute(self, key: object) -> int:
        value = 1 + sum(self.demand.get(need) for need in self.needs[key])
        self.finished[key] += 1
        return value

    def broken(self, path: list[object]) -> int:
        self.cycles.append(path)
        return 0


def test_a_value_is_computed_once() -> None:
    asked = Asked({"a": ["b", "c"], "b": ["d"], "c": ["d"], "d": []})
    assert asked.demand.get("a") == 5
    assert asked.demand.get("d") == 1
    assert set(asked.finished.values()) == {1}


def test_a_chain_of_twenty_thousand_forward_references() -> None:
    length = 20_000
    asked = Asked({n: [n + 1] if n < length else [] for n in range(length + 1)})
    limit = sys.getrecursionlimit()
    assert asked.demand.get(0) == length + 1
    assert sys.getrecursionlimit() == limit
    assert set(asked.finished.values()) == {1}
    assert not asked.cycles


def test_a_wide_and_deep_graph_is_linear() -> None:
    size = 3_000
    asked = Asked({n: [m for m in (n + 1, n + 2, n + 7) if m < size] for n in range(size)})
    starts: Counter[object] = Counter()

    def counted(key: object) -> int:
        starts[key] += 1
        return max([0, *(demand.get(n) for n in asked.needs[key])]) + 1

    demand: Demand[object, int] = Demand(counted, asked.broken)
    assert demand.get(0) == size
    assert sum(starts.values()) < 10 * size


@pytest.mark.parametrize("length", [1, 2, 3, 39, 40, 41, 42, 100, 1_000])
def test_a_cycle_is_met_once_and_whole(length: int) -> None:
    asked = Asked({n: [(n + 1) % length] for n in range(length)})
    asked.demand.get(0)
    [path] = asked.cycles
    assert path[0] == path[-1]
    assert sorted(path[:-1]) == list(range(length))  # type: ignore[type-var]
    assert all(asked.needs[a] == [b] for a, b in pairwise(path))


@pytest.mark.parametrize("lead", [1, 39, 40, 200])
def test_the_way_to_a_cycle_is_no_part_of_it(lead: int) -> None:
    asked = Asked({n: [n + 1] for n in range(lead)} | {lead: [lead + 1], lead + 1: [lead]})
    asked.demand.get(0)
    [path] = asked.cycles
    assert sorted(set(path)) == [lead, lead + 1]  # type: ignore[type-var]


def test_after_a_cycle_everything_else_has_an_answer() -> None:
    asked = Asked({"a": ["b"], "b": ["a"], "c": ["a", "d"], "d": []})
    assert asked.demand.get("c") >= 2
    assert asked.demand.get("d") == 1
    assert len(asked.cycles) == 1


def test_what_a_computation_raises_comes_through_and_leaves_nothing_open() -> None:
    def compute(key: str) -> int:
        if key == "bad":
            raise ValueError(key)
        return demand.get("bad") if key == "a" else 1

    demand: Demand[str, int] = Demand(compute, lambda path: 0)
    with pytest.raises(ValueError, match="bad"):
        demand.get("a")
    assert demand.get("good") == 1
    with pytest.raises(ValueError, match="bad"):
        demand.get("a")
