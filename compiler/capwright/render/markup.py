"""Pieces as HTML and as Markdown: here every number gets its address, and every foreign word its mark."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from typing import Final, assert_never

from capwright.render.escape import html_text, markdown_attribute, markdown_code, markdown_text
from capwright.render.pieces import Literal, Name, Numeral, Piece, Quoted, Reference, Words

_UNSAFE: Final = re.compile(r"[^A-Za-z0-9_.]")
SHORT: Final = 12
"""Up to so many letters a unit stays on the line of its number: more have no room beside one on the narrowest page."""
_DIGIT: Final = re.compile(r"[\d⁰¹²³⁴⁵⁶⁷⁸⁹]")


def anchor(address: str) -> str:
    """The id of the derivation of `address`: different for different addresses, safe in a link everywhere."""
    return "d-" + _UNSAFE.sub(lambda found: f"-{ord(found[0]):x}-", address)


def to_html(pieces: Iterable[Piece], *, links: bool = True) -> str:
    """The pieces as HTML text; without `links` for places that are a control themselves."""
    return "".join(_html(piece, links) for piece in pieces)


def _html(piece: Piece, links: bool) -> str:
    text = html_text(piece.text)
    match piece:
        case Words():
            return text
        case Numeral(address=address, part=part, target=target, unit=unit):
            marks = (
                f'class="n" data-address="{html_text(address)}" data-part="{html_text(part)}"'
                f' data-unit="{html_text(unit)}"'
            )
            return (
                f'<a href="#{anchor(target)}" {marks}>{text}</a>' if links else f"<span {marks}>{text}</span>"
            )
        case Literal(place=place):
            return f'<span class="literal" data-literal="{html_text(place)}">{text}</span>'
        case Quoted() | Name():
            # A long unit or path that has no room breaks after a slash, not within a word; a short unit stays whole.
            return f"<span data-quoted>{text if len(piece.text) <= SHORT else text.replace('/', '/<wbr>')}</span>"
        case Reference(address=address) if links:
            return f'<a class="ref" data-quoted href="#{anchor(address)}">{text}</a>'
        case Reference():
            return f"<span data-quoted>{text}</span>"
        case _:
            assert_never(piece)


def to_markdown(pieces: Iterable[Piece], *, cell: bool = False, folded: Collection[str] = frozenset()) -> str:
    """The pieces as inline Markdown, for a table cell or elsewhere.

    A number whose derivation is `folded` keeps its address as a title and leads nowhere.
    """
    return "".join(_markdown(piece, cell, folded) for piece in pieces)


def to_comment(pieces: Iterable[Piece]) -> str:
    """The pieces as inline Markdown of a comment, for a table cell or elsewhere: numbers stand without links, since it has
    no derivations to lead to."""
    return "".join(map(_in_comment, pieces))


def _in_comment(piece: Piece) -> str:
    match piece:
        case Numeral(text=text):
            return text
        case Name(text=text) | Reference(text=text):
            return markdown_code(text, cell=True)
        case _:
            return markdown_text(piece.text)


def to_summary(pieces: Iterable[Piece]) -> str:
    """The pieces for the summary of a fold in Markdown: HTML, which a forge still looks through for links."""
    return "".join(
        _titled(piece) if isinstance(piece, Numeral) else quoted_markdown(piece.text) for piece in pieces
    )


def _titled(numeral: Numeral) -> str:
    # A forge keeps the title of an element and drops attributes of our own.
    unit = f" in {numeral.unit}" if numeral.unit else ""
    title = markdown_attribute(f"{numeral.address} {numeral.part}{unit}")
    return f'<span title="{title}">{numeral.text}</span>'


def _markdown(piece: Piece, cell: bool, folded: Collection[str]) -> str:
    match piece:
        case Words(text=text):
            return markdown_text(text)
        case Numeral(target=target) if target in folded:
            return _titled(piece)
        case Numeral(text=text, address=address, part=part, target=target, unit=unit):
            named = part if address == target else f"{address} {part}"
            title = f"{named} in {unit}" if unit else named
            return f'[{text}](#{anchor(target)} "{markdown_attribute(title)}")'
        case Literal(text=text, place=place):
            return f'<span data-literal="{html_text(place)}">{markdown_text(text)}</span>'
        case Quoted(text=text):
            return quoted_markdown(text)
        case Name(text=text):
            return markdown_code(text, cell=cell)
        case Reference(text=text, address=address) if address in folded:
            return markdown_code(text, cell=cell)
        case Reference(text=text, address=address):
            return f"[{markdown_code(text, cell=cell)}](#{anchor(address)})"
        case _:
            assert_never(piece)


def quoted_markdown(text: str) -> str:
    """Foreign prose; marked as quoted where it holds a digit, which is not a number of the report."""
    safe = markdown_text(text)
    return f"<span data-quoted>{safe}</span>" if _DIGIT.search(text) else safe
