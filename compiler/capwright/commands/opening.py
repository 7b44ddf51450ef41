"""Loading and compiling the plan that a command was given."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from dataclasses import dataclass

from capwright.base.diagnostic import Diagnostic
from capwright.base.source import Source
from capwright.commands.failing import CannotRun
from capwright.compiling import compile_plan
from capwright.document.plandoc import PlanDoc
from capwright.loading import load

Overrides = tuple[tuple[str, str], ...]

FAILING = ("violated", "contradicted")


@dataclass(frozen=True, slots=True)
class Opened:
    """A compiled plan. `document` is None where errors left nothing to show."""

    path: str
    document: PlanDoc | None
    diagnostics: tuple[Diagnostic, ...]
    sources: Mapping[str, Source]
    unread: bool
    files: frozenset[str]
    """The plan's own files and those it uses, as shown to a reader."""

    def exit_code(self, *, strict: bool = False) -> int:
        """0 clean, 1 findings, 2 where the plan itself could not be read."""
        if self.unread:
            return 2
        severities = {diagnostic.severity for diagnostic in self.diagnostics}
        verdicts = self.document.verdicts if self.document else ()
        statuses = {verdict.status for verdict in verdicts if verdict.verb == "require"}
        if self.document is None or "error" in severities or statuses & set(FAILING):
            return 1
        measured = self.document.measurements
        if any(measurement.comparison == "contradiction" for measurement in measured):
            return 1
        return int(strict and "not established" in statuses)


def open_plan(path: str, overrides: Overrides, texts: Mapping[str, str] | None = None) -> Opened:
    """Compile the plan at `path`, the user's own word; `texts` as in `load`."""
    loaded = load(path, texts=texts)
    files = frozenset(loaded.modules) - loaded.library
    if not loaded.main:
        # What is there but is no plan is a finding; what is not there, or not to be read, could not run.
        unread = all(d.code not in {"CW0156", "CW0157"} for d in loaded.diagnostics)
        return Opened(path, None, loaded.diagnostics, loaded.sources, unread, files)
    compiled = compile_plan(loaded, overrides)
    return Opened(path, compiled.document, compiled.diagnostics, loaded.sources, False, files)


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
                "CW0700", f"`--set {word}` has no address and value", "write `--set ADDRESS=VALUE`, quoted"
            )
        pairs.append((address.strip(), value.strip()))
    return tuple(pairs)
