"""The Markdown files of a project that have something to weave."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from capwright.commands.projects import project_of
from capwright.loading import ReadProblem, read_typed

_FOREIGN: Final = frozenset({"node_modules", "site-packages"})
"""Folders of what others wrote."""
_MARKER: Final = b"capwright:"


def project_documents() -> list[str]:
    """Every Markdown file of the project here that has the word of a marker in it, as paths from here, in order.

    Hidden folders, links and what package managers put there are passed over.
    """
    _, root = project_of(".")
    return [os.path.relpath(path) for path in sorted(_below(root)) if _is_marked(path)]


def _below(folder: Path) -> Iterator[Path]:
    for here, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith(".") and name not in _FOREIGN]
        for name in names:
            path = Path(here, name)
            if name.endswith((".md", ".markdown")) and path.is_file() and not path.is_symlink():
                yield path


def _is_marked(path: Path) -> bool:
    try:
        return _MARKER in read_typed(str(path))[1]
    except ReadProblem:
        return False
