"""What loading hands to every later stage."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Literal

from msgspec import Struct

from capwright.base.diagnostic import Diagnostic, Missing
from capwright.base.source import Source
from capwright.document.plandoc import InputDoc
from capwright.syntax.tree import Module

Names = Mapping[Missing | Literal["field"], frozenset[str]]
"""Names by the sort of their declarations; those of fields and blocks are of the members of entities."""


class Loaded(Struct, frozen=True):
    """A plan with all it uses, read once; every later stage works from this alone.

    Modules and sources are keyed by the path shown to a reader: relative to the project's root for the
    plan's own files, `std/units.plan` for library files, `config.json (imported)` for the plan text an
    importer wrote. `main` is "" when the plan itself could not be read.
    """

    main: str
    modules: dict[str, Module]
    uses: dict[tuple[str, str], str]
    """(module, `Use.target`) to the module meant; a refused `use` has no entry, and its message."""
    sources: dict[str, Source]
    files: dict[str, Path]
    """Each module's real path, for whoever must know whether two plans share a file."""
    library: frozenset[str]
    imports: dict[tuple[str, ...], Module]
    """(module, path, `name=value` of each further argument in order of name) to the module the importer wrote."""
    lengths: dict[tuple[str, ...], object]
    """(module, path, `name=value` of each further argument in order of name) to a trace's lengths."""
    inputs: tuple[InputDoc, ...]
    library_sha256: str
    offered: Names
    """What the library declares, if a file of the plan does not use all of it; else nothing."""
    diagnostics: tuple[Diagnostic, ...]
    shelves: tuple[str, ...] = ()
    """The keys of all files of the library, read or not."""

    def unread(self, name: str) -> list[str]:
        """The files of the library that were not read and that are called by a thing's name, or by most of it: who published
        it may stand before."""
        return [key for key in self.shelves if key not in self.modules and _is_called(key, name)]


def _is_called(key: str, name: str) -> bool:
    stem = key.rpartition("/")[2].removesuffix(".plan")
    return len(name) > len(stem) / 2 and f"_{stem}".endswith(f"_{name.casefold()}")
