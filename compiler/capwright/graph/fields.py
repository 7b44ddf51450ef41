"""Reading the fields of things: `a.b`, and names at the top of a file."""

from __future__ import annotations

from capwright.base.diagnostic import Spelling
from capwright.base.source import Span
from capwright.check.declared import Scope
from capwright.graph import lacking
from capwright.graph.context import Context
from capwright.graph.deciding import read
from capwright.graph.unknown_fields import unknown_field
from capwright.graph.values import POISON, Inst, Items, Poison, Value, what


def top(ctx: Context, scope: Scope, name: str) -> Value:
    """The value of a name at the top of a file."""
    return read(ctx, (scope.homes.get(name, scope), name))


def get(ctx: Context, inst: Inst, name: str, span: Span) -> Value:
    """`inst.name`; an unknown name is reported with the nearest one, and why it is absent where that is said."""
    if not inst.knows(name):
        return unknown_field(ctx, inst, name, span, read=True)
    value = read(ctx, (inst, name))
    if value is POISON and (inst, name) in ctx.lacking:
        lacking.note_unanswered(ctx, inst, name, span)
    return value


def member(ctx: Context, base: Value, name: str, span: Span) -> Value:
    """`base.name`."""
    match base:
        case Poison():
            return base
        case Inst():
            return get(ctx, base, name, span)
        case Items(items=items):
            for label, value in items:
                if label == name:
                    return value
            if base.open and items:
                return items[0][1]
            names = [label for label, _ in items if label is not None]
            return ctx.say("CW0203", span, f"the list has no element `{name}`", Spelling(name, names))
        case _:
            return ctx.say(
                "CW0209",
                span,
                f"{what(base)} has no parts, so there is no `{name}` in it",
                "leave the part out, or name the thing that has it",
            )
