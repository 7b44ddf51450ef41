"""Room for deep recursion: what a function does is untouched, and no call maps memory anew."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from capwright.base.frames import with_room

DEPTHS = 600
CALLS = 400


def test_a_function_does_what_it_did() -> None:
    factor = 3

    @with_room
    def scaled(number: int, *, by: int = 2) -> int:
        """Documented."""
        return number * by * factor

    assert scaled(5) == 30
    assert scaled(5, by=1) == 15
    assert scaled.__doc__ == "Documented."
    assert scaled.__name__ == "scaled"


def _leaf(depth: int) -> int:
    return depth


def _to_and_fro(depth: int) -> int:
    """Many calls from each of many depths: wherever the edge of a chunk lies, some cross it."""
    found = sum([_leaf(depth) for _ in range(CALLS)])
    return found + _to_and_fro(depth - 1) if depth else found


def _pages(work: Callable[[], object]) -> int:
    resource = pytest.importorskip("resource")
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    work()
    return int(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)


def test_calls_to_and_fro_map_no_memory() -> None:
    roomy = with_room(lambda: _to_and_fro(DEPTHS))
    roomy()  # what is touched for the first time is mapped once
    assert _pages(roomy) < CALLS // 2
