"""Braces to bodies: what a body says, by name, with dotted paths and list elements nested."""

from __future__ import annotations

from capwright.base.diagnostic import Note, Spelling
from capwright.base.source import Span
from capwright.check.declared import UNKNOWN, Entity, Scope
from capwright.check.report import Report
from capwright.graph.values import Body, Entry
from capwright.syntax import tree


def read_body(
    members: tuple[tree.Member, ...],
    entity: Entity | None,
    scope: Scope,
    library: bool,
    report: Report,
) -> Body:
    """The body of an instance of `entity` (None where the entity is known only later)."""
    body = Body(scope, library)
    seen: dict[tuple[str, ...], Span] = {}
    for member in members:
        match member:
            case tree.Binding(path=path) | tree.Assume(path=path):
                if _once(path, member.path_span, seen, report):
                    place(body, path, Entry(member))
            case tree.Field():
                if _once((member.name,), member.name_span, seen, report):
                    place(body, (member.name,), Entry(member))
            case tree.Block() if entity is not None and _is_element(member.name, entity):
                _unnamed(body, member, entity, report)
            case tree.Block():
                if _once((member.name,), member.name_span, seen, report):
                    place(body, (member.name,), Entry(block=member, broken=nameless(member.body)))
            case tree.Instance():
                _element(body, member, entity, seen, report)
            case tree.View():
                body.views.append(member)
            case tree.Check():
                body.checks.append(member)
            case tree.Broken():
                _broken(body, member, entity)
            case tree.Absent() | tree.Inherits():
                report.say(
                    "CW0223",
                    member.span,
                    "this may stand in an entity only",
                    "move it to the `entity` that this is an instance of",
                )
    return body


def _once(path: tuple[str, ...], span: Span, seen: dict[tuple[str, ...], Span], report: Report) -> bool:
    if path in seen:
        report.say(
            "CW0201",
            span,
            f"`{'.'.join(path)}` is given twice",
            "remove one of the two; the last word does not win silently",
            Note("the first one", seen[path]),
        )
        return False
    seen[path] = span
    return True


def _element(
    body: Body,
    member: tree.Instance,
    entity: Entity | None,
    seen: dict[tuple[str, ...], Span],
    report: Report,
) -> None:
    words = entity.element_words() if entity is not None else {}
    field = words.get(member.type_name)
    if field is None and entity is not None and _may_be_listed(entity):
        return
    if field is None:
        report.say(
            "CW0224",
            member.type_span,
            f"`{entity.name if entity else 'this'}` has no list whose elements are written `{member.type_name}`",
            Spelling(member.type_name, words)
            if words
            else "give the thing a name at the top of the file and refer to it here",
        )
        return
    if _once((field, member.name), member.name_span, seen, report):
        place(body, (field, member.name), Entry(child=member))
    else:  # which of the two is meant is not known: nothing is said of the list for want of one
        place(body, (field,), Entry(broken=True))


def _is_element(word: str, entity: Entity) -> bool:
    """Whether a word opens an element of a list, and no block."""
    return word in entity.element_words() and word not in entity.order


def _unnamed(body: Body, member: tree.Block, entity: Entity, report: Report) -> None:
    """An element that is given no name: nothing is said of the list for want of it."""
    word = member.name
    report.say(
        "CW0224",
        member.name_span,
        f"an element of `{entity.element_words()[word]}` has a name",
        f"write `{word} NAME {{ … }}`",
    )
    place(body, (entity.element_words()[word],), Entry(broken=True))


def nameless(members: tuple[tree.Member, ...]) -> bool:
    """Whether something in the braces does not parse and has no name, so that nothing is known of the whole."""
    return any(isinstance(member, tree.Broken) and member.rest for member in members)


def _may_be_listed(entity: Entity) -> bool:
    """Whether a field of an entity may be a list, and its type could not be read."""
    return any(field.slot is UNKNOWN for field in entity.fields.values())


def _broken(body: Body, member: tree.Broken, entity: Entity | None) -> None:
    """What does not parse leaves no value; with a broken element, the whole list has none."""
    lists = entity.element_words() if entity is not None else {}
    for path in (*member.paths, *((lists[word],) for word in member.words if word in lists)):
        place(body, path, Entry(broken=True))


def place(body: Body, path: tuple[str, ...], entry: Entry) -> None:
    """Put an entry at a dotted path, opening nested bodies on the way."""
    name, rest = path[0], path[1:]
    held = body.entries.setdefault(name, [])
    if not rest:
        held.append(entry)
        return
    inner = next((e.inner for e in held if e.inner is not None), None)
    if inner is None:
        inner = Body(body.scope, body.library)
        held.append(Entry(inner=inner))
    place(inner, rest, entry)
