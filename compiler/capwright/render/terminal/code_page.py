"""The page of a diagnostic code, as a terminal shows it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from capwright.render.escape import terminal_text
from capwright.render.terminal.style import Style

_FENCE: Final = "```"
_HEADING: Final = "# "


def code_page(page: str, style: Style) -> str:
    """A Markdown page as text: its heading bold, its examples indented, and what mends one under words of its own."""
    return "".join(f"{line}\n" for line in _lines(page, style))


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
