"""The fields that some thing of each sort has, by what is declared: nothing is expanded for it.

They are those of entities and their variants, and those that a plan or the library adds to a thing: where it is declared,
by a dotted statement, in an option, in a list, or in a copy inside of an expression.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msgspec import Struct

from capwright.check.candidates import entity_of
from capwright.check.declared import Entity, Scope
from capwright.check.program import Program
from capwright.syntax import tree

KnownFields = dict[Entity | None, set[str]]


def known_fields(program: Program) -> KnownFields:
    """By the entity at the root of a sort; under None, the fields of copies of what only expansion finds."""
    found: KnownFields = {None: set()}
    for scope in {id(scope): scope for scope in program.scopes.values()}.values():
        for entity in scope.entities.values():
            _declared(found, entity, scope)
        for name, named in scope.values.items():
            if name not in scope.homes:
                _named(found, name, named.statement, scope)
        for name, extras in scope.extras.items():
            for extra in extras:
                if _paths(extra.statement):
                    _at(found, entity_of(scope, name), extra.path[1:])
                _copies(found, extra.statement, extra.scope)
    for decl, scope, _ in program.formulas:
        _copies(found, decl.body, scope)
    _copies(found, tuple(program.orders.requirements), program.main)
    return found


def _declared(found: KnownFields, entity: Entity, scope: Scope) -> None:
    found.setdefault(entity.root, set()).update(entity.order)
    _copies(found, tuple(field.decl for field in entity.fields.values() if field.scope is scope), scope)
    for block in entity.blocks.values():
        _declared(found, block, scope)


def _named(found: KnownFields, name: str, statement: tree.Statement, scope: Scope) -> None:
    if isinstance(statement, tree.Instance | tree.OptionDecl):
        _body(found, entity_of(scope, name), statement.body)
    _copies(found, statement, scope)


def _body(found: KnownFields, entity: Entity | None, members: Iterable[tree.Member]) -> None:
    """What the braces over a thing add to it, and to its parts."""
    for member in members:
        if isinstance(member, tree.Block):
            part = _part(entity, member.name)
            if part is not None or entity is None:
                _body(found, part, member.body)
            elif any(_paths(inner) for inner in member.body):
                _add(found, entity, member.name)
        elif isinstance(member, tree.Instance):
            listed = entity.element_words().get(member.type_name) if entity is not None else None
            _body(found, _part(entity, listed or ""), member.body)
        else:
            for path in _paths(member):
                _at(found, entity, path)


def _at(found: KnownFields, entity: Entity | None, path: tuple[str, ...]) -> None:
    """What a typed statement at a path in a thing adds, to it or to what the path leads into."""
    while len(path) > 1 and (part := _part(entity, path[0])) is not None:
        listed = (
            entity is not None and path[0] in entity.fields and entity.fields[path[0]].slot.sort == "list"
        )
        entity, path = part, path[2 if listed else 1 :]
    if path:
        _add(found, entity, path[0])


def _paths(member: tree.Member) -> tuple[tuple[str, ...], ...]:
    """What a member declares anew: it says a type. One that does not parse may do so."""
    match member:
        case tree.Field(name=name):
            return ((name,),)
        case tree.Binding(path=path, type=tree.TypeRef()) | tree.Assume(path=path, type=tree.TypeRef()):
            return (path,)
        case tree.Broken(paths=paths):
            return paths
        case tree.Block(body=body):
            return tuple(path for inner in body for path in _paths(inner))
        case _:
            return ()


def _part(entity: Entity | None, name: str) -> Entity | None:
    """The entity of a block, of what a field refers to, or of the elements of a list."""
    if entity is None or name not in entity.fields:
        return entity.blocks.get(name) if entity is not None else None
    slot = entity.fields[name].slot
    return slot.element.entity if slot.element is not None else slot.entity


def _add(found: KnownFields, entity: Entity | None, name: str) -> None:
    found.setdefault(None if entity is None else entity.root, set()).add(name)


def _copies(found: KnownFields, root: object, scope: Scope) -> None:
    for copy in _derived(root):
        base = copy.base
        if isinstance(base, tree.Attribute) and isinstance(base.base, tree.Name):
            space, name = scope.spaces.get(base.base.name), base.name
        else:
            space, name = scope, base.name if isinstance(base, tree.Name) else ""
        _body(found, entity_of(space, name) if space is not None else None, copy.body)


def _derived(root: object) -> Iterator[tree.Derive]:
    """The copies inside of expressions below a node of the tree."""
    waiting: list[object] = [root]
    while waiting:
        node = waiting.pop()
        if type(node) is tuple:
            waiting.extend(node)
        elif isinstance(node, Struct):
            if isinstance(node, tree.Derive):
                yield node
            waiting.extend(getattr(node, name) for name in node.__struct_fields__)
