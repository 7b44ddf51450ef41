"""Computing things in the order in which they are asked for, however long the chain.

A plan may be written in any order, and a chain of ten thousand forward references must neither
overflow a stack nor need a prior sort. `Demand` computes by recursion while that is shallow; past
`DEPTH` it unwinds to an explicit stack and goes on from the innermost question. A question met again
while it is being answered is a cycle, and the questions on the way are its path.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Final, Generic, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")

DEPTH: Final = 40


class _Deeper(Exception):
    """Unwind: `args[0]` must be answered first; `args[1]` are the questions that were open on the way."""


class Demand(Generic[K, V]):
    """Answers to questions, each computed once by `compute(key)`.

    `on_cycle(path)` gets the keys from the first to the last question of a cycle and returns the value
    that stands for the broken answer.
    """

    def __init__(self, compute: Callable[[K], V], on_cycle: Callable[[list[K]], V]) -> None:
        self._compute = compute
        self._on_cycle = on_cycle
        self.known: dict[K, V] = {}
        self._open: dict[K, None] = {}
        self._between: dict[K, list[K]] = {}
        """Before a question that waits: the questions that led to it and were unwound."""
        self._depth = 0

    def get(self, key: K) -> V:
        """The answer to `key`."""
        known = self.known
        if key in known:
            return known[key]
        if self._depth >= DEPTH:
            if key in self._open:
                return self._cycle(key)
            raise _Deeper(key, list(self._open))
        if self._depth == 0:
            return self._drive(key)
        return self._answer(key)

    def _drive(self, key: K) -> V:
        waiting = [key]
        while waiting:
            top = waiting[-1]
            if top not in self.known:
                try:
                    self._answer(top)
                except _Deeper as deeper:
                    wanted, opened = deeper.args
                    self._between[wanted] = opened[opened.index(top) + 1 :]
                    for held in waiting:
                        self._open[held] = None
                    waiting.append(wanted)
                    continue
            self._between.pop(waiting.pop(), None)
        return self.known[key]

    def _answer(self, key: K) -> V:
        # A question that was unwound is opened again from the explicit stack, at depth zero.
        if key in self._open and self._depth > 0:
            return self._cycle(key)
        self._open.pop(key, None)
        self._open[key] = None
        self._depth += 1
        try:
            value = self._compute(key)
        finally:
            self._depth -= 1
            self._open.pop(key, None)
        return self.known.setdefault(key, value)

    def _cycle(self, key: K) -> V:
        keys = list(self._open)
        path: list[K] = []
        for step in keys[keys.index(key) :]:
            path += [*(self._between.get(step, ()) if path else ()), step]
        value = self._on_cycle([*path, key])
        self.known[key] = value
        return value
