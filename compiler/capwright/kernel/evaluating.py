"""Primitives on points, and the one rule by which they are carried to ranges."""

from __future__ import annotations

from math import ceil, floor
from typing import Final

from capwright.base.exact import MAX_BITS, Number, TooLarge, add, bits, mul
from capwright.base.interval import Range, Value, as_range, collapse
from capwright.kernel.building import sinks, top_k
from capwright.kernel.contract import Primitive, StaticValue
from capwright.kernel.lengths import Empirical, Lengths, Lognormal, Uniform
from capwright.kernel.masks import Mask, both, chooses, convex, grows, looks_back
from capwright.kernel.masks_atoms import without_choice
from capwright.kernel.masks_count import counted_pairs, pairs
from capwright.kernel.refusal import KernelRefusal

_A_LAW: Final = 3_000
"""Pieces of a mask that take as long as a figure of a continuous law, or of independent trials, to so many digits."""
_LENGTHS_A_PIECE: Final = 50


def count_pairs(mask: Mask, queries: Number, keys: Number) -> Value:
    """Permitted pairs of the last `queries` of `keys` positions with all keys, in token^2."""
    return pairs(mask, _whole(queries, "queries"), _whole(keys, "keys"))


def count_prompt_pairs(mask: Mask, length: Number) -> Value:
    """Permitted pairs of `length` positions with themselves, in token^2."""
    size = _whole(length, "length")
    return pairs(mask, size, size)


def count_prefix_pairs(mask: Mask, queries: Number, keys: Number, first: Number) -> Value:
    """Permitted pairs of the last `queries` of `keys` positions with the first `first` keys, in token^2; of a learned
    choice as many as can be."""
    shared = _whole(first, "first")
    rows, columns = _whole(queries, "queries"), _whole(keys, "keys")
    return pairs(both(mask, sinks(shared)), rows, columns) if shared else 0


def hides(mask: Mask, own: Mask, keys: Number) -> Value:
    """1 where some query of the first `keys` positions sees a key by `own` and not by `mask`, else 0. Of learned choices
    counts are compared: which keys they pick is not known."""
    size = _whole(keys, "keys")
    if mask == own:
        return 0
    (shown, limit), (meant, own_limit) = without_choice(mask), without_choice(own)
    # Where `mask` picks more than `own` does, what it picks beyond stands for nothing that it hides.
    limits = [each for each in (limit, own_limit) if each is not None]
    common = both(shown, meant)
    common = both(common, top_k(min(limits))) if limits else common
    return int(pairs(common, size, size) < pairs(own, size, size))


def rows_grow(mask: Mask) -> Value:
    """1 where it is certain that no query sees fewer keys than the one before it, nor any behind itself: the pairs of a
    whole prompt are then convex in its length."""
    return int(convex(mask))


def looks_back_only(mask: Mask) -> Value:
    """1 where it is certain that no query sees a key behind itself: a longer prompt's pairs are then those of the shorter
    one and those of its further queries."""
    return int(looks_back(mask))


def mean(lengths: Lengths) -> Value:
    """The mean length in tokens."""
    return lengths.moment(1)


def variance(lengths: Lengths) -> Value:
    """The variance of the length in token^2; rounded outward where the mean is."""
    square, first = as_range(lengths.moment(2)), as_range(lengths.moment(1))
    low, high = _minus_square(square.low, first.high), _minus_square(square.high, first.low)
    return collapse(Range(low, _minus_square(square.nominal, first.nominal), high, square.approximate))


def quantile(lengths: Lengths, share: Number) -> Value:
    """The smallest length that at least `share` (0 to 1) of all do not exceed."""
    if not 0 <= share <= 1:
        message = f"`quantile` is asked for the share {share}, and a share lies between 0 and 1"
        raise KernelRefusal("CW0606", message, "write the share as `0.95` or `95%`")
    return lengths.quantile(share)


def longest(lengths: Lengths) -> Value:
    """The longest length that can occur."""
    return lengths.longest() if isinstance(lengths, Lognormal) else lengths.quantile(1)


def shortest(lengths: Lengths) -> Value:
    """The shortest length that can occur."""
    return lengths.quantile(0)


def evaluate(primitive: Primitive, static: tuple[StaticValue, ...], values: tuple[Value, ...]) -> Value:
    """`primitive` on points and ranges, sound at both ends; raises only `KernelRefusal`."""
    try:
        if any(isinstance(value, Range) for value in values):
            found = collapse(_over_ranges(primitive, static, [as_range(value) for value in values]))
        else:
            found = primitive.evaluate(*static, *values)
        return _bounded(found)
    except TooLarge:
        message = f"`{primitive.name}` would need a number of too many digits here"
        raise KernelRefusal("CW0608", message, "use smaller lengths") from None


def work(primitive: Primitive, static: tuple[StaticValue, ...], values: tuple[Value, ...]) -> int:
    """About how long it takes to evaluate `primitive`, in pieces of a mask."""
    ranges = [as_range(value) for value in values]
    most = [
        max(ceil(end), 0)
        for each in ranges
        if (end := each.low if each.high is None else each.high) is not None
    ]
    corners = 3 if any(isinstance(value, Range) for value in values) else 1
    if len(most) < len(ranges):
        return 0
    try:
        return corners * _work(primitive.name, static, most)
    except (KernelRefusal, TooLarge):
        return 0


def _work(name: str, static: tuple[StaticValue, ...], most: list[int]) -> int:
    match static:
        case () | (Lognormal(), *_):
            return _A_LAW
        case (Empirical(counts), *_):
            return len(counts) // _LENGTHS_A_PIECE
        case (Uniform(), *_):
            return 0
    mask, *own = (each for each in static if not isinstance(each, Lengths))
    if name == "hides":
        return 0 if own == [mask] else 2 * counted_pairs(own[0], most[0], most[0])[1]
    if name == "prefix_pairs":
        mask = both(mask, sinks(max(most[2], 1)))
    return counted_pairs(mask, most[0], most[min(len(most) - 1, 1)])[1] if most else 0


def _bounded(value: Value) -> Value:
    found = as_range(value)
    if any(bits(part) > MAX_BITS for part in (found.low, found.nominal, found.high) if part is not None):
        raise TooLarge
    return value


def _over_ranges(primitive: Primitive, static: tuple[StaticValue, ...], ranges: list[Range]) -> Range:
    signs = monotone(primitive, static)
    nominal = _at(primitive, static, [each.nominal for each in ranges], "nominal")
    fixed = [sign != 0 or each.low == each.high is not None for sign, each in zip(signs, ranges, strict=True)]
    approximate = any(each.approximate for each in ranges)
    if all(fixed):
        lows = [each.low if sign >= 0 else each.high for sign, each in zip(signs, ranges, strict=True)]
        highs = [each.high if sign >= 0 else each.low for sign, each in zip(signs, ranges, strict=True)]
        low, high = _at(primitive, static, lows, "low"), _at(primitive, static, highs, "high")
        most = high if high.high is not None else _range(_most(primitive, static, ranges))
        return _joined(low, nominal, most, approximate)
    return _joined(_range(0), nominal, _range(_most(primitive, static, ranges)), approximate)


def _joined(low: Range, nominal: Range, high: Range, approximate: bool) -> Range:
    rounded = any(each.approximate for each in (low, nominal, high))
    return Range(low.low, nominal.nominal, high.high, approximate or rounded)


def _range(value: Number | None) -> Range:
    return Range(value, value, value)


def _most(primitive: Primitive, static: tuple[StaticValue, ...], ranges: list[Range]) -> Number | None:
    """What no pair count exceeds: every query with every key, or with each of the first; and no mask hides anything that
    it shows."""
    if primitive.name == "hides":
        return int(static[0] != static[1])
    if primitive.name not in ("pairs", "prefix_pairs") or any(each.high is None for each in ranges):
        return None
    queries, *_, keys = (each.high for each in ranges)
    assert queries is not None
    assert keys is not None
    return mul(ceil(queries), ceil(keys))


def _at(
    primitive: Primitive, static: tuple[StaticValue, ...], ends: list[Number | None], which: str
) -> Range:
    """The primitive at one corner; open where an end is, or where no nominal whole number exists."""
    points = [end for end in ends if end is not None]
    if len(points) < len(ends):
        return _range(None)
    if primitive.result_unit == "token^2":
        if which == "nominal" and any(type(point) is not int for point in points):
            return _range(None)
        points = [floor(point) if which == "low" else ceil(point) for point in points]
    return as_range(primitive.evaluate(*static, *points))


def monotone(primitive: Primitive, static: tuple[StaticValue, ...]) -> tuple[int, ...]:
    """`primitive.monotone`, sharpened by the static values: under a mask that `grows`, more keys never mean fewer
    pairs. What a learned choice misses of keys that it could see, it may make up for with keys behind the query, of
    which more keys bring more."""
    if primitive.name == "pairs" and not isinstance(static[0], Lengths) and grows(static[0]):
        return (1, 1)
    if primitive.name == "hides":
        own = static[1]
        assert not isinstance(own, Lengths)
        return (int(looks_back(own) or not chooses(own)),)
    return primitive.monotone


def _whole(value: Number, what: str) -> int:
    if type(value) is int and value >= 0:
        if 2 * bits(value) > MAX_BITS:
            raise TooLarge
        return value
    message = f"pairs are counted for whole numbers of tokens, and the {what} given is {value}"
    raise KernelRefusal("CW0602", message, "round it where it is defined: `ceil(…)` or `floor(…)`")


def _minus_square(value: Number | None, root: Number | None) -> Number | None:
    return None if value is None or root is None else add(value, -mul(root, root))
