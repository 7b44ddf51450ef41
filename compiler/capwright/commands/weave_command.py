"""`weave`: the marked regions of Markdown files, filled with values of plans."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from capwright.base.counting import counted, plural
from capwright.base.diagnostic import Diagnostic
from capwright.base.source import Source, Span
from capwright.commands.refusal import CannotRun, path_word
from capwright.commands.region_content import CAVEATS, Filler
from capwright.commands.terminal import columns_of, style_of, tell
from capwright.commands.woven_charts import Filled
from capwright.commands.woven_documents import project_documents
from capwright.commands.writing import write_all
from capwright.loading import ReadProblem, read_typed
from capwright.render.diagnostics import human
from capwright.weave.regions import Mistake, Region, find_regions, newline_of

EPILOG: Final = """\
A region is what stands between two markers. Nothing else of the file is touched.

  <!-- capwright: value plans/fleet.plan prod.memory.pool -->36 GiB<!-- /capwright -->

  <!-- capwright: table plans/fleet.plan prod.memory prod.request -->
  <!-- /capwright -->

  <!-- capwright: chart plans/fleet.plan prod.memory memory.svg -->
  <!-- /capwright -->

`value`, `table` and `derivation` take addresses, `chart` a view or its owner, and the file to draw it into;
without one it is a Mermaid chart in the text, a bar from zero for each number, where these are of one dimension. Paths are relative to the Markdown
file. Regions in code are left alone.

A value has what is established of it and its caveats in parentheses. Where `<!-- capwright: caveats -->` opens
a region of its own lines further down, the caveats are raised marks instead, and that region has those of all
values before it.

examples:
  capwright weave docs/design.md
  capwright weave --check README.md docs/*.md      changes nothing; exit code 1 where a region is stale
  capwright weave --check                          the same for every Markdown file of the project with a region"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `weave`."""
    parser.add_argument(
        "documents",
        metavar="DOC.md",
        type=path_word,
        nargs="*",
        help="a Markdown file (default: all of the project with a region)",
    )
    parser.add_argument("--check", action="store_true", help="only say which regions are stale")


def run(arguments: argparse.Namespace) -> int:
    """Fill every file; one with mistakes is left as it is, and all of them are told."""
    filler = Filler()
    documents = arguments.documents or project_documents()
    done = [_one(path, filler, check=arguments.check) for path in documents]
    if not done:
        print("no Markdown file of the project has a region", file=sys.stderr)
    elif not any(one.said for one in done):
        regions, files = sum(one.regions for one in done), len(done)
        fresh = (
            f"{counted(regions, 'region')} of {counted(files, 'file')} {plural(regions, 'is', 'are')} fresh"
        )
        print(fresh, file=sys.stderr)
    return max((one.code for one in done), default=0)


class _Done(Struct, frozen=True):
    """What became of one file: its exit code, how many regions it has, and whether anything was said of it."""

    code: int
    regions: int
    said: bool


def _one(path: str, filler: Filler, *, check: bool) -> _Done:
    try:
        real, data = read_typed(path)
    except ReadProblem as problem:
        raise CannotRun(problem.code, problem.message, problem.help) from None
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise CannotRun(
            "CW0807", f"`{path}` is UTF-16 text, whose markers cannot be seen", "save it as UTF-8"
        )
    # Latin-1 is one sign a byte, so whatever the file's encoding is, what is not filled stays as it was.
    text = data.decode("latin-1")
    regions, mistakes = find_regions(text)
    regions = tuple(replace(one, words=tuple(map(_as_written, one.words))) for one in regions)
    found = [filler.fill(region, real, told) for region, told in zip(regions, _told(regions), strict=True)]
    filled = [one for one in found if isinstance(one, Filled)]
    mistakes += tuple(_once_a_plan(one for one in found if isinstance(one, Mistake)))
    pictures, shared = _pictures(regions, filled) if not mistakes else ({}, ())
    mistakes += shared
    if mistakes:
        _say(path, data, sorted(mistakes, key=lambda one: one.start))
        return _Done(1, len(regions), said=True)
    pieces = [_placed(text, region, one.text, data) for region, one in zip(regions, filled, strict=True)]
    stale = [
        region
        for region, piece, one in zip(regions, pieces, filled, strict=True)
        if text[region.start : region.end] != piece or not _is_drawn(one)
    ]
    if check:
        for region in stale:
            tell(f"stale {path}:{_line(text, region.marker)}: {' '.join(region.words)}")
        return _Done(int(bool(stale)), len(regions), said=bool(stale))
    if stale:
        files = {real: "".join(_woven(text, regions, pieces)).encode("latin-1"), **pictures}
        write_all(real.parent, {os.path.relpath(file, real.parent): new for file, new in files.items()})
        tell(f"wove {path}: {len(stale)} of {len(regions)} regions changed")
    return _Done(0, len(regions), said=bool(stale))


def _as_written(word: str) -> str:
    """A word of a marker, of which each sign is a byte: UTF-8, or what it looks like."""
    try:
        return word.encode("latin-1").decode("utf-8")
    except UnicodeDecodeError:
        return word


def _once_a_plan(mistakes: Iterable[Mistake]) -> Iterator[Mistake]:
    """The mistakes, that of a plan at the first region only that names it."""
    plans: set[str] = set()
    for one in mistakes:
        if not one.plan or one.plan not in plans:
            yield one
        plans.add(one.plan)


def _told(regions: Sequence[Region]) -> list[list[str] | None]:
    """For each region where caveats go: into the next region for them, which shares the list; None where none follows."""
    found: list[list[str] | None] = []
    told: list[str] | None = None
    for region in reversed(regions):
        told = [] if region.words == CAVEATS else told
        found.append(told)
    return found[::-1]


def _pictures(
    regions: Sequence[Region], filled: Sequence[Filled]
) -> tuple[dict[Path, bytes], tuple[Mistake, ...]]:
    """The pictures by file, and which regions want another one in a file that has one."""
    found: dict[Path, bytes] = {}
    shared: list[Mistake] = []
    for region, one in zip(regions, filled, strict=True):
        if one.picture is not None and found.setdefault(*one.picture) != one.picture[1]:
            said = f"another chart of this document is drawn into `{region.words[-1]}`"
            shared.append(Mistake("CW0808", region.marker, region.start, said, "name another file"))
    return found, tuple(shared)


def _is_drawn(filled: Filled) -> bool:
    """Whether the picture of a region, where it has one, stands in its file."""
    if filled.picture is None:
        return True
    file, wanted = filled.picture
    return file.is_file() and file.read_bytes() == wanted


def _woven(text: str, regions: Sequence[Region], pieces: Sequence[str]) -> Iterator[str]:
    at = 0
    for region, piece in zip(regions, pieces, strict=True):
        yield text[at : region.start]
        yield piece
        at = region.end
    yield text[at:]


def _placed(text: str, region: Region, content: str, data: bytes) -> str:
    """The content as it stands in the file: its line ends, the quote signs before its lines, its encoding."""
    if region.words[0] != "value":
        newline, lead = newline_of(text, region), (region.lead or "").removeprefix("\u00ef\u00bb\u00bf")
        lines = [f"{lead}{line}".rstrip() if not line else f"{lead}{line}" for line in content.split("\n")]
        encoded = _encoded("\n".join(lines), data).replace("\n", newline)
        return f"{newline}{encoded}{newline}{lead}"
    return _encoded(content, data)


def _encoded(content: str, data: bytes) -> str:
    """UTF-8, seen as Latin-1; for a file in some other encoding, ASCII with character references."""
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return content.encode("ascii", "xmlcharrefreplace").decode("ascii")
    return content.encode("utf-8", "backslashreplace").decode("latin-1")


def _line(text: str, at: int) -> int:
    return len(text[:at].replace("\r\n", "\n").replace("\r", "\n").split("\n"))


def _say(path: str, data: bytes, mistakes: Sequence[Mistake]) -> None:
    source = Source(path, data.decode("utf-8", "replace").replace("\r\n", "\n").replace("\r", "\n"))
    found = [
        Diagnostic(
            one.code, Span(path, _offset(data, one.start), _offset(data, one.end)), one.message, one.help
        )
        for one in mistakes
    ]
    print(human(found, {path: source}, style_of(sys.stderr), wide=columns_of(sys.stderr)), file=sys.stderr)


def _offset(data: bytes, at: int) -> int:
    """The place of byte `at` in the decoded text."""
    return len(data[:at].decode("utf-8", "replace").replace("\r\n", "\n").replace("\r", "\n"))
