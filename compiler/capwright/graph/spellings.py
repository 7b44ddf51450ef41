"""How a text says names and a number, read as a whole: `2 x Big Box`, `big-box x 2`, `2,000 tokens`, `none`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Final

from capwright.base.dimension import Dimension, UnitTable, UnknownUnit
from capwright.base.exact import Number, norm, parse_number

_COUNT: Final = re.compile(
    r"((?:[0-9]{1,3}(?:[,_][0-9]{3}){1,6}|[0-9]{1,20})(?:\.[0-9]{1,20})?[kM]?)(?![\w.@]|,[0-9])\s*"
)
_SIGN: Final = re.compile(r"[x×*]\s*", re.IGNORECASE)
_BETWEEN: Final = " \t-_@=/():,;"
"""What only stands between words."""
_WORD: Final = re.compile(rf"[^\s*×{re.escape(_BETWEEN)}]+")
"""All else is of a word, as in `0.10.1+cu128`."""
_JOINED: Final = (
    re.compile(r"\b(?P<before>[0-9]+)[xX×](?P<after>)"),
    re.compile(r"(?P<before>\w)[xX×](?P<after>[0-9]+\b)"),
)
"""A sign that stands without a space between a number and what there is that many of: `8x Box`, `Box×8`."""
_VERSION: Final = re.compile(r"\b[vV](?=[0-9]+\.[0-9])")
_ZERO: Final = frozenset({"no", "none", "off"})


def told_by(told: str, names: Sequence[Sequence[str]]) -> Iterator[str]:
    """What is left of a text that says each of `names` by one of its spellings, for each way in which it may.

    A spelling is said by all of its words, in whatever order and case; a `v` before a version's number says nothing.
    """
    if not names:
        yield " ".join(told.split())
        return
    for spelling in names[0]:
        left = _without(_plain(told), [word.casefold() for word in _WORD.findall(_plain(spelling))])
        if left is not None:
            yield from told_by(left, names[1:])


def count_of(text: str, units: UnitTable, dim: Dimension, *, named: bool) -> Number | None:
    """The number, in base units, that a whole text says: `2,000 tokens`, `128k`, `none`, and beside a name also `x 2`,
    `2 x 8`, or nothing for one. None where it says no number of this dimension."""
    if not named and text.casefold() in _ZERO:
        return 0
    if named and not text:
        return 1
    first = _SIGN.match(text) if named else None
    number, at = Fraction(1), first.end() if first else 0
    while (match := _COUNT.match(text, at)) is not None:
        number *= Fraction(parse_number(match[1].replace(",", "")))
        sign = _SIGN.match(text, match.end())
        if sign is None:
            factor = _factor(text[match.end() :].split(), units, dim)
            return None if factor is None else norm(number * Fraction(factor))
        at = sign.end()
        if named and at == len(text):
            return norm(number)
    return None


def _factor(words: Sequence[str], units: UnitTable, dim: Dimension) -> Number | None:
    """What the words behind a number make of it: nothing or a unit; None where they are anything else."""
    if not words:
        return 1
    for spelled in (words[0], words[0].casefold()):
        try:
            unit = units.read(spelled)
        except UnknownUnit:
            continue
        return unit.factor if unit.dim is dim and len(words) == 1 else None
    return None


def _plain(text: str) -> str:
    """A text with its numbers and signs apart, and its versions as numbers."""
    for pattern in _JOINED:
        text = pattern.sub(r"\g<before> x \g<after>", text)
    return _VERSION.sub("", text)


def _without(text: str, words: Sequence[str]) -> str | None:
    """A text without these words and what stands between them, or None where one is not in it."""
    for word in words:
        found = next((each for each in _WORD.finditer(text) if each[0].casefold() == word), None)
        if found is None:
            return None
        text = f"{text[: found.start()].rstrip(_BETWEEN)} {text[found.end() :].lstrip(_BETWEEN)}"
    return text
