"""Where a value stands in the text of a JSON file, found only when a message needs it."""

from __future__ import annotations

import json
import re
from json.decoder import scanstring  # type: ignore[attr-defined]  # the typeshed leaves it out
from typing import Final

from capwright.base.source import Span

_BLANK: Final = re.compile(r"[ \t\n\r]*")
# Only places are wanted, however long a number is.
_DECODER: Final = json.JSONDecoder(parse_int=str, parse_float=str)

Path = tuple[str | int, ...]


def pointer(path: Path) -> str:
    """The JSON pointer of a path of keys and indices: `/rope_scaling/factor`."""
    return "".join(f"/{str(part).replace('~', '~0').replace('/', '~1')}" for part in path)


def place(file: str, text: str, path: Path, occurrence: int = 1) -> Span:
    """The span of the value at `path` in well-formed JSON text, or of the whole file's start.

    `occurrence` counts the members of that name where a key is repeated.
    """
    try:
        at = _skip(text, 0)
        for depth, part in enumerate(path):
            nth = occurrence if depth == len(path) - 1 else 1
            at = _member(text, at, part, nth) if isinstance(part, str) else _element(text, at, part)
        return Span(file, at, _end(text, at))
    except (ValueError, IndexError, RecursionError):
        return Span(file, 0, 0)


def _member(text: str, at: int, key: str, nth: int) -> int:
    at = _skip(text, at + 1)
    while True:
        name, at = scanstring(text, at + 1)
        at = _skip(text, _skip(text, at) + 1)
        if name == key:
            nth -= 1
            if nth == 0:
                return at
        at = _skip(text, _skip(text, _end(text, at)) + 1)


def _element(text: str, at: int, index: int) -> int:
    at = _skip(text, at + 1)
    for _ in range(index):
        at = _skip(text, _skip(text, _end(text, at)) + 1)
    return at


def _end(text: str, at: int) -> int:
    return _DECODER.raw_decode(text, at)[1]


def _skip(text: str, at: int) -> int:
    found = _BLANK.match(text, at)
    return found.end() if found else at
