"""Finding the marked regions of a Markdown file.

`<!-- capwright: value fleet.plan prod.pool -->…<!-- /capwright -->`. In code (fences, indented blocks, spans) a
marker is text. The text may be any one-to-one image of a file's bytes: only ASCII signs are looked at.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from msgspec import Struct

from capwright.weave.blocks import Block, blocks

CLOSE: Final = "<!-- /capwright -->"
_OPEN: Final = re.compile(r"<!--[ \t]*capwright:([^\r\n]*?)-->")
_CLOSED: Final = re.compile(r"<!--[ \t]*/capwright[ \t]*-->")
_ANY: Final = re.compile(r"<!--[ \t]*(?:capwright:|/capwright\b)")
_STOP: Final = re.compile(r"`+|<!--|\\[!-/:-@\[-`{-~]")
_STOP_IN_HTML: Final = re.compile(r"<!--")
_WORD: Final = re.compile(r'"((?:[^"\\]|\\.)*)"|([^\s"]+)|(")')
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


def _markers(text: str) -> list[int]:
    """Where the markers begin, whole or broken: what stands in code or in another comment is text."""
    if _ANY.search(text) is None:
        return []
    return [at for block in blocks(text) for at in _markers_of(text, block)]


def _markers_of(text: str, block: Block) -> Iterator[int]:
    stop = _STOP_IN_HTML if block.is_html else _STOP
    at = block.start
    while (found := stop.search(text, at, block.end)) is not None:
        if found[0].startswith("\\"):
            at = found.end()
        elif found[0].startswith("`"):
            at = _after_span(text, found, block.end)
        elif _ANY.match(text, found.start()):
            yield found.start()
            at = _marker_end(text, found.start())
        else:
            # `<!-->` is a comment, too.
            end = text.find("-->", found.start() + 2, block.end)
            at = end + 3 if end >= 0 else found.end()


def _read(text: str, at: int, following: int | None) -> Region | Mistake:
    if (opened := _OPEN.match(text, at)) is not None:
        return _region(text, opened, following)
    if (closed := _CLOSED.match(text, at)) is not None:
        way = "delete it, or open a region before it"
        return Mistake("CW0803", at, closed.end(), "this marker closes nothing", way)
    return Mistake(
        "CW0800", at, at + 4, "a marker stands on one line", "write `<!-- capwright: … -->` on one line"
    )


def _marker_end(text: str, at: int) -> int:
    found = _OPEN.match(text, at) or _CLOSED.match(text, at)
    return found.end() if found is not None else at + 4


def _line_start(text: str, at: int) -> int:
    return max(text.rfind("\n", 0, at), text.rfind("\r", 0, at)) + 1


def _after_span(text: str, ticks: re.Match[str], last: int) -> int:
    """The end of the code span that begins with these backticks, if their block has one; else their own."""
    for run in _TICKS.finditer(text, ticks.end(), last):
        if run[0] == ticks[0]:
            return run.end()
    return ticks.end()


def _region(text: str, opened: re.Match[str], following: int | None) -> Region | Mistake:
    marker, start = opened.start(), opened.end()
    if following is None:
        way = f"write `{CLOSE}` where it ends"
        if _CLOSED.search(text, start):
            way += ": in code or in another comment it is text"
        return Mistake("CW0801", marker, start, "this region is not closed", way)
    if _CLOSED.match(text, following) is None:
        return Mistake(
            "CW0802",
            following,
            _marker_end(text, following),
            "a region is opened inside another one",
            f"close the one before with `{CLOSE}`",
        )
    before = text[_line_start(text, marker) : marker]
    lead = before if _LEAD.match(before.removeprefix("\u00ef\u00bb\u00bf")) else None
    return Region(tuple(_words(opened[1])), marker, start, following, lead)


def _words(text: str) -> Iterator[str]:
    for quoted, bare, stray in _WORD.findall(text):
        yield re.sub(r"\\(.)", r"\1", quoted) if not (bare or stray) else bare or stray


def newline_of(text: str, region: Region) -> str:
    """The line end that the lines around a region have."""
    found = _LINE_END.search(text, region.marker) or _LINE_END.search(text)
    return found[0] if found else "\n"
