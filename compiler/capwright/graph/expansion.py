"""Expansion: the checked program to a tape, with every named quantity, requirement and section found."""

from __future__ import annotations

import gc
import sys
from collections.abc import Collection, Mapping
from collections.abc import Set as AbstractSet
from typing import Final

from msgspec import Struct, field
from msgspec.structs import replace

from capwright.base.diagnostic import near_or
from capwright.base.source import Source, Span
from capwright.check.program import Program
from capwright.check.report import Report
from capwright.graph import called_formula, lacking, measuring, toplevel
from capwright.graph.asking import Asked, Section, ask, at, sections
from capwright.graph.circles import on_cycle
from capwright.graph.context import NODES_A_STATEMENT, STEPS_A_STATEMENT, Context, Override
from capwright.graph.expressions import WALKERS
from capwright.graph.fields import top
from capwright.graph.missing import tell_missing
from capwright.graph.picturing import Picture, pictures
from capwright.graph.value_of import value_of
from capwright.graph.values import POISON, Deciders, Env, Inst, Items, Layer, Poison, Truth, Value
from capwright.graph.worlds import Answers, answers
from capwright.syntax import tree
from capwright.syntax.tree import Module

DEEPEST: Final = 100_000
"""Frames that expansion may take: 40 open names, each 64 formulas deep, each of a bounded expression."""


class Condition(Struct, frozen=True):
    """A `check` that is not met, or that depends on quantities: then it is decided when they are evaluated.

    `node` is None for one that is not met whatever they are; `env` is where its names are looked up, and `deciders`
    are what was asked on the way.
    """

    node: int | None
    check: tree.Check
    inst: Inst
    env: Env
    deciders: Deciders


class Expansion(Struct):
    """Everything that evaluation and the document need."""

    ctx: Context
    conditions: list[Condition] = field(default_factory=list)
    settled: dict[tuple[Inst, Span], tuple[int | None, Deciders]] = field(default_factory=dict)
    """What each check of each instance goes by, met or not: its node where it has one, and what was asked on the way."""
    asked: list[Asked] = field(default_factory=list)
    answers: list[Answers] = field(default_factory=list)
    sections: list[Section] = field(default_factory=list)
    pictures: list[Picture] = field(default_factory=list)
    measures: list[measuring.Measured] = field(default_factory=list)
    evidence: list[measuring.Shown] = field(default_factory=list)


def expand(
    program: Program,
    report: Report,
    sources: Mapping[str, Source],
    imports: Mapping[tuple[str, ...], Module],
    lengths: Mapping[tuple[str, ...], object],
    overrides: tuple[Override, ...] = (),
    *,
    readers: AbstractSet[str] = frozenset(),
    statements: int = 0,
    verify_library: bool = False,
    options: Collection[str] | None = None,
) -> Expansion:
    """Expand the plan. Mistakes are in `report`; what they leave is missing, the rest stands.

    `statements` is how many the plan's files have: a long plan may cost more than a short one. With `options`, of the
    plan's options only these, by address, are gone through.
    """
    ctx = Context(program, report, sources, imports, lengths, WALKERS, readers, overrides)
    ctx.nodes += NODES_A_STATEMENT * statements
    ctx.steps += STEPS_A_STATEMENT * statements
    ctx.start(toplevel.compute, on_cycle)
    result = Expansion(ctx)
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(max(limit, DEEPEST))
    collecting = gc.isenabled()
    gc.disable()  # the graph only grows: collection would walk all of it again and again
    try:
        result.measures = measuring.prepare(ctx)
        _everything(ctx, options)
        result.asked = [a for r in program.orders.requirements if (a := ask(ctx, r)) is not None]
        result.sections = sections(ctx)
        result.pictures = pictures(ctx)
        _moved(ctx)
        result.evidence = measuring.evidence(ctx)
        result.answers = answers(ctx, result.asked, options)
        _conditions(ctx, result)
        lacking.tell(ctx)
        _overrides(ctx)
        _uncalled(ctx, verify_library)
        tell_missing(ctx)
    finally:
        sys.setrecursionlimit(limit)
        if collecting:
            gc.enable()
    return result


def _everything(ctx: Context, options: Collection[str] | None) -> None:
    """Ask for every quantity of the plan: of its own things and of all their parts."""
    for name, named in ctx.program.main.values.items():
        unasked = options is not None and isinstance(named.statement, tree.OptionDecl) and name not in options
        if not named.library and not unasked:
            _whole(ctx, top(ctx, ctx.program.main, name))


def _whole(ctx: Context, value: Value) -> None:
    stack: list[Value] = [value]
    while stack:
        current = stack.pop()
        if isinstance(current, Items):
            stack.extend(v for _, v in reversed(current.items) if isinstance(v, Inst))
        if not isinstance(current, Inst):
            continue
        inner: list[Value] = []
        for name in names_of(current):
            part = ctx.demand.get((current, name))
            if belongs(part, current):
                inner.append(part)
        stack.extend(reversed(inner))


def names_of(inst: Inst) -> list[str]:
    """The names of all fields and blocks of an instance, declared ones first, in their order."""
    names = dict(inst.entity.order)
    for layer in reversed(inst.layers):
        for name in layer.body.entries:
            names.setdefault(name)
    return list(names)


def belongs(part: Value, inst: Inst) -> bool:
    """Whether a field's value is a part of the instance, and not a thing of its own that it refers to."""
    if isinstance(part, Items):
        return bool(part.items) and belongs(part.items[0][1], inst)
    return isinstance(part, Inst) and part.address.startswith(inst.address + ".")


def by_top_name(ctx: Context) -> dict[str, list[str]]:
    """The addresses of all quantities by the named thing they belong to."""
    found: dict[str, list[str]] = {}
    for address in ctx.bound:
        found.setdefault(address.partition(".")[0], []).append(address)
    return found


def _conditions(ctx: Context, result: Expansion) -> None:
    """Every `check` of every instance that the plan made or uses."""
    seen: set[Inst] = set()
    while waiting := [inst for inst in ctx.instances.values() if inst not in seen]:
        seen.update(waiting)
        for inst in waiting:
            _checked(ctx, result, inst)


def _checked(ctx: Context, result: Expansion, inst: Inst) -> None:
    for check, scope, library in inst.entity.checks:
        _condition(ctx, result, inst, check, Env(scope, inst, None, None, library))
    for layer in inst.layers:
        for own in layer.body.checks:
            _condition(ctx, result, inst, own, _around(inst, layer))


def _around(inst: Inst, layer: Layer) -> Env:
    return Env(layer.body.scope, layer.owner or inst, layer.outer, None, layer.body.library)


def _condition(ctx: Context, result: Expansion, inst: Inst, check: tree.Check, around: Env) -> None:
    env = replace(around, strips=True)
    deciders: Deciders = {}
    ctx.deciding.append(deciders)
    ctx.reading.append({})
    try:
        value = value_of(ctx, check.condition, env)
    finally:
        ctx.deciding.pop()
        ctx.reading.pop()
    if isinstance(value, Poison):
        return
    result.settled[inst, check.span] = (value.node if isinstance(value, Truth) else None, deciders)
    if isinstance(value, Truth):
        result.conditions.append(Condition(value.node, check, inst, env, deciders))
    elif value is False:
        result.conditions.append(Condition(None, check, inst, env, deciders))
    elif value is not True:
        ctx.say("CW0302", check.condition.span, "a check is a condition", "write a comparison")


def _overrides(ctx: Context) -> None:
    for override in ctx.overrides:
        if override.path not in ctx.used_overrides and not _lost(ctx, override.path[0]):
            ctx.say(
                "CW0203",
                override.path_span,
                f"there is nothing at `{'.'.join(override.path)}` to set",
                _settable(ctx, ".".join(override.path)),
            )


def _settable(ctx: Context, said: str) -> str:
    """The addresses that one which is none may stand for, those that the plan itself gives a value first."""
    known = [one for one in ctx.bound.values() if "#" not in one.address and not one.inside]
    all_of_them = near_or(said, [one.address for one in known], "use an address that `capwright show` prints")
    return near_or(said, [one.address for one in known if not one.library], all_of_them)


def _lost(ctx: Context, name: str) -> bool:
    """Whether nothing can be set in a named thing because of a mistake in it."""
    main = ctx.program.main
    return (name in main.lost and name not in main.values) or ctx.demand.known.get((main, name)) is POISON


def _moved(ctx: Context) -> None:
    """What was moved must be somewhere, and somewhere else; nothing was moved twice."""
    seen: set[tuple[str, ...]] = set()
    for moved in ctx.program.orders.moved:
        old = ".".join(moved.old)
        if moved.old == moved.new:
            ctx.say("CW0244", moved.span, f"`{old}` has the name that it had", "delete this line")
        elif moved.old in seen:
            ctx.say(
                "CW0244",
                moved.span,
                f"another line says already what has become of `{old}`",
                "leave the one that is right",
            )
        else:
            at(ctx, moved.new, moved.span)
        seen.add(moved.old)


def _uncalled(ctx: Context, verify_library: bool) -> None:
    """Check the formulas that nothing called, and those that were called for their other uses."""
    for scope in {id(s): s for _, s, _ in ctx.program.formulas}.values():
        for family in scope.families.values():
            for overload in family.overloads:
                if overload.decl.body is None or (overload.library and not verify_library):
                    continue
                called_formula.verify(ctx, overload)
