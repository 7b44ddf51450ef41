"""SVG elements as text. Widths are shares of the page's width, so that a phone gets readable letters."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from capwright.render.charts.letters import LINE, NARROW, TICK_SIZE, width
from capwright.render.escape import html_text
from capwright.render.markup import anchor
from capwright.render.pieces import Numeral, Piece, Pieces, Words

WIDTH: Final = 720
"""Of a picture in a file of its own, whose letters grow and shrink with it."""
MARGIN: Final = 16
TICK_GAP: Final = 8.0
ALONE: Final = '<svg class="chart alone"'
"""How such a file begins."""
_HEAD: Final = re.compile(r'<svg class="chart" width="100%" height="([0-9]+)"')
_LINK: Final = re.compile(r"</?a\b[^>]*>")


def percent(share: float) -> str:
    """A horizontal position as an attribute value."""
    return f"{share * 100:.2f}%"


def rect(start: float, end: float, y: float, height: float, kind: str) -> str:
    """A bar between two shares of the width."""
    left, right = sorted((start, end))
    width = max(right - left, 0.002)
    return f'<rect class="{kind}" x="{percent(left)}" width="{percent(width)}" y="{y:.1f}" height="{height:.1f}"/>'


def line(x1: float, y1: float, x2: float, y2: float, kind: str) -> str:
    """A straight line."""
    return f'<line class="{kind}" x1="{percent(x1)}" y1="{y1:.1f}" x2="{percent(x2)}" y2="{y2:.1f}"/>'


def dot(x: float, y: float, kind: str) -> str:
    """A point."""
    return f'<circle class="{kind}" cx="{percent(x)}" cy="{y:.1f}" r="4.5"/>'


def label(x: float, y: float, pieces: Pieces, anchor_at: str = "start") -> str:
    """A text of pieces; numbers keep their addresses and lead to their derivations."""
    inner = "".join(_piece(piece) for piece in pieces)
    return f'<text x="{percent(x)}" y="{y:.1f}" text-anchor="{anchor_at}">{inner}</text>'


def paragraph(x: float, y: float, lines: Sequence[Pieces], anchor_at: str = "start") -> str:
    """Lines of text one below the other, the first of them at `y`."""
    return "".join(label(x, y + LINE * at, line, anchor_at) for at, line in enumerate(lines))


def tick(x: float, y: float, text: str, axis: str, anchor_at: str = "middle") -> str:
    """A number on an axis, which belongs to the axis and to no quantity."""
    return (
        f'<text class="tick" x="{percent(x)}" y="{y:.1f}" text-anchor="{anchor_at}"'
        f' data-axis="{html_text(axis)}">{html_text(text)}</text>'
    )


def ticks_across(places: Sequence[tuple[float, str]], y: float, axis: str) -> str:
    """The numbers below an axis: each one below its place, or up to the picture's edge, and only as many (each second
    one, each third one, …) as keep apart on the narrowest page."""
    found = [(x, text, _side(x, width(text, TICK_SIZE))) for x, text in places]
    for every in range(1, len(found) + 1):
        kept = found[::every]
        boxes = [_box(*each) for each in kept]
        if all(right + TICK_GAP <= left for (_, right), (left, _) in pairwise(boxes)):
            return "".join(tick(x, y, text, axis, side) for x, text, side in kept)
    return ""


def _side(x: float, wide: float) -> str:
    if x * NARROW < wide / 2:
        return "start"
    return "end" if (1 - x) * NARROW < wide / 2 else "middle"


def _box(x: float, text: str, side: str) -> tuple[float, float]:
    wide = width(text, TICK_SIZE)
    left = x * NARROW - wide * {"start": 0.0, "middle": 0.5, "end": 1.0}[side]
    return left, left + wide


def _piece(piece: Piece) -> str:
    text = html_text(piece.text)
    if isinstance(piece, Numeral):
        return (
            f'<a href="#{anchor(piece.target)}" tabindex="-1"><tspan data-address="{html_text(piece.address)}"'
            f' data-part="{html_text(piece.part)}" data-unit="{html_text(piece.unit)}">{text}</tspan></a>'
        )
    return text if isinstance(piece, Words) else f'<tspan data-quoted="">{text}</tspan>'


def drawing(body: str, height: float, title: str) -> str:
    """The whole picture; its numbers also stand in the table beside it."""
    return (
        f'<svg class="chart" width="100%" height="{height:.0f}" role="group" aria-label="{html_text(title)}">'
        f"{body}</svg>"
    )


def alone(drawn: str, style: str) -> str:
    """A drawing as a file of its own, without the links into the page that it would stand on."""
    found = _HEAD.match(drawn)
    assert found is not None
    width, height = WIDTH + 2 * MARGIN, int(found[1]) + 2 * MARGIN
    opening, _, body = drawn[found.end() :].partition(">")
    return (
        f'{ALONE} xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}"'
        f' viewBox="0 0 {width} {height}"{opening}>\n<style>\n{style}</style>\n'
        f'<rect class="paper" width="100%" height="100%"/>\n'
        f'<svg x="{MARGIN}" y="{MARGIN}" width="{WIDTH}" height="{found[1]}">{_LINK.sub("", body)}\n</svg>\n'
    )
