"""A thing as files declare it: what it starts from, what is stated of it, and where."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from capwright.base.source import Source
from capwright.check.declared import MAX_VARIANTS, Entity, Scope
from capwright.document.declared_fields import FieldText, Given, field_text, value_text
from capwright.document.declared_text import before, beside, place, said
from capwright.graph.read_files import read_key
from capwright.syntax import tree
from capwright.syntax.tree import Module

Imports = Mapping[tuple[str, ...], Module]
"""What readers made of files, as plan text."""
Stating = tree.Binding | tree.Field | tree.Assume


class ThingText(Struct, frozen=True):
    """A thing that a file declares: its entity, what it starts from ("" for nothing), and its fields."""

    name: str
    comment: str
    place: str
    entity: str
    base: str
    fields: tuple[FieldText, ...]


class OptionText(Struct, frozen=True):
    """An option: what it is one of, and the fields that it states otherwise; all else is its base's."""

    name: str
    comment: str
    place: str
    base: str
    label: str
    fields: tuple[FieldText, ...]


class _Layer(NamedTuple):
    """A declaration that a thing is made of, and the scope it is seen in; `imported` where a file was read for it."""

    statement: tree.Instance
    scope: Scope
    imported: bool = False


def space_of(name: str, scope: Scope) -> tuple[Scope | None, str]:
    """The scope that a dotted name ends in, and its last word; None where there is no such scope."""
    *spaces, last = name.split(".")
    found: Scope | None = scope
    for space in spaces:
        found = found.spaces.get(space) if found is not None else None
    return found, last


def things(scope: Scope) -> Iterator[tuple[str, tree.Instance]]:
    """The things of a scope, and of those that it reaches by name, as they are written here."""
    spaces = {"": scope, **{f"{name}.": space for name, space in scope.spaces.items()}}
    for prefix, space in spaces.items():
        for name, named in space.values.items():
            if name not in space.homes and isinstance(named.statement, tree.Instance):
                yield prefix + name, named.statement


def options(scope: Scope) -> Iterator[str]:
    """The addresses of the options of a scope."""
    yield from (name for name, named in scope.values.items() if isinstance(named.statement, tree.OptionDecl))


def of(statement: tree.Instance, scope: Scope) -> Entity | None:
    """The entity of a thing: its variant, or that of what it starts from."""
    for one in _line(statement, scope, {}):
        if one.statement.variant is not None:
            return one.scope.entity(one.statement.variant)
    return scope.entity(statement.type_name)


def thing_text(
    name: str, statement: tree.Instance, scope: Scope, sources: Mapping[str, Source], imports: Imports
) -> ThingText:
    """A thing with the fields of its entity and its own, each as the nearest declaration states it."""
    entity = of(statement, scope)
    fields = {} if entity is None else {one.name: one for one in _fields(entity, sources)}
    for path, member, how in _stated(statement, scope, imports):
        dotted = ".".join(path)
        known = fields.get(dotted) or _declared(entity, path, sources)
        fields[dotted] = _stated_field(dotted, member, how, known, name, sources)
    lists = _elements(statement, scope, imports)
    for field, (words, how) in lists.items():
        known = fields.get(field)
        if known is not None:
            fields[field] = replace(known, given=how, value=", ".join(words), owner=name)
    return ThingText(
        name,
        before(sources.get(statement.span.file), statement.span.start),
        place(statement.name_span, sources),
        entity.name if entity is not None else statement.type_name,
        said(statement.base.span if statement.base is not None else None, sources),
        tuple(fields.values()),
    )


def option_text(
    name: str, statement: tree.OptionDecl, scope: Scope, sources: Mapping[str, Source]
) -> OptionText:
    """An option with what it states, each field as that of what it is made from at last."""
    base = _path(statement.base)
    at, last = space_of(base.partition("@")[0], scope)
    named = at.values.get(last) if at is not None else None
    made = (
        of(named.statement, at)
        if named is not None and isinstance(named.statement, tree.Instance) and at
        else None
    )
    return OptionText(
        name,
        before(sources.get(statement.span.file), statement.span.start),
        place(statement.name_span, sources),
        base,
        statement.label or "",
        tuple(
            _stated_field(
                ".".join(path), member, _given(member), _declared(made, path, sources), name, sources
            )
            for path, member in _members(statement.body, ())
        ),
    )


def _stated_field(
    name: str, member: Stating, how: Given, known: FieldText | None, owner: str, sources: Mapping[str, Source]
) -> FieldText:
    own = said(member.type.span, sources) if member.type is not None else ""
    return FieldText(
        name,
        known.type if known is not None else own,
        known.kind if known is not None else member.kind or "",
        how,
        value_text(member, sources),
        owner,
        member.clauses.label or (known.words if known is not None else ""),
        beside(sources.get(member.span.file), member.span) or (known.comment if known is not None else ""),
        known.flag if known is not None else "",
    )


def _fields(entity: Entity, sources: Mapping[str, Source]) -> Iterator[FieldText]:
    """The fields of an entity, and those of its blocks that a thing may state, by their dotted names."""
    for name in entity.order:
        if name in entity.fields:
            yield field_text(entity.fields[name], entity, sources)
        else:
            inner = _fields(entity.blocks[name], sources)
            yield from (replace(one, name=f"{name}.{one.name}") for one in inner if one.given != "derived")


def _declared(
    entity: Entity | None, path: tuple[str, ...], sources: Mapping[str, Source]
) -> FieldText | None:
    """The field that a dotted name leads to through blocks, things and elements of lists, as far as their entities say."""
    at, lead = entity, path
    while at is not None:
        name, *rest = lead
        field = at.fields.get(name)
        if not rest:
            return field_text(field, at, sources) if field is not None else None
        if field is None:
            at, lead = at.blocks.get(name), tuple(rest)
        elif field.slot.element is not None:  # the name of the element comes next
            at, lead = field.slot.element.entity, tuple(rest[1:])
        else:
            at, lead = field.slot.entity, tuple(rest)
        if not lead:
            return None
    return None


def _line(statement: tree.Instance, scope: Scope, imports: Imports) -> list[_Layer]:
    """A thing and what it starts from, and that in turn, each with its scope; the nearest first."""
    found = [_Layer(statement, scope)]
    while len(found) <= MAX_VARIANTS and (below := _base(*found[-1][:2], imports)) is not None:
        found.append(below)
    return found


def _base(statement: tree.Instance, scope: Scope, imports: Imports) -> _Layer | None:
    if isinstance(statement.base, tree.Call):
        module = imports.get(read_key(statement.base))
        made = module.statements if module is not None else ()
        read = (s for s in made if isinstance(s, tree.Instance) and s.type_name == statement.type_name)
        return next((_Layer(each, scope, imported=True) for each in read), None)
    name = _path(statement.base)
    at, last = space_of(name, scope) if name else (None, "")
    named = at.values.get(last) if at is not None else None
    if at is None or named is None or not isinstance(named.statement, tree.Instance):
        return None
    return _Layer(named.statement, at.homes.get(last, at))


def _path(expr: tree.Expr | None) -> str:
    """A dotted name as it is written; "" for what is none."""
    if isinstance(expr, tree.Name):
        return expr.name
    if isinstance(expr, tree.Attribute) and (base := _path(expr.base)):
        return f"{base}.{expr.name}"
    return ""


def _stated(
    statement: tree.Instance, scope: Scope, imports: Imports
) -> Iterator[tuple[tuple[str, ...], Stating, Given]]:
    """What is stated of a thing's fields, after what is stated of the things that it starts from: in its braces, then
    by statements with a dot."""
    for layer in reversed(_line(statement, scope, imports)):
        for path, member in _members(layer.statement.body, ()):
            yield path, member, "imported" if layer.imported else _given(member)
        if layer.imported:
            continue
        for extra in layer.scope.extras.get(layer.statement.name, ()):
            if not isinstance(extra.statement, tree.Broken):
                yield extra.path[1:], extra.statement, _given(extra.statement)


def _given(member: Stating) -> Given:
    return "assumed" if isinstance(member, tree.Assume) else "given"


def _members(body: Iterable[tree.Member], lead: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], Stating]]:
    """What braces state, with what stands in the blocks and the elements of lists in them, each by its path."""
    for member in body:
        match member:
            case tree.Binding(path=path) | tree.Assume(path=path):
                yield (*lead, *path), member
            case tree.Field(name=name):
                yield (*lead, name), member
            case tree.Block(name=name, body=inner):
                yield from _members(inner, (*lead, name))


def _elements(
    statement: tree.Instance, scope: Scope, imports: Imports
) -> dict[str, tuple[dict[str, None], Given]]:
    """The elements that braces give to lists, `class chat`, by the list's field."""
    entity = of(statement, scope)
    words = entity.element_words() if entity is not None else {}
    found: dict[str, tuple[dict[str, None], Given]] = {}
    for layer in reversed(_line(statement, scope, imports)):
        for member in layer.statement.body:
            if isinstance(member, tree.Instance) and member.type_name in words:
                held, _ = found.get(words[member.type_name], ({}, None))
                held[f"{member.type_name} {member.name}"] = None
                found[words[member.type_name]] = held, "imported" if layer.imported else "given"
    return found
