"""Comprehensions: `sum(e for g in list where c)` and its kin."""

from __future__ import annotations

from msgspec.structs import replace

from capwright.base.dimension import PURE
from capwright.base.source import Span
from capwright.check.declared import Slot
from capwright.check.rules import Typed
from capwright.graph import builtins
from capwright.graph.confiding import not_exact
from capwright.graph.context import MAX_LIST, Context
from capwright.graph.deciding import decided
from capwright.graph.stand_ins import leans_on_stand_in, stand_in
from capwright.graph.tape import Constant, Op
from capwright.graph.telling import faulted
from capwright.graph.truths import unknown_truth
from capwright.graph.value_of import value_of
from capwright.graph.values import POISON, Env, Inst, Items, Poison, Q, Truth, Value, what
from capwright.syntax import tree


def comprehension(ctx: Context, expr: tree.Comprehension, env: Env, want: Slot | None) -> Value:
    """Evaluate the body for every element that meets the condition, then join."""
    source = value_of(ctx, expr.source, env)
    if isinstance(source, Poison):
        return source
    if not isinstance(source, Items):
        return ctx.say(
            "CW0302",
            expr.source.span,
            f"`for {expr.variable} in` needs a list, and this is {what(source)}",
            "name a list, such as an entity's named elements or `[a, b]`",
        )
    if len(source.items) > MAX_LIST:
        return ctx.say(
            "CW0407",
            expr.source.span,
            f"a list of {len(source.items):,} is over the limit of {MAX_LIST:,}",
            "use a shorter list",
        )
    chosen = _chosen(ctx, expr, source, env)
    if chosen is None:
        return POISON
    if expr.function == "filter":
        return replace(source, items=tuple(chosen))
    if expr.function == "count":
        return _count(ctx, source, chosen, expr.span)
    inner = want.element if want is not None and expr.function == "list" else want
    values = [(n, value_of(ctx, expr.body, env.binding(expr.variable, v), inner)) for n, v in chosen]
    if any(isinstance(v, Poison) for _, v in values):
        return POISON
    return _joined(ctx, expr, values, source, env, inner)


def _count(ctx: Context, source: Items, chosen: list[tuple[str | None, Value]], span: Span) -> Value:
    if source.open:
        return Q(unknown_truth(ctx, span).node, Typed(PURE, static=True))
    return builtins.number(ctx, len(chosen), Typed(PURE, static=True), span)


def _chosen(
    ctx: Context, expr: tree.Comprehension, source: Items, env: Env
) -> list[tuple[str | None, Value]] | None:
    """The elements that meet the condition, which is decided here."""
    if expr.condition is None:
        return list(source.items)
    kept: list[tuple[str | None, Value]] = []
    for name, value in source.items:
        met = value_of(ctx, expr.condition, env.binding(expr.variable, value))
        if isinstance(met, Poison):
            return None
        if isinstance(met, Truth):
            known = decided(ctx, met.node, met.taint)
            if known is None and not source.open and not leans_on_stand_in(ctx, met.node):
                if not faulted(ctx, met.node):
                    not_exact(
                        ctx,
                        met.node,
                        expr.condition.span,
                        "which elements a list keeps must be decided by exact numbers, choices or variants",
                        "use a static condition, or put an `if` into the body",
                    )
                return None
            met = True if known is None else bool(known)
        if not isinstance(met, bool):
            ctx.say("CW0302", expr.condition.span, f"this is {what(met)}", "write a condition")
            return None
        if met:
            kept.append((name, value))
    return kept


def _joined(
    ctx: Context,
    expr: tree.Comprehension,
    values: list[tuple[str | None, Value]],
    source: Items,
    env: Env,
    element: Slot | None,
) -> Value:
    """The values as one; `element` is what those of a list are to be, where that is known."""
    plain = [v for _, v in values]
    match expr.function:
        case "list":
            return Items(tuple(values), source.open, element)
        case "sum":
            if not plain:
                return _empty_sum(ctx, expr, source, env)
            return builtins.added(ctx, plain, None, expr.span)
        case "min" | "max":
            if not plain:
                return ctx.say(
                    "CW0408",
                    expr.span,
                    f"`{expr.function}` of an empty list is nothing",
                    f"give it a value to fall back on: `{expr.function}(0 UNIT, {expr.function}(…))`, or a "
                    "list that is never empty",
                )
            return builtins.extreme(ctx, "min" if expr.function == "min" else "max", plain, expr.span)
        case _:
            return _all(ctx, plain, expr)


def _empty_sum(ctx: Context, expr: tree.Comprehension, source: Items, env: Env) -> Value:
    """Zero, in the unit that the body has for a stand-in of an element."""
    typed = Typed(PURE, literal=True, static=True)
    element = _stand_in_element(ctx, source)
    if element is not None:
        body = value_of(ctx, expr.body, env.binding(expr.variable, element))
        if isinstance(body, Poison):
            return body
        if isinstance(body, Q):
            typed = Typed(body.type.dim, body.type.kind, False, frozenset(), False, True, body.type.unit)
    node = ctx.tape.emit("const", (), typed.dim, expr.span, Constant(0, "0", typed.unit, expr.span))
    return Q(node, typed)


def _stand_in_element(ctx: Context, source: Items) -> Value | None:
    if source.of is not None:
        return stand_in(ctx, source.of, "an element")
    if source.items and isinstance(source.items[0][1], Inst):
        entity = source.items[0][1].entity.root
        return Inst("an element", entity, (), entity.span, None, None, True)
    return source.items[0][1] if source.items else None


def _all(ctx: Context, values: list[Value], expr: tree.Comprehension) -> Value:
    every = expr.function == "all"
    nodes: list[int] = []
    taint = frozenset[str]()
    for value in values:
        if isinstance(value, bool):
            if value is not every:
                return value
        elif isinstance(value, Truth):
            nodes.append(value.node)
            taint |= value.taint
        else:
            return ctx.say("CW0302", expr.body.span, f"this is {what(value)}", "write a condition")
    if not nodes:
        return every
    op: Op = "and" if every else "or"
    node = nodes[0]
    for other in nodes[1:]:
        node = ctx.tape.emit(op, (node, other), PURE, expr.span)
    return Truth(node, taint)
