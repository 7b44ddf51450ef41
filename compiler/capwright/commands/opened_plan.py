"""Loading and compiling the plan that a command was given."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping

from msgspec import Struct

from capwright.base.diagnostic import Diagnostic
from capwright.base.source import Source
from capwright.check.declared import Scope
from capwright.commands.refusal import CannotRun
from capwright.commands.terminal import columns_of, style_of
from capwright.commands.withheld_messages import secretive
from capwright.compiling import compile_plan
from capwright.document.outcome import Findings, findings_of
from capwright.document.plandoc import PlanDoc
from capwright.loading import load, tool_sha256
from capwright.render.diagnostics import human
from capwright.syntax.tree import Module

Overrides = tuple[tuple[str, str], ...]


class Opened(Struct, frozen=True):
    """A compiled plan. `document` is None where there are errors; `unread` says that there was no plan to read.

    `names` are those that the plan's file sees; None where there was none to read, and for a brief one, which goes from
    one process to another. `imports` are what readers made of files.
    """

    path: str
    document: PlanDoc | None
    diagnostics: tuple[Diagnostic, ...]
    sources: Mapping[str, Source]
    unread: bool = False
    names: Scope | None = None
    imports: Mapping[tuple[str, ...], Module] = {}

    def read_code(self) -> int:
        """For commands that only read numbers: 0 where there are sound ones, whatever is required of them;
        1 where errors left none, 2 where the plan itself could not be read."""
        return 2 if self.unread else int(self.document is None)

    def exit_code(self, *, strict: bool = False) -> int:
        """0 clean, 1 findings, 2 where the plan itself could not be read."""
        if self.unread:
            return 2
        if self.document is None or any(one.severity == "error" for one in self.diagnostics):
            return 1
        return int(bool(self.findings(strict=strict)))

    def findings(self, *, strict: bool = False) -> Findings:
        """What of a plan without errors is a finding."""
        verdicts = self.document.verdicts if self.document is not None else ()
        measurements = self.document.measurements if self.document is not None else ()
        return findings_of(verdicts, measurements, strict=strict)


def open_plan(
    path: str,
    overrides: Overrides,
    texts: Mapping[str, str] | None = None,
    *,
    hashed: bool = False,
    brief: bool = False,
) -> Opened:
    """Compile the plan at `path`, the user's own word; `texts` as in `load`.

    A document that is to be kept carries the hash of the tool, which takes a moment: `hashed`. Where verdicts are
    all that is asked for, a `brief` document is enough; what of it is confidential only the whole one says, which is
    written where a file of the plan has that word.
    """
    loaded = load(path, texts=texts)
    if not loaded.main:
        # What is there and is no plan is a finding; what is not there, or not to be read, could not run.
        unread = all(one.code not in {"CW0156", "CW0157", "CW0161", "CW0162"} for one in loaded.diagnostics)
        return Opened(path, None, loaded.diagnostics, loaded.sources, unread)
    compiled = compile_plan(loaded, overrides, tool_sha256=tool_sha256() if hashed else "")
    short = brief and not secretive(loaded.sources)
    document = None if compiled.failed else compiled.brief if short else compiled.document
    names = compiled.judged.expansion.ctx.program.main if not brief else None
    return Opened(
        path,
        document,
        compiled.diagnostics,
        compiled.sources,
        names=names,
        imports=loaded.imports if names else {},
    )


def print_findings(opened: Opened) -> None:
    """Say on standard error what is wrong with a plan, for commands whose output is something else."""
    if opened.diagnostics:
        print(
            human(opened.diagnostics, opened.sources, style_of(sys.stderr), wide=columns_of(sys.stderr)),
            file=sys.stderr,
        )


def add_overrides(parser: argparse.ArgumentParser) -> None:
    """Give a command its `--set`."""
    parser.add_argument(
        "--set",
        dest="overrides",
        metavar="ADDRESS=VALUE",
        action="append",
        default=[],
        help="compile with another value at an address, written as in a plan; may be repeated",
    )


def overrides(arguments: argparse.Namespace) -> Overrides:
    """The `--set` words as pairs; raises `CannotRun` (CW0700)."""
    pairs = []
    for word in arguments.overrides:
        address, equals, value = word.partition("=")
        if not (equals and address.strip() and value.strip()):
            raise CannotRun(
                "CW0700", f"`--set {word}` has no address and value", "write `--set 'ADDRESS=VALUE'`"
            )
        pairs.append((address.strip(), value.strip()))
    return tuple(pairs)
