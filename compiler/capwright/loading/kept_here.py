"""Private catalogues of a revision: files that its `capwright.toml` names and that git does not keep are as they are here."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath

from capwright.loading.closure import load
from capwright.loading.files import DATA_CAP, Folder, ReadProblem, read_bytes, resolve
from capwright.loading.project import FILE, read_project


def lend(top: Path, folder: Path, tracked: Mapping[str, object], here: frozenset[str]) -> tuple[str, ...]:
    """Copy private catalogues, with all that they name, from the repository at `top` into the revision laid out at
    `folder`, and say which: by path from the root of the repository.

    Only a catalogue is taken that neither the revision has among its `tracked` files nor git has `here` now: what git
    keeps is compared. Nothing is read from outside of the project, from behind a link out of it or from what git keeps
    for itself, and nothing is written outside of `folder`.
    """
    lent: list[str] = []
    for path in sorted(each for each in tracked if each.rpartition("/")[2] == FILE):
        inside = PurePosixPath(path).parent
        project, root = folder / inside, Path(os.path.realpath(top / inside))
        if not (project / FILE).is_file() or not root.is_relative_to(top):
            continue
        for catalogue in read_project(project).catalogues.values():
            if _is_ours(inside, catalogue, tracked, here) and _copied(root, project, folder, catalogue):
                lent.append((inside / catalogue).as_posix())
                for other in _needs(root, catalogue):
                    if _is_ours(inside, other, tracked, here):
                        _copied(root, project, folder, other)
    return tuple(dict.fromkeys(lent))


def _is_ours(inside: PurePosixPath, path: str, tracked: Mapping[str, object], here: frozenset[str]) -> bool:
    whole = os.path.normpath(inside / path)
    return whole not in tracked and whole not in here


def _needs(root: Path, catalogue: str) -> Iterator[str]:
    """What else a catalogue is made of, by path from the project's root."""
    loaded = load(os.fspath(root / catalogue), root=os.fspath(root))
    return (one.path for one in loaded.inputs)


def _copied(root: Path, project: Path, folder: Path, path: str) -> bool:
    """Whether a file of the project here was copied to its place in the revision, which was free."""
    target = project / path
    if os.path.lexists(target) or not Path(os.path.realpath(target)).is_relative_to(folder):
        return False
    try:
        data = read_bytes(resolve(path, root, Folder(root)), path, DATA_CAP)
    except ReadProblem:
        return False
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(data)
    return True
