"""Expressions: numbers, names, operators, calls, lists."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from capwright.base.exact import Number, TooLarge, parse_number
from capwright.base.source import Span
from capwright.syntax.actions.context import Children, Context, Dotted, dotted
from capwright.syntax.lalr import Action, Token
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

_NUMBER: Final = re.compile(r"[0-9][0-9_]*(?:\.[0-9_]+)?(?:[eE][+-]?[0-9]+)?(?:[kM](?!\w))?")
_ESCAPE: Final = re.compile(r"\\(.)")
_ESCAPES: Final = {'"': '"', "\\": "\\", "n": "\n", "t": "\t"}
_SPELLING: Final = {"×": "*", "·": "*", "≤": "<=", "≥": ">="}


@lru_cache(maxsize=16_384)
def read_quantity(text: str) -> tuple[Number, str]:
    """Value and unit of a literal such as `16 tokens/block`; raises `TooLarge`."""
    match = _NUMBER.match(text)
    assert match is not None
    number = match[0]
    value = int(number) if len(number) < 20 and number.isdecimal() else parse_number(number)
    return value, text[match.end() :].lstrip(" ")


def operator(token: Token) -> str:
    """The one spelling of an operator."""
    return _SPELLING.get(token[0], token[0])


def quantity(context: Context, children: Children, start: int, end: int) -> Quantity:
    text = children[0][0]
    span = Span(context.file, start, end)
    try:
        value, unit = read_quantity(text)
    except TooLarge:
        shown = text if len(text) <= 24 else f"{text[:20]}…"
        context.wrong("CW0108", span, f"the number {shown} is out of bounds", "write it in a larger unit")
        value, unit = 1, ""
    return Quantity(span, value, unit, text)


def unescape(context: Context, token: Token) -> str:
    """What a string says; an unknown escape is a mistake."""
    inner = token[0][1:-1]
    if "\\" not in inner:
        return inner
    for match in _ESCAPE.finditer(inner):
        if match[1] not in _ESCAPES:
            at = token[1] + 1 + match.start()
            message = f"`\\{match[1]}` means nothing in a string"
            context.wrong(
                "CW0109",
                context.span(at, at + 2),
                message,
                r"write `\\` for a backslash; there are also `\"`, `\n` and `\t`",
            )
    return _ESCAPE.sub(lambda match: _ESCAPES.get(match[1], match[1]), inner)


def text(context: Context, children: Children, start: int, end: int) -> Text:
    return Text(Span(context.file, start, end), unescape(context, children[0]))


def name(context: Context, children: Children, start: int, end: int) -> Name:
    return Name(Span(context.file, start, end), children[0][0])


def attribute(context: Context, children: Children, start: int, end: int) -> Attribute:
    base, token = children
    return Attribute(Span(context.file, start, end), base, token[0], context.of(token))


def path_expression(context: Context, path: Dotted) -> Expr:
    """A path of names as the expression it is."""
    first, *rest = path.tokens
    made: Expr = Name(context.of(first), first[0])
    for token in rest:
        made = Attribute(context.span(first[1], token[2]), made, token[0], context.of(token))
    return made


def base(context: Context, children: Children, _start: int, _end: int) -> Expr:
    found = children[0]
    return path_expression(context, found) if type(found) is Dotted else found


def binary(context: Context, children: Children, start: int, end: int) -> Binary:
    left, sign, right = children
    return Binary(Span(context.file, start, end), operator(sign), left, right)  # type: ignore[arg-type]  # the grammar has these signs alone


def negative(context: Context, children: Children, start: int, end: int) -> Unary:
    return Unary(Span(context.file, start, end), "-", children[0])


def not_(context: Context, children: Children, start: int, end: int) -> Unary:
    return Unary(Span(context.file, start, end), "not", children[0])


def if_(context: Context, children: Children, start: int, end: int) -> If:
    condition, then, otherwise = children
    return If(Span(context.file, start, end), condition, then, otherwise)


def is_(context: Context, children: Children, start: int, end: int) -> Is:
    operand, negated, wanted = children
    return Is(Span(context.file, start, end), operand, wanted.text, wanted.span, negated is not None)


def in_unit(context: Context, children: Children, start: int, end: int) -> InUnit:
    operand, unit = children
    return InUnit(Span(context.file, start, end), operand, unit[0])


def as_kind(context: Context, children: Children, start: int, end: int) -> AsKind:
    operand, kind = children
    return AsKind(Span(context.file, start, end), operand, kind.text, kind.span)


def search(context: Context, children: Children, start: int, end: int) -> Search:
    which, variable, low, high, condition = children
    return Search(Span(context.file, start, end), which[0], variable[0], low, high, condition)


def derive(context: Context, children: Children, start: int, end: int) -> Derive:
    return Derive(Span(context.file, start, end), children[0], children[1])


def list_(context: Context, children: Children, start: int, end: int) -> ListOf:
    return ListOf(Span(context.file, start, end), tuple([item for item in children if item is not None]))


def call(context: Context, children: Children, start: int, end: int) -> Call:
    function, *arguments = children
    given = tuple([argument for argument in arguments if argument is not None])
    return Call(Span(context.file, start, end), function[0], context.of(function), given)


def positional(context: Context, children: Children, start: int, end: int) -> Argument:
    return Argument(Span(context.file, start, end), None, children[0])


def named(context: Context, children: Children, start: int, end: int) -> Argument:
    return Argument(Span(context.file, start, end), children[0][0], children[1])


def step(context: Context, children: Children, start: int, end: int) -> Argument:
    return Argument(Span(context.file, start, end), "to", children[0])


def comprehension(context: Context, children: Children, start: int, end: int) -> Comprehension:
    function, each, variable, source, condition = children
    return Comprehension(Span(context.file, start, end), function[0], each, variable[0], source, condition)


def selection(context: Context, children: Children, start: int, end: int) -> Comprehension:
    function, variable, source, condition = children
    each = Name(context.of(variable), variable[0])
    return Comprehension(Span(context.file, start, end), function[0], each, variable[0], source, condition)


ACTIONS: Final[dict[str, Action]] = {
    "quantity": quantity,
    "text": text,
    "name": name,
    "attribute": attribute,
    "dotted": dotted,
    "base": base,
    "binary": binary,
    "negative": negative,
    "not_": not_,
    "if_": if_,
    "is_": is_,
    "in_unit": in_unit,
    "as_kind": as_kind,
    "search": search,
    "derive": derive,
    "list": list_,
    "call": call,
    "positional": positional,
    "named": named,
    "step": step,
    "comprehension": comprehension,
    "selection": selection,
}
