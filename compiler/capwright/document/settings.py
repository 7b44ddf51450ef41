"""What a plan sets that is no quantity: which thing a field refers to, choices, texts, masks, lists."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Literal, cast

from capwright.base.source import Span
from capwright.document.plandoc import SettingDoc
from capwright.document.quantities import line_of
from capwright.graph.context import Context
from capwright.graph.expansion import names_of
from capwright.graph.values import Choice, Inst, Items, Static, Value, Words

Sort = Literal["thing", "choice", "text", "value", "list", "origin"]


def setting_docs(ctx: Context, place: Callable[[Span], str]) -> tuple[SettingDoc, ...]:
    """The settings of every instance that the plan made or uses, by address, but for copies that have no name."""
    found = [
        SettingDoc(
            address,
            sort,
            value,
            refers,
            given,
            place(span),
            line_of(source, span),
            source.line_column(span.start)[1],
        )
        for inst in ctx.instances.values()
        if not inst.stand_in and inst.copy is None
        for address, sort, value, refers, given, span in _settings(ctx, inst)
        if (source := ctx.sources.get(span.file)) is not None
    ]
    return tuple(sorted(found, key=lambda setting: (setting.address, setting.sort)))


Found = tuple[str, Sort, str, str | None, bool, Span]


def _settings(ctx: Context, inst: Inst) -> Iterator[Found]:
    made = inst.origin
    while (
        made is not None and made.address == inst.address
    ):  # which stood here before something reached inside it
        made = made.origin
    refers = made.address if made is not None else None
    origin = refers or inst.entity.name
    # That a confidential block holds nothing of the plan would tell its numbers.
    kept = inst.keeper is not None
    given = kept or (bool(inst.layers) and not inst.layers[0].body.library)
    if not inst.option or "." in inst.address:
        yield inst.address, "origin", origin, refers, given, inst.span
    for name in names_of(inst):
        said = _said(ctx.demand.known.get((inst, name)))
        if said is not None and name not in inst.entity.blocks:
            yield f"{inst.address}.{name}", *said, *_where(inst, name)


def _said(value: Value | None) -> tuple[Sort, str, str | None] | None:
    match value:
        case Inst(address=address):
            return "thing", address, address
        case Choice(name=name):
            return "choice", name, None
        case Words(value=text):
            return "text", text, None
        case Static(value=held):
            return "value", cast("Any", held).text(), None
        case Items(items=items) if items and all(name is not None for name, _ in items):
            return "list", ", ".join(sorted(str(name) for name, _ in items)), None
        case _:
            return None


def _where(inst: Inst, name: str) -> tuple[bool, Span]:
    """Whether a plan says it, and where it is said."""
    for layer in inst.layers:
        for entry in layer.body.entries.get(name, ()):
            if entry.statement is not None:
                return not layer.body.library, entry.statement.span
            if entry.inner is not None or entry.child is not None:
                return not layer.body.library, entry.child.span if entry.child is not None else inst.span
    field = inst.entity.fields.get(name)
    return False, field.decl.span if field is not None else inst.span
