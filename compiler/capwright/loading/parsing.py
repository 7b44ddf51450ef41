"""Parsing each text once: the library when the package is built, all else once a process."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from capwright.base.diagnostic import Diagnostic
from capwright.base.source import Source
from capwright.syntax import treecodec
from capwright.syntax.parse import parse
from capwright.syntax.tree import Module

Parsed = tuple[Module, tuple[Diagnostic, ...]]

_REMEMBERED: Final = 128
_parsed: dict[tuple[str, str], Parsed] = {}
_library: dict[tuple[str, str], Parsed] = {}
"""Trees of the library, which every plan uses: they are never forgotten."""


def parse_once(source: Source, saved: Path | None = None) -> Parsed:
    """The tree of a text and what is wrong with it; a pure function of path and text, remembered.

    `saved` is where the build left the tree of a library file; it is used if it belongs to this very text.
    """
    key = (source.path, source.text)
    known = _parsed if saved is None else _library
    found = known.get(key)
    if found is None:
        if known is _parsed and len(known) >= _REMEMBERED:
            known.pop(next(iter(known)))
        found = known[key] = _saved(source, saved) or parse(source)
    return found


def _saved(source: Source, saved: Path | None) -> Parsed | None:
    if saved is None:
        return None
    try:
        data = saved.read_bytes()
    except OSError:
        return None
    module = treecodec.load(data, source.path, source.text)
    return None if module is None else (module, ())
