"""Types: what may stand in a slot."""

from __future__ import annotations

from typing import Final

from capwright.base.source import Span
from capwright.syntax.actions.context import Children, Context
from capwright.syntax.lalr import Action
from capwright.syntax.tree import TypeRef


def type_(context: Context, children: Children, start: int, end: int) -> TypeRef:
    static, signed, unit, low, high = children
    span = Span(context.file, start, end)
    return TypeRef(span, unit[0], static=static is not None, signed=signed is not None, low=low, high=high)


def whole_type(context: Context, children: Children, start: int, end: int) -> TypeRef:
    static, signed, _, unit, low, high = children
    return TypeRef(
        Span(context.file, start, end),
        "number" if unit is None else unit[0],
        whole=True,
        static=static is not None,
        signed=signed is not None,
        low=low,
        high=high,
    )


def list_type(context: Context, children: Children, start: int, end: int) -> TypeRef:
    element, word = children
    named = None if word is None else word[0]
    return TypeRef(Span(context.file, start, end), element.text, list_of=True, element_word=named)


def choices(context: Context, children: Children, start: int, end: int) -> TypeRef:
    return TypeRef(Span(context.file, start, end), "", choices=tuple([token[0] for token in children]))


ACTIONS: Final[dict[str, Action]] = {
    "type": type_,
    "whole_type": whole_type,
    "list_type": list_type,
    "choices": choices,
}
