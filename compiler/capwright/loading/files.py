"""Reading a file that a plan names, without being led anywhere else.

A plan may come from a stranger's pull request. It reads regular files inside its project's root and
nothing besides: no way up and out, no link that leads out, no device that never ends, no file larger than
its cap. Every refusal is a `ReadProblem`, which the caller turns into a message at the path's place.
"""

from __future__ import annotations

import errno
import os
import stat
from codecs import BOM_UTF8
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from msgspec import Struct

from capwright.base.diagnostic import nearest, offered

MIB: Final = 1 << 20
FIRST: Final = 8
PLAN_CAP: Final = 16 * MIB
DATA_CAP: Final = 256 * MIB
LIBRARY_PREFIX: Final = "std/"
"""What stands before the path of a library file where a reader sees it."""
THERE: Final = "the file that names it"
HERE: Final = "the folder that you are in"
"""What a path is relative to: one that stands in a file, and one that the user typed."""
GIT: Final = ".git"
ROOT_MARKS: Final = (GIT, "capwright.toml")


class ReadProblem(Exception):
    """Why a file was not read, which reaches a user as a message: a code, what is wrong, the way out.

    `offset` is the first undecodable byte's place in `partial`, the text with its bad bytes replaced.
    """

    def __init__(self, code: str, message: str, help: str, partial: str = "", offset: int = 0) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.help = help
        self.partial = partial
        self.offset = offset


class Folder(Struct, frozen=True):
    """A root that paths may not leave. `shown` stands before the paths shown to a reader."""

    path: Path
    shown: str = ""

    def key(self, real: Path) -> str:
        """The path of a file under this root as a reader sees it, with forward slashes."""
        inside = os.fspath(real)[len(self._before()) :].replace(os.sep, "/")
        if not self.shown and inside.startswith(LIBRARY_PREFIX):
            return f"./{inside}"  # a folder of the user's own that is called like the library
        return self.shown + inside

    def holds(self, real: Path) -> bool:
        """Whether the resolved path `real` lies in this root."""
        # As texts: both are resolved, and a plan asks this often enough for `Path` to be felt.
        return os.fspath(real).startswith(self._before()) or real == self.path

    def _before(self) -> str:
        root = os.fspath(self.path)
        return root if root.endswith(os.sep) else root + os.sep


def project_root(plan: Path) -> Path:
    """The nearest folder at or above the plan's with `.git` or `capwright.toml`, else the plan's own."""
    for folder in plan.parents:
        if any((folder / mark).exists() for mark in ROOT_MARKS):
            return folder
    return plan.parent


def is_path(text: str) -> bool:
    """Whether a text that stands in a file can be a path at all: the system itself fails over some that cannot."""
    return bool(text) and text.isprintable() and "\\" not in text


def resolve(text: str, beside: Path, root: Folder) -> Path:
    """The real path that `text`, written in a file in folder `beside`, stands for; raises `ReadProblem`.

    `text` may go up, but neither it nor a link on the way may leave `root`.
    """
    if not is_path(text):
        raise ReadProblem(
            "CW0160",
            "this is not a path",
            "write the file's path relative to this file, with forward slashes: `parts/fleet.plan`",
        )
    wanted = Path(os.path.normpath(beside / text))
    if text.startswith("/") or not root.holds(wanted):
        raise ReadProblem(
            "CW0151",
            f"`{text}` leads out of the project",
            "paths are relative to the file that names them and stay inside the project's root; "
            "copy the file into the project",
        )
    real = _behind_links(wanted, root)
    demand_inside(real, text, root)
    return real


def demand_inside(real: Path, shown: str, root: Folder) -> None:
    """Raise `ReadProblem` where `real`, which the path `shown` leads to behind all links, is not for plans in `root` to
    read."""
    if not root.holds(real):
        raise ReadProblem(
            "CW0152",
            f"`{shown}` is a link, or lies behind one, that leads out of the project",
            "put the file itself into the project instead of a link to it",
        )
    if GIT in real.relative_to(root.path).parts:
        raise ReadProblem(
            "CW0151", f"`{shown}` lies in what git keeps for itself", "put the file beside the plans"
        )


def _behind_links(wanted: Path, root: Folder) -> Path:
    """`wanted` with every link followed. Above the root there are none: only what lies below it is looked at."""
    step = wanted
    while step != root.path:
        if os.path.islink(step):
            return Path(os.path.realpath(wanted))
        step = step.parent
    return wanted


def read_bytes(real: Path, shown: str, cap: int, start: str = THERE) -> bytes:
    """The content of a regular file of at most `cap` bytes; raises `ReadProblem` for anything else.

    `start` says what the path `shown` is relative to.
    """
    try:
        _demand_regular(os.stat(real).st_mode, shown)
        # Without O_NONBLOCK a pipe put in the file's place after the look at it would hang the compiler.
        handle = os.open(real, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        with open(handle, "rb") as file:
            _demand_regular(os.fstat(handle).st_mode, shown)
            data = file.read(cap + 1)
    except OSError as error:
        raise _refused(error, real, shown, start) from None
    if len(data) > cap:
        raise ReadProblem(
            "CW0157",
            f"`{shown}` is larger than {cap // MIB} MiB",
            "split it into several files, or leave out what the plan does not need",
        )
    return data


def read_head(
    real: Path, shown: str, length: Callable[[bytes], int], start: str = THERE
) -> tuple[bytes, int]:
    """The beginning of a regular file and the bytes of the whole; raises `ReadProblem` for anything else.

    `length` says by the first eight bytes how many to read; `start` is as in `read_bytes`.
    """
    try:
        _demand_regular(os.stat(real).st_mode, shown)
        handle = os.open(real, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        with open(handle, "rb") as file:
            status = os.fstat(handle)
            _demand_regular(status.st_mode, shown)
            first = file.read(FIRST)
            return first + file.read(max(0, length(first) - len(first))), status.st_size
    except OSError as error:
        raise _refused(error, real, shown, start) from None


def decode(data: bytes, shown: str) -> str:
    """UTF-8 text with `\\n` line ends; raises `ReadProblem` with the place of the first bad byte."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        # The mark at the beginning of a file is not counted there.
        start = error.start + len(BOM_UTF8) * data.startswith(BOM_UTF8)
        before = data[:start].decode("utf-8-sig", "replace").replace("\r\n", "\n")
        partial = data.decode("utf-8-sig", "replace").replace("\r\n", "\n")
        raise ReadProblem(
            "CW0156",
            f"`{shown}` is not UTF-8 text: byte {start} is 0x{data[start]:02x}",
            "save the file as UTF-8",
            partial,
            len(before),
        ) from None
    return text.replace("\r\n", "\n") if "\r" in text else text


def read_typed(path: str, cap: int = PLAN_CAP) -> tuple[Path, bytes]:
    """The real path and content of a file that the user named himself; raises `ReadProblem`."""
    if "\0" in path:
        raise ReadProblem("CW0160", "this is not a path", "name a file")
    real = Path(os.path.realpath(path))
    return real, read_bytes(real, path, cap, HERE)


def read_typed_head(path: str, length: Callable[[bytes], int]) -> tuple[bytes, int]:
    """The beginning of a file that the user named himself and the bytes of the whole; raises `ReadProblem`."""
    if "\0" in path:
        raise ReadProblem("CW0160", "this is not a path", "name a file")
    return read_head(Path(os.path.realpath(path)), path, length, HERE)


def _demand_regular(mode: int, shown: str) -> None:
    if stat.S_ISDIR(mode):
        raise ReadProblem("CW0153", f"`{shown}` is a folder", "name one file in it")
    if not stat.S_ISREG(mode):
        raise ReadProblem("CW0154", f"`{shown}` is a device, a pipe or a socket", "name a regular file")


def _refused(error: OSError, real: Path, shown: str, start: str) -> ReadProblem:
    if error.errno == errno.ENOENT and start == HERE and os.path.islink(shown):
        return ReadProblem(
            "CW0150",
            f"`{shown}` is a link to a file that is not there",
            "delete the link, or put a file where it leads",
        )
    if error.errno in (errno.ENOENT, errno.ENOTDIR):
        return ReadProblem("CW0150", f"there is no file `{shown}`", _nearest_file(real, shown, start))
    reason = os.strerror(error.errno) if error.errno else "unknown reason"
    ways = {
        errno.ELOOP: "put the file itself there: the link leads back to itself",
        errno.ENAMETOOLONG: "give the file a shorter name",
    }
    way = ways.get(
        error.errno or 0, "see that it is a readable file on a working disk, and that you may read it"
    )
    return ReadProblem("CW0155", f"`{shown}` cannot be read: {reason.lower()}", way)


def _near_names(real: Path, names: Sequence[str]) -> list[str]:
    """The names that a file's is a slip for. What stands before the dot is compared by itself, and so is what stands behind:
    that two files are plans makes neither a slip for the other."""
    stems: dict[str, list[Path]] = {}
    for name in names:
        stems.setdefault(Path(name).stem, []).append(Path(name))
    found = [path for stem in nearest(real.stem, stems) for path in stems[stem]]
    if not real.suffix:
        return [path.name for path in found]
    suffixes = nearest(real.suffix[1:], {path.suffix[1:] for path in found})
    return [path.name for path in found if path.suffix[1:] in suffixes]


def _nearest_file(real: Path, shown: str, start: str) -> str:
    """A help sentence with the nearest file name in the folder, or with the nearest folder that exists."""
    if shown == LIBRARY_PREFIX[:-1] and start == THERE:
        return "the library is no file: write `use std`, without quotes"
    folder = real.parent
    try:
        names = sorted(os.listdir(folder))
    except OSError:
        return f"there is no folder `{os.path.dirname(shown)}` either: check the path, which is relative to {start}"
    close = _near_names(real, names)
    if not close:
        return f"check the path: it is relative to {start}"
    before = "".join(shown.rpartition("/")[:2])
    return offered([before + name for name in close])
