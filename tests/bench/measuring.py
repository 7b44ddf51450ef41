"""Measuring one command, and one function, often enough to take a median."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from statistics import median

from tests.support.processes import surroundings


@dataclass(frozen=True)
class Measured:
    """Median and worst wall time in seconds, and peak resident memory in MB."""

    seconds: float
    worst: float
    megabytes: float


_LAUNCHER = """
import os, sys, time
start = time.perf_counter()
devnull = [(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)]
child = os.posix_spawn(sys.executable, [sys.executable, *sys.argv[1:]], os.environ, file_actions=devnull)
_, status, usage = os.wait4(child, 0)
print(time.perf_counter() - start, usage.ru_maxrss, os.waitstatus_to_exitcode(status))
"""
"""A child is charged with the peak of whoever starts it: this one is small."""


def command(words: list[str], repeat: int) -> Measured:
    """Run `capwright WORDS` in fresh processes, after one that is not counted; it must end with 0 or 1."""
    times, peak = [], 0
    for number in range(-1, repeat):
        launched = [sys.executable, "-c", _LAUNCHER, "-m", "capwright.cli", *words]
        done = subprocess.run(launched, env=surroundings(), stdout=subprocess.PIPE, text=True, check=True)
        seconds, size, code = done.stdout.split()
        if int(code) not in {0, 1}:
            raise RuntimeError(f"capwright {' '.join(words)} could not run")
        if number >= 0:
            times.append(float(seconds))
        peak = max(peak, int(size))
    return Measured(median(times), max(times), peak / 1024)


def function(run: Callable[[int], object], repeat: int) -> Measured:
    """Call `run(0)`, `run(1)`, … in this process, after a first call that is not counted."""
    run(-1)
    times = []
    for number in range(repeat):
        start = time.perf_counter()
        run(number)
        times.append(time.perf_counter() - start)
    return Measured(median(times), max(times), 0)
