"""Making the fields of things: who says what they are, how late, and in whose names.

A field's value comes from the outermost layer that gives one, else from the entity. Layers that only reach
*inside* it (`sharding.tensor = 8 devices`) copy the thing referred to, under the address of the reader.
"""

from __future__ import annotations

from msgspec.structs import replace

from capwright.check.declared import UNKNOWN, Entity, FieldDef, Slot
from capwright.graph import binding
from capwright.graph.adding import added_slot, adds, written_at
from capwright.graph.context import Context
from capwright.graph.copying import braces, inside, span_of
from capwright.graph.instances import instance
from capwright.graph.stand_ins import stand_in
from capwright.graph.unknown_fields import unknown_field
from capwright.graph.values import POISON, Entry, Env, Giving, Inst, Items, Layer, Poison, Value
from capwright.syntax import tree


def compute_field(ctx: Context, inst: Inst, name: str) -> Value:
    """Compute one field, block or list of an instance."""
    address = f"{inst.address}.{name}"
    said = [(layer, entry) for layer in inst.layers for entry in layer.body.entries.get(name, ())]
    if any(entry.broken for _, entry in said):
        return POISON
    block = inst.entity.blocks.get(name)
    if block is not None:
        return _block(ctx, inst, block, address, said)
    field = inst.entity.fields.get(name)
    if field is not None and field.slot.sort == "list" and any(e.inner is not None for _, e in said):
        return _elements(ctx, inst, field, address, said)
    if field is None and not any(adds(entry) for _, entry in said):
        return unknown_field(
            ctx, inst, name, next(span for _, e in said if (span := written_at(e)) is not None)
        )
    given = next((i for i, (_, e) in enumerate(said) if e.statement is not None), None)
    inner = _reaching_inside(said, given)
    if given is not None:
        layer, entry = said[given]
        assert entry.statement is not None
        slot = field.slot if field is not None else added_slot(ctx, said)
        value = _given(ctx, inst, field, slot, address, layer, entry.statement, _hidden(said, given))
    elif field is not None:
        value = _declared(ctx, inst, field, address)
    else:
        return _fresh_block(ctx, inst, address, said)
    if inner and not isinstance(value, Poison):
        return inside(ctx, inst, value, address, inner)
    return value


def entry_of(inst: Inst, name: str) -> Giving | None:
    """What a file of the plan gives a field; None where it is left as the library, or a file that was read, has it."""
    for layer in inst.layers:
        for entry in layer.body.entries.get(name, ()):
            if entry.statement is not None:
                return None if layer.body.library else entry.statement
    return None


def layer_env(inst: Inst, layer: Layer, target: str) -> Env:
    """Where the expressions of a layer over `inst` stand."""
    holder = layer.owner or inst
    rename = (layer.rename, inst.top) if layer.rename is not None else None
    if layer.outside:
        return Env(layer.body.scope, None, None, None, layer.body.library, rename, target)
    return Env(
        layer.body.scope, holder, layer.outer, None, layer.body.library, rename, target, layer.captured
    )


def _reaching_inside(said: list[tuple[Layer, Entry]], given: int | None) -> list[tuple[Layer, Entry]]:
    """The entries that reach inside what the field refers to: of layers above, and of the one that says it."""
    own = said[given][0] if given is not None else None
    over = [pair for at, pair in enumerate(said) if given is None or at < given or pair[0] is own]
    return [(layer, e) for layer, e in over if e.inner is not None or e.block is not None]


def _hidden(said: list[tuple[Layer, Entry]], given: int) -> tree.Assume | None:
    """The assumption that the given statement replaces, if there is one below it."""
    for _, entry in said[given + 1 :]:
        if isinstance(entry.statement, tree.Assume):
            return entry.statement
    return None


def _given(
    ctx: Context,
    inst: Inst,
    field: FieldDef | None,
    slot: Slot | None,
    address: str,
    layer: Layer,
    statement: Giving,
    hidden: tree.Assume | None,
) -> Value:
    env = layer_env(inst, layer, address)
    if field is not None and field.role == "derived":
        override = isinstance(statement, tree.Binding) and statement.override
        if not override and not isinstance(statement, tree.Assume):
            return ctx.say(
                "CW0213",
                statement.span,
                f"`{address}` is derived, and this would replace its formula",
                "write `override` before it if that is meant, or give the new quantity another name",
            )
    if hidden is None and field is not None and isinstance(field.decl, tree.Assume):
        hidden = field.decl
    return binding.bind(ctx, inst, address, statement, env, slot, field, hidden)


def _declared(ctx: Context, inst: Inst, field: FieldDef, address: str) -> Value:
    if inst.stand_in:
        return stand_in(ctx, field.slot, address)
    if field.role == "required":
        if field.slot.sort == "list" and field.slot.element is not None:
            return Items((), False, field.slot.element)
        if field.slot is UNKNOWN and field.decl.type is not None and field.decl.type.list_of:
            return POISON
        ctx.missing.append((inst, field))  # told when it is known who takes the thing
        return POISON
    env = Env(field.scope, inst, None, None, field.library, None, address)
    return binding.bind(ctx, inst, address, field.decl, env, field.slot, field, None)


def _block(ctx: Context, inst: Inst, entity: Entity, address: str, said: list[tuple[Layer, Entry]]) -> Value:
    if entity.unsure:
        return POISON
    layers: list[Layer] = []
    for layer, entry in said:
        if entry.inner is not None:
            layers.append(replace(layer, body=entry.inner, owner=layer.owner or inst))
        elif entry.block is not None:
            layers.append(braces(ctx, layer, entry.block, entity, inst))
        elif entry.statement is not None:
            ctx.say(
                "CW0211",
                entry.statement.span,
                f"`{address}` is a block of fields, not a value",
                f"set a field in it: `{address}.NAME = …`",
            )
    child = Inst(address, entity, tuple(layers), inst.span, inst, None, inst.stand_in)
    child.option = inst.option
    ctx.instances.setdefault(address, child)
    return child


def _fresh_block(ctx: Context, inst: Inst, address: str, said: list[tuple[Layer, Entry]]) -> Value:
    """A block that the plan itself adds: fields of its own under a name of its own."""
    made_of = Entity(address, inst.span, said[0][0].body.scope)
    made_of.line = (made_of,)
    return _block(ctx, inst, made_of, address, said)


def _elements(
    ctx: Context, inst: Inst, field: FieldDef, address: str, said: list[tuple[Layer, Entry]]
) -> Value:
    """A named list: the elements of the innermost layer first, each under all layers that speak of it."""
    for _, entry in said:
        if entry.statement is not None:
            return ctx.say(
                "CW0211",
                entry.statement.span,
                f"`{address}` is a list of named elements, and this would replace it as a whole",
                f"write its elements: `{field.slot.word or 'element'} NAME {{ … }}`, or set a field of one: "
                f"`{field.name}.NAME.FIELD = …`",
            )
    bodies = [(layer, entry.inner) for layer, entry in said if entry.inner is not None]
    names: dict[str, None] = {}
    for _, body in reversed(bodies):
        names.update(dict.fromkeys(body.entries))
    found: list[tuple[str | None, Value]] = []
    for name in names:
        entries = [(layer, e) for layer, body in bodies for e in body.entries.get(name, ())]
        value = _element(ctx, inst, field, f"{address}.{name}", name, entries)
        if isinstance(value, Poison):
            return POISON
        found.append((name, value))
    assert field.slot.element is not None
    return Items(tuple(found), False, field.slot.element)


def _element(
    ctx: Context,
    inst: Inst,
    field: FieldDef,
    address: str,
    name: str,
    entries: list[tuple[Layer, Entry]],
) -> Value:
    if any(entry.broken for _, entry in entries):
        return POISON
    at = next((i for i, (_, e) in enumerate(entries) if e.child is not None), None)
    if at is None:
        return ctx.say(
            "CW0212",
            span_of(entries[0][1], inst.span),
            f"`{address}` is no element of this list",
            f"declare it: `{field.slot.word or 'element'} {name} {{ … }}`, or correct the name",
        )
    layer, entry = entries[at]
    child = entry.child
    assert child is not None
    env = layer_env(inst, replace(layer, owner=layer.owner or inst), address)
    made = instance(ctx, child, env, address, field.slot.element, inst)
    if isinstance(made, Inst):
        made.element = name
        over = [
            replace(upper, body=e.inner, owner=upper.owner or inst)
            for upper, e in entries[:at]
            if e.inner is not None
        ]
        made.layers = (*over, *made.layers)
        made.option = inst.option
        ctx.instances.setdefault(address, made)
    return made
