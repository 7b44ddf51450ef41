"""A name that is declared, but as another sort than what may stand in its place: entities, formulas, kinds and values have
names apart, so that one is not found where another is looked for."""

from __future__ import annotations

from typing import Final

from capwright.base.counting import with_article
from capwright.base.diagnostic import Offer, Spelling
from capwright.check.candidates import candidates, is_thing
from capwright.check.declared import Entity, Overload, Scope
from capwright.syntax import tree

_FIELDS: Final = 3
"""As many fields a message shows in the braces of a thing that could be declared."""


def misplaced(scope: Scope, name: str, wanted: str) -> str | None:
    """That `name` is of another sort than what is `wanted`, such as "a value"; None where nothing here has the name."""
    sort = _sort(scope, name)
    return None if sort is None else f"`{name}` is {sort}, not {wanted}"


def no_value(
    scope: Scope, name: str, wanted: Entity | None = None
) -> tuple[str, str | Offer | Spelling] | None:
    """What is said, with the way out, of a name in the place of a value, or of a thing that is `wanted`, which stands for
    something else here; None where nothing else has the name."""
    entity = scope.entity(name)
    if entity is not None:
        return _no_thing(scope, name, entity, wanted)
    said = misplaced(scope, name, "a value" if wanted is None else with_article(wanted.name))
    if said is None:
        return None
    if (family := scope.families.get(name)) is not None and family.overloads:
        return said, f"call it, with each of its arguments: `{name}({_parameters(family.signature)})`"
    return said, "name a quantity of that kind: a kind stands only behind `kind` and `as`"


def copied(scope: Scope, name: str, new: str, otherwise: Spelling) -> str | Spelling:
    """The way out where `name` stands in the place of an entity, and of a thing `new`: of a thing it can be a copy."""
    named = scope.values.get(name)
    if named is None or not isinstance(named.statement, tree.Instance):
        return otherwise
    return f"a copy of it is `{named.statement.type_name} {new} from {name} {{ … }}`"


def declaring(scope: Scope, entity: Entity, name: str) -> str:
    """How a thing of an entity is declared: with what it must say, or the first that it may say."""
    fields = entity.fields.values()
    asked = [field.name for field in fields if field.role == "required"]
    said = asked or [field.name for field in fields if field.role == "default"][:1]
    shown = "".join(f"{name} = …; " for name in said[:_FIELDS])
    more = len(asked) > _FIELDS or not said
    body = f"{shown}…" if more else shown.removesuffix("; ")
    variant = f" : {_spelled(scope, entity)}" if entity.parent is not None else ""
    return f"`{_spelled(scope, entity.root)} {name}{variant} {{ {body} }}`"


def _sort(scope: Scope, name: str) -> str | None:
    if scope.entity(name) is not None:
        return "an entity"
    if (family := scope.families.get(name)) is not None and family.overloads:
        return "a formula"
    if scope.kind(name) is not None:
        return "a kind"
    if (named := scope.values.get(name)) is not None:
        return "a thing" if is_thing(named) else "a value"
    return None


def _no_thing(
    scope: Scope, name: str, entity: Entity, wanted: Entity | None
) -> tuple[str, str | Offer | Spelling]:
    """The thing that is wanted may have the name of its entity."""
    last = name.rpartition(".")[2]
    if wanted is not None and not entity.is_a(wanted):
        said = f"`{name}` is an entity, and no {wanted.name} is made of it"
        fresh = f"declare it: {declaring(scope, wanted, last)}"
        made = candidates(scope, wanted)
        return said, Spelling(name, (), fitting=lambda: made, fresh=fresh) if made else fresh
    said = f"`{name}` is an entity, and what is wanted here is a thing of it"
    declare = f"declare one, under this or another name: {declaring(scope, entity, last)}"
    made = candidates(scope, entity)
    return said, Offer("what is made of it", lambda: made, f"; or {declare}") if made else declare


def _parameters(signature: Overload) -> str:
    return ", ".join(parameter.name for parameter in signature.decl.parameters)


def _spelled(scope: Scope, entity: Entity) -> str:
    """An entity's name as a file of this scope writes it."""
    if scope.entities.get(entity.name) is entity:
        return entity.name
    spaces = scope.spaces.items()
    prefix = next((f"{name}." for name, space in spaces if space.entities.get(entity.name) is entity), "")
    return f"{prefix}{entity.name}"
