"""Pictures with two axes: lines, points, and a ceiling (a flat limit that a slope runs into)."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from itertools import pairwise
from typing import Final

from msgspec import Struct

from capwright.base.exact import Number, norm
from capwright.base.rounding import shown
from capwright.document.plandoc import Quantity, UnitText, ViewDoc
from capwright.render.charts.scale import Logarithmic, Scale, linear
from capwright.render.charts.svg import dot, drawing, label, line, tick
from capwright.render.charts.units import axis_unit, middle, on_axis
from capwright.render.figures import headline, in_unit, quantity_ends
from capwright.render.index import Index
from capwright.render.pieces import Pieces, Quoted, Words

LEFT: Final = 0.13
RIGHT: Final = 0.97
TOP: Final = 24.0
BOTTOM: Final = 250.0
HEIGHT: Final = 300.0


class Point(Struct, frozen=True):
    """A point in base units, with the quantity that is its height."""

    x: Number
    y: Number
    quantity: Quantity


class Plane(Struct, frozen=True):
    """Two axes in base units with their display units."""

    x: Scale
    y: Scale
    x_unit: UnitText
    y_unit: UnitText

    def at(self, x: Number, y: Number) -> tuple[float, float]:
        """Where a point lies in the drawing."""
        return LEFT + (RIGHT - LEFT) * self.x.at(x), BOTTOM - (BOTTOM - TOP) * self.y.at(y)


def draw(view: ViewDoc, of: Index) -> str:
    """The SVG of a line, scatter or ceiling view; empty where there is nothing to draw."""
    found = [of.quantities[address] for address in view.addresses if address in of.quantities]
    if view.chart == "ceiling":
        return _ceiling(view, found)
    points = list(_pairs(found))
    if not points:
        return ""
    plane = Plane(
        linear([point.x for point in points]),
        linear([point.y for point in points]),
        axis_unit(found[::2]),
        axis_unit(found[1::2]),
    )
    body = _frame(plane, view, found[0], found[1])
    if view.chart == "line":
        places = [plane.at(point.x, point.y) for point in points]
        body += "".join(line(*a, *b, "curve") for a, b in pairwise(places))
    return drawing(body + _dots(points, plane), HEIGHT, view.title)


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
    plane = Plane(
        Logarithmic(norm(low), norm(high)),
        Logarithmic(norm(floor), norm(flat * 2)),
        axis_unit(found[2::2]),
        axis_unit([*found[3::2], found[0]]),
    )
    corner = plane.at(ridge, flat)
    body = _frame(plane, view, found[2], found[3])
    body += line(*plane.at(low, slope * low), *corner, "curve")
    body += line(*corner, *plane.at(high, flat), "curve")
    body += label(RIGHT, corner[1] - 8, _named(found[0], plane.y_unit), "end")
    body += label(LEFT + 0.02, TOP - 8, _named(found[1], found[1].unit))
    for point in points:
        x, y = plane.at(point.x, point.y)
        body += line(x, y, x, BOTTOM, "drop")
    return drawing(body + _dots(points, plane), HEIGHT, view.title)


def _named(quantity: Quantity, unit: UnitText) -> Pieces:
    return (Quoted(_name(quantity)), Words(" "), *headline(on_axis(quantity, unit)))


def _name(quantity: Quantity) -> str:
    return quantity.label or quantity.address.rpartition(".")[2]


def _pairs(found: list[Quantity]) -> Iterable[Point]:
    for across, up in zip(found[::2], found[1::2], strict=False):
        x, y = middle(quantity_ends(across)), middle(quantity_ends(up))
        if x is not None and y is not None:
            yield Point(x, y, up)


def _dots(points: list[Point], plane: Plane) -> str:
    body = ""
    for point in points:
        x, y = plane.at(point.x, point.y)
        side, shift = ("end", -0.015) if x > 0.6 else ("start", 0.015)
        kind = "dot bound" if point.quantity.nominal is None else "dot"
        body += dot(x, y, kind) + label(x + shift, y + 18, _named(point.quantity, plane.y_unit), side)
    return body


def _frame(plane: Plane, view: ViewDoc, across: Quantity, up: Quantity) -> str:
    axis = f"{view.owner}.{view.name}"
    body = ""
    for value, text in _ticks(plane.x, plane.x_unit):
        x, _ = plane.at(value, 0)
        body += line(x, TOP, x, BOTTOM, "grid") + tick(x, BOTTOM + 16, text, f"{axis}.x")
    for value, text in _ticks(plane.y, plane.y_unit):
        _, y = plane.at(0, value)
        body += line(LEFT, y, RIGHT, y, "grid") + tick(LEFT - 0.01, y + 4, text, f"{axis}.y", "end")
    names = (Quoted(_name(across)), Words(", "), Quoted(plane.x_unit.symbol))
    body += label((LEFT + RIGHT) / 2, BOTTOM + 38, names, "middle")
    return body + label(RIGHT, TOP - 8, (Quoted(_name(up)), Words(", "), Quoted(plane.y_unit.symbol)), "end")


def _ticks(scale: Scale, unit: UnitText) -> list[tuple[Number, str]]:
    factor = Fraction(unit.factor)
    own = type(scale)(in_unit(scale.low, unit), in_unit(scale.high, unit))
    return [(norm(value * factor), shown(value)) for value in own.ticks()]
