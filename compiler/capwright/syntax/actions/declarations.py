"""Declarations: units, kinds, entities, formulas."""

from __future__ import annotations

from typing import Final

from capwright.base.source import Span
from capwright.syntax.actions.clauses import Part, gather, label_only, once
from capwright.syntax.actions.context import Children, Context
from capwright.syntax.actions.expressions import unescape
from capwright.syntax.actions.members import relation_of
from capwright.syntax.lalr import Action
from capwright.syntax.tree import (
    ContextKey,
    ContextTerm,
    EntityDecl,
    FormulaDecl,
    KindDecl,
    Parameter,
    TypeRef,
    UnitDecl,
)

Agreed = tuple[tuple[ContextTerm, ...], tuple[str, ...]]


def _part(word: str) -> Action:
    def make(context: Context, children: Children, start: int, end: int) -> Part:
        return Part(word, children[0] if children else True, Span(context.file, start, end))

    return make


def symbol(context: Context, children: Children, start: int, end: int) -> Part:
    return Part("symbol", children[0][0], Span(context.file, start, end))


def prefixes(context: Context, children: Children, start: int, end: int) -> Part:
    return Part("prefixes", tuple([token[0] for token in children]), Span(context.file, start, end))


def unit_declaration(context: Context, children: Children, start: int, end: int) -> UnitDecl:
    names, *parts = children
    found, _ = once(context, parts)
    values = {word: part.value for word, part in found.items()}
    return UnitDecl(Span(context.file, start, end), names, **values)


def kind_scope(context: Context, children: Children, start: int, end: int) -> Part:
    return Part("scope", children[0][0], Span(context.file, start, end))


def context_key(context: Context, children: Children, start: int, end: int) -> ContextKey:
    optional, name, value = children
    terms, words = value or ((), ())
    return ContextKey(Span(context.file, start, end), name[0], terms, words, optional is not None)


def context_paths(_context: Context, children: Children, _start: int, _end: int) -> Agreed:
    return tuple(children), ()


def context_term(_context: Context, children: Children, _start: int, _end: int) -> ContextTerm:
    *paths, instead = children
    return ContextTerm(tuple([path.names for path in paths]), None if instead is None else instead.names)


def context_words(context: Context, children: Children, _start: int, _end: int) -> Agreed:
    return (), tuple([unescape(context, text) for text in children])


def context_keys(context: Context, children: Children, start: int, end: int) -> Part:
    return Part("context", tuple(children), Span(context.file, start, end))


def kind_declaration(context: Context, children: Children, start: int, end: int) -> KindDecl:
    name, unit, *parts = children
    found, _ = once(context, parts)
    values = {word: part.value for word, part in found.items()}
    return KindDecl(
        Span(context.file, start, end), name[0], context.of(name), unit[0], context.of(unit), **values
    )


def entity(context: Context, children: Children, start: int, end: int) -> EntityDecl:
    name, parent, before, members, after = children
    return EntityDecl(
        Span(context.file, start, end),
        name[0],
        context.of(name),
        None if parent is None else parent.text,
        None if parent is None else parent.span,
        members or (),
        label_only(context, [*before, *(after or ())], "an entity"),
    )


def parameter(context: Context, children: Children, start: int, end: int) -> Parameter:
    name, slot, kind = children
    return Parameter(Span(context.file, start, end), name[0], slot, None if kind is None else kind.text)


def formula(context: Context, children: Children, start: int, end: int) -> FormulaDecl:
    name, *rest, before, default, relation, value, after = children
    parameters = tuple([part for part in rest if type(part) is Parameter])
    slot: TypeRef = rest[-1]
    clauses, kind = gather(
        context, before, after, no_number="" if value is not None else "a formula without a body"
    )
    return FormulaDecl(
        Span(context.file, start, end),
        name[0],
        context.of(name),
        parameters,
        slot,
        kind,
        "=" if relation is None else relation_of(relation),
        value,
        default is not None,
        clauses,
    )


ACTIONS: Final[dict[str, Action]] = {
    "unit_declaration": unit_declaration,
    "symbol": symbol,
    "prefixes": prefixes,
    "counting": _part("counting"),
    "unit_value": _part("value"),
    "kind_declaration": kind_declaration,
    "kind_scope": kind_scope,
    "meets": _part("meets"),
    "refuses": _part("refuses"),
    "measured": _part("measured"),
    "context": context_keys,
    "context_key": context_key,
    "context_paths": context_paths,
    "context_term": context_term,
    "context_words": context_words,
    "entity": entity,
    "parameter": parameter,
    "formula": formula,
}
