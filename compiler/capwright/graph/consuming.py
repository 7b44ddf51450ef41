"""`over … each …`: counting dimensions consumed by declaration, and what to say when they do not come out."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct
from msgspec.structs import replace

from capwright.base.diagnostic import Note
from capwright.base.dimension import Dimension, UnknownUnit, dimension, over, times
from capwright.base.exact import div
from capwright.base.source import Span
from capwright.check.declared import Entity, Slot
from capwright.check.rules import mismatch, swapped
from capwright.graph.bare import unit_of, way_to_each, way_to_unit
from capwright.graph.context import Context
from capwright.graph.exactly import exact
from capwright.graph.values import POISON, Env, Inst, Q, Value
from capwright.syntax import tree

Declaring = tree.FormulaDecl | tree.Binding | tree.Field | tree.Assume


def consume(
    ctx: Context,
    value: Q,
    slot: Slot,
    clauses: tree.Clauses,
    decl: Declaring,
    env: Env,
    place: str,
) -> Value:
    """The value with its counting dimensions consumed, or poison with what is off, and why."""
    if not clauses.over and not clauses.each:
        if value.type.dim is not slot.dim:
            way = way_to_unit(ctx, value, slot.unit) or way_to_each(ctx, value, slot.dim, slot.unit)
            if way is not None:
                return _bare(ctx, value, slot, decl, place, way)
            return _off(ctx, value, slot.dim, slot.dim, decl, env, place)
        return value
    above, below = _counted(ctx, clauses.over, clauses, decl), _counted(ctx, clauses.each, clauses, decl)
    if above is None or below is None:
        return POISON
    both = above.names & below.names
    if both:
        return ctx.say(
            "CW0311",
            clauses.over_span or decl.span,
            f"`{min(both)}` stands under `over` and under `each`",
            "a dimension is either counted up or left for each one; keep one of the two",
        )
    wanted = times(times(slot.dim, above), below)
    if value.type.dim is not wanted:
        return _off(ctx, value, wanted, slot.dim, decl, env, place)
    return Q(value.node, replace(value.type, dim=slot.dim, unit=slot.unit))


def _counted(
    ctx: Context, names: tuple[str, ...], clauses: tree.Clauses, decl: Declaring
) -> Dimension | None:
    powers: dict[str, int] = {}
    units = ctx.program.units
    for name in names:
        try:
            dim = units.read(name).dim
        except UnknownUnit:
            dim = None
        if dim is None or len(dim.powers) != 1 or not dim.names <= units.counting:
            ctx.say(
                "CW0312",
                clauses.over_span or decl.span,
                f"`{name}` counts nothing, so `over` and `each` cannot consume it",
                "only dimensions declared `counting` may stand there: " + ", ".join(sorted(units.counting)),
            )
            return None
        base = dim.powers[0][0]
        powers[base] = powers.get(base, 0) + 1
    return dimension(powers)


def _bare(ctx: Context, value: Q, slot: Slot, decl: Declaring, place: str, way: str) -> Value:
    body = decl.body if isinstance(decl, tree.FormulaDecl) else decl.value
    span = body.span if body is not None else decl.span
    return ctx.say("CW0301", span, f"{place} {mismatch(slot.dim, value.type.dim)}", way)


def _off(
    ctx: Context, value: Q, wanted: Dimension, declared: Dimension, decl: Declaring, env: Env, place: str
) -> Value:
    body = decl.body if isinstance(decl, tree.FormulaDecl) else decl.value
    span = body.span if body is not None else decl.span
    clause = ""
    if wanted is not declared:
        clause = f", declared {declared.text()} with `over` and `each`,"
    notes: list[Note] = []
    help = (
        f"off by {over(value.type.dim, wanted).text()}: multiply by what is missing, divide by what is spare, "
        "or consume a counting dimension with `over` or `each`"
    )
    if not clause and not value.type.literal and value.type.dim.powers:
        help = f"if that is what it is, declare it in `{unit_of(ctx, value.type)}`; {help}"
    pair = swapped(wanted, value.type.dim)
    if pair is not None and body is not None:
        found = _better_field(ctx, body, *pair, env)
        if found is not None:
            help, note = found
            notes.append(note)
    ctx.report.say("CW0301", span, f"{place}{clause} {mismatch(wanted, value.type.dim)}", help, *notes)
    return POISON


def _better_field(
    ctx: Context, body: tree.Expr, stands: str, belongs: str, env: Env
) -> tuple[str, Note] | None:
    """The field written in `stands` beside which the same entity has one in `belongs`, with the factor."""
    for use in _attributes(body):
        if not isinstance(use.base, tree.Name) or env.locals is None:
            continue
        holder = env.locals.get(use.base.name)
        if not isinstance(holder, Inst):
            continue
        written = holder.entity.fields.get(use.name)
        if written is None or written.slot.dim is not dimension({stands: 1}):
            continue
        for name, field in holder.entity.fields.items():
            if field.slot.dim is dimension({belongs: 1}):
                factor = _factor(ctx, holder, use.name, name)
                by = f", which is {factor[0]} times as many in `{factor[1]}`" if factor else ""
                return (
                    f"`{use.base.name}.{name}` fits here (off by {stands}/{belongs}); "
                    f"`{use.base.name}.{use.name}` counts {stands}s{by}"
                    + (f": the result would be off by the factor {factor[0]}" if factor else ""),
                    Note(f"`{name}` belongs here", use.name_span),
                )
    return None


def _attributes(expr: object) -> Iterator[tree.Attribute]:
    stack = [expr]
    while stack:
        node = stack.pop()
        if isinstance(node, tree.Attribute):
            yield node
        if isinstance(node, tuple) and not isinstance(node, Span):
            stack.extend(node)
        elif isinstance(node, Struct):
            stack.extend(getattr(node, name) for name in node.__struct_fields__)


def _factor(ctx: Context, holder: Inst, written: str, better: str) -> tuple[str, str] | None:
    """How many times over the wrong field counts, in the instance at hand or in one of the plan's."""
    candidates = [holder] if not holder.stand_in else _real(ctx, holder.entity)
    for inst in candidates:
        a, b = ctx.demand.get((inst, written)), ctx.demand.get((inst, better))
        if isinstance(a, Q) and isinstance(b, Q):
            one, two = exact(ctx, a.node), exact(ctx, b.node)
            if one is not None and two:
                return str(div(one, two)), inst.address
    return None


def _real(ctx: Context, entity: Entity) -> list[Inst]:
    return [i for i in ctx.instances.values() if i.entity.is_a(entity) and not i.stand_in]
