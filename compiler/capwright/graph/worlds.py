"""What the plan says with an option in the place of its base.

A plan derives numbers from what it has options of, `cost = prod.price * prod.sharding.devices`, and requires things
of them. Each option is asked the same: every name that the base may enter is worked out again, with the option's name
for the base's. What speaks of an option already, as `prod@two.cost <= prod.cost` does, compares the two and is asked of
the plan alone: with an option on both sides it would hold of anything.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Final

from msgspec import Struct

from capwright.base.address import bases_of, is_option_of, option_address
from capwright.graph import toplevel
from capwright.graph.asking import Asked, ask
from capwright.graph.calls import is_of_library
from capwright.graph.context import Context
from capwright.graph.depending import Dependents, User
from capwright.graph.fields import top
from capwright.graph.values import POISON, Inst, World
from capwright.syntax import tree

_A_VERDICT: Final = 8
"""Steps that it takes to judge a requirement of an option, beyond those to find its sides."""


class Answers(Struct, frozen=True):
    """What the plan's requirements ask of an option, by their places: those that may ask something else than of its base,
    with None for one that cannot be asked there."""

    option: str
    asked: dict[int, Asked | None]


def answers(ctx: Context, asked: Sequence[Asked], options: Collection[str] | None = None) -> list[Answers]:
    """What the requirements ask of each option of a named thing of the plan, or of those in `options`, in the order of
    the plan."""
    found: list[Answers] = []
    dependents: Dependents | None = None
    comparing: dict[str, frozenset[User]] = {}
    for option in ctx.program.orders.options:
        if not isinstance(option.base, tree.Name):
            continue
        address = option_address(option.base.name, option.name)
        if options is not None and address not in options:
            continue
        made = top(ctx, ctx.program.main, address)
        if not isinstance(made, Inst):
            continue
        ctx.charge(len(asked))  # each has an answer of the option's, be it that of the base
        if ctx.spent(option.span):
            break
        if dependents is None:
            dependents = _dependents(ctx, asked)
        bases = (option.base.name, *bases_of(option.base.name))
        if bases[-1] not in comparing:
            comparing[bases[-1]] = frozenset(dependents.of(_options_of(ctx, bases[-1])))
        users = [user for user in dependents.of(bases) if user not in comparing[bases[-1]]]
        found.append(_of_option(ctx, asked, users, bases, made))
    return found


def _of_option(
    ctx: Context, asked: Sequence[Asked], users: Sequence[User], bases: tuple[str, ...], option: Inst
) -> Answers:
    """What is wrong with the base too has been said and is said once; what only an option meets is the plan's mistake."""
    world = World(bases, option, frozenset(user for user in users if isinstance(user, str)))
    found: dict[int, Asked | None] = {}
    ctx.world, ctx.option = world, option
    try:
        for user in users:
            if isinstance(user, str):
                toplevel.in_world(ctx, ctx.program.main, user)
            else:
                ctx.steps -= _A_VERDICT
                found[user] = ask(ctx, asked[user].statement)
    finally:
        ctx.world, ctx.option = None, None
    return Answers(option.address, found)


def _options_of(ctx: Context, base: str) -> tuple[str, ...]:
    """The addresses of all options of a thing, and of their options."""
    written = ctx.program.orders.options
    names = [
        option_address(each.base.name, each.name) for each in written if isinstance(each.base, tree.Name)
    ]
    return tuple(name for name in names if is_option_of(name, base))


def _dependents(ctx: Context, asked: Sequence[Asked]) -> Dependents:
    """Who leans on whom of the plan's names that have a value of their own, and of its requirements.

    The names are in the order in which the base's were answered, each after all that it needs: no chain is too long
    for that. What has no value for the base has none for an option.
    """
    main, found = ctx.program.main, Dependents()
    for (holder, name), value in ctx.demand.known.items():
        if holder is main and value is not POISON and not main.values[name].library:
            statement = main.values[name].statement
            if isinstance(statement, tree.Binding | tree.Assume):
                found.add(name, toplevel.overridden(ctx, name, statement))
            elif isinstance(statement, tree.Instance) and statement.value is not None:
                found.add(name, statement.value)
    for number, each in enumerate(asked):
        found.add(number, each.condition)
    for scope in {id(scope): scope for _, scope, _ in ctx.program.formulas}.values():
        for family in scope.families.values():
            if not is_of_library(family):
                for overload in family.overloads:
                    found.add_formula(family.name, overload.decl.body)
    return found
