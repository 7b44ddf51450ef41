"""Faults of the tape as messages: at their own place, or at the value of a plan that a call elsewhere cannot take."""

from __future__ import annotations

from capwright.base.diagnostic import Note
from capwright.base.source import Span
from capwright.graph.context import Context
from capwright.graph.faults import Fault
from capwright.graph.needed import needed_nodes
from capwright.graph.tape import KernelCall


def tell(ctx: Context, fault: Fault) -> None:
    """Report a fault. A value of the kernel that was built in another file than the call that refuses it is what a reader
    is to change."""
    asked = ctx.tape.spans[fault.node]
    built = _built(ctx, fault.node)
    if built is None or built.file == asked.file:
        ctx.report.say(fault.code, asked, fault.message, fault.help)
    else:
        ctx.report.say(fault.code, built, fault.message, fault.help, Note("it is asked for here", asked))


def faulted(ctx: Context, node: int) -> bool:
    """Whether a node that is to decide something has no value for a fault below it, which is then kept to be told."""
    if ctx.machine is None or not ctx.machine.faults:
        return False
    below = needed_nodes(ctx.tape, ctx.machine.values, [node])
    found = [fault for fault in ctx.machine.faults if fault.node in below]
    ctx.faulted += found
    return bool(found)


def _built(ctx: Context, node: int) -> Span | None:
    """Where the first value of the kernel that a call takes was written."""
    data = ctx.tape.data[node]
    if not isinstance(data, KernelCall):
        return None
    return next((ctx.built[id(each)][1] for each in data.static if id(each) in ctx.built), None)
