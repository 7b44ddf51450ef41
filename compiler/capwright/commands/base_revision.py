"""A revision to compare the files here with, laid out as a project of its own."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from msgspec import Struct

from capwright.commands.affected_plans import Affected, affected
from capwright.commands.lacking_catalogues import below
from capwright.commands.refusal import CannotRun
from capwright.loading import ReadProblem, project_root
from capwright.loading.revisions import Revision, common_ancestor, laid_out, renames, revision
from capwright.render.escape import terminal_text


class Change(Struct, frozen=True):
    """The project at `root` against the same project at a revision, laid out at `base`. `lent` are private catalogues,
    which are on both sides as they are here; `kept` are the files that git has then or now, by path from the root;
    `judged` are those whose requirements the plans here judge."""

    root: Path
    base: Path
    revision: Revision
    plans: list[Affected]
    lent: tuple[str, ...] = ()
    kept: frozenset[str] = frozenset()
    judged: frozenset[str] = frozenset()


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
        with laid_out(found) as there:
            base = there.folder / inside
            hint_of_lent(word, there.lent)
            differs = affected(root, base, _inside(renames(found.top, found.commit), inside))
            kept = below(there.kept, inside.as_posix())
            yield Change(root, base, found, differs.plans, there.lent, kept, differs.judged)
    except ReadProblem as problem:
        raise CannotRun(problem.code, problem.message, problem.help) from None


def hint_of_lent(revision: str, lent: tuple[str, ...]) -> None:
    """Say on standard error which private catalogues stand on both sides as they are here."""
    for path in lent:
        print(
            f"capwright: hint[CW0759]: `{terminal_text(path)}` is a catalogue that git does not keep: "
            f"`{terminal_text(revision)}` is read with the file that is here\n"
            "  = help: what changed in it cannot be told",
            file=sys.stderr,
        )


def _inside(renamed: dict[str, str], folder: Path) -> dict[str, str]:
    """The renames below a folder, relative to it."""
    lead = "" if folder == Path() else f"{folder.as_posix()}/"
    return {
        new.removeprefix(lead): old.removeprefix(lead)
        for new, old in renamed.items()
        if new.startswith(lead) and old.startswith(lead)
    }
