"""What a stream takes: colour, how many columns, and lines in which names of files stand."""

from __future__ import annotations

import os
import sys
from typing import TextIO

from capwright.render.escape import terminal_text
from capwright.render.terminal.style import COLOURED, PLAIN, Style


def style_of(stream: TextIO) -> Style:
    """Colour on a terminal that can show it, unless `NO_COLOR` is set to anything."""
    shows = stream.isatty() and os.environ.get("TERM") != "dumb" and not os.environ.get("NO_COLOR")
    return COLOURED if shows else PLAIN


def columns_of(stream: TextIO) -> int | None:
    """How wide a terminal is; None where nobody looks at the stream as it is."""
    if not stream.isatty():
        return None
    import shutil  # brings in every way to pack files

    return shutil.get_terminal_size().columns


def tell(line: str) -> None:
    """Print a line of ours on standard output. Whoever names files may be a stranger: what is in their names is text."""
    sys.stdout.write(f"{terminal_text(line)}\n")
