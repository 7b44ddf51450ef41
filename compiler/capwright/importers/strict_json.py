"""JSON read strictly: what a lenient reader would silently repair or drop is a message here.

Numbers are exact: whole numbers are `int`, all others `Fraction` (so `8.0` is not a whole number).
"""

from __future__ import annotations

import json
import re
from fractions import Fraction
from typing import Any, Final

from msgspec import Struct, field

from capwright.base.diagnostic import Diagnostic
from capwright.base.exact import TooLarge, parse_number
from capwright.base.source import Span
from capwright.importers.contract import Diagnostics
from capwright.importers.decoding import decoded
from capwright.importers.json_places import Path, place, pointer
from capwright.importers.words import quoted

MAX_BYTES: Final = 20_000_000
MAX_DEPTH: Final = 64
MAX_DIGITS: Final = 1_000
MAX_MESSAGES: Final = 20

_BRACKET: Final = re.compile(r'"(?:[^"\\]|\\.)*"?|[\[\]{}]', re.DOTALL)


class NotFinite(Struct, frozen=True):
    """Stands for `NaN` or `Infinity`: real files hold them where nothing reads them."""

    written: str


class TooLong(Struct, frozen=True):
    """Stands for a number of too many digits, until the walk finds its pointer."""


class _Hooks(Struct):
    """What the parser reports while it builds the value: repeated keys by object, refused values."""

    repeated: dict[int, list[str]] = field(default_factory=dict)
    objects: list[dict[str, Any]] = field(default_factory=list)
    odd_numbers: bool = False

    def pairs(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        made = dict(pairs)
        if len(made) < len(pairs):
            seen: set[str] = set()
            again = [key for key, _ in pairs if key in seen or seen.add(key)]  # type: ignore[func-returns-value]  # it returns None on purpose: false
            self.repeated[id(made)] = list(dict.fromkeys(again))
            self.objects.append(made)
        return made

    def constant(self, written: str) -> NotFinite:
        self.odd_numbers = True
        return NotFinite(written)

    def whole(self, written: str) -> int | TooLong:
        if len(written) > MAX_DIGITS:
            self.odd_numbers = True
            return TooLong()
        return int(written)

    def fraction(self, written: str) -> Fraction | TooLong:
        try:
            if len(written) <= MAX_DIGITS:
                return Fraction(parse_number(written))
        except TooLarge:
            pass
        self.odd_numbers = True
        return TooLong()


def read_json(data: bytes, shown_path: str = "") -> tuple[Any, Diagnostics]:
    """The value of a JSON file, or None with what is wrong; never raises.

    Refused: over `MAX_BYTES`, a byte-order mark, bytes that are not UTF-8, text that ends early or is no JSON,
    nesting over `MAX_DEPTH`, a key twice in one object, numbers of over `MAX_DIGITS` digits. `NaN` and `Infinity`
    are a warning and become `NotFinite`, for which every reader of a number has its own refusal. Spans are
    characters of the decoded text.
    """
    text, refusal = decoded(data, shown_path, MAX_BYTES)
    refusal = refusal or _too_deep(text, shown_path)
    if refusal is not None:
        return None, (refusal,)
    hooks = _Hooks()
    try:
        value = json.loads(
            text,
            object_pairs_hook=hooks.pairs,
            parse_constant=hooks.constant,
            parse_int=hooks.whole,
            parse_float=hooks.fraction,
        )
    except json.JSONDecodeError as error:
        return None, (_malformed(text, shown_path, error),)
    if hooks.odd_numbers or hooks.repeated:
        found = _found(value, hooks, text, shown_path)
        return (None if any(each.severity == "error" for each in found) else value), found
    return value, ()


def _too_deep(text: str, shown_path: str) -> Diagnostic | None:
    if text.count("[") + text.count("{") <= MAX_DEPTH:
        return None
    depth = 0
    for match in _BRACKET.finditer(text):
        mark = text[match.start()]
        depth += (mark in "[{") - (mark in "]}")
        if depth > MAX_DEPTH:
            message = f"lists and objects are nested more than {MAX_DEPTH} deep"
            span = Span(shown_path, match.start(), match.end())
            return Diagnostic("CW0617", span, message, "no config needs that; write it flatter")
    return None


def _malformed(text: str, shown_path: str, error: json.JSONDecodeError) -> Diagnostic:
    here = Span(shown_path, error.pos, min(error.pos + 1, len(text)))
    unterminated = error.msg.startswith("Unterminated")
    if unterminated or not text[error.pos :].strip():
        what = "the file is empty" if not text.strip() else "the file ends in the middle of a value"
        return Diagnostic("CW0612", here, what, "the copy may have broken off: fetch the file again, whole")
    line = f"line {error.lineno}, column {error.colno}"
    return Diagnostic(
        "CW0613", here, f"this is no JSON: {error.msg.lower()} at {line}", "mend it, or fetch it again"
    )


def _found(value: Any, hooks: _Hooks, text: str, shown_path: str) -> Diagnostics:
    """A message for each repeated key and refused value, in the order of the text, the first `MAX_MESSAGES`."""
    messages: list[Diagnostic] = []
    waiting: list[tuple[Path, Any]] = [((), value)]
    while waiting and len(messages) < MAX_MESSAGES:
        path, here = waiting.pop()
        if isinstance(here, NotFinite | TooLong):
            messages.append(_refusal(here, place(shown_path, text, path), pointer(path)))
        elif isinstance(here, dict):
            for key in hooks.repeated.get(id(here), ()):
                span = place(shown_path, text, (*path, key), occurrence=2)
                message = f"the key {quoted(key)} stands twice in one object, at {pointer((*path, key))}"
                messages.append(
                    Diagnostic("CW0614", span, message, "leave one: readers disagree on which counts")
                )
            waiting += [((*path, key), each) for key, each in here.items()]
        elif isinstance(here, list):
            waiting += [((*path, index), each) for index, each in enumerate(here)]
    return tuple(sorted(messages, key=lambda each: each.span.start))


def _refusal(refused: NotFinite | TooLong, span: Span, where: str) -> Diagnostic:
    if isinstance(refused, NotFinite):
        message = f"`{refused.written}` at {where} is no JSON number; it is left out"
        help = "give a finite number, or `null` where there is none"
        return Diagnostic("CW0615", span, message, help, severity="warning")
    message = f"the number at {where} has too many digits or too large an exponent"
    return Diagnostic(
        "CW0618", span, message, f"a number may have {MAX_DIGITS:_} digits and an exponent of 2,048"
    )
