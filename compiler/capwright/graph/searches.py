"""`largest n in low .. high where condition`: a variable, and what of the tape depends on it."""

from __future__ import annotations

from typing import Final

from msgspec.structs import replace

from capwright.base.exact import Number
from capwright.check.declared import Slot
from capwright.graph.bare import way_to_one_unit
from capwright.graph.context import Context
from capwright.graph.tape import CHAINED, SearchBody, Tape, arguments
from capwright.graph.truths import truth_node
from capwright.graph.value_of import value_of
from capwright.graph.values import POISON, Env, Poison, Q, Truth, Value, what
from capwright.syntax import tree

MAX_OPERATIONS: Final = 20_000
MAX_LEVELS: Final = 150
"""What the condition of a search may come to in a document. Real ones have some 30 operations on a dozen levels."""


def search(ctx: Context, expr: tree.Search, env: Env, _want: Slot | None) -> Value:
    """The node of a bounded search over whole units of the dimension of `low`."""
    low = value_of(ctx, expr.low, env)
    high = value_of(ctx, expr.high, env)
    if isinstance(low, Poison) or isinstance(high, Poison):
        return POISON
    if not isinstance(low, Q) or not isinstance(high, Q):
        wrong = high if isinstance(low, Q) else low
        return ctx.say("CW0302", expr.span, f"a search runs over numbers, not {what(wrong)}", "give two ends")
    if low.type.dim is not high.type.dim:
        both = f"{low.type.dim.text()} and {high.type.dim.text()}"
        way = way_to_one_unit(ctx, low, high) or "convert one"
        return ctx.say("CW0301", expr.span, f"the two ends of a search are in one unit, not in {both}", way)
    dim = low.type.dim
    name = f"{expr.variable}@{expr.span.file}:{expr.span.start}:{low.node}:{high.node}"
    variable = ctx.tape.emit("variable", (), dim, expr.span, name)
    local = Q(variable, replace(low.type, literal=False, static=False, kind=None))
    condition = value_of(ctx, expr.condition, env.binding(expr.variable, local))
    if isinstance(condition, Poison):
        return condition
    if not isinstance(condition, bool | Truth):
        return ctx.say(
            "CW0302", expr.condition.span, f"this is {what(condition)}", "write a comparison after `where`"
        )
    node = truth_node(ctx, condition, expr.condition.span)
    body = SearchBody(expr.which, variable, node, _dependent(ctx.tape, variable, node), _step(ctx, low))
    operations, levels = _written_out(ctx.tape, body)
    if operations > MAX_OPERATIONS or levels > MAX_LEVELS:
        much = f"{MAX_OPERATIONS:,} operations" if operations > MAX_OPERATIONS else f"{MAX_LEVELS} levels"
        return ctx.say(
            "CW0403",
            expr.condition.span,
            f"the condition of this search has more than {much} when it is written out",
            "its steps have no values of their own, so each is written where it is used: shorten its lists, or write fewer "
            "formulas that call each other many times over",
        )
    taint = (
        low.type.taint | high.type.taint | (condition.taint if isinstance(condition, Truth) else frozenset())
    )
    typed = replace(low.type, literal=False, static=False, kind=None, lost=False, taint=taint)
    return Q(ctx.tape.emit("search", (low.node, high.node), dim, expr.span, body), typed)


def _written_out(tape: Tape, body: SearchBody) -> tuple[int, int]:
    """The operations of a condition in which every step is written out wherever it is used, and the levels of their
    nesting; a chain of one operator is one level. Past the limits, no more than that they are passed."""
    sizes: dict[int, int] = {}
    depths: dict[int, int] = {}
    for node in body.nodes:
        inner, op = tape.data[node], tape.ops[node]
        parts = (*tape.args[node], inner.condition) if isinstance(inner, SearchBody) else tape.args[node]
        sizes[node] = min(1 + sum(sizes.get(part, 1) for part in parts), MAX_OPERATIONS + 1)
        levels = (depths.get(part, 0) + (op not in CHAINED or tape.ops[part] != op) for part in parts)
        depths[node] = max(levels, default=0)
    return sizes.get(body.condition, 1), depths.get(body.condition, 0)


def _step(ctx: Context, low: Q) -> Number:
    """One of the unit in which the low end is written, in base units."""
    return ctx.program.units.read(low.type.unit).factor


def _dependent(tape: Tape, variable: int, condition: int) -> tuple[int, ...]:
    """The nodes between the variable and the condition, in tape order."""
    depends: dict[int, bool] = {variable: True}
    stack = [condition]
    while stack:
        node = stack[-1]
        if node in depends:
            stack.pop()
            continue
        # What stands before the variable does not know of it.
        args = [a for a in arguments(tape, node) if a >= variable]
        missing = [a for a in args if a not in depends]
        if missing:
            stack.extend(missing)
            continue
        depends[node] = any(depends[a] for a in args)
        stack.pop()
    return tuple(sorted(n for n, d in depends.items() if d))
