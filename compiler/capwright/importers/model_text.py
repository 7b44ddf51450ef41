"""Plan text of a described model, in the order in which a reviewer checks it: sizes, layer groups, tensors."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from capwright.importers.config_keys import Config, Fact
from capwright.importers.families import Family, Tensor
from capwright.importers.layer_patterns import pattern
from capwright.importers.words import identifier


@dataclass(frozen=True, slots=True)
class Described:
    """A model as its config and its code describe it. `windowed` says of each layer whether `window` bounds it."""

    family: Family
    facts: Mapping[str, Fact]
    windowed: list[bool]
    window: Fact | None


def model_text(described: Described, config: Config, name: str) -> str:
    """The declaration of `model NAME`, ready to be read and compiled."""
    lines = [
        f"# {described.family.architecture}, as its config and {described.family.code} describe it.",
        "use std",
        "",
        f"model {identifier(name)} {{",
        *(f"  {line}".rstrip() for part in (_sizes, _groups, _tensors) for line in part(described, config)),
        "}",
    ]
    return "\n".join(lines) + "\n"


def _sizes(described: Described, _: Config) -> Iterator[str]:
    facts = described.facts
    heads, kv_heads, width = (facts[name].value for name in ("query heads", "KV heads", "head_width"))
    yield _field("hidden_size", facts["hidden_size"])
    yield _field("vocabulary", facts["vocabulary"])
    yield _field("max_context", facts["max_context"], " tokens")
    yield _field("dtype", facts["dtype"])
    yield _field("tied_embeddings", facts["tied"])
    yield _field(
        "feed_forward_width : whole", facts["feed_forward_width"], label="width of a feed-forward layer"
    )
    yield _field("head_width : whole", facts["head_width"], label="width of one head")
    yield f'query_width : whole = {_number(heads)} * {_number(width)}  "query heads × their width"'
    yield f'kv_width : whole = {_number(kv_heads)} * {_number(width)}  "KV heads × their width"'


def _groups(described: Described, config: Config) -> Iterator[str]:
    total = len(described.windowed)
    for name, kind, bounded in (("full", "grouped_query", False), ("local", "sliding", True)):
        layers = [layer for layer, flag in enumerate(described.windowed) if flag is bounded]
        if layers:
            source = described.facts["layers"].clause if len(layers) == total else _layers_clause(config)
            yield from ("", f"group {name} : {kind} {{")
            yield from (f"  {line}" for line in _group(described, layers, bounded=bounded, source=source))
            yield "}"


def _layers_clause(config: Config) -> str:
    return config.keyed("layer_types" if config.has("layer_types") else "max_window_layers")


def _group(described: Described, layers: list[int], *, bounded: bool, source: str) -> Iterator[str]:
    facts, total = described.facts, len(described.windowed)
    yield _field("layers", Fact(len(layers), source), _unit(len(layers), "layer"))
    found = pattern(layers, total)
    if found is not None and len(layers) < total:
        yield "first = {}; run = {}; every = {}".format(*found)
    yield _field("q_heads", facts["query heads"], _unit(facts["query heads"].value, "q_head"))
    yield _field("kv_heads", facts["KV heads"], _unit(facts["KV heads"].value, "kv_head"))
    yield _field("key_dim", facts["head_width"])
    if bounded and described.window is not None:
        yield _field("window", described.window, _unit(described.window.value, "token"))


def _tensors(described: Described, _: Config) -> Iterator[str]:
    yield ""
    for tensor in described.family.tensors:
        if tensor.when is None or (tensor.when in described.facts and described.facts[tensor.when].value):
            yield _tensor(tensor, described.facts)


def _tensor(tensor: Tensor, facts: Mapping[str, Fact]) -> str:
    fields = [f"part = {tensor.part}", f"parameters = {tensor.parameters} * 1 parameter"]
    if tensor.place == "layers":
        fields.append(f"copies = {facts['layers'].value}")
    else:
        fields.append(f"stage = {tensor.place}")
    fields.append(f"dtype = {facts['dtype'].value}")
    if tensor.parallel == "replicated":
        fields.append("tensor_parallel = replicated")
    if tensor.parallel == "kv_heads":
        heads = facts["KV heads"].value
        fields.append(f"tensor_parallel = kv_heads; kv_heads = {heads}{_unit(heads, 'kv_head')}")
    if tensor.part == "head" and facts["tied"].value:
        fields.append("tied = true")
    return f"tensor {tensor.name} {{ {'; '.join(fields)} }}"


def _field(name: str, fact: Fact, unit: str = "", label: str = "") -> str:
    value = fact.value
    shown = (
        str(value).lower() if isinstance(value, bool) else _number(value) if isinstance(value, int) else value
    )
    return f"{name} = {shown}{unit}  {fact.clause}" + (f'  "{label}"' if label else "")


def _number(value: int) -> str:
    return f"{value:_}" if value >= 10_000 else str(value)


def _unit(count: int, name: str) -> str:
    return f" {name}" if count == 1 else f" {name}s"
