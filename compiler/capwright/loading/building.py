"""What is made once, when the package is built: the grammar's tables and the parsed library."""

from __future__ import annotations

from capwright.syntax.grammar import BUILT, grammar_text
from capwright.syntax.tables import dump


def write_built() -> None:
    """Write the tables into the package's `_built` folder, where later runs look for them."""
    BUILT.parent.mkdir(exist_ok=True)
    BUILT.write_bytes(dump(grammar_text()))
