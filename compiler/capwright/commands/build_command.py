"""`build`: the report of a plan as Markdown, HTML and JSON."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Final

from capwright.commands.opening import add_overrides, open_plan, overrides, print_findings
from capwright.commands.terminal import style_of
from capwright.commands.writing import write_all
from capwright.document.plandoc import PlanDoc

EPILOG: Final = """\
example:
  capwright build fleet.plan -o report     writes report/fleet.md, .html and .json"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `build`."""
    parser.add_argument("plan", metavar="PLAN", help="the plan file")
    parser.add_argument(
        "-o", "--output", metavar="DIR", default="capwright-report", help="default: %(default)s"
    )
    add_overrides(parser)


def run(arguments: argparse.Namespace) -> int:
    """Write the three files, or none where the plan has errors."""
    from capwright.render.terminal.options import options_table
    from capwright.render.terminal.summary import summary

    opened = open_plan(arguments.plan, overrides(arguments), hashed=True)
    print_findings(opened)
    if opened.document is not None:
        written = write_all(Path(arguments.output), rendered(opened.document, Path(arguments.plan).stem))
        sys.stdout.write(summary(opened.document, style_of(sys.stdout)))
        if opened.document.options:
            sys.stdout.write(f"\n{options_table(opened.document, style_of(sys.stdout))}\n")
        for path in written:
            print(f"wrote {path}")
    return opened.exit_code()


def rendered(document: PlanDoc, name: str) -> dict[str, bytes]:
    """The files of a report by name."""
    from capwright.document.codec import to_json
    from capwright.render.html import html
    from capwright.render.markdown import markdown

    return {
        f"{name}.md": markdown(document).encode(),
        f"{name}.html": html(document).encode(),
        f"{name}.json": to_json(document).encode(),
    }
