"""`capwright.toml` at a project's root: where its plans and reports are, what its catalogues are called."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from msgspec import Struct, field

from capwright.base.diagnostic import Diagnostic, did_you_mean
from capwright.base.source import Source, Span
from capwright.loading.files import MIB, ReadProblem, decode, is_path, read_bytes
from capwright.loading.library import entry, library_root
from capwright.syntax.parse import parse

FILE: Final = "capwright.toml"
REPORTS: Final = "capwright-report"
_CAP: Final = MIB
_NAME: Final = re.compile(r"[^\W\d]\w*")
_PLACE: Final = re.compile(r"\(at line (\d+), column (\d+)\)")


class Project(Struct, frozen=True):
    """What a project says of itself. Paths are relative to its root, with forward slashes.

    `plans` are the folders (or files) that stand for the project's plans, `reports` the folder that reports are
    written to and compared with, `catalogues` the files behind a name, and with `strict` a requirement that is not
    established is a finding. `data` is the file as it stands; None where there is none.
    """

    plans: tuple[str, ...] = ()
    reports: str = REPORTS
    catalogues: Mapping[str, str] = field(default_factory=dict)
    strict: bool = False
    source: Source | None = None
    data: bytes | None = None
    diagnostics: tuple[Diagnostic, ...] = ()


def read_project(root: Path) -> Project:
    """The project whose root is `root`; what is wrong with its file is in its diagnostics, and left out."""
    path = root / FILE
    if not os.path.lexists(path):
        return Project()
    try:
        data = read_bytes(path, FILE, _CAP)
        source = Source(FILE, decode(data, FILE))
    except ReadProblem as problem:
        source = Source(FILE, problem.partial)
        span = Span(FILE, problem.offset, problem.offset)
        return Project(
            source=source, diagnostics=(Diagnostic(problem.code, span, problem.message, problem.help),)
        )
    return _read(source, data)


def _read(source: Source, data: bytes) -> Project:
    import tomllib

    try:
        table = tomllib.loads(source.text)
    except (tomllib.TOMLDecodeError, RecursionError) as mistake:
        return Project(source=source, data=data, diagnostics=(_no_toml(source, str(mistake)),))
    reader = _Reader(source)
    reader.known(table, ("plans", "reports", "catalogues", "strict"), "")
    return Project(
        reader.paths(table.get("plans", [])),
        reader.path(table.get("reports", REPORTS), "reports"),
        reader.catalogues(table.get("catalogues", {})),
        reader.flag(table.get("strict", False), "strict"),
        source,
        data,
        tuple(reader.found),
    )


def _no_toml(source: Source, mistake: str) -> Diagnostic:
    found = _PLACE.search(mistake)
    at = len(source.text)
    if found is not None:
        at = min(source.starts[int(found[1]) - 1] + int(found[2]) - 1, at)
    return Diagnostic(
        "CW0780",
        Span(FILE, at, at + 1),
        f"`{FILE}` is not TOML: {mistake.partition(' (at')[0].lower()}",
        'write `key = value` lines: texts in double quotes, lists in brackets, `plans = ["plans"]`',
    )


class _Reader:
    """Reads values, and gathers what is wrong with them."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.found: list[Diagnostic] = []

    def known(self, table: Mapping[str, Any], keys: tuple[str, ...], inside: str) -> None:
        for key in table:
            if key not in keys:
                self._say(
                    "CW0781", key, f"`{inside}{key}` is no setting of a project", did_you_mean(key, keys)
                )

    def flag(self, value: object, key: str) -> bool:
        if isinstance(value, bool):
            return value
        self._say("CW0782", key, f"`{key}` is true or false", f"write `{key} = true`")
        return False

    def path(self, value: object, key: str) -> str:
        if isinstance(value, str) and _is_inside(value):
            return value
        self._say(
            "CW0782",
            key,
            f"`{key}` is the path of something inside the project",
            f'write it relative to `{FILE}`, with forward slashes: `{key} = "reports"`',
        )
        return REPORTS

    def paths(self, value: object) -> tuple[str, ...]:
        if isinstance(value, list) and all(isinstance(one, str) and _is_inside(one) for one in value):
            return tuple(value)
        self._say(
            "CW0782",
            "plans",
            "`plans` is a list of folders, or files, inside the project",
            'write them relative to the project\'s root: `plans = ["plans", "fleet.plan"]`',
        )
        return ()

    def catalogues(self, value: object) -> dict[str, str]:
        if not isinstance(value, dict):
            self._say(
                "CW0782",
                "catalogues",
                "`catalogues` is a table",
                'write `[catalogues]` and `fleet = "fleet.plan"`',
            )
            return {}
        return {name: path for name, path in value.items() if self._catalogue(name, path)}

    def _catalogue(self, name: str, path: object) -> bool:
        if not _is_a_name(name) or os.path.isfile(library_root() / entry(name)):
            self._say(
                "CW0783",
                name,
                f"`{name}` cannot be the name of a catalogue",
                "take a name of letters, digits and `_` that no file of the library has, and that is no word such as `if`",
            )
        elif not (isinstance(path, str) and _is_inside(path)):
            self._say(
                "CW0782",
                name,
                f"the catalogue `{name}` is a file inside the project",
                f'write its path: `{name} = "private/{name}.plan"`',
            )
        else:
            return True
        return False

    def _say(self, code: str, key: str, message: str, help: str) -> None:
        found = re.search(
            rf"^[ \t]*\[?[\"']?({re.escape(key)})[\"']?[ \t]*[=.\]]", self.source.text, re.MULTILINE
        )
        span = Span(FILE, found.start(1), found.end(1)) if found else Span(FILE, 0, 0)
        self.found.append(Diagnostic(code, span, message, help))


def _is_inside(path: str) -> bool:
    parts = path.split("/")
    return is_path(path) and parts[0] != "" and ".." not in parts


def _is_a_name(name: str) -> bool:
    """Whether a plan can use a file by this name, and what is in it."""
    return _NAME.fullmatch(name) is not None and not parse(Source(FILE, f"use {name}\na = {name}.b\n"))[1]
