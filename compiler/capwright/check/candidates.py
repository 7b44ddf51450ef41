"""Things that could stand in a slot that takes an entity: those the plan declares, and those of the library."""

from __future__ import annotations

from collections.abc import Iterator

from capwright.check.declared import MAX_VARIANTS, Entity, Named, Scope
from capwright.syntax import tree


def candidates(scope: Scope, wanted: Entity) -> list[str]:
    """Their names as they are written in a file of this scope, the plan's own first."""
    own: list[str] = []
    library: list[str] = []
    for prefix, each in _scopes(scope):
        for name, named in each.values.items():
            entity = entity_of(each, name) if name not in each.homes and is_thing(named) else None
            if entity is not None and entity.is_a(wanted):
                (library if named.library else own).append(prefix + name)
    return own + library


def _scopes(scope: Scope) -> Iterator[tuple[str, Scope]]:
    yield "", scope
    for name, space in scope.spaces.items():
        yield f"{name}.", space


def is_thing(named: Named) -> bool:
    """Whether what has the name is declared with an entity, as its thing."""
    return isinstance(named.statement, tree.Instance)


def entity_of(scope: Scope, name: str) -> Entity | None:
    """The entity that a declared thing is of: its variant, its type, or that of what it copies or is an option of."""
    found: Entity | None = None
    for _ in range(MAX_VARIANTS):
        named = scope.values.get(name)
        statement = named.statement if named is not None else None
        if isinstance(statement, tree.OptionDecl) and isinstance(statement.base, tree.Name):
            name = statement.base.name
            continue
        if not isinstance(statement, tree.Instance):
            break
        said = scope.entity(statement.variant or statement.type_name)
        found = said if found is None or (said is not None and said.is_a(found)) else found
        if statement.variant is not None or not isinstance(statement.base, tree.Name):
            break
        name = statement.base.name
    return found
