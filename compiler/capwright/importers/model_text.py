"""Plan text of a described model, in the order in which a reviewer checks it: sizes, layer groups, tensors."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from capwright.importers.descriptions import Group
from capwright.importers.facts import Fact, Facts, follows
from capwright.importers.formulas import Expression, parse
from capwright.importers.layer_patterns import classes, placed
from capwright.importers.plan_terms import Writer, shown, unit
from capwright.importers.tensor_text import tensor_lines
from capwright.importers.words import identifier, string

_PLAIN: Final = {("compressed", "selected")}
"""Fields of single kinds that are plain numbers there: pooled entries, not tokens."""
_OWN_FIELDS: Final = {
    "hidden_size": "",
    "vocabulary": "",
    "max_context": " tokens",
    "dtype": "",
    "tied_embeddings": "",
}
"""Fields that every model has, and their units; all others are the description's own."""


_CONTEXT: Final = "max_context"
_STRETCHED: Final = "stretched_context"
_CACHE: Final = "cache_dtype"
_TABLES: Final = "rotary_tables"
_DEALS: Final = "deals_to_experts"
_SHARED: Final = "shared_width"
"""Fields of every model too: one said where a checkpoint asks for a cache of its own, one where it is not one, one where
tensors are as wide as the last says."""


def model_text(writer: Writer, name: str, heading: str) -> str:
    """The declaration of `model NAME`, ready to be read and compiled; raises `Said` after messages, or `Unfit`."""
    tensors = list(tensor_lines(writer))
    groups = [line for group in writer.description.groups for line in _group(writer, group)]
    parts = (list(_sizes(writer)), groups, tensors)
    lines = [
        f"# {heading}",
        "use std",
        "",
        f"model {identifier(name)} {{",
        *(f"  {line}".rstrip() for part in parts for line in (*part, "")),
    ]
    return "\n".join(lines[:-1]) + "\n}\n"


# ── sizes ────────────────────────────────────────────────────────────────────────────────────────
def _sizes(writer: Writer) -> Iterator[str]:
    facts = writer.facts
    for name, behind in _OWN_FIELDS.items():
        yield _field(name, _context(facts) if name == _CONTEXT else facts.of(name), behind)
    if writer.quantisation.cache is not None:
        yield _field(_CACHE, writer.quantisation.cache)
    if _TABLES in writer.description.fields and facts.of(_TABLES).value != 1:
        yield _field(_TABLES, facts.of(_TABLES))
    if _DEALS in writer.description.fields and _has_shared(writer) and facts.of(_DEALS).value != "unsaid":
        yield _field(_DEALS, facts.of(_DEALS))
    for name in writer.description.fields:
        if name in writer.used and name not in _OWN_FIELDS and name not in (_TABLES, _DEALS):
            fact, label = facts.of(name), writer.description.fields[name].label
            if follows(fact, facts):
                assert fact.expression is not None
                text = fact.expression.text
                yield f"{name} : whole = {text}" + (f"  {string(label)}" if label else "")
            else:
                yield _field(f"{name} : whole", fact, "", label)


def _has_shared(writer: Writer) -> bool:
    """Whether there are tensors as wide as `shared_width` says, of the model or of each layer."""
    facts = writer.facts
    if _SHARED not in writer.description.by_layer:
        return _SHARED in writer.used
    return bool(facts.layers(parse(_SHARED)))


def _context(facts: Facts) -> Fact:
    """The longest sequence: of a model whose positions are stretched, the one that they are stretched to."""
    stated = facts.of(_CONTEXT)
    if not facts.has(_STRETCHED) or facts.of(_STRETCHED).value == stated.value:
        return stated
    return Fact(facts.of(_STRETCHED).value, facts.clause(parse(_STRETCHED)))


def _field(name: str, fact: Fact, unit: str = "", label: str = "") -> str:
    return f"{name} = {shown(fact.value)}{unit}  {fact.clause}" + (f"  {string(label)}" if label else "")


# ── layer groups ─────────────────────────────────────────────────────────────────────────────────
def _group(writer: Writer, group: Group) -> Iterator[str]:
    facts = writer.facts
    names = {name for each in group.fields.values() for name in each.names}
    by_layer = facts.per_layer(names)
    layers = facts.layers(group.layers)
    split = classes(
        layers, lambda layer: tuple(_hashable(facts.value(each, layer)) for each in group.fields.values())
    )
    for number, (_, some) in enumerate(split if by_layer else [((), layers)], 1):
        if some:
            shown = group.name if number == 1 else f"{group.name}_{number}"
            yield f"group {shown} : {group.kind} {{"
            yield from (f"  {line}" for line in _group_fields(writer, group, some))
            yield "}"


def _group_fields(writer: Writer, group: Group, layers: list[int]) -> Iterator[str]:
    facts, total = writer.facts, writer.facts.depth()
    source = facts.of("depth").clause if len(layers) == total else facts.counted_clause(group.layers)
    yield _field("layers", Fact(len(layers), source), unit("layers", len(layers)))
    if group.stored is not None:
        stored = [layer for layer in layers if facts.value(group.stored, layer)]
        if len(stored) < len(layers):
            yield _field(
                "stored_layers",
                Fact(len(stored), facts.clause(group.stored)),
                unit("stored_layers", len(stored)),
            )
            layers = stored or layers
    where = placed(tuple(layers), total)
    if where is not None:
        yield where
    for name, expression in group.fields.items():
        value = facts.value(expression, layers[0])
        if value is not None:
            behind = "" if (group.kind, name) in _PLAIN else unit(name, value)
            yield _field(name, Fact(value, _clause(facts, expression)), behind)


def _clause(facts: Facts, expression: Expression) -> str:
    """Where a value comes from: what a field says of itself, or the keys that a field without one follows from."""
    spec, fact = facts.description.fields.get(expression.text), facts.known.get(expression.text)
    if fact is None or (spec is not None and not spec.keys and fact.expression is not None):
        return facts.clause(expression)
    return fact.clause


def _hashable(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value
