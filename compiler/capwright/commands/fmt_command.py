"""`fmt`: plan files in the one layout."""

from __future__ import annotations

import argparse
import sys
from typing import Final

from capwright.base.counting import counted, plural
from capwright.base.source import Source
from capwright.commands.plan_files import plan_files
from capwright.commands.refusal import CannotRun, path_word
from capwright.commands.terminal import columns_of, style_of, tell
from capwright.commands.writing import write_one
from capwright.loading import ReadProblem, decode, read_typed
from capwright.render.diagnostics import human
from capwright.syntax.format import format_source

EPILOG: Final = """\
examples:
  capwright fmt fleet.plan
  capwright fmt --check plans      changes nothing; exit code 1 where a file would change"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `fmt`."""
    parser.add_argument(
        "paths", metavar="PATH", type=path_word, nargs="+", help="a plan, or a folder of plans"
    )
    parser.add_argument("--check", action="store_true", help="only say which files would change")


def run(arguments: argparse.Namespace) -> int:
    """Lay out every file; one that does not parse is left as it is."""
    found = plan_files(arguments.paths)
    done = [_one(each.path, check=arguments.check) for each in found]
    alike = done.count(None)
    if alike == len(done):
        print(f"{counted(alike, 'file')} {plural(alike, 'is', 'are')} formatted", file=sys.stderr)
    return max(code or 0 for code in done)


def _one(path: str, *, check: bool) -> int | None:
    """The exit code of one file; None where there is nothing to do."""
    try:
        real, data = read_typed(path)
        source = Source(path, decode(data, path))
    except ReadProblem as problem:
        raise CannotRun(problem.code, problem.message, problem.help) from None
    text, diagnostics = format_source(source)
    if diagnostics:
        print(human(diagnostics, {path: source}, style_of(sys.stdout), wide=columns_of(sys.stdout)))
        return 1
    laid_out = text.encode()
    if laid_out == data:
        return None
    if check:
        tell(f"would change {path}")
        return 1
    write_one(real, laid_out)
    tell(f"changed {path}")
    return 0
