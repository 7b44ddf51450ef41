"""Parsing each text once: what an editor or a loop of checks asks for again is remembered."""

from __future__ import annotations

from typing import Final

from capwright.base.diagnostic import Diagnostic
from capwright.base.source import Source
from capwright.syntax.parse import parse
from capwright.syntax.tree import Module

Parsed = tuple[Module, tuple[Diagnostic, ...]]

_REMEMBERED: Final = 256
_parsed: dict[tuple[str, str], Parsed] = {}


def parse_once(source: Source) -> Parsed:
    """The tree of a text and what is wrong with it; a pure function of path and text, remembered."""
    key = (source.path, source.text)
    found = _parsed.get(key)
    if found is None:
        if len(_parsed) >= _REMEMBERED:
            _parsed.pop(next(iter(_parsed)))
        module, diagnostics = parse(source)
        found = _parsed[key] = (module, tuple(diagnostics))
    return found
