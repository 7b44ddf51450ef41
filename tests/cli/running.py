"""Running commands: in this process for speed, or in one of its own for its limits."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from dataclasses import dataclass
from pathlib import Path

from tests.support.processes import ROOT, surroundings

__all__ = ["ROOT", "Ended", "run"]

LIMIT = 30.0
"""Seconds after which a process is ended."""


@dataclass(frozen=True)
class Ended:
    """A finished process: exit code, both outputs, seconds of processor time, and peak memory in MB."""

    code: int
    out: str
    err: str
    seconds: float
    megabytes: float


def run(*words: str, cwd: Path, **environment: str) -> Ended:
    """Run `capwright WORDS` in a process of its own."""
    child = subprocess.Popen(
        [sys.executable, "-m", "capwright.cli", *words],
        cwd=cwd,
        env=surroundings(**environment),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        stdin=subprocess.DEVNULL,
    )
    assert child.stdout is not None
    assert child.stderr is not None
    alarm = threading.Timer(LIMIT, child.kill)
    alarm.start()
    with child.stdout as out, child.stderr as err:
        told = out.read(), err.read()
    alarm.cancel()
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    # What the process itself took: a busy machine must not fail a test.
    seconds = usage.ru_utime + usage.ru_stime
    return Ended(
        child.returncode,
        told[0].decode("utf-8", "replace"),
        told[1].decode("utf-8", "replace"),
        seconds,
        usage.ru_maxrss / 1024,
    )
