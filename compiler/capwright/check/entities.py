"""Entities with what they inherit, and what each field takes."""

from __future__ import annotations

from typing import Final

from msgspec.structs import replace

from capwright.base.diagnostic import FIELDS_LISTED, Spelling
from capwright.check.declared import MAX_VARIANTS, UNKNOWN, Entity, FieldDef, Role, Scope
from capwright.check.other_sorts import misplaced
from capwright.check.report import Report
from capwright.check.slots import Slots
from capwright.syntax import tree

Declaration = tuple[tree.EntityDecl, Scope, bool]

MAX_INHERITED: Final = 300_000
"""Members that all entities together take over: each variant holds those of what it is a variant of."""


class _Room:
    """How much more may be inherited."""

    def __init__(self) -> None:
        self._left = MAX_INHERITED

    def has(self, entity: Entity, parent: Entity, report: Report) -> bool:
        """Whether an entity may take over what its parent has; says so once where it may not."""
        before, self._left = self._left, self._left - _members_of(parent)
        if self._left < 0 <= before:
            report.say(
                "CW0403",
                entity.span,
                f"variants of this plan take over more than {MAX_INHERITED:,} fields and checks from what they are variants of",
                "declare fewer of them, or instances in their place: `TYPE NAME { … }`",
            )
        return self._left >= 0


def _members_of(entity: Entity) -> int:
    """What a variant would hold of it, with all blocks, since it may add to each."""
    own = len(entity.order) + len(entity.checks) + len(entity.absent) + len(entity.views)
    return own + sum(map(_members_of, entity.blocks.values()))


def name_entities(declarations: list[Declaration]) -> None:
    """Give every scope its entities, still empty: fields may be of any of them."""
    for decl, scope, library in declarations:
        scope.entities[decl.name] = Entity(
            decl.name, decl.name_span, scope, label=decl.label, library=library
        )


def fill_entities(declarations: list[Declaration], slots: Slots, report: Report) -> None:
    """Fill the entities with what they inherit and declare."""
    done: set[Entity] = set()
    by_entity = {scope.entities[decl.name]: (decl, scope, lib) for decl, scope, lib in declarations}
    room = _Room()
    for entity in by_entity:
        _complete(entity, by_entity, done, room, slots, report)


def _complete(
    entity: Entity,
    declarations: dict[Entity, Declaration],
    done: set[Entity],
    room: _Room,
    slots: Slots,
    report: Report,
) -> None:
    chain: list[Entity] = []
    current: Entity | None = entity
    while current is not None and current not in done:
        if current in chain:
            decl = declarations[current][0]
            report.say(
                "CW0221",
                decl.name_span,
                f"`{current.name}` is a variant of itself",
                "take one of the parents out of the circle: "
                + " → ".join(e.name for e in [*chain[chain.index(current) :], current]),
            )
            break
        chain.append(current)
        current = _parent(declarations[current], report)
    for one in reversed(chain):
        parent = _parent(declarations[one], report)
        if parent is not None and len(parent.line) >= MAX_VARIANTS:
            report.say(
                "CW0235",
                one.span,
                f"`{one.name}` is a variant of a variant, more than {MAX_VARIANTS} deep",
                "derive it from an earlier one",
            )
            parent = None
        known = parent if parent is not None and parent is not one and parent in done else None
        if known is not None and not room.has(one, known, report):
            known = None
        _inherit(one, known)
        one.unsure = one.unsure or (known is None and declarations[one][0].parent is not None)
        one.knowing = not declarations[one][2] and parent is not None and parent.parent is not None
        _members(one, declarations[one], slots, report)
        done.add(one)


def _parent(declaration: Declaration, report: Report) -> Entity | None:
    decl, scope, _ = declaration
    if decl.parent is None:
        return None
    found = scope.entity(decl.parent)
    if found is None and not scope.unsaid(decl.parent):
        report.say(
            "CW0220",
            decl.parent_span or decl.name_span,
            misplaced(scope, decl.parent, "an entity") or f"there is no entity `{decl.parent}`",
            Spelling(decl.parent, scope.entities, missing="entity"),
        )
    return found


def _inherit(entity: Entity, parent: Entity | None) -> None:
    entity.parent = parent
    entity.line = (entity, *(parent.line if parent is not None else ()))
    if parent is None:
        return
    entity.unsure = parent.unsure
    entity.fields.update(parent.fields)
    entity.blocks.update(parent.blocks)
    entity.order.update(parent.order)
    entity.checks.extend(parent.checks)
    entity.absent.update(parent.absent)
    entity.views.extend(parent.views)


def _members(entity: Entity, declaration: Declaration, slots: Slots, report: Report) -> None:
    decl, scope, library = declaration
    fill_entity(entity, decl.members, scope, library, slots, report)


def fill_entity(
    entity: Entity,
    members: tuple[tree.Member, ...],
    scope: Scope,
    library: bool,
    slots: Slots,
    report: Report,
) -> None:
    """Add the members of a declaration or of a block to what an entity has."""
    own: set[str] = set()
    for member in members:
        match member:
            case tree.Field():
                _field(entity, member, scope, library, slots, own, report)
            case tree.Assume():
                _assumed(entity, member, scope, library, slots, report)
            case tree.Block():
                _block(entity, member, scope, library, slots, report)
            case tree.Check():
                entity.checks.append((member, scope, library))
            case tree.Absent():
                entity.absent.update(dict.fromkeys(member.names, member))
                for name in member.names:  # what its parent has a variant may lack
                    if name not in own:
                        entity.fields.pop(name, None)
                        entity.order.pop(name, None)
            case tree.View():
                entity.views.append(member)
            case tree.Inherits(families=families, variant=variant):
                if families:
                    entity.inherits.update(dict.fromkeys(families, variant))
                else:
                    entity.inherits_all = variant
            case tree.Binding():
                _default(entity, member, scope, library, report)
            case tree.Broken():
                _broken(entity, member, scope, library)
            case tree.Instance():
                report.say(
                    "CW0222",
                    member.span,
                    "an entity declares fields, not instances",
                    f"write `{member.name} : {member.type_name}` for a field of that type",
                )


def _field(
    entity: Entity,
    member: tree.Field,
    scope: Scope,
    library: bool,
    slots: Slots,
    own: set[str],
    report: Report,
) -> None:
    slot = slots.read(member.type, member.kind, scope) or UNKNOWN
    if member.name in own:
        report.say(
            "CW0201",
            member.name_span,
            f"`{member.name}` is declared twice in `{entity.name}`",
            "rename one of the two, or remove one",
        )
        return
    own.add(member.name)
    role: Role = "required"
    if member.value is not None:
        role = "derived"
    elif member.default is not None:
        role = "default"
    entity.fields[member.name] = FieldDef(
        member.name, slot, role, member, scope, library, _permanent(entity, member.name, member.clauses)
    )
    entity.order.setdefault(member.name)


def _assumed(
    entity: Entity, member: tree.Assume, scope: Scope, library: bool, slots: Slots, report: Report
) -> None:
    name = member.path[0]
    known = entity.fields.get(name)
    if member.type is not None:
        slot = slots.read(member.type, member.kind, scope) or UNKNOWN
    elif known is not None:
        slot = known.slot
    elif entity.unsure:
        return
    else:
        report.say(
            "CW0204",
            member.path_span,
            f"`{entity.name}` has no field `{name}` to assume",
            f'declare it here: `assume {name} : UNIT = … in … .. … because "…"`',
        )
        return
    entity.fields[name] = FieldDef(
        name, slot, "assumed", member, scope, library, _permanent(entity, name, member.clauses)
    )
    entity.order.setdefault(name)


def _default(entity: Entity, member: tree.Binding, scope: Scope, library: bool, report: Report) -> None:
    """`field = e` in a variant gives an inherited field another default."""
    known = entity.fields.get(member.path[0]) if len(member.path) == 1 else None
    if known is None and entity.unsure:
        return
    if known is None:
        report.say(
            "CW0204",
            member.path_span,
            f"`{entity.name}` has no field `{'.'.join(member.path)}`",
            Spelling(member.path[0], entity.fields, most=FIELDS_LISTED)
            + "; a new field needs a type: `name : UNIT = …`",
        )
        return
    field = tree.Field(
        member.span,
        known.name,
        member.path_span,
        known.decl.type or tree.TypeRef(member.span, ""),
        known.slot.kind,
        member.value if known.role != "derived" else None,
        member.relation,
        member.value if known.role == "derived" else None,
        member.clauses,
    )
    role: Role = "derived" if known.role == "derived" else "default"
    entity.fields[known.name] = replace(
        known,
        decl=field,
        role=role,
        scope=scope,
        library=library,
        permanent=_permanent(entity, known.name, member.clauses),
    )


def _permanent(entity: Entity, name: str, clauses: tree.Clauses) -> tuple[tree.Caveat, ...]:
    """The permanent caveats of a field that is declared with `clauses`, in the place of what `entity` has by that name."""
    own = tuple(caveat for caveat in clauses.caveats if caveat.permanent)
    known = entity.fields.get(name)
    return (*known.permanent, *own) if known is not None else own


def _broken(entity: Entity, member: tree.Broken, scope: Scope, library: bool) -> None:
    """What does not parse declares fields of which nothing is known; instances need not say what they are."""
    entity.unsure = entity.unsure or member.rest
    for path in member.paths:
        decl = tree.Field(member.span, path[0], member.span, tree.TypeRef(member.span, ""), None, None)
        kept = _permanent(entity, path[0], decl.clauses)
        entity.fields[path[0]] = FieldDef(path[0], UNKNOWN, "default", decl, scope, library, kept)
        entity.order.setdefault(path[0])


def _block(
    entity: Entity, member: tree.Block, scope: Scope, library: bool, slots: Slots, report: Report
) -> None:
    inherited = entity.blocks.get(member.name)
    label = member.label or (inherited.label if inherited is not None else None)
    block = Entity(f"{entity.name}.{member.name}", member.name_span, scope, label=label)
    block.line = (block, *(inherited.line if inherited is not None else ()))
    if inherited is not None:
        _inherit(block, inherited)
    fill_entity(block, member.body, scope, library, slots, report)
    entity.blocks[member.name] = block
    entity.order.setdefault(member.name)
