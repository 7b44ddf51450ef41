"""Operators: their dimensions, their kinds, their nodes."""

from __future__ import annotations

from typing import Final, cast

from msgspec.structs import replace

from capwright.base.diagnostic import Note
from capwright.base.dimension import PURE, Dimension, Unit, over, raised, times
from capwright.check.declared import Slot
from capwright.check.rules import Typed, combined, joined, meet, partners
from capwright.graph.context import Context
from capwright.graph.deciding import by_things, decided
from capwright.graph.tape import Constant, Op
from capwright.graph.truths import truth_node, unknown_truth
from capwright.graph.value_of import value_of
from capwright.graph.values import (
    POISON,
    Choice,
    Env,
    Inst,
    Poison,
    Q,
    Static,
    Truth,
    Value,
    Words,
    what,
)
from capwright.kernel.refusal import KernelRefusal
from capwright.kernel.registry import OPERATED, OPERATORS
from capwright.syntax import tree

ARITHMETIC: Final = {"+": "add", "-": "sub", "*": "mul", "/": "div"}


def binary(ctx: Context, expr: tree.Binary, env: Env, want: Slot | None) -> Value:
    """Any operator with two sides."""
    operator = expr.operator
    if operator == "^":
        return _power(ctx, expr, env)
    if operator in ("==", "!="):
        return _equal(ctx, expr, env)
    left = value_of(ctx, expr.left, env, want if operator in ("and", "or") else None)
    if operator in ("and", "or"):
        return _logic(ctx, expr, left, env, want)
    right = value_of(ctx, expr.right, env)
    if isinstance(left, Poison) or isinstance(right, Poison):
        return POISON
    if not isinstance(left, Q) or not isinstance(right, Q):
        return _not_numbers(ctx, expr, left, right)
    if operator in ARITHMETIC:
        return _arithmetic(ctx, expr, left, right)
    return compare(ctx, expr, left, right, env)


def _not_numbers(ctx: Context, expr: tree.Binary, left: Value, right: Value) -> Value:
    wrong, side = (left, expr.left) if not isinstance(left, Q) else (right, expr.right)
    return ctx.say(
        "CW0302",
        side.span,
        f"`{expr.operator}` needs quantities, and this is {what(wrong)}",
        "name one of its fields, or compare it with `==` or `is`",
    )


def _arithmetic(ctx: Context, expr: tree.Binary, left: Q, right: Q) -> Value:
    a, b = left.type, right.type
    if expr.operator in "*/":
        dim = times(a.dim, b.dim) if expr.operator == "*" else over(a.dim, b.dim)
        typed = combined(a, b, dim)
    elif a.dim is b.dim:
        typed = joined(a, b)
    else:
        return disagree(ctx, expr, a.dim, b.dim, f"`{expr.operator}`")
    op = cast("Op", ARITHMETIC[expr.operator])
    return Q(ctx.tape.emit(op, (left.node, right.node), typed.dim, expr.span), typed)


def disagree(ctx: Context, expr: tree.Binary, a: Dimension, b: Dimension, where: str) -> Value:
    """Two sides of different dimensions, both labelled."""
    ctx.report.say(
        "CW0301",
        expr.span,
        f"{where} needs two sides of one dimension: {a.text()} and {b.text()}",
        f"they are off by {over(b, a).text()}; convert one side, or compare what is alike",
        Note(f"this is in {a.text()}", expr.left.span),
        Note(f"this is in {b.text()}", expr.right.span),
    )
    return POISON


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
    if abs(power) > 64 and base.type.dim.powers:
        return ctx.say(
            "CW0308", expr.right.span, "this power of a unit is out of bounds", "use a smaller power"
        )
    typed = combined(base.type, base.type, raised(base.type.dim, power))
    node = ctx.tape.emit("pow", (base.node,), typed.dim, expr.span, power)
    return Q(node, typed)


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
        return right if isinstance(right, bool | Truth) else _not_truth(ctx, expr.right, right)
    if isinstance(right, bool) and isinstance(left, Truth):
        return right if right is short else left
    if isinstance(left, Truth) and isinstance(right, Truth):
        op: Op = "or" if short else "and"
        return Truth(ctx.tape.emit(op, (left.node, right.node), PURE, expr.span), left.taint | right.taint)
    return (
        _not_truth(ctx, expr.left, left)
        if not isinstance(left, Truth)
        else _not_truth(ctx, expr.right, right)
    )


def _not_truth(ctx: Context, expr: tree.Expr, value: Value) -> Value:
    return ctx.say(
        "CW0302", expr.span, f"a truth is needed here, and this is {what(value)}", "write a comparison"
    )


def _equal(ctx: Context, expr: tree.Binary, env: Env) -> Value:
    left = value_of(ctx, expr.left, env)
    if isinstance(left, Poison):  # without it, nobody knows what the names on the right mean
        return POISON
    slot = Slot("choice", choices=left.among) if isinstance(left, Choice) else None
    right = value_of(ctx, expr.right, env, slot)
    if isinstance(right, Poison):
        return POISON
    same = expr.operator == "=="
    if isinstance(left, Q) and isinstance(right, Q):
        return compare(ctx, expr, left, right, env)
    if isinstance(left, Choice) and isinstance(right, Choice):
        if left.name == "" or right.name == "":
            return unknown_truth(ctx, expr.span)
        return (left.name == right.name) is same
    if isinstance(left, Words) and isinstance(right, Words):
        return (left.value == right.value) is same
    if isinstance(left, Inst) and isinstance(right, Inst):
        if left.stand_in or right.stand_in:
            return unknown_truth(ctx, expr.span)
        by_things(ctx, (left, right))
        return (origin(left) is origin(right)) is same
    if isinstance(left, bool | Truth) and isinstance(right, bool | Truth):
        return _same_truth(ctx, expr, left, right, same)
    return ctx.say(
        "CW0302",
        expr.span,
        f"{what(left)} and {what(right)} cannot be compared",
        "compare two things of one sort",
    )


def origin(inst: Inst) -> Inst:
    """What an unchanged copy is a copy of."""
    while inst.base is not None and not inst.layers[: -len(inst.base.layers) or None]:
        inst = inst.base
    return inst


def _same_truth(
    ctx: Context, expr: tree.Binary, left: bool | Truth, right: bool | Truth, same: bool
) -> Value:
    if isinstance(left, bool) and isinstance(right, bool):
        return (left == right) is same
    if isinstance(left, bool):
        left, right = right, left
    if isinstance(right, bool) and isinstance(left, Truth):
        if right is same:
            return left
        return Truth(ctx.tape.emit("not", (left.node,), PURE, expr.span), left.taint)
    if isinstance(left, Truth) and isinstance(right, Truth):
        op: Op = "eq" if same else "ne"
        return Truth(ctx.tape.emit(op, (left.node, right.node), PURE, expr.span), left.taint | right.taint)
    return POISON


COMPARED: Final[dict[str, tuple[Op, bool]]] = {
    "<": ("lt", False),
    "<=": ("le", False),
    ">": ("lt", True),
    ">=": ("le", True),
    "==": ("eq", False),
    "!=": ("ne", False),
}


def comparable(ctx: Context, expr: tree.Binary, left: Q, right: Q, env: Env, strict: bool) -> bool:
    """Whether two quantities are of one dimension and of kinds that meet; says why not."""
    if left.type.dim is not right.type.dim:
        disagree(ctx, expr, left.type.dim, right.type.dim, "a comparison")
        return False
    if not meet(left.type, right.type, env.scope, strict):
        _kinds_apart(ctx, expr, left.type, right.type, env)
        return False
    return True


def compare(ctx: Context, expr: tree.Binary, left: Q, right: Q, env: Env) -> Value:
    """A comparison of two quantities of one dimension and of kinds that meet."""
    if not comparable(ctx, expr, left, right, env, strict=False):
        return POISON
    op, turned = COMPARED[expr.operator]
    args = (right.node, left.node) if turned else (left.node, right.node)
    node = ctx.tape.emit(op, args, PURE, expr.span)
    taint = left.type.taint | right.type.taint
    if left.type.static and right.type.static and not taint:
        known = decided(ctx, node)
        if known is not None:
            return bool(known)
    return Truth(node, taint)


def _kinds_apart(ctx: Context, expr: tree.Binary, a: Typed, b: Typed, env: Env) -> Value:
    def said(t: Typed) -> str:
        if t.kind is not None:
            label = env.scope.all_kinds[t.kind].decl.label
            return f"of kind `{t.kind}`" + (f" ({label})" if label else "")
        return "the result of arithmetic, which has no kind" if t.lost else "without a kind"

    help = _way_to_meet(ctx, expr, a, b, env)
    ctx.report.say(
        "CW0332",
        expr.span,
        "these two must not be compared: they mean different things",
        help,
        Note(f"this is {said(a)}", expr.left.span),
        Note(f"this is {said(b)}", expr.right.span),
    )
    return POISON


def _way_to_meet(ctx: Context, expr: tree.Binary, a: Typed, b: Typed, env: Env) -> str:
    """The quantity beside one side whose kind meets the other side's, if there is one."""
    for own, own_side, other in ((a, expr.left, b), (b, expr.right, a)):
        if other.kind is None:
            continue
        wanted = [other.kind, *partners(other.kind, env.scope)]
        if own.kind in wanted:
            continue
        named = _beside(ctx, own_side, wanted, env)
        if named is not None:
            return f"`{other.kind}` is compared with `{'`, `'.join(wanted[1:] or wanted)}`: use `{named}`"
    for own, other in ((a, b), (b, a)):
        if own.kind is not None and other.kind is None:
            return (
                f"say what the other side means: `(…) as {(partners(own.kind, env.scope) or [own.kind])[0]}`"
            )
    if a.kind is not None:
        friends = partners(a.kind, env.scope)
        if friends:
            return f"`{a.kind}` may be compared with {', '.join(f'`{f}`' for f in friends)}"
    return "compare quantities of one kind, or declare `kind A : UNIT meets B` where that is meant"


def _beside(ctx: Context, side: tree.Expr, wanted: list[str], env: Env) -> str | None:
    """A sibling, or a quantity near it, of one of the wanted kinds, as it would be written."""
    if not isinstance(side, tree.Attribute):
        return None
    home = value_of(ctx, side.base, env)
    prefix = ctx.text(side.base.span)
    if not isinstance(home, Inst):
        return None
    for holder, path in ((home, prefix), (home.parent, prefix.rpartition(".")[0])):
        if holder is None or not path:
            continue
        found = _of_kind(holder, wanted)
        if found is not None:
            return f"{path}.{found}"
    return None


def _of_kind(holder: Inst, wanted: list[str]) -> str | None:
    for kind in reversed(wanted):
        for name, field in holder.entity.fields.items():
            if field.slot.kind == kind:
                return name
        for block, entity in holder.entity.blocks.items():
            for name, field in entity.fields.items():
                if field.slot.kind == kind:
                    return f"{block}.{name}"
    return None


def branch(ctx: Context, expr: tree.If, env: Env, want: Slot | None) -> Value:
    """`if c then a else b`; a condition that is decided here drops the other branch."""
    condition = value_of(ctx, expr.condition, env)
    if isinstance(condition, Poison):
        return condition
    if isinstance(condition, bool):
        return value_of(ctx, expr.then if condition else expr.otherwise, env, want)
    if not isinstance(condition, Truth):
        return _not_truth(ctx, expr.condition, condition)
    a = value_of(ctx, expr.then, env, want)
    b = value_of(ctx, expr.otherwise, env, want)
    return choose(ctx, condition, a, b, expr)


def choose(ctx: Context, condition: Truth, a: Value, b: Value, expr: tree.If) -> Value:
    """The value of an `if` that numbers decide."""
    if isinstance(a, Poison) or isinstance(b, Poison):
        return POISON
    if isinstance(a, Q) and isinstance(b, Q):
        if a.type.dim is not b.type.dim:
            both = tree.Binary(expr.span, "+", expr.then, expr.otherwise)
            return disagree(ctx, both, a.type.dim, b.type.dim, "`if`")
        typed = joined(a.type, b.type)
        if condition.taint:
            typed = replace(typed, taint=typed.taint | condition.taint, static=False, literal=False)
        node = ctx.tape.emit("if", (condition.node, a.node, b.node), typed.dim, expr.span)
        return Q(node, typed)
    if isinstance(a, bool | Truth) and isinstance(b, bool | Truth):
        nodes = (condition.node, truth_node(ctx, a, expr.span), truth_node(ctx, b, expr.span))
        taint = condition.taint.union(*(side.taint for side in (a, b) if isinstance(side, Truth)))
        return Truth(ctx.tape.emit("if", nodes, PURE, expr.span), taint)
    if a == b or (isinstance(a, Inst) and a.stand_in):
        return a
    return ctx.say(
        "CW0310",
        expr.condition.span,
        f"this condition is decided by quantities, and cannot choose between {what(a)} and {what(b)}",
        "decide it by a choice, a variant or a static number, or choose between quantities",
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
