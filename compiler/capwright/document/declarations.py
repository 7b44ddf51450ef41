"""What a program declares, told to whoever writes a variant or a thing of it: entities, things, formula families."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final, Literal

from msgspec import Struct

from capwright.base.source import Source, Span
from capwright.check.declared import Entity, Family, FieldDef, Overload, Scope
from capwright.check.entities import MAX_VARIANTS
from capwright.syntax import tree

Given = Literal["required", "default", "derived", "assumed", "given"]
"""How a field comes by its value; `given` where a thing states it."""

_FORMULA: Final = "formula "


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

    `blocks` are its nested parts. `unanswered` are the families that have no formula for a new variant of it.
    """

    name: str
    comment: str
    place: str
    line: tuple[str, ...]
    fields: tuple[FieldText, ...]
    blocks: tuple[EntityText, ...]
    variants: tuple[str, ...]
    things: tuple[str, ...]
    unanswered: tuple[FamilyText, ...]


class ThingText(Struct, frozen=True):
    """A thing that a file declares: its entity, what it starts from ("" for nothing), and its fields."""

    name: str
    comment: str
    place: str
    entity: str
    base: str
    fields: tuple[FieldText, ...]


Declared = EntityText | ThingText | FamilyText


def declared(name: str, scope: Scope, sources: Mapping[str, Source]) -> Declared | None:
    """What `name`, such as an entity's, or `fleet.node` behind `as`, is declared as in a scope; None where it is not.

    An entity goes before a thing of its name, and both before a family.
    """
    at, last = _space(name, scope)
    if at is None:
        return None
    entity = at.entities.get(last)
    if entity is not None:
        return _entity(entity, scope, sources)
    named = at.values.get(last)
    if named is not None and isinstance(named.statement, tree.Instance):
        return _thing(name, named.statement, at.homes.get(last, at), sources)
    family = at.families.get(last)
    return _family(family, sources) if family is not None and family.overloads else None


def declared_names(scope: Scope) -> list[str]:
    """All names that `declared` knows."""
    named = [name for name, _ in _things(scope)]
    return [*scope.entities, *named, *(name for name, family in scope.families.items() if family.overloads)]


def _space(name: str, scope: Scope) -> tuple[Scope | None, str]:
    *spaces, last = name.split(".")
    found: Scope | None = scope
    for space in spaces:
        found = found.spaces.get(space) if found is not None else None
    return found, last


def _things(scope: Scope) -> Iterator[tuple[str, tree.Instance]]:
    """The things of a scope, and of those that it reaches by name, as they are written here."""
    spaces = {"": scope, **{f"{name}.": space for name, space in scope.spaces.items()}}
    for prefix, space in spaces.items():
        for name, named in space.values.items():
            if name not in space.homes and isinstance(named.statement, tree.Instance):
                yield prefix + name, named.statement


def _entity(entity: Entity, scope: Scope, sources: Mapping[str, Source]) -> EntityText:
    asked = [f for f in entity.scope.families.values() if _is_asked(f, entity)]
    return EntityText(
        entity.name,
        _before(sources.get(entity.span.file), entity.span.start),
        _place(entity.span, sources),
        tuple(one.name for one in entity.line),
        tuple(_field(one, entity, sources) for one in entity.fields.values()),
        tuple(_entity(block, scope, sources) for block in entity.blocks.values()),
        tuple(name for name, one in entity.scope.entities.items() if one.parent is entity),
        tuple(
            sorted(
                name
                for name, one in _things(scope)
                if (of := _of(one, scope)) is not None and of.is_a(entity)
            )
        ),
        tuple(_family(one, sources) for one in asked if not _is_answered(one, entity)),
    )


def _line(statement: tree.Instance, scope: Scope) -> list[tuple[tree.Instance, Scope]]:
    """A thing and what it starts from, and that in turn, each with its scope; the nearest first."""
    found = [(statement, scope)]
    while (base := _path(found[-1][0].base)) and len(found) <= MAX_VARIANTS:
        at, last = _space(base, found[-1][1])
        named = at.values.get(last) if at is not None else None
        if at is None or named is None or not isinstance(named.statement, tree.Instance):
            break
        found.append((named.statement, at.homes.get(last, at)))
    return found


def _of(statement: tree.Instance, scope: Scope) -> Entity | None:
    """The entity of a thing: its variant, or that of what it starts from."""
    for one, at in _line(statement, scope):
        if one.variant is not None:
            return at.entity(one.variant)
    return scope.entity(statement.type_name)


def _path(expr: tree.Expr | None) -> str:
    """A dotted name as it is written; "" for what is none."""
    if isinstance(expr, tree.Name):
        return expr.name
    if isinstance(expr, tree.Attribute) and (base := _path(expr.base)):
        return f"{base}.{expr.name}"
    return ""


def _thing(name: str, statement: tree.Instance, scope: Scope, sources: Mapping[str, Source]) -> ThingText:
    entity = _of(statement, scope)
    fields: dict[str, FieldText] = {}
    if entity is not None:
        fields = {field: _field(one, entity, sources) for field, one in entity.fields.items()}
    for field, member in _stated(statement, scope):
        known = fields.get(field)
        fields[field] = FieldText(
            field,
            known.type if known is not None else _said(member.type.span if member.type else None, sources),
            known.kind if known is not None else "",
            "given",
            _said(member.value.span if member.value is not None else None, sources),
            name,
            member.clauses.label or (known.words if known is not None else ""),
            _beside(sources.get(member.span.file), member.span)
            or (known.comment if known is not None else ""),
            known.flag if known is not None else "",
        )
    return ThingText(
        name,
        _before(sources.get(statement.span.file), statement.span.start),
        _place(statement.name_span, sources),
        entity.name if entity is not None else statement.type_name,
        _said(statement.base.span if statement.base is not None else None, sources),
        tuple(fields.values()),
    )


def _stated(statement: tree.Instance, scope: Scope) -> Iterator[tuple[str, tree.Binding | tree.Field]]:
    """What a thing states of its fields, after what the things that it starts from state."""
    for one, _ in reversed(_line(statement, scope)):
        for member in one.body:
            if isinstance(member, tree.Binding):
                yield ".".join(member.path), member
            elif isinstance(member, tree.Field):
                yield member.name, member


def _field(one: FieldDef, entity: Entity, sources: Mapping[str, Source]) -> FieldText:
    decl = one.decl
    owner = next((e for e in reversed(entity.line) if e.fields.get(one.name) is one), entity)
    written = [e.fields[one.name].decl.type for e in entity.line if one.name in e.fields]
    span = next((t.span for t in written if t is not None and (t.spelling or t.choices)), None)
    said = _said(span, sources) or one.slot.text()
    return FieldText(
        one.name,
        f"one of {said}" if one.slot.sort == "choice" and not said.startswith("one of") else said,
        one.slot.kind or "",
        one.role,
        _value(decl, sources),
        owner.name,
        decl.clauses.label or "",
        _beside(sources.get(decl.span.file), decl.span),
        decl.clauses.flag or "",
    )


def _value(decl: tree.Field | tree.Assume, sources: Mapping[str, Source]) -> str:
    if isinstance(decl, tree.Field):
        found = decl.value if decl.value is not None else decl.default
        said = _said(found.span if found is not None else None, sources)
        return f"{decl.relation} {said}" if said and decl.value is not None and decl.relation != "=" else said
    ends = [_said(end.span if end is not None else None, sources) for end in (decl.low, decl.high)]
    middle = _said(decl.value.span, sources)
    return f"{middle} in {' .. '.join(ends)}" if all(ends) else middle


def _family(family: Family, sources: Mapping[str, Source]) -> FamilyText:
    first = family.signature.decl
    return FamilyText(
        family.name,
        _signature(family.signature, sources),
        _before(sources.get(first.span.file), first.span.start, together=first.body is None),
        _place(first.name_span, sources),
        tuple(
            (_signature(one, sources), _place(one.decl.name_span, sources))
            for one in family.overloads
            if one.decl.body is not None
        ),
    )


def _signature(one: Overload, sources: Mapping[str, Source]) -> str:
    taken = [f"{p.name}: {_said(p.type.span, sources)}{_kind(p.kind)}" for p in one.decl.parameters]
    result = f"{_said(one.decl.type.span, sources)}{_kind(one.decl.kind)}"
    return f"{one.decl.name}({', '.join(taken)}) : {result}"


def _kind(name: str | None) -> str:
    return f" kind {name}" if name is not None else ""


def _is_asked(family: Family, entity: Entity) -> bool:
    """Whether a family is asked of the variants of an entity, by the declaration that gives its signature."""
    return bool(family.overloads) and any(
        s.entity is not None and entity.is_a(s.entity) for s in family.signature.slots
    )


def _is_answered(family: Family, entity: Entity) -> bool:
    """Whether a family has a formula that a new variant of an entity would take."""
    return any(
        s.entity is not None and entity.is_a(s.entity)
        for one in family.overloads
        if one.decl.body is not None
        for s in one.slots
    )


def _said(span: Span | None, sources: Mapping[str, Source]) -> str:
    """The text of a place, on one line."""
    source = sources.get(span.file) if span is not None else None
    return (
        " ".join(source.text[span.start : span.end].split())
        if source is not None and span is not None
        else ""
    )


def _place(span: Span, sources: Mapping[str, Source]) -> str:
    source = sources.get(span.file)
    return source.place(span.start) if source is not None else span.file


def _before(source: Source | None, start: int, *, together: bool = False) -> str:
    """The comment that stands right above a declaration; with `together`, above the signatures that it is one of."""
    if source is None:
        return ""
    number = source.line_column(start)[0] - 1
    while together and number > 0 and source.line(number).startswith(_FORMULA):
        number -= 1
    lines: list[str] = []
    while number > 0 and (line := source.line(number).strip()).startswith("#") and not line.startswith("# ─"):
        lines.insert(0, line.lstrip("# "))
        number -= 1
    return " ".join(lines)


def _beside(source: Source | None, span: Span) -> str:
    """The comment at the end of the first or the last line of a member, or of lines of its own above it."""
    if source is None:
        return ""
    for offset in (span.start, span.end):
        line = source.line(source.line_column(offset)[0])
        if (at := _comment(line)) > len(line) - len(line.lstrip()):
            return line[at:].lstrip("# ").rstrip()
    return _before(source, span.start)


def _comment(line: str) -> int:
    """Where a line's comment begins; -1 where it has none. A sign in a text opens none."""
    quoted = escaped = False
    for at, sign in enumerate(line):
        if escaped:
            escaped = False
        elif sign == "\\" and quoted:
            escaped = True
        elif sign == '"':
            quoted = not quoted
        elif sign == "#" and not quoted:
            return at
    return -1
