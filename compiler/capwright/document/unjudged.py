"""What a plan with errors asks and has no verdict on: its requirements, as they are written."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from capwright.base.exact import to_text
from capwright.check.report import Report
from capwright.document.diffdoc import RequirementDoc, WrittenSide
from capwright.document.plandoc import VerdictDoc
from capwright.document.written import paths_in
from capwright.graph.context import Context
from capwright.graph.exactly import exact
from capwright.graph.expansion import Expansion
from capwright.graph.value_of import value_of
from capwright.graph.values import Env, Q
from capwright.syntax import tree


def unjudged(expansion: Expansion, verdicts: Iterable[VerdictDoc]) -> Iterator[RequirementDoc]:
    """The requirements and expectations of an evaluated plan that are none of its `verdicts`, in order. A plan without
    errors has none."""
    ctx = expansion.ctx
    judged = {verdict.id for verdict in verdicts}
    told = {one.statement.span for at, one in enumerate(expansion.asked, start=1) if f"v{at}" in judged}
    for statement in ctx.program.orders.requirements:
        if statement.span not in told:
            yield _requirement(ctx, statement)


def _requirement(ctx: Context, statement: tree.Requirement) -> RequirementDoc:
    condition = statement.condition
    written = ctx.text(condition.span)
    operator, left, right = "", WrittenSide(written, None), WrittenSide("", None)
    if isinstance(condition, tree.Binary):
        operator, left, right = condition.operator, _side(ctx, condition.left), _side(ctx, condition.right)
    return RequirementDoc(
        statement.verb,
        statement.label or written,
        written,
        operator,
        left,
        right,
        statement.established,
        ctx.sources[statement.span.file].place(statement.span.start),
    )


def _side(ctx: Context, expr: tree.Expr) -> WrittenSide:
    """One side, and the number that it is where nothing of the plan enters it: whoever reads the side reads that, too."""
    written = ctx.text(expr.span)
    if any(True for _ in paths_in(expr)):
        return WrittenSide(written, None)
    kept, ctx.report = ctx.report, Report()  # what is wrong with it has been said
    try:
        value = value_of(ctx, expr, Env(ctx.program.main))
    finally:
        ctx.report = kept
    number = exact(ctx, value.node) if isinstance(value, Q) else None
    return WrittenSide(written, None if number is None else to_text(number))
