"""A revision to compare the files here with, laid out as a project of its own."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from capwright.commands.affecting import Affected, affected
from capwright.commands.failing import CannotRun
from capwright.loading import ReadProblem, project_root
from capwright.loading.revisions import common_ancestor, commit_of, laid_out, renames, repository


@dataclass(frozen=True, slots=True)
class Change:
    """The project at `root` against the same project at a commit, laid out at `base`."""

    root: Path
    base: Path
    top: Path
    commit: str
    plans: list[Affected]


@contextmanager
def change_since(revision: str, *, ancestor: bool = False) -> Iterator[Change]:
    """What of the project here differs from `revision`, while the block runs; raises `CannotRun`.

    With `ancestor`, from where the two parted, if this clone knows that commit.
    """
    root = project_root(Path.cwd() / "plan")
    try:
        top = repository(root)
        commit = commit_of(top, revision)
        if ancestor:
            commit = common_ancestor(top, commit, "HEAD") or commit
        with laid_out(top, commit) as folder:
            inside = root.resolve().relative_to(top)
            base = folder / inside
            yield Change(root, base, top, commit, affected(root, base, _inside(renames(top, commit), inside)))
    except ReadProblem as problem:
        raise CannotRun(problem.code, problem.message, problem.help) from None


def _inside(renamed: dict[str, str], folder: Path) -> dict[str, str]:
    """The renames below a folder, relative to it."""
    lead = "" if folder == Path() else f"{folder.as_posix()}/"
    return {
        new.removeprefix(lead): old.removeprefix(lead)
        for new, old in renamed.items()
        if new.startswith(lead) and old.startswith(lead)
    }
