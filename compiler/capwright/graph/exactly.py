"""What a part of the tape comes to, while the rest is still being written.

Counts that shape a list, and conditions made of static numbers, are needed during expansion. Every node is
computed once, however often it is asked for.
"""

from __future__ import annotations

from capwright.base.exact import Number
from capwright.base.interval import Range, Value
from capwright.graph.context import Context
from capwright.graph.evaluate import Machine
from capwright.graph.kernel_value import kernel_value
from capwright.graph.tape import arguments, is_confidential


def exact(ctx: Context, node: int) -> Number | None:
    """The one exact value of a node, or None where it has none (an interval, or a fault), or derives from a confidential
    number: the shape of a plan may not tell it either."""
    value = value_so_far(ctx, node)
    return None if value is None or isinstance(value, Range) or node in ctx.withheld else value


def value_so_far(ctx: Context, node: int) -> Value | None:
    """The value of a node, confidential or not, or None where it has none. It may shape nothing."""
    machine = ctx.machine
    if machine is None:
        machine = ctx.machine = Machine(ctx.tape, kernel_value)
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
        if is_confidential(ctx.tape, each) or not ctx.withheld.isdisjoint(arguments(ctx.tape, each)):
            ctx.withheld.add(each)
    return nodes
