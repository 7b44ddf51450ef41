"""What one load gathers while it goes from file to file."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from pathlib import Path

from msgspec import Struct, field

from capwright.base.diagnostic import Diagnostic
from capwright.base.source import Source, Span
from capwright.document.plandoc import InputDoc
from capwright.loading.files import Folder, ReadProblem, resolve
from capwright.loading.project import Project
from capwright.syntax.tree import Module


class Reading(Struct):
    """One load under way. Folders are where paths may lead; the rest becomes the `Loaded`."""

    root: Folder
    library: Folder
    texts: Mapping[str, str]
    modules: dict[str, Module] = field(default_factory=dict)
    uses: dict[tuple[str, str], str] = field(default_factory=dict)
    sources: dict[str, Source] = field(default_factory=dict)
    files: dict[str, Path] = field(default_factory=dict)
    imports: dict[tuple[str, ...], Module] = field(default_factory=dict)
    lengths: dict[tuple[str, ...], object] = field(default_factory=dict)
    inputs: dict[str, InputDoc] = field(default_factory=dict)
    diagnostics: list[Diagnostic] = field(default_factory=list)
    project: Project = field(default_factory=Project)
    asked: int = 0
    """How many files were named so far."""
    waiting: list[tuple[str, Path]] = field(default_factory=list)
    _resolved: dict[tuple[str, str], Path] = field(default_factory=dict)

    def folder_of(self, real: Path) -> Folder:
        """The library for its own files, the project for all others."""
        return self.library if self.library.holds(real) else self.root

    def resolve(self, text: str, beside: Path) -> Path:
        """`resolve` in the root of folder `beside`, asked of the disk once: files of a folder name the same ones."""
        key = (text, os.fspath(beside))
        found = self._resolved.get(key)
        if found is None:
            found = self._resolved[key] = resolve(text, beside, self.folder_of(beside))
        return found

    def report(self, span: Span, problem: ReadProblem) -> None:
        """Turn a refusal into a message at `span`."""
        self.diagnostics.append(Diagnostic(problem.code, span, problem.message, problem.help))

    def note_input(self, key: str, data: bytes, role: str) -> None:
        """Remember the hash of a file that goes into the plan."""
        self.inputs.setdefault(key, InputDoc(key, hashlib.sha256(data).hexdigest(), role))
