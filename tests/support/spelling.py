"""Expressions as text in one spelling, for tests of the parser: parsing it again gives the same tree."""

from __future__ import annotations

from typing import Final

from capwright.syntax.tree import (
    Argument,
    AsKind,
    Attribute,
    Binary,
    Call,
    Comprehension,
    Derive,
    Expr,
    If,
    InUnit,
    Is,
    ListOf,
    Name,
    Quantity,
    Search,
    Text,
    Unary,
)

_LOOSEST: Final = 0
_OR, _AND, _NOT, _COMPARE, _MEASURED, _SUM, _PRODUCT, _UNARY, _POWER, _PRIMARY = range(1, 11)
_LEVELS: Final = {"or": _OR, "and": _AND, "+": _SUM, "-": _SUM, "*": _PRODUCT, "/": _PRODUCT, "^": _POWER}


def expression_text(expression: Expr) -> str:
    """The canonical text of an expression; parsing it again gives the same tree."""
    return _text(expression, _LOOSEST)


def quoted(value: str) -> str:
    """A string as a plan spells it."""
    escaped = value.replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n").replace("\t", r"\t")
    return f'"{escaped}"'


def quantity_text(quantity: Quantity) -> str:
    """A literal with its number as written and one blank before its unit; none before `%`."""
    if not quantity.unit:
        return quantity.text
    number = quantity.text[: -len(quantity.unit)].rstrip(" ")
    return f"{number}{'' if quantity.unit == '%' else ' '}{quantity.unit}"


def _text(node: Expr, least: int) -> str:
    """The text of a node, in parentheses where it binds more loosely than its place allows."""
    words, level = _spelled(node)
    return f"({words})" if level < least else words


def _spelled(node: Expr) -> tuple[str, int]:
    match node:
        case Quantity():
            return quantity_text(node), _PRIMARY
        case Text(value=value):
            return quoted(value), _PRIMARY
        case Name(name=name):
            return name, _PRIMARY
        case Attribute(base=base, name=name):
            return f"{_text(base, _PRIMARY)}.{name}", _PRIMARY
        case Call(function=function, arguments=arguments):
            return f"{function}({', '.join(_argument(argument) for argument in arguments)})", _PRIMARY
        case Comprehension():
            return _comprehension(node), _PRIMARY
        case ListOf(items=items):
            return f"[{', '.join(_text(item, _LOOSEST) for item in items)}]", _PRIMARY
        case Derive(base=base):
            return f"{_text(base, _PRIMARY)} {{ … }}", _POWER
        case Binary():
            return _binary(node)
        case Unary(operator="not", operand=operand):
            return f"not {_text(operand, _NOT)}", _NOT
        case Unary(operand=operand):
            return f"-{_text(operand, _UNARY)}", _UNARY
        case _:
            return _worded(node)


def _worded(node: If | Is | InUnit | AsKind | Search | Expr) -> tuple[str, int]:
    match node:
        case If(condition=condition, then=then, otherwise=otherwise):
            parts = (_text(part, _LOOSEST) for part in (condition, then, otherwise))
            return "if {} then {} else {}".format(*parts), _LOOSEST
        case Is(operand=operand, type_name=wanted, negated=negated):
            return f"{_text(operand, _SUM)} is {'not ' if negated else ''}{wanted}", _COMPARE
        case InUnit(operand=operand, unit=unit):
            return f"{_text(operand, _SUM)} in {unit}", _MEASURED
        case AsKind(operand=operand, kind=kind):
            return f"{_text(operand, _SUM)} as {kind}", _MEASURED
        case Search(which=which, variable=variable, low=low, high=high, condition=condition):
            ends = f"{_text(low, _SUM)} .. {_text(high, _SUM)}"
            return f"{which} {variable} in {ends} where {_text(condition, _LOOSEST)}", _LOOSEST
    raise AssertionError(node)


def _binary(node: Binary) -> tuple[str, int]:
    sign = node.operator
    level = _LEVELS.get(sign, _COMPARE)
    if sign == "^":
        base = _text(node.left, _PRIMARY)
        if type(node.left) is Quantity and node.left.unit:  # else the power would be the unit's
            base = f"({base})"
        return f"{base}^{_text(node.right, _UNARY)}", level
    left, right = (_MEASURED, _MEASURED) if level == _COMPARE else (level, level + 1)
    return f"{_text(node.left, left)} {sign} {_text(node.right, right)}", level


def _argument(argument: Argument) -> str:
    words = _text(argument.value, _LOOSEST)
    if argument.name is None:
        return words
    return f"to {_text(argument.value, _SUM)}" if argument.name == "to" else f"{argument.name}: {words}"


def _comprehension(node: Comprehension) -> str:
    chosen = f"{node.variable} in {_text(node.source, _LOOSEST)}"
    if node.function not in {"count", "filter"}:
        chosen = f"{_text(node.body, _LOOSEST)} for {chosen}"
    where = "" if node.condition is None else f" where {_text(node.condition, _LOOSEST)}"
    return f"{node.function}({chosen}{where})"
