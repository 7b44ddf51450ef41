"""What is confidential, and what cannot be: a number can be left out of a document, the shape of a plan cannot.

`confidential` stands on what gives a number: a binding, a field, an assumption, a formula, a measurement. On an
instance it holds for all its numbers, those of its parts, its copies and its options, given or the library's: a
number that is shown would tell that nobody has changed it.
"""

from __future__ import annotations

from typing import cast

from capwright.base.source import Span
from capwright.check.declared import FieldDef, Slot
from capwright.graph.context import Context
from capwright.graph.values import Giving, Inst, Items, Poison, Q, Static, Value, what
from capwright.syntax import tree


def is_said(statement: Giving, field: FieldDef | None) -> bool:
    """Whether a number is kept from others where it is written, or where its field is declared."""
    return statement.clauses.confidential or (field is not None and field.decl.clauses.confidential)


def is_given(holder: Inst | None, statement: Giving, field: FieldDef | None) -> bool:
    """Whether a confidential instance says what its field is, and does not leave it at what its entity says."""
    own = field is None or statement is not field.decl
    return own and holder is not None and holder.keeper is not None


def is_confidential(
    holder: Inst | None, statement: Giving, field: FieldDef | None, slot: Slot | None
) -> bool:
    """Whether a number stays out of documents for others.

    What shapes the plan is not: where a confidential instance gives such a number, that is refused.
    """
    return is_said(statement, field) or bool(kept_by(holder, slot))


def kept_by(holder: Inst | None, slot: Slot | None) -> str:
    """The address of the instance that keeps a number from others, empty where none does.

    Equal numbers of two such instances are two nodes: as one, they would tell that neither was changed.
    """
    if holder is None or (slot is not None and slot.static):
        return ""
    keeper = holder.keeper
    return keeper.address if keeper is not None else ""


def confide(ctx: Context, value: Value, expr: tree.Expr, place: str) -> Value:
    """A value that is no number, and is said to be confidential: an instance made here has numbers of its own."""
    if isinstance(value, Poison):
        return value
    if isinstance(value, Inst) and isinstance(expr, tree.Derive):
        value.confidential = True
        return value
    if isinstance(value, Inst):
        return ctx.say(
            "CW0242",
            expr.span,
            f"{place} is {what(value)}, which is declared elsewhere: it cannot become confidential here",
            "write `confidential` where it is declared, or make a copy: "
            f"`{value.entity.root.name} NAME from {value.address} {{ }} confidential`",
        )
    return ctx.say(
        "CW0242",
        expr.span,
        f"{place} is {what(value)}, no number: only numbers can be left out of a report",
        "delete `confidential`, or keep the whole plan from others",
    )


def unhidden(ctx: Context, value: Value, span: Span, place: str) -> Value:
    """What a confidential instance gives that is no number; one whose numbers are part of it is refused."""
    numbers = isinstance(value, Items) and any(isinstance(item, Q | Static) for _, item in value.items)
    return shapes_the_plan(ctx, value, span, place) if numbers or isinstance(value, Static) else value


def shapes_the_plan(ctx: Context, value: Value, span: Span, place: str) -> Poison:
    """Refuse to hide what is read while the plan is laid out."""
    said = "decided" if isinstance(value, bool) else "read"
    return cast(
        "Poison",
        ctx.say(
            "CW0242",
            span,
            f"{place} is {said} while the plan is laid out, and cannot be confidential: the report's rows "
            "would tell it",
            "delete `confidential` and write it on the numbers that are to stay out, or keep the whole plan "
            "from others",
        ),
    )


def not_exact(ctx: Context, node: int, span: Span, message: str, help: str) -> Poison:
    """Refuse a number that is to shape the plan and is not exact, or may not be told by the shape."""
    if node not in ctx.withheld:  # of one that is, not even whether it is exact may be told
        return cast("Poison", ctx.say("CW0405", span, message, help))
    return cast(
        "Poison",
        ctx.say(
            "CW0242",
            span,
            "this shapes the plan, and leans on a confidential number: the report's rows would tell it",
            "decide it by numbers that are not confidential, or keep the whole plan from others",
        ),
    )
