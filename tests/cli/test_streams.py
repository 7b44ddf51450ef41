"""Terminals, pipes, signals, and what a cold start imports."""

from __future__ import annotations

import os
import pty
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.cli.running import run
from tests.support.processes import surroundings

PLAN = 'use std\na : byte = 3 GiB\nrequire a <= 1 GiB "fits"\nreport a\n'
ESCAPE = "\x1b["


@pytest.fixture
def plan(tmp_path: Path) -> Path:
    path = tmp_path / "a.plan"
    path.write_text(PLAN)
    return path


def on_a_terminal(plan: Path, **environment: str) -> str:
    """What `check` writes to a terminal."""
    ours, theirs = pty.openpty()
    kept = {name: value for name, value in surroundings(TERM="xterm").items() if name != "NO_COLOR"}
    child = subprocess.Popen(
        [sys.executable, "-m", "capwright.cli", "check", plan.name],
        cwd=plan.parent,
        env={**kept, **environment},
        stdout=theirs,
        stderr=theirs,
    )
    os.close(theirs)
    told = b""
    while True:
        try:
            part = os.read(ours, 4096)
        except OSError:  # the other end is closed
            break
        if not part:
            break
        told += part
    child.wait()
    os.close(ours)
    return told.decode()


def test_colour_on_a_terminal_only(plan):
    assert ESCAPE in on_a_terminal(plan)
    assert ESCAPE not in on_a_terminal(plan, NO_COLOR="1")
    assert ESCAPE not in on_a_terminal(plan, TERM="dumb")
    assert ESCAPE not in run("check", plan.name, cwd=plan.parent).out


def test_an_ascii_terminal_is_written_to(plan):
    ended = run("check", plan.name, cwd=plan.parent, PYTHONIOENCODING="ascii")
    assert ended.code == 1
    assert ended.err == ""


def test_a_closed_pipe_is_quiet(plan):
    child = subprocess.Popen(
        [sys.executable, "-m", "capwright.cli", "check", "a.plan"],
        cwd=plan.parent,
        env=surroundings(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert child.stdout is not None
    assert child.stderr is not None
    child.stdout.close()
    with child.stderr as err:
        assert err.read() == ""
    assert child.wait() == 141


def test_an_interrupt_is_quiet(plan):
    plan.write_text("use std\n" + "".join(f"q{n} : byte = q{n + 1} * 2 + {n} GiB\n" for n in range(30_000)))
    child = subprocess.Popen(
        [sys.executable, "-m", "capwright.cli", "check", "a.plan"],
        cwd=plan.parent,
        env=surroundings(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    time.sleep(1.0)
    child.send_signal(signal.SIGINT)
    told = child.communicate(timeout=30)
    assert child.returncode == 130
    assert told == ("", "")


def test_a_full_disk_is_said(plan):
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "capwright.cli", "check", "a.plan"],
            cwd=plan.parent,
            env=surroundings(),
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert done.returncode == 2
    assert "CW0701" in done.stderr
    assert "Traceback" not in done.stderr


HEAVY = ("networkx", "jsonschema", "jinja2", "markupsafe", "lark", "asyncio", "importlib.metadata")


@pytest.mark.parametrize("format", ["human", "github", "json"])
def test_a_check_imports_nothing_heavy(plan, format):
    program = (
        "import sys\nfrom capwright.cli import main\n"
        f"code = main(['check', 'a.plan', '--format', '{format}'])\n"
        f"print(code, [name for name in {HEAVY!r} if name in sys.modules], file=sys.stderr)\n"
    )
    # The tables that a build leaves are there in every installation; here they are made first.
    made = "from capwright.loading.building import write_built; write_built()"
    environment = surroundings()
    subprocess.run([sys.executable, "-c", made], env=environment, check=True)
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=plan.parent,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stderr == "1 []\n"
