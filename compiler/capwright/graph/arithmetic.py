"""Operators that compute: their dimensions, their kinds, their nodes."""

from __future__ import annotations

from typing import Final, cast

from capwright.base.dimension import (
    MAX_BASES,
    MAX_POWER,
    PURE,
    Dimension,
    Unit,
    is_bounded,
    over,
    raised,
    times,
)
from capwright.base.source import Span
from capwright.check.declared import Slot
from capwright.check.rules import Typed, combined, joined
from capwright.graph.comparisons import compare, disagree, equal
from capwright.graph.context import Context
from capwright.graph.hyphens import hyphenated
from capwright.graph.read_files import read_key
from capwright.graph.tape import Constant, Op
from capwright.graph.truths import not_truth
from capwright.graph.value_of import value_of
from capwright.graph.values import (
    POISON,
    Env,
    Poison,
    Q,
    Static,
    Truth,
    Value,
    what,
)
from capwright.kernel.refusal import KernelRefusal
from capwright.kernel.registry import OPERATED, OPERATORS, PRIMITIVES
from capwright.syntax import tree

ARITHMETIC: Final = {"+": "add", "-": "sub", "*": "mul", "/": "div"}


def binary(ctx: Context, expr: tree.Binary, env: Env, want: Slot | None) -> Value:
    """Any operator with two sides."""
    operator = expr.operator
    computes = operator in ARITHMETIC
    if not computes:
        if operator == "^":
            return _power(ctx, expr, env)
        if operator in ("==", "!="):
            return equal(ctx, expr, env)
        if operator in ("and", "or"):
            return _logic(ctx, expr, value_of(ctx, expr.left, env, want), env, want)
    if operator == "-" and (told := hyphenated(ctx, expr, env)) is not None:
        return told
    left = value_of(ctx, expr.left, env)
    if operator == "/" and type(expr.left) is tree.Quantity and type(expr.right) is tree.Name:
        unit = expr.right.name
        if unit in ctx.program.units.by_name and unit not in env.known() and not env.scope.unsaid(unit):
            return _over_a_unit(ctx, expr.left, expr.right)
    if left is POISON and operator in "*/" and _are_units(ctx, expr):
        return POISON  # one unit whose number was forgotten, and the other half of it is no name of a value
    right = value_of(ctx, expr.right, env)
    if type(left) is not Q or type(right) is not Q:
        if left is POISON or right is POISON:
            return POISON
        return _not_numbers(ctx, expr, left, right)
    if computes:
        if not env.library and operator in "*/":
            _warn_of_laundering(ctx, expr, left, right)
        return _arithmetic(ctx, expr, left, right)
    return compare(ctx, expr, left, right, env)


def _over_a_unit(ctx: Context, number: tree.Quantity, unit: tree.Name) -> Value:
    return ctx.say(
        "CW0203",
        unit.span,
        f"`{unit.name}` is a unit, not a value",
        f"write a number before it: `{number.text} / 1 {unit.name}`",
    )


def _are_units(ctx: Context, expr: tree.Binary) -> bool:
    sides = (expr.left, expr.right)
    return all(isinstance(side, tree.Name) and side.name in ctx.program.units.by_name for side in sides)


def _not_numbers(ctx: Context, expr: tree.Binary, left: Value, right: Value) -> Value:
    wrong, side = (left, expr.left) if not isinstance(left, Q) else (right, expr.right)
    return ctx.say(
        "CW0302",
        side.span,
        f"`{expr.operator}` needs quantities, and this is {what(wrong)}",
        _way_to_a_number(ctx, expr, wrong, side),
    )


def _way_to_a_number(ctx: Context, expr: tree.Binary, wrong: Value, side: tree.Expr) -> str:
    """How something that is no quantity gives one, or what its own operators are."""
    if not isinstance(wrong, Static):
        return "name one of its fields, or compare it with `==` or `is`"
    reader = next(name for name, each in PRIMITIVES.items() if each.slots[0].sort == wrong.sort)
    help = f"read a number of it, as `{reader}(…)` does"
    if any(sort == wrong.sort for _, sort in OPERATED):
        return f"{help}, or join it with {', '.join(f'`{name}`' for name, sort in OPERATED if sort == wrong.sort)}"
    if expr.operator == "+" and isinstance(side, tree.Call) and read_key(side) in ctx.lengths:
        return f'{help}; to add to each length, say it behind the name of the column: `"COLUMN + 800"`'
    return help


def _arithmetic(ctx: Context, expr: tree.Binary, left: Q, right: Q) -> Value:
    a, b = left.type, right.type
    if expr.operator in "*/":
        dim = times(a.dim, b.dim) if expr.operator == "*" else over(a.dim, b.dim)
        if not is_bounded(dim):
            return _out_of_bounds(ctx, dim, expr.span)
        typed = combined(a, b, dim)
    elif a.dim is b.dim:
        typed = joined(a, b)
    else:
        return disagree(ctx, expr, left, right, f"`{expr.operator}`")
    op = cast("Op", ARITHMETIC[expr.operator])
    return Q(ctx.tape.emit(op, (left.node, right.node), typed.dim, expr.span), typed)


def _warn_of_laundering(ctx: Context, expr: tree.Binary, left: Q, right: Q) -> None:
    """A factor of one changes no number, and takes the kind away."""
    for value, side in ((left, expr.right), (right, expr.left)):
        one = isinstance(side, tree.Quantity) and side.value == 1 and not side.unit
        if one and not (expr.operator == "/" and side is expr.left):
            _say_same_number(ctx, expr, value)


def _say_same_number(ctx: Context, expr: tree.Binary, value: Q) -> None:
    if value.type.kind is not None:
        ctx.report.say(
            "CW0336",
            expr.span,
            f"this is the same number, and no longer of kind `{value.type.kind}`",
            "leave it out, or say what is meant: `(…) as KIND`",
            severity="warning",
        )


def _power(ctx: Context, expr: tree.Binary, env: Env) -> Value:
    base = value_of(ctx, expr.left, env)
    exponent, sign = expr.right, 1
    if isinstance(exponent, tree.Unary) and exponent.operator == "-":
        exponent, sign = exponent.operand, -1
    if not isinstance(exponent, tree.Quantity) or exponent.unit or type(exponent.value) is not int:
        return ctx.say(
            "CW0309", expr.right.span, "an exponent is a whole literal", "write `x^2`, or multiply"
        )
    if isinstance(base, Poison):
        return base
    if not isinstance(base, Q):
        return _not_numbers(ctx, expr, base, base)
    power = sign * exponent.value
    dim = raised(base.type.dim, power)
    if not is_bounded(dim):
        return _out_of_bounds(ctx, dim, expr.right.span)
    if power == 1 and not env.library:
        _say_same_number(ctx, expr, base)
    typed = combined(base.type, base.type, dim)
    node = ctx.tape.emit("pow", (base.node,), typed.dim, expr.span, power)
    return Q(node, typed)


def _out_of_bounds(ctx: Context, dim: Dimension, span: Span) -> Value:
    """Refuse a quantity of a dimension that none has."""
    if len(dim.powers) > MAX_BASES:
        wrong = f"this has more than {MAX_BASES} base units"
        return ctx.say("CW0308", span, wrong, "look for a factor that does not belong in the product")
    return ctx.say(
        "CW0308",
        span,
        f"this has a unit to a power of more than {MAX_POWER}, which is out of bounds",
        "use a smaller power, and look for squares of squares on the way to it",
    )


def unary(ctx: Context, expr: tree.Unary, env: Env, want: Slot | None) -> Value:
    """`-x` and `not x`."""
    value = value_of(ctx, expr.operand, env, want if expr.operator == "not" else None)
    if expr.operator == "-":
        if isinstance(value, Q):
            return Q(ctx.tape.emit("neg", (value.node,), value.type.dim, expr.span), value.type)
    elif isinstance(value, bool):
        return not value
    elif isinstance(value, Truth):
        return Truth(ctx.tape.emit("not", (value.node,), PURE, expr.span), value.taint)
    elif isinstance(value, Static) and ("not", value.sort) in OPERATED:
        return _composed(ctx, expr, value)
    if isinstance(value, Poison):
        return value
    needs = "a quantity" if expr.operator == "-" else "a truth"
    return ctx.say(
        "CW0302",
        expr.operand.span,
        f"`{expr.operator}` needs {needs}, and this is {what(value)}",
        "remove the operator, or put it before what it fits",
    )


def _composed(ctx: Context, expr: tree.Unary | tree.Binary, *operands: Static) -> Value:
    """An operator on values of the kernel, or the reason why they do not compose."""
    if any(operand.value is None for operand in operands):
        return Static(operands[0].sort, None)
    try:
        return Static(operands[0].sort, OPERATORS[expr.operator](*(operand.value for operand in operands)))
    except KernelRefusal as refusal:
        return ctx.say(refusal.code, expr.span, refusal.message, refusal.help)


def _logic(ctx: Context, expr: tree.Binary, left: Value, env: Env, want: Slot | None) -> Value:
    short = expr.operator == "or"
    if isinstance(left, bool) and left is short:
        return left
    right = value_of(ctx, expr.right, env, want)
    if isinstance(left, Poison) or isinstance(right, Poison):
        return POISON
    if (
        isinstance(left, Static)
        and isinstance(right, Static)
        and left.sort == right.sort
        and (expr.operator, left.sort) in OPERATED
    ):
        return _composed(ctx, expr, left, right)
    if isinstance(left, bool):
        return right if isinstance(right, bool | Truth) else not_truth(ctx, expr.right, right)
    if isinstance(right, bool) and isinstance(left, Truth):
        return right if right is short else left
    if isinstance(left, Truth) and isinstance(right, Truth):
        op: Op = "or" if short else "and"
        return Truth(ctx.tape.emit(op, (left.node, right.node), PURE, expr.span), left.taint | right.taint)
    return (
        not_truth(ctx, expr.left, left) if not isinstance(left, Truth) else not_truth(ctx, expr.right, right)
    )


def stripped(ctx: Context, value: Q, unit: Unit, expr: tree.InUnit) -> Value:
    """`x in step`: how many of the unit, as a pure number."""
    if value.type.dim is not unit.dim:
        return ctx.say(
            "CW0301",
            expr.span,
            f"`in {expr.unit}` needs a quantity in {unit.dim.text()}, and this is in {value.type.dim.text()}",
            "name the unit that the quantity has",
        )
    one = ctx.tape.emit(
        "const", (), unit.dim, expr.span, Constant(unit.factor, f"1 {expr.unit}", expr.unit, expr.span)
    )
    typed = combined(value.type, Typed(unit.dim, literal=True, static=True), PURE)
    return Q(ctx.tape.emit("div", (value.node, one), PURE, expr.span), typed)
