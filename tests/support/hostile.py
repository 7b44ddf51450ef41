"""A document in which every free text carries the same foreign words."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from typing import Any

from hypothesis import strategies as st
from msgspec import Struct
from msgspec.structs import replace

CLOSED = {
    "factor", "low", "nominal", "high", "margin_low", "margin_nominal", "margin_high", "relation", "sort", "verb",
    "status", "comparison", "severity", "chart", "difference", "ratio", "share", "error", "part", "what", "method",
    "edit",
}  # fmt: skip
"""Fields that hold no free text; a document with anything else in them is refused when it is read."""

TOKENS = [
    "<script>alert(1)</script>", "<img src=x onerror=alert(1)>", "</summary></details>", "<!--", "-->", "]]>", "<a href=x>",
    "&lt;", "&#60;", "&", '"', "'", "`", "``", "```", "~~~", "|", "\\", "\\|", "*", "**", "_", "__", "[x](http://e.example)",
    "![x](//e.example/i.png)", "[", "](", ")", "<http://e.example>", "http://e.example", "https://e.example", "www.e.example",
    "a@e.example", "@someone", "#12", "GH-34", "o/r#5", ":tada:", "$x$", "$$", "{{ 7*7 }}", "{% raw %}", "${x}", "=cmd()",
    "\n", "\n\n", "\r\n", "\t", "\n# x", "\n- x", "\n> x", "\n---\n", "\n```\n", "\n| a | b |\n|--|--|\n", "    ",
    "::error::x", "\n::error file=a::x", "##[error]x", "%0A::error::x", "\x1b[31m", "\x1b]8;;http://e.example\x07", "\x9b31m",
    "\x00", "\x07", "\x08", "\x7f", "\u202e", "\u2066", "\u2028", "\ufeff", "\ud800", "é", "漢", "\U000e0041", "1", "12", "x",
    ",", ":", ".", "/", "!", "^2", "=", "+", "-",
]  # fmt: skip
"""What has got out of some renderer somewhere."""

words = st.lists(st.sampled_from(TOKENS), min_size=1, max_size=8).map("".join)


def poisoned(value: Any, words: str) -> Any:
    """`value` with `words` after every free text, the same address staying the same everywhere."""
    if isinstance(value, Struct):
        changed = {
            name: poisoned(getattr(value, name), words)
            for name in value.__struct_fields__
            if name not in CLOSED
        }
        return replace(value, **changed)
    if isinstance(value, tuple):
        return tuple(poisoned(item, words) for item in value)
    if isinstance(value, dict) and "op" in value:
        return {key: _poisoned_member(key, item, words) for key, item in value.items()}
    if isinstance(value, dict):
        return {f"{key}{words}": poisoned(item, words) for key, item in value.items()}
    return f"{value}{words}" if isinstance(value, str) else value


def _poisoned_member(key: str, item: Any, words: str) -> Any:
    if key in {"op", "value", "step", "which", "exponent", "function"}:
        return item
    if key == "static":
        return [{**given, "text": given["text"] + words} for given in item]
    if isinstance(item, list):
        return [poisoned(each, words) for each in item]
    return poisoned(item, words)


def harmless(words: str) -> str:
    """Plain words as long as `words`."""
    return "x" * len(words)


class _Shape(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.shape: list[tuple[str, ...]] = []
        self.texts: list[str] = []
        self._quiet: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag != "wbr":  # where a line may break, which is after every slash
            self.shape.append((tag, *(name for name, _ in attrs)))
        if tag in {"code", "pre", "script", "style"}:
            self._quiet.append(tag)

    def handle_endtag(self, tag: str) -> None:
        self.shape.append((f"/{tag}",))
        if self._quiet and self._quiet[-1] == tag:
            self._quiet.pop()

    def handle_comment(self, data: str) -> None:
        self.shape.append(("comment",))

    def handle_decl(self, decl: str) -> None:
        self.shape.append(("declaration",))

    def handle_data(self, data: str) -> None:
        if not self._quiet:
            self.texts.append(data)


def shape(page: str) -> list[tuple[str, ...]]:
    """The elements of a page with the names of their attributes: what foreign text must not change."""
    return _parsed(page).shape


LIVELY = re.compile(r"@\w|#\d|\bGH-\d|\w://|www\.\w|:\w+:|\bmailto:", re.IGNORECASE)


def lively(page: str) -> list[str]:
    """Text outside code that a forge would make a link, a mention or a picture of."""
    return [text for text in _parsed(page).texts if LIVELY.search(text)]


def _parsed(page: str) -> _Shape:
    parser = _Shape()
    parser.feed(page)
    parser.close()
    return parser
