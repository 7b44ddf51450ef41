"""What an expression names, as it is written: a quantity may have several addresses, and one of them is meant."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from capwright.base.source import Span
from capwright.syntax.tree import Attribute, Expr, Name


def paths_in(expr: Expr) -> Iterator[str]:
    """The dotted paths of an expression."""
    waiting: list[object] = [expr]
    while waiting:
        one = waiting.pop(0)
        path = _path(one)
        if path:
            yield path
        elif isinstance(one, tuple):
            waiting.extend(one)
        elif isinstance(one, Struct) and not isinstance(one, Span):
            waiting.extend(getattr(one, name) for name in one.__struct_fields__)


def path_of(span: Span, path: str) -> Expr:
    """The expression that a dotted path is, as if it stood at `span`."""
    first, *rest = path.split(".")
    expr: Expr = Name(span, first)
    for name in rest:
        expr = Attribute(span, expr, name, span)
    return expr


def _path(expr: object) -> str:
    """`a.b.c` where that is all that an expression is, else nothing."""
    if isinstance(expr, Attribute):
        base = _path(expr.base)
        return base and f"{base}.{expr.name}"
    return expr.name if isinstance(expr, Name) else ""
