"""The project that a command works in: what its `capwright.toml` says."""

from __future__ import annotations

import os
from pathlib import Path

from capwright.commands.refusal import CannotRun
from capwright.loading import Project, ReadProblem, project_root, read_project
from capwright.loading.files import Folder, demand_inside


def project_of(path: str) -> tuple[Project, Path]:
    """The project that the file or folder at `path` belongs to, and its root."""
    real = Path(os.path.realpath(path))
    root = project_root(real / "plan" if os.path.isdir(real) else real)
    return read_project(root), root


def plan_paths(project: Project, root: Path) -> list[str]:
    """What a project calls its plans, as paths from here; the whole project where it says nothing.

    Raises `CannotRun`: CW0784 for a folder that is not there, CW0782 for a file that is no plan, as `demand_inside` does
    for a link out of the project, or the first mistake in the project's file.
    """
    demand_sound(project)
    found = [os.path.relpath(root / path) for path in project.plans or (".",)]
    for path in found:
        if not os.path.exists(path):
            raise CannotRun(
                "CW0784", f"capwright.toml names `{path}`, which is not there", "make it, or correct `plans`"
            )
        if os.path.isfile(path) and not path.endswith(".plan"):
            raise CannotRun(
                "CW0782",
                f"capwright.toml names `{path}`, which is no plan",
                "plans are files that end in `.plan`; correct `plans`",
            )
        try:
            demand_inside(Path(os.path.realpath(path)), path, Folder(Path(os.path.realpath(root))))
        except ReadProblem as problem:
            raise CannotRun(problem.code, problem.message, problem.help) from None
    return found


def demand_sound(project: Project) -> None:
    """Raise `CannotRun` for the first mistake in the project's file."""
    for one in project.diagnostics:
        raise CannotRun(one.code, one.message, one.help)
