"""Plan text of a described model, in the order in which a reviewer checks it: sizes, layer groups, tensors."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from math import prod
from typing import Any, Final

from msgspec import Struct, field

from capwright.importers.descriptions import Description, Group, Tensor
from capwright.importers.facts import WITH_UNIT, Fact, Facts, Said, follows
from capwright.importers.formulas import Expression, Unfit, arithmetic, parse, substituted
from capwright.importers.layer_patterns import classes, placed
from capwright.importers.quantisation import Quantisation
from capwright.importers.words import identifier, string

_UNITS: Final = {
    "q_heads": "q_head", "kv_heads": "kv_head", "state_heads": "state_head", "layers": "layer",
    "stored_layers": "layer", "window": "token", "selected": "token",
}  # fmt: skip
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


class Writer(Struct):
    """One model's text under way: `used` are the fields that its tensors are computed from."""

    description: Description
    facts: Facts
    quantisation: Quantisation
    used: dict[str, None] = field(default_factory=dict)


def model_text(writer: Writer, name: str, heading: str) -> str:
    """The declaration of `model NAME`, ready to be read and compiled; raises `Said` after messages, or `Unfit`."""
    tensors = [line for tensor in writer.description.tensors for line in _tensor(writer, tensor)]
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
    for name, unit in _OWN_FIELDS.items():
        yield _field(name, facts.of(name), unit)
    for name in writer.description.fields:
        if name in writer.used and name not in _OWN_FIELDS:
            fact, label = facts.of(name), writer.description.fields[name].label
            if follows(fact, facts):
                assert fact.expression is not None
                text = fact.expression.text
                yield f"{name} : whole = {text}" + (f"  {string(label)}" if label else "")
            else:
                yield _field(f"{name} : whole", fact, "", label)


def _use(writer: Writer, names: Sequence[str]) -> None:
    """Note fields, and those from which they follow, as read by the text."""
    waiting = list(names)
    while waiting:
        name = waiting.pop()
        if name in writer.used:
            continue
        writer.used[name] = None
        fact = writer.facts.of(name)
        if follows(fact, writer.facts):
            waiting += fact.expression.names  # type: ignore[union-attr]  # `follows` says that there is one


def _field(name: str, fact: Fact, unit: str = "", label: str = "") -> str:
    return f"{name} = {_shown(fact.value)}{unit}  {fact.clause}" + (f"  {string(label)}" if label else "")


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
    source = facts.of("depth").clause if len(layers) == total else facts.clause(group.layers)
    yield _field("layers", Fact(len(layers), source), _unit("layers", len(layers)))
    if group.stored is not None:
        stored = [layer for layer in layers if facts.value(group.stored, layer)]
        if len(stored) < len(layers):
            yield _field(
                "stored_layers",
                Fact(len(stored), facts.clause(group.stored)),
                _unit("stored_layers", len(stored)),
            )
            layers = stored or layers
    where = placed(tuple(layers), total)
    if where is not None:
        yield where
    for name, expression in group.fields.items():
        value = facts.value(expression, layers[0])
        if value is not None:
            unit = "" if (group.kind, name) in _PLAIN else _unit(name, value)
            yield _field(name, Fact(value, _clause(facts, expression)), unit)


def _clause(facts: Facts, expression: Expression) -> str:
    """Where a value comes from: what a field says of itself, or the keys that a field without one follows from."""
    spec, fact = facts.description.fields.get(expression.text), facts.known.get(expression.text)
    if fact is None or (spec is not None and not spec.keys and fact.expression is not None):
        return facts.clause(expression)
    return fact.clause


def _unit(name: str, value: Any) -> str:
    unit = _UNITS.get(name)
    return "" if unit is None else f" {unit}" if value == 1 else f" {unit}s"


# ── tensors ──────────────────────────────────────────────────────────────────────────────────────
def _tensor(writer: Writer, tensor: Tensor) -> Iterator[str]:
    facts = writer.facts
    try:
        if tensor.layers is None:
            if facts.truth(tensor.when):
                copies = facts.value(tensor.copies) if tensor.copies is not None else 1
                if copies:
                    yield from _entry(
                        writer, tensor, tensor.name, None, [f"copies = {copies}"] if copies != 1 else []
                    )
            return
        layers = [layer for layer in facts.layers(tensor.layers) if facts.truth(tensor.when, layer)]
        sizes = [each for each in _sizes_of(tensor) if facts.per_layer(each.names)]
        split = classes(layers, lambda layer: _mark(writer, tensor, sizes, layer))
        for number, (_, some) in enumerate(split, 1):
            where = placed(tuple(some), facts.depth())
            lies = [f"copies = {len(some)}", *([where] if where else [])]
            name = tensor.name if number == 1 else f"{tensor.name}_{number}"
            yield from _entry(writer, tensor, name, some[0], lies)
    except Said:
        raise
    except Unfit as unfit:
        raise Unfit(f"`tensors.{tensor.name}`: {unfit}") from None


def _sizes_of(tensor: Tensor) -> list[Expression]:
    sizes = (*tensor.shape, tensor.count, tensor.experts, tensor.active, tensor.heads)
    return [each for each in sizes if each is not None]


def _mark(writer: Writer, tensor: Tensor, sizes: list[Expression], layer: int) -> tuple[Any, ...]:
    """What makes two layers' tensors differ: sizes, experts, and how they are stored."""
    return *(writer.facts.value(each, layer) for each in sizes), writer.quantisation.of(tensor, layer)


def _entry(writer: Writer, tensor: Tensor, name: str, layer: int | None, lies: list[str]) -> Iterator[str]:
    facts = writer.facts
    shape = [_whole(facts.value(each, layer), each) for each in tensor.shape]
    count = 1 if tensor.count is None else _whole(facts.value(tensor.count, layer), tensor.count)
    experts = None if tensor.experts is None else _whole(facts.value(tensor.experts, layer), tensor.experts)
    if not prod(shape) * count or experts == 0:
        return
    terms = [_term(writer, each, layer) for each in (tensor.count, *tensor.shape) if each is not None]
    product = " * ".join(each for each in terms if each != "1") or "1"
    fields = [f"part = {tensor.part}", f"parameters = {product} * 1 parameter", *lies]
    if tensor.stage != "layers":
        fields.append(f"stage = {tensor.stage}")
    if experts is not None:
        fields.append(f"experts = {_term(writer, tensor.experts, layer)}")  # type: ignore[arg-type]  # there is a count, so there is a term
    if tensor.active is not None:
        fields.append(f"active_experts = {_term(writer, tensor.active, layer)}")
    fields += _stored(writer, tensor, layer, shape, count)
    if tensor.parallel == "kv_heads" and tensor.heads is not None:
        heads = facts.value(tensor.heads, layer)
        fields.append(f"tensor_parallel = kv_heads; kv_heads = {heads}{_unit('kv_heads', heads)}")
    elif tensor.parallel == "replicated":
        fields.append("tensor_parallel = replicated")
    if tensor.tied is not None and facts.value(tensor.tied, layer):
        fields.append("tied = true")
    yield f"tensor {name} {{ {'; '.join(fields)} }}"


def _stored(writer: Writer, tensor: Tensor, layer: int | None, shape: list[int], count: int) -> Iterator[str]:
    """The fields that say how the numbers are stored."""
    # Checkpoints name draft layers as those after the last.
    named = writer.facts.depth() if layer is None and tensor.part == "draft" else layer
    stored = writer.quantisation.of(tensor, named)
    if stored is None:
        yield f"dtype = {tensor.dtype or writer.facts.of('dtype').value}"
    else:
        yield from stored.fields(shape, count)


def _term(writer: Writer, expression: Expression, layer: int | None) -> str:
    """A factor of a count as plan text: over the model's fields where a plan can say it, else its number."""
    facts = writer.facts
    plain = {name: facts.value(parse(name), layer) for name in expression.names}
    own = [name for name in expression.names if facts.has(name) and name not in WITH_UNIT]
    if not arithmetic(expression) or not all(type(value) is int for value in plain.values()):
        return _shown(facts.value(expression, layer))
    _use(writer, own)
    text = substituted(expression, {name: value for name, value in plain.items() if name not in own})
    return f"({text})" if any(sign in text for sign in "+-/") and not text.startswith("ceil(") else text


def _whole(value: Any, expression: Expression) -> int:
    if type(value) is not int or value < 0:
        raise Unfit(f"{expression.text} is {_shown(value)}, and must be a whole number")
    return value


def _hashable(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def _shown(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int):
        return f"{value:_}" if value >= 10_000 else str(value)
    if isinstance(value, Fraction):
        return f"{value.numerator} / {value.denominator}"
    return str(value)
