"""Library files as a plan takes them: one with all that it uses, read once a process and looked at again each time."""

from __future__ import annotations

import os
from pathlib import Path

from msgspec import Struct

from capwright.loading.reading import Reading

Stamp = tuple[int, int, int]
"""What tells that a file is the one that was read: its inode, size and time of change in nanoseconds."""


class Shelf(Struct, frozen=True):
    """A library file and what it uses, as a load of these alone gathered them."""

    gathered: Reading
    stamps: tuple[tuple[Path, Stamp], ...]

    @property
    def current(self) -> bool:
        """Whether every file is still as it was read."""
        try:
            return all(_stamp(path) == stamp for path, stamp in self.stamps)
        except OSError:
            return False


_shelves: dict[Path, Shelf] = {}


def shelf_of(target: Path) -> Reading | None:
    """What was gathered from this library file on; None where it was not read, or has changed since."""
    shelf = _shelves.get(target)
    return shelf.gathered if shelf is not None and shelf.current else None


def keep(target: Path, gathered: Reading) -> bool:
    """Keep a load of library files for the plans to come, if it went well and read no file but plans; whether it did."""
    if gathered.diagnostics or gathered.imports or gathered.lengths or gathered.texts:
        return False
    try:
        stamps = tuple((path, _stamp(path)) for path in gathered.files.values())
    except OSError:
        return False
    _shelves[target] = Shelf(gathered, stamps)
    return True


def take(reading: Reading, gathered: Reading) -> None:
    """Add what was gathered to a load; what it has already stays as it is."""
    for key, module in gathered.modules.items():
        if key not in reading.modules:
            reading.modules[key] = module
            reading.sources[key] = gathered.sources[key]
            reading.files[key] = gathered.files[key]
            reading.inputs.setdefault(key, gathered.inputs[key])
    reading.uses.update(gathered.uses)


def _stamp(path: Path) -> Stamp:
    status = os.stat(path)
    return status.st_ino, status.st_size, status.st_mtime_ns
