"""The blocks of a Markdown file in which a marker may stand: its paragraphs and headings, and its HTML."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from itertools import accumulate
from typing import Final

from markdown_it import MarkdownIt
from msgspec import Struct

_LINE: Final = re.compile(r"[^\r\n]*(?:\r\n|\n|\r|\Z)")
_BYTE_ORDER_MARK: Final = "\u00ef\u00bb\u00bf"
"""As the bytes of a file have it, each of which is a sign here."""
_DEEPEST: Final = 100
"""Quotes and lists in each other that are looked into. CommonMark knows no end, a reader of it must."""


class Block(Struct, frozen=True):
    """Whole lines, `text[start:end]`, that are a leaf of the document and no code. In HTML backticks and backslashes
    are signs like others; elsewhere they take what they mark for text."""

    start: int
    end: int
    is_html: bool


def blocks(text: str) -> Iterator[Block]:
    """The blocks in order, of a text that may be any one-to-one image of a file's bytes."""
    ends = list(accumulate(len(line) for line in _LINE.findall(text)))
    for token in _reader().parse(text.removeprefix(_BYTE_ORDER_MARK)):
        if token.map is not None and token.type in {"inline", "html_block"}:
            first, after = token.map
            yield Block(ends[first - 1] if first else 0, ends[after - 1], token.type == "html_block")


@cache
def _reader() -> MarkdownIt:
    """A reader of blocks alone: it tells their lines, and what stands within a line the text itself."""
    reader = MarkdownIt("commonmark", {"maxNesting": _DEEPEST})
    reader.core.ruler.disable("inline")
    return reader
