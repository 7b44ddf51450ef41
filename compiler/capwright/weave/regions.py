"""Finding the marked regions of a Markdown file.

`<!-- capwright: value fleet.plan prod.pool -->…<!-- /capwright -->`. In code (fences, indented blocks, spans) a
marker is text. The text may be any one-to-one image of a file's bytes: only ASCII signs are looked at.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from msgspec import Struct

from capwright.weave.lines import lines

CLOSE: Final = "<!-- /capwright -->"
_OPEN: Final = re.compile(r"<!--[ \t]*capwright:([^\r\n]*?)-->")
_CLOSED: Final = re.compile(r"<!--[ \t]*/capwright[ \t]*-->")
_ANY: Final = re.compile(r"<!--[ \t]*(?:capwright:|/capwright\b)")
_STOP: Final = re.compile(r"`+|<!--|\\[!-/:-@\[-`{-~]")
_WORD: Final = re.compile(r'"((?:[^"\\]|\\.)*)"|([^\s"]+)|(")')
_LINE_END: Final = re.compile(r"\r\n|\n|\r")
_TICKS: Final = re.compile(r"`+")
_COMMENT: Final = r"(?: {0,3}>)* {0,3}(?:[-+*][ \t]+|[0-9]{1,9}[.)][ \t]+)*<!--"
_OWN_LINE: Final = re.compile(_COMMENT + ".*")
"""A line that a comment begins: it is no paragraph."""
_PARAGRAPH_END: Final = re.compile(rf"(?:\r\n|\n|\r)(?:[ \t>]*(?=\r|\n|\Z)|{_COMMENT})")
_LEAD: Final = re.compile(r"[ \t>]*\Z")


class Region(Struct, frozen=True):
    """What stands between two markers: `text[start:end]`. `words` are those of the opening marker, which begins at
    `marker`; `lead` is what stands before it on its line if that is only indentation and quote signs, else None."""

    words: tuple[str, ...]
    marker: int
    start: int
    end: int
    lead: str | None


class Mistake(Struct, frozen=True):
    """What is wrong with a marker, and where it stands."""

    code: str
    start: int
    end: int
    message: str
    help: str


class _Reader(Struct):
    text: str
    regions: list[Region]
    mistakes: list[Mistake]


def find_regions(text: str) -> tuple[tuple[Region, ...], tuple[Mistake, ...]]:
    """The regions in order, and what is wrong with the markers."""
    reader = _Reader(text, [], [])
    start: int | None = 0
    skip = 0
    in_paragraph = False
    while start is not None:
        start, skip = _until_region(reader, start, skip, in_paragraph)
        in_paragraph = _OWN_LINE.fullmatch(text, _line_start(text, skip), skip) is None
    return tuple(reader.regions), tuple(reader.mistakes)


def _until_region(reader: _Reader, start: int, skip: int, in_paragraph: bool) -> tuple[int | None, int]:
    """Read lines from `start` up to one that ends a region: after it lines are read anew, since what fills a region
    is its own. Returns where the next line begins (None at the end) and what was read already."""
    for line in lines(reader.text, start, in_paragraph=in_paragraph):
        if line.is_prose and line.end > skip:
            skip, anew = _read_line(reader, max(line.start, skip), line.end)
            if anew:
                return _line_end(reader.text, skip)[1], skip
    return None, skip


def _read_line(reader: _Reader, at: int, end: int) -> tuple[int, bool]:
    """Read a line from `at`; where that led to, perhaps lines further, and whether a region ended on the way."""
    anew = False
    while at < end and (found := _STOP.search(reader.text, at, end)) is not None:
        if found[0].startswith("\\"):
            at = found.end()
        elif found[0].startswith("`"):
            at = _after_span(reader.text, found.start(), found.end())
        else:
            at, region = _comment(reader, found.start())
            if region:
                anew = True
                end = _line_end(reader.text, at)[0]
    return max(at, end), anew


def _line_start(text: str, at: int) -> int:
    return max(text.rfind("\n", 0, at), text.rfind("\r", 0, at)) + 1


def _line_end(text: str, at: int) -> tuple[int, int]:
    """Where the line that holds `at` ends, and where the next one begins."""
    found = _LINE_END.search(text, at)
    return (len(text), len(text)) if found is None else (found.start(), found.end())


def _after_span(text: str, start: int, end: int) -> int:
    """The end of the code span that begins here, if its paragraph has one; else the end of the backticks."""
    after = _PARAGRAPH_END.search(text, end)
    last = after.start() if after else len(text)
    for run in _TICKS.finditer(text, end, last):
        if len(run[0]) == end - start:
            return run.end()
    return end


def _comment(reader: _Reader, at: int) -> tuple[int, bool]:
    text = reader.text
    opened = _OPEN.match(text, at)
    if opened is not None:
        return _region(reader, opened)
    closed = _CLOSED.match(text, at)
    if closed is not None:
        reader.mistakes.append(
            Mistake(
                "CW0803",
                at,
                closed.end(),
                "this marker closes nothing",
                "delete it, or open a region before it",
            )
        )
        return closed.end(), False
    if _ANY.match(text, at):
        reader.mistakes.append(
            Mistake(
                "CW0800",
                at,
                at + 4,
                "a marker stands on one line",
                "write `<!-- capwright: … -->` on one line",
            )
        )
        return at + 4, False
    end = text.find("-->", at + 4)
    return (end + 3 if end >= 0 else at + 4), False


def _region(reader: _Reader, opened: re.Match[str]) -> tuple[int, bool]:
    text, marker, start = reader.text, opened.start(), opened.end()
    following = _ANY.search(text, start)
    if following is None:
        reader.mistakes.append(
            Mistake("CW0801", marker, start, "this region is not closed", f"write `{CLOSE}` where it ends")
        )
        return start, False
    closed = _CLOSED.match(text, following.start())
    if closed is None:
        reader.mistakes.append(
            Mistake(
                "CW0802",
                following.start(),
                following.end(),
                "a region is opened inside another one",
                f"close the one before with `{CLOSE}`",
            )
        )
        return start, False
    before = text[_line_start(text, marker) : marker]
    lead = before if _LEAD.match(before.removeprefix("\u00ef\u00bb\u00bf")) else None
    reader.regions.append(Region(tuple(_words(opened[1])), marker, start, closed.start(), lead))
    return closed.end(), True


def _words(text: str) -> Iterator[str]:
    for quoted, bare, stray in _WORD.findall(text):
        yield re.sub(r"\\(.)", r"\1", quoted) if not (bare or stray) else bare or stray


def newline_of(text: str, region: Region) -> str:
    """The line end that the lines around a region have."""
    found = _LINE_END.search(text, region.marker) or _LINE_END.search(text)
    return found[0] if found else "\n"
