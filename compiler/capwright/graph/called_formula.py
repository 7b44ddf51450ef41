"""One formula for some arguments: its body is expanded, and what comes of it is a `call` node."""

from __future__ import annotations

from msgspec.structs import replace

from capwright.check.declared import Overload
from capwright.graph.confiding import shapes_the_plan
from capwright.graph.consuming import consume
from capwright.graph.context import Context
from capwright.graph.deciding import numbers, tainted
from capwright.graph.fitting import derived, fit
from capwright.graph.stand_ins import stand_in
from capwright.graph.tape import CallInfo, SourceInfo
from capwright.graph.value_of import value_of
from capwright.graph.values import (
    POISON,
    Choice,
    Env,
    Inst,
    Items,
    Poison,
    Q,
    Static,
    Truth,
    Value,
    Words,
)


def body(ctx: Context, overload: Overload, given: tuple[Value, ...]) -> Value:
    """Expand one formula for these arguments and wrap its result in a `call` node."""
    decl = overload.decl
    assert decl.body is not None
    names = dict(zip(overload.parameters, given, strict=True))
    inner = Env(overload.scope, None, None, names, overload.library)
    value = tainted(ctx, value_of(ctx, decl.body, inner, overload.result))
    if isinstance(value, Poison):
        return value
    place = f"`{decl.name}`"
    slot = overload.result
    if isinstance(value, Q) and slot.sort == "quantity":
        value = consume(ctx, value, slot, decl.clauses, decl, inner, place)
    filled = slot.kind if decl.relation != ">=" else None
    if filled is not None and derived(ctx, value, filled, decl.body.span, inner, place) is not None:
        return POISON
    value = fit(ctx, value, slot, decl.body.span, inner, place, naming=True)
    if isinstance(value, Q):
        return _wrapped(ctx, overload, given, value)
    if isinstance(value, Truth):
        info = _info(overload, given, value.node, numbers(ctx))
        return Truth(ctx.tape.emit("call", (value.node,), slot.dim, decl.span, info), value.taint)
    if decl.clauses.confidential:
        return shapes_the_plan(ctx, value, decl.body.span, place)
    return value


def _wrapped(ctx: Context, overload: Overload, given: tuple[Value, ...], value: Q) -> Q:
    info = _info(overload, given, value.node, numbers(ctx))
    node = ctx.tape.emit("call", (value.node,), value.type.dim, overload.decl.span, info)
    exactly = overload.decl.relation == "=" and not overload.decl.clauses.confidential
    static = value.type.static and exactly
    return Q(node, replace(value.type, literal=False, static=static))


def _info(overload: Overload, given: tuple[Value, ...], root: int, decided: tuple[int, ...]) -> CallInfo:
    decl, slot = overload.decl, overload.result
    element = next((v.element for v in given if isinstance(v, Inst) and v.element), None)
    source = None
    if decl.relation != "=":
        site = decl.span
        source = SourceInfo(f"{site.file}:{site.start}#{root}", decl.relation, site, decl.clauses.because)
    return CallInfo(
        decl.name,
        decl.span,
        decl.relation,
        slot.kind,
        decl.clauses,
        overload.parameters,
        tuple([said(v) for v in given]),
        element,
        source,
        slot.low,
        slot.high,
        slot.unit,
        slot.whole,
        slot.factor,
        overload.library,
        decided,
    )


def said(value: Value) -> str:
    """An argument as a reader of a trace sees it; a quantity is shown by its node instead."""
    if type(value) is Q:
        return ""
    match value:
        case Inst(address=address):
            return address
        case Choice(name=name):
            return name
        case Words(value=text):
            return text
        case bool():
            return "true" if value else "false"
        case Static(value=held):
            return getattr(held, "text", lambda: "")()
        case Items(items=items):
            return "[" + ", ".join(name or said(v) for name, v in items) + "]"
        case _:
            return ""


def verify(ctx: Context, overload: Overload) -> None:
    """Check a formula that nobody called, with stand-ins for its arguments."""
    given = tuple(
        stand_in(ctx, slot, p.name) for p, slot in zip(overload.decl.parameters, overload.slots, strict=True)
    )
    if any(isinstance(v, Poison) for v in given):
        return
    ctx.active[id(overload)] = overload.decl.name
    try:
        body(ctx, overload, given)
    finally:
        ctx.active.clear()
