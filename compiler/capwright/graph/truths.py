"""Truths as nodes, and what is none."""

from __future__ import annotations

from capwright.base.dimension import PURE
from capwright.base.source import Span
from capwright.graph.context import Context
from capwright.graph.stand_ins import stand_in_node
from capwright.graph.tape import Constant
from capwright.graph.values import Truth, Value, what
from capwright.syntax import tree


def truth_node(ctx: Context, value: bool | Truth, span: Span) -> int:
    """The node of a truth, decided or not."""
    if isinstance(value, Truth):
        return value.node
    return ctx.tape.emit("const", (), PURE, span, Constant(int(value), "true" if value else "false"))


def unknown_truth(ctx: Context, span: Span) -> Truth:
    """A truth that stands for either, while a formula is checked for stand-ins."""
    return Truth(stand_in_node(ctx, PURE, f"truth@{span.start}", span))


def not_truth(ctx: Context, expr: tree.Expr, value: Value) -> Value:
    """Say that a truth is needed where something else stands."""
    return ctx.say(
        "CW0302", expr.span, f"a truth is needed here, and this is {what(value)}", "write a comparison"
    )
