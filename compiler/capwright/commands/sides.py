"""The two sides that words on the command line stand for, as pairs of documents."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from capwright.check.declared import Scope
from capwright.commands.base_revision import hint_of_lent
from capwright.commands.lacking_catalogues import State, below
from capwright.commands.plan_files import is_among, plan_files, root_of
from capwright.commands.refusal import CannotRun
from capwright.compiling import compile_plan
from capwright.document.diffdoc import Unjudged
from capwright.document.plandoc import PlanDoc
from capwright.loading import ReadProblem, load, project_root, read_typed
from capwright.loading.files import DATA_CAP
from capwright.loading.revisions import LaidOut, Revision, file_at, kept_now, laid_out, revision
from capwright.render.escape import shell_word

_REVISION: Final = re.compile(r"([^:]+):(.*)", re.DOTALL)


class Compared(Struct, frozen=True):
    """One side's document, what a reader calls it, and whether its plan has errors; `state` is the plan that it was made
    of here, `names` has those that this plan sees, and `unjudged` is what it asks without a verdict."""

    name: str
    document: PlanDoc
    failed: bool
    state: State | None = None
    names: Scope | None = None
    unjudged: Unjudged = Unjudged()


class Side(Struct, frozen=True):
    """One word of the command line. `real` is a plan, a document or a folder on the disk; a document of a revision
    has its `text`, and what else a revision has is `laid_out`. `plans` are those of a folder, by relative path."""

    word: str
    real: Path
    plans: tuple[str, ...] | None = None
    text: str | None = None
    laid_out: LaidOut | None = None

    def has(self, plan: str) -> bool:
        """Whether there is a plan at a path in a folder, also one that is listed by another path."""
        return is_among(str(self.real / plan), [str(self.real)], root_of(str(self.real)))

    def name(self, plan: str) -> str:
        """What a reader calls one of its plans."""
        return f"{self.word.rstrip('/')}/{plan}" if plan else self.word


@contextmanager
def side_of(word: str) -> Iterator[Side]:
    """What a word stands for, while the block runs; raises `CannotRun`. What is on the disk comes before what git has."""
    parts = None if os.path.exists(word) else _REVISION.fullmatch(word)
    if parts is None:
        if not os.path.exists(word) and _is_revision(word):
            raise CannotRun(
                "CW0150",
                f"there is no file `{word}`; it is a revision of git",
                f"name what of it is compared: `{word}:PATH`, as in `capwright diff {shell_word(word)}:plan.plan plan.plan`, or "
                f"`{word}:.` for all of its plans",
            )
        yield _on_disk(word, Path(word))
        return
    try:
        found = revision(parts[1])
        path = _in_repository(parts[2], found)
        if path.endswith(".json"):
            yield Side(word, Path(path), None, _text(found, path))
            return
        with laid_out(found) as there:
            hint_of_lent(found.name, there.lent)
            yield replace(_on_disk(word, _laid_out_at(there.folder, path, found)), laid_out=there)
    except ReadProblem as problem:
        raise CannotRun(problem.code, problem.message, problem.help) from None


def _is_revision(word: str) -> bool:
    try:
        revision(word)
    except ReadProblem:
        return False
    return True


def _on_disk(word: str, real: Path) -> Side:
    if not os.path.isdir(real):
        return Side(word, real)
    plans = (os.path.relpath(found.path, real) for found in plan_files([str(real)]))
    return Side(word, real, tuple(Path(plan).as_posix() for plan in plans))


def _in_repository(path: str, found: Revision) -> str:
    """A path relative to the repository's root; one that starts with a dot is relative to the folder here. Raises
    `CannotRun` (CW0753) for one that leads out of the repository: no revision has that."""
    inside = path
    if path.startswith((".", "/")):
        inside = os.path.relpath(os.path.realpath(path), found.top)
    inside = Path(os.path.normpath(inside or ".")).as_posix()
    if inside == ".." or inside.startswith("../"):
        raise _absent(found, path)
    return inside


def _laid_out_at(folder: Path, path: str, found: Revision) -> Path:
    """What a revision has at a path, in the folder where it is laid out; raises `CannotRun` for a link that leads to
    what is on the disk now (CW0152), and where there is nothing (CW0753)."""
    real = folder / path
    if not Path(os.path.realpath(real)).is_relative_to(folder):
        raise CannotRun(
            "CW0152",
            f"`{path}` is a link in revision `{found.name}`, or lies behind one, that leads out of it",
            "name the file itself, where the revision has it",
        )
    if not os.path.exists(real):
        raise _absent(found, path)
    return real


def _text(found: Revision, path: str) -> str:
    data = file_at(Path(found.top), found.commit, path)
    if data is None:
        raise _absent(found, path)
    return data.decode("utf-8", "replace")


def _absent(found: Revision, path: str) -> CannotRun:
    return CannotRun(
        "CW0753",
        f"`{path}` is not in revision `{found.name}`",
        f"see `git ls-tree -r --name-only {found.name}`; paths are relative to the repository's root, "
        "or start with `./`",
    )


def document_of(side: Side, plan: str = "", options: Collection[str] | None = None) -> Compared:
    """The document of one plan of a side, or the document that its file is; raises `CannotRun`. `options` as in
    `compile_plan`."""
    name, real = side.name(plan), side.real / plan if plan else side.real
    if real.suffix == ".json":
        return Compared(name, _read(side, name), failed=False)
    loaded = load(str(real))
    if not loaded.main:
        first = next(d for d in loaded.diagnostics if d.severity == "error")
        raise CannotRun(first.code, f"{name}: {first.message}", first.help)
    compiled = compile_plan(loaded, options=options)
    root = project_root(Path(os.path.realpath(real)))
    state = State(loaded, root, partial(_kept, side, root))
    names = compiled.judged.expansion.ctx.program.main
    return Compared(name, compiled.sound, compiled.failed, state, names, compiled.unjudged)


def _kept(side: Side, root: Path) -> frozenset[str]:
    """The files of the project at `root` that git has, by path from there."""
    there = side.laid_out
    if there is None:
        return kept_now(root)
    return below(there.kept, root.relative_to(there.folder).as_posix())


def _read(side: Side, name: str) -> PlanDoc:
    from capwright.document.codec import from_json

    text = side.text
    if text is None:
        try:
            text = read_typed(str(side.real), DATA_CAP)[1].decode("utf-8", "replace")
        except ReadProblem as problem:
            raise CannotRun(problem.code, problem.message, problem.help) from None
    document, problems = from_json(text, name)
    if document is None:
        raise CannotRun(problems[0].code, f"{name}: {problems[0].message}", problems[0].help)
    return document
