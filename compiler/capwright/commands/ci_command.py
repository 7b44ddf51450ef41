"""`ci`: check the plans that a change affects, and tell the pull request in one comment."""

from __future__ import annotations

import argparse
import os
import re
import sys
from collections.abc import Sequence
from functools import partial
from typing import Final

from capwright.base.diagnostic import Diagnostic
from capwright.base.source import Source
from capwright.commands.base_revision import Change, change_since
from capwright.commands.both_revisions import Examined, below, examine
from capwright.commands.forge_job import Job, job_of
from capwright.commands.parallel import each
from capwright.commands.refusal import CannotRun
from capwright.commands.terminal import columns_of, style_of
from capwright.commands.withheld_messages import secretive
from capwright.loading import read_project

EPILOG: Final = """\
Outside of a pull request --base says what to compare with. Without a pull request or a token it prints what it would
post. The token is read from CAPWRIGHT_TOKEN or
GITHUB_TOKEN; it needs `pull-requests: write`.

examples:
  capwright ci --base main
  capwright ci                       in a workflow of a forge: everything is found in its environment

exit codes: 0 clean, 1 findings, 2 could not run."""
SUMMARY: Final = 1 << 20
"""Bytes of a step's summary that a forge shows."""
_NAME: Final = "plans"
_COMMIT: Final = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `ci`."""
    parser.add_argument(
        "--base",
        metavar="REV",
        help="compare with where this parted from REV (default: the pull request's base; without one it must be given)",
    )
    parser.add_argument(
        "--strict", action="store_true", help="a requirement that is not established is a finding"
    )
    parser.add_argument(
        "--name", default=_NAME, help="keeps the comments of several jobs apart (default: %(default)s)"
    )
    parser.add_argument("--print", action="store_true", help="print the comment, and post nothing")


def run(arguments: argparse.Namespace) -> int:
    """Check, compare, annotate, sum up, comment; the exit code is that of the checks."""
    _demand_name(arguments.name)
    job = job_of(os.environ)
    base = arguments.base or job.base
    if base is None:
        raise CannotRun(
            "CW0796",
            "there is no pull request here to take the base from",
            "say what to compare with: `capwright ci --base main`",
        )
    with change_since(base, ancestor=True) as change:
        strict = arguments.strict or read_project(change.root).strict
        found = each(partial(examine, change, _said(base), strict), change.plans)
        prefix = change.root.relative_to(change.revision.top).as_posix()
        _annotate(job, [below("" if prefix == "." else prefix, one) for one in found])
        _tell(arguments, job, change, found, base)
    return max((one.code for one in found), default=0)


def _demand_name(name: str) -> None:
    if name == _NAME:
        return
    from capwright.forge.comment import is_name

    if not is_name(name):
        raise CannotRun(
            "CW0797",
            f"`{name}` cannot keep comments apart: the mark of a comment does not hold it",
            "take letters, digits, `_`, `.` and single `-`, at most 60, such as `fleet-plans`",
        )


def _said(revision: str) -> str:
    """What a reader calls a revision: its name, or the first digits of a whole commit."""
    return revision[:12] if _COMMIT.fullmatch(revision) else revision


def _annotate(job: Job, found: Sequence[Examined]) -> None:
    """Annotations where a forge reads them, else the messages for a person; each place is told once."""
    from capwright.render.diagnostics import github, human

    diagnostics: dict[Diagnostic, None] = {}
    sources: dict[str, Source] = {}
    for one in found:
        diagnostics.update(dict.fromkeys(one.diagnostics))
        sources.update(one.sources)
    secret = secretive(sources)  # others read a log, as they read annotations
    if job.annotates:
        sys.stdout.write(github(list(diagnostics), sources, secret))
    elif diagnostics:
        style, wide = style_of(sys.stderr), columns_of(sys.stderr)
        print(human(list(diagnostics), sources, style, wide=wide, secret=secret), file=sys.stderr)


def _tell(
    arguments: argparse.Namespace, job: Job, change: Change, found: Sequence[Examined], base: str
) -> None:
    from capwright.render.comment import comment

    changes, said = [one.change for one in found], _said(base)
    if job.summary:
        _sum_up(job, comment(changes, said, _room(job.summary), change.lent))
    if arguments.print or job.pull is None or not job.token or not job.repository:
        sys.stdout.write(comment(changes, said, None, change.lent))
    else:
        _post(arguments.name, job, change, comment(changes, said, lent=change.lent), only_update=not found)


def _room(path: str) -> int:
    """Bytes that are left of a step's summary."""
    try:
        return max(SUMMARY - os.path.getsize(path), 0)
    except OSError:
        return SUMMARY


def _sum_up(job: Job, text: str) -> None:
    try:
        if len(text.encode()) <= _room(job.summary):
            with open(job.summary, "a", encoding="utf-8", errors="backslashreplace") as file:
                file.write(text)
    except OSError as error:
        _warn(job, "CW0701", f"cannot write the step's summary: {error.strerror}")


def _post(name: str, job: Job, change: Change, text: str, *, only_update: bool) -> None:
    """Post the comment. A forge that does not take it is no finding about the plans: that is said, and it is printed.

    Where no plan is affected, nobody needs to be told, unless a comment still tells of an older state: `only_update`.
    """
    from capwright.forge.comment import Run, publish
    from capwright.forge.http import Forge, Refused
    from capwright.loading.revisions import commit_time

    assert job.pull is not None
    head = job.head or "HEAD"
    run = Run(name, job.run, job.attempt, commit_time(change.revision.top, head), job.head)
    try:
        outcome = publish(
            Forge(job.api, job.token), job.repository, job.pull, text, run, only_update=only_update
        )
    except Refused as refusal:
        sys.stdout.write(text)
        _warn(job, refusal.code, f"no comment was written: {refusal.message}; {refusal.help}")
        return
    words = {
        "created": "wrote the comment",
        "updated": "updated the comment",
        "unchanged": "the comment says the same already",
        "none": "no plan is affected, and there is no comment to bring up to date",
        "newer": "a newer run has commented already; its comment stays",
    }
    print(words[outcome])


def _warn(job: Job, code: str, words: str) -> None:
    from capwright.render.escape import annotation_data, terminal_text

    if job.annotates:
        print(f"::warning title={code}::{annotation_data(words)}")
    print(f"capwright: [{code}] {terminal_text(words)}", file=sys.stderr)
