"""Names at the top of files: what each stands for."""

from __future__ import annotations

from msgspec.structs import replace

from capwright.base.address import option_address
from capwright.base.diagnostic import Note
from capwright.base.source import Span
from capwright.check.declared import Scope
from capwright.graph import binding
from capwright.graph.bodies import nameless, place, read_body
from capwright.graph.circles import address_of, on_cycle
from capwright.graph.confiding import confide
from capwright.graph.context import Context, Key, Override
from capwright.graph.copying import is_too_deep
from capwright.graph.copying import named as named_copy
from capwright.graph.deciding import keep, remember
from capwright.graph.fitting import fit
from capwright.graph.instances import instance
from capwright.graph.making_fields import compute_field
from capwright.graph.value_of import value_of
from capwright.graph.values import (
    POISON,
    Body,
    Deciders,
    Entry,
    Env,
    Inst,
    Layer,
    Poison,
    Q,
    Reads,
    Value,
    World,
    what,
)
from capwright.syntax import tree


def compute(ctx: Context, key: Key) -> Value:
    """Answer one question of the demand: a name at the top of a scope, or a field of an instance.

    A formula that reads a field whose own formula is the same one does not call itself: where such
    steps go round in a circle, it is one of fields.
    """
    holder, name = key
    active, ctx.active = ctx.active, {}
    world, ctx.world = ctx.world, None  # a field speaks of what it names, whoever asks for it
    option, ctx.option = ctx.option, holder.top if isinstance(holder, Inst) and holder.option else None
    deciders: Deciders = {}
    reads: Reads = {}
    ctx.deciding.append(deciders)
    ctx.reading.append(reads)
    lacks = ctx.lacks
    ctx.copied.pop(address_of(key), None)  # a question asked anew, deeper down, makes its copies anew
    try:
        value = compute_field(ctx, holder, name) if isinstance(holder, Inst) else _top(ctx, holder, name)
    finally:
        ctx.active = active
        ctx.world = world
        ctx.option = option
        ctx.deciding.pop()
        ctx.reading.pop()
    if value is POISON and ctx.lacks > lacks and isinstance(holder, Inst) and holder.option:
        ctx.lacking.add(key)
    keep(ctx, value, deciders, key)
    remember(ctx, value, reads)
    return value


def _top(ctx: Context, scope: Scope, name: str) -> Value:
    named = scope.values[name]
    address = scope.prefix + name
    env = Env(scope, None, None, None, named.library, None, address)
    statement = named.statement
    if isinstance(statement, tree.Binding | tree.Assume):
        return _value(ctx, address, overridden(ctx, address, statement), env)
    if isinstance(statement, tree.OptionDecl):
        return _option(ctx, scope, name, statement, env)
    if statement.value is not None:
        return _typed_value(ctx, statement, env)
    made = instance(ctx, statement, replace(env, rename=(name, _NOBODY)), address, None, None)
    if isinstance(made, Inst):
        made.layers = (*_reaching(ctx, scope, name), *made.layers)
    return made


_NOBODY: Inst = None  # type: ignore[assignment]  # the layer looks its own instance up


def _value(ctx: Context, address: str, statement: tree.Binding | tree.Assume, env: Env) -> Value:
    return binding.bind(ctx, None, address, statement, env, None, None, None)


def overridden(
    ctx: Context, address: str, statement: tree.Binding | tree.Assume
) -> tree.Binding | tree.Assume:
    """What a name is bound by: the statement, or what `--set` puts in its place."""
    for override in ctx.overrides:
        if ".".join(override.path) == address:
            ctx.used_overrides.add(override.path)
            made = set_statement(statement.path, override)
            return replace(made, type=statement.type, kind=statement.kind)
    return statement


def set_statement(path: tuple[str, ...], override: Override) -> tree.Binding:
    """The binding of `path` that `--set ADDRESS=VALUE` stands for, without the type of what it replaces."""
    value, clauses = override.value, tree.Clauses(because="set on the command line")
    return tree.Binding(value.span, path, override.path_span, "=", value, None, None, True, clauses)


def _typed_value(ctx: Context, statement: tree.Instance, env: Env) -> Value:
    """`TYPE NAME = expression`."""
    assert statement.value is not None
    ref = tree.TypeRef(statement.type_span, statement.type_name)
    slot = ctx.program.slots.read(ref, None, env.scope)
    if slot is None:
        return POISON
    value = value_of(ctx, statement.value, env, slot)
    value = fit(ctx, value, slot, statement.value.span, env, f"`{statement.name}`", naming=True)
    if isinstance(value, Q):
        made = tree.Binding(
            statement.span, (statement.name,), statement.name_span, "=", statement.value, ref, None, False,
            statement.clauses,
        )  # fmt: skip
        return binding.bind(ctx, None, env.target, made, env, slot, None, None)
    value = named_copy(ctx, value, env.target)
    if statement.clauses.confidential:
        return confide(ctx, value, statement.value, f"`{statement.name}`")
    return value


def in_world(ctx: Context, scope: Scope, name: str) -> Value | None:
    """What a name of the plan stands for with an option in its base's place; None where it is the same there.

    What is another number there has an address of its own, `NAME@BASE@OPTION`.
    """
    world, main = ctx.world, ctx.program.main
    if world is None or scope is not main:
        return None
    if name in world.bases:
        return world.option
    if name not in world.may_differ:
        return None
    statement, known = main.values[name].statement, ctx.demand.known[main, name]
    found = world.values.get(name)
    if found is None:
        if name in world.open:  # the base decided otherwise, and went in no circle
            names = list(world.open)
            return on_cycle(ctx, [(main, each) for each in [*names[names.index(name) :], name]])
        world.open[name] = None
        try:
            found = world.values[name] = _again(ctx, world, name, statement, known)
        finally:
            del world.open[name]
    return found


def _again(ctx: Context, world: World, name: str, statement: tree.Statement, known: Value) -> Value:
    main, address = ctx.program.main, option_address(name, world.option.address)
    env = Env(main, None, None, None, False, None, address)
    deciders: Deciders = {}
    reads: Reads = {}
    ctx.deciding.append(deciders)
    ctx.reading.append(reads)
    try:
        if isinstance(statement, tree.Binding | tree.Assume):
            value = _value(ctx, address, overridden(ctx, name, statement), env)
        else:
            assert isinstance(statement, tree.Instance)
            value = _typed_value(ctx, statement, env)
    finally:
        ctx.deciding.pop()
        ctx.reading.pop()
    ours, theirs = ctx.bound.get(address), ctx.bound.get(name)
    if ours is not None and theirs is not None and ours.value.node == theirs.value.node:
        del ctx.bound[address]
        return known
    keep(ctx, value, deciders)
    remember(ctx, value, reads)
    return value


def _reaching(ctx: Context, scope: Scope, name: str) -> tuple[Layer, ...]:
    """The layers that dotted statements and `--set` lay over a named thing, the latter on top."""
    bodies = [*_set_inside(ctx, scope, name), *_said_inside(ctx, scope, name)]
    return tuple(Layer(body, None, None, name, True) for body in bodies)


def _set_inside(ctx: Context, scope: Scope, name: str) -> list[Body]:
    """What `--set` says of a thing's fields."""
    body, address = Body(scope, False), tuple((scope.prefix + name).split("."))
    for override in ctx.overrides:
        if override.path[: len(address)] == address and len(override.path) > len(address):
            path = override.path[len(address) :]
            place(body, path, Entry(set_statement(override.path, override)))
            ctx.used_overrides.add(override.path)
    return [body] if body.entries else []


def _said_inside(ctx: Context, scope: Scope, name: str) -> list[Body]:
    """What dotted statements say of a thing's fields, by the scope they stand in."""
    bodies: dict[Scope, Body] = {}
    seen: dict[tuple[str, ...], Span] = {}
    for extra in scope.extras.get(name, ()):
        statement = extra.statement
        body = bodies.setdefault(extra.scope, Body(extra.scope, extra.library))
        if isinstance(statement, tree.Broken):
            place(body, extra.path[1:], Entry(broken=True))
            continue
        old = seen.setdefault(extra.path, statement.path_span)
        if old is not statement.path_span:
            ctx.report.say(
                "CW0201",
                statement.path_span,
                f"`{'.'.join(statement.path)}` is given twice",
                "remove one of the two",
                Note("the first one", old),
            )
            continue
        place(body, extra.path[1:], Entry(statement))
    return list(bodies.values())


def _option(ctx: Context, scope: Scope, name: str, statement: tree.OptionDecl, env: Env) -> Value:
    """`option NAME of BASE { … }`: a copy at `BASE@NAME`."""
    base = value_of(ctx, statement.base, env)
    if isinstance(base, Poison) or nameless(statement.body):
        return POISON
    if not isinstance(base, Inst):
        return ctx.say(
            "CW0205",
            statement.base.span,
            f"{what(base)} has no options",
            "an option is an option of a named instance",
        )
    if is_too_deep(ctx, base, statement.base.span):
        return POISON
    body = read_body(statement.body, base.entity, scope, False, ctx.report)
    own = Layer(body, None, None, statement.base.name if isinstance(statement.base, tree.Name) else None)
    made = Inst(env.target, base.entity, (*_reaching(ctx, scope, name), own, *base.layers), statement.span)
    made.base = base
    made.option = True
    ctx.instances[made.address] = made
    return made
