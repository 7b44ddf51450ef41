"""`explain`: one quantity traced, a name of the library or the plan told, or a diagnostic code at length."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterator
from typing import Final

from capwright import codes
from capwright.base.diagnostic import near_or
from capwright.commands.opened_plan import Opened, add_overrides, open_plan, overrides, print_findings
from capwright.commands.refusal import CannotRun
from capwright.commands.terminal import columns_of, style_of
from capwright.render.terminal.style import Style

EPILOG: Final = """\
examples:
  capwright explain fleet.plan prod.memory.pool
  capwright explain fleet.plan prod.memory.pool --dependents
  capwright explain fleet.plan prod.memory.pool --why prod.sharding.tensor
  capwright explain fleet.plan engine              the fields of an entity, and the formulas that a variant must write
  capwright explain fleet.plan prod                the fields of a thing, of an option those that differ; likewise of the library
  capwright explain fleet.plan loaded_ttft         what a measurement of a kind must state
  capwright explain fleet.plan not_a_fit_guarantee   what a caveat says, where it enters, what takes it off
  capwright explain measure                        the form of a statement, and what it says
  capwright explain block_sparse                   the arguments of a function of the language, with their units
  capwright explain CW0301"""
DEPTH: Final = 3


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `explain`."""
    parser.usage = "capwright explain [options] PLAN ADDRESS | PLAN NAME | WORD | CODE"
    parser.add_argument(
        "subject",
        metavar="PLAN | WORD | CODE",
        help="a plan file, a function or a word of the language, or a code such as CW0301",
    )
    parser.add_argument(
        "address",
        metavar="ADDRESS",
        nargs="?",
        help="the quantity to trace, or the name of an entity, a thing, a formula, a kind or a caveat",
    )
    parser.add_argument(
        "--depth",
        metavar="N",
        type=_depth,
        default=DEPTH,
        help="levels to follow (default: %(default)s; 0: all)",
    )
    parser.add_argument("--dependents", action="store_true", help="what depends on the quantity instead")
    parser.add_argument(
        "--why",
        metavar="OTHER",
        help="the shortest chain from the quantity down to another that it depends on",
    )
    add_overrides(parser)
    parser.set_defaults(usage_error=parser.error)


def _depth(word: str) -> int:
    """A number of levels; argparse tells of any other word."""
    if not word.isdecimal():
        raise argparse.ArgumentTypeError(f"`{word}` is no number of levels: write 0 for all, or 1, 2, 3 …")
    return int(word)


def run(arguments: argparse.Namespace) -> int:
    """Print the page of a code, or a quantity's tree."""
    if arguments.address is None:
        if said := _built_in(arguments.subject, style_of(sys.stdout), columns_of(sys.stdout)):
            sys.stdout.write(said)
            return 0
        if re.fullmatch(r"(?i)cw\d+", arguments.subject) is None:
            arguments.usage_error(
                "explain takes a plan and an address, or one word or function of the language, or one code"
            )
        return _code(arguments.subject.upper())
    return _quantity(arguments)


def _code(code: str) -> int:
    from capwright.render.terminal.code_page import code_page

    page = codes.page(code)
    if page is None:
        raise CannotRun(
            "CW0704",
            f"there is no code `{code}`",
            near_or(code, codes.known(), "a message has its code in brackets: `error[CW0301]`"),
        )
    sys.stdout.write(code_page(page, style_of(sys.stdout), columns_of(sys.stdout)))
    return 0


def _quantity(arguments: argparse.Namespace) -> int:
    from capwright.commands.addresses import has_quantity, quantity_at
    from capwright.render.terminal.explain import (
        dependants,
        explain,
        explain_measurement,
        why,
    )

    opened = open_plan(arguments.subject, overrides(arguments))
    print_findings(opened)
    if opened.document is not None:
        style, wide = style_of(sys.stdout), columns_of(sys.stdout)
        asked = arguments.address
        # What is declared has neither causes nor dependents: its quantities have.
        chain = arguments.why is not None or arguments.dependents
        told = [] if chain else list(_declarations(asked, opened, style, wide))
        if told and not has_quantity(asked, opened.document):
            sys.stdout.write("\n".join(told))
            return opened.read_code()
        measured = {one.address: one.of for one in opened.document.measurements}
        if asked in measured and not chain:
            sys.stdout.write(explain_measurement(opened.document, asked, style, wide))
            return opened.read_code()
        asked = measured.get(asked, asked)  # what depends on one depends on what it is of
        address = quantity_at(asked, opened.document, opened.names, opened.path).address
        depth = arguments.depth or None
        if arguments.why is not None:
            cause = quantity_at(arguments.why, opened.document, None, opened.path).address
            sys.stdout.write(why(opened.document, address, cause, None, style, wide))
        else:
            tell = dependants if arguments.dependents else explain
            sys.stdout.write("\n".join([tell(opened.document, address, depth, style, wide), *told]))
    return opened.read_code()


def _declarations(name: str, opened: Opened, style: Style, wide: int | None) -> Iterator[str]:
    """All that a name is beside a quantity: an entity, a formula, a kind and a caveat may have one name; a function or a word
    of the language is told where a plan declares nothing of its name."""
    from capwright.document.declarations import declared
    from capwright.document.evidencing import evidencing
    from capwright.render.terminal.declarations import told
    from capwright.render.terminal.explain import explain_caveat

    if opened.names is None or opened.document is None:
        return
    found = declared(name, opened.names, opened.sources, opened.imports)
    for one in found:
        yield told(one, style, wide)
    caveat = next((one for one in opened.document.caveats if one.name == name), None)
    if caveat is not None:
        way = evidencing(opened.document, caveat, opened.names)
        yield explain_caveat(opened.document, name, way, style, wide)
    if not found and caveat is None and (said := _built_in(name, style, wide)):
        yield said


def _built_in(name: str, style: Style, wide: int | None) -> str:
    """What a function or a word of the language itself is; "" where it is none."""
    from capwright.document.built_ins import built_in, word
    from capwright.render.terminal.style import fitted

    if (found := built_in(name)) is not None:
        lines = [style.paint("bold", f"function {found.signature}"), f"  {found.words}"]
    elif (form := word(name)) is not None:
        where = style.paint("dim", f"  grammar/reference.md, section {form.section}")
        lines = [style.paint("bold", form.written), f"  {form.says}", where]
    else:
        return ""
    return "".join(f"{part}\n" for line in lines for part in fitted(line, wide))
