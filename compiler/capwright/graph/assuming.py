"""The assumptions of a plan: the sources of uncertainty, and who first has each."""

from __future__ import annotations

from capwright.check.declared import FieldDef, Slot
from capwright.graph.bare import unit_of, way_to_unit
from capwright.graph.context import Context
from capwright.graph.fitting import fit
from capwright.graph.tape import OPEN, SourceInfo
from capwright.graph.value_of import value_of
from capwright.graph.values import Env, Giving, Inst, Poison, Q
from capwright.syntax import tree


def assumed(
    ctx: Context, statement: tree.Assume, value: Q, env: Env, slot: Slot | None, holder: str
) -> int | None:
    """The source node of an `assume`; None where its range is not understood, which has been said."""
    ends: list[int] = []
    for end in (statement.low, statement.high):
        if end is None:
            ends.append(OPEN)
            continue
        side = value_of(ctx, end, env)
        if isinstance(side, Poison):
            return None
        if not isinstance(side, Q) or side.type.dim is not value.type.dim:
            ctx.say(
                "CW0301",
                end.span,
                f"the ends of the range are in {value.type.dim.text()}, like the value",
                (isinstance(side, Q) and way_to_unit(ctx, side, unit_of(ctx, value.type)))
                or "give both ends in the unit of the value",
            )
            return None
        if slot is not None:
            place = f"`{statement.path[-1]}`"
            if isinstance(fit(ctx, side, slot, end.span, env, place, naming=True), Poison):
                return None
        ends.append(side.node)
    clauses = statement.clauses
    if clauses.because is None and clauses.from_measure is None and clauses.source is None:
        ctx.report.say(
            "CW0216",
            statement.path_span,
            f"the assumption `{'.'.join(statement.path)}` gives no reason",
            'say why: `because "…"`',
        )
    site = statement.span
    info = SourceInfo(
        f"{site.file}:{site.start}{holder}",
        "assume",
        site,
        clauses.because,
        clauses.review,
        clauses.from_measure,
    )
    return ctx.tape.emit("source", (value.node, ends[0], ends[1]), value.type.dim, site, info)


def first_holder(holder: Inst | None, field: FieldDef | None, statement: Giving) -> str:
    """Who first has an uncertainty: an entity's own assumption is one for each instance that is no copy.

    Copies and options share it with what they copy; two devices of one entity do not share theirs.
    """
    if holder is None or field is None or statement is not field.decl:
        return ""
    top = holder.top
    inside = holder.address[len(top.address) :] if holder.parent is not None else ""
    first = top if holder.parent is not None else holder
    while first.base is not None:
        first = first.base
    return f" {first.address}{inside}"
