"""`diff`: what changed between two plans, and which declarations changed it."""

from __future__ import annotations

import argparse
import itertools
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Final

from capwright.base.counting import counted
from capwright.commands.differing import Named, options_compared, plans_compared
from capwright.commands.kept_reports import DIFFERENCE, demand_ours, is_difference, signed
from capwright.commands.refusal import CannotRun, path_word
from capwright.commands.sides import side_of
from capwright.commands.terminal import columns_of, style_of, tell
from capwright.commands.withheld_messages import hint_of_confidential
from capwright.commands.writing import write_all, write_one
from capwright.document.diffdoc import DiffDoc
from capwright.render.escape import terminal_text

EPILOG: Final = """\
A and B are plans, folders of plans, documents that `build` wrote (.json), or any of these as REV:PATH at a revision
of git. With three words the first is a plan, and the others are options of it, or what they are options of; `two`
is enough for `prod@two` where the plan has no other option of that name.
Plans that use a private catalogue are not compared where a side lacks it, nor those that a side cannot read; of folders
the others are.
With --public, confidential numbers and all that derives from them are withheld. A file that is there and that no
comparison wrote, or that was edited since, is not replaced without --force: in a file, text and Markdown end with a line
to know them by.

examples:
  capwright diff main:plans/fleet.plan plans/fleet.plan
  capwright diff fleet.plan prod prod@two
  capwright diff v1.2:plans plans --public --format markdown -o comment.md      for others to read

exit codes: 0 compared, 1 with --exit-code where there are differences or a plan has errors, 2 could not run."""

SUFFIX: Final = {"terminal": ".txt", "markdown": ".md", "html": ".html", "json": ".json"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `diff`."""
    parser.add_argument(
        "a",
        metavar="A",
        type=path_word,
        help="before: a plan, folder, document or REV:PATH; or the plan of two options",
    )
    parser.add_argument("b", metavar="B", type=path_word, help="after; or the first option")
    parser.add_argument("option", metavar="OPTION", nargs="?", help="the second option")
    parser.add_argument("--format", choices=tuple(SUFFIX), default="terminal", help="default: %(default)s")
    parser.add_argument("--facts", action="store_true", help="list the facts that each declaration carries")
    parser.add_argument(
        "--public", action="store_true", help="withhold confidential numbers, and all that derives from them"
    )
    parser.add_argument(
        "--exit-code",
        action="store_true",
        help="exit with 1 where there are differences, or a plan has errors",
    )
    parser.add_argument(
        "-o", "--output", metavar="FILE", type=path_word, help="write there; for folders as HTML, a folder"
    )
    parser.add_argument(
        "--force", action="store_true", help="replace what is there, also what no comparison wrote"
    )


def run(arguments: argparse.Namespace) -> int:
    """Compare and write."""
    found, alone = _compared(arguments)
    _write(arguments, found, alone)
    _warn(found)
    alike = not alone and all(one.diff.alike for one in found)
    return int(arguments.exit_code and not alike)


def _compared(arguments: argparse.Namespace) -> tuple[list[Named], list[str]]:
    public = bool(arguments.public)
    if arguments.option is not None:
        with side_of(arguments.a) as side:
            return [options_compared(side, arguments.b, arguments.option, public=public)], []
    with side_of(arguments.a) as before, side_of(arguments.b) as after:
        if (before.plans is None) != (after.plans is None):
            raise CannotRun(
                "CW0754",
                f"`{before.word}` and `{after.word}` are a folder and a file",
                "compare two plans, or two folders",
            )
        if before.plans is None or after.plans is None:
            return [plans_compared(before, after, "", public=public)], []
        ours = {plan for plan in (*before.plans, *after.plans) if before.has(plan)}
        theirs = {plan for plan in (*before.plans, *after.plans) if after.has(plan)}
        lone = [f"{plan}: only in {before.word}" for plan in sorted(ours - theirs)]
        lone += [f"{plan}: only in {after.word}" for plan in sorted(theirs - ours)]
        found: list[Named] = []
        for plan in sorted(ours & theirs):
            try:
                found.append(plans_compared(before, after, plan, public=public))
            except CannotRun as reason:  # the other plans are compared all the same
                lone.append(f"{plan}: nothing was compared: {reason.message}")
        return found, lone


def _warn(found: list[Named]) -> None:
    """Say what of a comparison is confidential: what stands on a terminal stands in the log of a job, too."""
    hint_of_confidential((name for one in found for name in one.told), "for others, write it with `--public`")


def _write(arguments: argparse.Namespace, found: list[Named], lone: list[str]) -> None:
    many = len(found) != 1 or bool(found[0].plan)
    if arguments.format == "html" and many:
        _pages(arguments, found)
        sys.stdout.write(_lines(lone, "terminal"))
        return
    text = _joined(arguments, found, lone, many)
    if arguments.output is None:
        sys.stdout.write(text)
    else:
        data = text.encode("utf-8", "backslashreplace")
        if arguments.format in ("terminal", "markdown"):
            data = signed(data, markdown=arguments.format == "markdown")
        path = Path(arguments.output)
        write_one(path, data, (arguments.a, arguments.b), replace=arguments.force or is_difference(path))


def _pages(arguments: argparse.Namespace, found: list[Named]) -> None:
    from capwright.render.diff_html import diff_html

    if arguments.output is None:
        raise CannotRun("CW0757", "two folders make several pages", "name a folder for them with `-o`")
    files: dict[str, bytes] = {}
    for one in found:
        name = page = one.plan.removesuffix(".plan").replace("/", ".")
        for number in itertools.count(2):  # `a/b.plan` and `a.b.plan` are two
            if f"{page}.html" not in files:
                break
            page = f"{name}-{number}"
        files[f"{page}.html"] = diff_html(one.diff).encode()
    if not arguments.force:
        demand_ours((Path(arguments.output) / name for name in files), DIFFERENCE)
    for path in write_all(Path(arguments.output), files):
        tell(f"wrote {path}")


def _joined(arguments: argparse.Namespace, found: list[Named], lone: list[str], many: bool) -> str:
    if arguments.format == "json":
        return _json(found, lone, many)
    write = _writer(arguments)
    texts = [write(one.diff) for one in found if not (many and one.diff.alike)]
    same = len(found) - len(texts)
    if many and same:
        texts.append(f"{counted(same, 'plan')} without a difference\n")
    return "\n".join([*texts, *([_lines(lone, arguments.format)] if lone else [])])


def _lines(lone: list[str], form: str) -> str:
    from capwright.render.escape import markdown_code

    if form == "markdown":
        return "".join(f"- {markdown_code(line)}\n" for line in lone)
    return "".join(f"{terminal_text(line)}\n" for line in lone)


def _writer(arguments: argparse.Namespace) -> Callable[[DiffDoc], str]:
    match arguments.format:
        case "markdown":
            from capwright.render.diff_markdown import diff_markdown

            return diff_markdown
        case "html":
            from capwright.render.diff_html import diff_html

            return diff_html
        case _:
            from capwright.render.terminal.diff import diff_text
            from capwright.render.terminal.style import PLAIN

            # A file is for whoever opens it: this terminal says neither its colours nor its width.
            to_file = arguments.output is not None
            style = PLAIN if to_file else style_of(sys.stdout)
            wide = None if to_file else columns_of(sys.stdout)
            return lambda diff: diff_text(diff, style, opened=arguments.facts, wide=wide)


def _json(found: list[Named], lone: list[str], many: bool) -> str:
    from capwright.document.codec import to_json
    from capwright.render.escape import json_for_a_log

    if not many:
        return json_for_a_log(to_json(found[0].diff))
    import json

    diffs = [{"plan": one.plan, "diff": json.loads(to_json(one.diff))} for one in found]
    made = {"format": "capwright/diffs", "version": "1.0", "diffs": diffs, "alone": lone}
    return json_for_a_log(json.dumps(made, indent=1, ensure_ascii=False) + "\n")
