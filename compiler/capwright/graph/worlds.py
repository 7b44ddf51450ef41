"""What the plan says with an option in the place of its base.

A plan derives numbers from what it has options of, `cost = prod.price * prod.sharding.devices`, and requires things
of them. Each option is asked the same: every such name is worked out again, with the option's name for the base's.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from capwright.base.address import bases_of, option_address
from capwright.graph import toplevel
from capwright.graph.asking import Asked, ask
from capwright.graph.context import Context
from capwright.graph.fields import top
from capwright.graph.values import Inst, World
from capwright.syntax import tree


def worlds(ctx: Context, options: Collection[str] | None = None) -> list[World]:
    """One world for each option of a named thing of the plan, or of those in `options`, in the order of the plan."""
    found: list[World] = []
    for option in ctx.program.orders.options:
        if isinstance(option.base, tree.Name):
            address = option_address(option.base.name, option.name)
            if options is not None and address not in options:
                continue
            made = top(ctx, ctx.program.main, address)
            if isinstance(made, Inst):
                found.append(World((option.base.name, *bases_of(option.base.name)), made))
    return found


def answers(ctx: Context, world: World, asked: Iterable[Asked]) -> list[Asked | None]:
    """What the plan's requirements ask in a world, in their order; None for one that cannot be asked there.

    What is wrong with the base too has been said and is said once; what only an option meets is the plan's mistake.
    """
    main = ctx.program.main
    # In the order in which the base's were answered, each after all that it needs: no chain is too long for that.
    names = [name for holder, name in ctx.demand.known if holder is main]
    ctx.world, ctx.option = world, world.option
    try:
        for name in names:
            toplevel.in_world(ctx, main, name)
        return [ask(ctx, each.statement) for each in asked]
    finally:
        ctx.world, ctx.option = None, None
