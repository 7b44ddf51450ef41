"""On every core: many plans, or parts of one piece of work. Each process starts from what this one has read."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Final, Generic, TypeVar

Work = TypeVar("Work")
Result = TypeVar("Result")

FEW: Final = 6
"""So many plans are sooner done here than processes are started."""
_BATCH: Final = 32
"""Plans a process compiles at most before it ends: what it leaves behind ends with it, so nothing looks for garbage."""


def each(do: Callable[[Work], Result], work: Sequence[Work]) -> list[Result]:
    """`do` of every item, in order. `do` is a function of a module, or a `partial` of one; results are pickled."""
    cores = _cores()
    if len(work) <= FEW or cores < 2:
        return [do(one) for one in work]
    import multiprocessing

    # The first plan brings the library into memory; a fork has it for nothing.
    first, rest = do(work[0]), work[1:]
    sys.stdout.flush()
    sys.stderr.flush()
    size = _even(len(rest), cores)
    batches = [rest[at : at + size] for at in range(0, len(rest), size)]
    context = multiprocessing.get_context("fork")
    with context.Pool(min(cores, len(batches)), maxtasksperchild=1) as pool:
        done = pool.starmap(_batch, [(do, batch) for batch in batches], chunksize=1)
    return [first, *(one for batch in done for one in batch)]


def _even(work: int, cores: int) -> int:
    """The size of batches of which every core gets as many."""
    rounds = -(-work // (cores * _BATCH))
    return -(-work // (cores * rounds))


def spread(do: Callable[[Work], Result], work: Sequence[Work]) -> list[Result]:
    """`do` of a few large items, in order: each core takes its share of them. Results are pickled."""
    shares = [work[at :: min(_cores(), len(work))] for at in range(min(_cores(), len(work)))]
    if len(shares) < 2:
        return [do(one) for one in work]
    sys.stdout.flush()
    sys.stderr.flush()
    others = [_Fork(do, share) for share in shares[1:]]
    done = [[do(one) for one in shares[0]], *(other.results() for other in others)]
    return [done[at % len(done)][at // len(done)] for at in range(len(work))]


class _Fork(Generic[Work, Result]):
    """A fork of this process at its share of the work."""

    def __init__(self, do: Callable[[Work], Result], share: Sequence[Work]) -> None:
        import multiprocessing

        self.do = do
        self.share = share
        context = multiprocessing.get_context("fork")
        self.receiving, self.sending = context.Pipe(duplex=False)
        self.process = context.Process(target=self._run, daemon=True)
        self.process.start()
        self.sending.close()

    def _run(self) -> None:
        self.receiving.close()  # else nobody would notice that the one who asked is gone
        with suppress(Exception):
            self.sending.send(_batch(self.do, self.share))

    def results(self) -> list[Result]:
        """What it found. Whatever ended it early goes wrong here once more, where it is told."""
        try:
            found: list[Result] = self.receiving.recv()
        except (EOFError, OSError):
            found = _batch(self.do, self.share)
        self.process.join()
        return found


def _cores() -> int:
    """How many processes can be of use; 1 where none can be forked."""
    if not hasattr(os, "fork"):
        return 1
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _batch(do: Callable[[Work], Result], batch: Sequence[Work]) -> list[Result]:
    return [do(one) for one in batch]
