"""What a program declares, told to whoever writes a variant, a thing or a measurement of it: entities, things, formula
families, kinds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from msgspec import Struct

from capwright.base.source import Source
from capwright.check.declared import Entity, Family, Kind, Overload, Scope
from capwright.document.declared_fields import FieldText, field_text
from capwright.document.declared_text import before, place, said
from capwright.document.declared_things import (
    Imports,
    OptionText,
    ThingText,
    of,
    option_text,
    options,
    space_of,
    thing_text,
    things,
)
from capwright.syntax import tree


class FamilyText(Struct, frozen=True):
    """A family: the declaration that fixes its signature, what stands above it, and the overloads with a body, each with
    its place."""

    name: str
    signature: str
    comment: str
    place: str
    overloads: tuple[tuple[str, str], ...]


class EntityText(Struct, frozen=True):
    """An entity with what it inherits; `line` names it and the entities above it, `variants` those right below.

    `blocks` are its nested parts. `added` are the fields that its variants have and it has not, by variant, as far as they may
    be given. `unanswered` are the families that have no formula for a new variant of it.
    """

    name: str
    comment: str
    place: str
    line: tuple[str, ...]
    fields: tuple[FieldText, ...]
    blocks: tuple[EntityText, ...]
    variants: tuple[str, ...]
    added: tuple[tuple[str, tuple[str, ...]], ...]
    things: tuple[str, ...]
    unanswered: tuple[FamilyText, ...]


class KindText(Struct, frozen=True):
    """A kind: what quantities of it are, and what a measurement or evidence of them must state. Each entry has what it is
    compared with in the plan, and the words of which it says one, as they are written, and whether it may be left out."""

    name: str
    comment: str
    words: str
    place: str
    line: str
    entries: tuple[tuple[str, tuple[str, ...], tuple[str, ...], bool], ...]


Declared = EntityText | ThingText | OptionText | FamilyText | KindText


def declared(
    name: str, scope: Scope, sources: Mapping[str, Source], imports: Imports
) -> tuple[Declared, ...]:
    """All that `name`, such as an entity's, or `fleet.node` behind `as`, is declared as in a scope: an entity, a thing, a
    family and a kind may have one name. A thing that says nothing of its own is told with the entity whose name it has.
    `imports` are what readers made of files.
    """
    at, last = space_of(name, scope)
    return tuple(_declared(name, at, last, scope, sources, imports)) if at is not None else ()


def _declared(
    name: str, at: Scope, last: str, scope: Scope, sources: Mapping[str, Source], imports: Imports
) -> Iterator[Declared]:
    entity = at.entities.get(last)
    if entity is not None:
        yield _entity(entity, scope, sources)
    named = at.values.get(last)
    if named is not None and isinstance(named.statement, tree.Instance):
        thing = thing_text(name, named.statement, at.homes.get(last, at), sources, imports)
        if entity is None or any(field.given in ("given", "imported") for field in thing.fields):
            yield thing
    if named is not None and isinstance(named.statement, tree.OptionDecl):
        yield option_text(name, named.statement, at.homes.get(last, at), sources)
    family = at.families.get(last)
    if family is not None and family.overloads:
        yield _family(family, sources)
    kind = at.kinds.get(last)
    if kind is not None:
        yield _kind_text(kind, sources)


def _kind_text(kind: Kind, sources: Mapping[str, Source]) -> KindText:
    decl = kind.decl
    entries = tuple(
        (
            key.name,
            tuple(_term(term) for term in key.terms),
            key.words,
            key.optional,
        )
        for key in decl.context
    )
    return KindText(
        kind.name,
        before(sources.get(decl.span.file), decl.span.start),
        decl.label or "",
        place(decl.span, sources),
        said(decl.span, sources).partition(" context ")[0],
        entries,
    )


def _term(term: tree.ContextTerm) -> str:
    told = " or ".join(".".join(path) for path in term.paths)
    return told if term.instead is None else f"{told} (else {'.'.join(term.instead)})"


def declared_names(scope: Scope) -> list[str]:
    """All names that `declared` knows."""
    named = [name for name, _ in things(scope)]
    families = [name for name, family in scope.families.items() if family.overloads]
    return [*scope.entities, *named, *options(scope), *families, *scope.kinds]


def _entity(entity: Entity, scope: Scope, sources: Mapping[str, Source]) -> EntityText:
    asked = [f for f in entity.scope.families.values() if _is_asked(f, entity)]
    below = {name: one for name, one in entity.scope.entities.items() if one.parent is entity}
    added = {
        name: tuple(
            f.name for f in one.fields.values() if f.name not in entity.fields and f.role != "derived"
        )
        for name, one in below.items()
    }
    return EntityText(
        entity.name,
        before(sources.get(entity.span.file), entity.span.start),
        place(entity.span, sources),
        tuple(one.name for one in entity.line),
        tuple(field_text(one, entity, sources) for one in entity.fields.values()),
        tuple(_entity(block, scope, sources) for block in entity.blocks.values()),
        tuple(below),
        tuple((name, fields) for name, fields in added.items() if fields),
        tuple(
            sorted(
                name
                for name, one in things(scope)
                if (its := of(one, scope)) is not None and its.is_a(entity)
            )
        ),
        tuple(_family(one, sources) for one in asked if not _is_answered(one, entity)),
    )


def _family(family: Family, sources: Mapping[str, Source]) -> FamilyText:
    first = family.signature.decl
    return FamilyText(
        family.name,
        _signature(family.signature, sources),
        before(sources.get(first.span.file), first.span.start, together=first.body is None),
        place(first.name_span, sources),
        tuple(
            (_signature(one, sources), place(one.decl.name_span, sources))
            for one in family.overloads
            if one.decl.body is not None
        ),
    )


def _signature(one: Overload, sources: Mapping[str, Source]) -> str:
    taken = [f"{p.name}: {said(p.type.span, sources)}{_kind(p.kind)}" for p in one.decl.parameters]
    result = f"{said(one.decl.type.span, sources)}{_kind(one.decl.kind)}"
    return f"{one.decl.name}({', '.join(taken)}) : {result}"


def _kind(name: str | None) -> str:
    return f" kind {name}" if name is not None else ""


def _is_asked(family: Family, entity: Entity) -> bool:
    """Whether a family is asked of the variants of an entity, by the declaration that gives its signature."""
    return bool(family.overloads) and any(
        s.entity is not None and entity.is_a(s.entity) for s in family.signature.slots
    )


def _is_answered(family: Family, entity: Entity) -> bool:
    """Whether a family has a formula that a new variant of an entity would take, and one wherever the variants that there
    are have theirs: of arguments for which only these have one, it must be written."""
    bodies = [one for one in family.overloads if one.decl.body is not None]
    taken = [
        (at, one) for one in bodies for at, s in enumerate(one.slots) if s.entity and entity.is_a(s.entity)
    ]
    return bool(taken) and all(
        any(at == place and _is_of_more(one, other, place) for at, one in taken)
        for other in bodies
        for place, s in enumerate(other.slots)
        if s.entity is not None and s.entity is not entity and s.entity.is_a(entity)
    )


def _is_of_more(one: Overload, other: Overload, but: int) -> bool:
    """Whether a formula takes whatever another takes, but for one place."""
    return len(one.slots) == len(other.slots) and all(
        a.entity is None or b.entity is None or b.entity.is_a(a.entity)
        for at, (a, b) in enumerate(zip(one.slots, other.slots, strict=True))
        if at != but
    )
