"""The command line: which commands there are, and what every one of them has in common."""

from __future__ import annotations

import argparse
import gc
import os
import re
import sys
from collections.abc import Sequence
from importlib import import_module
from itertools import groupby
from typing import Final, NoReturn

from capwright import __version__
from capwright.base.frames import with_room
from capwright.commands.refusal import CannotRun

COMMANDS: Final = {
    "build": "write the report of a plan as Markdown, HTML and JSON",
    "check": "compile plans and say what is wrong, violated or not established",
    "show": "print quantities of a plan as a table, JSON or CSV",
    "explain": "trace one quantity to its sources, or explain a diagnostic code",
    "import": "write a model's config.json as a plan file",
    "new": "write a starter plan for a model, a device and a count",
    "diff": "say what changed between two plans, revisions or options, and why",
    "affected": "list the plans that a change can affect",
    "ci": "check the plans that a change affects, and comment on the pull request",
    "weave": "fill the marked regions of Markdown files with values of plans",
    "fmt": "lay out plan files in the one way",
}
EPILOG: Final = """\
example:
  capwright build fleet.plan -o report

exit codes: 0 clean, 1 findings, 2 could not run. `capwright COMMAND --help` tells more."""

INTERRUPTED: Final = 130
BROKEN_PIPE: Final = 141


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code: 0 clean, 1 findings, 2 could not run."""
    words = list(sys.argv[1:] if argv is None else argv)
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    # A compile allocates much and frees next to nothing; looking for cycles all the while doubles its time.
    collecting = gc.isenabled()
    gc.disable()
    try:
        return _run(words)
    finally:
        if collecting:
            gc.enable()


@with_room
def _run(words: list[str]) -> int:
    try:
        code: int = _answered(words)
    except CannotRun as refusal:
        _end_output()
        return _say(refusal)
    except KeyboardInterrupt:
        _end_output()
        return INTERRUPTED
    except BrokenPipeError:
        _abandon_output()
        return BROKEN_PIPE
    except OSError as error:
        _abandon_output()
        return _say(CannotRun("CW0701", f"the system refused: {error}", "make room, or write elsewhere"))
    except Exception as error:  # noqa: BLE001 - the last resort: a person gets a message, whatever we did wrong
        _end_output()
        return _say(_failure(error))
    return code


def _answered(words: list[str]) -> int:
    """The code of a command, when all that it said has been taken."""
    try:
        arguments = _arguments(words)
        code: int = arguments.run(arguments)
    except SystemExit:  # by which argparse ends the program after a help page
        sys.stdout.flush()
        raise
    sys.stdout.flush()
    return code


def _failure(error: Exception) -> CannotRun:
    """A mistake of the compiler's own, and where it happened."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    place = f"{os.path.basename(trace.tb_frame.f_code.co_filename)}:{trace.tb_lineno}" if trace else "?"
    words = f"{type(error).__name__} at {place}: {error}"
    return CannotRun(
        "CW0719", f"the compiler itself failed ({words[:300]})", "please report it with the plan"
    )


def _say(refusal: CannotRun) -> int:
    from capwright.commands.terminal import columns_of
    from capwright.render.escape import terminal_text
    from capwright.render.terminal.style import fitted

    said, help = terminal_text(refusal.message), terminal_text(refusal.help)
    for line in (f"capwright: [{refusal.code}] {said}", f"  help: {help}"):
        print("\n".join(fitted(line, columns_of(sys.stderr))), file=sys.stderr)
    return 2


def _end_output() -> None:
    """Write what was said before a command ended early. Whether anybody takes it makes no difference to why it ended."""
    try:
        sys.stdout.flush()
    except OSError:
        _abandon_output()


class _Help(argparse.RawDescriptionHelpFormatter):
    """Help in which prose runs on to the width of the terminal, and lines that begin with blanks stay as they are.

    What stands beside an example, after three blanks, goes on below itself.
    """

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        if "\n" not in text and len(text) <= width:
            return indent + text
        from capwright.render.terminal.style import fitted

        lines: list[str] = []
        for is_shown, group in groupby(text.splitlines(), key=lambda line: line[:1] in {"", " "}):
            paragraph = list(group)
            if not is_shown:
                lines += fitted(" ".join(paragraph), width, "")
                continue
            for line in paragraph:
                beside = _BESIDE.match(line)
                column = beside.end() if beside is not None and beside.end() <= width // 3 * 2 else _EXAMPLE
                lines += [line] if beside is None else fitted(line, width, " " * column)
        return "\n".join(f"{indent}{line}".rstrip() for line in lines)


_EXAMPLE: Final = 6
"""The column below an example that leaves no room beside it."""
_BESIDE: Final = re.compile(r" +\S.*? {3,}(?=\S)")


def _abandon_output() -> None:
    """Nobody takes what is left to write, and Python would complain of it once more at its end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _arguments(words: list[str]) -> argparse.Namespace:
    """What the words say: a command and its own words, options and others in any order. Ends the process for help."""
    if not words or words[0] not in COMMANDS:
        overview = _overview()
        overview.parse_args(words)
        overview.error("the command comes first")
    name, *rest = words
    module = import_module(f"capwright.commands.{name}_command")
    summary = COMMANDS[name]
    command = _Parser(
        f"capwright {name}",
        description=f"{summary[0].upper()}{summary[1:]}.",
        epilog=module.EPILOG,
        formatter_class=_Help,
    )
    module.add_arguments(command)
    command.set_defaults(run=module.run)
    arguments = command.parse_intermixed_args(command.marked(rest))
    for key, value in vars(arguments).items():
        setattr(arguments, key, _unmarked(value))
    return arguments


_MARK: Final = "\0"
"""Before a word that opens like an option and is none: no word of a command line can hold it."""


class _Parser(argparse.ArgumentParser):
    """Reading options and other words in any order takes two passes, of which the second knows nothing of a `--`: so the
    words behind it are marked. As POSIX has it, an option takes the next word for its value, a `--` too."""

    def marked(self, words: Sequence[str]) -> list[str]:
        """The words without the `--` that ends the options, those behind it marked, and a `--` that is a value."""
        found: list[str] = []
        waiting = iter(words)
        for word in waiting:
            if word == "--":
                found += [_mark(each) for each in waiting]
                break
            found.append(word)
            if self._takes_next(word) and (value := next(waiting, None)) is not None:
                found.append(_mark(value) if value == "--" else value)
        return found

    def _takes_next(self, word: str) -> bool:
        """Whether a word is an option, maybe cut short, whose value is the next word."""
        known = self._option_string_actions
        near = (
            [word]
            if word in known
            else [name for name in known if word[:2] == "--" and name.startswith(word)]
        )
        return len(near) == 1 and known[near[0]].nargs != 0

    def error(self, message: str) -> NoReturn:
        super().error(message.replace(_MARK, ""))


def _mark(word: str) -> str:
    return _MARK + word if word.startswith("-") else word


def _unmarked(value: object) -> object:
    if isinstance(value, list):
        return [_unmarked(each) for each in value]
    return value.removeprefix(_MARK) if isinstance(value, str) else value


def _overview() -> argparse.ArgumentParser:
    """The parser of words that begin with no command: it tells of all, and refuses what is none."""
    parser = argparse.ArgumentParser(
        "capwright",
        description="Compile capacity plans for long-context serving into reports in which every number is traced.",
        epilog=EPILOG,
        formatter_class=_Help,
    )
    parser.add_argument("--version", action="version", version=f"capwright {__version__}")
    commands = parser.add_subparsers(
        title="commands",
        metavar="COMMAND",
        required=True,
        prog=parser.prog,  # else argparse formats a whole usage to find it out
    )
    for name, summary in COMMANDS.items():
        commands.add_parser(name, help=summary, add_help=False)
    return parser


def run() -> int:
    """The whole process: what it made is needed to its end, so nothing looks through it for garbage there."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # closed by whoever started this
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115 (until the process ends)
    code = main()
    gc.freeze()
    return code


if __name__ == "__main__":
    sys.exit(run())
