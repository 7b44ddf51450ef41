"""What stands in a body, and what may stand there or at top level."""

from __future__ import annotations

from typing import Final

from capwright.base.source import Span
from capwright.syntax.actions.clauses import gather
from capwright.syntax.actions.context import Children, Context, Dotted, body
from capwright.syntax.actions.expressions import operator, unescape
from capwright.syntax.lalr import Action, Token
from capwright.syntax.tree import (
    Absent,
    Assume,
    Binding,
    Block,
    Check,
    Field,
    Inherits,
    Instance,
    Relation,
    View,
)


def relation_of(token: Token) -> Relation:
    """The relation a token spells."""
    return operator(token)  # type: ignore[return-value]  # the grammar has these signs alone


def single(context: Context, path: Dotted, what: str) -> Token:
    """The one word of a path that must be one."""
    if len(path.tokens) > 1:
        context.wrong(
            "CW0114",
            path.span,
            f"{what} is named by one word, not `{path.text}`",
            "nest it in blocks: `outer { inner … }`",
        )
    return path.tokens[0]


def binding(context: Context, children: Children, start: int, end: int) -> Binding:
    override, path, relation, value, after = children
    clauses, kind = gather(context, after)
    return Binding(
        Span(context.file, start, end),
        path.names,
        path.span,
        relation_of(relation),
        value,
        None,
        kind,
        override is not None,
        clauses,
    )


def typed_binding(context: Context, children: Children, start: int, end: int) -> Binding | Field:
    override, path, slot, before, relation, value, after = children
    clauses, kind = gather(context, before, after)
    span = Span(context.file, start, end)
    sign = relation_of(relation)
    if context.in_body and override is None and len(path.tokens) == 1:
        token = path.tokens[0]
        return Field(span, token[0], context.of(token), slot, kind, None, sign, value, clauses)
    return Binding(span, path.names, path.span, sign, value, slot, kind, override is not None, clauses)


def declared(context: Context, children: Children, start: int, end: int) -> Field:
    path, slot, before, default, after = children
    clauses, kind = gather(context, before, after)
    token = single(context, path, "a field")
    span = Span(context.file, start, end)
    return Field(span, token[0], context.of(token), slot, kind, default, clauses=clauses)


def block(context: Context, children: Children, start: int, end: int) -> Block:
    path, members = children
    token = single(context, path, "a block")
    return Block(Span(context.file, start, end), token[0], context.of(token), members)


def worded_block(context: Context, children: Children, start: int, end: int) -> Block:
    path, words, members = children
    token = single(context, path, "a block")
    label = unescape(context, words)
    return Block(Span(context.file, start, end), token[0], context.of(token), members, label)


def instance_of(context: Context, children: Children, start: int, end: int) -> Instance:
    kind, name, variant, before, members, after = children
    return Instance(
        Span(context.file, start, end),
        kind.text,
        kind.span,
        name[0],
        context.of(name),
        variant=variant.text,
        variant_span=variant.span,
        body=members or (),
        clauses=gather(context, before, after).clauses,
    )


def instance_from(context: Context, children: Children, start: int, end: int) -> Instance:
    kind, name, base, before, members, after = children
    return Instance(
        Span(context.file, start, end),
        kind.text,
        kind.span,
        name[0],
        context.of(name),
        base=base,
        body=members or (),
        clauses=gather(context, before, after).clauses,
    )


def instance_with(context: Context, children: Children, start: int, end: int) -> Instance:
    kind, name, members, after = children
    return Instance(
        Span(context.file, start, end),
        kind.text,
        kind.span,
        name[0],
        context.of(name),
        body=members,
        clauses=gather(context, after).clauses,
    )


def instance_value(context: Context, children: Children, start: int, end: int) -> Instance:
    kind, name, value, after = children
    return Instance(
        Span(context.file, start, end),
        kind.text,
        kind.span,
        name[0],
        context.of(name),
        value=value,
        clauses=gather(context, after).clauses,
    )


def check(context: Context, children: Children, start: int, end: int) -> Check:
    condition, words = children
    return Check(Span(context.file, start, end), condition, unescape(context, words))


def absent(context: Context, children: Children, start: int, end: int) -> Absent:
    names, because = children
    return Absent(Span(context.file, start, end), names, unescape(context, because))


def inherits(context: Context, children: Children, start: int, end: int) -> Inherits:
    families, variant = children
    return Inherits(Span(context.file, start, end), families, variant.text, variant.span)


def inherits_all(context: Context, children: Children, start: int, end: int) -> Inherits:
    variant = children[0]
    return Inherits(Span(context.file, start, end), (), variant.text, variant.span)


def assume(context: Context, children: Children, start: int, end: int) -> Assume:
    path, slot, before, value, low, high, after = children
    clauses, kind = gather(context, before, after)
    return Assume(
        Span(context.file, start, end), path.names, path.span, value, low, high, slot, kind, clauses
    )


def view(context: Context, children: Children, start: int, end: int) -> View:
    chart, name, title, *operands = children
    words = "" if title is None else unescape(context, title)
    return View(Span(context.file, start, end), chart[0], name[0], words, tuple(operands))


ACTIONS: Final[dict[str, Action]] = {
    "body": body,
    "binding": binding,
    "typed_binding": typed_binding,
    "declared": declared,
    "block": block,
    "worded_block": worded_block,
    "instance_of": instance_of,
    "instance_from": instance_from,
    "instance_with": instance_with,
    "instance_value": instance_value,
    "check": check,
    "absent": absent,
    "inherits": inherits,
    "inherits_all": inherits_all,
    "assume": assume,
    "view": view,
}
