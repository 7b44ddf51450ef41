"""Many plans at once: on every core, each process starting from what the first one has read."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from typing import Final, TypeVar

Work = TypeVar("Work")
Result = TypeVar("Result")

FEW: Final = 6
"""So many plans are sooner done here than processes are started."""
_BATCH: Final = 8
"""Plans a process compiles before it ends: what it leaves behind ends with it, so nothing looks for garbage."""


def each(do: Callable[[Work], Result], work: Sequence[Work]) -> list[Result]:
    """`do` of every item, in order. `do` is a function of a module, or a `partial` of one; results are pickled."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if len(work) <= FEW or cores < 2 or not hasattr(os, "fork"):
        return [do(one) for one in work]
    import multiprocessing

    # The first plan brings the library into memory; a fork has it for nothing.
    first, rest = do(work[0]), work[1:]
    sys.stdout.flush()
    sys.stderr.flush()
    batches = [rest[at : at + _BATCH] for at in range(0, len(rest), _BATCH)]
    context = multiprocessing.get_context("fork")
    with context.Pool(min(cores, len(batches)), maxtasksperchild=1) as pool:
        done = pool.starmap(_batch, [(do, batch) for batch in batches], chunksize=1)
    return [first, *(one for batch in done for one in batch)]


def _batch(do: Callable[[Work], Result], batch: Sequence[Work]) -> list[Result]:
    return [do(one) for one in batch]
