"""`if`: a branch taken while the plan is expanded, or a choice that is left to the numbers."""

from __future__ import annotations

from msgspec.structs import replace

from capwright.base.dimension import PURE
from capwright.check.declared import Slot
from capwright.check.rules import joined
from capwright.graph.comparisons import disagree
from capwright.graph.context import Context
from capwright.graph.truths import not_truth, truth_node
from capwright.graph.value_of import value_of
from capwright.graph.values import POISON, Env, Inst, Poison, Q, Truth, Value, what
from capwright.syntax import tree


def branch(ctx: Context, expr: tree.If, env: Env, want: Slot | None) -> Value:
    """`if c then a else b`; a condition that is decided here drops the other branch."""
    condition = value_of(ctx, expr.condition, env)
    if isinstance(condition, Poison):
        return condition
    if isinstance(condition, bool):
        return value_of(ctx, expr.then if condition else expr.otherwise, env, want)
    if not isinstance(condition, Truth):
        return not_truth(ctx, expr.condition, condition)
    a = value_of(ctx, expr.then, env, want)
    b = value_of(ctx, expr.otherwise, env, want)
    return choose(ctx, condition, a, b, expr)


def choose(ctx: Context, condition: Truth, a: Value, b: Value, expr: tree.If) -> Value:
    """The value of an `if` that numbers decide."""
    if isinstance(a, Poison) or isinstance(b, Poison):
        return POISON
    if isinstance(a, Q) and isinstance(b, Q):
        if a.type.dim is not b.type.dim:
            both = tree.Binary(expr.span, "+", expr.then, expr.otherwise)
            return disagree(ctx, both, a, b, "`if`")
        typed = joined(a.type, b.type)
        if condition.taint:
            typed = replace(typed, taint=typed.taint | condition.taint, static=False, literal=False)
        node = ctx.tape.emit("if", (condition.node, a.node, b.node), typed.dim, expr.span)
        return Q(node, typed)
    if isinstance(a, bool | Truth) and isinstance(b, bool | Truth):
        nodes = (condition.node, truth_node(ctx, a, expr.span), truth_node(ctx, b, expr.span))
        taint = condition.taint.union(*(side.taint for side in (a, b) if isinstance(side, Truth)))
        return Truth(ctx.tape.emit("if", nodes, PURE, expr.span), taint)
    if a == b or (isinstance(a, Inst) and a.stand_in):
        return a
    return ctx.say(
        "CW0310",
        expr.condition.span,
        f"this condition is decided by quantities, and cannot choose between {what(a)} and {what(b)}",
        "decide it by a choice, a variant or a static number, or choose between quantities",
    )
