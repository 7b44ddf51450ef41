"""Measurements that nothing reads, while the same number is read elsewhere as it is derived."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Final

from capwright.document.naming import Names
from capwright.graph.context import Bound, Context
from capwright.graph.measuring import Measured
from capwright.graph.tape import BindInfo, Tape, leaned_on
from capwright.graph.values import Inst

_SHOWN: Final = 3


def warn_of_unread(ctx: Context, names: Names, counted: Collection[Measured], asked: Collection[int]) -> None:
    """Tell of every measurement that counts and narrows nothing: no number and no verdict reads it, and some read the same
    number of an option of what has it, or of a copy. `asked` are the nodes that the plan asks of."""
    if not counted:
        return
    tape = ctx.tape
    nodes = range(len(tape))
    read = {arg for node in nodes for arg in leaned_on(tape, node)}.union(asked)
    narrowed = {tape.args[node][1] for node in nodes if tape.ops[node] == "effective" and node in read}
    alike: dict[object, list[int]] | None = None
    for measured in counted:
        if measured.leaf in narrowed:
            continue
        if alike is None:
            alike = _alike(tape, read & names.of_node.keys())
        held = ctx.bound[measured.of]
        derived = held.value.node
        others = [node for node in alike.get(_declaration(tape, derived), ()) if node != derived]
        told = sorted(names.of_node[node] for node in others if _is_copied(ctx, names, node, held))
        if told:
            more = ", …" if len(told) > _SHOWN else ""
            ctx.report.say(
                "CW0513",
                measured.statement.path_span,
                f"no formula and no requirement reads `{measured.of}`, so this measurement narrows nothing: the same number is "
                f"read as `{'`, `'.join(told[:_SHOWN])}`{more}, where it was not measured",
                "measure it there, or say what was measured where it is given: `assume … in … from measure NAME`",
                severity="hint",
            )


def _alike(tape: Tape, nodes: Iterable[int]) -> dict[object, list[int]]:
    """Numbers that are not measured, by what makes them."""
    found: dict[object, list[int]] = {}
    for node in nodes:
        data = tape.data[node]
        if isinstance(data, BindInfo) and not data.measured:
            found.setdefault(_declaration(tape, node), []).append(node)
    return found


def _declaration(tape: Tape, node: int) -> object:
    """Where a number is declared, and of what it is made; None for what has no declaration."""
    data = tape.data[node]
    return (data.site, tape.args[node]) if isinstance(data, BindInfo) else None


def _is_copied(ctx: Context, names: Names, node: int, held: Bound) -> bool:
    """Whether one of the things that share a number is a copy or an option of what has another, or that of it, or both are of
    a third: things that somebody gave the same are not."""
    own = names.of_node[node]
    return any(
        _original(ctx.bound[name].holder) == _original(held.holder)
        for name in (own, *names.aliases.get(own, ()))
        if name in ctx.bound
    )


def _original(inst: Inst | None) -> tuple[str, ...]:
    """What a thing goes back to through copies and options, and where in that it lies; nothing for the plan itself."""
    if inst is None:
        return ()
    if inst.base is not None:
        return _original(inst.base)
    around = inst.home or inst.parent
    return (inst.address,) if around is None else (*_original(around), inst.address[len(around.address) :])
