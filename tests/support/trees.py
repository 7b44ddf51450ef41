"""Trees for tests: parsing a text that must be right, and a tree without its places."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from msgspec import Struct

from capwright.base.diagnostic import Diagnostic
from capwright.base.source import Source, Span
from capwright.syntax.parse import parse
from capwright.syntax.tree import Quantity, Statement

ROOT = Path(__file__).resolve().parents[2]


def parsed(text: str, path: str = "t.plan") -> tuple[Statement, ...]:
    module, problems = parse(Source(path, text))
    assert problems == (), [problem.message for problem in problems]
    return module.statements


def one(text: str) -> Any:
    statements = parsed(text)
    assert len(statements) == 1, statements
    return statements[0]


def member(text: str) -> Any:
    (found,) = one(f"entity e {{ {text} }}").members
    return found


def value(text: str) -> Any:
    return one(f"x = {text}").value


def problems(text: str) -> tuple[Diagnostic, ...]:
    return parse(Source("t.plan", text))[1]


def placeless(node: Any) -> Any:
    """A node as nested tuples without spans; a literal is what it says, not how it is spaced."""
    if isinstance(node, Span):
        return None
    if isinstance(node, Quantity):
        return ("Quantity", node.value, node.unit)
    if isinstance(node, Struct):
        return (type(node).__name__, *[placeless(getattr(node, name)) for name in node.__struct_fields__])
    if isinstance(node, tuple):
        return tuple(placeless(part) for part in node)
    return node


def spans(node: Any) -> list[Span]:
    """Every span of a tree."""
    if isinstance(node, Span):
        return [node]
    if isinstance(node, Struct):
        return [span for name in node.__struct_fields__ for span in spans(getattr(node, name))]
    if isinstance(node, tuple):
        return [span for part in node for span in spans(part)]
    return []


def nodes(node: Any) -> list[Any]:
    """Every node of a tree, itself first."""
    if isinstance(node, Struct):
        return [node, *[inner for name in node.__struct_fields__ for inner in nodes(getattr(node, name))]]
    if isinstance(node, tuple) and not isinstance(node, Span):
        return [inner for part in node for inner in nodes(part)]
    return []


def plan_files() -> list[Path]:
    """Every plan that the project ships."""
    return sorted((ROOT / "plans").rglob("*.plan"))
