"""What a part of the tape comes to, while the rest is still being written.

Counts that shape a list, and conditions made of static numbers, are needed during expansion. Every node is
computed once, however often it is asked for.
"""

from __future__ import annotations

from collections.abc import Set as AbstractSet

from capwright.base.exact import Number
from capwright.base.interval import Range, Value
from capwright.graph.context import Context
from capwright.graph.evaluate import Machine
from capwright.graph.kernel_value import KernelWithin
from capwright.graph.tape import arguments, confidential_nodes, is_confidential, leaned_on


def exact(ctx: Context, node: int) -> Number | None:
    """The one exact value of a node, or None where it has none (an interval, or a fault), or derives from a confidential
    number: the shape of a plan may not tell it either."""
    value = value_so_far(ctx, node)
    return None if value is None or isinstance(value, Range) or node in ctx.withheld else value


def value_so_far(ctx: Context, node: int) -> Value | None:
    """The value of a node, confidential or not, or None where it has none. It may shape nothing."""
    machine = ctx.machine
    if machine is None:
        machine = ctx.machine = Machine(ctx.tape, KernelWithin(ctx.tape))
    if node not in ctx.computed:
        machine.values.extend([None] * (len(ctx.tape) - len(machine.values)))
        machine.run(_cone(ctx, node))
    return machine.values[node]


def _cone(ctx: Context, node: int) -> list[int]:
    """The nodes below `node` that were not computed yet, in tape order."""
    found: set[int] = set()
    stack = [node]
    while stack:
        current = stack.pop()
        if current < 0 or current in ctx.computed or current in found:
            continue
        found.add(current)
        stack.extend(arguments(ctx.tape, current))
    ctx.computed |= found
    nodes = sorted(found)
    for each in nodes:
        if _is_withheld(ctx, each, ctx.withheld):
            ctx.withheld.add(each)
    return nodes


def withheld_nodes(ctx: Context) -> frozenset[int]:
    """The nodes whose values others may not be told, of the whole tape: the confidential ones, what derives from one, and
    what is read with a measurement that counts, or does not, by one."""
    if not confidential_nodes(ctx.tape):
        return frozenset()
    found = set(ctx.withheld)
    for node in range(len(ctx.tape)):
        if _is_withheld(ctx, node, found):
            found.add(node)
    return frozenset(found)


def _is_withheld(ctx: Context, node: int, below: AbstractSet[int]) -> bool:
    return is_confidential(ctx.tape, node) or not below.isdisjoint(leaned_on(ctx.tape, node))
