"""`build`: the reports of plans as Markdown, HTML and JSON, and whether the ones that are kept are fresh."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from capwright.base.counting import counted, plural
from capwright.commands.kept_reports import INDEX, REPORT, demand_ours, different, without_a_plan
from capwright.commands.opened_plan import Overrides, add_overrides, open_plan, overrides, print_findings
from capwright.commands.parallel import each, spread
from capwright.commands.plan_files import plans_of
from capwright.commands.projects import plan_paths, project_of
from capwright.commands.refusal import CannotRun, path_word
from capwright.commands.terminal import columns_of, style_of, tell
from capwright.commands.withheld_messages import hint_of_confidential
from capwright.commands.writing import write_all
from capwright.document.outcome import Findings, tally
from capwright.document.plandoc import PlanDoc
from capwright.loading import Project
from capwright.loading.project import REPORTS
from capwright.render.contents import Entry
from capwright.render.escape import shell_path, shell_word, terminal_text

Maker = Callable[[PlanDoc], str]
"""Makes one form of a report."""

_NAMED: Final = 3
"""Findings of a plan that are named; the rest are counted."""
EPILOG: Final = """\
A folder stands for every plan in and below it that no other plan there uses, or that is used under a name alone
(`use "v3.plan" as d`) and requires, expects or measures something; all of them get an index page. Without a word: the
plans of capwright.toml, into its `reports` folder, where reports of other plans are not put. A file that is there and is
no report is not replaced.

examples:
  capwright build fleet.plan -o report     writes report/fleet.md, .html and .json
  capwright build plans -o reports         and reports/index.md and .html
  capwright build --check                  writes nothing; exit code 1 where a kept report is stale

exit codes: 0 clean, 1 findings, 2 could not run. A report is written all the same where a requirement is violated."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `build`."""
    parser.add_argument(
        "plan", metavar="PLAN", type=path_word, nargs="?", help="a plan, or a folder of plans"
    )
    parser.add_argument(
        "-o",
        "--output",
        metavar="DIR",
        type=path_word,
        help="default: `reports` of capwright.toml for its plans, else capwright-report",
    )
    parser.add_argument("--check", action="store_true", help="only say which reports that are kept are stale")
    add_overrides(parser)


class Wanted(Struct, frozen=True):
    """A plan, and the path of its report in the folder of reports, without a suffix."""

    plan: str
    name: str


def run(arguments: argparse.Namespace) -> int:
    """Write the files of every plan without errors, or compare them."""
    job = _job(arguments)
    wanted, output = job.wanted, job.output
    values = overrides(arguments)
    changes = [word for one in arguments.overrides for word in ("--set", shell_word(one))]
    if arguments.check:
        words = [
            *([shell_path(arguments.plan)] if arguments.plan else []),
            *(["-o", shell_path(arguments.output)] if arguments.output else []),
            *changes,
        ]
        return _check(
            each(partial(_checked, values, output), wanted), job, " ".join(["capwright build", *words])
        )
    demand_ours((output / f"{one.name}.{suffix}" for one in wanted for suffix in _FORMS), REPORT)
    if not job.is_folder:
        return _build_one(wanted[0], values, output, " ".join([shell_path(wanted[0].plan), *changes]))
    if job.has_index:
        demand_ours((output / name for name in _index(())), INDEX)
    done = each(partial(_built, values, output), wanted)
    entries = [one.entry for one in done if one.entry is not None]
    for one in done:
        if one.written:
            tell(f"wrote {', '.join(map(str, one.written))}")
    if job.has_index:
        for path in write_all(output, _index(entries)):
            tell(f"wrote {path}")
    for plan, one in zip(wanted, done, strict=True):
        if one.found:
            tell(f"{plan.plan}: {_said(one.found)}")
    print(f"wrote the reports of {len(entries)} of {len(wanted)} plans")
    return max(one.code for one in done)


def _said(found: Findings) -> str:
    """`1 violated (it fits), 1 measurement contradicts what is derived (load)`."""
    from capwright.render.words import STATUS

    count = len(found.measurements)
    measured = f"{counted(count, 'measurement')} {plural(count, 'contradicts', 'contradict')} what is derived"
    said = [
        f"{number} {STATUS[status][0]} ({_listed([one.label for one in found.verdicts if one.status == status])})"
        for status, number in tally(one.status for one in found.verdicts).items()
    ]
    said += [f"{measured} ({_listed([one.address for one in found.measurements])})"] if count else []
    return ", ".join(said)


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return ", ".join(names[:_NAMED]) + more


class _Job(Struct, frozen=True):
    """What to build, and where its reports go. `is_folder` says that there are any number, `has_index` that they are all
    of an index; `is_kept` that nothing but their reports belongs into the folder."""

    wanted: list[Wanted]
    output: Path
    is_folder: bool
    has_index: bool
    is_kept: bool


def _job(arguments: argparse.Namespace) -> _Job:
    """What the words ask for.

    The kept folder is for the plans of the project, under the names that it has for them: another plan's report there
    would be stale as it is written. It goes to a folder of its own.
    """
    project, root = project_of(arguments.plan or ".")
    here = root if project.source is not None else Path()
    kept, other = (Path(os.path.relpath(here / folder)) for folder in (project.reports, REPORTS))
    if arguments.plan is None:
        wanted, output = _project_plans(project, root), Path(arguments.output or kept)
        return _Job(wanted, output, is_folder=True, has_index=True, is_kept=_is_named(arguments, project))
    is_folder = os.path.isdir(arguments.plan)
    if is_folder:
        wanted = _named(plans_of([arguments.plan]), arguments.plan)
    else:
        wanted = [Wanted(arguments.plan, Path(arguments.plan).stem)]
    if arguments.output:
        return _Job(wanted, Path(arguments.output), is_folder, has_index=is_folder, is_kept=is_folder)
    if not _is_named(arguments, project):
        return _Job(wanted, kept, is_folder, has_index=is_folder, is_kept=False)
    names = _kept_names(project, root)
    found = [replace(one, name=name) for one in wanted if (name := names.get(_real(one)))]
    if len(found) < len(wanted):
        return _Job(wanted, other, is_folder, has_index=is_folder, is_kept=False)
    is_all = is_folder and len(found) == len(names)
    return _Job(found, kept, is_folder, has_index=is_all, is_kept=is_all)


def _is_named(arguments: argparse.Namespace, project: Project) -> bool:
    """Whether a folder is said to be for reports: what nobody names is for those of any plan."""
    return bool(arguments.output) or project.reports != REPORTS


def _project_plans(project: Project, root: Path) -> list[Wanted]:
    folders = plan_paths(project, root)
    base = folders[0] if len(folders) == 1 and os.path.isdir(folders[0]) else str(root)
    return _named(plans_of(folders), base)


def _kept_names(project: Project, root: Path) -> dict[str, str]:
    """The names of the reports of a project's plans; none where it says nothing that can be read."""
    try:
        return {_real(one): one.name for one in _project_plans(project, root)}
    except CannotRun:
        return {}


def _real(one: Wanted) -> str:
    return os.path.realpath(one.plan)


def _named(plans: Sequence[str], base: str) -> list[Wanted]:
    """Plans, each with the path of its report; raises `CannotRun` (CW0785)."""
    wanted = [Wanted(path, Path(os.path.relpath(path, base)).with_suffix("").as_posix()) for path in plans]
    taken = {one.name for one in wanted if one.name == "index" or one.name.startswith("..")}
    if taken:
        raise CannotRun(
            "CW0785",
            f"the report of the plan `{min(taken)}` would take the place of the index, or lie outside of the folder",
            "rename the plan, or name the folder that it is in",
        )
    return wanted


def _build_one(one: Wanted, values: Overrides, output: Path, words: str) -> int:
    """Write the files of one plan, and say what came of it; `words` are what other commands take to read the same."""
    from capwright.comparison.matrix import matrices
    from capwright.render.terminal.style import fitted
    from capwright.render.terminal.summary import headlines

    opened = open_plan(one.plan, values, hashed=True)
    print_findings(opened)
    document = opened.document
    if document is not None:
        matrices(document, spread)  # all but the JSON print them
        texts = spread(lambda make: make(document), list(_FORMS.values()))
        wide = columns_of(sys.stdout)
        name = Path(one.name)
        written = write_all(output / name.parent, _files(name.name, texts))
        sys.stdout.write(headlines(document, style_of(sys.stdout), wide))
        for path in written:
            tell(f"wrote {path}")
        more = [f"what verdicts lean on: capwright check {words}"] if document.verdicts else []
        if document.options:
            more.append(f"options side by side: the report, or capwright show {words}")
        for line in more:
            print("\n".join(fitted(terminal_text(line), wide)))
        hint_of_confidential(_secrets(document), _KEEP, written)
    return opened.exit_code()


_KEEP: Final = (
    "keep the report where only those read it who may see these; comments and woven documents withhold them"
)


def _secrets(document: PlanDoc) -> list[str]:
    return [one.address for one in document.quantities if one.confidential and not one.internal]


class _Built(Struct, frozen=True):
    """What became of one plan of many: what the index says of it, the exit code, what is a finding, and the files."""

    entry: Entry | None
    code: int
    found: Findings
    written: tuple[Path, ...] = ()


def _built(values: Overrides, output: Path, one: Wanted) -> _Built:
    """Write one report of many."""
    from capwright.render.contents import entry

    opened = open_plan(one.plan, values, hashed=True)
    print_findings(opened)
    sys.stderr.flush()
    if opened.document is None:
        return _Built(None, opened.exit_code(), opened.findings())
    name = Path(one.name)
    written = write_all(output / name.parent, rendered(opened.document, name.name))
    hint_of_confidential(_secrets(opened.document), _KEEP, written)
    sys.stderr.flush()
    return _Built(entry(one.name, opened.document), opened.exit_code(), opened.findings(), tuple(written))


def _index(entries: Sequence[Entry]) -> dict[str, bytes]:
    from capwright.render.contents import contents_html, contents_markdown

    return {"index.md": contents_markdown(entries).encode(), "index.html": contents_html(entries).encode()}


class _Checked(Struct, frozen=True):
    """What is stale of one plan's report, what the index says of it, and the exit code of its compilation."""

    stale: tuple[str, ...]
    entry: Entry | None
    code: int


def _checked(values: Overrides, output: Path, one: Wanted) -> _Checked:
    """Compare the kept report of one plan with what would be written now."""
    from capwright.render.contents import entry

    opened = open_plan(one.plan, values, hashed=True)
    print_findings(opened)
    sys.stderr.flush()
    if opened.document is None:
        return _Checked((), None, opened.exit_code())
    name = Path(one.name)
    files = {output / name.parent / file: data for file, data in rendered(opened.document, name.name).items()}
    found = different(files, opened.document.tool_sha256)
    if found is None:
        stale: tuple[str, ...] = (f"{output / one.name}: there is no report of {one.plan}",)
    else:
        stale = tuple(f"{path}: is not what {one.plan} gives" for path in found)
    return _Checked(stale, entry(one.name, opened.document), 0)


def _check(found: Sequence[_Checked], job: _Job, command: str) -> int:
    lines = [line for one in found for line in one.stale]
    gone: list[Path] = []
    if job.has_index:
        index = _index([one.entry for one in found if one.entry is not None])
        wrong = different({job.output / name: data for name, data in index.items()}, "") or ()
        lines += [f"{path}: is not the index of what the plans give" for path in wrong]
    if job.is_kept:
        gone = without_a_plan(job.output, {one.name for one in job.wanted})
    for line in (*lines, *(f"{path}: no plan gives it any more" for path in gone)):
        tell(f"stale {line}")
    if lines:
        print(f"`{command}` writes them: keep what it wrote beside the plans, and commit it with them")
    if gone:
        print("delete the reports whose plan is gone, or is used by another now")
    if not lines and not gone and all(one.entry is not None for one in found):
        print(f"{counted(len(found), 'report')} {plural(len(found), 'is', 'are')} fresh", file=sys.stderr)
    return max(int(bool(lines or gone)), *(one.code for one in found))


def rendered(document: PlanDoc, name: str) -> dict[str, bytes]:
    """The files of a report by name."""
    return _files(name, [make(document) for make in _FORMS.values()])


def _files(name: str, texts: Sequence[str]) -> dict[str, bytes]:
    return {f"{name}.{suffix}": text.encode() for suffix, text in zip(_FORMS, texts, strict=True)}


def _markdown(document: PlanDoc) -> str:
    from capwright.render.markdown import markdown

    return markdown(document)


def _html(document: PlanDoc) -> str:
    from capwright.render.html import html

    return html(document)


def _json(document: PlanDoc) -> str:
    from capwright.document.codec import to_json

    return to_json(document)


_FORMS: Final[Mapping[str, Maker]] = {"md": _markdown, "html": _html, "json": _json}
"""The forms of a report by the suffixes of their files."""
