"""A plan and all it uses as they stood at a revision of a git repository, without touching the work tree.

Only what the plan names is taken out: a path in quotes that the revision has, followed through the plans it leads to,
and the files that an importer looks for beside one. Git is asked to list and to print, never to check out.
"""

from __future__ import annotations

import os
import posixpath
import re
import subprocess
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from capwright.loading.files import DATA_CAP, ReadProblem

_QUOTED: Final = re.compile(rb'"([^"\n]{1,1000})"')
_BESIDE: Final = (".json", ".safetensors")
"""What an importer may look for beside a file that a plan names."""
_MARK: Final = "capwright.toml"
_SECONDS: Final = 60


@dataclass(frozen=True, slots=True)
class Revision:
    """A commit of the repository at `top`; `sizes` has the regular files in it. Paths are relative to its root."""

    name: str
    commit: str
    top: str
    sizes: dict[str, int]

    def plans(self, folder: str) -> list[str]:
        """The plans in and below a folder, hidden folders apart."""
        inside = f"{folder}/" if folder else ""
        found = (path for path in self.sizes if path.startswith(inside) and path.endswith(".plan"))
        return sorted(p for p in found if not any(part.startswith(".") for part in p.split("/")))


def revision(name: str, beside: str = ".") -> Revision:
    """The revision that git calls `name`, of the repository that holds the folder `beside`.

    Raises `ReadProblem`: CW0750 no repository, CW0751 no such revision, CW0752 not in a shallow clone.
    """
    top = _git(beside, "rev-parse", "--show-toplevel")
    if top is None:
        raise ReadProblem(
            "CW0750",
            f"`{name}:…` names a revision, and this is no git repository",
            "run the command inside the repository, or name two files",
        )
    root = os.fsdecode(top).strip()
    commit = (
        None if name.startswith("-") else _git(root, "rev-parse", "--verify", "--quiet", f"{name}^{{commit}}")
    )
    if commit is None:
        raise _unknown(name, root)
    sha = commit.decode("ascii", "replace").strip()
    listed = _git(root, "ls-tree", "-r", "-l", "-z", sha)
    if listed is None:
        raise _unknown(name, root)
    return Revision(name, sha, root, dict(_files(listed)))


def _unknown(name: str, root: str) -> ReadProblem:
    if (_git(root, "rev-parse", "--is-shallow-repository") or b"").strip() == b"true":
        return ReadProblem(
            "CW0752",
            f"revision `{name}` is not in this shallow clone",
            "fetch it: `git fetch --unshallow`, or a deeper checkout (`fetch-depth: 0` in a workflow)",
        )
    return ReadProblem(
        "CW0751",
        f"git knows no revision `{name}` here",
        "see `git log` and `git branch -a`, or fetch it first",
    )


def _git(folder: str, *words: str) -> bytes | None:
    """What git prints, or None where it refuses or is not there."""
    try:
        done = subprocess.run(  # noqa: S603 (no shell; a revision that looks like an option is refused)
            ["git", "--no-optional-locks", "-C", folder, *words],  # noqa: S607 (the user's own git)
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired, ValueError):
        return None
    return done.stdout if done.returncode == 0 else None


def _files(listed: bytes) -> Iterable[tuple[str, int]]:
    """The regular files of `git ls-tree -l -z` with their sizes; links and submodules are passed over."""
    for line in listed.split(b"\0"):
        head, tab, path = line.partition(b"\t")
        words = head.split()
        if tab and words[0].startswith(b"100") and words[3].isdigit():
            yield os.fsdecode(path), int(words[3])


def take_out(found: Revision, path: str, folder: Path) -> Path:
    """Write the plan at `path` and what it names below `folder`; returns where the plan is.

    Raises `ReadProblem` (CW0753) where the revision has no such file.
    """
    path = posixpath.normpath(path)
    if path not in found.sizes:
        raise ReadProblem(
            "CW0753",
            f"`{path}` is not in revision `{found.name}`",
            f"see `git ls-tree -r --name-only {found.name}`; paths are relative to the repository's root",
        )
    waiting, taken = [path, *([_MARK] if _MARK in found.sizes else [])], set[str]()
    while waiting:
        new = [name for name in dict.fromkeys(waiting) if name not in taken]
        taken.update(new)
        waiting = []
        for name, data in _contents(found, new):
            _write(folder / name, data)
            waiting += _named(found, name, data)
    return folder / path


def _contents(found: Revision, names: list[str]) -> Iterable[tuple[str, bytes]]:
    for name in names:
        if found.sizes[name] <= DATA_CAP:
            data = _git(found.top, "cat-file", "blob", f"{found.commit}:{name}")
            if data is not None:
                yield name, data


def _named(found: Revision, name: str, data: bytes) -> list[str]:
    """The files of the revision that a plan, or a project's settings, names in quotes."""
    if not name.endswith((".plan", _MARK)):
        folder = posixpath.dirname(name)
        return [p for p in found.sizes if posixpath.dirname(p) == folder and p.endswith(_BESIDE)]
    here = posixpath.dirname(name)
    paths = (posixpath.normpath(posixpath.join(here, os.fsdecode(each))) for each in _QUOTED.findall(data))
    named = [path for path in paths if path in found.sizes]
    return named if name.endswith(".plan") else [path for path in named if path.endswith(".plan")]


def _write(target: Path, data: bytes) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(data)
