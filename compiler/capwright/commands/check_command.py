"""`check`: compile plans and say what is wrong, violated or not established."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Iterator
from functools import partial
from typing import Final

from msgspec.structs import replace

from capwright.base.counting import counted, plural
from capwright.base.diagnostic import Diagnostic
from capwright.base.source import Source
from capwright.commands.opened_plan import Opened, Overrides, add_overrides, open_plan, overrides
from capwright.commands.parallel import each
from capwright.commands.plan_files import plans_of
from capwright.commands.projects import plan_paths, project_of
from capwright.commands.refusal import path_word
from capwright.commands.terminal import columns_of, style_of
from capwright.commands.verdict_messages import findings
from capwright.commands.withheld_messages import public, secretive
from capwright.document.outcome import UNWISHED, lacks_proof
from capwright.document.withholding import confidential
from capwright.loading.files import LIBRARY_PREFIX
from capwright.render.diagnostics import as_json, github, human, tally
from capwright.render.terminal.style import fitted
from capwright.render.terminal.summary import of_options, summary
from capwright.render.words import status_counts

VERSION: Final = "1.1"
"""Of what `check` writes as JSON: 1.1 added which verdicts have confidential numbers."""

EPILOG: Final = """\
A folder stands for every plan in and below it that no other plan there uses, or that is used under a name alone
(`use "v3.plan" as d`) and requires, expects or measures something: that is judged in the plan itself.

examples:
  capwright check fleet.plan
  capwright check plans --format github --strict
  capwright check fleet.plan --set 'prod.sharding.tensor=2 devices'

exit codes: 0 clean, 1 findings, 2 could not run."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `check`."""
    parser.add_argument(
        "paths",
        metavar="PATH",
        type=path_word,
        nargs="*",
        help="a plan, or a folder of plans (default: those of capwright.toml)",
    )
    parser.add_argument(
        "--format", choices=("human", "github", "json"), default="human", help="default: human"
    )
    parser.add_argument(
        "--strict", action="store_true", help="a requirement that is not established is a finding"
    )
    add_overrides(parser)


def run(arguments: argparse.Namespace) -> int:
    """Check every plan; the exit code is that of the worst."""
    values = overrides(arguments)
    project, root = project_of(arguments.paths[0] if arguments.paths else ".")
    paths = arguments.paths or plan_paths(project, root)
    strict = arguments.strict or project.strict
    plans = each(partial(_opened, values), plans_of(paths))
    codes = [plan.exit_code(strict=strict) for plan in plans]
    match arguments.format:
        case "json":
            _json(plans, codes, strict=strict)
        case "github":
            _github(plans, strict=strict)
        case _:
            _human(plans, strict=strict)
    return max(codes)


def _opened(values: Overrides, path: str) -> Opened:
    """The plan, with the texts of its own files and of those of the library that a message speaks of: it comes from
    another process."""
    opened = open_plan(path, values, brief=True)
    places = [place for one in opened.diagnostics for place in (one.span, *(note.span for note in one.notes))]
    told = {place.file for place in places if place is not None}
    kept = {
        key: source
        for key, source in opened.sources.items()
        if key in told or not key.startswith(LIBRARY_PREFIX)
    }
    return replace(opened, sources=kept)


def _human(plans: list[Opened], *, strict: bool) -> None:
    style, wide = style_of(sys.stdout), columns_of(sys.stdout)
    told: list[Diagnostic] = []
    for plan, new in _fresh(plans):
        blocks = [human(new, plan.sources, style, wide=wide)] if new else []
        if plan.document:
            verdicts = summary(plan.document, style, strict=strict, wide=wide)
            blocks += filter(None, (verdicts, of_options(plan.document, style, wide)))
        if len(plans) > 1 and blocks:
            print(style.paint("bold", f"── {plan.path}"))
        for block in blocks:
            print(block)
        told += new
    print("\n".join(fitted(style.paint("bold", _closing(plans, told, strict=strict)), wide)))


def _closing(plans: list[Opened], told: list[Diagnostic], *, strict: bool) -> str:
    """The last line: how many plans, and all that is not as it should be."""
    checked = f"checked {plans[0].path}" if len(plans) == 1 else f"checked {len(plans)} plans"
    verdicts = [verdict for plan in plans if plan.document for verdict in plan.document.verdicts]
    unwished = status_counts(verdict.status for verdict in verdicts if verdict.status in UNWISHED)
    parts = [tally(told), unwished]
    if errors := sum(lacks_proof(verdict, strict=strict) for verdict in verdicts):
        parts.append(f"{counted(errors, 'error')} for that")
    clean = (
        "clean"
        if verdicts
        else f"clean, and {plural(len(plans), 'it asks', 'they ask')} nothing: no requirement is stated"
    )
    return f"{checked}: {', '.join(part for part in parts if part) or clean}"


def _fresh(plans: Iterable[Opened]) -> Iterator[tuple[Opened, list[Diagnostic]]]:
    """Each plan with its messages, less those that an earlier plan gave at the same place in the same text."""
    seen: set[tuple[Diagnostic, str]] = set()
    for plan in plans:
        new = []
        for one in plan.diagnostics:
            source = plan.sources.get(one.span.file)
            key = (one, source.text if source else "")
            if key not in seen:
                seen.add(key)
                new.append(one)
        yield plan, new


def _github(plans: list[Opened], *, strict: bool) -> None:
    """Plans whose shown paths mean the same files go in one call: a forge counts annotations a step."""
    gathered: list[Diagnostic] = []
    sources: dict[str, Source] = {}
    for plan, new in _fresh(plans):
        if any(key in sources and sources[key].text != source.text for key, source in plan.sources.items()):
            print(github(gathered, sources, secretive(sources)), end="")
            gathered, sources = [], {}
        sources.update(plan.sources)
        open_ = public(plan.document, plan.sources)
        gathered += open_.diagnostics(new, plan.sources)
        if plan.document:
            gathered += findings(open_.verdicts(plan.document), plan.path, plan.sources, strict=strict)
    print(github(gathered, sources, secretive(sources)), end="")


def _json(plans: list[Opened], codes: list[int], *, strict: bool) -> None:
    import json

    from capwright.document.codec import plain
    from capwright.render.escape import json_for_a_log

    records = [
        {
            "path": plan.path,
            "exit_code": code,
            "diagnostics": json.loads(as_json(plan.diagnostics, plan.sources)),
            "findings": json.loads(
                as_json(findings(plan.document, plan.path, plan.sources, strict=strict), plan.sources)
            )
            if plan.document
            else [],
            "verdicts": [plain(verdict) for verdict in plan.document.verdicts] if plan.document else [],
            "confidential": sorted(confidential(plan.document).verdicts) if plan.document else [],
        }
        for plan, code in zip(plans, codes, strict=True)
    ]
    document = {"format": "capwright/check", "version": VERSION, "plans": records}
    print(json_for_a_log(json.dumps(document, indent=2)))
