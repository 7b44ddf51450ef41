"""The plans of another revision: what git has of them, laid out in a folder to be loaded like any other.

Nothing of the repository is changed, no filter, hook or fetch runs, and only the files that plans name are written.
"""

from __future__ import annotations

import os
import re
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import Final, NamedTuple

from capwright.loading.files import DATA_CAP, ReadProblem
from capwright.loading.project import FILE

_SECONDS: Final = 120
_TEXT: Final = re.compile(rb'"((?:[^"\\\n]|\\.)+)"')
_ESCAPE: Final = re.compile(r"\\(.)")
_LINK: Final = b"120000"
_REGULAR: Final = (b"100644", b"100755")


class Entry(NamedTuple):
    """A file of a revision: its mode, its content's name, its size in bytes."""

    mode: bytes
    content: str
    size: int


def repository(beside: Path) -> Path:
    """The top of the repository that the folder `beside` lies in; raises `ReadProblem` (CW0785, CW0786)."""
    return Path(os.path.realpath(os.fsdecode(_git(beside, "rev-parse", "--show-toplevel")).rstrip("\n")))


def commit_of(top: Path, revision: str) -> str:
    """The full name of the commit that `revision` means; raises `ReadProblem` (CW0787, CW0788)."""
    wanted = f"{revision}^{{commit}}"
    if revision.isprintable() and not revision.startswith("-"):
        found = _try(top, "rev-parse", "--verify", "--quiet", "--end-of-options", wanted)
        if found is not None:
            return found.decode().strip()
    if _try(top, "rev-parse", "--is-shallow-repository") == b"true\n":
        raise ReadProblem(
            "CW0788",
            f"the revision `{revision}` is not in this clone, which is shallow",
            "fetch more history: `git fetch --unshallow`, or `fetch-depth: 0` for the checkout in a workflow",
        )
    raise ReadProblem(
        "CW0787",
        f"there is no revision `{revision}` in this repository",
        "name a branch, a tag or a commit; `git fetch` brings those of the remote: `origin/main`",
    )


def common_ancestor(top: Path, a: str, b: str) -> str | None:
    """The commit that `a` and `b` both come from; None where this clone does not know it."""
    found = _try(top, "merge-base", "--end-of-options", a, b)
    return None if found is None else found.decode().split("\n", 1)[0]


def commit_time(top: Path, commit: str) -> int:
    """When a commit was made, in seconds since 1970; 0 where that cannot be told."""
    found = _try(top, "show", "--no-patch", "--format=%ct", "--end-of-options", commit)
    return int(found) if found is not None and found.strip().isdigit() else 0


@contextmanager
def laid_out(top: Path, commit: str) -> Iterator[Path]:
    """A folder that has the plans of a commit, and the files that they name, while the block runs."""
    with tempfile.TemporaryDirectory(prefix="capwright-") as name:
        folder = Path(os.path.realpath(name))
        # The mark of a root: no path in a plan leads out of the folder.
        (folder / ".git").write_bytes(b"")
        entries = _entries(top, commit)
        plans = [path for path in entries if path.endswith(".plan") or path.rpartition("/")[2] == FILE]
        links = [path for path, entry in entries.items() if entry.mode == _LINK]
        _write(top, folder, entries, [*links, *plans])
        _write(top, folder, entries, sorted(_named(folder, entries, plans) - {*links, *plans}))
        yield folder


def renames(top: Path, commit: str) -> dict[str, str]:
    """The old path of each file that was renamed since `commit`, in the working tree's index or not, by its new one."""
    told = _try(top, "diff", "--no-ext-diff", "--find-renames=40%", "--diff-filter=R", "--name-status", "-z", commit, "--")
    parts = [] if told is None else [os.fsdecode(part) for part in told.split(b"\0")]
    return {parts[at + 2]: parts[at + 1] for at in range(0, len(parts) - 2, 3)}


def _entries(top: Path, commit: str) -> dict[str, Entry]:
    found: dict[str, Entry] = {}
    for record in _git(top, "ls-tree", "-r", "-l", "-z", "--full-tree", commit).split(b"\0"):
        head, _, raw = record.partition(b"\t")
        path = os.fsdecode(raw)
        if not path or any(part in {"", ".", "..", ".git"} for part in path.split("/")):
            continue
        mode, _, content, size = head.split()
        if mode == _LINK or mode in _REGULAR:
            found[path] = Entry(mode, content.decode(), int(size))
    return found


def _named(folder: Path, entries: dict[str, Entry], plans: list[str]) -> set[str]:
    """The files that texts in quotes may mean, in any plan: more than are read, and never less."""
    found: set[str] = set()
    for plan in plans:
        real = folder / plan
        if not real.is_file():
            continue
        for text in set(_TEXT.findall(real.read_bytes())):
            word = _ESCAPE.sub(r"\1", text.decode("utf-8", "replace"))
            for start in (real.parent, real.resolve().parent):
                target = Path(os.path.realpath(os.path.normpath(start / word))) if "\0" not in word else folder
                if target.is_relative_to(folder):
                    found.add(target.relative_to(folder).as_posix())
    beside = {str(PurePosixPath(path).parent) for path in found if path in entries}
    # A description may name others that lie beside it.
    found |= {path for path in entries if path.endswith(".json") and str(PurePosixPath(path).parent) in beside}
    return {path for path in found if path in entries}


def _write(top: Path, folder: Path, entries: dict[str, Entry], paths: list[str]) -> None:
    wanted = [path for path in paths if entries[path].size <= DATA_CAP]
    if not wanted:
        return
    asked = "".join(f"{entries[path].content}\n" for path in wanted).encode()
    told = _git(top, "cat-file", "--batch", given=asked)
    at = 0
    for path in wanted:
        line_end = told.index(b"\n", at)
        size = int(told[at:line_end].rpartition(b" ")[2])
        data = told[line_end + 1 : line_end + 1 + size]
        at = line_end + 2 + size
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        if entries[path].mode == _LINK:
            os.symlink(data, os.fsencode(target))
        else:
            target.write_bytes(data)


def _try(folder: Path, *words: str) -> bytes | None:
    try:
        return _git(folder, *words)
    except ReadProblem as problem:
        if problem.code == "CW0786":
            raise
        return None


def _git(folder: Path, *words: str, given: bytes = b"") -> bytes:
    """What git answers; raises `ReadProblem`."""
    quiet = {"GIT_TERMINAL_PROMPT": "0", "GIT_NO_LAZY_FETCH": "1", "GIT_OPTIONAL_LOCKS": "0", "LC_ALL": "C"}
    settings = ("-c", "core.fsmonitor=false", "-c", "core.quotePath=false")
    try:
        done = subprocess.run(
            ["git", *settings, *words],
            cwd=folder,
            env={**os.environ, **quiet},
            input=given,
            capture_output=True,
            timeout=_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        reason = "it took too long" if isinstance(error, subprocess.TimeoutExpired) else str(error)
        raise ReadProblem("CW0786", f"git could not be asked: {reason}", "install git, and try again") from None
    if done.returncode:
        told = done.stderr.decode("utf-8", "replace").strip().partition("\n")[0]
        raise ReadProblem(
            "CW0785",
            f"git does not answer for `{folder}`: {told or 'no reason given'}",
            "run this inside a clone of the repository that has the plans",
        )
    return done.stdout
