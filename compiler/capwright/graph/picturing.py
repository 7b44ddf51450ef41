"""Pictures: every `view` over the plan's own instances, its operands found."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from msgspec import Struct

from capwright.graph.context import Context
from capwright.graph.making_fields import layer_env
from capwright.graph.value_of import value_of
from capwright.graph.values import Env, Inst, Poison, Q, what
from capwright.syntax import tree

CHARTS: Final = ("waterfall", "bars", "line", "scatter", "ceiling")


class Picture(Struct, frozen=True):
    """One `view`, the address of the instance it is of ("" for the plan), and what it draws."""

    view: tree.View
    owner: str
    operands: tuple[Q, ...]


def pictures(ctx: Context) -> list[Picture]:
    """All pictures, those of instances first. One with an operand that is no quantity is reported and left out."""
    asked = [one for inst in list(ctx.instances.values()) if _own(ctx, inst) for one in _asked(inst)]
    asked += [(view, Env(ctx.program.main), "") for view in ctx.program.orders.views]
    found = (_picture(ctx, view, env, owner) for view, env, owner in asked)
    return [picture for picture in found if picture is not None]


def _asked(inst: Inst) -> Iterator[tuple[tree.View, Env, str]]:
    """The views of an instance, each with where its operands are looked up."""
    for view in inst.entity.views:
        yield view, Env(inst.entity.scope, inst), inst.address
    for layer in inst.layers:
        for view in layer.body.views:
            yield view, layer_env(inst, layer, ""), inst.address


def _own(ctx: Context, inst: Inst) -> bool:
    """Whether an instance belongs to the plan itself, not to its library."""
    if inst.stand_in:
        return False
    named = ctx.program.main.values.get(inst.top.address.partition(".")[0])
    return named is not None and not named.library


def _picture(ctx: Context, view: tree.View, env: Env, owner: str) -> Picture | None:
    if view.chart not in CHARTS:
        ctx.say(
            "CW0512",
            view.span,
            f"there is no chart `{view.chart}`",
            "the charts are " + ", ".join(f"`{chart}`" for chart in CHARTS),
        )
        return None
    operands: list[Q] = []
    for operand in view.operands:
        value = value_of(ctx, operand, env)
        if isinstance(value, Q):
            operands.append(value)
        elif not isinstance(value, Poison):
            ctx.say(
                "CW0302",
                operand.span,
                f"a view draws quantities, and this is {what(value)}",
                "name one; of a mask, the number of its pairs: `pairs(mask, queries, keys)`",
            )
    return Picture(view, owner, tuple(operands)) if len(operands) == len(view.operands) else None
