"""The files that `import` is given: whole, or as far as their reader wants them, with what lies beside."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from capwright.commands.refusal import CannotRun
from capwright.loading import ReadProblem, read_typed, read_typed_head

if TYPE_CHECKING:
    from capwright.importers import Beside, Reader


def reader_of(path: str, readers: Mapping[str, Reader], usual: str) -> Reader:
    """The reader whose files end as this one does, or the usual one."""
    name = os.path.basename(path)
    return next(
        (each for each in readers.values() if each.suffixes and name.endswith(each.suffixes)), readers[usual]
    )


def read_with(path: str, reader: Reader) -> tuple[bytes, int]:
    """What the reader wants of a file, and the bytes of the whole; raises `CannotRun`."""
    try:
        if reader.head is not None:
            return read_typed_head(path, reader.head)
        data = read_typed(path, reader.cap)[1]
    except ReadProblem as problem:
        raise CannotRun(problem.code, problem.message, problem.help) from None
    return data, len(data)


def files_beside(
    path: str, data: bytes, size: int, reader: Reader, given: Mapping[str, str | None]
) -> Beside:
    """The further files that the command names, those that lie beside the file under a known name, and those that the
    file itself names."""
    from capwright.importers import Beside

    files: dict[str, tuple[str, bytes]] = {}
    sizes = {"": size}
    folder = Path(path).parent
    for name in reader.takes:
        sibling = folder / reader.siblings.get(name, "")
        named = given.get(name)
        if named is not None:
            files[name] = Path(named).name, read_with(named, reader)[0]
        elif name in reader.siblings and os.path.isfile(sibling):
            files[name] = sibling.name, read_with(str(sibling), reader)[0]
    for name in reader.named(data) if reader.named is not None else ():
        if os.path.isfile(folder / name):
            content, sizes[name] = read_with(str(folder / name), reader)
            files[name] = name, content
    return Beside(files, sizes)


def files_read(path: str, given: Mapping[str, str | None], beside: Beside) -> list[Path]:
    """All files that were read for a description: it, those that the command named, and those that lay beside it."""
    named = [Path(each) for name in beside.files if (each := given.get(name)) is not None]
    return [Path(path), *named, *(Path(path).parent / shown for shown, _ in beside.files.values())]
