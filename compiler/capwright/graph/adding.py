"""What a plan adds to an instance: fields and blocks that its entity does not declare.

A new field says its type. One without is a field the entity was thought to have, so it is reported.
"""

from __future__ import annotations

from collections.abc import Iterable

from capwright.base.source import Span
from capwright.check.declared import Slot
from capwright.graph.context import Context
from capwright.graph.values import Entry, Layer
from capwright.syntax import tree


def added_slot(ctx: Context, said: Iterable[tuple[Layer, Entry]]) -> Slot | None:
    """The type of an added field, by the first statement that states one: those of copies need not repeat it."""
    for layer, entry in said:
        statement = entry.statement
        if statement is not None and statement.type is not None:
            return ctx.program.slots.read(statement.type, statement.kind, layer.body.scope)
    return None


def adds(entry: Entry) -> bool:
    """Whether an entry declares something new: a typed field, or a block with one in it. A broken one may do so."""
    if entry.broken:
        return True
    if entry.statement is not None:
        return _typed(entry.statement)
    if entry.inner is not None:
        return any(adds(e) for inner in entry.inner.entries.values() for e in inner)
    return entry.block is not None and any(_member_adds(m) for m in entry.block.body)


def written_at(entry: Entry) -> Span | None:
    """Where an entry writes the name that it is about."""
    statement = entry.statement
    if statement is not None:
        return statement.name_span if isinstance(statement, tree.Field) else statement.path_span
    if entry.block is not None:
        return entry.block.name_span
    if entry.child is not None:
        return entry.child.name_span
    held = entry.inner.entries.values() if entry.inner is not None else ()
    return next((span for inner in held for e in inner if (span := written_at(e)) is not None), None)


def _typed(statement: tree.Binding | tree.Field | tree.Assume) -> bool:
    return statement.type is not None


def _member_adds(member: tree.Member) -> bool:
    if isinstance(member, tree.Block):
        return any(_member_adds(inner) for inner in member.body)
    return isinstance(member, tree.Binding | tree.Field | tree.Assume) and _typed(member)
