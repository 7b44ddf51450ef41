"""The small expressions of architecture descriptions: arithmetic, comparison and lists, and nothing that acts.

They are read with Python's own parser and walked here; no name means anything but what the caller gives.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache
from math import isfinite
from typing import Any, Final

from msgspec import Struct

MAX_LENGTH: Final = 600
MAX_BITS: Final = 256
MAX_REPEATED: Final = 1_000

Names = Callable[[str], Any]


class Unfit(Exception):
    """An expression that cannot be read or has no value; its text says why. `expression` is the one that has none, where it
    could be read."""

    def __init__(self, words: str, expression: Expression | None = None) -> None:
        super().__init__(words)
        self.expression = expression


class Expression(Struct, frozen=True):
    """An expression as written, its parsed form, and the names it reads."""

    text: str
    body: ast.expr
    names: frozenset[str]


@lru_cache(maxsize=8192)
def parse(text: str) -> Expression:
    """The expression of a text; raises `Unfit` for what is none."""
    if len(text) > MAX_LENGTH:
        raise Unfit(f"it has over {MAX_LENGTH} characters")
    try:
        body = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise Unfit("it is no expression") from None
    names: set[str] = set()
    for node in ast.walk(body):
        if not isinstance(node, _NODES):
            raise Unfit(f"{type(node).__name__.lower()} has no place in it")
        if isinstance(node, ast.Call):
            _check_call(node)
        elif isinstance(node, ast.Name):
            names.add(node.id)
    return Expression(text.strip(), body, frozenset(names - set(_FUNCTIONS) - set(_ASKING)))


def evaluate(expression: Expression, names: Names) -> Any:
    """The value of an expression; whole numbers stay `int`. Raises `Unfit` where it has none."""
    return _value(expression.body, names)


def arithmetic(expression: Expression) -> bool:
    """Whether a plan can say the same: names, whole numbers, `+ - * /`, `ceil` and `floor` of one value."""
    return all(
        isinstance(node, _PLAN_NODES)
        and not (isinstance(node, ast.Constant) and type(node.value) is not int)
        and not (isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod))
        and not (isinstance(node, ast.Call) and (node.func.id not in ("ceil", "floor") or len(node.args) > 1))  # type: ignore[attr-defined]  # a call is of a name, which `parse` saw to
        for node in ast.walk(expression.body)
    )


def substituted(expression: Expression, values: dict[str, int]) -> str:
    """The text of an arithmetic expression in which some names are their numbers."""
    tree = ast.parse(expression.text, mode="eval")
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and node.id in values:
            node.id = f"{values[node.id]:_}"
    return ast.unparse(tree)


_OPERATORS: Final = (
    ast.Add, ast.Sub, ast.Mult, ast.Div, ast.Mod, ast.USub, ast.Not, ast.And, ast.Or,
    ast.Eq, ast.NotEq, ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.In, ast.NotIn, ast.Load,
)  # fmt: skip
_NODES: Final = (
    ast.BinOp, ast.UnaryOp, ast.BoolOp, ast.Compare, ast.IfExp, ast.Name, ast.Constant, ast.Subscript, ast.Call,
    ast.List, *_OPERATORS,
)  # fmt: skip
_PLAN_NODES: Final = (
    ast.BinOp,
    ast.Name,
    ast.Constant,
    ast.Call,
    ast.Add,
    ast.Sub,
    ast.Mult,
    ast.Div,
    ast.Load,
)


def _check_call(node: ast.Call) -> None:
    known = (*_FUNCTIONS, *_ASKING)
    if not isinstance(node.func, ast.Name) or node.func.id not in known or node.keywords:
        raise Unfit(f"it may call {', '.join(sorted(known))} and nothing else")
    if node.func.id in _ASKING and not (len(node.args) == 1 and isinstance(node.args[0], ast.Constant)):
        raise Unfit(f"`{node.func.id}` takes one name in quotes")


def _value(node: ast.expr, names: Names) -> Any:
    match node:
        case ast.Constant(value=value):
            return _constant(value)
        case ast.Name(id=name):
            return names(name)
        case ast.BinOp(left=left, op=op, right=right):
            return _calculated(op, _value(left, names), _value(right, names))
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return not _value(operand, names)
        case ast.UnaryOp(operand=operand):
            return -_number(_value(operand, names))
        case ast.BoolOp(op=op, values=values):
            whole = all if isinstance(op, ast.And) else any
            return whole(_value(each, names) for each in values)
        case ast.IfExp(test=test, body=body, orelse=orelse):
            return _value(body if _value(test, names) else orelse, names)
        case ast.Compare():
            return _compared(node, names)
        case ast.Subscript(value=value, slice=index):
            return _element(_value(value, names), _value(index, names))
        case ast.List(elts=elements):
            return [_value(each, names) for each in elements]
        case ast.Call(func=ast.Name(id=function), args=[ast.Constant(value=str(name))]) if (
            function in _ASKING
        ):
            return names(f"{function} {name}")
        case ast.Call(func=ast.Name(id=function), args=arguments):
            return _called(function, [_value(each, names) for each in arguments])
    raise Unfit("it is no expression")


def _constant(value: Any) -> Any:
    if isinstance(value, float):
        return Fraction(str(value))
    if value is None or isinstance(value, bool | int | str):
        return value
    raise Unfit("it holds something that is no value")


def _calculated(op: ast.operator, left: Any, right: Any) -> int | Fraction:
    a, b = _number(left), _number(right)
    if isinstance(op, ast.Div | ast.Mod) and b == 0:
        raise Unfit("it divides by zero")
    match op:
        case ast.Add():
            made: Any = a + b
        case ast.Sub():
            made = a - b
        case ast.Mult():
            made = a * b
        case ast.Div():
            made = Fraction(a) / b
        case _:
            made = a % b
    return _plain(made)


def _plain(made: int | Fraction) -> int | Fraction:
    if isinstance(made, Fraction) and made.denominator == 1:
        made = made.numerator
    if (made if isinstance(made, int) else made.numerator * made.denominator).bit_length() > MAX_BITS:
        raise Unfit("its numbers grow too large")
    return made


def _number(value: Any) -> int | Fraction:
    if isinstance(value, float) and isfinite(value):
        return Fraction(str(value))
    if isinstance(value, bool) or not isinstance(value, int | Fraction):
        raise Unfit(f"{_shown(value)} is no number")
    return value


def _compared(node: ast.Compare, names: Names) -> bool:
    left = _value(node.left, names)
    for op, other in zip(node.ops, node.comparators, strict=True):
        right = _value(other, names)
        if not _holds(op, left, right):
            return False
        left = right
    return True


def _holds(op: ast.cmpop, left: Any, right: Any) -> bool:
    match op:
        case ast.Eq():
            return bool(left == right)
        case ast.NotEq():
            return bool(left != right)
        case ast.In() | ast.NotIn():
            if not isinstance(right, list | dict | str) or (
                isinstance(right, str) and not isinstance(left, str)
            ):
                raise Unfit(f"{_shown(right)} is no list")
            return (left in right) == isinstance(op, ast.In)
    a, b = _number(left), _number(right)
    match op:
        case ast.Lt():
            return a < b
        case ast.LtE():
            return a <= b
        case ast.Gt():
            return a > b
        case _:
            return a >= b


def _element(value: Any, index: Any) -> Any:
    if isinstance(value, dict) and isinstance(index, str):
        return value.get(index)
    if not isinstance(value, list | str) or type(index) is not int:
        raise Unfit(f"{_shown(value)} is no list")
    if not -len(value) <= index < len(value):
        raise Unfit(f"entry {index} of a list of {len(value)} is asked for")
    return value[index]


def _called(function: str, arguments: list[Any]) -> Any:
    try:
        return _plain_or_kept(_FUNCTIONS[function](*arguments))
    except (TypeError, ValueError):
        raise Unfit(f"{function}({', '.join(_shown(each) for each in arguments)}) has no value") from None


def _plain_or_kept(value: Any) -> Any:
    return _plain(value) if isinstance(value, Fraction) else value


def _ceil(value: Any, step: Any = 1) -> int:
    """The next multiple of `step`."""
    return int(-(-_number(value) // _step(step)) * step)


def _floor(value: Any, step: Any = 1) -> int:
    return int(_number(value) // _step(step) * step)


def _step(value: Any) -> int | Fraction:
    if _number(value) <= 0:
        raise ValueError
    return _number(value)


def _last(value: Any, element: Any) -> int:
    """The index of the last such entry of a list, -1 for none."""
    found = [at for at, each in enumerate(value) if each == element]
    return found[-1] if found else -1


def _repeated(value: Any, count: Any) -> list[Any]:
    """A list of `count` entries, gone round in the given one."""
    if not value or type(count) is not int or count > MAX_REPEATED:
        raise ValueError
    return [value[at % len(value)] for at in range(count)]


def _numbers(value: Any) -> list[int]:
    """Whole numbers that a text lists with commas between; a list as it is."""
    if isinstance(value, list):
        return value
    if not isinstance(value, str):
        raise TypeError
    return [int(each) for each in value.split(",") if each.strip()]


_FUNCTIONS: Final[dict[str, Callable[..., Any]]] = {
    "ceil": _ceil,
    "floor": _floor,
    "min": lambda *values: min(_number(each) for each in values),
    "max": lambda *values: max(_number(each) for each in values),
    "len": len,
    "sum": lambda values: sum(_number(each) for each in values),
    "repeat": _repeated,
    "last": _last,
    "tally": lambda value, element: sum(each == element for each in value),
    "is_whole": lambda value: type(value) is int,
    "numbers": _numbers,
    "each": lambda value, layer: _element(value, layer) if isinstance(value, list) else value,
}


_ASKING: Final = ("given", "count", "before", "first")
"""`given("key")`: whether the config gives a key; `count("set")`: the layers in a set; `before("set")`: those of them before
this layer; `first("set")`: the number of the first. The caller answers them."""


def _shown(value: Any) -> str:
    text = str(value)
    return f"`{text[:40]}…`" if len(text) > 40 else f"`{text}`"
