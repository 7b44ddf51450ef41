"""Whether a stream takes colour."""

from __future__ import annotations

import os
from typing import TextIO

from capwright.render.terminal.style import COLOURED, PLAIN, Style


def style_of(stream: TextIO) -> Style:
    """Colour on a terminal that can show it, unless `NO_COLOR` is set to anything."""
    shows = stream.isatty() and os.environ.get("TERM") != "dumb" and not os.environ.get("NO_COLOR")
    return COLOURED if shows else PLAIN
