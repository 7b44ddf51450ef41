"""What a line of a report is made of, before any format.

Everything that can hold a digit is marked for what it is: a number of the plan with its address, a literal
with its source line, or text quoted from the plan. What is left is our own words, which hold no digit.
"""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct


class Words(Struct, frozen=True):
    """Our own words and signs."""

    text: str


class Numeral(Struct, frozen=True):
    """A printed number: the rounding of `part` (`low`, `nominal`, `high`, …) of the thing at `address`.

    `target` is the quantity whose derivation it opens; `unit` is the symbol of the unit it is printed in.
    """

    text: str
    address: str
    part: str
    target: str
    unit: str = ""


class Literal(Struct, frozen=True):
    """A number as the plan spells it, from `place` (`file:line`)."""

    text: str
    place: str


class Quoted(Struct, frozen=True):
    """Text from the plan: a name, a unit, a reason, a version."""

    text: str


class Name(Struct, frozen=True):
    """A name of the plan that leads nowhere where it stands."""

    text: str


class Reference(Struct, frozen=True):
    """The name `text` of the quantity at `address`."""

    text: str
    address: str


Piece = Words | Numeral | Literal | Quoted | Name | Reference
Pieces = tuple[Piece, ...]


def plain(pieces: Iterable[Piece]) -> str:
    """The text of the pieces, one after the other."""
    return "".join(piece.text for piece in pieces)
