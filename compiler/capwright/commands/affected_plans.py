"""Which plans a change can affect: those whose inputs differ between a revision and the files here."""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Final, Literal

from msgspec import Struct

from capwright.check.collect import closure
from capwright.commands.parallel import each
from capwright.commands.plan_files import is_among, plans_below
from capwright.commands.projects import plan_paths
from capwright.loading import Project, load, read_project, standalone

_PROJECT: Final = "capwright.toml"

How = Literal["changed", "new", "deleted", "renamed"]


class Affected(Struct, frozen=True):
    """A plan that a change can affect. Paths are relative to the project's root.

    `before` is its path at the revision, None where it is new; `after` its path here, None where it was deleted, or is
    no longer among the plans of the project.
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


class Difference(Struct, frozen=True):
    """The plans that differ, in order of their paths, and the files whose requirements the plans here judge."""

    plans: list[Affected]
    judged: frozenset[str]


def affected(root: Path, base: Path, renamed: Mapping[str, str]) -> Difference:
    """What of the project at `root` differs from what is laid out at `base`.

    `renamed` has the old path of each file by its new one. Raises `CannotRun` where `plan_paths` does: what
    `capwright.toml` names must be there, or a plan that is lost would be taken for one that nobody wants any more.
    """
    project = read_project(root)
    plan_paths(project, root)
    here = _Side(project, root)
    # What was wrong with links there is what a change may mend.
    there = _Side(read_project(base), base, demand=False)
    # A plan that stands by itself on one side only is compared with what it is on the other.
    now, judged = here.inputs(*here.alone, *filter(here.has, there.alone))
    was, _ = there.inputs(*there.alone, *filter(there.has, here.alone))
    found = [_compared(path, renamed.get(path), now[path], was) for path in now]
    taken = {one.before for one in found if one is not None}
    gone = [path for path in was if path not in taken and path not in now]
    found += [
        Affected("deleted", path, None, (_PROJECT if (root / path).exists() else path,)) for path in gone
    ]
    plans = sorted((one for one in found if one is not None), key=lambda one: one.path)
    return Difference(plans, judged)


class _Side:
    """The plans of a project by their paths from its root; `alone` are those that stand for themselves."""

    def __init__(self, project: Project, root: Path, *, demand: bool = True) -> None:
        self.root = root
        self.places = [os.path.normpath(root / path) for path in project.plans or (".",)]
        named = [path for path in self.places if not os.path.isdir(path) and self._has(path)]
        below = (plans_below(path, root, demand=demand) for path in self.places if os.path.isdir(path))
        plans = standalone([*named, *(path for found in below for path in found)])
        self.alone = tuple(Path(path).relative_to(root).as_posix() for path in plans)

    def has(self, path: str) -> bool:
        """Whether there is a plan of the project at a path from its root."""
        return self._has(str(self.root / path))

    def _has(self, path: str) -> bool:
        return is_among(path, self.places, self.root)

    def inputs(self, *plans: str) -> tuple[dict[str, Inputs], frozenset[str]]:
        """By plan: the hash of each file that goes into it. And the files whose requirements these plans judge."""
        names = list(dict.fromkeys(plans))
        found = each(partial(_inputs, str(self.root)), [str(self.root / name) for name in names])
        judged = frozenset(path for _, taken in found for path in taken)
        return {name: inputs for name, (inputs, _) in zip(names, found, strict=True)}, judged


def _inputs(root: str, path: str) -> tuple[Inputs, list[str]]:
    loaded = load(path, root=root)
    taken = closure(loaded.main, loaded.modules, loaded.uses) if loaded.main else []
    return {one.path: one.sha256 for one in loaded.inputs}, [
        key for key in taken if key not in loaded.library
    ]


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
