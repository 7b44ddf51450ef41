"""The one walker of the plan grammar: from saved tables where they fit, else from the grammar's text."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Final

from capwright.syntax.actions import ACTIONS
from capwright.syntax.lalr import Walker
from capwright.syntax.tables import Tables, build, load

_PACKAGE: Final = Path(__file__).parent.parent
BUILT: Final = _PACKAGE / "_built" / "plan.tables"
"""Where the build hook leaves the tables: inside the package, as trusted as its modules."""


def grammar_text() -> str:
    """The grammar itself."""
    return beside_grammar("plan.lark")


def beside_grammar(name: str) -> str:
    """A file of the grammar's folder: of the package in a wheel, of the repository in a checkout."""
    for place in (_PACKAGE / "_grammar" / name, _PACKAGE.parent.parent / "grammar" / name):
        if place.is_file():
            return place.read_text(encoding="utf-8")
    raise FileNotFoundError(f"{name} is missing from this installation")


def tables() -> Tables:
    """Saved tables if they belong to this grammar, else computed ones."""
    text = grammar_text()
    if BUILT.is_file():
        found = load(BUILT.read_bytes(), text)
        if found is not None:
            return found
    return build(text)


@lru_cache(maxsize=1)
def walker() -> Walker:
    """The walker, made once a process."""
    return Walker(tables(), ACTIONS)
