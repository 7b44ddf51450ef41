"""Fields of instances: who says what they are, how late, and in whose names.

A field's value comes from the outermost layer that gives one, else from the entity. Layers that only reach
*inside* it (`sharding.tensor = 8 devices`) copy the thing referred to, under the address of the reader.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from capwright.base.counting import with_article
from capwright.base.diagnostic import FIELDS_LISTED, Spelling, offered
from capwright.base.source import Span
from capwright.check.declared import UNKNOWN, Entity, FieldDef, Scope, Slot
from capwright.check.other_sorts import copied, misplaced
from capwright.graph import binding, lacking
from capwright.graph.adding import added_slot, adds, written_at
from capwright.graph.bodies import nameless, read_body
from capwright.graph.context import Context
from capwright.graph.copying import braces, inside, is_too_deep, span_of
from capwright.graph.deciding import read
from capwright.graph.read_files import read_key
from capwright.graph.value_of import value_of
from capwright.graph.values import (
    POISON,
    Entry,
    Env,
    Inst,
    Items,
    Layer,
    Poison,
    Value,
    what,
)
from capwright.syntax import tree


def top(ctx: Context, scope: Scope, name: str) -> Value:
    """The value of a name at the top of a file."""
    return read(ctx, (scope.homes.get(name, scope), name))


def get(ctx: Context, inst: Inst, name: str, span: Span) -> Value:
    """`inst.name`; an unknown name is reported with the nearest one, and why it is absent where that is said."""
    if not inst.knows(name):
        return _unknown(ctx, inst, name, span, read=True)
    value = read(ctx, (inst, name))
    if value is POISON and (inst, name) in ctx.lacking:
        lacking.note_unanswered(ctx, inst, name, span)
    return value


def _unknown(ctx: Context, inst: Inst, name: str, span: Span, *, read: bool = False) -> Value:
    """Report a name that an instance does not have; what gives it a value, and does not `read` it, may mean a new field."""
    reason = inst.entity.absent.get(name)
    if reason is not None:
        return ctx.say(
            "CW0210",
            span,
            f"{inst.entity.root.name} `{inst.address}` has no `{name}` on purpose: {reason}",
            "ask it of a thing that has what the answer needs"
            if read
            else "say it there, and leave it out here",
        )
    if name in ctx.program.main.lost:  # what could not be read may have added it
        return POISON
    if lacking.note(ctx, inst, name, span):
        return POISON
    own = inst.address or with_article(inst.entity.name)
    new = "" if read or _is_set(ctx, span) else f" (a new field states its type: `{name} : UNIT = …`)"
    if parts := _within(ctx, inst.entity, name):
        return ctx.say("CW0204", span, f"`{own}` has no field `{name}`", offered(parts))
    if not read and (carrier := _carrier(ctx, inst, name)):
        return ctx.say("CW0204", span, f"`{own}` has no field `{name}`", carrier + new)
    return ctx.say(
        "CW0204",
        span,
        f"`{own}` has no field `{name}`",
        Spelling(name, [*inst.entity.order, *_added(inst)], most=FIELDS_LISTED) + new,
    )


def _within(ctx: Context, entity: Entity, name: str) -> list[str]:
    """The fields of this name that may be given to what the fields of a thing refer to, or to a variant of that: the way to
    them from the thing."""
    given = [each for each in entity.fields.values() if each.role != "derived"]
    sorts = {each.name: each.slot.entity for each in given if each.slot.entity is not None}
    return [
        f"{way}.{name}"
        for way, wanted in sorts.items()
        if any(
            one.is_a(wanted) and name in one.fields and one.fields[name].role != "derived"
            for one in ctx.program.main.entities.values()
        )
    ]


def _is_set(ctx: Context, span: Span) -> bool:
    """Whether a name stands in a `--set`, which adds no field."""
    return any(override.path_span == span for override in ctx.overrides)


def _carrier(ctx: Context, inst: Inst, name: str) -> str:
    """What says a launch flag that is called like the name: a field of the same thing, or of another."""
    flag = f"--{name.replace('_', '-')}"
    for entity in (inst.entity, *ctx.program.main.entities.values()):
        for field in entity.fields.values():
            if field.decl.clauses.flag == flag:
                where = "" if entity is inst.entity else f" of {with_article(entity.root.name)}"
                return f"`{flag}` is what `{field.name}`{where} says"
    return ""


def _added(inst: Inst) -> Iterator[str]:
    """The names of the fields that a plan adds to an instance."""
    for layer in inst.layers:
        yield from (name for name, entries in layer.body.entries.items() if any(map(adds, entries)))


def member(ctx: Context, base: Value, name: str, span: Span) -> Value:
    """`base.name`."""
    match base:
        case Poison():
            return base
        case Inst():
            return get(ctx, base, name, span)
        case Items(items=items):
            for label, value in items:
                if label == name:
                    return value
            if base.open and items:
                return items[0][1]
            names = [label for label, _ in items if label is not None]
            return ctx.say("CW0203", span, f"the list has no element `{name}`", Spelling(name, names))
        case _:
            return ctx.say(
                "CW0209",
                span,
                f"{what(base)} has no parts, so there is no `{name}` in it",
                "leave the part out, or name the thing that has it",
            )


def layer_env(inst: Inst, layer: Layer, target: str) -> Env:
    """Where the expressions of a layer over `inst` stand."""
    holder = layer.owner or inst
    rename = (layer.rename, inst.top) if layer.rename is not None else None
    if layer.outside:
        return Env(layer.body.scope, None, None, None, layer.body.library, rename, target)
    return Env(
        layer.body.scope, holder, layer.outer, None, layer.body.library, rename, target, layer.captured
    )


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
        return _unknown(ctx, inst, name, next(span for _, e in said if (span := written_at(e)) is not None))
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


def entry_of(inst: Inst, name: str) -> tree.Binding | tree.Field | tree.Assume | None:
    """What a file of the plan gives a field; None where it is left as the library, or a file that was read, has it."""
    for layer in inst.layers:
        for entry in layer.body.entries.get(name, ()):
            if entry.statement is not None:
                return None if layer.body.library else entry.statement
    return None


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


def instance(
    ctx: Context,
    decl: tree.Instance,
    env: Env,
    address: str,
    slot: Slot | None,
    parent: Inst | None,
    extra: tuple[Layer, ...] = (),
) -> Value:
    """Make the instance that `TYPE NAME [: VARIANT | from BASE] { … }` declares."""
    wanted = slot.name if slot is not None and slot.sort == "entity" else decl.type_name
    root = slot.entity if slot is not None and slot.entity is not None else env.scope.entity(wanted)
    if root is None and env.scope.unsaid(wanted):
        return POISON
    if root is None:
        return ctx.say(
            "CW0220",
            decl.type_span,
            misplaced(env.scope, wanted, "an entity") or f"there is no entity `{wanted}`",
            copied(env.scope, wanted, decl.name, Spelling(wanted, env.scope.entities, missing="entity")),
        )
    base: Inst | None = None
    entity = root
    if decl.variant is not None:
        found = env.scope.entity(decl.variant)
        span = decl.variant_span or decl.name_span
        if root.unsure or (found is None and env.scope.unsaid(decl.variant)) or (found and found.unsure):
            return POISON
        if found is None or not found.is_a(root):
            family = [n for n, e in env.scope.entities.items() if e.is_a(root)]
            return ctx.say(
                "CW0227",
                span,
                f"`{decl.variant}` is no variant of `{wanted}`",
                copied(env.scope, decl.variant, decl.name, Spelling(decl.variant, family)),
            )
        entity = found
    if entity.unsure or nameless(decl.body):
        return POISON
    if decl.base is not None:
        origin = _base(ctx, decl, env, root)
        if isinstance(origin, Poison):
            return POISON
        if not isinstance(origin, Inst) or not (origin.entity.is_a(root)):
            return ctx.say(
                "CW0228",
                decl.base.span,
                f"{what(origin)} is not {with_article(wanted)}",
                f"copy {with_article(wanted)}, or change the type before the name",
            )
        base, entity = origin, origin.entity
        if is_too_deep(ctx, base, decl.base.span):
            return POISON
    body = read_body(decl.body, entity, env.scope, env.library, ctx.report)
    own = Layer(body, None, env.self, env.rename[0] if env.rename is not None else None)
    below = base.layers if base is not None else ()
    made = Inst(address, entity, (*extra, own, *below), decl.span, parent, None, False, base)
    made.confidential = decl.clauses.confidential
    # What a file declares has the name of what is made of it, and is no thing of its own.
    if ctx.instances.setdefault(address, made) is base:
        ctx.instances[address] = made
    return made


def _base(ctx: Context, decl: tree.Instance, env: Env, root: Entity) -> Value:
    if isinstance(decl.base, tree.Call):
        return imported(ctx, decl.base, decl.type_name, env)
    assert decl.base is not None
    return value_of(ctx, decl.base, replace(env, rename=None), Slot("entity", name=root.name, entity=root))


def imported(ctx: Context, call: tree.Call, type_name: str, env: Env) -> Value:
    """The instance in the plan text that an importer made of a file."""
    key = read_key(call)
    module = ctx.imports.get(key)
    if call.function not in ctx.readers:
        return ctx.say(
            "CW0217",
            call.function_span,
            f"`{call.function}` reads no file",
            Spelling(call.function, ctx.readers),
        )
    if module is None:
        # A call without a path is reported here; a file that could not be read already was.
        return (
            POISON
            if key[1]
            else ctx.say(
                "CW0229", call.span, "an importer reads one file", 'write `from config("config.json")`'
            )
        )
    for statement in module.statements:
        if isinstance(statement, tree.Instance) and statement.type_name == type_name:
            return instance(ctx, statement, Env(env.scope, library=True), env.target, None, None)
    return ctx.say(
        "CW0229", call.span, f"this file describes no {type_name}", "import it where its own type stands"
    )


def _given(
    ctx: Context,
    inst: Inst,
    field: FieldDef | None,
    slot: Slot | None,
    address: str,
    layer: Layer,
    statement: tree.Binding | tree.Field | tree.Assume,
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
        return binding.stand_in(ctx, field.slot, address)
    if field.role == "required":
        if field.slot.sort == "list" and field.slot.element is not None:
            return Items((), False, field.slot.element)
        if field.slot is UNKNOWN and field.decl.type is not None and field.decl.type.list_of:
            return POISON
        ctx.missing.append((inst, field))  # told when it is known who takes the thing
        return POISON
    env = Env(field.scope, inst, None, None, field.library, None, address)
    return binding.bind(ctx, inst, address, field.decl, env, field.slot, field, None)


def _fresh_block(ctx: Context, inst: Inst, address: str, said: list[tuple[Layer, Entry]]) -> Value:
    """A block that the plan itself adds: fields of its own under a name of its own."""
    made_of = Entity(address, inst.span, said[0][0].body.scope)
    made_of.line = (made_of,)
    return _block(ctx, inst, made_of, address, said)
