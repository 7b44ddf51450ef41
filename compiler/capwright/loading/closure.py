"""From the path of a plan to everything it is made of: modules, imported files, hashes."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from msgspec.structs import replace

from capwright.base.source import Source, Span
from capwright.loading.files import (
    HERE,
    LIBRARY_PREFIX,
    PLAN_CAP,
    THERE,
    Folder,
    ReadProblem,
    decode,
    project_root,
    read_bytes,
    resolve,
)
from capwright.loading.imports import read_imports
from capwright.loading.library import STD, entry, library_root, saved_tree
from capwright.loading.library_listing import files_of, forgoes, known_names, library_key, names_of, remember
from capwright.loading.loaded import Loaded, Names
from capwright.loading.parsing import parse_once
from capwright.loading.project import FILE, read_project
from capwright.loading.reading import Reading
from capwright.loading.shelf import keep, shelf_of, take
from capwright.syntax.tree import Use

MAX_USES: Final = 1_000
"""How often one plan and all it uses may name a file."""
TOO_MANY: Final = ReadProblem(
    "CW0159", f"the plan names files more than {MAX_USES:,} times", "join small files into larger ones"
)


def load(
    path: str,
    *,
    root: str | None = None,
    library: Path | None = None,
    texts: Mapping[str, str] | None = None,
) -> Loaded:
    """Read the plan at `path`, the user's own word, and all that it names, directly or not.

    `root` is the folder that paths in plans may not leave (default: `project_root`); `library` replaces
    the library that belongs to this compiler; `texts` maps shown paths to texts that stand in for what is
    on disk, for an editor's unsaved buffers. What cannot be read is a diagnostic; nothing is raised.
    """
    real = _real(path)
    folder = Path(root or project_root(real)).resolve()
    reading = Reading(
        Folder(folder), Folder((library or library_root()).resolve(), LIBRARY_PREFIX), texts or {}
    )
    if not (reading.root.holds(real) or reading.library.holds(real)):
        reading.root = Folder(real.parent)
    _read_project(reading)
    home = reading.folder_of(real)
    written = Path(os.path.abspath(path.replace("\0", "")))
    # Of a link that leads nowhere, the link itself is the place to look at.
    main = home.key(
        written if os.path.islink(written) and not os.path.exists(real) and home.holds(written) else real
    )
    # What is told of a plan is read on other computers, too.
    if _read_plan(reading, main, real, None, main if os.path.isabs(path) else path):
        _follow(reading)
    return _finish(reading, main if main in reading.modules else "")


def _real(path: str) -> Path:
    # Unlike `Path.resolve`, this takes links that go in a circle.
    return Path(os.path.realpath(path.replace("\0", "")))


def _read_project(reading: Reading) -> None:
    project = read_project(reading.root.path)
    if project.source is None:
        return
    reading.sources[FILE] = project.source
    reading.project = project
    reading.diagnostics.extend(project.diagnostics)


def _follow(reading: Reading) -> None:
    """Read what the waiting modules use, and what those use, until nothing is new."""
    while reading.waiting:
        key, real = reading.waiting.pop(0)
        _name_catalogues(reading, key, real)
        named: dict[str, Use] = {}
        for statement in reading.modules[key].statements:
            if type(statement) is Use:
                named.setdefault(statement.target, statement)
        for use in named.values():
            _use(reading, key, real, use)
        # A module's imports are read after its uses, so that messages come in the order of the files.
        read_imports(reading, key, real)


def _name_catalogues(reading: Reading, key: str, real: Path) -> None:
    """Give each `use NAME` of a catalogue its alias: the names are behind `NAME.`"""
    module = reading.modules[key]
    if not reading.project.catalogues or reading.library.holds(real):
        return
    statements = tuple(
        replace(one, alias=one.alias or one.target)
        if type(one) is Use and not one.is_path and one.target in reading.project.catalogues
        else one
        for one in module.statements
    )
    reading.modules[key] = replace(module, statements=statements)


def _use(reading: Reading, key: str, real: Path, use: Use) -> None:
    reading.asked += 1
    if reading.asked >= MAX_USES:
        if reading.asked == MAX_USES:
            reading.report(_literal_span(reading.sources[key], use), TOO_MANY)
        return
    try:
        target = _target(reading, real, use)
    except ReadProblem as problem:
        reading.report(_literal_span(reading.sources[key], use), problem)
        return
    shown = reading.folder_of(target).key(target)
    if shown not in reading.modules and not _from_shelf(reading, target):
        span = _literal_span(reading.sources[key], use)
        role = "catalogue" if _is_of_catalogue(reading, key, real, use) else "plan"
        if not _read_plan(reading, shown, target, span, use.target, role):
            return
    reading.uses[key, use.target] = shown


def _from_shelf(reading: Reading, target: Path) -> bool:
    """Take a library file with all that it uses as they were read before, or are read now; False where the load has
    to look at them one by one."""
    if not reading.library.holds(target) or reading.root == reading.library:
        return False
    if any(key.startswith(LIBRARY_PREFIX) for key in reading.texts):
        return False
    gathered = shelf_of(target)
    if gathered is None:
        # Nothing of the plan's has a part in it: the library is root and library.
        alone = Reading(reading.library, reading.library, {})
        if not _read_plan(alone, reading.library.key(target), target, None, os.fspath(target)):
            return False
        _follow(alone)
        if not keep(target, alone):
            return False
        gathered = alone
    take(reading, gathered)
    return True


def _is_of_catalogue(reading: Reading, key: str, real: Path, use: Use) -> bool:
    """Whether a `use` names a catalogue of the project, or stands in one."""
    named = not use.is_path and use.target in reading.project.catalogues and not reading.library.holds(real)
    return named or reading.inputs[key].role == "catalogue"


def _target(reading: Reading, real: Path, use: Use) -> Path:
    """The real path of the file that a `use` means; raises `ReadProblem`."""
    if use.is_path and use.target.startswith(LIBRARY_PREFIX):
        return reading.resolve(use.target.removeprefix(LIBRARY_PREFIX), reading.library.path)
    if use.is_path:
        return reading.resolve(use.target, real.parent)
    catalogues = reading.project.catalogues
    if use.target in catalogues and not reading.library.holds(real):
        reading.note_input(FILE, reading.project.data or b"", "project")
        return _catalogue(reading, use.target, catalogues[use.target])
    found = reading.library.path / entry(use.target)
    if not os.path.isfile(found):
        raise ReadProblem(
            "CW0158",
            f"there is no library `{use.target}`",
            'write `use std` for the library, `use "path.plan"` for a file of your own, or name it in capwright.toml',
        )
    return found


def _catalogue(reading: Reading, name: str, path: str) -> Path:
    """The file of a catalogue; raises `ReadProblem`."""
    found = resolve(path, reading.root.path, reading.root)
    if not os.path.exists(found):
        raise ReadProblem(
            "CW0150",
            f"the catalogue `{name}` is not here: {FILE} says that it is `{path}`, and there is no such file",
            f"put it at `{path}`, or correct {FILE}; a private catalogue is not in every checkout, so leave the plans "
            "that use it to a place that has it",
        )
    return found


def _literal_span(source: Source, use: Use) -> Span:
    """The place of the path (or the library's name) in a `use` statement."""
    written = source.text[use.span.start : use.span.end]
    at = written.find(use.target)
    if at < 0:
        return use.span
    start, end = use.span.start + at, use.span.start + at + len(use.target)
    return Span(use.span.file, start - use.is_path, end + use.is_path)


def _read_plan(
    reading: Reading, key: str, real: Path, span: Span | None, shown: str, role: str = "plan"
) -> bool:
    """Read and parse one plan file; False, with a message at `span`, when it cannot be read.

    Without a span the file was named on the command line, and the message stands in the file itself.
    """
    here = span or Span(key, 0, 0)
    try:
        text = reading.texts.get(key)
        start = HERE if span is None else THERE
        data = read_bytes(real, shown, PLAN_CAP, start) if text is None else text.encode("utf-8", "replace")
        source = Source(key, decode(data, shown))
        _demand_plan(source, shown)
    except ReadProblem as problem:
        if problem.partial:
            reading.sources.setdefault(key, Source(key, problem.partial))
        bad_byte = Span(key, problem.offset, min(problem.offset + 1, len(problem.partial)))
        reading.report(bad_byte if problem.partial else here, problem)
        return False
    in_library = reading.library.holds(real)
    saved = saved_tree(real.relative_to(reading.library.path)) if in_library else None
    module, diagnostics = parse_once(source, saved)
    reading.sources[key] = source
    reading.modules[key] = module
    reading.files[key] = real
    reading.diagnostics.extend(diagnostics)
    reading.note_input(key, data, "library" if in_library else role)
    reading.waiting.append((key, real))
    return True


def _demand_plan(source: Source, shown: str) -> None:
    """Raise `ReadProblem` for JSON. Every other text is for the parser, which says what in it is no plan."""
    if source.text.lstrip().startswith(("{", "[")) and _is_json(source.text, shown):
        raise ReadProblem(
            "CW0161",
            f"`{shown}` is JSON, and no plan",
            'a plan reads a config by `config("…")`; `capwright import` writes it as a plan file, and '
            "`capwright new` a plan to start from",
            source.text,
            len(source.text) - len(source.text.lstrip()),
        )


def _is_json(text: str, name: str) -> bool:
    """Whether a text that opens like JSON is JSON, or is called so and has a mistake in it."""
    if name.endswith(".json"):
        return True
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def _finish(reading: Reading, main: str) -> Loaded:
    library = frozenset(key for key, entry in reading.inputs.items() if entry.role == "library")
    modules, uses = reading.modules, reading.uses
    digest = hashlib.sha256()
    for key in sorted(library):
        digest.update(f"{key} {reading.inputs[key].sha256}\n".encode())
    return Loaded(
        main=main,
        modules=modules,
        uses=uses,
        sources=reading.sources,
        files=reading.files,
        library=library,
        imports=reading.imports,
        lengths=reading.lengths,
        inputs=tuple(entry for entry in reading.inputs.values() if entry.role != "library"),
        library_sha256=digest.hexdigest(),
        offered=library_names(reading.library.path) if main and forgoes(main, modules, uses, library) else {},
        diagnostics=tuple(reading.diagnostics),
        shelves=files_of(reading.library.path) if library else (),
    )


def library_names(library: Path) -> Names:
    """The names that a library declares: as they were saved, if it is the one that they were saved of."""
    key = library_key(library)
    return known_names(key) or remember(key, names_of(load(str(library / entry(STD)), library=library)))
