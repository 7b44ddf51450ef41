"""Truths as nodes."""

from __future__ import annotations

from capwright.base.dimension import PURE
from capwright.base.source import Span
from capwright.graph.context import Context
from capwright.graph.stand_ins import stand_in_node
from capwright.graph.tape import Constant
from capwright.graph.values import Truth


def truth_node(ctx: Context, value: bool | Truth, span: Span) -> int:
    """The node of a truth, decided or not."""
    if isinstance(value, Truth):
        return value.node
    return ctx.tape.emit("const", (), PURE, span, Constant(int(value), "true" if value else "false"))


def unknown_truth(ctx: Context, span: Span) -> Truth:
    """A truth that stands for either, while a formula is checked for stand-ins."""
    return Truth(stand_in_node(ctx, PURE, f"truth@{span.start}", span))
