"""Text to tree."""

from __future__ import annotations

from typing import Any, Final

from msgspec.structs import replace

from capwright.base.diagnostic import Diagnostic
from capwright.base.source import Source, Span
from capwright.syntax.actions.context import Context
from capwright.syntax.depth import too_deep
from capwright.syntax.grammar import walker
from capwright.syntax.guard import refusal
from capwright.syntax.lalr import Failure
from capwright.syntax.limits import MAX_DEPTH, MAX_MESSAGES
from capwright.syntax.problems import explain, overdeep
from capwright.syntax.split import Item, own_length, split
from capwright.syntax.tree import Broken, Member, Module, Statement
from capwright.syntax.treecodec import moved

_REMEMBERED: Final = 20_000
_statements: dict[tuple[str, str], tuple[int, Statement]] = {}
"""Statements without a mistake, by file and text, with where they stood: an editor parses the same ones
again and again, each time with one changed. The same text in the same place is the same object."""


def parse(source: Source) -> tuple[Module, tuple[Diagnostic, ...]]:
    """The tree of a text, with what is wrong with it; what does not parse is `Broken` in it.

    Never raises, whatever the text.
    """
    refused = refusal(source)
    if refused is not None:
        whole = Span(source.path, 0, len(source.text))
        return Module(source.path, (Broken(whole, rest=True),)), (refused,)
    items, problems = split(source)
    parser = _Parser(source, problems)
    statements = parser.items(items, in_body=False) if problems else parser.remembered(items)
    for opened, closed in _unopened(source, parser.problems, parser.braceless):
        statements = tuple(
            _salvaged(source, item, None, in_body=False)
            if opened < item.start and item.end <= closed
            else statement
            for item, statement in zip(items, statements, strict=True)
        )
    return Module(source.path, statements), _sorted(parser.problems)


def _unopened(
    source: Source, problems: list[Diagnostic], braceless: list[Diagnostic]
) -> list[tuple[int, int]]:
    """Where a `{` was forgotten, and the `}` that closes nothing for it: that is no mistake of its own, and is taken out.
    What stands between the two was to be a body. `braceless` are the mistakes in whose place a `{` could stand."""
    missing = [one for one in problems if one in braceless]
    found: list[tuple[int, int]] = []
    for stray in sorted((one for one in problems if one.code == "CW0102"), key=lambda one: one.span.start):
        before = [one for one in missing if one.span.start < stray.span.start]
        if before and source.text[stray.span.start] == "}" and "closes nothing" in stray.message:
            missing.remove(before[-1])
            problems.remove(stray)
            found.append((before[-1].span.start, stray.span.start))
    return found


def _sorted(problems: list[Diagnostic]) -> tuple[Diagnostic, ...]:
    """In the order of the text, and no more than someone would read."""
    ordered = sorted(problems, key=lambda problem: (problem.span.start, problem.code))
    if len(ordered) <= MAX_MESSAGES:
        return tuple(ordered)
    last = ordered[MAX_MESSAGES - 1]
    more = replace(last, help=f"{last.help} (further mistakes in this file are not shown)")
    return (*ordered[: MAX_MESSAGES - 1], more)


def _salvaged(source: Source, item: Item, failure: Failure | None, *, in_body: bool) -> Broken:
    from capwright.syntax.salvage import salvaged  # which a text without mistakes has no need of

    return salvaged(source, item, failure, in_body=in_body)


class _Parser:
    def __init__(self, source: Source, problems: list[Diagnostic]) -> None:
        self.source = source
        self.problems = problems
        self.braceless: list[Diagnostic] = []
        """The mistakes in whose place a `{` could stand."""
        self.walker = walker()

    def items(self, items: list[Item], *, in_body: bool) -> tuple[Any, ...]:
        return tuple([self.item(item, in_body=in_body) for item in items])

    def remembered(self, items: list[Item]) -> tuple[Statement, ...]:
        """The statements at top level, each parsed only if it was not parsed before."""
        path, text = self.source.path, self.source.text
        made: list[Statement] = []
        for item in items:
            start = item.start
            key = (path, text[start : item.end])
            known = _statements.get(key)
            if known is not None and known[0] == start:
                made.append(known[1])
                continue
            count = len(self.problems)
            if known is not None:
                node = moved(known[1], path, start - known[0])
            else:
                node = self.item(item, in_body=False)
            made.append(node)
            if len(self.problems) == count:
                if len(_statements) >= _REMEMBERED:
                    _statements.clear()
                _statements[key] = (start, node)
        return tuple(made)

    def item(self, item: Item, *, in_body: bool) -> Any:
        made = self._parsed(item, in_body=in_body)
        failure = made if type(made) is Failure else None
        if made is not None and failure is None and not item.damaged:
            return made
        return _salvaged(self.source, item, failure, in_body=in_body)

    def _parsed(self, item: Item, *, in_body: bool) -> Any:
        bodies: dict[int, tuple[Member, ...]] = {}
        jumps: dict[int, int] = {}
        for body in item.bodies:
            bodies[body.open] = self.items(body.items, in_body=True)
            jumps[body.open] = body.close
        if len(self.problems) > MAX_MESSAGES:
            return None
        context = Context(self.source.path, bodies, in_body=in_body)
        start = "member" if in_body else "statement"
        made = self.walker.run(start, context, self.source.text, (item.start, item.end), jumps)
        if type(made) is Failure:
            if not item.damaged:
                problem = explain(self.source, item, made, in_body=in_body)
                self.problems.append(problem)
                if "LBRACE" in made.accepted and made.kind != "LBRACE":
                    self.braceless.append(problem)
            return made
        self.problems += context.problems
        if own_length(item) > MAX_DEPTH and too_deep(made):
            self.problems.append(overdeep(self.source, item))
            return None
        return made
