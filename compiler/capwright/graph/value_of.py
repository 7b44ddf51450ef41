"""The walk over expressions, by a table of one function a construct that expansion brings along."""

from __future__ import annotations

from capwright.check.declared import Slot
from capwright.graph.context import Context
from capwright.graph.values import POISON, Env, Value
from capwright.syntax import tree


def value_of(ctx: Context, expr: tree.Expr, env: Env, want: Slot | None = None) -> Value:
    """The value of `expr`. `want` is the slot it goes into, where there is one.

    Every step is counted: past its budget a plan is refused, and all that is left is poison.
    """
    ctx.steps -= 1
    if (ctx.steps <= 0 or len(ctx.tape.ops) > ctx.nodes) and ctx.spent(expr.span):
        return POISON
    return ctx.walkers[type(expr)](ctx, expr, env, want)
