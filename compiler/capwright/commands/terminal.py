"""What a stream takes: colour, and how many columns."""

from __future__ import annotations

import os
from typing import TextIO

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
