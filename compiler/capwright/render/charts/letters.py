"""How much room a text takes in a picture, and where it breaks.

A picture is as wide as the page and its letters are not, so what fits is decided for the narrowest page: a text
that has room there has room on every other one. The widths are those of a wide sans serif, which others keep below.
"""

from __future__ import annotations

import re
from typing import Final
from unicodedata import combining, east_asian_width

from msgspec.structs import replace

from capwright.render.escape import one_line
from capwright.render.pieces import Numeral, Piece, Pieces, plain

NARROW: Final = 288.0
"""The width in pixels of a picture on the narrowest page, of 320 pixels."""
LINE: Final = 16.0
"""From one line of text to the next, in pixels."""
SIZE: Final = 13
TICK_SIZE: Final = 11
"""The sizes in pixels of a text and of a tick, as the style of a picture sets them."""
_WIDTHS: Final = {
    **dict.fromkeys("ijl'|", 0.28),
    **dict.fromkeys("frtIJ.,:;!()[]/\\- \N{NO-BREAK SPACE}", 0.42),
    **dict.fromkeys("ABCDEFGHKLNOPQRSTUVXYZ", 0.79),
}
_PLAIN: Final = frozenset("abcdeghknopqsuvxyz0123456789_²³")
_WIDE: Final = 1.02
_WORD: Final = re.compile(r"[^ ]+ ?| ")


def width(text: str, size: int = SIZE) -> float:
    """The width of a text in pixels, which no common font exceeds by much."""
    return size * sum(_width(letter) for letter in text)


def _width(letter: str) -> float:
    if letter in _PLAIN:
        return 0.64
    if letter in _WIDTHS or combining(letter):
        return _WIDTHS.get(letter, 0.0)
    return 0.79 if letter.islower() and letter not in "mw" and east_asian_width(letter) not in "WF" else _WIDE


def fitting(pieces: Pieces, room: float) -> list[Pieces]:
    """The pieces in lines of at most `room` pixels, broken at blanks; within a word only where it has no room itself.

    A number is never broken, and it keeps the unit that follows it without a break.
    """
    found: list[list[Piece]] = [[]]
    for word in _words(pieces):
        ahead = width(plain(found[-1]))
        if found[-1] and ahead + width(plain(word).rstrip(" ")) > room:
            found.append([])
        found[-1].extend(word)
        while width(plain(found[-1]).rstrip(" ")) > room and (cut := _cut(found[-1], room)) is not None:
            found[-1:] = cut
    return [_merged(line) for line in found]


def _words(pieces: Pieces) -> list[list[Piece]]:
    """What stands between two blanks, each with the blank that follows it."""
    found: list[list[Piece]] = [[]]
    for piece in pieces:
        whole = isinstance(piece, Numeral)
        for part in [piece.text] if whole else _WORD.findall(one_line(piece.text)):
            found[-1].append(replace(piece, text=part))
            if part.endswith(" "):
                found.append([])
    return [word for word in found if word]


def _cut(line: list[Piece], room: float) -> list[list[Piece]] | None:
    """A line in two, the first of them as long as there is room; nothing where its numbers alone fill it."""
    taken = 0.0
    for at, piece in enumerate(line):
        if taken + width(piece.text) <= room or isinstance(piece, Numeral):
            taken += width(piece.text)
            continue
        length = 0
        while taken + width(piece.text[: length + 1]) <= room:
            length += 1
        head = [*line[:at], replace(piece, text=piece.text[:length])]
        tail = [replace(piece, text=piece.text[length:]), *line[at + 1 :]]
        return [head, tail] if plain(head) else None
    return None


def _merged(line: list[Piece]) -> Pieces:
    """The line without the blank at its end, neighbours of one kind in one piece."""
    found: list[Piece] = []
    for piece in line:
        if found and type(found[-1]) is type(piece) and not isinstance(piece, Numeral):
            found[-1] = replace(found[-1], text=found[-1].text + piece.text)
        else:
            found.append(piece)
    if found and not isinstance(found[-1], Numeral):
        found[-1] = replace(found[-1], text=found[-1].text.rstrip(" "))
    return tuple(piece for piece in found if piece.text)
