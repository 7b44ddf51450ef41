"""The lines of a Markdown file: which of them are code, where no marker is one."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from msgspec import Struct

_LINE: Final = re.compile(r"[^\r\n]*(?:\r\n|\n|\r|\Z)")
_QUOTE: Final = re.compile(r" {0,3}> ?")
_BULLET: Final = re.compile(r"([-+*]|[0-9]{1,9}[.)])(?=([ \t]+)|$)")
_FENCE: Final = re.compile(r"(`{3,}|~{3,})(.*)")
_NO_PARAGRAPH: Final = re.compile(r"#{1,6}(?:[ \t]|$)|<!--")
"""A heading is one line, and so is a comment that begins one: no paragraph goes on after it."""
_TAB: Final = 4


class Line(Struct, frozen=True):
    """One line: its place in the text, its end before the line end, whether it is prose, and the text column of
    the list item that it is in."""

    start: int
    end: int
    is_prose: bool
    item: int


class _Fence(Struct):
    sign: str
    quotes: int
    item: int


class _State(Struct):
    """Where the reader is: an open fence, the text column of the list item, whether a paragraph goes on."""

    fence: _Fence | None = None
    item: int = 0
    in_paragraph: bool = False


def lines(text: str, start: int = 0, *, in_paragraph: bool = False, item: int = 0) -> Iterator[Line]:
    """The lines from `start`, the beginning of a line on which no fence is open."""
    state = _State(item=item, in_paragraph=in_paragraph)
    at = start
    while at < len(text):
        found = _LINE.match(text, at)
        assert found is not None
        content = found[0].rstrip("\r\n")
        is_prose = _is_prose(content, state)
        yield Line(at, at + len(content), is_prose, state.item)
        at = found.end()


def _is_prose(content: str, state: _State) -> bool:
    fence = state.fence
    quotes, rest = _unquoted(content, fence.quotes if fence is not None else len(content))
    width, body = _indentation(rest)
    if fence is not None:
        if quotes == fence.quotes and not (body and width < fence.item):
            if _closes(body, width - fence.item, fence):
                state.fence = None
                state.in_paragraph = False
            return False
        # Its quote or list item ends, and the fence with it.
        state.fence = None
        state.in_paragraph = False
        quotes, rest = _unquoted(content, len(content))
        width, body = _indentation(rest)
    if not body:
        state.in_paragraph = False
        return False
    return _opens_prose(body, width, quotes, state)


def _unquoted(content: str, most: int) -> tuple[int, str]:
    """How many quote signs begin a line, of `most` that are looked for, and what follows them."""
    count, at = 0, 0
    while count < most and (found := _QUOTE.match(content, at)) is not None:
        count, at = count + 1, found.end()
    return count, content[at:]


def _opens_prose(body: str, width: int, quotes: int, state: _State) -> bool:
    if width < state.item:
        state.item = 0
    if width - state.item >= _TAB and not state.in_paragraph:
        return False
    while width - state.item < _TAB and (bullet := _BULLET.match(body)) is not None:
        blanks, body = _indentation(body[bullet.end() :])
        width += len(bullet[1]) + (blanks if 1 <= blanks <= _TAB else 1)
        state.item = width
    opened = _FENCE.match(body)
    if opened is not None and width - state.item < _TAB and not (opened[1][0] == "`" and "`" in opened[2]):
        state.fence = _Fence(opened[1], quotes, state.item)
        return False
    state.in_paragraph = width - state.item >= _TAB or _NO_PARAGRAPH.match(body) is None
    return True


def _closes(body: str, width: int, fence: _Fence) -> bool:
    found = _FENCE.match(body)
    return (
        found is not None
        and width < _TAB
        and found[1][0] == fence.sign[0]
        and len(found[1]) >= len(fence.sign)
        and not found[2].strip(" \t")
    )


def _indentation(text: str) -> tuple[int, str]:
    """The columns of blanks at the start, and the rest."""
    width = 0
    for at, sign in enumerate(text):
        if sign == " ":
            width += 1
        elif sign == "\t":
            width += _TAB - width % _TAB
        else:
            return width, text[at:]
    return width, ""
