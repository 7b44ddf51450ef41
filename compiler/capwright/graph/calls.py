"""Calls: formulas by their family, kernel primitives, and the few functions of the language itself."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from capwright.base.counting import counted
from capwright.base.diagnostic import Note, Spelling
from capwright.check.declared import Family, Overload, Slot
from capwright.check.families import select
from capwright.check.other_sorts import misplaced
from capwright.graph import builtins, primitives
from capwright.graph.called_formula import body
from capwright.graph.context import MAX_NESTING, Called, Context
from capwright.graph.deciding import by_things, keep, remember
from capwright.graph.fitting import admitted, fit
from capwright.graph.stand_ins import stand_in
from capwright.graph.value_of import value_of
from capwright.graph.values import (
    POISON,
    Deciders,
    Env,
    Inst,
    Items,
    Q,
    Reads,
    Truth,
    Value,
)
from capwright.kernel.registry import CONSTRUCTORS, PRIMITIVES
from capwright.syntax import tree


def call(ctx: Context, expr: tree.Call, env: Env, want: Slot | None) -> Value:
    """`f(a, b)`: a formula of the plan or the library first, then the kernel, then the language."""
    family = env.scope.families.get(expr.function)
    if family is not None:
        return _family(ctx, family, expr, env)
    if expr.function in env.scope.lost.names and not env.library:
        return POISON  # whoever declared it, in vain, means no function of the language
    if expr.function in PRIMITIVES or expr.function in CONSTRUCTORS:
        return primitives.call(ctx, expr, env)
    if expr.function in builtins.FUNCTIONS:
        return builtins.call(ctx, expr, env, want)
    if expr.function in ctx.readers:
        return primitives.from_file(ctx, expr)
    if env.scope.unsaid(expr.function):
        return POISON
    known = [*env.scope.families, *PRIMITIVES, *CONSTRUCTORS, *builtins.FUNCTIONS]
    return ctx.say(
        "CW0217",
        expr.function_span,
        misplaced(env.scope, expr.function, "a formula") or f"there is no formula `{expr.function}`",
        Spelling(expr.function, known, missing="formula"),
    )


def _family(ctx: Context, family: Family, expr: tree.Call, env: Env) -> Value:
    if not family.overloads:
        return POISON
    signature = family.signature
    if len(expr.arguments) != len(signature.slots):
        names = ", ".join(p.name for p in signature.decl.parameters)
        return ctx.say(
            "CW0218",
            expr.span,
            f"`{family.name}` takes {counted(len(signature.slots), 'argument')} ({names}), and here are {len(expr.arguments)}",
            "give it each of them",
        )
    arguments = in_order(ctx, expr, signature)
    if arguments is None:
        return POISON
    deciders: Deciders = {}
    ctx.deciding.append(deciders)
    try:
        value = _called(ctx, family, arguments, expr, env)
    finally:
        ctx.deciding.pop()
    if type(value) is Q or type(value) is Truth:
        keep(ctx, value, deciders)
    elif ctx.deciding:
        ctx.deciding[-1].update(deciders)
    return value


def _called(
    ctx: Context, family: Family, arguments: Sequence[tree.Argument], expr: tree.Call, env: Env
) -> Value:
    given: list[Value] = []
    elements, broken = 0, False
    names = env.locals
    for argument, slot in zip(arguments, family.signature.slots, strict=True):
        written = argument.value
        value: Value | None = None
        if names is not None and type(written) is tree.Name and slot.sort != "choice":
            # A parameter or list variable as it is, as most are: without a walk.
            value = names.get(written.name)
        if value is None:
            inner = env if env.strips is slot.whole else replace(env, strips=slot.whole)
            value = value_of(ctx, written, inner, slot)
        else:
            ctx.steps -= 1
        if type(value) is not Inst or slot.entity is None or not value.entity.is_a(slot.entity):
            value = fit(ctx, value, slot, argument.span, env, f"`{family.name}`", naming=env.library)
        if type(value) is Q:
            if slot.whole or slot.low or slot.high is not None:
                place, foreign = f"an argument of `{family.name}`", family.signature.library
                value = admitted(ctx, value, slot, argument.span, place, foreign=foreign)
        elif type(value) is Items:
            elements += len(value.items)
        broken = broken or value is POISON
        given.append(value)
    if broken:
        return POISON
    if elements:
        ctx.charge(elements)
    result = apply(ctx, family, tuple(given), expr)
    if result is POISON and not env.library:
        things = zip(given, arguments, strict=True)
        ctx.handed += [(value, argument.value) for value, argument in things if isinstance(value, Inst)]
    return result


def in_order(ctx: Context, expr: tree.Call, signature: Overload) -> Sequence[tree.Argument] | None:
    """The arguments in the order of the parameters, those by name first; there are as many as parameters."""
    for argument in expr.arguments:
        if argument.name is not None:
            break
    else:
        return expr.arguments
    names = [p.name for p in signature.decl.parameters]
    named: dict[str, tree.Argument] = {}
    for argument in expr.arguments:
        if argument.name is None:
            continue
        if argument.name not in names:
            wrong = f"`{expr.function}` has no parameter `{argument.name}`"
            ctx.say("CW0218", argument.span, wrong, Spelling(argument.name, names))
            return None
        if argument.name in named:
            wrong = f"`{argument.name}` of `{expr.function}` is given twice"
            ctx.say("CW0218", argument.span, wrong, "give each parameter once")
            return None
        named[argument.name] = argument
    rest = iter([a for a in expr.arguments if a.name is None])
    return [named[name] if name in named else next(rest) for name in names]


def apply(ctx: Context, family: Family, given: tuple[Value, ...], expr: tree.Call) -> Value:
    """The value of a formula for arguments that fit. Equal calls are one node."""
    same = ctx.tape.same
    where = None if ctx.world is None or is_of_library(family) else ctx.world
    key = (family, where, *[v if type(v) is Inst else _key(v, same) for v in given])
    known = ctx.calls.get(key) or _without_value(ctx, key)
    if known is None:
        overload = _selected(ctx, family, given)
        for value in given:
            if type(value) is Inst and value.stand_in:
                return stand_in(ctx, family.signature.result, f"{family.name}()")
        if overload is None:
            return _no_overload(ctx, family, given, expr)
        lacks = ctx.lacks
        known = _worked_out(ctx, family, overload, given, expr)
        if known[0] is not POISON:
            ctx.calls[key] = known
        else:
            ctx.calls[ctx.option, key] = known
            if ctx.lacks > lacks:
                ctx.lacking.add((ctx.option, key))
    found, deciders, reads = known
    if ctx.deciding:
        ctx.deciding[-1].update(deciders)
        if reads:  # a thing that a formula found: who called it went through what it went through
            ctx.reading[-1].update(reads)
    return found


def _without_value(ctx: Context, key: tuple[object, ...]) -> Called | None:
    """What is known of a call that has no value here: for another option it may have one, or lack something else."""
    here = (ctx.option, key)
    known = ctx.calls.get(here)
    if known is not None and here in ctx.lacking:
        ctx.lacks += 1
    return known


def is_of_library(family: Family) -> bool:
    """Whether no body is of a plan, which may name what another world has another number for."""
    return all(overload.library for overload in family.overloads)


def _selected(ctx: Context, family: Family, given: tuple[Value, ...]) -> Overload | None:
    chosen = (family, tuple([v.entity if type(v) is Inst else None for v in given]))
    if chosen not in ctx.selected:
        ctx.selected[chosen] = select(*chosen)
    return ctx.selected[chosen]


def _worked_out(
    ctx: Context, family: Family, overload: Overload, given: tuple[Value, ...], expr: tree.Call
) -> Called:
    """What a formula gives for these arguments, what decided that, and the things it went through."""
    deciders: Deciders = {}
    reads: Reads = {}
    ctx.deciding.append(deciders)
    ctx.reading.append(reads)
    try:
        if len(family.overloads) > 1:
            by_things(ctx, [given[at] for at in _choosing(ctx, family)])
        value = _entered(ctx, overload, given, expr)
    finally:
        ctx.deciding.pop()
        ctx.reading.pop()
    if type(value) is Q or type(value) is Truth:
        remember(ctx, value, reads)
        reads = {}
        ctx.given.setdefault(value.node, given)
    ctx.used[overload.decl.span] = overload.decl
    return value, deciders, reads


def _choosing(ctx: Context, family: Family) -> tuple[int, ...]:
    """The places of the parameters that are not of one entity in all bodies: their arguments choose among these.

    A body of another number of parameters disagrees with its family, which is said elsewhere; no call chooses it.
    """
    found = ctx.choosing.get(family)
    if found is None:
        width = len(family.signature.slots)
        written = [o for o in family.overloads if o.decl.body is not None and len(o.slots) == width]
        bodies = [[slot.entity for slot in o.slots] for o in written]
        places = enumerate(zip(*bodies, strict=True))
        found = ctx.choosing[family] = tuple(at for at, entities in places if len({*map(id, entities)}) > 1)
    return found


def _entered(ctx: Context, overload: Overload, given: tuple[Value, ...], expr: tree.Call) -> Value:
    """Expand a formula, unless it is being expanded already or too many are."""
    if id(overload) in ctx.active:
        names = list(ctx.active.values())
        circle = [*names[list(ctx.active).index(id(overload)) :], overload.decl.name]
        return ctx.say(
            "CW0409",
            expr.span,
            "a formula calls itself: " + " → ".join(f"`{n}`" for n in circle),
            "the language has no recursion: write the sum over a list, or a bounded search",
        )
    if len(ctx.active) >= MAX_NESTING:
        return ctx.say(
            "CW0404",
            expr.span,
            f"formulas call each other more than {MAX_NESTING} deep",
            "bind an inner result to a name, and start from there",
        )
    ctx.active[id(overload)] = overload.decl.name
    try:
        return body(ctx, overload, given)
    finally:
        del ctx.active[id(overload)]


def _no_overload(ctx: Context, family: Family, given: tuple[Value, ...], expr: tree.Call) -> Value:
    if family.broken:
        return POISON
    signature = family.signature
    types = [
        v.entity.name if isinstance(v, Inst) else _type(slot)
        for v, slot in zip(given, signature.slots, strict=True)
    ]
    shown = ", ".join(types)
    parents = [
        f"`inherits {family.name} from {e.parent.name}`"
        for v in given
        if isinstance(v, Inst) and (e := v.entity).knowing and e.parent is not None
    ]
    way = f"write `{_head(signature, types)} = …` for it"
    if parents:
        way += f", or say {' or '.join(parents)} in its entity"
    notes = [
        Note(f"there is one for ({', '.join(map(_type, o.slots))})", o.decl.name_span)
        for o in family.overloads
        if o.decl.body is not None
    ]
    written = [o.slots for o in family.overloads if o.decl.body is not None]
    between = frozenset(
        value
        for at, value in enumerate(given)
        if isinstance(value, Inst)
        and any(each[at].entity is not signature.slots[at].entity for each in written)
    )
    ctx.unwritten.setdefault(expr.span, []).append(between)
    ctx.report.say("CW0234", expr.span, f"no `{family.name}` is written for ({shown})", way, *notes[:3])
    return POISON


def _type(slot: Slot) -> str:
    """What a parameter takes, as a formula's head says it."""
    if slot.sort == "quantity" and slot.whole:
        return f"whole {slot.unit}".rstrip()
    return slot.text()


def _head(signature: Overload, types: Sequence[str]) -> str:
    """The head of a formula of a family, with these types of its parameters and the family's own unit and kind."""
    decl, result = signature.decl, signature.result
    names = ", ".join(f"{p.name}: {each}" for p, each in zip(decl.parameters, types, strict=True))
    kind = f" kind {result.kind}" if result.kind else ""
    return f"formula {decl.name}({names}) : {_type(result)}{kind}"


def _key(value: Value, same: list[int]) -> object:
    """What tells one argument from another. Where its literals stand does not: the value is the same."""
    if type(value) is Q:
        return (same[value.node], value.type.lost, value.type.taint)
    if type(value) is Items:
        return tuple([(name, _key(v, same)) for name, v in value.items])
    return value  # an instance itself, not its number: a number may come to stand for another one
