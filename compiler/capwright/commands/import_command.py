"""`import`: the description of a model, as its makers publish it, to a plan file."""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path
from typing import Final

from capwright.base.source import Source
from capwright.commands.failing import CannotRun
from capwright.commands.terminal import style_of
from capwright.commands.writing import write_one
from capwright.loading import ReadProblem, decode, read_typed
from capwright.render.diagnostics import human

READER: Final = "config"
EPILOG: Final = """\
example:
  capwright import config.json --name big -o big.plan"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `import`."""
    parser.add_argument("config", metavar="CONFIG", help="the model's config.json")
    parser.add_argument("-o", "--output", metavar="FILE", help="the plan file to write (default: print it)")
    parser.add_argument("--name", help="what the plan calls it (default: after the file)")


def run(arguments: argparse.Namespace) -> int:
    """Write the plan text, or say why there is none."""
    from capwright.importers import READERS

    reader = READERS[READER]
    assert reader.to_plan_text is not None
    path = arguments.config
    try:
        _, data = read_typed(path, reader.cap)
    except ReadProblem as problem:
        raise CannotRun(problem.code, problem.message, problem.help) from None
    # The plan names the file by itself: it is to mean the same on another computer.
    shown = Path(path).name
    text, diagnostics = reader.to_plan_text(data, shown, arguments.name or name_after(path))
    if diagnostics:
        print(human(diagnostics, {shown: _excerpts(shown, data)}, style_of(sys.stderr)), file=sys.stderr)
    if text is None:
        return 1
    if arguments.output is None:
        sys.stdout.write(text)
    else:
        write_one(Path(arguments.output), text.encode())
        print(f"wrote {arguments.output}")
    return int(any(one.severity == "error" for one in diagnostics))


def name_after(path: str) -> str:
    """A name for what a file describes: its own, or its folder's where that says more."""
    stem = re.sub(r"(\.config)?\.json$", "", Path(path).name)
    if stem == "config":
        stem = Path(path).resolve().parent.name
    words = re.sub(r"\W+", "_", stem.lower(), flags=re.ASCII).strip("_")
    return words if words[:1].isalpha() else f"model_{words}".rstrip("_")


def _excerpts(path: str, data: bytes) -> Source:
    try:
        return Source(path, decode(data, path))
    except ReadProblem as problem:
        return Source(path, problem.partial)
