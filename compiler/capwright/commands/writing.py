"""Writing files whole or not at all."""

from __future__ import annotations

import os
import secrets
from collections.abc import Mapping
from pathlib import Path

from capwright.commands.failing import CannotRun


def write_all(folder: Path, files: Mapping[str, bytes]) -> list[Path]:
    """Write every file into `folder` (made where it is missing), or none; returns their paths.

    All content is on the disk under temporary names before the first file gets its own name, so that an
    interrupted or refused write leaves what was there. Raises `CannotRun` (CW0701).
    """
    made = not folder.exists()
    staged: dict[Path, Path] = {}
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, data in files.items():
            staged[_stage(folder / name, data)] = folder / name
        for temporary, target in staged.items():
            os.replace(temporary, target)
    except OSError as error:
        for temporary in staged:
            temporary.unlink(missing_ok=True)
        if made and folder.is_dir() and not any(folder.iterdir()):
            folder.rmdir()
        raise CannotRun(
            "CW0701",
            f"cannot write to `{folder}`: {_reason(error)}",
            "name a folder that you may write to with `-o`",
        ) from None
    return list(staged.values())


def write_one(path: Path, data: bytes) -> None:
    """Write one file whole or not at all, with the rights of the file it replaces."""
    write_all(path.parent, {path.name: data})


def _stage(target: Path, data: bytes) -> Path:
    """The content under a temporary name beside its target."""
    if target.is_dir():
        raise IsADirectoryError(21, "is a directory")
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
    except OSError:
        temporary.unlink(missing_ok=True)
        raise
    return temporary


def _reason(error: OSError) -> str:
    return os.strerror(error.errno).lower() if error.errno else str(error)
