"""The page of a diagnostic code, as a terminal shows it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from capwright.render.escape import terminal_text
from capwright.render.terminal.style import Style, fitted

_FENCE: Final = "```"
_HEADING: Final = "# "
_APART: Final = (_FENCE, "#", "- ", "|")
"""What begins a line that does not go on from the one before it."""


def code_page(page: str, style: Style, wide: int | None = None) -> str:
    """A Markdown page as text: its heading bold, its examples indented, and what mends one under words of its own. On a
    terminal of `wide` columns its paragraphs are laid out anew."""
    lines = _lines(page if wide is None else _unbroken(page), style)
    return "".join(f"{part}\n" for line in lines for part in fitted(line, wide, _hang(line)))


def _hang(line: str) -> str | None:
    """What the lines of a paragraph or a list begin with after the first; an example's are indented further."""
    if line.startswith("- "):
        return "  "
    return None if line.startswith(" ") else ""


def _unbroken(page: str) -> str:
    """The page with each paragraph on one line."""
    found: list[str] = []
    inside = joins = False
    for line in page.splitlines():
        is_fence = line.startswith(_FENCE)
        goes_on = bool(line) and not inside and not is_fence
        if joins and goes_on and not line.startswith(_APART):
            found[-1] += f" {line.strip()}"
        else:
            found.append(line)
        inside = inside != is_fence
        joins = goes_on and not line.startswith("#")
    return "\n".join(found)


def _lines(page: str, style: Style) -> Iterator[str]:
    inside = False
    for line in page.splitlines():
        if line.startswith(_FENCE):
            inside = not inside
            if "fixed" in line.split():
                yield from ("", "mended:", "")
        elif line.startswith(_HEADING) and not inside:
            yield style.paint("bold", line.removeprefix(_HEADING))
        else:
            yield terminal_text(f"    {line}" if inside and line else line)
