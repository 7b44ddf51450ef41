"""Finding the calls of importer readers in a tree, whatever statements they stand in."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import fields, is_dataclass
from functools import cache

from capwright.base.source import Source
from capwright.syntax.tree import Call, Module


def reader_calls(module: Module, source: Source, readers: Iterable[str]) -> Iterator[Call]:
    """Every call of one of `readers` in the module, in the order of the text.

    Only statements whose text mentions a reader before a bracket are walked: most of a large plan has none.
    """
    names = frozenset(readers)
    pattern = re.compile(rf"\b(?:{'|'.join(map(re.escape, sorted(names)))})\s*\(")
    places = [match.start() for match in pattern.finditer(source.text)]
    if not places:
        return
    for statement in module.statements:
        start, end = statement.span.start, statement.span.end
        if any(start <= place < end for place in places):
            yield from (call for call in _calls(statement) if call.function in names)


def _calls(root: object) -> Iterator[Call]:
    """All calls below a node, outer before inner, left before right, by a stack of our own."""
    stack = [root]
    while stack:
        node = stack.pop()
        if type(node) is tuple:
            stack.extend(reversed(node))
        elif is_dataclass(node):
            if isinstance(node, Call):
                yield node
            stack.extend(getattr(node, name) for name in _parts(type(node)))


@cache
def _parts(kind: type) -> tuple[str, ...]:
    """The names of a node's parts, last first, so that a stack gives them back in order."""
    return tuple(part.name for part in reversed(fields(kind)))
