"""Quantities near one that cannot be compared, of kinds that can, and about the same as far as the plan tells."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from collections.abc import Set as AbstractSet
from typing import Final

from capwright.graph.context import Context, Key
from capwright.graph.value_of import value_of
from capwright.graph.values import Env, Inst, Q
from capwright.graph.verdicts import all_below
from capwright.syntax import tree

_TOLD: Final = 4
_MOST_WALKED: Final = 1_000_000
"""Nodes that all mistakes of a plan may walk over; those after that are told without what stands beside them."""


def beside(ctx: Context, side: tree.Expr, wanted: Collection[str], env: Env, other: str) -> tuple[str, ...]:
    """What may be compared in the place of `side`: siblings, else quantities of the thing around, of one of the `wanted`
    kinds, as they would be written; never the `other` side.

    Those that are made of the number that was asked for, or that it is made of. Where none is, those that go through all
    things of their holder that it goes through: what leaves one of them out is about something else.
    """
    if not isinstance(side, tree.Attribute):
        return ()
    home, asked = value_of(ctx, side.base, env), value_of(ctx, side, env)
    prefix = ctx.text(side.base.span)
    if not isinstance(home, Inst) or not isinstance(asked, Q):
        return ()
    for holder, path in ((home, prefix), (home.parent, prefix.rpartition(".")[0])):
        if holder is not None and path:
            near = {f"{path}.{name}": value for name, value in _of_kind(ctx, holder, wanted, side.name)}
            near.pop(other, None)
            if found := _about_the_same(ctx, near, asked, home):
                return found
    return ()


def listed(names: tuple[str, ...]) -> str:
    """`a`, `b` or `c`; of many the first."""
    told = [f"`{name}`" for name in names[:_TOLD]]
    if len(names) > _TOLD:
        return f"{', '.join(told)}, …"
    return " or ".join([", ".join(told[:-1]), told[-1]] if told[1:] else told)


def _about_the_same(ctx: Context, near: dict[str, Q], asked: Q, home: Inst) -> tuple[str, ...]:
    below = _below(ctx, asked)
    within = {name: _below(ctx, value) for name, value in near.items()}
    if any(not nodes for nodes in (below, *within.values())):
        return ()
    related = tuple(name for name, value in near.items() if value.node in below or asked.node in within[name])
    if related:
        return related
    things = _things(ctx, below, home)
    return tuple(name for name in near if things <= _things(ctx, within[name], home))


def _below(ctx: Context, value: Q) -> AbstractSet[int]:
    """What a quantity is made of, itself among it; nothing where mistakes have walked over too much already."""
    if ctx.walked > _MOST_WALKED:
        return frozenset()
    found = all_below(ctx.tape, value.node)
    ctx.walked += len(found)
    return found


def _things(ctx: Context, nodes: Collection[int], home: Inst) -> set[Key]:
    """The fields that hold things, of an instance and of those around it, which some numbers go through."""
    around: set[object] = set()
    holder: Inst | None = home
    while holder is not None:
        around.add(holder)
        holder = holder.home or holder.parent
    return {key for node in nodes for key in ctx.read_nodes.get(node, ()) if key[0] in around}


def _of_kind(ctx: Context, holder: Inst, wanted: Collection[str], after: str) -> Iterator[tuple[str, Q]]:
    """The fields of one of the wanted kinds that have a value by now, in declared order from the one called `after` on, and
    then those of blocks."""
    known = ctx.demand.known
    names = list(holder.entity.fields)
    start = names.index(after) if after in names else 0
    for name in names[start:] + names[:start]:
        value = known.get((holder, name))
        if holder.entity.fields[name].slot.kind in wanted and isinstance(value, Q):
            yield name, value
    for block, entity in holder.entity.blocks.items():
        part = known.get((holder, block))
        for name, field in entity.fields.items():
            value = known.get((part, name)) if isinstance(part, Inst) else None
            if field.slot.kind in wanted and isinstance(value, Q):
                yield f"{block}.{name}", value
