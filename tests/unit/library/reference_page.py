"""The library's page of what it declares. Run as a module, this writes it anew."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Final

from capwright.document.declarations import EntityText, declared
from capwright.document.declared_fields import FieldText
from capwright.render.terminal.declarations import how, remark
from tests.support.programs import compiled
from tests.unit.library.cases import ROOT

PAGE: Final = ROOT / "plans" / "std" / "README.md"
HEAD: Final = """\
# What the library declares

Written by `python -m tests.unit.library.reference_page` from the files beside it. A test says when it is stale. Of each
entity: its fields with type and kind, how each comes by its value, the library's own variants and things, and the
formulas that a new variant must write where a plan asks for them. An entity has the fields of the one that it is a
variant of, too. `capwright explain PLAN NAME` tells the same of a name in a terminal, also of a thing
(`nvidia.h200_sxm`), a formula with its bodies (`row_bytes`), and what a plan of your own declares.

How to write a variant, and which formulas it inherits: [the language](../../grammar/reference.md), 5 and 7. What is
promised of the library, and what shows it: [COVERAGE.md](COVERAGE.md).
"""


def page() -> str:
    """The whole page, worked out anew."""
    found = _entities()
    names = " · ".join(f"[{one.name}](#{one.name})" for one in found)
    return "\n".join([HEAD, names, *(line for one in found for line in _entity(one))]) + "\n"


def _entities() -> list[EntityText]:
    made = compiled("use std\n")
    scope = made.judged.expansion.ctx.program.main
    found = [declared(name, scope, made.sources, {}) for name in scope.entities]
    return [one for one in found if isinstance(one, EntityText)]


def _entity(one: EntityText) -> Iterator[str]:
    yield from ("", f"## {one.name}", "")
    if one.comment:
        yield from (one.comment, "")
    place = one.place.partition(":")[0].removeprefix("std/")
    facts = [f"In [{place}]({place})."]
    if len(one.line) > 1:
        facts.append(f"A variant of {_linked(one.line[1:2])}.")
    if one.variants:
        facts.append(f"Variants: {_linked(one.variants)}.")
    if one.things:
        facts.append(f"Declared: {', '.join(f'`{name}`' for name in one.things)}.")
    yield " ".join(facts)
    own = [field for field in one.fields if field.owner == one.name]
    blocks = [(f"{block.name.rpartition('.')[2]}.", field) for block in one.blocks for field in block.fields]
    if rows := [("", field) for field in own] + blocks:
        yield from ("", "| field | takes | value | |", "|---|---|---|---|")
        yield from (_row(lead, field) for lead, field in rows)
    if one.unanswered:
        yield from ("", "A new variant must write, where a plan asks for it:", "")
        for family in one.unanswered:
            yield f"- `{family.signature}`" + (f" {family.comment}" if family.comment else "")


def _row(lead: str, field: FieldText) -> str:
    kind = f" kind {field.kind}" if field.kind else ""
    cells = (f"`{lead}{field.name}`", f"`{field.type}{kind}`", _how(field), _plain(remark(field)))
    return f"| {' | '.join(cells)} |"


def _how(field: FieldText) -> str:
    word = how(field).removesuffix(field.value) if field.value else how(field)
    return f"{word}`{field.value.replace('|', chr(92) + '|')}`" if field.value else word


def _plain(text: str) -> str:
    return text.replace("|", "\\|").replace("<", "&lt;")


def _linked(names: tuple[str, ...]) -> str:
    return ", ".join(f"[{name}](#{name})" for name in names)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
    sys.stdout.write("wrote the page of what the library declares\n")
