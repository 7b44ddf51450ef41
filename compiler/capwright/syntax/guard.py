"""Texts that are refused before parsing: too long, or with characters that a reader cannot see, or names nobody reads."""

from __future__ import annotations

import re
import unicodedata
from typing import Final

from capwright.base.diagnostic import Diagnostic
from capwright.base.source import Source, Span
from capwright.syntax.limits import MAX_NAME, MAX_TEXT

_HIDDEN: Final = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufff9-\ufffb"
    "\ud800-\udfff\U000e0000-\U000e007f\u115f\u1160\u3164\uffa0]|\r(?!\n)|(?<!^)\ufeff"
)
_LONG_NAME: Final = re.compile(rf"(?<!\w)[^\W\d]\w{{{MAX_NAME}}}")
_NAME_OR_TEXT: Final = re.compile(rf'"(?:[^"\\\n]|\\[^\n])*"?|#[^\n]*|({_LONG_NAME.pattern})')
"""Texts and comments, a text that does not end to the end of its line, and of what is left the long names."""
_NAMES: Final = {"\x00": "NUL", "\x1b": "ESC", "\r": "carriage return", "\x7f": "DELETE"}


def refusal(source: Source) -> Diagnostic | None:
    """Why this text is not parsed at all, or None."""
    if len(source.text) > MAX_TEXT:
        return _too_long(source)
    found = _HIDDEN.search(source.text)
    if found is not None:
        return _hidden(source, found.start())
    if _LONG_NAME.search(source.text) is None:  # as of all but a strange text
        return None
    names = (each.start() for each in _NAME_OR_TEXT.finditer(source.text) if each[1] is not None)
    return next((_long_name(source, at) for at in names), None)


def _long_name(source: Source, at: int) -> Diagnostic:
    return Diagnostic(
        "CW0105",
        Span(source.path, at, at + MAX_NAME),
        f"a name of more than {MAX_NAME} characters",
        "shorten it: it stands in the address of all that it leads to",
    )


def _too_long(source: Source) -> Diagnostic:
    return Diagnostic(
        "CW0106",
        Span(source.path, 0, 0),
        f"the file has {len(source.text):,} characters; at most {MAX_TEXT:,} are read",
        "split it into files and join them with `use`",
    )


def _hidden(source: Source, at: int) -> Diagnostic:
    character = source.text[at]
    name = _NAMES.get(character) or unicodedata.name(character, "a control character").lower()
    return Diagnostic(
        "CW0107",
        Span(source.path, at, at + 1),
        f"the text holds U+{ord(character):04X} ({name}), which a reader cannot see",
        "delete it; a plan holds printed characters, blanks, tabs and line ends only",
    )
