"""The named uncertainties of a plan, for the document."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from capwright.base.interval import as_range
from capwright.base.source import Span
from capwright.document.naming import Names
from capwright.document.plandoc import Quantity, SourceDoc
from capwright.document.quantities import end, line_of, unit_text
from capwright.graph.context import Context
from capwright.graph.evaluation import Evaluation
from capwright.graph.tape import BindInfo, CallInfo, SourceInfo, confidential_nodes

SORTS: dict[str, Literal["assume", "bound", "estimate"]] = {
    "assume": "assume",
    ">=": "bound",
    "<=": "bound",
    "~": "estimate",
}


def source_addresses(ctx: Context, names: Names) -> dict[str, str]:
    """The address of each source by its id on the tape: that of the binding that holds it.

    A confidential copy shares its sources with what it copies, and does not lend them its name; nor does what lies in
    another file, behind `as`, while the plan has one of its own.
    """
    found: dict[str, str] = {}
    tape = ctx.tape
    secret, files = confidential_nodes(tape), ctx.program.main.spaces

    def apart(named: tuple[str, int]) -> tuple[bool, bool]:
        return named[1] in secret, named[0].partition(".")[0] in files

    for address, node in sorted(names.node_of.items(), key=apart):
        data = tape.data[node]
        if isinstance(data, BindInfo | CallInfo) and data.source is not None:
            found.setdefault(data.source.id, address)
        held = tape.data[tape.args[node][0]] if tape.args[node] else None
        if isinstance(data, BindInfo) and isinstance(held, SourceInfo):
            found.setdefault(held.id, address)
    return found


def source_docs(
    ctx: Context,
    evaluation: Evaluation,
    names: Names,
    addresses: dict[str, str],
    quantities: tuple[Quantity, ...],
    place: Callable[[Span], str],
) -> tuple[SourceDoc, ...]:
    """Every source that some quantity leans on or that the plan states, by address."""
    users: dict[str, list[str]] = {}
    for quantity in quantities:
        for leaned in quantity.sources:
            users.setdefault(leaned, []).append(quantity.address)
    docs: list[SourceDoc] = []
    for address in sorted(set(addresses.values())):
        node = names.node_of[address]
        info = _info(ctx, node)
        value = evaluation.values[node]
        if info is None or value is None:
            continue
        held = as_range(value)
        source = ctx.sources.get(info.span.file)
        bound = names.bound.get(address)
        data = ctx.tape.data[node]
        unit = data.unit if isinstance(data, BindInfo | CallInfo) else ""
        docs.append(
            SourceDoc(
                address,
                SORTS[info.relation],
                end(held.low),
                end(held.nominal),
                end(held.high),
                unit_text(ctx.program.units, unit, dict(ctx.tape.dims[node].powers)),
                info.because or "",
                info.review,
                place(info.span),
                line_of(source, info.span) if source is not None else "",
                tuple(users.get(address, ())),
                bound.replaced if bound is not None else None,
            )
        )
    return tuple(docs)


def _info(ctx: Context, node: int) -> SourceInfo | None:
    data = ctx.tape.data[node]
    if isinstance(data, BindInfo | CallInfo) and data.source is not None:
        return data.source
    held = ctx.tape.data[ctx.tape.args[node][0]]
    return held if isinstance(held, SourceInfo) else None
