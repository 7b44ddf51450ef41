"""From checked arguments to static values: sizes are whole and positive, parameters do not contradict."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from capwright.base.exact import Number
from capwright.kernel.lengths import SHORTEST, Empirical, Lognormal, Uniform
from capwright.kernel.lengths import empirical as observed_lengths
from capwright.kernel.masks import CHOSEN, Argument, Atom
from capwright.kernel.refusal import KernelRefusal
from capwright.kernel.text import tokens, whole

NO_CUT: Final = "no cut"
"""What stands for `at_most` where it is left out."""


def causal() -> Atom:
    """Each query sees itself and what stands before it."""
    return Atom("causal")


def full() -> Atom:
    """Every query sees every key."""
    return Atom("full")


def sinks(count: object) -> Atom:
    """The first `count` keys."""
    return _sized("sinks", "count", count)


def prefix(size: object) -> Atom:
    """The first `size` keys, and causal order beyond them."""
    return _sized("prefix", "size", size)


def chunked(size: object) -> Atom:
    """The keys of the query's own chunk."""
    return _sized("chunked", "size", size)


def dilated(step: object) -> Atom:
    """Every `step`-th key, counted from the query."""
    return _sized("dilated", "step", step)


def top_k(count: object) -> Atom:
    """A learned choice of at most `count` keys."""
    return _sized(CHOSEN, "count", count)


def _sized(name: str, slot: str, size: object) -> Atom:
    return Atom(name, (Argument(slot, whole(size, f"the {slot} of `{name}`", 1)),))


def window(size: object, ahead: object = 0) -> Atom:
    """The last `size` keys, the query's own among them, and `ahead` keys after it."""
    back = Argument("size", whole(size, "the size of `window`", 1))
    forward = whole(ahead, "the part of `window` that lies ahead", 0)
    return Atom("window", (back, Argument("ahead", forward)) if forward else (back,))


def block_sparse(block: object, local: object, stride: object) -> Atom:
    """The last `local` blocks, the query's own among them, and every `stride`-th block of keys."""
    size = Argument("block", whole(block, "the block of `block_sparse`", 1))
    near = Argument("local", whole(local, "the number of local blocks of `block_sparse`", 1), in_tokens=False)
    far = Argument("stride", whole(stride, "the stride of `block_sparse`", 1), in_tokens=False)
    return Atom("block_sparse", (size, near, far))


def documents(lengths: Sequence[object]) -> Atom:
    """Packed documents of these lengths."""
    if not lengths:
        raise _contradiction(
            "`documents` has no document", "give the length of each: `documents([1_024 tokens])`"
        )
    sizes = tuple(whole(each, "the length of a packed document", 1) for each in lengths)
    return Atom("documents", (Argument("lengths", sizes),))


def fixed(length: object) -> Uniform:
    """One length."""
    size = whole(length, "the length of `fixed`", 0)
    return Uniform(size, size)


def uniform(low: object, high: object) -> Uniform:
    """Every whole length from `low` to `high`."""
    first, last = whole(low, "the low end of `uniform`", 0), whole(high, "the high end of `uniform`", 0)
    if first > last:
        message = f"`uniform` goes from {tokens(first)} down to {tokens(last)}"
        raise _contradiction(message, "give the smaller length first")
    return Uniform(first, last)


def lognormal(
    median: Number, p95: Number, at_most: Number | str = NO_CUT, at_least: Number = SHORTEST
) -> Lognormal:
    """A log-normal law by median and 95th percentile, drawn again outside `at_least` .. `at_most`."""
    if median <= 0 or p95 <= median:
        message = f"`lognormal` has the median {tokens(median)} and the 95th percentile {tokens(p95)}"
        raise _contradiction(message, "the median is above zero and the 95th percentile above the median")
    if p95 * 1_000_000 < median * 1_000_001:
        message = f"`lognormal` has its 95th percentile within a millionth of its median, {tokens(median)}"
        raise _contradiction(message, "use `fixed`, or `uniform` over the lengths that occur")
    cut = None if isinstance(at_most, str) else at_most
    if cut is not None and cut < p95:
        message = f"`lognormal` is cut at {tokens(cut)}, below its 95th percentile of {tokens(p95)}"
        raise _contradiction(message, "`median` and `p95` describe the law before the cut; raise `at_most`")
    if not 0 < at_least < median:
        message = (
            f"`lognormal` has the median {tokens(median)}, and its lengths are at least {tokens(at_least)}"
        )
        raise _contradiction(
            message, "`at_least` is above zero and below the median; it is 1 token by default"
        )
    return Lognormal(median, p95, cut, at_least)


def empirical(lengths: Sequence[object]) -> Empirical:
    """Observed lengths."""
    if not lengths:
        raise _contradiction("`empirical` has no length", "give at least one: `empirical([1_024 tokens])`")
    return observed_lengths(whole(each, "a length of `empirical`", 0) for each in lengths)


def _contradiction(message: str, help: str) -> KernelRefusal:
    return KernelRefusal("CW0606", message, help)
