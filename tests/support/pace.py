"""Limits of time: told in seconds of an idle machine of today, and asked of the one that runs the tests at the pace it has.

Machines of one sort differ by a factor of two and more with what else they do, and a limit that is far enough for all of
them lets through what is too slow by as much.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

_AT_REST: Final = 0.012
"""The least processor time, in seconds, that `_work` was measured to take on the machine of the bench's table: two cores at
2.4 GHz, CPython 3.11. What is slower than that is at work with something else too."""


def _work() -> float:
    """Seconds of processor time of a fixed piece of Python: what the compiler does, names, small numbers and short texts."""
    begun = time.process_time()
    held: dict[str, int] = {}
    for number in range(40_000):
        name = f"q{number % 997}"
        held[name] = held.get(name, 1) * 3 % 65_537 + len(name)
    return time.process_time() - begun


def demand_soon(taken: float, seconds: float) -> None:
    """What took `taken` seconds of processor time may take `seconds` of an idle machine, twice that where tests share its
    cores, and more only on a machine that is slower by as much."""
    if taken > 2 * seconds:
        limit = 2 * seconds * max(1.0, sorted(_work() for _ in range(5))[2] / _AT_REST)
        assert taken < limit, f"{taken:.2f} s, where {limit:.2f} s are allowed"


@contextmanager
def within(seconds: float) -> Iterator[None]:
    """The block takes no longer than `demand_soon` says."""
    begun = time.process_time()
    yield
    demand_soon(time.process_time() - begun, seconds)
