"""Bare numbers where a quantity is asked for: the mistake is the unit that nobody wrote."""

from __future__ import annotations

from capwright.check.rules import Typed
from capwright.graph.context import Context
from capwright.graph.exactly import exact
from capwright.graph.tape import Constant
from capwright.graph.values import Q


def way_to_unit(ctx: Context, value: Q, unit: str) -> str | None:
    """The way out where a number without a unit stands for a quantity in `unit`; None for all else."""
    typed = value.type
    if not typed.literal or typed.dim.powers or typed.unit or not unit:
        return None
    return f"a bare number has no unit: write one, as in `{_written(ctx, value)} {unit}`"


def way_to_one_unit(ctx: Context, a: Q, b: Q) -> str | None:
    """The way out where one of two sides is such a number, and the other a quantity; None for all else."""
    return way_to_unit(ctx, a, unit_of(ctx, b.type)) or way_to_unit(ctx, b, unit_of(ctx, a.type))


def unit_of(ctx: Context, typed: Typed) -> str:
    """The unit that a quantity is printed in, else the symbols of its base units; "" for a pure number."""
    if not typed.dim.powers:
        return ""
    return typed.unit or typed.dim.text(ctx.program.units.display)


def _written(ctx: Context, value: Q) -> str:
    """A number as the plan has it, or as a plan would write what it comes to."""
    constant = ctx.tape.data[value.node]
    if isinstance(constant, Constant) and constant.text:
        return constant.text
    known = exact(ctx, value.node)
    return f"{known:_}" if isinstance(known, int) else "1"
