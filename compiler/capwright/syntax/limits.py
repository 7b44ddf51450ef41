"""What a file may ask of the parser. A text beyond these is refused before any work is spent on it."""

from __future__ import annotations

from typing import Final

MAX_TEXT: Final = 8_000_000
"""Characters of one file."""

MAX_NAME: Final = 256
"""Characters of one name: it stands in the address of all that it leads to."""

MAX_NESTING: Final = 64
"""Brackets open at once."""

MAX_STATEMENT: Final = 262_144
"""Characters of one statement, the bodies in it not counted."""

MAX_STATEMENTS: Final = 250_000
"""Statements and members of one file."""

MAX_BRACKETS: Final = 1_000_000
"""Opening brackets of one file."""

MAX_DEPTH: Final = 120
"""Levels of one expression: a chain of more operators than this is too long."""

MAX_STACK: Final = 2_000
"""States of the parser at once, whatever the brackets say: a run of signs or of `not` needs one each."""

MAX_MESSAGES: Final = 100
"""Mistakes reported for one file; a text with more of them is hardly a plan."""
