"""What decided the shape of a formula while it was expanded.

An `if` that is decided here, a sum over a list, a formula chosen by the variant of its argument leave nothing of
their conditions on the tape. So that a comparison of two plans can say which declaration made a formula another
one, each binding and each call remembers what was asked on the way to it: fields that hold no quantity, numbers
whose exact value was needed, and things that a formula was chosen by. A field that holds a thing decides nothing by
itself, and leaves no more on the tape than what was read of the thing: each remembers which it went through.
"""

from __future__ import annotations

from collections.abc import Iterable

from msgspec.structs import replace

from capwright.base import interval
from capwright.base.exact import Number
from capwright.check.declared import Scope
from capwright.graph.context import Context
from capwright.graph.exactly import exact, value_so_far
from capwright.graph.values import Deciders, Inst, Poison, Q, Reads, Truth, Value


def read(ctx: Context, key: tuple[Inst | Scope, str]) -> Value:
    """The value of a name or field. One that is no quantity has a part in the shape of what is being expanded."""
    value = ctx.demand.get(key)
    if ctx.deciding and type(value) is not Q:
        frame = ctx.deciding[-1]
        if type(value) is Inst:
            ctx.reading[-1][key] = None
        elif type(value) not in _SEEN_IN_THE_FORMULA:
            frame[key] = None
        chosen = ctx.decided_fields.get(key)
        if chosen is not None:
            frame.update(chosen)
    return value


_SEEN_IN_THE_FORMULA = (Truth, Poison)
"""What a formula goes on to refer to, as to a quantity, or nothing at all."""


def decided(ctx: Context, node: int, taint: frozenset[str] = frozenset()) -> Number | None:
    """The exact value of a node that decides something, or None where it has none. `taint` is that of its type."""
    if ctx.deciding:
        ctx.deciding[-1][node] = None
        if taint:
            ctx.tainted[node] = ctx.tainted.get(node, frozenset()) | taint
    return exact(ctx, node)


def compared(ctx: Context, node: int) -> interval.Value | None:
    """The value, confidential or not, of a node that something stated is compared with, or None where it has none."""
    if ctx.deciding:
        ctx.deciding[-1][node] = None
    return value_so_far(ctx, node)


def tainted(ctx: Context, value: Value) -> Value:
    """The value that was found, with the kinds that refuse a purpose of all that decided its formula."""
    if not ctx.tainted or not ctx.deciding:
        return value
    taint = frozenset[str]().union(*(ctx.tainted.get(each, ()) for each in numbers(ctx)))
    if taint and isinstance(value, Q):
        return replace(value, type=replace(value.type, taint=value.type.taint | taint, literal=False))
    return replace(value, taint=value.taint | taint) if taint and isinstance(value, Truth) else value


def numbers(ctx: Context) -> tuple[int, ...]:
    """The numbers that have decided what is being expanded so far."""
    if not ctx.deciding or not (frame := ctx.deciding[-1]):
        return ()
    return tuple(sorted([each for each in frame if type(each) is int]))


def by_things(ctx: Context, values: Iterable[Value]) -> None:
    """Things whose variants decide: the arguments of a formula that has several bodies, both sides of `==`, of `is`."""
    if not ctx.deciding:
        return
    frame = ctx.deciding[-1]
    for value in values:
        thing = value if type(value) is Inst else None
        while thing is not None and thing not in frame:  # a copy is of the variant of what it copies
            frame[thing] = None
            thing = thing.base


def remember(ctx: Context, value: Value, reads: Reads) -> None:
    """Remember with its node what a number was found through."""
    if reads and (type(value) is Q or type(value) is Truth):
        ctx.read_nodes.setdefault(_derived(ctx, value.node), {}).update(reads)


def keep(ctx: Context, value: Value, deciders: Deciders, key: tuple[Inst | Scope, str] | None = None) -> None:
    """Remember what decided a value: with its node, or with the field that holds it."""
    if not deciders:
        return
    if type(value) is Q or type(value) is Truth:
        ctx.decided_nodes.setdefault(_derived(ctx, value.node), {}).update(deciders)
    elif key is not None:
        ctx.decided_fields[key] = deciders


def _derived(ctx: Context, node: int) -> int:
    """The node whose formula it is: of a quantity that is read with a measurement, what is derived."""
    return ctx.tape.args[node][0] if ctx.tape.ops[node] == "effective" else node
