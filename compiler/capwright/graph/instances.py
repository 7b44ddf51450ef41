"""Making the things that a plan declares: as a variant, as a copy, or of what an importer read."""

from __future__ import annotations

from msgspec.structs import replace

from capwright.base.counting import with_article
from capwright.base.diagnostic import Spelling
from capwright.check.declared import Entity, Slot
from capwright.check.other_sorts import copied, misplaced
from capwright.graph.bodies import nameless, read_body
from capwright.graph.context import Context
from capwright.graph.copying import is_too_deep
from capwright.graph.read_files import read_key
from capwright.graph.value_of import value_of
from capwright.graph.values import POISON, Env, Inst, Layer, Poison, Value, what
from capwright.syntax import tree


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
