"""The walk over expressions, by a table of one function a construct that expansion brings along."""

from __future__ import annotations

from capwright.check.declared import Slot
from capwright.graph.context import MAX_NESTING, Context
from capwright.graph.values import Env, Value
from capwright.syntax import tree


def evaluate(ctx: Context, expr: tree.Expr, env: Env, want: Slot | None = None) -> Value:
    """The value of `expr`. `want` is the slot it goes into, where there is one."""
    ctx.nesting += 1
    try:
        if ctx.nesting > MAX_NESTING * MAX_NESTING:
            return ctx.say(
                "CW0404",
                expr.span,
                "this is nested too deeply",
                "name the inner parts and refer to them",
            )
        return ctx.walkers[type(expr)](ctx, expr, env, want)
    finally:
        ctx.nesting -= 1
