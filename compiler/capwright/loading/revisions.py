"""The plans of another revision: what git has of them, laid out in a folder to be loaded like any other.

Nothing of the repository is changed, no filter, hook or fetch runs, and only the files that plans name are written.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path, PurePosixPath
from typing import Final

from msgspec import Struct

from capwright.loading.files import DATA_CAP, ReadProblem, is_path
from capwright.loading.kept_here import lend
from capwright.loading.project import FILE

_SECONDS: Final = 120
_TEXT: Final = re.compile(rb'"((?:[^"\\\n]|\\.)+)"')
_ESCAPE: Final = re.compile(r"\\(.)")
_BESIDE: Final = (".json", ".safetensors")
_LINK: Final = b"120000"
_REGULAR: Final = (b"100644", b"100755")


class Entry(Struct, frozen=True):
    """A file or link of a revision: its mode, its content's name, its size in bytes."""

    mode: bytes
    content: str
    size: int


class Revision(Struct, frozen=True):
    """A commit of the repository at `top`, with the files in it by path, relative to its root."""

    name: str
    commit: str
    top: str
    entries: dict[str, Entry]


def revision(name: str, beside: str = ".") -> Revision:
    """The revision that git calls `name`, of the repository that holds the folder `beside`.

    Raises `ReadProblem`: CW0750 no repository, CW0751 no such revision, CW0752 not in a shallow clone.
    """
    try:
        told = _git(Path(beside), "rev-parse", "--show-toplevel")
    except ReadProblem as problem:
        raise ReadProblem(
            "CW0750",
            f"`{name}` names a revision, and {problem.message}",
            "run the command inside a clone of the repository, or name two files",
        ) from None
    top = os.path.realpath(os.fsdecode(told).rstrip("\n"))
    commit = _commit(Path(top), name)
    return Revision(name, commit, top, _entries(Path(top), commit))


def _commit(top: Path, name: str) -> str:
    if name.isprintable() and not name.startswith("-"):
        found = _try(top, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}")
        if found is not None:
            return found.decode().strip()
    if _try(top, "rev-parse", "--is-shallow-repository") == b"true\n":
        raise ReadProblem(
            "CW0752",
            f"revision `{name}` is not in this shallow clone",
            "fetch it: `git fetch --unshallow`, or a deeper checkout (`fetch-depth: 0` in a workflow)",
        )
    raise ReadProblem(
        "CW0751",
        f"git knows no revision `{name}` here",
        "see `git log` and `git branch -a`, or fetch it first: a branch of the remote is `origin/NAME`",
    )


def common_ancestor(top: str, a: str, b: str) -> str | None:
    """The commit that `a` and `b` both come from; None where this clone does not know it."""
    found = _try(Path(top), "merge-base", "--end-of-options", a, b)
    return None if found is None else found.decode().split("\n", 1)[0]


def commit_time(top: str, commit: str) -> int:
    """When a commit was made, in seconds since 1970; 0 where that cannot be told."""
    found = _try(Path(top), "show", "--no-patch", "--format=%ct", "--end-of-options", commit)
    return int(found) if found is not None and found.strip().isdigit() else 0


def file_at(top: Path, commit: str, path: str) -> bytes | None:
    """The content of one file of a commit; None where it has none there."""
    return _try(top, "cat-file", "blob", f"{commit}:{path}")


class LaidOut(Struct, frozen=True):
    """A folder that has the plans of a revision; `lent` are the private catalogues that git does not keep, read as they
    are here, and `kept` are the files that it has in the revision or now, by path from the root of the repository."""

    folder: Path
    lent: tuple[str, ...]
    kept: frozenset[str]


def kept_now(folder: Path) -> frozenset[str]:
    """The files in and below a folder that git keeps now, by path from there; none outside of a repository."""
    return _paths(_try(folder, "ls-files", "-z") or b"")


def _paths(told: bytes) -> frozenset[str]:
    return frozenset(map(os.fsdecode, filter(None, told.split(b"\0"))))


def would_keep(folder: Path, names: Sequence[str]) -> list[str]:
    """The files of a folder, of these names, that git has, or takes with all that is new: they lie in a repository that
    does not ignore them."""
    if not names or _try(folder, "rev-parse", "--show-toplevel") is None:
        return []
    # With a dot before it no name says anything but a path; where git ignores none of them, it ends with an error.
    paths = {name: os.fsencode(f"./{name}") for name in names}
    told = _try(folder, "check-ignore", "-z", "--stdin", given=b"\0".join(paths.values()))
    ignored = set((told or b"").split(b"\0"))
    return [name for name, path in paths.items() if path not in ignored]


@contextmanager
def laid_out(found: Revision) -> Iterator[LaidOut]:
    """The plans of a revision, and the files that they name, while the block runs."""
    import tempfile  # most commands read the plans that are here

    with tempfile.TemporaryDirectory(prefix="capwright-") as name:
        folder = Path(os.path.realpath(name))
        _lay_out(found, folder)
        here = _paths(_git(Path(found.top), "ls-files", "-z"))
        lent = lend(Path(found.top), folder, found.entries, here)
        yield LaidOut(folder, lent, here | found.entries.keys())


def _lay_out(found: Revision, folder: Path) -> None:
    top, entries = Path(found.top), found.entries
    # The mark of a root: no path in a plan leads out of the folder.
    (folder / ".git").write_bytes(b"")
    plans = [path for path in entries if path.endswith(".plan") or path.rpartition("/")[2] == FILE]
    links = [path for path, entry in entries.items() if entry.mode == _LINK]
    first = dict.fromkeys([*links, *plans])
    _write(top, folder, entries, list(first))
    # What a linked plan is may be called anything.
    linked = (Path(os.path.realpath(folder / path)) for path in plans if entries[path].mode == _LINK)
    behind = {real.relative_to(folder).as_posix() for real in linked if real.is_relative_to(folder)}
    rest = sorted((behind & entries.keys()) - first.keys())
    _write(top, folder, entries, rest)
    _write(top, folder, entries, sorted(_named(folder, entries, plans) - first.keys() - {*rest}))


def renames(top: str, commit: str) -> dict[str, str]:
    """The old path of each file that was renamed since `commit`, in the working tree's index or not, by its new one."""
    told = _try(
        Path(top),
        "diff",
        "--no-ext-diff",
        "--find-renames=40%",
        "--diff-filter=R",
        "--name-status",
        "-z",
        commit,
        "--",
    )
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
            if not is_path(word):
                continue
            for start in (real.parent, Path(os.path.realpath(real)).parent):
                target = Path(os.path.realpath(os.path.normpath(start / word)))
                if target.is_relative_to(folder):
                    found.add(target.relative_to(folder).as_posix())
    beside = {str(PurePosixPath(path).parent) for path in found if path in entries}
    # A description may name others that lie beside it, and an index the files that it is of.
    found |= {
        path for path in entries if path.endswith(_BESIDE) and str(PurePosixPath(path).parent) in beside
    }
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
            # A revision may hold what no disk takes for a link, and then nothing is there.
            with suppress(OSError, ValueError):
                os.symlink(data, os.fsencode(target))
        else:
            target.write_bytes(data)


def _try(folder: Path, *words: str, given: bytes = b"") -> bytes | None:
    try:
        return _git(folder, *words, given=given)
    except ReadProblem:
        return None


def _git(folder: Path, *words: str, given: bytes = b"") -> bytes:
    """What git answers; raises `ReadProblem` (CW0750)."""
    import subprocess  # most commands ask nothing of git

    quiet = {"GIT_TERMINAL_PROMPT": "0", "GIT_NO_LAZY_FETCH": "1", "GIT_OPTIONAL_LOCKS": "0", "LC_ALL": "C"}
    settings = ("-c", "core.fsmonitor=false", "-c", "core.quotePath=false")
    try:
        done = subprocess.run(  # noqa: S603 (no shell; a revision that looks like an option is refused)
            ["git", *settings, *words],  # noqa: S607 (the user's own git)
            cwd=folder,
            env={**os.environ, **quiet},
            input=given,
            capture_output=True,
            timeout=_SECONDS,
            check=False,
        )
    except (OSError, ValueError, subprocess.TimeoutExpired) as error:
        reason = "it took too long" if isinstance(error, subprocess.TimeoutExpired) else str(error)
        raise ReadProblem(
            "CW0750", f"git could not be asked: {reason}", "install git, and try again"
        ) from None
    if done.returncode:
        told = done.stderr.decode("utf-8", "replace").strip().partition("\n")[0]
        raise ReadProblem(
            "CW0750",
            f"git does not answer here: {told or 'no reason given'}",
            "run the command inside a clone of the repository",
        )
    return done.stdout
