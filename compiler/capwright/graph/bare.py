"""Numbers whose unit lacks something: the whole of it, or what it is counted by."""

from __future__ import annotations

import re
from typing import Final

from capwright.base.dimension import Dimension, dimension, over
from capwright.check.rules import Typed
from capwright.graph.context import Context
from capwright.graph.exactly import exact
from capwright.graph.tape import Constant
from capwright.graph.values import Q

_BELOW: Final = re.compile(r"/([^\W\d]\w*)")
"""What stands below the line in a unit."""


def way_to_unit(ctx: Context, value: Q, unit: str) -> str | None:
    """The way out where a number without a unit stands for a quantity in `unit`; None for all else."""
    typed = value.type
    if not typed.literal or typed.dim.powers or typed.unit or not unit:
        return None
    written = _written(ctx, value)
    several = unit if written == "1" else ctx.program.units.plural.get(unit, unit)
    return f"a bare number has no unit: write one, as in `{written} {several}`"


def way_to_one_unit(ctx: Context, a: Q, b: Q) -> str | None:
    """The way out where one of two sides is such a number, or lacks what it is counted by, and the other a quantity; None
    for all else."""
    bare = way_to_unit(ctx, a, unit_of(ctx, b.type)) or way_to_unit(ctx, b, unit_of(ctx, a.type))
    return bare or _way_to_count(ctx, a, b) or _way_to_count(ctx, b, a)


def _way_to_count(ctx: Context, value: Q, other: Q) -> str | None:
    """`30 GiB` beside a quantity in `GiB/device`: the same number for each of what that counts."""
    typed = value.type
    off = over(other.type.dim, typed.dim)
    units = ctx.program.units
    if (
        not typed.literal
        or not typed.unit
        or not off.names <= units.counting
        or any(p > 0 for _, p in off.powers)
    ):
        return None
    counted = "".join(
        f"/{units.display.get(name, name)}" + (f"^{-power}" if power < -1 else "")
        for name, power in off.powers
    )
    return f"the other side is for each of what it counts: write `{_written(ctx, value)}{counted}`"


def way_to_each(ctx: Context, value: Q, dim: Dimension, unit: str) -> str | None:
    """The way out where a number, `16 tokens`, stands for so much of each, in `token/block`; None for all else. What is missing
    is said as the declared unit says it."""
    typed, units = value.type, ctx.program.units
    off = over(dim, typed.dim)
    if not typed.literal or not typed.unit or not off.powers or any(power != -1 for _, power in off.powers):
        return None
    below = {units.read(name).dim: name for name in _BELOW.findall(unit)}
    missing = "".join(
        f"/{below.get(dimension({name: 1}), units.display.get(name, name))}" for name, _ in off.powers
    )
    return f"if it is so much for each, write `{_written(ctx, value)}{missing}`"


def unit_of(ctx: Context, typed: Typed) -> str:
    """The unit that a quantity is printed in, else the symbols of its base units; "" for a pure number."""
    if not typed.dim.powers:
        return ""
    return typed.unit or typed.dim.text(ctx.program.units.display)


def _written(ctx: Context, value: Q) -> str:
    """A number as the plan has it, or as a plan would write what it comes to."""
    constant = ctx.tape.data[value.node]
    if isinstance(constant, Constant) and constant.text:
        return constant.text if constant.unit in constant.text else f"{constant.text} {constant.unit}"
    known = exact(ctx, value.node)
    return f"{known:_}" if isinstance(known, int) else "1"
