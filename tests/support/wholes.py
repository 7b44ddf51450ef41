"""A whole text in the separators of the grammar, so that Lark's own parser can read it by itself."""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import Path

from lark import Lark
from lark.exceptions import LarkError

from capwright.base.source import Source
from capwright.syntax.split import Item, split
from capwright.syntax.tables import STARTS

_LETTER = re.compile(r"\w")
GRAMMAR = Path(__file__).resolve().parents[2] / "grammar" / "plan.lark"


@lru_cache
def reader() -> Lark:
    """Lark, reading the grammar by itself."""
    return Lark(GRAMMAR.read_text(encoding="utf-8"), parser="lalr", lexer="contextual", start=list(STARTS))


def accepted(text: str) -> bool:
    """Whether Lark's own parser and lexer accept a text whose brackets match.

    Where no name may stand, Lark reads `indevice` as `in device`; a word that runs on is not accepted here.
    """
    source = Source("t", text)
    items, problems = split(source)
    assert not problems
    whole = joined(text, items)
    try:
        reading = reader().parse_interactive(whole, start="module")
        words = [token for token in reading.iter_parse() if token[:1].isalpha() or token[:1] == "_"]
        reading.feed_eof()
    except LarkError:
        return False
    return not any(_LETTER.match(whole, word.end_pos) for word in words)


def joined(text: str, items: list[Item]) -> str:
    """The statements with `;` between them."""
    return ";".join(_one(text, item) for item in items)


def _one(text: str, item: Item) -> str:
    made, position = [], item.start
    for body in item.bodies:
        made += [text[position : body.open + 1], joined(text, body.items)]
        position = body.close
    return "".join([*made, text[position : item.end]])
