"""Waterfalls and bars: one row a quantity, the name and the value above the bar."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal

from msgspec import Struct

from capwright.base.exact import Number
from capwright.base.rounding import shown
from capwright.document.plandoc import Quantity, UnitText, ViewDoc
from capwright.render.charts.scale import Linear, linear
from capwright.render.charts.svg import drawing, label, line, rect, tick
from capwright.render.charts.units import axis_unit, middle, on_axis
from capwright.render.figures import headline, in_unit, numerals_together, quantity_ends, unit_piece
from capwright.render.index import Index
from capwright.render.pieces import Pieces, Quoted

ROW: Final = 44.0
BAR: Final = 14.0
TOP: Final = 18.0

Role = Literal["level", "taken"]


class Step(Struct, frozen=True):
    """One bar, from `start` to `end` in base units, with the range of its end where that is known."""

    quantity: Quantity
    role: Role
    start: Number
    end: Number
    low: Number | None
    high: Number | None

    @property
    def is_bound(self) -> bool:
        """Whether the bar ends at a bound, since there is no nominal value."""
        return self.quantity.nominal is None


def roles(quantities: list[Quantity], of: Index) -> list[Role]:
    """Which steps of a waterfall are levels, and which are taken off the level before.

    A step is taken off if a later step's formula subtracts it; every other one is a level.
    """
    names = {_same_as(quantity.address, of): quantity.address for quantity in quantities}
    taken: dict[str, int] = {}
    for at, quantity in enumerate(quantities):
        for address in _subtracted(quantity, names, of):
            taken.setdefault(address, at)
    return ["taken" if taken.get(q.address, 0) > at else "level" for at, q in enumerate(quantities)]


def _same_as(address: str, of: Index) -> str:
    """The last of a chain of quantities that are each another one by another name."""
    seen: set[str] = set()
    quantity = of.quantities.get(address)
    while quantity is not None and quantity.address not in seen:
        seen.add(quantity.address)
        address = quantity.address
        tree = quantity.formula
        quantity = of.quantities.get(tree["address"]) if tree is not None and tree["op"] == "ref" else None
    return address


def _subtracted(quantity: Quantity, names: Mapping[str, str], of: Index) -> set[str]:
    """Which of `names` stand under a minus in the formula, also through quantities that have no name there."""
    own = _same_as(quantity.address, of)
    found: set[str] = set()
    seen: set[tuple[str, bool]] = set()
    waiting = [(of.quantities[own].formula, False)]
    while waiting:
        tree, minus = waiting.pop()
        if tree is None:
            continue
        if tree["op"] == "ref" and of.target(tree["address"]) is not None:
            target = _same_as(tree["address"], of)
            if target in names:
                found |= {names[target]} if minus else set()
            elif (target, minus) not in seen:
                seen.add((target, minus))
                waiting.append((of.quantities[target].formula, minus))
        args = tree.get("args", ())
        flips = [tree["op"] == "neg" or (tree["op"] == "sub" and at > 0) for at in range(len(args))]
        waiting.extend((arg, minus != flip) for arg, flip in zip(args, flips, strict=True))
    return found


def steps(view: ViewDoc, of: Index) -> list[Step]:
    """The bars of a view, those without any number left out."""
    quantities = [of.quantities[address] for address in view.addresses if address in of.quantities]
    waterfall = view.chart == "waterfall"
    kinds: list[Role] = roles(quantities, of) if waterfall else ["level"] * len(quantities)
    found: list[Step] = []
    level: Number = 0
    for quantity, role in zip(quantities, kinds, strict=True):
        ends = quantity_ends(quantity)
        value = middle(ends)
        if value is None:
            continue
        if role == "level":
            found.append(Step(quantity, role, 0, value, ends.low, ends.high))
            level = value
        else:
            low = None if ends.high is None else level - ends.high
            high = None if ends.low is None else level - ends.low
            found.append(Step(quantity, role, level, level - value, low, high))
            level = level - value
    return found


def draw(view: ViewDoc, of: Index) -> str:
    """The SVG of a waterfall or of bars; empty where there is nothing to draw."""
    found = steps(view, of)
    if not found:
        return ""
    every = [end for step in found for end in (step.start, step.end, step.low, step.high)]
    scale = linear([end for end in every if end is not None])
    unit = axis_unit([step.quantity for step in found])
    bottom = ROW * len(found) + 6
    body = _axis(scale, unit, view, bottom)
    values = [on_axis(step.quantity, unit) for step in found]
    printed = numerals_together(values)
    last = len(found) - 1
    for at, step in enumerate(found):
        final = at == last and view.chart == "waterfall"
        value = headline(values[at], printed[at])
        body += _row(step, value, scale, ROW * at, "final" if final else step.role)
    return drawing(body, bottom + 38, view.title)


def _row(step: Step, value: Pieces, scale: Linear, y: float, kind: str) -> str:
    name = step.quantity.label or step.quantity.address.rpartition(".")[2]
    sign = "bound" if step.is_bound else kind
    body = label(0, y + TOP - 4, (Quoted(name),)) + label(1, y + TOP - 4, value, "end")
    body += rect(scale.at(step.start), scale.at(step.end), y + TOP + 2, BAR, f"bar {sign}")
    if step.low is not None and step.high is not None and step.low != step.high:
        middle_y = y + TOP + 2 + BAR / 2
        low, high = scale.at(step.low), scale.at(step.high)
        body += line(low, middle_y, high, middle_y, "whisker")
        body += "".join(line(x, middle_y - 4, x, middle_y + 4, "whisker") for x in (low, high))
    return f"<g>{body}</g>"


def _axis(scale: Linear, unit: UnitText, view: ViewDoc, bottom: float) -> str:
    body = ""
    in_units = Linear(in_unit(scale.low, unit), in_unit(scale.high, unit))
    for value in in_units.ticks():
        x = in_units.at(value)
        body += line(x, 0, x, bottom, "grid")
        side = "start" if x < 0.04 else "end" if x > 0.96 else "middle"
        body += tick(x, bottom + 14, shown(value), f"{view.owner}.{view.name}", side)
    return body + label(1, bottom + 30, unit_piece(unit)[-1:], "end")
