"""A derived quantity whose interval reaches over its declared domain and is cut there."""

from __future__ import annotations

from capwright.base import ends
from capwright.base.interval import Range, ends_of
from capwright.graph.context import Context
from capwright.graph.evaluate import Evaluation
from capwright.graph.faults import spelled
from capwright.graph.relations import declared_domain
from capwright.graph.tape import BindInfo
from capwright.graph.tighten import tighten


def warn_of_cut_domains(ctx: Context, evaluation: Evaluation) -> None:
    """Warn of every quantity that what it leans on may carry out of its domain: what is cut off is not impossible."""
    for bound in ctx.bound.values():
        node = bound.value.node
        if ctx.tape.ops[node] == "effective":
            node = ctx.tape.args[node][0]
        info = ctx.tape.data[node]
        root = ctx.tape.args[node][0]
        if not isinstance(info, BindInfo) or info.relation != "=" or ctx.tape.ops[root] == "source":
            continue
        domain = declared_domain(info)
        if domain is None or not isinstance(evaluation.values[root], Range):
            continue
        found = tighten(ctx.tape, evaluation, root).value
        if _reaches_over((found.low, found.high), domain):
            ctx.report.say(
                "CW0424",
                bound.expr.span,
                f"`{bound.address}` lies in {spelled(found)} (base units), and is cut to its domain "
                f"{spelled(Range(domain[0], None, domain[1]))}",
                "narrow what it leans on, say `min(…)` or `max(…)` if it cannot leave, or widen the domain",
                severity="warning",
            )


def warn_of_negative(ctx: Context, evaluation: Evaluation) -> None:
    """Say of every quantity that starts at zero by default where it is, or may be, below: it is not clipped there,
    since that is how a pool is found to be short."""
    for bound in ctx.bound.values():
        node = bound.value.node
        info = ctx.tape.data[node]
        value = evaluation.values[node]
        if not isinstance(info, BindInfo) or info.truth or info.low != 0 or value is None:
            continue
        low, high = ends_of(value)
        if low is None or low >= 0:
            continue
        certain = high is not None and high < 0
        ctx.report.say(
            "CW0430" if certain else "CW0431",
            bound.expr.span,
            f"`{bound.address}` {'is' if certain else 'may be'} below zero: {spelled(value)} (base units)",
            "look for what takes too much, or declare it `signed` if that is meant",
            severity="warning" if certain else "hint",
            about=bound.address,
        )


def _reaches_over(found: ends.Ends, domain: ends.Ends) -> bool:
    """Whether an established end lies outside; an open end says nothing, and the domain closes it."""
    low, high = found
    over = high is not None and domain[1] is not None and high > domain[1]
    return over or (low is not None and domain[0] is not None and low < domain[0])
