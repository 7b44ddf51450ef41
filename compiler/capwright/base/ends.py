"""Interval arithmetic on bare ends: `(low, high)`, `None` where an end is open.

All functions are sound: the result contains the operation's value at every point of the arguments. An
open end times zero is zero, since an open end stands for a finite but unknown number.
"""

from __future__ import annotations

import math
from typing import Final

from capwright.base import exact
from capwright.base.exact import Number

End = Number | None
Ends = tuple[End, End]

ZERO: Final[Ends] = (0, 0)
ONE: Final[Ends] = (1, 1)
OPEN: Final[Ends] = (None, None)

_LEAST: Final = -math.inf
_MOST: Final = math.inf


class ZeroInside(ArithmeticError):
    """A divisor may lie on either side of zero."""


def point(value: Number) -> Ends:
    """The interval that holds one number."""
    return (value, value)


def is_point(pair: Ends) -> bool:
    """Whether the interval holds one number only: two ends that are both open are not one."""
    return pair[0] is not None and pair[0] == pair[1]


def contains(a: Ends, value: Number) -> bool:
    """Whether `value` lies in `a`, ends included."""
    return (a[0] is None or a[0] <= value) and (a[1] is None or value <= a[1])


def within(a: Ends, b: Ends) -> bool:
    """Whether all of `a` lies in `b`."""
    return (b[0] is None or (a[0] is not None and b[0] <= a[0])) and (
        b[1] is None or (a[1] is not None and a[1] <= b[1])
    )


def hull(a: Ends, b: Ends) -> Ends:
    """The smallest interval that contains both."""
    low = None if a[0] is None or b[0] is None else min(a[0], b[0])
    high = None if a[1] is None or b[1] is None else max(a[1], b[1])
    return (low, high)


def meet(a: Ends, b: Ends) -> Ends | None:
    """What both contain, or None where they are disjoint."""
    low = higher_end(a[0], b[0])
    high = lower_end(a[1], b[1])
    return None if low is not None and high is not None and low > high else (low, high)


def higher_end(a: End, b: End) -> End:
    """The tighter of two low ends."""
    return b if a is None else a if b is None else max(a, b)


def lower_end(a: End, b: End) -> End:
    """The tighter of two high ends."""
    return b if a is None else a if b is None else min(a, b)


def neg(a: Ends) -> Ends:
    return (None if a[1] is None else -a[1], None if a[0] is None else -a[0])


def add(a: Ends, b: Ends) -> Ends:
    low = None if a[0] is None or b[0] is None else exact.add(a[0], b[0])
    high = None if a[1] is None or b[1] is None else exact.add(a[1], b[1])
    return (low, high)


def sub(a: Ends, b: Ends) -> Ends:
    return add(a, neg(b))


def mul(a: Ends, b: Ends) -> Ends:
    a0, a1 = a
    b0, b1 = b
    if a0 is not None and b0 is not None and a1 is not None and b1 is not None:
        # By signs, so that no product is taken that is no end; of a fraction, the numerator is compared at once.
        if a0.numerator >= 0:
            return (
                exact.mul(a0 if b0.numerator >= 0 else a1, b0),
                exact.mul(a1 if b1.numerator >= 0 else a0, b1),
            )
        if b0.numerator >= 0:
            return (exact.mul(a0, b1), exact.mul(a1, b1 if a1.numerator >= 0 else b0))
        if a1.numerator <= 0:
            return (exact.mul(a0 if b1.numerator >= 0 else a1, b1), exact.mul(a0, b0))
        if b1.numerator <= 0:
            return (exact.mul(a1, b0), exact.mul(a0, b0))
    x0, x1, y0, y1 = _extended(a0, _LEAST), _extended(a1, _MOST), _extended(b0, _LEAST), _extended(b1, _MOST)
    products = (_product(x0, y0), _product(x0, y1), _product(x1, y0), _product(x1, y1))
    return (_finite(min(products)), _finite(max(products)))


def _extended(end: End, otherwise: float) -> Number | float:
    return otherwise if end is None else end


def _finite(value: Number | float) -> End:
    return None if isinstance(value, float) else value


def _product(x: Number | float, y: Number | float) -> Number | float:
    if isinstance(x, float) or isinstance(y, float):
        if x == 0 or y == 0:
            return 0
        return _MOST if (x > 0) == (y > 0) else _LEAST
    return exact.mul(x, y)


def reciprocal(a: Ends) -> Ends:
    """`1 / a`: open where an end is zero, zero where an end is open.

    Raises `ZeroDivisionError` if `a` is zero alone and `ZeroInside` if zero lies strictly inside.
    """
    low, high = a
    if low == 0 and high == 0:
        raise ZeroDivisionError
    if (low is None or low < 0) and (high is None or high > 0):
        raise ZeroInside
    return (
        0 if high is None else None if high == 0 else exact.div(1, high),
        0 if low is None else None if low == 0 else exact.div(1, low),
    )


def div(a: Ends, b: Ends) -> Ends:
    """`a / b`; raises as `reciprocal` does."""
    return mul(a, reciprocal(b))


def power(a: Ends, exponent: int) -> Ends:
    """`a ** exponent` for a whole exponent of either sign; a negative one raises as `reciprocal` does."""
    if exponent < 0:
        return reciprocal(power(a, -exponent))
    if exponent == 0:
        return ONE
    low = None if a[0] is None else exact.power(a[0], exponent)
    high = None if a[1] is None else exact.power(a[1], exponent)
    if exponent % 2 or (a[0] is not None and a[0] >= 0):
        return (low, high)
    if a[1] is not None and a[1] <= 0:
        return (high, low)
    return (0, None if low is None or high is None else max(low, high))


def minimum(a: Ends, b: Ends) -> Ends:
    low = None if a[0] is None or b[0] is None else min(a[0], b[0])
    return (low, lower_end(a[1], b[1]))


def maximum(a: Ends, b: Ends) -> Ends:
    high = None if a[1] is None or b[1] is None else max(a[1], b[1])
    return (higher_end(a[0], b[0]), high)


def ceil(a: Ends, step: Number) -> Ends:
    return (
        None if a[0] is None else exact.ceil_to(a[0], step),
        None if a[1] is None else exact.ceil_to(a[1], step),
    )


def floor(a: Ends, step: Number) -> Ends:
    return (
        None if a[0] is None else exact.floor_to(a[0], step),
        None if a[1] is None else exact.floor_to(a[1], step),
    )


def mod(a: Ends, b: Ends) -> Ends:
    """The rest of `a` by `b`, with the sign of `b`; raises as `reciprocal` does."""
    reciprocal(b)
    if a[0] is not None and a[1] is not None and b[0] is not None and a[0] >= 0 and a[1] < b[0]:
        return a
    return hull(ZERO, b)


def clamp(a: Ends, domain: Ends) -> Ends:
    """`a` with every point moved to the nearest one of `domain`."""
    low = _into(a[0], domain) if a[0] is not None else domain[0]
    high = _into(a[1], domain) if a[1] is not None else domain[1]
    return (low, high)


def _into(value: Number, domain: Ends) -> Number:
    if domain[0] is not None and value < domain[0]:
        return domain[0]
    return domain[1] if domain[1] is not None and value > domain[1] else value
