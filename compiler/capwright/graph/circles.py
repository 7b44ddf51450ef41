"""Names that need themselves: one message for each circle, and what a name that only names itself could mean."""

from __future__ import annotations

from typing import Final

from capwright.base.counting import with_article
from capwright.base.diagnostic import Note, Offer
from capwright.base.source import Span
from capwright.check.candidates import candidates
from capwright.check.declared import Named, Scope
from capwright.graph.context import Context, Key
from capwright.graph.making_fields import entry_of
from capwright.graph.values import POISON, Inst, Value
from capwright.syntax import tree

SHOWN_STEPS: Final = 12
"""Steps of a circle that are shown."""


def on_cycle(ctx: Context, path: list[Key]) -> Value:
    """One message for a cycle, with its steps and their places; a long one is shown by its two ends."""
    names = [f"`{address_of(key)}`" for key in path]
    places = [_place(key) for key in path]
    at = next((span for span in places if span is not None), Span("", 0, 0))
    notes = [
        Note(f"{names[i]} needs {names[i + 1]}", span)
        for i, span in enumerate(places[:-1])
        if span is not None
    ]
    if len(path) == 2 and (itself := _itself(path[0])) is not None:
        message, help = itself
        ctx.report.say("CW0401", at, message, help)
        return POISON
    half = SHOWN_STEPS // 2
    if len(names) > SHOWN_STEPS:
        names = [*names[:half], f"… {len(names) - SHOWN_STEPS} more …", *names[-half:]]
        notes = [*notes[:half], *notes[-half:]]
    ctx.report.say(
        "CW0401",
        at,
        "these depend on each other in a circle: " + " → ".join(names),
        "give one of them a value that does not need the others",
        *notes,
    )
    return POISON


def _itself(key: Key) -> tuple[str, str | Offer] | None:
    """What is said of a name whose value is nothing but that name, and what could be meant; None of any other circle."""
    holder, name = key
    if isinstance(holder, Scope):
        statement: object = holder.values[name].statement
        slot = None
        scope: Scope | None = holder
    else:
        statement, field = entry_of(holder, name), holder.entity.fields.get(name)
        slot = field.slot if field is not None else None
        scope = next((layer.body.scope for layer in holder.layers if name in layer.body.entries), None)
    said = statement.value if isinstance(statement, tree.Binding) else None
    copied = isinstance(said, tree.Derive)
    named = said.base if isinstance(said, tree.Derive) else said
    if not isinstance(named, tree.Name) or named.name != name or scope is None:
        return None
    where, this = ("before the braces", "a copy of") if copied else ("on the right", "set to")
    message = f"`{address_of(key)}` is {this} itself: the name `{name}` {where} means this very {'name' if slot is None else 'field'}"
    if slot is None or slot.entity is None:
        return message, "give it a value, or the name of something else"
    if copied and isinstance(holder, Inst) and _is_without(holder, name):
        return message, f"write what is other in it without the `=`: `{name} {{ … }}`"
    wanted, entity = with_article(slot.entity.name), slot.entity
    others = [each for each in candidates(scope, entity) if each != name]
    if name in scope.values and name in candidates(scope, entity):
        message += f", and not the {slot.entity.name} of that name at the top of the file"
        return message, Offer(f"give that {slot.entity.name} another name, or name another", lambda: others)
    return message, Offer(f"name {wanted}", lambda: others)


def _is_without(inst: Inst, name: str) -> bool:
    """Whether a field has a value without what is first said of it: by default, or of what is copied."""
    said = [entry for layer in inst.layers for entry in layer.body.entries.get(name, ()) if entry.statement]
    field = inst.entity.fields.get(name)
    return len(said) > 1 or (field is not None and field.role != "required")


def address_of(key: Key) -> str:
    """The address of a name at the top of a file, or of a field."""
    holder, name = key
    return f"{holder.address}.{name}" if isinstance(holder, Inst) else holder.prefix + name


def _place(key: Key) -> Span | None:
    holder, name = key
    if isinstance(holder, Inst):
        for layer in holder.layers:
            for entry in layer.body.entries.get(name, ()):
                if entry.statement is not None:
                    return entry.statement.span
        field = holder.entity.fields.get(name)
        return field.decl.span if field is not None else holder.span
    named: Named = holder.values[name]
    return named.statement.span
