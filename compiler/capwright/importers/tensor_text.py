"""Plan text of a model's weight tensors: those of its layers, those outside them, and those of layers that draft tokens."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod
from typing import Any, Final

from msgspec.structs import replace

from capwright.importers.descriptions import Draft, Tensor
from capwright.importers.facts import Said
from capwright.importers.formulas import Expression, Unfit
from capwright.importers.layer_patterns import classes, placed
from capwright.importers.plan_terms import Writer, term, unit, whole
from capwright.importers.quantisation import Stored

CUT: Final = frozenset({"embedding", "attention", "feed_forward", "expert", "shared_expert", "head"})
"""Parts whose matrices say which of their sides tensor parallelism cuts."""


def tensor_lines(writer: Writer) -> Iterator[str]:
    """One line for each group of equal tensors; raises `Said` after messages, or `Unfit`."""
    for tensor in writer.description.tensors:
        yield from _naming(writer, tensor)
    if writer.description.draft is not None:
        yield from _draft_layers(writer, writer.description.draft)


def _naming(writer: Writer, tensor: Tensor) -> Iterator[str]:
    """The lines of a tensor; a fault of its description is told with its name."""
    try:
        yield from _outside(writer, tensor) if tensor.layers is None else _in_layers(writer, tensor)
    except Said:
        raise
    except Unfit as unfit:
        raise Unfit(f"`tensors.{tensor.name}`: {unfit}") from None


def _outside(writer: Writer, tensor: Tensor) -> Iterator[str]:
    facts = writer.facts
    if facts.truth(tensor.when):
        copies = facts.value(tensor.copies) if tensor.copies is not None else 1
        if copies:
            yield from _entry(writer, tensor, tensor.name, None, _copies(copies))


def _in_layers(writer: Writer, tensor: Tensor) -> Iterator[str]:
    facts = writer.facts
    assert tensor.layers is not None
    layers = [layer for layer in facts.layers(tensor.layers) if facts.truth(tensor.when, layer)]
    sizes = [each for each in _sizes_of(tensor) if facts.per_layer(each.names)]
    split = classes(layers, lambda layer: _mark(writer, tensor, sizes, layer))
    for number, (_, some) in enumerate(split, 1):
        where = placed(tuple(some), facts.depth())
        lies = [f"copies = {len(some)}", *([where] if where else [])]
        name = tensor.name if number == 1 else f"{tensor.name}_{number}"
        yield from _entry(writer, tensor, name, some[0], lies)


def _draft_layers(writer: Writer, draft: Draft) -> Iterator[str]:
    """The tensors of one layer of the model once more, as those of the layers that draft tokens."""
    facts = writer.facts
    copies = whole(facts.value(draft.count), draft.count)
    if not copies:
        return
    like = whole(facts.value(draft.like), draft.like)
    for tensor in writer.description.tensors:
        if tensor.layers is not None and facts.value(tensor.layers, like) and facts.truth(tensor.when, like):
            stored = _stored(writer, tensor, facts.depth()) if draft.packed else None
            again = replace(tensor, part="draft", stage="last", tied=None)
            yield from _entry(
                writer, again, f"draft_{tensor.name}", like, _copies(copies), (tensor.part, stored)
            )


def _copies(count: int) -> list[str]:
    return [f"copies = {count}"] if count != 1 else []


def _sizes_of(tensor: Tensor) -> list[Expression]:
    sizes = (*tensor.shape, tensor.count, tensor.experts, tensor.active, tensor.heads)
    return [each for each in sizes if each is not None]


def _mark(writer: Writer, tensor: Tensor, sizes: list[Expression], layer: int) -> tuple[Any, ...]:
    """What makes two layers' tensors differ: sizes, experts, whose they are, and how they are stored."""
    tied = tensor.tied is not None and writer.facts.truth(tensor.tied, layer)
    return *(writer.facts.value(each, layer) for each in sizes), tied, writer.quantisation.of(tensor, layer)


def _stored(writer: Writer, tensor: Tensor, layer: int | None) -> Stored | None:
    # Checkpoints name draft layers as those after the last.
    named = writer.facts.depth() if layer is None and tensor.part == "draft" else layer
    return writer.quantisation.of(tensor, named)


def _entry(
    writer: Writer,
    tensor: Tensor,
    name: str,
    layer: int | None,
    lies: list[str],
    origin: tuple[str, Stored | None] | None = None,
) -> Iterator[str]:
    """One tensor's line; `origin` is the part that a draft layer's tensor plays in the model, and how it is stored."""
    facts = writer.facts
    shape = [whole(facts.value(each, layer), each) for each in tensor.shape]
    count = 1 if tensor.count is None else whole(facts.value(tensor.count, layer), tensor.count)
    experts = None if tensor.experts is None else whole(facts.value(tensor.experts, layer), tensor.experts)
    if not prod(shape) * count or experts == 0:
        return
    part, stored = origin or (tensor.part, _stored(writer, tensor, layer))
    terms = [term(writer, each, layer) for each in (tensor.count, *tensor.shape) if each is not None]
    product = " * ".join(each for each in terms if each != "1") or "1"
    fields = [f"part = {tensor.part}", f"parameters = {product} * 1 parameter", *lies]
    if tensor.stage != "layers":
        fields.append(f"stage = {tensor.stage}")
    if experts is not None:
        fields.append(f"experts = {term(writer, tensor.experts, layer)}")  # type: ignore[arg-type]  # there is a count, so there is a term
    if tensor.active is not None:
        fields.append(f"active_experts = {term(writer, tensor.active, layer)}")
    if stored is None:
        fields.append(f"dtype = {tensor.dtype or facts.of('dtype').value}")
    else:
        fields += stored.fields(shape, count)
    fields += _parallel(writer, tensor, layer)
    if part in CUT and len(shape) > 1:
        fields += _cut(writer, tensor, layer, stored)
    if tensor.tied is not None and facts.truth(tensor.tied, layer):
        fields.append("tied = true")
    yield f"tensor {name} {{ {'; '.join(fields)} }}"


def _parallel(writer: Writer, tensor: Tensor, layer: int | None) -> Iterator[str]:
    if tensor.parallel == "kv_heads" and tensor.heads is not None:
        heads = writer.facts.value(tensor.heads, layer)
        yield f"tensor_parallel = kv_heads; kv_heads = {heads}{unit('kv_heads', heads)}"
    elif tensor.parallel == "replicated":
        yield "tensor_parallel = replicated"


def _cut(writer: Writer, tensor: Tensor, layer: int | None, stored: Stored | None) -> Iterator[str]:
    """The width of the side that tensor parallelism cuts, and how many weights along it share a scale."""
    if tensor.parallel == "replicated" or tensor.cut == "none":
        return
    inputs = tensor.cut == "inputs"
    yield f"cut = {term(writer, tensor.shape[-1] if inputs else tensor.shape[-2], layer)}"
    block = 0 if stored is None else stored.cut_block(inputs=inputs)
    if block:
        yield f"cut_block = {block}"
