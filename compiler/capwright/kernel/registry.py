"""Every name the kernel gives to plans: constructors of static values, primitives, operators.

`CONSTRUCTORS` and `PRIMITIVES` are by name. `call` evaluates a primitive on points and ranges.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

from capwright.base.interval import Value
from capwright.kernel import building, evaluating
from capwright.kernel.binomial import binomial_quantile
from capwright.kernel.contract import Constructor, Primitive, Slot, StaticValue
from capwright.kernel.lengths import SHORTEST
from capwright.kernel.masks import Mask, both, either, outside

__all__ = [
    "BARE",
    "CONSTRUCTORS",
    "OBSERVED",
    "OPERATED",
    "OPERATORS",
    "PRIMITIVES",
    "TYPES",
    "Constructor",
    "Primitive",
    "Slot",
    "call",
]

TYPES: Final = ("mask", "lengths")

OBSERVED: Final = "lengths"
"""The type of what a reader makes of a file of observations."""

BARE: Final = {"lengths": "fixed"}
"""The constructor that a plain quantity stands for where a value of a type is asked for: `output = 400 tokens`."""


def _tokens(name: str, **more: Any) -> Slot:
    return Slot(name, "quantity", "token", **more)


_CONSTRUCTORS: Final = (
    Constructor("causal", "mask", (), building.causal, "each query sees itself and what stands before it"),
    Constructor("full", "mask", (), building.full, "every query sees every key"),
    Constructor(
        "window",
        "mask",
        (_tokens("size"), _tokens("ahead", default=0)),
        building.window,
        "the last `size` keys, the query's own among them; with `ahead`, that many after it too",
    ),
    Constructor(
        "sinks",
        "mask",
        (_tokens("count"),),
        building.sinks,
        "the first `count` keys, for every query; join with `causal` to look back only",
    ),
    Constructor(
        "prefix",
        "mask",
        (_tokens("size"),),
        building.prefix,
        "prefix-LM: the first `size` keys for every query, and causal beyond them",
    ),
    Constructor(
        "chunked",
        "mask",
        (_tokens("size"),),
        building.chunked,
        "the keys of the query's own chunk, before and after it; `causal and chunked(…)` looks back only",
    ),
    Constructor(
        "dilated",
        "mask",
        (_tokens("step"),),
        building.dilated,
        "every `step`-th key, counted from the query both ways; join with `causal and window(…)`",
    ),
    Constructor(
        "block_sparse",
        "mask",
        (_tokens("block"), Slot("local", "quantity"), Slot("stride", "quantity")),
        building.block_sparse,
        "the query's block and the `local` - 1 before it, and the last of every `stride` blocks; "
        "join with `causal` to look back only",
    ),
    Constructor(
        "documents",
        "mask",
        (Slot("lengths", "list", "token"),),
        building.documents,
        "packed documents: the keys of the query's own document; join with `causal` to look back only",
    ),
    Constructor(
        "top_k",
        "mask",
        (_tokens("count"),),
        building.top_k,
        "a learned choice: at most `count` of the keys that everything joined to it by `and` permits",
    ),
    Constructor("fixed", "lengths", (_tokens("length"),), building.fixed, "one length"),
    Constructor(
        "uniform",
        "lengths",
        (_tokens("low"), _tokens("high")),
        building.uniform,
        "every whole length from `low` to `high`, ends included",
    ),
    Constructor(
        "lognormal",
        "lengths",
        (
            _tokens("median"),
            _tokens("p95"),
            _tokens("at_most", default=building.NO_CUT),
            _tokens("at_least", default=SHORTEST),
        ),
        building.lognormal,
        "log-normal by median and 95th percentile before the cuts; a length above `at_most` or below `at_least` "
        "(1 token) is drawn again",
    ),
    Constructor(
        "empirical",
        "lengths",
        (Slot("lengths", "list", "token"),),
        building.empirical,
        "observed lengths",
    ),
)

_LENGTHS: Final = Slot("lengths", "lengths")
_PRIMITIVES: Final = (
    Primitive(
        "pairs",
        (Slot("mask", "mask"), _tokens("queries"), _tokens("keys")),
        "token^2",
        evaluating.count_pairs,
        (1, 0),
        "permitted pairs of the last `queries` of `keys` positions with all keys",
    ),
    Primitive(
        "prompt_pairs",
        (Slot("mask", "mask"), _tokens("length")),
        "token^2",
        evaluating.count_prompt_pairs,
        (1,),
        "permitted pairs of a whole prompt with itself",
    ),
    Primitive(
        "prefix_pairs",
        (Slot("mask", "mask"), _tokens("queries"), _tokens("keys"), _tokens("first")),
        "token^2",
        evaluating.count_prefix_pairs,
        (1, 0, 1),
        "permitted pairs of the last `queries` of `keys` positions with the first `first` keys; of a learned choice as many as can be",
    ),
    Primitive(
        "hides",
        (Slot("mask", "mask"), Slot("own", "mask"), _tokens("keys")),
        "",
        evaluating.hides,
        (0,),
        "1 where some query of the first `keys` positions sees a key by `own` and not by `mask`, else 0; of learned choices counts are compared",
    ),
    Primitive(
        "rows_grow",
        (Slot("mask", "mask"),),
        "",
        evaluating.rows_grow,
        (),
        "1 where it is certain that no query sees fewer keys than the one before it, nor any behind itself, else 0",
    ),
    Primitive(
        "looks_back",
        (Slot("mask", "mask"),),
        "",
        evaluating.looks_back_only,
        (),
        "1 where it is certain that no query sees a key behind itself, else 0",
    ),
    Primitive("mean", (_LENGTHS,), "token", evaluating.mean, (), "the mean length"),
    Primitive("variance", (_LENGTHS,), "token^2", evaluating.variance, (), "the variance of the length"),
    Primitive(
        "quantile",
        (_LENGTHS, Slot("share", "quantity")),
        "token",
        evaluating.quantile,
        (1,),
        "the smallest length that at least `share` of all do not exceed",
    ),
    Primitive(
        "binomial_quantile",
        (Slot("trials", "quantity"), Slot("share", "quantity"), Slot("level", "quantity")),
        "",
        binomial_quantile,
        (1, 1, 1),
        "the smallest number of successes that at least `level` of all draws of `trials` do not exceed",
    ),
    Primitive("longest", (_LENGTHS,), "token", evaluating.longest, (), "the longest length"),
    Primitive("shortest", (_LENGTHS,), "token", evaluating.shortest, (), "the shortest length"),
)

CONSTRUCTORS: Final[dict[str, Constructor]] = {each.name: each for each in _CONSTRUCTORS}
PRIMITIVES: Final[dict[str, Primitive]] = {each.name: each for each in _PRIMITIVES}
OPERATORS: Final[dict[str, Callable[..., Mask]]] = {"and": both, "or": either, "not": outside}
OPERATED: Final = tuple((name, "mask") for name in OPERATORS)
"""Which operator takes values of which type."""


def call(primitive_name: str, static_args: Sequence[StaticValue], numeric_values: Sequence[Value]) -> Value:
    """The value of a primitive on points and ranges, sound at both ends; raises only `KernelRefusal`.

    A range is evaluated at its ends in the arguments in which the primitive is monotone. Elsewhere a bound that
    holds everywhere stands in, or the end is open.
    """
    return evaluating.evaluate(PRIMITIVES[primitive_name], tuple(static_args), tuple(numeric_values))


def work(primitive_name: str, static_args: Sequence[StaticValue], numeric_values: Sequence[Value]) -> int:
    """About how long `call` takes, in pieces of a mask."""
    return evaluating.work(PRIMITIVES[primitive_name], tuple(static_args), tuple(numeric_values))
