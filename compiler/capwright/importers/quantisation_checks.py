"""What a quantisation says against the model it is of: patterns that mean none of its modules, a method that stores none of
its matrices, two statements that differ."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from capwright.importers.descriptions import Tensor
from capwright.importers.facts import Facts
from capwright.importers.module_names import Endless, Names, alike, full_names
from capwright.importers.plan_terms import Writer
from capwright.importers.quantisation import Quantisation, Share
from capwright.importers.words import quoted

APART: Final = frozenset(
    {"vision", "audio", "draft", "norm", "embedding", "head", "router", "buffer", "adapter"}
)
"""Parts of a model whose modules no description lists in full: a pattern that names one is not looked for."""
_SHOWN: Final = 3


def check_quantisation(writer: Writer) -> None:
    """Messages of what the quantisation of a model, whose text is written, says in vain or twice."""
    quantisation = writer.quantisation
    if quantisation.reading is not None:
        try:
            _check_patterns(quantisation, writer.facts)
            _check_uneven(writer)
            _check_stored(quantisation, writer.facts)
            if quantisation.other is not None and quantisation.other.reading is not None:
                _check_other(quantisation, quantisation.other, writer.facts)
        except Endless:
            return  # Counted already: what is left are only messages.


def _check_patterns(quantisation: Quantisation, facts: Facts) -> None:
    """CW0692 for patterns that mean none of the model's modules."""
    reading = quantisation.reading
    assert reading is not None
    idle = [each for names in _named(quantisation) for each in _idle(names, quantisation, facts)]
    if idle:
        more = f" and {len(idle) - _SHOWN} more" if len(idle) > _SHOWN else ""
        listed = ", ".join(quoted(each) for each in idle[:_SHOWN]) + more
        message = (
            f"{listed} of the quantisation {'mean' if len(idle) > 1 else 'means'} no module of this model"
        )
        help = "correct the names, or take them out: modules are named as in the checkpoint"
        reading.warn("CW0692", reading.span(), message, help)


def _named(quantisation: Quantisation) -> Iterator[Names]:
    for rule in quantisation.rules:
        yield from (each for each in (rule.names, rule.but) if each is not None and each.patterns)


def _idle(names: Names, quantisation: Quantisation, facts: Facts) -> Iterator[str]:
    wanted = Names(tuple(each for each in names.patterns if not _is_apart(each)), names.way, names.merged)
    left = wanted.idle(_modules(quantisation, facts), quantisation.tries)
    if left and names.by_expert():
        left = Names(left, names.way, names.merged).idle(
            _modules(quantisation, facts, names), quantisation.tries
        )
    yield from left


def _is_apart(pattern: str) -> bool:
    from capwright.importers.safetensors_names import taken_apart  # of no use where none is named

    name = pattern.removeprefix("re:").replace("\\.", ".").replace("*", "")
    return any(taken_apart(each).part in APART for each in (f"{name}.weight", *name.split(".")))


def _modules(quantisation: Quantisation, facts: Facts, asked: Names | None = None) -> Iterator[str]:
    """The names that modules of the model may have; of experts those of one of each group that the patterns `asked` tell
    from each other, else of the first."""
    for tensor in facts.description.tensors:
        if tensor.modules:
            experts = _experts(facts, tensor, asked) if asked is not None else (None,)
            for layer in _layers(facts, tensor):
                for expert in experts:
                    yield from full_names(quantisation.prefixes, tensor.modules, layer, expert)


def _experts(facts: Facts, tensor: Tensor, asked: Names) -> Iterable[int | None]:
    """The numbers of a tensor's experts, one of those that patterns do not tell from each other; none where they differ from layer to layer, or there are none."""
    if tensor.experts is None or facts.per_layer(tensor.experts.names):
        return (None,)
    return [first for first, _ in alike(asked.digits(), facts.value(tensor.experts))]


def _layers(facts: Facts, tensor: Tensor) -> Iterable[int | None]:
    """The layers that have a tensor, and those after the last, which draft tokens."""
    if tensor.layers is None:
        return (None,)
    draft = facts.description.draft
    drafting = int(facts.value(draft.count)) if draft is not None else 0
    after = range(facts.depth(), facts.depth() + drafting)
    return (*(each for each in facts.layers(tensor.layers) if facts.truth(tensor.when, each)), *after)


def _check_uneven(writer: Writer) -> None:
    reading = writer.quantisation.reading
    assert reading is not None
    for name, (some, of) in list(writer.uneven.items())[:1]:
        message = (
            f"{some} of the {of} experts in `{name}` are stored in another way than the rest, and which of them a "
            "token takes is not known: the active ones are counted as if they lay evenly"
        )
        help = "name all experts of a layer, or none, if that is what the checkpoint has"
        reading.warn("CW0694", reading.span(), message, help)


def _check_stored(quantisation: Quantisation, facts: Facts) -> None:
    """CW0692 where a method stores none of the model's matrices."""
    reading = quantisation.reading
    assert reading is not None
    means = any(rule.stored is not None or rule.halves for rule in quantisation.rules)
    if means and not any(
        share.stored is not None for _, _, shares in _all_shares(quantisation, facts) for share in shares
    ):
        message = (
            "the quantisation means no matrix of this model: all of them are counted in the model's own dtype"
        )
        help = "correct its targets, or leave it out"
        reading.warn("CW0692", reading.span(), message, help)


def _all_shares(
    quantisation: Quantisation, facts: Facts
) -> Iterator[tuple[Tensor, int | None, tuple[Share, ...]]]:
    """How each tensor is stored in each of its layers, as a share of one matrix of one expert."""
    for tensor in facts.description.tensors:
        if tensor.layers is None:
            yield tensor, None, quantisation.shares(tensor, None, 1, 1)
            continue
        for layer in facts.layers(tensor.layers):
            if facts.truth(tensor.when, layer):
                yield tensor, layer, quantisation.shares(tensor, layer, 1, 1)


def _check_other(first: Quantisation, second: Quantisation, facts: Facts) -> None:
    """CW0693 where the file beside the config would store a tensor in another way."""
    assert second.reading is not None
    pairs = zip(_all_shares(first, facts), _all_shares(second, facts), strict=True)
    for (tensor, layer, one), (_, _, other) in pairs:
        if one != other:
            place = "" if layer is None else f" of layer {layer}"
            message = (
                f"the config stores `{tensor.name}`{place} as {_said(one, facts)} and the file beside it as "
                f"{_said(other, facts)}: the config counts"
            )
            second.reading.warn("CW0693", second.reading.span(), message, "leave the one that is right")
            return


def _said(shares: tuple[Share, ...], facts: Facts) -> str:
    stored = shares[0].stored
    return str(facts.of("dtype").value) if stored is None else stored.dtype
