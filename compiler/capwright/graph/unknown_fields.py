"""Names that a thing does not have: why it has none on purpose, and what may have been meant."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from capwright.base.counting import with_article
from capwright.base.diagnostic import FIELDS_LISTED, Note, Spelling, listed, offered
from capwright.base.source import Span
from capwright.check.declared import Entity
from capwright.graph import lacking
from capwright.graph.adding import adds
from capwright.graph.context import Context
from capwright.graph.values import POISON, Inst, Value
from capwright.syntax import tree

_LISTED: Final = 4
"""Variants that have a field and are named; the rest are counted."""


def unknown_field(ctx: Context, inst: Inst, name: str, span: Span, *, read: bool = False) -> Value:
    """Report a name that an instance does not have; what gives it a value, and does not `read` it, may mean a new field."""
    absent = inst.entity.absent.get(name)
    if absent is not None:
        return ctx.say(
            "CW0210",
            span,
            f"{inst.entity.root.name} `{inst.address}` has no `{name}` on purpose: {absent.because}",
            "ask it of a thing that has what the answer needs"
            if read
            else _leave_out(ctx, inst.entity, name),
        )
    if name in ctx.program.main.lost:  # what could not be read may have added it
        return POISON
    if lacking.note(ctx, inst, name, span):
        return POISON
    own = inst.address or with_article(inst.entity.name)
    new = "" if read or _is_set(ctx, span) else f" (a new field states its type: `{name} : UNIT = …`)"
    if parts := _within(ctx, inst.entity, name):
        return ctx.say("CW0204", span, f"`{own}` has no field `{name}`", offered(parts))
    if not read and (carrier := _carrier(ctx, inst, name)):
        return ctx.say("CW0204", span, f"`{own}` has no field `{name}`", carrier + new)
    return ctx.say(
        "CW0204",
        span,
        f"`{own}` has no field `{name}`",
        Spelling(name, [*inst.entity.order, *_added(inst)], most=FIELDS_LISTED) + new,
    )


def absent_for(inst: Inst, expr: tree.Name) -> Entity | None:
    """The parent that wrote where `expr` stands and has the field which that names, where what `inst` is of has it not on
    purpose: nothing that is called alike further out is meant."""
    # What a parent declares its variants have too: the one nearest to the root wrote it.
    parents = reversed(inst.entity.line[1:])
    return next((each for each in parents if each.has(expr.name) and each.declares(expr.span)), None)


def read_by_parent(ctx: Context, inst: Inst, expr: tree.Name, parent: Entity) -> Value:
    """Report a name that a parent reads in what it declares, and that its variant has not on purpose: once a variant."""
    absent = inst.entity.absent[expr.name]
    variant = next(each for each in reversed(inst.entity.line) if each.absent.get(expr.name) is absent)
    ctx.report.say(
        "CW0210",
        expr.span,
        f"`{variant.name}` has no `{expr.name}` on purpose, which `{parent.name}` reads here: {absent.because}",
        f"take `{expr.name}` out of the `absent` of `{variant.name}`, or out of what `{parent.name}` computes and checks",
        Note(f"`{variant.name}` says so here", absent.span),
        about=variant.name,
    )
    return POISON


def _leave_out(ctx: Context, entity: Entity, name: str) -> str:
    """That a field is not to be given, and which variants of the same sort have it."""
    entities = ctx.program.main.entities.values()
    having = [each.name for each in entities if each.root is entity.root and name in each.fields]
    return (
        f"leave it out here{f': it is a field of {listed(having[:_LISTED], len(having))}' if having else ''}"
    )


def _within(ctx: Context, entity: Entity, name: str) -> list[str]:
    """The fields of this name that may be given to what the fields of a thing refer to, or to a variant of that: the way to
    them from the thing."""
    given = [each for each in entity.fields.values() if each.role != "derived"]
    sorts = {each.name: each.slot.entity for each in given if each.slot.entity is not None}
    return [
        f"{way}.{name}"
        for way, wanted in sorts.items()
        if any(
            one.is_a(wanted) and name in one.fields and one.fields[name].role != "derived"
            for one in ctx.program.main.entities.values()
        )
    ]


def _is_set(ctx: Context, span: Span) -> bool:
    """Whether a name stands in a `--set`, which adds no field."""
    return any(override.path_span == span for override in ctx.overrides)


def _carrier(ctx: Context, inst: Inst, name: str) -> str:
    """What says a launch flag that is called like the name: a field of the same thing, or of another."""
    flag = f"--{name.replace('_', '-')}"
    for entity in (inst.entity, *ctx.program.main.entities.values()):
        for field in entity.fields.values():
            if field.decl.clauses.flag == flag:
                where = "" if entity is inst.entity else f" of {with_article(entity.root.name)}"
                return f"`{flag}` is what `{field.name}`{where} says"
    return ""


def _added(inst: Inst) -> Iterator[str]:
    """The names of the fields that a plan adds to an instance."""
    for layer in inst.layers:
        yield from (name for name, entries in layer.body.entries.items() if any(map(adds, entries)))
