"""What a plan asks: requirements with their two sides, and the sections of its report."""

from __future__ import annotations

from msgspec import Struct

from capwright.base.diagnostic import Spelling
from capwright.base.source import Span
from capwright.check.declared import Slot
from capwright.check.other_sorts import no_value
from capwright.check.rules import refused
from capwright.graph import fields
from capwright.graph.comparisons import comparable
from capwright.graph.context import Context
from capwright.graph.deciding import numbers, tainted
from capwright.graph.fields import top
from capwright.graph.value_of import value_of
from capwright.graph.values import POISON, Env, Inst, Poison, Q, Value, what
from capwright.syntax import tree


class Asked(Struct, frozen=True):
    """A requirement or expectation with both sides found."""

    statement: tree.Requirement
    condition: tree.Binary
    left: Q
    right: Q
    decided: tuple[int, ...] = ()
    """The exact numbers that decided what the sides are, where the requirement itself has them decide it."""


class Section(Struct, frozen=True):
    """One path of a `report`, and what stands there."""

    path: str
    title: str | None
    value: Value
    span: Span


def ask(ctx: Context, statement: tree.Requirement) -> Asked | None:
    """Find both sides of a requirement, in one dimension and of kinds that meet."""
    condition = statement.condition
    comparisons = ("==", "!=", "<", "<=", ">", ">=")
    if not isinstance(condition, tree.Binary) or condition.operator not in comparisons:
        ctx.say(
            "CW0501",
            condition.span,
            f"`{statement.verb}` takes one comparison of two quantities",
            f"write `{statement.verb} A <= B`; for two conditions write two lines",
        )
        return None
    env = Env(ctx.program.main)
    ctx.deciding.append({})
    ctx.reading.append({})
    try:
        left = tainted(ctx, value_of(ctx, condition.left, env))
        right = tainted(ctx, value_of(ctx, condition.right, env))
        deciders = numbers(ctx)
    finally:
        ctx.deciding.pop()
        ctx.reading.pop()
    if isinstance(left, Poison) or isinstance(right, Poison):
        return None
    if not isinstance(left, Q) or not isinstance(right, Q):
        wrong = right if isinstance(left, Q) else left
        ctx.say(
            "CW0302", condition.span, f"`{statement.verb}` compares quantities, not {what(wrong)}", "name one"
        )
        return None
    if not comparable(ctx, condition, left, right, env, strict=True):
        return None
    if any(_refused(ctx, q, condition) for q in (left, right)):
        return None
    return Asked(statement, condition, left, right, deciders)


def _refused(ctx: Context, value: Q, condition: tree.Binary) -> bool:
    kind = refused(value.type, Slot("quantity", value.type.dim, kind=value.type.kind), ctx.program.main)
    if kind is None:
        return False
    ctx.say(
        "CW0335",
        condition.span,
        f"this cannot be asked of a `{kind.name}`: {kind.decl.because or ''}",
        "ask it of a deployment, which has what the answer needs",
    )
    return True


def sections(ctx: Context) -> list[Section]:
    """The sections that the plan's `report` statements name, in order."""
    found: list[Section] = []
    for report in ctx.program.orders.reports:
        for path, span in report.paths:
            value = at(ctx, path, span)
            if isinstance(value, Poison):
                continue
            if not isinstance(value, Inst | Q):
                ctx.say(
                    "CW0502", span, f"{what(value)} is no section of a report", "name a block or quantity"
                )
                continue
            found.append(Section(".".join(path), report.title, value, span))
    return found


def at(ctx: Context, path: tuple[str, ...], span: Span) -> Value:
    """What stands at a dotted path of the plan."""
    main = ctx.program.main
    scope, rest = main, path
    while len(rest) > 1 and rest[0] in scope.spaces:
        scope, rest = scope.spaces[rest[0]], rest[1:]
    if rest[0] not in scope.values and rest[0] in scope.lost:
        return POISON
    if rest[0] not in scope.values:
        if (otherwise := no_value(scope, rest[0])) is not None:
            return ctx.say("CW0203", span, *otherwise)
        return ctx.say(
            "CW0203",
            span,
            f"there is nothing called `{rest[0]}` here",
            Spelling(rest[0], scope.values, missing="value" if scope is main else None),
        )
    value: Value = top(ctx, scope, rest[0])
    for name in rest[1:]:
        value = fields.member(ctx, value, name, span)
    return value
