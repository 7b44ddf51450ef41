"""The two sides that words on the command line stand for, as pairs of documents."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from capwright.base.diagnostic import Diagnostic
from capwright.commands.failing import CannotRun
from capwright.compiling import compile_plan
from capwright.document.plandoc import PlanDoc
from capwright.loading import ReadProblem, load, read_typed
from capwright.loading.files import DATA_CAP
from capwright.loading.revisions import Revision, revision, take_out

_REVISION: Final = re.compile(r"([^:]+):(.*)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Compared:
    """One side's document and whether its plan has errors."""

    name: str
    document: PlanDoc
    failed: bool


@dataclass(slots=True)
class Side:
    """One word of the command line: a file, a folder, or either at a revision. `plans` are by relative path."""

    word: str
    path: str
    at: Revision | None
    folder: bool
    plans: list[str] = field(default_factory=list)

    def name(self, plan: str) -> str:
        """What a reader calls one of its plans."""
        return self.word if not self.folder else f"{self.word.rstrip('/')}/{plan}"


def side_of(word: str) -> Side:
    """What a word stands for. What is on the disk comes before what git has. Raises `CannotRun`."""
    if os.path.isdir(word):
        root = Path(word)
        plans = sorted(p.relative_to(root).as_posix() for p in root.rglob("*.plan") if _plain(p, root))
        return Side(word, word, None, folder=True, plans=plans)
    parts = _REVISION.fullmatch(word)
    if parts is None or os.path.exists(word):
        return Side(word, word, None, folder=False)
    try:
        found = revision(parts[1])
    except ReadProblem as problem:
        raise CannotRun(problem.code, str(problem), problem.help) from None
    return _at_revision(word, parts[2], found)


def _plain(path: Path, root: Path) -> bool:
    inside = path.relative_to(root).parts
    return path.is_file() and not path.is_symlink() and not any(part.startswith(".") for part in inside)


def _at_revision(word: str, path: str, found: Revision) -> Side:
    if path.startswith(("./", "../")) or path == ".":
        path = os.path.relpath(os.path.abspath(path), found.top)
    path = os.path.normpath(path).strip("/") if path not in ("", ".", "/") else ""
    path = "" if path == "." else path
    if path in found.sizes:
        return Side(word, path, found, folder=False)
    inside = f"{path}/" if path else ""
    plans = [plan[len(inside) :] for plan in found.plans(path)]
    if not plans:
        raise CannotRun(
            "CW0753",
            f"`{path}` is not in revision `{found.name}`",
            f"see `git ls-tree -r --name-only {found.name}`; paths are relative to the repository's root, or start with `./`",
        )
    return Side(word, path, found, folder=True, plans=plans)


def document_of(side: Side, plan: str = "") -> Compared:
    """The document of one plan of a side, or of the document that its file is. Raises `CannotRun`."""
    path = (
        f"{side.path}/{plan}".lstrip("/")
        if side.folder and side.at
        else os.path.join(side.path, plan)
        if plan
        else side.path
    )
    with _on_disk(side, path) as real:
        if str(real).endswith(".json"):
            return Compared(side.name(plan), _read(real, side.name(plan)), failed=False)
        return _compiled(side.name(plan), real, side.at is not None)


@contextmanager
def _on_disk(side: Side, path: str) -> Iterator[Path]:
    if side.at is None:
        yield Path(path)
        return
    with TemporaryDirectory(prefix="capwright-") as folder:
        try:
            yield take_out(side.at, path, Path(folder))
        except ReadProblem as problem:
            raise CannotRun(problem.code, str(problem), problem.help) from None


def _compiled(name: str, real: Path, taken_out: bool) -> Compared:
    root = _root_of(real) if taken_out else None
    loaded = load(str(real), root=root)
    if not loaded.main:
        first: Diagnostic = next(d for d in loaded.diagnostics if d.severity == "error")
        raise CannotRun(first.code, f"{name}: {first.message}", first.help)
    compiled = compile_plan(loaded)
    return Compared(name, compiled.sound, compiled.failed)


def _root_of(real: Path) -> str:
    """The folder that a revision's files were written below."""
    return str(next(folder for folder in real.parents if folder.name.startswith("capwright-")))


def _read(real: Path, name: str) -> PlanDoc:
    from capwright.document.codec import from_json

    try:
        _, data = read_typed(str(real), DATA_CAP)
        document, problems = from_json(data.decode("utf-8", "replace"), name)
    except ReadProblem as problem:
        raise CannotRun(problem.code, str(problem), problem.help) from None
    if document is None:
        first = problems[0]
        raise CannotRun(first.code, f"{name}: {first.message}", first.help)
    return document
