"""Finding the marked regions of a Markdown file.

`<!-- capwright: value fleet.plan prod.pool -->…<!-- /capwright -->`. In code (fences, indented blocks, spans) a
marker is text. The text may be any one-to-one image of a file's bytes: only ASCII signs are looked at.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, Literal

from msgspec import Struct

from capwright.weave.blocks import Block, blocks

CLOSE: Final = "<!-- /capwright -->"
_OPEN: Final = re.compile(r"<!--[ \t]*capwright:")
_CLOSED: Final = re.compile(r"<!--[ \t]*/capwright[ \t]*-->")
_ANY: Final = re.compile(r"<!--[ \t]*(?:capwright:|/capwright\b)")
_STOP: Final = re.compile(r"`+|<!--|\\[!-/:-@\[-`{-~]")
_STOP_IN_HTML: Final = re.compile(r"<!--")
_WORD: Final = re.compile(r'"((?:[^"\\]|\\.)*)"|([^\s"]+|"(?:.*\S)?)')
"""A word in quotes, or without; where quotes do not end, all the rest is one word, which names nothing."""
_LINE_END: Final = re.compile(r"\r\n|\n|\r")
_TICKS: Final = re.compile(r"`+")
_LEAD: Final = re.compile(r"[ \t>]*\Z")


class Region(Struct, frozen=True):
    """What stands between two markers: `text[start:end]`. `words` are those of the opening marker, which begins at
    `marker`; `lead` is what stands before it on its line if that is only indentation and quote signs, else None."""

    words: tuple[str, ...]
    marker: int
    start: int
    end: int
    lead: str | None

    def mistake(self, code: str, message: str, help: str) -> Mistake:
        """What is wrong with it, at its opening marker."""
        return Mistake(code, self.marker, self.start, message, help)


class Mistake(Struct, frozen=True):
    """What is wrong with a marker, and where it stands."""

    code: str
    start: int
    end: int
    message: str
    help: str
    plan: str = ""
    """The plan that is wrong, by its word, where it is not the marker itself."""


class _Marker(Struct, frozen=True):
    """A marker at `text[start:end]`, and what an opening one says; a broken one does not end on its line."""

    sort: Literal["open", "close", "broken"]
    start: int
    end: int
    said: str = ""


def find_regions(text: str) -> tuple[tuple[Region, ...], tuple[Mistake, ...]]:
    """The regions in order, and what is wrong with the markers."""
    regions: list[Region] = []
    mistakes: list[Mistake] = []
    unclosed = 0
    """Regions in which others were opened: their own closing markers may follow, and are no mistake besides."""
    markers = iter(_markers(text))
    following = next(markers, None)
    while (marker := following) is not None:
        following = next(markers, None)
        found = _read(text, marker, following)
        if isinstance(found, Region):
            regions.append(found)
            following = next(markers, None)
        elif found.code == "CW0803" and unclosed:
            unclosed -= 1
        else:
            unclosed += found.code == "CW0802"
            mistakes.append(found)
    return tuple(regions), tuple(mistakes)


def _markers(text: str) -> list[_Marker]:
    """The markers, whole or broken: what stands in code or in another comment is text."""
    if _ANY.search(text) is None:
        return []
    ends = _Ends(text)
    return [marker for block in blocks(text) for marker in _markers_of(text, block, ends)]


class _Ends:
    """Where comments end on their line. Lines are asked about in order, and each is looked through once, however many
    comments begin on it."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._line_end = self._last = -1

    def after(self, at: int) -> int | None:
        """Where the first `-->` after a place of the text stands; None where its line has none."""
        if at >= self._line_end:
            found = _LINE_END.search(self._text, at)
            self._line_end = found.start() if found is not None else len(self._text)
            self._last = self._text.rfind("-->", at, self._line_end)
        return self._text.index("-->", at) if self._last >= at else None


def _markers_of(text: str, block: Block, ends: _Ends) -> Iterator[_Marker]:
    stop = _STOP_IN_HTML if block.is_html else _STOP
    at, is_ended = block.start, True
    while (found := stop.search(text, at, block.end)) is not None:
        if found[0].startswith("\\"):
            at = found.end()
        elif found[0].startswith("`"):
            at = _after_span(text, found, block.end)
        elif _ANY.match(text, found.start()):
            marker = _marker(text, found.start(), ends)
            yield marker
            at = marker.end
        else:
            # `<!-->` is a comment, too. What has no end here has none further on.
            end = text.find("-->", found.start() + 2, block.end) if is_ended else -1
            is_ended = end >= 0
            at = end + 3 if is_ended else found.end()


def _marker(text: str, at: int, ends: _Ends) -> _Marker:
    if (closed := _CLOSED.match(text, at)) is not None:
        return _Marker("close", at, closed.end())
    opened = _OPEN.match(text, at)
    end = ends.after(opened.end()) if opened is not None else None
    if opened is None or end is None:
        return _Marker("broken", at, at + 4)
    return _Marker("open", at, end + 3, text[opened.end() : end])


def _read(text: str, marker: _Marker, following: _Marker | None) -> Region | Mistake:
    if marker.sort == "open":
        return _region(text, marker, following)
    if marker.sort == "close":
        way = "delete it, or open a region before it"
        return Mistake("CW0803", marker.start, marker.end, "this marker closes nothing", way)
    return Mistake(
        "CW0800",
        marker.start,
        marker.end,
        "a marker stands on one line",
        "write `<!-- capwright: … -->` on one line",
    )


def _line_start(text: str, at: int) -> int:
    return max(text.rfind("\n", 0, at), text.rfind("\r", 0, at)) + 1


def _after_span(text: str, ticks: re.Match[str], last: int) -> int:
    """The end of the code span that begins with these backticks, if their block has one; else their own."""
    for run in _TICKS.finditer(text, ticks.end(), last):
        if run[0] == ticks[0]:
            return run.end()
    return ticks.end()


def _region(text: str, opened: _Marker, following: _Marker | None) -> Region | Mistake:
    marker, start = opened.start, opened.end
    if following is None:
        way = f"write `{CLOSE}` where it ends"
        if _CLOSED.search(text, start):
            way += ": in code or in another comment it is text"
        return Mistake("CW0801", marker, start, "this region is not closed", way)
    if following.sort != "close":
        return Mistake(
            "CW0802",
            following.start,
            following.end,
            "a region is opened inside another one",
            f"close the one before with `{CLOSE}`",
        )
    before = text[_line_start(text, marker) : marker]
    lead = before if _LEAD.match(before.removeprefix("\u00ef\u00bb\u00bf")) else None
    return Region(tuple(_words(opened.said)), marker, start, following.start, lead)


def _words(text: str) -> Iterator[str]:
    for quoted, bare in _WORD.findall(text):
        yield bare or re.sub(r"\\(.)", r"\1", quoted)


def newline_of(text: str, region: Region) -> str:
    """The line end that the lines around a region have."""
    found = _LINE_END.search(text, region.marker) or _LINE_END.search(text)
    return found[0] if found else "\n"
