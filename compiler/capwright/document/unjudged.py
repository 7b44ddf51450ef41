"""What a plan with errors asks and has no verdict on: its requirements, as they are written."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msgspec import Struct

from capwright.base.exact import to_text
from capwright.base.source import Span
from capwright.check.report import Report
from capwright.document.diffdoc import RequirementDoc, Unjudged, WrittenSide
from capwright.document.plandoc import VerdictDoc
from capwright.graph.context import Context
from capwright.graph.exactly import exact
from capwright.graph.expansion import Expansion
from capwright.graph.value_of import value_of
from capwright.graph.values import Env, Q
from capwright.syntax import tree


def unjudged(expansion: Expansion, verdicts: Iterable[VerdictDoc], *, complete: bool) -> Unjudged:
    """The requirements and expectations of an evaluated plan that are none of its `verdicts`, in order. A plan without
    errors has none; where not all of it could be read, there may be others (`complete` is false)."""
    return Unjudged(tuple(_without(expansion, verdicts)), complete)


def _without(expansion: Expansion, verdicts: Iterable[VerdictDoc]) -> Iterator[RequirementDoc]:
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
    if not _is_written_out(expr):
        return WrittenSide(written, None)
    # On a tape of its own: what was evaluated stays as it is, and what is wrong with the side has been said.
    own = Context(ctx.program, Report(), ctx.sources, {}, {}, ctx.walkers)
    value = value_of(own, expr, Env(ctx.program.main))
    number = exact(own, value.node) if isinstance(value, Q) else None
    return WrittenSide(written, None if number is None else to_text(number))


def _is_written_out(expr: tree.Expr) -> bool:
    """Whether an expression is made of numbers with their units alone: it names nothing, and calls nothing."""
    waiting: list[object] = [expr]
    while waiting:
        match waiting.pop():
            case (
                tree.Name()
                | tree.Attribute()
                | tree.Call()
                | tree.Comprehension()
                | tree.Search()
                | tree.Derive()
            ):
                return False
            case Struct() as one if not isinstance(one, Span):
                waiting.extend(getattr(one, name) for name in one.__struct_fields__)
            case tuple() as several:
                waiting.extend(several)
    return True
