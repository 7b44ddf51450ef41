"""Reading the files that plans name in calls of readers: a description to import, a table of lengths."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Final

from capwright.base.diagnostic import Diagnostic
from capwright.base.source import IMPORTED, Source
from capwright.loading.calls import ReaderCall, reader_calls
from capwright.loading.files import FIRST, ReadProblem, decode, read_bytes, read_head, resolve
from capwright.loading.parsing import parse_once
from capwright.loading.reading import Reading

if TYPE_CHECKING:
    from capwright.importers.contract import Reader


_REMEMBERED: Final = 16
_written: dict[tuple[object, ...], tuple[str | None, tuple[Diagnostic, ...]]] = {}


def read_imports(reading: Reading, key: str, real: Path) -> None:
    """Read what the reader calls of one module name; each path once, whatever calls name it."""
    calls = reader_calls(reading.modules[key], reading.sources[key])
    if not calls:
        return
    # Most files import nothing, and then no reader's needs are imported either.
    from capwright.importers import READERS

    for call in calls:
        reader = READERS.get(call.function)
        if reader is not None:
            _read(reading, key, real, call, reader)


def _read(reading: Reading, key: str, real: Path, call: ReaderCall, reader: Reader) -> None:
    names = tuple(f"{name}={column}" for name, column in sorted(call.columns.items()))
    if (key, call.path, *names) in reading.imports or (key, call.path, *names) in reading.lengths:
        return
    try:
        target = resolve(call.path, real.parent, reading.folder_of(real))
        shown = reading.folder_of(target).key(target)
        data, sizes = _content(target, call.path, reader)
        files = dict(_beside(reading, real, target, call, reader))
        for name in reader.named(data) if reader.named is not None else ():
            if os.path.lexists(target.parent / name):
                found = resolve(name, target.parent, reading.folder_of(target))
                content, whole = _content(found, os.path.join(os.path.dirname(call.path), name), reader)
                files[name] = (reading.folder_of(found).key(found), content)
                sizes[name] = whole[""]
                reading.note_input(files[name][0], content, reader.name)
    except ReadProblem as problem:
        reading.report(call.path_span, problem)
        return
    reading.note_input(shown, data, reader.name)
    if reader.to_plan_text is not None:
        text, problems = _plan_text(reader, data, shown, call.declares, files, sizes)
        if text is not None:
            source = Source(f"{shown}{IMPORTED}", text)
            module, mistakes = parse_once(source)
            reading.sources[source.path] = source
            reading.imports[(key, call.path, *names)] = module
            problems = (*problems, *mistakes)
    elif reader.to_lengths is not None:
        lengths, problems = reader.to_lengths(data, shown, call.columns)
        if lengths is not None:
            reading.lengths[(key, call.path, *names)] = lengths
    else:
        return
    reading.diagnostics.extend(problems)
    for file, content in ((shown, data), *files.values()):
        if any(problem.span.file == file for problem in problems):
            reading.sources.setdefault(file, as_text(file, content))


def _content(target: Path, shown: str, reader: Reader) -> tuple[bytes, dict[str, int]]:
    """What is read of a file, and its whole size under "" where that may be more."""
    if reader.head is None:
        return read_bytes(target, shown, reader.cap), {}
    head, size = read_head(target, shown, reader.head)
    return head, {"": size}


def _beside(
    reading: Reading, real: Path, target: Path, call: ReaderCall, reader: Reader
) -> Iterator[tuple[str, tuple[str, bytes]]]:
    """The further files of a call: those that its arguments name, and those that lie beside the file under a known
    name. Raises `ReadProblem` for one that is named and cannot be read."""
    for name in reader.takes:
        given, sibling = call.columns.get(name), reader.siblings.get(name, "")
        if given is not None:
            found = resolve(given, real.parent, reading.folder_of(real))
        elif sibling and (target.parent / sibling).is_file():
            found = resolve(sibling, target.parent, reading.folder_of(target))
        else:
            continue
        shown = reading.folder_of(found).key(found)
        data = read_bytes(found, given or found.name, reader.cap)
        reading.note_input(shown, data, name)
        yield name, (shown, data)


def _plan_text(
    reader: Reader,
    data: bytes,
    shown: str,
    declares: str,
    files: dict[str, tuple[str, bytes]],
    sizes: dict[str, int],
) -> tuple[str | None, tuple[Diagnostic, ...]]:
    """What the reader writes: a pure function of what it is given, remembered, since plans share descriptions."""
    from capwright.importers.contract import Beside

    key = (reader.name, data, shown, declares, tuple(sorted(files.items())), tuple(sorted(sizes.items())))
    found = _written.get(key)
    if found is None:
        assert reader.to_plan_text is not None
        text, problems = reader.to_plan_text(data, shown, declares, Beside(files, sizes))
        if len(_written) >= _REMEMBERED:
            _written.pop(next(iter(_written)))
        found = _written[key] = text, tuple(problems)
    return found


def as_text(shown: str, data: bytes) -> Source:
    """A data file as text, for the excerpts of messages about it; none of a file that is no text."""
    if b"\0" in data[:FIRST]:
        return Source(shown, "")
    try:
        return Source(shown, decode(data, shown))
    except ReadProblem as problem:
        return Source(shown, problem.partial if problem.offset >= FIRST else "")
