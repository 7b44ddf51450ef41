"""Intervals with open ends, and the three-part values that quantities take.

`None` as an end means *open*: nothing is established on that side. An exact point is a bare number,
which is what nearly every quantity is and what keeps evaluation fast. Arithmetic on the ends alone is in
`base/ends.py`; here the nominal value and the mark of approximation go along.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from typing import NamedTuple

from capwright.base import ends, exact
from capwright.base.ends import Ends
from capwright.base.exact import Number


class Range(NamedTuple):
    """What is established of a quantity, and its nominal value where it has one.

    `low` and `high` are the established ends in base units, `None` where open. `nominal` is `None`
    for a bound and for whatever derives from one. `approximate` marks a value that went through a
    measurement or an outward-rounded irrational function.
    """

    low: Number | None
    nominal: Number | None
    high: Number | None
    approximate: bool = False


Value = int | Number | Range


def as_range(value: Value) -> Range:
    """A point as the range that holds it alone; a range as it is."""
    return value if type(value) is Range else Range(value, value, value)  # type: ignore[arg-type]  # mypy does not narrow by `type(…) is`


def collapse(value: Range) -> Value:
    """A range of one exact point as that point; any other range as it is."""
    if value.low is not None and value.low == value.high == value.nominal and not value.approximate:
        return value.low
    return value


def ends_of(value: Value) -> Ends:
    """The established ends of a value."""
    if isinstance(value, Range):
        return (value.low, value.high)
    return (value, value)


def nominal_of(value: Value) -> Number | None:
    """The nominal value; a point is its own."""
    return value.nominal if isinstance(value, Range) else value


def is_approximate(value: Value) -> bool:
    return isinstance(value, Range) and value.approximate


def ranged(between: Ends, nominal: Number | None, *, approximate: bool) -> Value:
    """The value with these parts, a bare number where it is one exact point."""
    return collapse(Range(between[0], nominal, between[1], approximate))


def _binary(
    a: Value,
    b: Value,
    of_points: Callable[[Number, Number], Number],
    of_ends: Callable[[Ends, Ends], Ends],
) -> Value:
    if not isinstance(a, Range) and not isinstance(b, Range):
        return of_points(a, b)
    x, y = nominal_of(a), nominal_of(b)
    nominal = None if x is None or y is None else of_points(x, y)
    return ranged(
        of_ends(ends_of(a), ends_of(b)), nominal, approximate=is_approximate(a) or is_approximate(b)
    )


def add(a: Value, b: Value) -> Value:
    """`a + b`."""
    return _binary(a, b, exact.add, ends.add)


def sub(a: Value, b: Value) -> Value:
    """`a - b`."""
    return _binary(a, b, _exact_sub, ends.sub)


def _exact_sub(a: Number, b: Number) -> Number:
    return exact.add(a, -b)


def mul(a: Value, b: Value) -> Value:
    """`a * b`; exactly zero times anything is exactly zero."""
    if (not isinstance(a, Range) and a == 0) or (not isinstance(b, Range) and b == 0):
        return 0
    return _binary(a, b, exact.mul, ends.mul)


def div(a: Value, b: Value) -> Value:
    """`a / b`, open where an end of `b` is zero; no nominal where that of `b` is zero.

    Raises `ZeroDivisionError` where `b` is exactly zero and `ZeroInside` where zero lies inside it.
    """
    if not isinstance(a, Range) and not isinstance(b, Range):
        return exact.div(a, b)
    between = ends.div(ends_of(a), ends_of(b))
    x, y = nominal_of(a), nominal_of(b)
    nominal = None if x is None or y is None or y == 0 else exact.div(x, y)
    if not isinstance(a, Range) and a == 0:
        return 0
    return ranged(between, nominal, approximate=is_approximate(a) or is_approximate(b))


def neg(a: Value) -> Value:
    """`-a`."""
    return sub(0, a) if isinstance(a, Range) else -a


def power(a: Value, exponent: int) -> Value:
    """`a ** exponent`; a negative exponent raises as `div` does."""
    if exponent == 0:
        return 1
    if not isinstance(a, Range):
        return exact.power(a, exponent)
    nominal = (
        None if a.nominal is None or (a.nominal == 0 and exponent < 0) else exact.power(a.nominal, exponent)
    )
    return ranged(ends.power((a.low, a.high), exponent), nominal, approximate=a.approximate)


def ceil(a: Value, step: Number) -> Value:
    """The smallest multiple of `step` that is not below `a`."""
    return _mapped(a, lambda x: exact.ceil_to(x, step), lambda x: ends.ceil(x, step))


def floor(a: Value, step: Number) -> Value:
    """The largest multiple of `step` that is not above `a`."""
    return _mapped(a, lambda x: exact.floor_to(x, step), lambda x: ends.floor(x, step))


def _mapped(a: Value, of_point: Callable[[Number], Number], of_ends: Callable[[Ends], Ends]) -> Value:
    if not isinstance(a, Range):
        return of_point(a)
    nominal = None if a.nominal is None else of_point(a.nominal)
    return ranged(of_ends((a.low, a.high)), nominal, approximate=a.approximate)


def outward(a: Value, function: Callable[[Number], tuple[Number, Number]]) -> Value:
    """A rising irrational function of `a`, given bounds of its value at a point.

    The nominal value is the low bound at the nominal argument; the result is approximate unless every
    value asked for is rational.
    """
    x = as_range(a)
    low = None if x.low is None else function(x.low)
    nominal = None if x.nominal is None else function(x.nominal)
    high = None if x.high is None else function(x.high)
    inexact = any(pair is not None and pair[0] != pair[1] for pair in (low, nominal, high))
    between = (None if low is None else low[0], None if high is None else high[1])
    return ranged(between, None if nominal is None else nominal[0], approximate=x.approximate or inexact)


def mod(a: Value, b: Value) -> Value:
    """The rest of `a` by `b`; no nominal where that of `b` is zero; raises as `div` does."""
    if not isinstance(a, Range) and not isinstance(b, Range):
        return _exact_mod(a, b)
    x, y = nominal_of(a), nominal_of(b)
    nominal = None if x is None or y is None or y == 0 else _exact_mod(x, y)
    between = ends.mod(ends_of(a), ends_of(b))
    return ranged(between, nominal, approximate=is_approximate(a) or is_approximate(b))


def _exact_mod(a: Number, b: Number) -> Number:
    return exact.norm(a % b)


def minimum(values: Sequence[Value]) -> Value:
    """The smallest of the values. Those that others rule out are not looked at, so they need no nominal."""
    kept = [values[i] for i in contenders([ends_of(value) for value in values])]
    if len(kept) == 1:
        return kept[0]
    between = reduce(ends.minimum, [ends_of(value) for value in kept])
    nominals = [value for value in map(nominal_of, kept) if value is not None]
    nominal = min(nominals) if len(nominals) == len(kept) else None
    return ranged(between, nominal, approximate=any(map(is_approximate, kept)))


def maximum(values: Sequence[Value]) -> Value:
    """The largest of the values. Those that others rule out are not looked at, so they need no nominal."""
    return neg(minimum([neg(value) for value in values]))


def contenders(values: Sequence[Ends]) -> list[int]:
    """Positions of the values that may be the smallest: not ruled out by the one with the least high end.

    Of equal values the first stays.
    """
    closed = [
        (high, low is not None, low or 0, i) for i, (low, high) in enumerate(values) if high is not None
    ]
    if not closed:
        return list(range(len(values)))
    least, _, _, winner = min(closed)
    return [i for i, (low, _) in enumerate(values) if i == winner or low is None or low < least]


def clip(value: Value, domain: Ends) -> Value:
    """What of a range lies in `domain`. Raises `ValueError` where a point, a nominal value or all of a range
    lies outside; its argument is the offending number.
    """
    between = ends.meet(ends_of(value), domain)
    if between is None:
        raise ValueError(as_range(value).low if ends_of(value)[1] is None else ends_of(value)[1])
    if not isinstance(value, Range):
        return value
    if value.nominal is not None and not ends.contains(domain, value.nominal):
        raise ValueError(value.nominal)
    return ranged(between, value.nominal, approximate=value.approximate)
