"""Comparisons: whether two sides are alike enough to be compared, and what comes of it."""

from __future__ import annotations

from typing import Final

from capwright.base.diagnostic import Note
from capwright.base.dimension import PURE, Dimension, over
from capwright.check.declared import Slot
from capwright.check.rules import Typed, meet, partners
from capwright.graph.bare import way_to_one_unit
from capwright.graph.beside import beside, listed
from capwright.graph.context import Context
from capwright.graph.deciding import by_things, decided
from capwright.graph.tape import Op
from capwright.graph.truths import unknown_truth
from capwright.graph.value_of import value_of
from capwright.graph.values import POISON, Choice, Env, Inst, Q, Truth, Value, Words, what
from capwright.syntax import tree


def equal(ctx: Context, expr: tree.Binary, env: Env) -> Value:
    """`==` and `!=`, of quantities, truths, choices, texts and things."""
    left = value_of(ctx, expr.left, env)
    if left is POISON:  # without it, nobody knows what the names on the right mean
        return POISON
    slot = Slot("choice", choices=left.among) if type(left) is Choice else None
    right = value_of(ctx, expr.right, env, slot)
    if right is POISON:
        return POISON
    same = expr.operator == "=="
    if type(left) is Q and type(right) is Q:
        return compare(ctx, expr, left, right, env)
    if type(left) is Choice and type(right) is Choice:
        if left.name == "" or right.name == "":
            return unknown_truth(ctx, expr.span)
        return (left.name == right.name) is same
    if isinstance(left, Words) and isinstance(right, Words):
        return (left.value == right.value) is same
    if isinstance(left, Inst) and isinstance(right, Inst):
        if left.stand_in or right.stand_in:
            return unknown_truth(ctx, expr.span)
        by_things(ctx, (left, right))
        return (origin(left) is origin(right)) is same
    if isinstance(left, bool | Truth) and isinstance(right, bool | Truth):
        return _same_truth(ctx, expr, left, right, same)
    return ctx.say(
        "CW0302",
        expr.span,
        f"{what(left)} and {what(right)} cannot be compared",
        "compare two things of one sort",
    )


def origin(inst: Inst) -> Inst:
    """What an unchanged copy is a copy of."""
    while inst.base is not None and not inst.layers[: -len(inst.base.layers) or None]:
        inst = inst.base
    return inst


def _same_truth(
    ctx: Context, expr: tree.Binary, left: bool | Truth, right: bool | Truth, same: bool
) -> Value:
    if isinstance(left, bool) and isinstance(right, bool):
        return (left == right) is same
    if isinstance(left, bool):
        left, right = right, left
    if isinstance(right, bool) and isinstance(left, Truth):
        if right is same:
            return left
        return Truth(ctx.tape.emit("not", (left.node,), PURE, expr.span), left.taint)
    if isinstance(left, Truth) and isinstance(right, Truth):
        op: Op = "eq" if same else "ne"
        return Truth(ctx.tape.emit(op, (left.node, right.node), PURE, expr.span), left.taint | right.taint)
    return POISON


COMPARED: Final[dict[str, tuple[Op, bool]]] = {
    "<": ("lt", False),
    "<=": ("le", False),
    ">": ("lt", True),
    ">=": ("le", True),
    "==": ("eq", False),
    "!=": ("ne", False),
}


def comparable(ctx: Context, expr: tree.Binary, left: Q, right: Q, env: Env, strict: bool) -> bool:
    """Whether two quantities are of one dimension and of kinds that meet; says why not."""
    if left.type.dim is not right.type.dim:
        disagree(ctx, expr, left, right, "a comparison")
        return False
    if not meet(left.type, right.type, env.scope, strict):
        _kinds_apart(ctx, expr, left.type, right.type, env)
        return False
    return True


def compare(ctx: Context, expr: tree.Binary, left: Q, right: Q, env: Env) -> Value:
    """A comparison of two quantities of one dimension and of kinds that meet."""
    if not comparable(ctx, expr, left, right, env, strict=False):
        return POISON
    op, turned = COMPARED[expr.operator]
    args = (right.node, left.node) if turned else (left.node, right.node)
    node = ctx.tape.emit(op, args, PURE, expr.span)
    taint = left.type.taint | right.type.taint
    if left.type.static and right.type.static and not taint:
        known = decided(ctx, node)
        if known is not None:
            return bool(known)
    return Truth(node, taint)


def _kinds_apart(ctx: Context, expr: tree.Binary, a: Typed, b: Typed, env: Env) -> Value:
    def said(t: Typed) -> str:
        if t.kind is not None:
            label = env.scope.all_kinds[t.kind].decl.label
            return f"of kind `{t.kind}`" + (f" ({label})" if label else "")
        return "the result of arithmetic, which has no kind" if t.lost else "without a kind"

    unknown = a.kind is None and b.kind is None
    why = "nothing tells whether they mean the same" if unknown else "they mean different things"
    ctx.report.say(
        "CW0332",
        expr.span,
        f"these two must not be compared: {why}",
        _way_to_meet(ctx, expr, a, b, env),
        Note(f"this is {said(a)}", expr.left.span),
        Note(f"this is {said(b)}", expr.right.span),
    )
    return POISON


def _way_to_meet(ctx: Context, expr: tree.Binary, a: Typed, b: Typed, env: Env) -> str:
    """The quantities beside one side that may be compared with the other side, if there are any: of a kind that meets the
    other side's. Another of the same kind could be compared too, and would say nothing of what was asked."""
    sides = ((a, expr.left, b, expr.right), (b, expr.right, a, expr.left))
    for own, own_side, other, other_side in sides:
        wanted = partners(other.kind, env.scope) if other.kind is not None else []
        if not wanted or own.kind in wanted:
            continue
        if named := beside(ctx, own_side, wanted, env, ctx.text(other_side.span)):
            return f"`{other.kind}` is compared with `{'`, `'.join(wanted)}`: use {listed(named)}"
    for own, other in ((a, b), (b, a)):
        if own.kind is not None and other.kind is None:
            return (
                f"say what the other side means: `(…) as {(partners(own.kind, env.scope) or [own.kind])[0]}`"
            )
    for kind in (a.kind, b.kind):
        friends = partners(kind, env.scope) if kind is not None else []
        if friends:
            return f"`{kind}` may be compared with {', '.join(f'`{f}`' for f in friends)}"
    if a.kind is None and b.kind is None:
        return "say what both are: `kind WHAT : UNIT`, and behind the unit of each name `kind WHAT`, or `(…) as WHAT` around each"
    return "compare quantities of one kind, or declare `kind A : UNIT meets B` where that is meant"


def disagree(ctx: Context, expr: tree.Binary, left: Q, right: Q, where: str) -> Value:
    """Two sides of different dimensions, both labelled."""
    a, b = left.type.dim, right.type.dim
    off = f"they are off by {over(b, a).text()}; convert one side, or compare what is alike"
    ctx.report.say(
        "CW0301",
        expr.span,
        f"{where} needs two sides of one dimension: {_named(a)} and {_named(b)}",
        way_to_one_unit(ctx, left, right) or off,
        Note(_noted(a), expr.left.span),
        Note(_noted(b), expr.right.span),
    )
    return POISON


def _named(dim: Dimension) -> str:
    return dim.text() if dim.powers else "a pure number"


def _noted(dim: Dimension) -> str:
    return f"this is in {dim.text()}" if dim.powers else "this is a pure number"
