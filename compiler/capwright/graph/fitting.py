"""Whether a value may go where it is put: its sort, its dimension, its kind, its purpose."""

from __future__ import annotations

from functools import partial
from typing import Final

from msgspec.structs import replace

from capwright.base import ends
from capwright.base.counting import with_article
from capwright.base.diagnostic import Offer
from capwright.base.dimension import over
from capwright.base.exact import div
from capwright.base.source import Span
from capwright.check.candidates import candidates
from capwright.check.declared import UNKNOWN, Kind, Slot
from capwright.check.rules import Typed, mismatch, refused, taints
from capwright.graph import faults
from capwright.graph.bare import way_to_each, way_to_unit
from capwright.graph.confiding import not_exact
from capwright.graph.context import Context
from capwright.graph.deciding import decided
from capwright.graph.exactly import exact
from capwright.graph.tape import Op
from capwright.graph.telling import faulted
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
    slot_text,
    what,
)
from capwright.kernel.refusal import KernelRefusal
from capwright.kernel.registry import BARE, CONSTRUCTORS


def fit(ctx: Context, value: Value, slot: Slot, span: Span, env: Env, place: str, *, naming: bool) -> Value:
    """The value as the slot takes it, or poison with a message.

    `place` names the slot in a message. `naming` is a declaration that gives a result its kind; any other
    place takes a kind only from a value that has it.
    """
    if value is POISON or slot is UNKNOWN:
        return POISON
    if type(value) is Q and slot.sort == "quantity":
        return _quantity(ctx, value, slot, span, env, place, naming)
    if type(value) is Inst and slot.sort == "entity":
        if slot.entity is None or value.entity.is_a(slot.entity):
            return value
        return _unfit(ctx, value, slot, span, env, place)
    match slot.sort, value:
        case "choice", Choice(name=name) if name in slot.choices or name == "":
            return Choice(name, slot.choices)
        case ("text", Words()) | ("bool", bool() | Truth()):
            return value
        case "value", Static(sort=sort) if sort == slot.name:
            return value
        case "value", Q() if slot.name in BARE:
            return _bare(ctx, value, slot, span, place)
        case "list", Items(items=items):
            assert slot.element is not None
            inner = [fit(ctx, v, slot.element, span, env, place, naming=naming) for _, v in items]
            if any(isinstance(v, Poison) for v in inner):
                return POISON
            names = [name for name, _ in items]
            # What an empty list is of, it is of its slot: calls that give it are one, whatever it was elsewhere.
            return replace(value, items=tuple(zip(names, inner, strict=True)), of=slot.element)
        case ("entity" | "choice", Words(value=text)) if _is_name(text, slot, env):
            return _unfit(ctx, value, slot, span, env, place, f"write the name without quotes: `{text}`")
        case _:
            pass
    return _unfit(ctx, value, slot, span, env, place)


def _is_name(text: str, slot: Slot, env: Env) -> bool:
    """Whether a text says the name of something that a slot takes."""
    return text in slot.choices or (slot.entity is not None and text in candidates(env.scope, slot.entity))


def _unfit(ctx: Context, value: Value, slot: Slot, span: Span, env: Env, place: str, help: str = "") -> Value:
    return ctx.say(
        "CW0302",
        span,
        f"{place} takes {slot_text(slot)}, and this is {what(value)}",
        help or _way(ctx, value, slot, env),
    )


def _way(ctx: Context, value: Value, slot: Slot, env: Env) -> str | Offer:
    """What a slot takes, with the things there are; a word may be an entity and a unit."""
    if slot.entity is None:
        return f"give it {slot_text(slot)}"
    unit = ctx.program.units.by_name.get(slot.name)
    counted = isinstance(value, Q) and unit is not None and value.type.dim is unit.dim
    number = f"a number of them has the type `whole {slot.name}`; " if counted else ""
    return Offer(f"{number}give it {slot_text(slot)}", partial(candidates, env.scope, slot.entity))


def admitted(ctx: Context, value: Value, slot: Slot, span: Span, place: str, *, foreign: bool) -> Value:
    """A value that nothing will name: an exact one is refused where it is no whole number or outside its domain, which
    no plan can widen where it is `foreign`."""
    if not isinstance(value, Q) or not (slot.whole or slot.low or slot.high is not None):
        return value
    known = exact(ctx, value.node)
    if known is None:
        return value
    count = div(known, slot.factor)
    if slot.whole and type(count) is not int:
        refusal = faults.not_whole(place, count, slot.unit)
    elif not ends.contains((slot.low, slot.high), known) and (slot.low or slot.high is not None):
        refusal = faults.outside_domain(
            place, known, (slot.low, slot.high), slot.unit, slot.factor, foreign=foreign
        )
    else:
        return value
    return ctx.say(refusal.code, span, refusal.message, refusal.help)


def _bare(ctx: Context, value: Q, slot: Slot, span: Span, place: str) -> Value:
    """A plain quantity where a kernel's value is asked for: the value of that one number."""
    constructor = CONSTRUCTORS[BARE[slot.name]]
    unit = ctx.program.slots.unit(constructor.slots[0].unit, span, None)
    if unit is None:
        return POISON
    if value.type.dim is not unit.dim:
        return ctx.say(
            "CW0301",
            span,
            f"{place}: {mismatch(unit.dim, value.type.dim)}",
            way_to_unit(ctx, value, unit.symbol)
            or f"give it a quantity in {ctx.program.units.plural.get(unit.symbol, unit.symbol)}, or {with_article(slot.name)}",
        )
    known = decided(ctx, value.node, value.type.taint)
    if known is None and faulted(ctx, value.node):
        return POISON
    if known is None:
        return not_exact(
            ctx,
            value.node,
            span,
            f"{place} takes {with_article(slot.name)}, so a plain number here must be exact",
            f"give an exact number, or write the {slot.name} out",
        )
    try:
        return Static(slot.name, constructor.build(known))
    except KernelRefusal as refusal:
        if refusal.least is None or known is None:
            return ctx.say(refusal.code, span, refusal.message, refusal.help)
        said = f"{faults.spelled(known)} {ctx.program.units.plural.get(unit.symbol, unit.symbol)}"
        wanted = f"a whole number of at least {refusal.least}"
        such = f"such as `{refusal.least + 1} {unit.symbol}`"
        return ctx.say(
            refusal.code, span, f"{place} is {said}, and must be {wanted}", f"give {wanted}, {such}"
        )


def _quantity(ctx: Context, value: Q, slot: Slot, span: Span, env: Env, place: str, naming: bool) -> Value:
    typed = meant(ctx, value, env).type
    if typed.dim is not slot.dim:
        return ctx.say(
            "CW0301",
            span,
            f"{place}: {mismatch(slot.dim, typed.dim)}",
            way_to_unit(ctx, value, slot.unit)
            or way_to_each(ctx, value, slot.dim, slot.unit)
            or f"the value should be in `{slot.unit or 'number'}`; multiply by what is missing "
            f"({over(slot.dim, typed.dim).text()}), or correct the declared unit",
        )
    kind = slot.kind
    if kind is not None and not typed.literal and typed.kind != kind:
        unnamed = typed.kind is None and (naming or env.library)
        if not unnamed:
            return _other_kind(ctx, typed, kind, span, env, place)
    reason = refused(typed, slot, env.scope) if naming or kind is not None else None
    if reason is not None:
        return ctx.say(
            "CW0335",
            span,
            f"{place} cannot be derived from a `{reason.name}`: {reason.decl.because or 'its kind refuses that'}",
            "derive it from a deployment, which has what the answer needs",
        )
    lost = kind is None and (typed.lost or typed.kind is not None)
    taint = typed.taint if kind is None else typed.taint | taints(kind, env.scope)
    return Q(value.node, Typed(slot.dim, kind, lost, taint, False, typed.static, slot.unit))


_NAMED: Final[frozenset[Op]] = frozenset({"bind", "effective", "source"})
"""What a quantity is read by: anything else computes with it."""


def meant(ctx: Context, value: Q, env: Env) -> Q:
    """The value as whatever takes it has it: what is computed with numbers of a kind that is only measured is none of that
    kind, by whatever name it goes on. What a formula gives was looked at where it is declared."""
    kind = value.type.kind
    found = env.scope.all_kinds.get(kind) if kind is not None else None
    if found is None or not found.decl.measured:
        return value
    op = ctx.tape.ops[value.node]
    return (
        value
        if op in _NAMED or op == "call"
        else replace(value, type=replace(value.type, kind=None, lost=True))
    )


def derived(ctx: Context, value: Value, kind: str, span: Span, env: Env, place: str) -> Poison | None:
    """Poison with a message where a formula or a plain number would fill a kind that is only measured; a quantity that has
    that kind already was measured elsewhere."""
    found = env.scope.all_kinds.get(kind)
    if found is None or not found.decl.measured or not isinstance(value, Q):
        return None
    if value.type.kind == kind and ctx.tape.ops[value.node] in _NAMED:
        return None
    return _only_measured(ctx, found, span, place)


def _only_measured(ctx: Context, kind: Kind, span: Span, place: str) -> Poison:
    means = f" ({kind.decl.label})" if kind.decl.label else ""
    ctx.say(
        "CW0337",
        span,
        f"{place} is of kind `{kind.name}`{means}, which is only measured: no formula and no plain number fills it",
        "measure it: `measure … = … { … }`; or say what is taken for it, and why, a simulation for one: "
        '`assume … = … in … .. … because "…"`',
    )
    return POISON


def _other_kind(ctx: Context, typed: Typed, kind: str, span: Span, env: Env, place: str) -> Value:
    label = env.scope.all_kinds[kind].decl.label
    means = f" ({label})" if label else ""
    if typed.kind is not None:
        other = env.scope.all_kinds[typed.kind].decl.label
        return ctx.say(
            "CW0333",
            span,
            f"{place} is of kind `{kind}`{means}, and this is of kind `{typed.kind}`"
            + (f" ({other})" if other else ""),
            f"give it a quantity of kind `{kind}`",
        )
    if env.scope.all_kinds[kind].decl.measured:
        return _only_measured(ctx, env.scope.all_kinds[kind], span, place)
    return ctx.say(
        "CW0334",
        span,
        f"{place} is of kind `{kind}`{means}, and this value has no kind",
        f"say that it means that: `(…) as {kind}`",
    )
