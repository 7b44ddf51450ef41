"""One field as it is declared: what it takes, and how it comes by its value."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from msgspec import Struct

from capwright.base.source import Source
from capwright.check.declared import Entity, FieldDef
from capwright.document.declared_text import beside, said
from capwright.syntax import tree

Given = Literal["required", "listed", "default", "derived", "assumed", "given", "imported"]
"""How a field comes by its value: `listed` where it is a list, empty unless elements are given; `given` where a thing
states it, and `imported` where the file does that the thing was read from."""


class FieldText(Struct, frozen=True):
    """One field as it is written: `type` with its unit, `value` in the words of the plan ("" for none).

    `owner` is the entity that says so, the nearest one of the line; `words` a report's label for it, `comment` what
    stands beside it in the file.
    """

    name: str
    type: str
    kind: str
    given: Given
    value: str
    owner: str
    words: str
    comment: str
    flag: str


def field_text(one: FieldDef, entity: Entity, sources: Mapping[str, Source]) -> FieldText:
    """A field of an entity as it is declared."""
    decl = one.decl
    owner = next((e for e in reversed(entity.line) if e.fields.get(one.name) is one), entity)
    written = [e.fields[one.name].decl.type for e in entity.line if one.name in e.fields]
    span = next((t.span for t in written if t is not None and (t.spelling or t.choices)), None)
    words = said(span, sources) or one.slot.text()
    return FieldText(
        one.name,
        f"one of {words}" if one.slot.sort == "choice" and not words.startswith("one of") else words,
        one.slot.kind or "",
        "listed" if one.role == "required" and one.slot.sort == "list" else one.role,
        value_text(decl, sources),
        owner.name,
        decl.clauses.label or "",
        beside(sources.get(decl.span.file), decl.span),
        decl.clauses.flag or "",
    )


def value_text(decl: tree.Field | tree.Assume | tree.Binding, sources: Mapping[str, Source]) -> str:
    """The value that a declaration gives or has by default, with its relation or range; "" for none."""
    if isinstance(decl, tree.Assume):
        ends = [said(end.span if end is not None else None, sources) for end in (decl.low, decl.high)]
        middle = said(decl.value.span, sources)
        return f"{middle} in {' .. '.join(ends)}" if all(ends) else middle
    found = decl.value
    if found is None and isinstance(decl, tree.Field):
        found = decl.default
    words = said(found.span if found is not None else None, sources)
    return f"{decl.relation} {words}" if words and decl.value is not None and decl.relation != "=" else words
