"""What the actions share: where they are, the bodies already parsed, and the mistakes they find."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from capwright.base.diagnostic import Diagnostic, Note
from capwright.base.source import Span
from capwright.syntax.lalr import Token
from capwright.syntax.tree import Member

Children = list[Any]


class Context:
    """`bodies` leads from the offset of each `{` to the members in it."""

    __slots__ = ("bodies", "file", "in_body", "problems")

    def __init__(self, file: str, bodies: Mapping[int, tuple[Member, ...]], *, in_body: bool) -> None:
        self.file = file
        self.bodies = bodies
        self.in_body = in_body
        self.problems: list[Diagnostic] = []

    def span(self, start: int, end: int) -> Span:
        return Span(self.file, start, end)

    def of(self, token: Token) -> Span:
        """Where a token stands."""
        return Span(self.file, token[1], token[2])

    def wrong(self, code: str, span: Span, message: str, way_out: str, *notes: Note) -> None:
        """Note a mistake that the grammar alone does not see."""
        self.problems.append(Diagnostic(code, span, message, way_out, notes=notes))


class Dotted(NamedTuple):
    """A path of names as tokens, before it is known what it stands for."""

    tokens: tuple[Token, ...]
    span: Span

    @property
    def names(self) -> tuple[str, ...]:
        return tuple([token[0] for token in self.tokens])

    @property
    def text(self) -> str:
        return ".".join(self.names)


def dotted(context: Context, children: Children, start: int, end: int) -> Dotted:
    first = children[0]
    if type(first) is list:  # a leading word is the one child of its own rule
        first = first[0]
    return Dotted((first, *children[1:]), Span(context.file, start, end))


def only(_context: Context, children: Children, _start: int, _end: int) -> Any:
    """A rule that names one token."""
    return children[0]


def body(context: Context, _children: Children, start: int, _end: int) -> tuple[Member, ...]:
    return context.bodies.get(start, ())


def words(_context: Context, children: Children, _start: int, _end: int) -> tuple[str, ...]:
    """A list of names, as plain text."""
    return tuple([token[0] for token in children])
