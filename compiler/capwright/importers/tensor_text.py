"""Plan text of a model's weight tensors: those of its layers, those outside them, and those of layers that draft tokens."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import replace

from capwright.importers.descriptions import Draft, Tensor
from capwright.importers.facts import MAX_LAYERS, Said
from capwright.importers.formulas import Expression, Unfit, parse
from capwright.importers.layer_patterns import classes, placed
from capwright.importers.module_names import numbered
from capwright.importers.plan_terms import Writer, term, unit, whole
from capwright.importers.quantisation import Share, Stored

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
        raise Unfit(f"`tensors.{tensor.name}`: {unfit}", unfit.expression) from None


def _outside(writer: Writer, tensor: Tensor) -> Iterator[str]:
    facts = writer.facts
    if facts.truth(tensor.when):
        copies = 1 if tensor.copies is None else whole(facts.value(tensor.copies), tensor.copies)
        if copies:
            yield from _entry(writer, tensor, tensor.name, None, _copies(copies))


def _in_layers(writer: Writer, tensor: Tensor) -> Iterator[str]:
    facts = writer.facts
    assert tensor.layers is not None
    layers = [layer for layer in facts.layers(tensor.layers) if facts.truth(tensor.when, layer)]
    sizes = [each for each in _sizes_of(tensor) if facts.per_layer(each.names)]
    alike = None if sizes or not layers else _matrices(writer, tensor, layers[0])
    split = classes(layers, lambda layer: _mark(writer, tensor, sizes, layer, alike))
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
    if copies > MAX_LAYERS:
        raise Unfit(f"`draft.count` is {copies:_}, and no model here may have over {MAX_LAYERS:_} layers")
    like = whole(facts.value(draft.like), draft.like)
    for tensor in writer.description.tensors:
        if tensor.layers is not None and facts.value(tensor.layers, like) and facts.truth(tensor.when, like):
            yield from _drafting(writer, draft, tensor, like, copies)


def _drafting(writer: Writer, draft: Draft, tensor: Tensor, like: int, copies: int) -> Iterator[str]:
    """The lines of one tensor in all draft layers, apart where these are stored in different ways."""
    again = replace(
        tensor, part="draft", stage="last", tied=None, beside_experts=tensor.part == "shared_expert"
    )
    # Checkpoints name draft layers as those after the last, or by names of their own.
    origins = [
        _Origin(tensor, writer.facts.depth() + at, tuple(numbered(each, at) for each in draft.prefixes))
        for at in range(copies)
    ]
    split = classes(range(copies), lambda at: _shares(writer, again, like, origins[at]))
    for number, (_, some) in enumerate(split, 1):
        name = f"draft_{tensor.name}" if number == 1 else f"draft_{tensor.name}_{number}"
        yield from _entry(writer, again, name, like, _copies(len(some)), origins[some[0]])


def _copies(count: int) -> list[str]:
    return [f"copies = {count}"] if count != 1 else []


def _sizes_of(tensor: Tensor) -> list[Expression]:
    sizes = (*tensor.shape, tensor.count, tensor.experts, tensor.active, tensor.heads)
    return [each for each in sizes if each is not None]


def _mark(
    writer: Writer, tensor: Tensor, sizes: list[Expression], layer: int, alike: tuple[int, int] | None
) -> tuple[Any, ...]:
    """What makes two layers' tensors differ: sizes, experts, whose they are, and how they are stored. `alike` are the
    matrices and experts of all layers, where they do not differ."""
    tied = tensor.tied is not None and writer.facts.truth(tensor.tied, layer)
    marks = *(writer.facts.value(each, layer) for each in sizes), tied
    if not writer.quantisation.asks(tensor):
        return marks
    return *marks, writer.quantisation.shares(tensor, layer, *(alike or _matrices(writer, tensor, layer)))


class _Origin(Struct, frozen=True):
    """Which tensor of the model a tensor is like, and which layer's number, or beginnings of its `own`, quantisation
    settings know it by."""

    tensor: Tensor
    named: int | None
    own: tuple[str, ...] = ()


def _shares(writer: Writer, tensor: Tensor, layer: int | None, origin: _Origin) -> tuple[Share, ...]:
    """How the matrices of a tensor are stored; none of them are where it has no numbers."""
    matrices, experts = _matrices(writer, tensor, layer)
    if not matrices * experts:
        return ()
    named = writer.facts.depth() if origin.named is None and tensor.part == "draft" else origin.named
    return writer.quantisation.shares(
        origin.tensor if tensor.packed else tensor, named, matrices, experts, origin.own
    )


def _matrices(writer: Writer, tensor: Tensor, layer: int | None) -> tuple[int, int]:
    """How many matrices a tensor has, and of how many experts; none where they have no numbers."""
    facts = writer.facts
    numbers = prod(whole(facts.value(each, layer), each) for each in tensor.shape)
    count = 1 if tensor.count is None else whole(facts.value(tensor.count, layer), tensor.count)
    experts = 1 if tensor.experts is None else whole(facts.value(tensor.experts, layer), tensor.experts)
    return (count, experts) if numbers else (0, experts)


def _entry(
    writer: Writer,
    tensor: Tensor,
    name: str,
    layer: int | None,
    lies: list[str],
    origin: _Origin | None = None,
) -> Iterator[str]:
    """One tensor's line, or one for each way in which its matrices are stored."""
    origin = origin or _Origin(tensor, layer)
    shares = _shares(writer, tensor, layer, origin)
    active = _active(writer, tensor, layer, shares)
    for number, (share, some) in enumerate(zip(shares, active, strict=True), 1):
        shown = name if number == 1 else f"{name}_stored_{number}"
        if len(shares) == 1:
            yield _line(writer, tensor, shown, layer, lies, origin, share)
        else:
            yield _line(writer, _part_of(tensor, share, some), shown, layer, lies, origin, share)


def _part_of(tensor: Tensor, share: Share, active: int) -> Tensor:
    """The part of a tensor that is stored in one way."""
    return replace(
        tensor,
        count=parse(str(share.matrices)),
        experts=None if tensor.experts is None else parse(str(share.experts)),
        active=None if tensor.experts is None else parse(str(active)),
    )


def _active(writer: Writer, tensor: Tensor, layer: int | None, shares: tuple[Share, ...]) -> list[int]:
    """The experts that a token takes of each share: as many of each as lie evenly, and as many in all as it takes.

    Nobody knows which it takes: where the shares are of different experts, the tensor is noted as uneven.
    """
    if tensor.active is None or len(shares) < 2:
        return [share.experts for share in shares]
    total = whole(writer.facts.value(tensor.active, layer), tensor.active)
    found: list[int] = []
    for at, share in enumerate(shares):
        whole_set = sum(each.experts for each in shares if each.matrix == share.matrix)
        before = sum(each.experts for each in shares[:at] if each.matrix == share.matrix)
        found.append(total * (before + share.experts) // whole_set - total * before // whole_set)
        if share.experts < whole_set:
            writer.uneven.setdefault(tensor.name, (share.experts, whole_set))
    return found


def _line(
    writer: Writer,
    tensor: Tensor,
    name: str,
    layer: int | None,
    lies: list[str],
    origin: _Origin,
    share: Share,
) -> str:
    facts = writer.facts
    shape = [whole(facts.value(each, layer), each) for each in tensor.shape]
    terms = [term(writer, each, layer) for each in (tensor.count, *tensor.shape) if each is not None]
    product = " * ".join(each for each in terms if each != "1") or "1"
    fields = [f"part = {tensor.part}", f"parameters = {product} * 1 parameter", *lies]
    if tensor.stage != "layers":
        fields.append(f"stage = {tensor.stage}")
    if tensor.experts is not None:
        fields.append(f"experts = {term(writer, tensor.experts, layer)}")
    if tensor.active is not None:
        fields.append(f"active_experts = {term(writer, tensor.active, layer)}")
    if share.stored is None:
        fields.append(f"dtype = {tensor.dtype or facts.of('dtype').value}")
    else:
        fields += share.stored.fields(shape, share.matrices)
    fields += _parallel(writer, tensor, layer)
    if origin.tensor.part in CUT and len(shape) > 1:
        fields += _cut(writer, tensor, layer, share.stored)
    if tensor.beside_experts:
        fields.append("beside_experts = true")
    if tensor.absorbed:
        fields.append("absorbed = true")
    if tensor.tied is not None and facts.truth(tensor.tied, layer):
        fields.append("tied = true")
    return f"tensor {name} {{ {'; '.join(fields)} }}"


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
