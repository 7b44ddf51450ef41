"""Waterfalls and bars: one row a quantity, the name and the value above the bar, one below the other without room."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Final, Literal

from msgspec import Struct

from capwright.base.exact import Number
from capwright.base.rounding import shown
from capwright.document.plandoc import Quantity, UnitText, ViewDoc
from capwright.render.charts.letters import LINE, NARROW, fitting, width
from capwright.render.charts.scale import Linear, linear
from capwright.render.charts.svg import drawing, line, paragraph, rect, ticks_across
from capwright.render.charts.units import axis_unit, middle, on_axis, on_axis_text
from capwright.render.figures import in_unit, numerals_together, quantity_ends, unit_piece
from capwright.render.index import Index
from capwright.render.pieces import Pieces, Quoted, Words, plain

ROW: Final = 44.0
BAR: Final = 14.0
TOP: Final = 18.0
GAP: Final = 12.0
"""Between a name and the value beside it, in pixels."""

UNSEEN: Final = 1_000
"""A rest that is so many times smaller than the widest of its neighbours is rounding, and no bar."""

Role = Literal["level", "taken"]
REST: Final = "the rest, which no other bar shows"
"""The name of a bar from where the steps that are taken off end to the level after them, where that is another place."""


class Step(Struct, frozen=True):
    """One bar, from `start` to `end` in base units, with the range of its end where that is known; of no quantity if it is
    what lies between others."""

    quantity: Quantity | None
    role: Role | Literal["rest"]
    start: Number
    end: Number
    low: Number | None = None
    high: Number | None = None

    @property
    def is_bound(self) -> bool:
        """Whether the bar ends at a bound, since there is no nominal value."""
        return self.quantity is not None and self.quantity.nominal is None

    @property
    def name(self) -> str:
        """The words beside the bar."""
        return REST if self.quantity is None else _called(self.quantity)


def _called(quantity: Quantity) -> str:
    return quantity.label or quantity.address.rpartition(".")[2]


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
    """The bars of a view, those without any number left out. Where a level of a waterfall is not where the steps before it
    end, a bar of the rest lies between: a level may be measured, or its formula may take off more than the view names."""
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
            if found and found[-1].role == "taken" and _leaves_rest(found, quantity, value - level):
                found.append(Step(None, "rest", level, value))
            found.append(Step(quantity, role, 0, value, ends.low, ends.high))
            level = value
        else:
            low = None if ends.high is None else level - ends.high
            high = None if ends.low is None else level - ends.low
            found.append(Step(quantity, role, level, level - value, low, high))
            level = level - value
    return found


def _leaves_rest(found: list[Step], level: Quantity, rest: Number) -> bool:
    """Whether the values of a level, of the level before it and of the steps between are known, and leave as much as shows."""
    before = next((at for at in reversed(range(len(found))) if found[at].role == "level"), 0)
    known = level.nominal is not None and not any(step.is_bound for step in found[before:])
    left = UNSEEN * abs(Fraction(rest))
    return known and all(left > abs(Fraction(step.end - step.start)) for step in found[before:])


def draw(view: ViewDoc, of: Index) -> str:
    """The SVG of a waterfall or of bars; empty where there is nothing to draw."""
    found = steps(view, of)
    if not found:
        return ""
    every = [end for step in found for end in (step.start, step.end, step.low, step.high)]
    scale = linear([end for end in every if end is not None])
    quantities = [step.quantity for step in found if step.quantity is not None]
    unit = axis_unit(quantities)
    values = [on_axis(quantity, unit) for quantity in quantities]
    printed = iter(zip(values, numerals_together(values), strict=True))
    body, bottom = "", 0.0
    last = len(found) - 1
    for at, step in enumerate(found):
        final = at == last and view.chart == "waterfall"
        value = () if step.quantity is None else on_axis_text(step.quantity, *next(printed))
        texts, below = _texts(step, value, bottom)
        body += f"<g>{texts}{_bar(step, scale, below, 'final' if final else step.role)}</g>"
        bottom = below + ROW - TOP
    axis, height = _axis(scale, unit, view, bottom + 6)
    return drawing(axis + body, height, view.title)


def _texts(step: Step, value: Pieces, y: float) -> tuple[str, float]:
    """The name and the value from `y` on, and where they end: side by side where both have room on a narrow page."""
    names = fitting((Words(step.name) if step.quantity is None else Quoted(step.name),), NARROW)
    values = fitting(value, NARROW)
    beside = width(plain(names[-1])) + GAP + width(plain(values[0])) <= NARROW
    first = len(names) - 1 if beside else len(names)
    y += TOP - 4
    body = paragraph(0, y, names) + (paragraph(1, y + LINE * first, values, "end") if value else "")
    return body, y + 4 + LINE * (first + len(values) - 1)


def _bar(step: Step, scale: Linear, y: float, kind: str) -> str:
    """The bar below `y`, and its whisker."""
    body = rect(
        scale.at(step.start), scale.at(step.end), y + 2, BAR, f"bar {'bound' if step.is_bound else kind}"
    )
    if step.low is not None and step.high is not None and step.low != step.high:
        middle_y = y + 2 + BAR / 2
        low, high = scale.at(step.low), scale.at(step.high)
        body += line(low, middle_y, high, middle_y, "whisker")
        body += "".join(line(x, middle_y - 4, x, middle_y + 4, "whisker") for x in (low, high))
    return body


def _axis(scale: Linear, unit: UnitText, view: ViewDoc, bottom: float) -> tuple[str, float]:
    """The axis below `bottom`, and where the picture ends."""
    in_units = Linear(in_unit(scale.low, unit), in_unit(scale.high, unit))
    places = [(in_units.at(value), shown(value)) for value in in_units.ticks()]
    body = "".join(line(x, 0, x, bottom, "grid") for x, _ in places)
    body += ticks_across(places, bottom + 14, f"{view.owner}.{view.name}")
    units = fitting(unit_piece(unit)[-1:], NARROW)
    return body + paragraph(1, bottom + 30, units, "end"), bottom + 38 + LINE * (len(units) - 1)
