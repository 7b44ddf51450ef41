"""Which plans a change can affect: those whose inputs differ between a revision and the files here."""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Literal

from msgspec import Struct

from capwright.commands.failing import CannotRun
from capwright.commands.finding import plan_files
from capwright.commands.projects import demand_sound
from capwright.commands.several import each
from capwright.loading import Project, load, read_project, used_files

How = Literal["changed", "new", "deleted", "renamed"]


class Affected(Struct, frozen=True):
    """A plan that a change can affect. Paths are relative to the project's root.

    `before` is its path at the revision, None where it is new; `after` its path here, None where it was deleted.
    `why` are the files that differ, the plan itself included.
    """

    how: How
    before: str | None
    after: str | None
    why: tuple[str, ...]

    @property
    def path(self) -> str:
        """The path to call it by."""
        return self.after or self.before or ""


Inputs = Mapping[str, str]
"""By path: the hash of a file that goes into a plan."""


def affected(root: Path, base: Path, renamed: Mapping[str, str]) -> list[Affected]:
    """The plans of the project at `root` that differ from those laid out at `base`, in order of their paths.

    `renamed` has the old path of each file by its new one.
    """
    project = read_project(root)
    demand_sound(project)
    here, there = inputs_of_plans(project, root), inputs_of_plans(read_project(base), base)
    found = [_compared(path, renamed.get(path), here[path], there) for path in here]
    taken = {one.before for one in found if one is not None} | {path for path in here if path in there}
    found += [Affected("deleted", path, None, (path,)) for path in there if path not in taken]
    return sorted((one for one in found if one is not None), key=lambda one: one.path)


def inputs_of_plans(project: Project, root: Path) -> dict[str, Inputs]:
    """The inputs of every plan of a project that no other plan of it uses, by its path."""
    folders = [str(root / path) for path in project.plans or (".",) if (root / path).exists()]
    paths = _plans(folders)
    used = used_files(paths)
    roots = [path for path in paths if os.path.realpath(path) not in used]
    names = [Path(path).relative_to(root).as_posix() for path in roots]
    return dict(zip(names, each(partial(_inputs, str(root)), roots), strict=True))


def _plans(folders: list[str]) -> list[str]:
    found: dict[str, None] = {}
    for folder in folders:
        try:
            found.update(dict.fromkeys(os.path.normpath(one.path) for one in plan_files([folder])))
        except CannotRun:
            continue  # a folder without plans has none that could be affected
    return list(found)


def _inputs(root: str, path: str) -> dict[str, str]:
    return {one.path: one.sha256 for one in load(path, root=root).inputs}


def _compared(path: str, old: str | None, inputs: Inputs, there: Mapping[str, Inputs]) -> Affected | None:
    if path in there:
        why = _different(inputs, there[path])
        return Affected("changed", path, path, why) if why else None
    if old is not None and old in there:
        why = _different({old if name == path else name: sha for name, sha in inputs.items()}, there[old])
        return Affected("renamed", old, path, why or (path,))
    return Affected("new", None, path, (path,))


def _different(here: Inputs, there: Inputs) -> tuple[str, ...]:
    return tuple(sorted(path for path in here.keys() | there.keys() if here.get(path) != there.get(path)))
