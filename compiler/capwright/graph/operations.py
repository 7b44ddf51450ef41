"""The plain operations of a tape: those whose value depends on nothing but the values of their arguments."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from capwright.base import interval, irrational, truth
from capwright.base.interval import Range, Value, ends_of
from capwright.graph import faults


def _sqrt(value: Value) -> Value:
    low = ends_of(value)[0]
    if low is None or low < 0:
        raise faults.not_defined_below_zero("sqrt", value)
    return interval.outward(value, irrational.sqrt)


def _log2(value: Value) -> Value:
    low, high = ends_of(value)
    if low is None or low < 0 or high == 0:
        raise faults.not_defined_below_zero("log2", value)
    if isinstance(value, Range) and low == 0:  # the logarithm is open there, as a reciprocal is
        value = Range(None, value.nominal or None, high, value.approximate)
    return interval.outward(value, irrational.log2)


def _exp(value: Value) -> Value:
    return interval.outward(value, irrational.exp)


_PLAIN: Final[dict[str, Callable[..., Value]]] = {
    "add": interval.add,
    "sub": interval.sub,
    "mul": interval.mul,
    "div": interval.div,
    "neg": interval.neg,
    "mod": interval.mod,
    "sqrt": _sqrt,
    "log2": _log2,
    "exp": _exp,
    "divides": truth.divides,
    "lt": truth.less,
    "le": truth.at_most,
    "eq": truth.equal,
    "ne": truth.unequal,
    "not": truth.invert,
}
_WITH_DATA: Final[dict[str, Callable[[Value, Any], Value]]] = {
    "pow": interval.power,
    "ceil": interval.ceil,
    "floor": interval.floor,
}
_OF_MANY: Final[dict[str, Callable[[list[Value]], Value]]] = {
    "min": interval.minimum,
    "max": interval.maximum,
}


def computed(op: str, operands: list[Value], data: object) -> Value:
    """The value of a plain operation.

    Raises `Refusal`, `TooLarge`, `ZeroDivisionError` or `ZeroInside`, and `KeyError` for an operation that is
    not plain.
    """
    plain = _PLAIN.get(op)
    if plain is not None:
        return plain(*operands)
    many = _OF_MANY.get(op)
    return _WITH_DATA[op](operands[0], data) if many is None else many(operands)
