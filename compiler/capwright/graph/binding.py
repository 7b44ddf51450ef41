"""Giving a quantity its name: relation, range, domain, kind, and the record of where it came from."""

from __future__ import annotations

from typing import cast

from msgspec.structs import replace

from capwright.base.address import bases_of
from capwright.base.dimension import PURE
from capwright.base.source import Span
from capwright.check.declared import FieldDef, Slot
from capwright.check.rules import Typed, refused
from capwright.graph.assuming import assumed, first_holder
from capwright.graph.bare import unit_of
from capwright.graph.confiding import (
    confide,
    is_confidential,
    is_given,
    is_said,
    kept_by,
    shapes_the_plan,
    unhidden,
)
from capwright.graph.consuming import consume
from capwright.graph.context import Bound, Context
from capwright.graph.copying import named
from capwright.graph.deciding import numbers, tainted
from capwright.graph.exactly import exact
from capwright.graph.fitting import admitted, derived, fit, meant
from capwright.graph.tape import BindInfo, SourceInfo
from capwright.graph.truths import truth_node
from capwright.graph.value_of import value_of
from capwright.graph.values import POISON, Env, Giving, Inst, Poison, Q, Truth, Value
from capwright.syntax import tree


def bind(
    ctx: Context,
    holder: Inst | None,
    address: str,
    statement: Giving,
    env: Env,
    slot: Slot | None,
    field: FieldDef | None,
    hidden: tree.Assume | None,
) -> Value:
    """The value of one named thing. `hidden` is an assumption that this statement replaces."""
    expr = expression_of(statement)
    if expr is None and field is not None and statement is field.decl:
        return POISON  # what an entity declares of a type that is not known, which has been said
    if expr is None:
        return ctx.say(
            "CW0214",
            statement.span,
            f"`{address}` has a type here and no value",
            f"write `{_last(statement)} = …`; a type stands before the value, `{_last(statement)} : UNIT = …`",
        )
    declared = field is not None and statement is field.decl
    own = None if declared else _own_slot(ctx, statement, env)
    if isinstance(own, Poison):
        return POISON
    slot = _narrowed(slot, own)
    clauses = statement.clauses
    if slot is None and (clauses.over or clauses.each):
        return ctx.say(
            "CW0315",
            clauses.over_span or statement.span,
            f"`{address}` consumes counting dimensions without saying what unit is left",
            f"declare it: `{_last(statement)} : UNIT … = …`",
        )
    value = tainted(ctx, value_of(ctx, expr, env, slot))
    if isinstance(value, Poison):
        return value
    naming = declared or own is not None
    if slot is not None:
        value = _consumed(ctx, value, slot, statement, env, address)
        filled = slot.kind if _establishes(statement) else None
        if filled is not None and derived(ctx, value, filled, expr.span, env, f"`{address}`") is not None:
            return POISON
        value = fit(ctx, value, slot, expr.span, env, f"`{address}`", naming=naming)
        if isinstance(value, Poison):
            return value
    if isinstance(value, bool | Truth):
        if isinstance(value, bool) and is_said(statement, field):
            return shapes_the_plan(ctx, value, expr.span, f"`{address}`")
        return _truth(ctx, holder, address, statement, expr, env, field, value)
    if not isinstance(value, Q):
        plain = named(ctx, _plain(ctx, value, statement), address)
        if is_said(statement, field):
            return confide(ctx, plain, expr, f"`{address}`")
        return (
            unhidden(ctx, plain, expr.span, f"`{address}`") if is_given(holder, statement, field) else plain
        )
    if slot is None:
        taken = _unnamed(ctx, value, address, expr.span, env)
        if isinstance(taken, Poison):
            return POISON
        value = meant(ctx, taken, env)
    return _quantity(ctx, holder, address, statement, expr, env, slot, field, value, hidden)


def _truth(
    ctx: Context,
    holder: Inst | None,
    address: str,
    statement: Giving,
    expr: tree.Expr,
    env: Env,
    field: FieldDef | None,
    value: bool | Truth,
) -> Value:
    """Name a truth, so that a report can show it; one that is decided already stays decided."""
    plain = _plain(ctx, value, statement)
    if isinstance(plain, Poison):
        return plain
    root = truth_node(ctx, value, expr.span)
    info = BindInfo(
        statement.span, _last(statement), "=", None, False, 0, 1, statement.clauses, "", None, True,
        confidential=is_confidential(holder, statement, field, None), keeper=kept_by(holder, None),
        of=_thing(ctx, holder), decided=numbers(ctx),
    )  # fmt: skip
    node = ctx.tape.emit("bind", (root,), PURE, expr.span, info)
    if holder is None or not holder.stand_in:
        held = Q(node, Typed(PURE))
        ctx.bound[address] = Bound(
            address, held, field, statement, expr, env.library, len(ctx.bound), holder=holder
        )
    return value if isinstance(value, bool) else Truth(node, value.taint)


def _thing(ctx: Context, holder: Inst | None) -> str:
    """What a number is of; a thing that evidence speaks of is no other's, not even where options have it alike."""
    if holder is not None and ctx.evidenced:
        top = holder.top.address
        if not ctx.evidenced.isdisjoint((top, *bases_of(top))):
            return holder.address
    return _copied_from(holder)


def _copied_from(holder: Inst | None) -> str:
    """The address of what an instance is a copy of in the end, or of its part there."""
    if holder is None:
        return ""
    if holder.base is not None:
        return _copied_from(holder.base)
    if holder.parent is not None:
        return _copied_from(holder.parent) + holder.address[len(holder.parent.address) :]
    return holder.address


def _last(statement: Giving) -> str:
    return statement.name if isinstance(statement, tree.Field) else statement.path[-1]


def expression_of(statement: Giving) -> tree.Expr | None:
    """What a statement sets its name to."""
    if isinstance(statement, tree.Field):
        return statement.value if statement.value is not None else statement.default
    return statement.value


def _own_slot(ctx: Context, statement: Giving, env: Env) -> Slot | Poison | None:
    """The type that the statement itself declares, if it does."""
    ref = statement.type
    if ref is None or (isinstance(statement, tree.Field) and not ref.spelling and not ref.choices):
        return None
    return ctx.program.slots.read(ref, statement.kind, env.scope) or POISON


def _narrowed(slot: Slot | None, own: Slot | None) -> Slot | None:
    """The entity's slot, or the statement's own where there is no other."""
    return own if slot is None else slot


def _plain(ctx: Context, value: Value, statement: Giving) -> Value:
    if isinstance(statement, tree.Assume) or _relation(statement) != "=":
        return ctx.say(
            "CW0215",
            statement.span,
            "only a quantity can be a bound, an estimate or an assumption",
            "write `=`",
        )
    return value


def _establishes(statement: Giving) -> bool:
    """Whether a statement says what its quantity is, and not that it is assumed, or no less than something."""
    return not isinstance(statement, tree.Assume) and statement.relation != ">="


def _relation(statement: Giving) -> tree.Relation:
    return "=" if isinstance(statement, tree.Assume) else statement.relation


def _unnamed(ctx: Context, value: Q, address: str, span: Span, env: Env) -> Q | Poison:
    """A binding without a declared type keeps what its expression has; a refused purpose is still refused."""
    typed = value.type
    kind = refused(typed, Slot("quantity", typed.dim, kind=typed.kind), env.scope)
    if kind is not None:
        return cast(
            "Poison",
            ctx.say(
                "CW0335",
                span,
                f"`{address}` cannot be derived from a `{kind.name}`: {kind.decl.because or ''}",
                "derive it from a deployment, which has what the answer needs",
            ),
        )
    return value


def _consumed(ctx: Context, value: Value, slot: Slot, statement: Giving, env: Env, address: str) -> Value:
    """Apply `over … each …` of a field, as of a formula."""
    if isinstance(value, Q) and slot.sort == "quantity":
        return consume(ctx, value, slot, statement.clauses, statement, env, f"`{address}`")
    return value


def _quantity(
    ctx: Context,
    holder: Inst | None,
    address: str,
    statement: Giving,
    expr: tree.Expr,
    env: Env,
    slot: Slot | None,
    field: FieldDef | None,
    value: Q,
    hidden: tree.Assume | None,
) -> Value:
    node, relation = value.node, _relation(statement)
    foreign = env.library or (field is not None and field.library and statement.type is None)
    if isinstance(statement, tree.Assume):
        made = assumed(ctx, statement, value, env, slot, first_holder(holder, field, statement))
        if made is None:
            return POISON
        node = made
    if slot is not None and slot.static:
        secret = is_said(statement, field) or is_given(holder, statement, field)
        if not _static(ctx, statement, value, expr, address, secret):
            return POISON
        if isinstance(admitted(ctx, value, slot, expr.span, f"`{address}`", foreign=foreign), Poison):
            return POISON
    low, high = (slot.low, slot.high) if slot is not None else (None, None)
    unit = slot.unit if slot is not None and slot.unit else value.type.unit
    site = statement.span
    clauses = _with_permanent(statement, field)
    source = None
    if relation != "=":
        because, review = clauses.because, clauses.review
        source = SourceInfo(f"{site.file}:{site.start}#{node}", relation, site, because, review)
    info = BindInfo(
        site,
        _last(statement),
        relation,
        value.type.kind,
        slot.whole if slot is not None else False,
        low,
        high,
        clauses,
        unit or unit_of(ctx, value.type),
        source,
        confidential=is_confidential(holder, statement, field, slot),
        keeper=kept_by(holder, slot),
        grain=slot.factor if slot is not None else 1,
        of=_thing(ctx, holder),
        measured=holder is not None and address in ctx.measured,
        foreign=foreign,
        written=tree.is_number(expr),
        decided=numbers(ctx),
    )
    bound_node = ctx.tape.emit("bind", (node,), value.type.dim, expr.span, info)
    exactly = not isinstance(statement, tree.Assume) and relation == "="
    static = value.type.static and exactly and not info.confidential
    typed = replace(value.type, literal=False, static=static, unit=info.unit)
    result = Q(bound_node, typed)
    if holder is None or not holder.stand_in:
        replaced = ctx.text(hidden.span) if hidden is not None and hidden is not statement else None
        ctx.bound[address] = Bound(
            address, result, field, statement, expr, env.library, len(ctx.bound), replaced, holder
        )
    measured = ctx.measured.get(address)
    if measured is not None and ctx.applies(address, typed.kind, bound_node):
        both = ctx.tape.emit("effective", (bound_node, measured[0]), typed.dim, expr.span, measured[1])
        return Q(both, typed)
    return result


def _with_permanent(statement: Giving, field: FieldDef | None) -> tree.Clauses:
    """The clauses of a statement, with the permanent caveats of the field that it gives: whatever stands in its place."""
    clauses = statement.clauses
    if field is None or not field.permanent:
        return clauses
    kept = tuple(each for each in field.permanent if each not in clauses.caveats)
    return replace(clauses, caveats=(*clauses.caveats, *kept)) if kept else clauses


def _static(ctx: Context, statement: Giving, value: Q, expr: tree.Expr, address: str, secret: bool) -> bool:
    uncertain = isinstance(statement, tree.Assume) or statement.relation != "="
    if secret:
        shapes_the_plan(ctx, value, expr.span, f"`{address}`")
        return False
    if not uncertain and (value.type.static or exact(ctx, value.node) is not None):
        return True
    ctx.say(
        "CW0405",
        expr.span,
        f"`{address}` shapes the plan, so it must be an exact number",
        "give it a number, or something computed from exact numbers only",
    )
    return False
