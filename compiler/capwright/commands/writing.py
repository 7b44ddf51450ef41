"""Writing files whole or not at all, and into what is no file without taking its place.

One rule for all commands. A link is written through: the file that it names changes, the link stays. In a folder
of files, a link that leads out of the folder is refused: whoever wrote the folder is not to choose what is
overwritten elsewhere. Only a regular file is ever replaced. A single output that the user named may also be a
pipe or a character device (`/dev/stdout`, `/dev/null`), which are written to as they stand; whatever else is there
(a folder, a socket, a disk) is refused.
"""

from __future__ import annotations

import os
import secrets
import stat
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final

from capwright.commands.refusal import CannotRun

STANDARD_STREAMS: Final = (1, 2)


def write_all(folder: Path, files: Mapping[str, bytes]) -> list[Path]:
    """Write every file into `folder` (made where it is missing), or none; returns their paths.

    All content is on the disk under temporary names before the first file gets its own name, so that an
    interrupted or refused write leaves what was there. Raises `CannotRun` (CW0701).
    """
    _demand_folder(folder)
    made = not folder.exists()
    staged: dict[Path, Path] = {}
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, data in files.items():
            target = _replaced(folder / name)
            _demand_inside(folder / name, target, folder)
            staged[_stage(target, data)] = target
        for temporary, target in staged.items():
            os.replace(temporary, target)
    except BaseException as error:  # one who is tired of waiting leaves nothing half written, either
        for temporary in staged:
            temporary.unlink(missing_ok=True)
        if made and folder.is_dir() and not any(folder.iterdir()):
            folder.rmdir()
        if isinstance(error, OSError):
            raise _refused(folder, error) from None
        raise
    return [folder / name for name in files]


def write_one(path: Path, data: bytes, read: Iterable[str | Path] = (), *, replace: bool = True) -> bool:
    """Write one output: a file whole or not at all, with the rights of the file it replaces. What the command has
    `read` is not to be replaced by what it makes of it, nor without `replace` anything that says something else.

    Returns False where it went to the standard output, which has no room for a word about it. Raises
    `CannotRun` (CW0701, CW0708).
    """
    try:
        stream = _standard_stream(path)
        if stream is not None:
            sys.stdout.flush()
            _write_to(os.dup(stream), data)
            return stream != STANDARD_STREAMS[0]
        if not is_a_file(path):
            _write_to(os.open(path, os.O_WRONLY | os.O_NOCTTY | os.O_CLOEXEC), data)
            return True
        _demand_folder(path.parent)
        target = _replaced(path)
        if any(_same(target, Path(each)) for each in read):
            raise OSError(f"`{path.name}` is what the command reads")
        if not replace and target.exists() and target.read_bytes() != data:
            raise CannotRun(
                "CW0708",
                f"`{path}` is there already, and says something else",
                "write to another file, or replace this one with `--force`",
            )
    except OSError as error:
        raise _refused(path, error) from None
    write_all(target.parent, {target.name: data})
    return True


def _demand_folder(folder: Path) -> None:
    """Raise `CannotRun` (CW0701) where something else is in the place of a folder that is to be written to, or of one that
    it would lie in."""
    for place in (folder, *folder.parents):
        if not os.path.lexists(place):
            continue
        if os.path.isdir(place):
            return
        what = "a file" if place.is_file() else "a link to nothing" if place.is_symlink() else "no folder"
        which = "it" if place == folder else f"`{place}`"
        raise CannotRun(
            "CW0701",
            f"cannot write to `{folder}`, which is to be a folder: {which} is {what}",
            "name another folder with `-o`, or move away what is there",
        )


def _same(one: Path, other: Path) -> bool:
    try:
        return os.path.samefile(one, other)
    except OSError:
        return False


def is_a_file(path: Path) -> bool:
    """Whether an output of this name is a file, or would be one: no pipe, and no device of characters."""
    try:
        mode = path.stat().st_mode
    except OSError:
        return True
    return not (stat.S_ISFIFO(mode) or stat.S_ISCHR(mode))


def _standard_stream(path: Path) -> int | None:
    """The standard output or error stream where `path` is what it goes to.

    Also of a file that a shell opened for it: to replace that file would leave the stream without a name, and to
    open it anew would overwrite what is in it.
    """
    for stream in STANDARD_STREAMS:
        try:
            if os.path.samestat(path.stat(), os.fstat(stream)):
                return stream
        except OSError:
            continue
    return None


def _write_to(handle: int, data: bytes) -> None:
    with os.fdopen(handle, "wb") as file:
        file.write(data)


def _replaced(path: Path) -> Path:
    """The file that a write to `path` replaces, behind all links; raises `OSError` for what is no regular file."""
    if path.is_symlink():
        path = Path(os.path.realpath(path))
    try:
        mode = path.stat().st_mode
    except FileNotFoundError:
        return path
    if stat.S_ISDIR(mode):
        raise OSError(f"`{path.name}` is a folder")
    if not stat.S_ISREG(mode):
        raise OSError(f"`{path.name}` is a device, a pipe or a socket")
    return path


def _demand_inside(path: Path, target: Path, folder: Path) -> None:
    inside = Path(os.path.realpath(folder))
    if target != path and inside not in target.parents:
        raise OSError(f"`{path.name}` is a link that leads out of the folder")


def _stage(target: Path, data: bytes) -> Path:
    """The content under a temporary name beside its target."""
    mode = target.stat().st_mode & 0o7777 if target.exists() else None
    temporary = target.with_name(f".{target.name}.{secrets.token_hex(4)}")
    handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(handle)
        if mode is not None:
            temporary.chmod(mode)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    return temporary


def _refused(place: Path, error: OSError) -> CannotRun:
    reason = os.strerror(error.errno).lower() if error.errno else str(error)
    return CannotRun(
        "CW0701",
        f"cannot write to `{place}`: {reason}",
        "name a file or a folder that you may write to with `-o`",
    )
