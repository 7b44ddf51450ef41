"""Measurements that nothing reads, while the same number is read elsewhere as it is derived."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from capwright.document.naming import Names
from capwright.graph.context import Context
from capwright.graph.measuring import Measured
from capwright.graph.tape import BindInfo, Tape, leaned_on

_SHOWN: Final = 3


def warn_of_unread(ctx: Context, names: Names, counted: Collection[Measured], asked: Collection[int]) -> None:
    """Tell of every measurement that counts and narrows nothing: no number and no verdict reads it, and some read what has the
    same declaration and the same sources, as an option has it, or a copy elsewhere. `asked` are the nodes that the plan asks of."""
    if not counted:
        return
    tape = ctx.tape
    nodes = range(len(tape))
    read = {arg for node in nodes for arg in leaned_on(tape, node)}.union(asked)
    narrowed = {tape.args[node][1] for node in nodes if tape.ops[node] == "effective" and node in read}
    for measured in counted:
        if measured.leaf in narrowed:
            continue
        derived = ctx.bound[measured.of].value.node
        alike = (
            names.of_node[node] for node in read & names.of_node.keys() if _is_alike(tape, node, derived)
        )
        told = sorted(alike)
        if told:
            more = ", …" if len(told) > _SHOWN else ""
            ctx.report.say(
                "CW0513",
                measured.statement.path_span,
                f"nothing reads `{measured.of}`, so this measurement narrows nothing: what the plan asks reads the same number as "
                f"`{'`, `'.join(told[:_SHOWN])}`{more}, where it was not measured",
                "measure it there, or say what was measured where it is given: `assume … in … from measure NAME`",
                severity="hint",
            )


def _is_alike(tape: Tape, node: int, derived: int) -> bool:
    """Whether a number that is not measured is made as another is, of the same."""
    one, other = tape.data[node], tape.data[derived]
    return (
        node != derived
        and isinstance(one, BindInfo)
        and isinstance(other, BindInfo)
        and not one.measured
        and one.site == other.site
        and tape.args[node] == tape.args[derived]
    )
