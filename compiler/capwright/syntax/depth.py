"""How deep an expression is, found without recursion: what comes after may recurse over what passes here."""

from __future__ import annotations

from typing import Any, Final, get_args

from capwright.syntax import tree
from capwright.syntax.limits import MAX_DEPTH

_INNER: Final = frozenset({*get_args(tree.Expr), tree.Argument, tree.TypeRef, tree.Parameter})


def too_deep(statement: Any) -> bool:
    """Whether an expression of the statement has more than `MAX_DEPTH` levels; its bodies are not entered."""
    level: list[Any] = [statement]
    for _ in range(MAX_DEPTH + 2):
        level = [inner for node in level for inner in _parts(node)]
        if not level:
            return False
    return True


def _parts(node: Any) -> list[Any]:
    found: list[Any] = []
    for name in node.__slots__:
        value = getattr(node, name)
        if type(value) in _INNER:
            found.append(value)
        elif type(value) is tuple:
            found += [part for part in value if type(part) in _INNER]
    return found
