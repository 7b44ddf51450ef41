"""Pictures with two axes: lines, points, and a ceiling (a flat limit that a slope runs into).

What the lines and points are stands in a key below the plane: beside them there is no room on a narrow page.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction
from functools import partial
from itertools import pairwise
from string import ascii_lowercase
from typing import Final

from msgspec import Struct

from capwright.base.exact import Number, norm
from capwright.base.rounding import shown
from capwright.document.plandoc import Quantity, UnitText, ViewDoc
from capwright.render.charts.letters import LINE, NARROW, TICK_SIZE, fitting, width
from capwright.render.charts.scale import Logarithmic, Scale, linear
from capwright.render.charts.svg import dot, drawing, label, line, paragraph, tick, ticks_across
from capwright.render.charts.units import axis_unit, middle, on_axis, on_axis_text
from capwright.render.figures import in_unit, quantity_ends
from capwright.render.index import Index
from capwright.render.pieces import Pieces, Quoted, Words

RIGHT: Final = 0.97
HEIGHT: Final = 226.0
"""Of the plane itself, in pixels; what is written stands above and below it."""
KEY: Final = 0.06
"""Where a line of the key begins; its sign stands before it."""
TAG: Final = 14.0
"""The room of a letter beside a point, in pixels."""


class Point(Struct, frozen=True):
    """A point in base units, with the quantity that is its height."""

    x: Number
    y: Number
    quantity: Quantity


class Plane(Struct, frozen=True):
    """Two axes in base units with their display units and names (below, above); `left` is a share of the width, `top` is in pixels."""

    x: Scale
    y: Scale
    x_unit: UnitText
    y_unit: UnitText
    names: tuple[list[Pieces], list[Pieces]]
    left: float
    top: float

    @property
    def bottom(self) -> float:
        return self.top + HEIGHT

    def at(self, x: Number, y: Number) -> tuple[float, float]:
        """Where a point lies in the drawing."""
        across = self.left + (RIGHT - self.left) * self.x.at(x)
        return across, self.bottom - HEIGHT * self.y.at(y)


class Entry(Struct, frozen=True):
    """A line of the key: the sign of what is drawn (from `y` on), and what it is."""

    sign: Callable[[float], str]
    text: Pieces


def draw(view: ViewDoc, of: Index) -> str:
    """The SVG of a line, scatter or ceiling view; empty where there is nothing to draw."""
    found = [of.quantities[address] for address in view.addresses if address in of.quantities]
    if view.chart == "ceiling":
        return _ceiling(view, found)
    points = list(_pairs(found))
    if not points:
        return ""
    plane = _plane(
        linear([point.x for point in points]),
        linear([point.y for point in points]),
        found[::2],
        found[1::2],
        tagged=len(points) > 1,
    )
    body = _frame(plane, view)
    if view.chart == "line":
        places = [plane.at(point.x, point.y) for point in points]
        body += "".join(line(*a, *b, "curve") for a, b in pairwise(places))
    return _with_key(body, plane, [], points, view)


def _ceiling(view: ViewDoc, found: list[Quantity]) -> str:
    """`found` is the flat limit, the slope, and then pairs of x and y."""
    values = [middle(quantity_ends(quantity)) for quantity in found]
    if len(found) < 4 or values[0] is None or values[1] is None or min(values[0], values[1]) <= 0:
        return ""
    flat, slope = Fraction(values[0]), Fraction(values[1])
    points = [point for point in _pairs(found[2:]) if point.x > 0 and point.y > 0]
    ridge = flat / slope
    xs = [ridge, *(Fraction(point.x) for point in points)]
    low, high = min(xs) / 8, max(xs) * 8
    floor = min([slope * low, *(Fraction(point.y) / 2 for point in points)])
    plane = _plane(
        Logarithmic(norm(low), norm(high)),
        Logarithmic(norm(floor), norm(flat * 2)),
        found[2::2],
        [*found[3::2], found[0]],
        tagged=len(points) > 1,
    )
    corner = plane.at(ridge, flat)
    body = _frame(plane, view)
    body += line(*plane.at(low, slope * low), *corner, "curve")
    body += line(*corner, *plane.at(high, flat), "curve")
    for point in points:
        x, y = plane.at(point.x, point.y)
        body += line(x, y, x, plane.bottom, "drop")
    limits = [
        Entry(lambda y: line(0, y - 4, KEY - 0.02, y - 4, "curve key"), _named(found[0], plane.y_unit)),
        Entry(lambda y: line(0, y, KEY - 0.02, y - 9, "curve key"), _named(found[1], found[1].unit)),
    ]
    return _with_key(body, plane, limits, points, view)


def _plane(x: Scale, y: Scale, across: list[Quantity], up: list[Quantity], *, tagged: bool) -> Plane:
    """The plane whose axes measure `across` and `up`; with room above for the letters of its points if `tagged`."""
    x_unit, y_unit = axis_unit(across), axis_unit(up)
    wide = max((width(text, TICK_SIZE) for _, text in _ticks(y, y_unit)), default=0.0)
    left = min(max(0.13, (wide + 8) / NARROW), 0.5)
    below = fitting(_axis_name(across[0], x_unit), 2 * (1 - (left + RIGHT) / 2) * NARROW)
    above = fitting(_axis_name(up[0], y_unit), NARROW)
    return Plane(x, y, x_unit, y_unit, (below, above), left, LINE * len(above) + 8 + TAG * tagged)


def _axis_name(quantity: Quantity, unit: UnitText) -> Pieces:
    """What an axis measures, and its unit where that has a name."""
    return (Quoted(_name(quantity)), *((Words(", "), Quoted(unit.symbol)) if unit.symbol else ()))


def _named(quantity: Quantity, unit: UnitText) -> Pieces:
    return (Quoted(_name(quantity)), Words(" "), *on_axis_text(quantity, on_axis(quantity, unit)))


def _name(quantity: Quantity) -> str:
    return quantity.label or quantity.address.rpartition(".")[2]


def _pairs(found: list[Quantity]) -> Iterable[Point]:
    for across, up in zip(found[::2], found[1::2], strict=False):
        x, y = middle(quantity_ends(across)), middle(quantity_ends(up))
        if x is not None and y is not None:
            yield Point(x, y, up)


def _with_key(body: str, plane: Plane, limits: list[Entry], points: list[Point], view: ViewDoc) -> str:
    """The picture of `body` with its points, and below it what each thing drawn is.

    Several points are told apart by letters, as there may be no room for more beside them.
    """
    entries = list(limits)
    taken: list[tuple[float, float]] = []
    for at, point in enumerate(points):
        x, y = plane.at(point.x, point.y)
        kind = "dot bound" if point.quantity.nominal is None else "dot"
        body += dot(x, y, kind)
        text = _named(point.quantity, plane.y_unit)
        if len(points) > 1:
            tag = Words(_letters(at))
            taken.append((x, _free(x, y, plane, taken)))
            body += label(*taken[-1], (tag,), "middle")
            text = (tag, Words(": "), *text)
        entries.append(Entry(partial(_dot_of_key, kind=f"{kind} key"), text))
    y = plane.bottom + 38 + LINE * (len(plane.names[0]) - 1) + 24
    for entry in entries:
        lines = fitting(entry.text, (1 - KEY) * NARROW)
        body += entry.sign(y) + paragraph(KEY, y, lines)
        y += LINE * len(lines) + 2
    return drawing(body, y - 8, view.title)


def _dot_of_key(y: float, kind: str) -> str:
    return dot((KEY - 0.02) / 2, y - 4.5, kind)


def _letters(at: int) -> str:
    """`a`, `b`, … `z`, `aa`, `ab`, …"""
    before, last = divmod(at, len(ascii_lowercase))
    return (_letters(before - 1) if before else "") + ascii_lowercase[last]


def _free(x: float, y: float, plane: Plane, taken: list[tuple[float, float]]) -> float:
    """How high the letter of a point stands: above it, or wherever no other one is that is near on a narrow page."""
    near = [other for across, other in taken if abs(across - x) * NARROW < 2 * TAG]
    above = [y - 9 - TAG * step for step in range(int((y - 9 - plane.top + TAG) / TAG) + 1)]
    below = [y + 19 + TAG * step for step in range(int((plane.bottom - y - 19) / TAG) + 1)]
    free = (place for place in [*above, *below] if all(abs(place - other) >= TAG for other in near))
    return next(free, y - 9)


def _frame(plane: Plane, view: ViewDoc) -> str:
    axis = f"{view.owner}.{view.name}"
    body = paragraph(0, 14, plane.names[1])
    across = [(plane.at(value, 0)[0], text) for value, text in _ticks(plane.x, plane.x_unit)]
    body += "".join(line(x, plane.top, x, plane.bottom, "grid") for x, _ in across)
    body += ticks_across(across, plane.bottom + 16, f"{axis}.x")
    for value, text in _ticks(plane.y, plane.y_unit):
        _, y = plane.at(0, value)
        body += line(plane.left, y, RIGHT, y, "grid")
        body += tick(plane.left - 0.02, y + 4, text, f"{axis}.y", "end")
    return body + paragraph((plane.left + RIGHT) / 2, plane.bottom + 38, plane.names[0], "middle")


def _ticks(scale: Scale, unit: UnitText) -> list[tuple[Number, str]]:
    factor = Fraction(unit.factor)
    own = type(scale)(in_unit(scale.low, unit), in_unit(scale.high, unit))
    return [(norm(value * factor), shown(value)) for value in own.ticks()]
