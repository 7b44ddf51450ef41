"""Finding the calls that read files in a tree, whatever statements they stand in."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from typing import Final

from msgspec import Struct

from capwright.base.source import Source, Span
from capwright.syntax.tree import Call, Instance, Module, Text

_MAY_READ: Final = re.compile(r'\(\s*(?:#[^\n]*\s*)*"')


class ReaderCall(Struct, frozen=True):
    """A call whose first argument is a path in quotes.

    `declares` is the name of the instance it stands in, "" outside of any; `columns` are its named arguments
    that are texts.
    """

    function: str
    path: str
    path_span: Span
    declares: str
    columns: dict[str, str]


def reader_calls(module: Module, source: Source) -> list[ReaderCall]:
    """Every call in the module that could read a file, in the order of the text.

    Only statements with a bracket before a quote in their text are walked: most of a large plan has none.
    """
    places = [match.start() for match in _MAY_READ.finditer(source.text)]
    return [
        call
        for statement in module.statements
        if places and bisect_left(places, statement.span.start) < bisect_left(places, statement.span.end)
        for call in _calls(statement)
    ]


def _calls(root: object) -> Iterator[ReaderCall]:
    """The calls below a node, outer before inner, left before right, by a stack of our own."""
    stack: list[tuple[object, str]] = [(root, "")]
    while stack:
        node, declares = stack.pop()
        if type(node) is tuple:
            stack.extend((part, declares) for part in reversed(node))
        elif isinstance(node, Struct):
            if isinstance(node, Instance):
                declares = node.name
            elif isinstance(node, Call) and node.arguments:
                yield from _reading(node, declares)
            stack.extend((getattr(node, name), declares) for name in reversed(node.__struct_fields__))


def _reading(call: Call, declares: str) -> Iterator[ReaderCall]:
    first, *rest = call.arguments
    if first.name is None and isinstance(first.value, Text):
        columns = {
            argument.name: argument.value.value
            for argument in rest
            if argument.name is not None and isinstance(argument.value, Text)
        }
        yield ReaderCall(call.function, first.value.value, first.value.span, declares, columns)
