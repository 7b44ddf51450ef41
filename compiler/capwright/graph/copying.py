"""Copies: braces after a name, and overrides that reach inside what a field refers to."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from capwright.base.source import Span
from capwright.check.declared import Entity
from capwright.graph.bodies import nameless, read_body
from capwright.graph.context import MAX_NESTING, Context
from capwright.graph.values import POISON, Entry, Env, Inst, Items, Layer, Value, what
from capwright.syntax import tree


def braces(ctx: Context, layer: Layer, block: tree.Block, entity: Entity, inst: Inst) -> Layer:
    """The layer that `name { … }` inside an instance lays over a block or a copy."""
    body = read_body(block.body, entity, layer.body.scope, layer.body.library, ctx.report)
    return Layer(body, None, layer.owner or inst, layer.rename)


def copy(
    ctx: Context,
    base: Inst,
    members: tuple[tree.Member, ...],
    env: Env,
    span: Span,
) -> Value:
    """An anonymous copy of `base` with other fields."""
    if any(holder.span is span for holder in _holders(env.self)):
        return _endless(ctx, env.target or base.address, span)
    if nameless(members) or is_too_deep(ctx, base, span):
        return POISON
    body = read_body(members, base.entity, env.scope, env.library, ctx.report)
    rename = env.rename[0] if env.rename is not None else None
    captured = {**(env.captured or {}), **(env.locals or {})} or None
    layers = (Layer(body, None, env.self, rename, False, captured), *base.layers)
    address = _address(ctx, base, env)
    made = Inst(address, base.entity, layers, span, None, base.element, base.stand_in, base)
    made.home, made.unnamed = env.self, True
    made.option = env.self.option if env.self is not None else False
    ctx.instances[address] = made
    return made


def is_too_deep(ctx: Context, base: Inst, span: Span) -> bool:
    """Whether a thing is a copy of a copy so far down that there is none of it, be it by `from`, by braces or an option;
    says so."""
    if len(base.layers) <= MAX_NESTING:
        return False
    ctx.say(
        "CW0410",
        span,
        f"this is a copy of a copy, more than {MAX_NESTING} deep",
        "copy an earlier one, and give it all that differs",
    )
    return True


def _address(ctx: Context, base: Inst, env: Env) -> str:
    """That of what is being bound, the first time; beyond that, and in a formula, with a number.

    A formula is expanded once for all who ask, so what it copies is not named after the first of them.
    """
    address = env.target or base.address
    number = ctx.copied.get(address, 0 if env.target else 1) + 1
    ctx.copied[address] = number
    return address if number == 1 else f"{address}#{number}"


def named(ctx: Context, value: Value, address: str) -> Value:
    """What a binding at `address` holds: a copy that its own expression made has its name; one that a formula made,
    for whoever asks, is copied once more."""
    if not isinstance(value, Inst) or not value.unnamed:
        return value
    if value.address == address:
        value.unnamed = False
        return value
    made = Inst(address, value.entity, value.layers, value.span, None, value.element, value.stand_in, value)
    made.home, made.option = value.home, value.option
    ctx.instances[address] = made
    return made


def inside(ctx: Context, inst: Inst, value: Value, address: str, inner: list[tuple[Layer, Entry]]) -> Value:
    """Copy-on-write: what is referred to, under layers that reach inside it."""
    if isinstance(value, Items):
        return _inside_list(ctx, inst, value, address, inner)
    if not isinstance(value, Inst):
        layer, entry = inner[0]
        return ctx.say(
            "CW0209",
            span_of(entry, inst.span),
            f"`{address}` is {what(value)}, which has no parts",
            f"set it as a whole: `{address} = …`",
        )
    if any(holder is value for holder in _holders(inst)):
        return _endless(ctx, address, span_of(inner[0][1], inst.span))
    layers: list[Layer] = []
    for layer, entry in inner:
        if entry.inner is not None:
            layers.append(replace(layer, body=entry.inner, owner=layer.owner or inst))
        elif entry.block is not None:
            layers.append(braces(ctx, layer, entry.block, value.entity, inst))
    made = Inst(
        address, value.entity, (*layers, *value.layers), inst.span, value.parent, value.element, False, value
    )
    made.parent, made.home = None, inst
    made.option = inst.option
    # A copy that braces made stood at this address: what reaches inside it is another, and stands there now.
    if ctx.instances.setdefault(address, made) is value:
        ctx.instances[address] = made
    return made


def _holders(inst: Inst | None) -> Iterator[Inst]:
    """An instance, and the ones it is a part or a field of."""
    while inst is not None:
        yield inst
        inst = inst.home or inst.parent


def _endless(ctx: Context, address: str, span: Span) -> Value:
    return ctx.say(
        "CW0411",
        span,
        f"`{address}` would be a copy that holds a copy of itself, without end",
        "copy something that does not have this field, or refer to it without braces and dotted overrides",
    )


def _inside_list(
    ctx: Context, inst: Inst, value: Items, address: str, inner: list[tuple[Layer, Entry]]
) -> Value:
    changed: list[tuple[str | None, Value]] = []
    for name, item in value.items:
        mine = [
            (layer, e)
            for layer, entry in inner
            if entry.inner is not None
            for e in entry.inner.entries.get(name or "", ())
        ]
        changed.append((name, inside(ctx, inst, item, f"{address}.{name}", mine) if mine else item))
    return replace(value, items=tuple(changed))


def span_of(entry: Entry, otherwise: Span) -> Span:
    """Where an entry is written: its statement, or the first one that reaches inside it."""
    if entry.statement is not None:
        return entry.statement.span
    if entry.inner is not None:
        for held in entry.inner.entries.values():
            for inner in held:
                return span_of(inner, otherwise)
    return otherwise
