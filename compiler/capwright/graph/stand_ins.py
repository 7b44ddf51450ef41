"""Nodes that stand for any value, while a formula is checked for whoever may call it."""

from __future__ import annotations

from typing import Final

from capwright.base.dimension import Dimension
from capwright.base.source import NOWHERE, Span
from capwright.graph.context import Context
from capwright.graph.tape import arguments

_MARK: Final = "stand-in "


def stand_in_node(ctx: Context, dim: Dimension, name: str, span: Span = NOWHERE) -> int:
    """A node for any value of a dimension; unlike the variable of a search it never gets one."""
    return ctx.tape.emit("variable", (), dim, span, _MARK + name)


def leans_on_stand_in(ctx: Context, node: int) -> bool:
    """Whether a node is unknown only because something below it stands for any value."""
    stack, seen = [node], set[int]()
    while stack:
        current = stack.pop()
        if current in seen or current < 0:
            continue
        seen.add(current)
        if ctx.tape.ops[current] == "variable" and str(ctx.tape.data[current]).startswith(_MARK):
            return True
        stack.extend(arguments(ctx.tape, current))
    return False
