"""The functions of the language itself."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from msgspec.structs import replace

from capwright.base.counting import plural
from capwright.base.dimension import PURE
from capwright.base.exact import Number
from capwright.base.source import Span
from capwright.check.declared import Slot
from capwright.check.rules import Typed, combined, joined
from capwright.graph.bare import unit_of, way_to_one_unit, way_to_unit
from capwright.graph.confiding import not_exact
from capwright.graph.context import MAX_LIST, Context
from capwright.graph.deciding import decided
from capwright.graph.stand_ins import leans_on_stand_in
from capwright.graph.tape import Constant, Op
from capwright.graph.telling import faulted
from capwright.graph.value_of import value_of
from capwright.graph.values import POISON, Env, Items, Poison, Q, Truth, Value, what
from capwright.syntax import tree

WHOLE: Final = frozenset({"divides", "mod", "split", "range", "nth"})
"""Functions of whole numbers: their arguments may strip a unit with `in`."""

Function = Callable[[Context, tree.Call, list[Value]], Value]


def call(ctx: Context, expr: tree.Call, env: Env, want: Slot | None) -> Value:
    """Evaluate the arguments, then the function."""
    steps = expr.function in ("ceil", "floor")
    for place, argument in enumerate(expr.arguments):
        if argument.name != ("to" if steps and place == 1 else None):
            return _wrong(ctx, expr, "a quantity, and a step after `to`" if steps else "no arguments by name")
    keeps = want if expr.function in ("min", "max") else None
    inner = replace(env, strips=True) if expr.function in WHOLE else env
    values = [value_of(ctx, a.value, inner, keeps) for a in expr.arguments]
    if any(isinstance(v, Poison) for v in values):
        return POISON
    return FUNCTIONS[expr.function](ctx, expr, values)


def _wrong(ctx: Context, expr: tree.Call, needs: str) -> Value:
    return ctx.say("CW0218", expr.span, f"`{expr.function}` takes {needs}", "correct its arguments")


def least(ctx: Context, expr: tree.Call, values: list[Value]) -> Value:
    """`min(a, b, …)` and `max(…)`, of quantities or of one list of them."""
    if len(values) == 1 and isinstance(values[0], Items):
        values = [v for _, v in values[0].items]
    if not values:
        return _wrong(ctx, expr, "at least one quantity")
    op: Op = "min" if expr.function == "min" else "max"
    return extreme(ctx, op, values, expr.span)


def extreme(ctx: Context, op: Op, values: list[Value], span: Span) -> Value:
    """The node for the least or greatest of quantities of one dimension."""
    first = values[0]
    if not isinstance(first, Q):
        return ctx.say("CW0302", span, f"`{op}` compares quantities, and this is {what(first)}", "name one")
    typed = first.type
    nodes = [first.node]
    ctx.charge(len(values))
    for value in values[1:]:
        if not isinstance(value, Q):
            return ctx.say(
                "CW0302", span, f"`{op}` compares quantities, and this is {what(value)}", "name one"
            )
        if value.type.dim is not typed.dim:
            return ctx.say(
                "CW0301",
                span,
                f"`{op}` needs quantities of one dimension: {typed.dim.text()} and {value.type.dim.text()}",
                way_to_one_unit(ctx, first, value) or "convert one of them, or compare what is alike",
            )
        typed = joined(typed, value.type)
        nodes.append(value.node)
    if len(nodes) == 1:
        return first
    return Q(ctx.tape.emit(op, tuple(nodes), typed.dim, span), typed)


def rounded(ctx: Context, expr: tree.Call, values: list[Value]) -> Value:
    """`ceil(x)`, `floor(x)`, with `to STEP` where the quantity counts nothing."""
    op: Op = "ceil" if expr.function == "ceil" else "floor"
    if len(values) not in (1, 2) or not isinstance(values[0], Q):
        return _wrong(ctx, expr, "a quantity, and a step after `to`")
    value = values[0]
    step: Number | None = 1
    if len(values) == 2:
        by = values[1]
        if not isinstance(by, Q) or by.type.dim is not value.type.dim:
            return ctx.say(
                "CW0301",
                expr.arguments[1].span,
                f"the step is in {value.type.dim.text()}, like what is rounded",
                (isinstance(by, Q) and way_to_unit(ctx, by, unit_of(ctx, value.type)))
                or "give the step in that unit",
            )
        step = decided(ctx, by.node, by.type.taint)
        if step is None and by.type.dim is value.type.dim:
            return _stepped(ctx, op, value, by, expr)
        if step is None or step <= 0:
            return ctx.say(
                "CW0406", expr.arguments[1].span, "a step is an exact number above zero", "write a number"
            )
    elif not set(value.type.dim.names) <= ctx.program.units.counting:
        return ctx.say(
            "CW0313",
            expr.span,
            f"`{op}` of a quantity in {value.type.dim.text()} needs a step",
            f"write `{op}(…, to 16 bytes)`, for one; only counts round to whole units by themselves",
        )
    return Q(ctx.tape.emit(op, (value.node,), value.type.dim, expr.span, step), value.type)


def _stepped(ctx: Context, op: Op, value: Q, by: Q, expr: tree.Call) -> Value:
    """Rounding to a step that is itself uncertain: whole steps, times the step."""
    ratio = ctx.tape.emit("div", (value.node, by.node), PURE, expr.span)
    whole = ctx.tape.emit(op, (ratio,), PURE, expr.span, 1)
    return Q(ctx.tape.emit("mul", (whole, by.node), value.type.dim, expr.span), value.type)


def _wholes(ctx: Context, expr: tree.Call, values: list[Value], count: int) -> list[Q] | None:
    """The arguments as pure numbers, or None with a message."""
    if len(values) != count:
        _wrong(ctx, expr, f"{count} whole numbers")
        return None
    found: list[Q] = []
    for argument, value in zip(expr.arguments, values, strict=True):
        if not isinstance(value, Q):
            ctx.say("CW0302", argument.span, f"this is {what(value)}", "give it a whole number")
            return None
        found.append(value)
    return found


def _alike(ctx: Context, expr: tree.Call, values: list[Value], help: str) -> tuple[Q, Q] | None:
    """Two whole numbers of one dimension, or None with a message."""
    found = _wholes(ctx, expr, values, 2)
    if found is None:
        return None
    a, b = found
    if a.type.dim is not b.type.dim:
        ctx.say(
            "CW0301",
            expr.span,
            f"`{expr.function}` needs one dimension: {a.type.dim.text()} and {b.type.dim.text()}",
            way_to_one_unit(ctx, a, b) or help,
        )
        return None
    return a, b


def divides(ctx: Context, expr: tree.Call, values: list[Value]) -> Value:
    """`divides(a, b)`: whether whole a divides whole b; both of one dimension."""
    found = _alike(ctx, expr, values, "strip both with `in`: `divides(wheels in wheel, axles in axle)`")
    if found is None:
        return POISON
    a, b = found
    node = ctx.tape.emit("divides", (a.node, b.node), PURE, expr.span)
    taint = a.type.taint | b.type.taint
    if a.type.static and b.type.static:
        known = decided(ctx, node, taint)
        if known is not None:
            return bool(known)
    return Truth(node, taint)


def modulo(ctx: Context, expr: tree.Call, values: list[Value]) -> Value:
    """`mod(a, b)`: the rest of a whole division, in the dimension of `a`."""
    found = _alike(ctx, expr, values, "convert one of the two")
    if found is None:
        return POISON
    a, b = found
    typed = combined(a.type, b.type, a.type.dim)
    return Q(ctx.tape.emit("mod", (a.node, b.node), a.type.dim, expr.span), typed)


def irrational(ctx: Context, expr: tree.Call, values: list[Value]) -> Value:
    """`sqrt`, `log2`, `exp` of a pure number."""
    found = _wholes(ctx, expr, values, 1)
    if found is None:
        return POISON
    value = found[0]
    if value.type.dim.powers:
        return ctx.say(
            "CW0301",
            expr.span,
            f"`{expr.function}` takes a pure number, and this is in {value.type.dim.text()}",
            "divide it by one unit first",
        )
    op: Op = "sqrt" if expr.function == "sqrt" else "log2" if expr.function == "log2" else "exp"
    return Q(ctx.tape.emit(op, (value.node,), PURE, expr.span), combined(value.type, value.type, PURE))


def _count(ctx: Context, value: Value, span: Span) -> int | None:
    known = decided(ctx, value.node, value.type.taint) if isinstance(value, Q) else None
    if known is None and isinstance(value, Q) and faulted(ctx, value.node):
        return None
    if type(known) is not int or known < 0:
        told = "this count shapes a list, so it must be an exact whole number"
        way = "give it a static whole number"
        if isinstance(value, Q):
            not_exact(ctx, value.node, span, told, way)
        else:
            ctx.say("CW0405", span, told, way)
        return None
    if known > MAX_LIST:
        ctx.say(
            "CW0407", span, f"a list of {known:,} is over the limit of {MAX_LIST:,}", "use a shorter list"
        )
        return None
    return known


def number(ctx: Context, value: Number, typed: Typed, span: Span) -> Q:
    """A constant made during expansion."""
    node = ctx.tape.emit("const", (), typed.dim, span, Constant(value, str(value), typed.unit, span))
    return Q(node, typed)


def split(ctx: Context, expr: tree.Call, values: list[Value]) -> Value:
    """`split(n, k)`: k whole parts of n, as even as can be, the larger ones first."""
    found = _wholes(ctx, expr, values, 2)
    if found is None:
        return POISON
    if _stands_in(ctx, found):
        return Items(((None, found[0]),), True)
    total = decided(ctx, found[0].node, found[0].type.taint)
    parts = _count(ctx, found[1], expr.arguments[1].span)
    if parts is None:
        return POISON
    if type(total) is not int or parts == 0:
        told = "`split` needs exact whole numbers"
        return not_exact(ctx, found[0].node, expr.span, told, "give it static whole numbers")
    ctx.charge(parts)
    size, rest = divmod(total, parts)
    typed = replace(found[0].type, literal=False, static=True)
    sizes = [size + 1] * rest + [size] * (parts - rest)
    return Items(tuple((None, number(ctx, s, typed, expr.span)) for s in sizes))


def _stands_in(ctx: Context, found: list[Q]) -> bool:
    return any(leans_on_stand_in(ctx, q.node) for q in found)


def counted(ctx: Context, expr: tree.Call, values: list[Value]) -> Value:
    """`range(n)`: the whole numbers from 0 to n - 1."""
    found = _wholes(ctx, expr, values, 1)
    if found is None:
        return POISON
    typed = replace(found[0].type, literal=False, static=True)
    if _stands_in(ctx, found):
        return Items(((None, Q(found[0].node, typed)),), True)
    n = _count(ctx, found[0], expr.span)
    if n is None:
        return POISON
    ctx.charge(n)
    return Items(tuple((None, number(ctx, i, typed, expr.span)) for i in range(n)))


def element(ctx: Context, expr: tree.Call, values: list[Value]) -> Value:
    """`nth(list, i)` counted from zero, and `first(list)`."""
    items = values[0] if values else None
    if not isinstance(items, Items):
        return _wrong(ctx, expr, "a list")
    at: int | None = 0
    if expr.function == "first" and len(values) != 1:
        return _wrong(ctx, expr, "a list")
    if expr.function == "nth":
        if len(values) != 2:
            return _wrong(ctx, expr, "a list and a place in it")
        at = 0 if items.open else _count(ctx, values[1], expr.arguments[1].span)
    if at is None:
        return POISON
    if at >= len(items.items):
        return ctx.say(
            "CW0408",
            expr.span,
            f"the list has {len(items.items):,} {plural(len(items.items), 'element')}, and this asks for number {at} from zero",
            "ask for one that exists, or check the length with `count(x in …)` first",
        )
    return items.items[at][1]


def added(ctx: Context, values: list[Value], typed: Typed | None, span: Span) -> Value:
    """The sum of quantities of one dimension; an empty sum has given its own zero before."""
    node: int | None = None
    ctx.charge(len(values))
    for value in values:
        if not isinstance(value, Q):
            return ctx.say("CW0302", span, f"`sum` adds quantities, and this is {what(value)}", "name one")
        if typed is None or node is None:
            typed, node = value.type, value.node
            continue
        if value.type.dim is not typed.dim:
            return ctx.say(
                "CW0301",
                span,
                f"`sum` adds quantities of one dimension: {typed.dim.text()} and {value.type.dim.text()}",
                "convert one of them, or add what is alike",
            )
        typed = joined(typed, value.type)
        node = ctx.tape.emit("add", (node, value.node), typed.dim, span)
    if node is None or typed is None:
        return number(ctx, 0, Typed(PURE, literal=True, static=True), span)
    return Q(node, typed)


def total(ctx: Context, expr: tree.Call, values: list[Value]) -> Value:
    """`sum(list)` of quantities."""
    if len(values) != 1 or not isinstance(values[0], Items):
        return _wrong(ctx, expr, "a list")
    of = values[0].of
    if not values[0].items and of is not None and of.sort == "quantity":
        return number(ctx, 0, Typed(of.dim, of.kind, static=True, unit=of.unit), expr.span)
    return added(ctx, [v for _, v in values[0].items], None, expr.span)


FUNCTIONS: Final[dict[str, Function]] = {
    "min": least,
    "max": least,
    "ceil": rounded,
    "floor": rounded,
    "divides": divides,
    "mod": modulo,
    "sqrt": irrational,
    "log2": irrational,
    "exp": irrational,
    "split": split,
    "range": counted,
    "nth": element,
    "first": element,
    "sum": total,
}
