"""`affected`: the plans that a change since a revision can affect."""

from __future__ import annotations

import argparse
import json
import os
import sys
from typing import Final

from msgspec.structs import asdict

from capwright.commands.affected_plans import Affected
from capwright.commands.base_revision import change_since
from capwright.render.escape import terminal_text

EPILOG: Final = """\
A plan is affected if a file that it is made of differs: itself, what it uses, configs, traces, catalogues,
capwright.toml. The files here, committed or not, are compared with the revision.

examples:
  capwright affected main
  capwright affected HEAD~1 --format json"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `affected`."""
    parser.add_argument("revision", metavar="REV", help="a branch, tag or commit")
    parser.add_argument("--format", choices=("human", "json"), default="human", help="default: human")


def run(arguments: argparse.Namespace) -> int:
    """Print one line a plan: how it changed, its path from here, and the files that differ."""
    with change_since(arguments.revision) as change:
        if arguments.format == "json":
            records = [asdict(one) for one in change.plans]
            print(json.dumps({"format": "capwright/affected", "version": "1.0", "plans": records}, indent=2))
        else:
            if not change.plans:
                print(f"no plan is affected since {terminal_text(arguments.revision)}", file=sys.stderr)
            for one in change.plans:
                print(_line(one, os.path.relpath(change.root)))
    return 0


def _line(one: Affected, root: str) -> str:
    path = terminal_text(os.path.normpath(os.path.join(root, one.path)))
    if one.how == "renamed":
        return f"renamed  {path}  (was {terminal_text(one.before or '')})"
    others = [terminal_text(name) for name in one.why if name != one.path]
    return f"{one.how:7}  {path}" + (f"  ({', '.join(others)})" if others else "")
