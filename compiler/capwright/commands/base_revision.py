"""A revision to compare the files here with, laid out as a project of its own."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from msgspec import Struct

from capwright.commands.affected_plans import Affected, affected
from capwright.commands.refusal import CannotRun
from capwright.loading import ReadProblem, project_root
from capwright.loading.revisions import Revision, common_ancestor, laid_out, renames, revision


class Change(Struct, frozen=True):
    """The project at `root` against the same project at a revision, laid out at `base`."""

    root: Path
    base: Path
    revision: Revision
    plans: list[Affected]


@contextmanager
def change_since(word: str, *, ancestor: bool = False) -> Iterator[Change]:
    """What of the project here differs from the revision `word`, while the block runs; raises `CannotRun`.

    With `ancestor`, from where the two parted, if this clone knows that commit.
    """
    root = project_root(Path.cwd() / "plan").resolve()
    try:
        found = revision(word, str(root))
        if ancestor:
            parted = common_ancestor(found.top, found.commit, "HEAD")
            found = revision(parted, found.top) if parted else found
        inside = root.relative_to(found.top)
        with laid_out(found) as folder:
            base = folder / inside
            plans = affected(root, base, _inside(renames(found.top, found.commit), inside))
            yield Change(root, base, found, plans)
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
