"""`show`: quantities of a plan as a table, JSON or CSV."""

from __future__ import annotations

import argparse
import sys
from typing import Final

from capwright.commands.addresses import asked
from capwright.commands.opened_plan import add_overrides, open_plan, overrides, print_findings
from capwright.commands.refusal import path_word
from capwright.commands.terminal import columns_of, style_of

EPILOG: Final = """\
Without an address: what the plan reports, or all that its file writes if it has no `report`. An address stands for all that lies below it.
On a terminal the table has the columns that fit; a quantity asked for by its own address is told in full.

examples:
  capwright show fleet.plan
  capwright show fleet.plan prod.memory prod.decode --format csv"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `show`."""
    parser.add_argument("plan", metavar="PLAN", type=path_word, help="the plan file")
    parser.add_argument(
        "addresses", metavar="ADDRESS", nargs="*", default=[], help="a quantity, or the beginning of some"
    )
    parser.add_argument("--format", choices=("table", "json", "csv"), default="table", help="default: table")
    parser.add_argument(
        "--exact", action="store_true", help="keep exact values in the table, however long they are"
    )
    add_overrides(parser)


def run(arguments: argparse.Namespace) -> int:
    """Print the quantities."""
    from capwright.render.scaling import readable
    from capwright.render.terminal.options import options_table
    from capwright.render.terminal.quantity_table import show_in_full, show_table
    from capwright.render.terminal.show import asked_for, reported, show_csv, show_json

    opened = open_plan(arguments.plan, overrides(arguments))
    print_findings(opened)
    if opened.document is not None:
        document = readable(opened.document)
        if arguments.addresses:
            quantities = asked(arguments.addresses, document, opened.names, opened.path)
        else:
            quantities = reported(document)
        match arguments.format:
            case "json":
                text = show_json(document, quantities)
            case "csv":
                text = show_csv(document, quantities)
            case _:
                style, wide = style_of(sys.stdout), columns_of(sys.stdout)
                if wide is not None and asked_for(quantities, arguments.addresses):
                    text = show_in_full(document, quantities, style, wide)
                else:
                    text = show_table(document, quantities, style, wide, exact=arguments.exact)
                if document.options and not arguments.addresses:
                    text += f"\n{options_table(document, style, wide)}\n"
        sys.stdout.write(text)
    return opened.read_code()
