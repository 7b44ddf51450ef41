"""An entity, a thing, a formula family or a kind as it is declared, for people at a terminal."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from typing import Final, Literal

from capwright.document.declarations import Declared, EntityText, FamilyText, KindText
from capwright.document.declared_fields import FieldText
from capwright.document.declared_things import OptionText, ThingText
from capwright.render.escape import terminal_text
from capwright.render.terminal.style import PLAIN, Style, fitted

Tone = Literal["", "dim", "bold"]
_WIDE: Final = 120
_GIVEN: Final = {
    "required": "must be given",
    "listed": "empty unless given",
    "default": "default",
    "derived": "derived",
    "assumed": "assumed",
    "given": "given",
    "imported": "imported",
}


Line = tuple[str, Tone]
"""A line, and how it is dressed."""


def told(one: Declared, style: Style = PLAIN, wide: int | None = None) -> str:
    """Everything that is known of a declaration, in lines of at most `wide` columns."""
    if isinstance(one, EntityText):
        lines = _entity(one)
    elif isinstance(one, ThingText):
        lines = _thing(one)
    elif isinstance(one, OptionText):
        lines = _option(one)
    elif isinstance(one, KindText):
        lines = _kind(one)
    else:
        lines = _family(one)
    return "\n".join(line for each in lines for line in _fitted(*each, style, wide or _WIDE)) + "\n"


def how(field: FieldText) -> str:
    """How a field comes by its value, in words: `default 16 tokens/block`, `derived: tensor * data`."""
    word = _GIVEN[field.given]
    if not field.value:
        return word
    return f"{word}: {field.value}" if field.given == "derived" else f"{word} {field.value}"


def remark(field: FieldText) -> str:
    """What the file says of a field: its label, the comment beside it, the launch flag that carries it."""
    flag = f"set by {field.flag}" if field.flag else ""
    return "; ".join(text for text in (field.words, field.comment, flag) if text)


def _kind(one: KindText) -> Iterator[Line]:
    yield from _head("kind", one.name, one.place, one.comment or one.words)
    yield f"  {one.line}", ""
    must = [entry[:3] for entry in one.entries if not entry[3]]
    may = [entry[:3] for entry in one.entries if entry[3]]
    if must:
        yield "a measurement or evidence of it must state", "bold"
        yield from map(_entry, must)
    else:
        yield "a measurement or evidence of it need not state anything", "dim"
    if may:
        yield "it may state, and then agrees with the plan or does not count", "bold"
        yield from map(_entry, may)


def _entry(one: tuple[str, tuple[str, ...], tuple[str, ...]]) -> Line:
    name, compared, words = one
    against = f": compared with {' and '.join(compared)} of the plan" if compared else ""
    spelled = f": {' or '.join(words)}" if words else ""
    return f"  {name}{against}{spelled}", ""


def _entity(one: EntityText) -> Iterator[Line]:
    yield from _head("entity", one.name, one.place, one.comment)
    if len(one.line) > 1:
        yield f"  a variant of {', of '.join(one.line[1:])}", ""
    if one.variants:
        yield f"  variants: {', '.join(one.variants)}", ""
    if one.things:
        yield f"  declared things: {', '.join(one.things)}", ""
    yield from _fields(one.fields, "")
    yield from _blocks(one, "")
    if one.added:
        yield "fields that a variant adds", "bold"
    for variant, fields in one.added:
        yield f"  {variant}: {', '.join(fields)}; `explain PLAN {variant}` tells of them", ""
    if one.unanswered:
        yield "formulas that a new variant must write where a plan asks for them", "bold"
        # What a file says of several formulas that follow on each other is told below the last one.
        for comment, group in groupby(one.unanswered, key=lambda family: family.comment):
            for family in group:
                yield f"  {family.signature}", ""
            if comment:
                yield f"      {comment}", "dim"


def _blocks(one: EntityText, lead: str) -> Iterator[Line]:
    for block in one.blocks:
        inner = f"{lead}{block.name.rpartition('.')[2]}."
        yield from _fields(block.fields, inner)
        yield from _blocks(block, inner)


def _thing(one: ThingText) -> Iterator[Line]:
    yield from _head(one.entity, one.name, one.place, one.comment)
    if one.base:
        yield f"  from {one.base}", ""
    yield from _fields(one.fields, "")
    yield f"`explain PLAN {one.entity}` tells what every {one.entity} has", "dim"


def _option(one: OptionText) -> Iterator[Line]:
    yield from _head("option", one.name, one.place, one.label or one.comment)
    yield f"  of {one.base}, with", ""
    yield from _fields(one.fields, "")
    yield f"all else is as in {one.base}; `diff PLAN {one.base} {one.name}` tells what comes of it", "dim"


def _family(one: FamilyText) -> Iterator[Line]:
    yield from _head("formula", one.signature, one.place, one.comment)
    if one.overloads:
        yield "with a body", "bold"
    for signature, place in one.overloads:
        yield f"  {signature}  {place}", ""


def _head(sort: str, name: str, place: str, comment: str) -> Iterator[Line]:
    yield f"{sort} {name}  {place}", "bold"
    if comment:
        yield f"  {comment}", ""


def _fields(fields: tuple[FieldText, ...], lead: str) -> Iterator[Line]:
    for field in fields:
        kind = f" kind {field.kind}" if field.kind else ""
        # What only the thing behind a name declares has no type here.
        type_ = f" : {field.type}{kind}" if field.type else ""
        yield f"  {lead}{field.name}{type_}  ({how(field)})", ""
        if said := remark(field):
            yield f"      {said}", "dim"


def _fitted(text: str, tone: Tone, style: Style, wide: int) -> list[str]:
    return fitted(style.paint(tone, text) if tone else terminal_text(text), wide)
