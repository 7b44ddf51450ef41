"""Quantities that reach over their declared domain: cut there where it is their own, told where it is zero by default."""

from __future__ import annotations

from capwright.base import ends
from capwright.base.interval import Range
from capwright.document.saying import Saying
from capwright.graph.context import Context
from capwright.graph.evaluation import Evaluation
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
            within = Range(domain[0], None, domain[1])
            dim = ctx.tape.dims[root]
            lies, cut = Saying(ctx.program.units).together((found, within), info.unit, dim, from_zero=True)
            ctx.report.say(
                "CW0424",
                bound.expr.span,
                f"`{bound.address}` lies in {lies}, and is cut to its domain {cut}",
                "narrow what it leans on, say `min(…)` or `max(…)` if it cannot leave, or widen the domain",
                severity="warning",
            )


def _reaches_over(found: ends.Ends, domain: ends.Ends) -> bool:
    """Whether an established end lies outside; an open end says nothing, and the domain closes it."""
    low, high = found
    over = high is not None and domain[1] is not None and high > domain[1]
    return over or (low is not None and domain[0] is not None and low < domain[0])
