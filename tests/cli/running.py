"""Running commands: in this process for speed, or in one of its own for its limits."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Final

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


_MEASURING: Final = """
import os, subprocess, sys
child = subprocess.Popen(sys.argv[2:], stdin=subprocess.DEVNULL)
_, status, usage = os.wait4(child.pid, 0)
told = os.waitstatus_to_exitcode(status), usage.ru_utime + usage.ru_stime, usage.ru_maxrss
os.write(int(sys.argv[1]), " ".join(map(str, told)).encode())
"""
"""A small process between: Linux counts to a new process what the one that started it held, and this one's tests hold much."""


def run(*words: str, cwd: Path, **environment: str) -> Ended:
    """Run `capwright WORDS` in a process of its own. Its time is what itself took: a busy machine fails no test."""
    reading, writing = os.pipe()
    child = subprocess.Popen(
        [sys.executable, "-S", "-c", _MEASURING, str(writing), sys.executable, "-m", "capwright.cli", *words],
        cwd=cwd,
        env=surroundings(**environment),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        pass_fds=[writing],
        start_new_session=True,
    )
    os.close(writing)
    alarm = threading.Timer(LIMIT, os.killpg, [child.pid, signal.SIGKILL])
    alarm.start()
    told = child.communicate()
    alarm.cancel()
    with os.fdopen(reading) as measured:
        code, seconds, kilobytes = measured.read().split() or ("-9", "inf", "inf")
    return Ended(
        int(code),
        told[0].decode("utf-8", "replace"),
        told[1].decode("utf-8", "replace"),
        float(seconds),
        float(kilobytes) / 1024,
    )
