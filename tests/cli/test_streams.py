"""Terminals, pipes, signals, and what a cold start imports."""

from __future__ import annotations

import os
import pty
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

from capwright import cli
from capwright.commands.refusal import CannotRun
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


def test_who_takes_no_output_is_still_told_why_a_command_could_not_run(monkeypatch, capsys):
    def run(_: object) -> int:
        print("something to begin with")
        raise CannotRun("CW0701", "cannot write", "write elsewhere")

    def nothing(_: object) -> None:
        pass

    command = SimpleNamespace(EPILOG="", add_arguments=nothing, run=run)
    monkeypatch.setattr(cli, "import_module", lambda _: command)
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "w") as nobody:
        monkeypatch.setattr(sys, "stdout", nobody)
        assert cli.main(["check"]) == 2
    assert capsys.readouterr().err == "capwright: [CW0701] cannot write\n  help: write elsewhere\n"


def test_an_interrupt_is_quiet(plan):
    plan.write_text("use std\n" + "".join(f"q{n} : byte = q{n + 1} * 2 + {n} GiB\n" for n in range(30_000)))
    child = subprocess.Popen(
        [sys.executable, "-m", "capwright.cli", "check", "a.plan"],
        cwd=plan.parent,
        env=surroundings(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        # Whoever runs tests in the background has told them to ignore interrupts, and a child would inherit that.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),  # noqa: PLW1509 (no threads)
    )
    time.sleep(1.0)
    child.send_signal(signal.SIGINT)
    told = child.communicate(timeout=30)
    assert child.returncode == 130
    assert told == ("", "")


def test_an_interrupt_while_a_command_is_loaded_is_quiet(monkeypatch, capsys):
    def interrupted(_: str) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(cli, "import_module", interrupted)
    assert cli.main(["check", "a.plan"]) == cli.INTERRUPTED
    assert capsys.readouterr() == ("", "")


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
    made = "from capwright.building import write_built; write_built()"
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


LLAMA = """{"architectures": ["LlamaForCausalLM"], "model_type": "llama", "hidden_size": 1024, "vocab_size": 1000,
"intermediate_size": 4096, "num_hidden_layers": 10, "num_attention_heads": 16, "num_key_value_heads": 4,
"max_position_embeddings": 8192, "torch_dtype": "bfloat16"}"""
WRITERS = (
    ("import", "config.json"),
    ("new", "config.json", "--device", "h100_sxm"),
    ("diff", "a.plan", "a.plan", "--format", "json"),
)


@pytest.mark.parametrize("words", WRITERS, ids=lambda words: words[0])
def test_the_standard_output_may_be_named(words, plan):
    (plan.parent / "config.json").write_text(LLAMA)
    printed = run(*words, cwd=plan.parent)
    named = run(*words, "-o", "/dev/stdout", cwd=plan.parent)
    assert (named.code, named.out, named.err) == (0, printed.out, printed.err)
    assert printed.out


@pytest.mark.parametrize("words", WRITERS, ids=lambda words: words[0])
def test_the_standard_output_may_be_a_file_that_goes_on(words, plan):
    (plan.parent / "config.json").write_text(LLAMA)
    printed = run(*words, cwd=plan.parent).out
    log = plan.parent / "log"
    log.write_text("before\n")
    with log.open("a") as appended:
        subprocess.run(
            [sys.executable, "-m", "capwright.cli", *words, "-o", "/dev/stdout"],
            cwd=plan.parent,
            env=surroundings(),
            stdout=appended,
            check=True,
        )
        appended.write("after\n")
    assert log.read_text() == f"before\n{printed}after\n"


def test_a_named_pipe_gets_the_plan_and_stays(plan):
    (plan.parent / "config.json").write_text(LLAMA)
    pipe = plan.parent / "pipe"
    os.mkfifo(pipe)
    printed = run("new", "config.json", "--device", "h100_sxm", cwd=plan.parent).out
    with subprocess.Popen(["cat", "pipe"], cwd=plan.parent, stdout=subprocess.PIPE, text=True) as reader:
        alarm = threading.Timer(30, reader.kill)
        alarm.start()
        ended = run("new", "config.json", "--device", "h100_sxm", "-o", "pipe", cwd=plan.parent)
        assert (ended.code, reader.communicate()[0]) == (0, printed)
        alarm.cancel()
    assert pipe.is_fifo()


@pytest.mark.parametrize("closed", ["1", "2"])
def test_a_closed_stream_is_nothing_to_fail_at(plan, closed):
    words = f"{sys.executable} -m capwright.cli check a.plan {closed}>&-"
    done = subprocess.run(
        ["sh", "-c", words], cwd=plan.parent, env=surroundings(), capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert "CW0719" not in done.stdout + done.stderr
