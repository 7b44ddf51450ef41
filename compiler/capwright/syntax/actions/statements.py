"""Statements that stand at top level only."""

from __future__ import annotations

from typing import Final

from capwright.base.source import Span
from capwright.syntax.actions.clauses import gather, label_only
from capwright.syntax.actions.context import Children, Context, Dotted
from capwright.syntax.actions.expressions import path_expression, unescape
from capwright.syntax.lalr import Action
from capwright.syntax.tree import Evidence, Measure, Moved, OptionDecl, Report, Requirement, Use


def use_library(context: Context, children: Children, start: int, end: int) -> Use:
    name, alias = children
    return Use(
        Span(context.file, start, end), name[0], is_path=False, alias=None if alias is None else alias[0]
    )


def use_file(context: Context, children: Children, start: int, end: int) -> Use:
    path, alias = children
    target = unescape(context, path)
    return Use(
        Span(context.file, start, end), target, is_path=True, alias=None if alias is None else alias[0]
    )


def measure(context: Context, children: Children, start: int, end: int) -> Measure:
    path, value, low, high, name, members, after = children
    return Measure(
        Span(context.file, start, end),
        path.names,
        path.span,
        value,
        low,
        high,
        None if name is None else name[0],
        members or (),
        gather(context, after).clauses,
    )


def evidence(context: Context, children: Children, start: int, end: int) -> Evidence:
    name, path, members, after = children
    clauses = gather(context, after, no_number="evidence").clauses
    return Evidence(Span(context.file, start, end), name[0], path.names, path.span, members, clauses)


def require(context: Context, children: Children, start: int, end: int) -> Requirement:
    established, condition, after = children
    label = label_only(context, after, "`require`")
    span = Span(context.file, start, end)
    return Requirement(span, "require", condition, label, established=established is not None)


def expect(context: Context, children: Children, start: int, end: int) -> Requirement:
    condition, after = children
    return Requirement(
        Span(context.file, start, end), "expect", condition, label_only(context, after, "`expect`")
    )


def option(context: Context, children: Children, start: int, end: int) -> OptionDecl:
    name, path, members, after = children
    base = path_expression(context, path)
    label = label_only(context, after, "an option")
    return OptionDecl(Span(context.file, start, end), name[0], context.of(name), base, members, label)


def report(context: Context, children: Children, start: int, end: int) -> Report:
    paths = tuple([(path.names, path.span) for path in children if type(path) is Dotted])
    title = None if children[-1] is None else unescape(context, children[-1])
    return Report(Span(context.file, start, end), paths, title)


def moved(context: Context, children: Children, start: int, end: int) -> Moved:
    return Moved(Span(context.file, start, end), children[0].names, children[1].names)


ACTIONS: Final[dict[str, Action]] = {
    "use_library": use_library,
    "use_file": use_file,
    "measure": measure,
    "evidence": evidence,
    "require": require,
    "expect": expect,
    "option": option,
    "report": report,
    "moved": moved,
}
