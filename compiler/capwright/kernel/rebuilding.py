"""Static values from what their `json()` wrote into a document, which a stranger may have changed since.

Everything goes through the constructors that plans use, so that what a document holds is what a plan could say.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from capwright.base.exact import MAX_BITS, NUMBER, Number, from_text
from capwright.kernel import building
from capwright.kernel.contract import Primitive, StaticValue
from capwright.kernel.lengths import Empirical, Lengths
from capwright.kernel.masks import MAX_ATOMS, Mask, both, either, outside
from capwright.kernel.refusal import KernelRefusal
from capwright.kernel.registry import CONSTRUCTORS, OPERATORS

DEEPEST: Final = 2 * MAX_ATOMS
"""How deep masks are composed, at most: one more join, and one more `not`, for each that is joined."""


class NoStaticValue(ValueError):
    """Data is not what a static value wrote."""


def from_json(data: Any) -> StaticValue:
    """The static value whose `json()` is `data`; raises `NoStaticValue` for what no plan could have built."""
    try:
        return _mask(data, 0) if data["sort"] == "mask" else _lengths(data)
    except (AttributeError, KeyError, TypeError, ValueError, ArithmeticError, KernelRefusal) as wrong:
        raise NoStaticValue(str(wrong)) from None


def takes(primitive: Primitive, static: Sequence[StaticValue], numbers: int) -> bool:
    """Whether a primitive takes these static values and this many numbers."""
    sorts = [slot.sort for slot in primitive.slots]
    given = ["lengths" if isinstance(each, Lengths) else "mask" for each in static]
    return sorts == [*given, *["quantity"] * numbers]


def _lengths(data: dict[str, Any]) -> Lengths:
    match data:
        case {"sort": "lengths", "text": str(), "is": "uniform", "low": low, "high": high, **rest} if (
            not rest
        ):
            return building.uniform(_count(low), _count(high))
        case {"sort": "lengths", "text": str(), "is": "empirical", "counts": [*counts], **rest} if not rest:
            return _empirical(counts)
        case {
            "sort": "lengths", "text": str(), "is": "lognormal",
            "median": median, "p95": p95, "at_most": cut, "at_least": least, **rest,
        } if not rest:  # fmt: skip
            at_most = building.NO_CUT if cut is None else _number(cut)
            return building.lognormal(_number(median), _number(p95), at_most, _number(least))
    raise NoStaticValue("no distribution of lengths")


def _empirical(counts: list[Any]) -> Empirical:
    pairs = tuple((_count(length), _count(times)) for length, times in counts)
    lengths = [length for length, _ in pairs]
    if not pairs or lengths != sorted(set(lengths)) or any(times == 0 for _, times in pairs):
        raise NoStaticValue("no observed lengths")
    return Empirical(pairs)


def _mask(data: dict[str, Any], depth: int) -> Mask:
    match data:
        case {"sort": "mask", "text": str(), "is": form, "of": [first, *others], **rest} if not rest:
            return _composed(form, [_mask(part, depth + 1) for part in (first, *others)], depth)
        case {"sort": "mask", "text": str(), "is": str(name), "with": {**sizes}, **rest} if not rest:
            constructor = CONSTRUCTORS[name]
            if constructor.result == "mask":
                found = constructor.build(**{str(key): _size(value) for key, value in sizes.items()})
                assert not isinstance(found, Lengths)
                return found
    raise NoStaticValue("no mask")


def _composed(form: str, parts: list[Mask], depth: int) -> Mask:
    if depth > DEEPEST or (form == "not" and len(parts) != 1) or form not in OPERATORS:
        raise NoStaticValue("no composition of masks")
    if form == "not":
        return outside(parts[0])
    joined, join = parts[0], both if form == "and" else either
    for part in parts[1:]:
        joined = join(joined, part)
    return joined


def _size(value: Any) -> int | list[int]:
    return [_count(each) for each in value] if isinstance(value, list) else _count(value)


def _number(value: Any) -> Number:
    if not NUMBER.fullmatch(value):
        raise NoStaticValue("no number of tokens")
    return from_text(value)


def _count(value: Any) -> int:
    if type(value) is not int or not 0 <= value.bit_length() <= MAX_BITS or value < 0:
        raise NoStaticValue("no whole number of tokens")
    return value
