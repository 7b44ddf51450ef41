"""Truth in three values: 1, 0, or a range from 0 to 1 whose nominal says which is likely.

Truth values are quantities like any other, so that a condition over intervals can be undecided.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from fractions import Fraction

from capwright.base import ends
from capwright.base.exact import Number
from capwright.base.interval import Range, Value, ends_of, is_approximate, nominal_of, ranged


def undecided(nominal: int | None) -> Range:
    """Neither established: `nominal`, 1 or 0, is what the estimates say."""
    return Range(0, nominal, 1)


def _likely(a: Value, b: Value, compare: Callable[[Number, Number], bool]) -> Value:
    x, y = nominal_of(a), nominal_of(b)
    return undecided(None if x is None or y is None else int(compare(x, y)))


def less(a: Value, b: Value) -> Value:
    """`a < b`."""
    if not isinstance(a, Range) and not isinstance(b, Range):
        return int(a < b)
    (a0, a1), (b0, b1) = ends_of(a), ends_of(b)
    if a1 is not None and b0 is not None and a1 < b0:
        return 1
    if a0 is not None and b1 is not None and a0 >= b1:
        return 0
    return _likely(a, b, operator.lt)


def at_most(a: Value, b: Value) -> Value:
    """`a <= b`."""
    return invert(less(b, a))


def equal(a: Value, b: Value) -> Value:
    """`a == b`; certain only for two exact points."""
    if not isinstance(a, Range) and not isinstance(b, Range):
        return int(a == b)
    (a0, a1), (b0, b1) = ends_of(a), ends_of(b)
    if a0 is not None and a0 == a1 == b0 == b1:
        return 1
    return 0 if ends.meet((a0, a1), (b0, b1)) is None else _likely(a, b, operator.eq)


def unequal(a: Value, b: Value) -> Value:
    """`a != b`."""
    return invert(equal(a, b))


def invert(a: Value) -> Value:
    """`not a`."""
    if isinstance(a, Range):
        return a._replace(nominal=None if a.nominal is None else 1 - a.nominal)
    return 1 - a


def divides(a: Value, b: Value) -> Value:
    """Whether `b` is a whole multiple of `a`; only zero is one of zero."""
    if not isinstance(a, Range) and not isinstance(b, Range):
        return _divides(a, b)
    x, y = nominal_of(a), nominal_of(b)
    return undecided(None if x is None or y is None else _divides(x, y))


def _divides(a: Number, b: Number) -> int:
    return int(b == 0) if a == 0 else int(Fraction(b) % a == 0)


def both(values: Sequence[Value | None]) -> Value | None:
    """`and`: one certain no decides, whatever the others; None where an undefined value is needed."""
    if any(value is not None and not isinstance(value, Range) and value == 0 for value in values):
        return 0
    if any(value is None for value in values):
        return None
    return _joined([value for value in values if isinstance(value, Range)])


def either(values: Sequence[Value | None]) -> Value | None:
    """`or`: one certain yes decides, whatever the others; None where an undefined value is needed."""
    joined = both([None if value is None else invert(value) for value in values])
    return None if joined is None else invert(joined)


def _joined(doubtful: Sequence[Range]) -> Value:
    if not doubtful:
        return 1
    nominals = [value.nominal for value in doubtful]
    nominal = 0 if 0 in nominals else None if None in nominals else 1
    return Range(0, nominal, 1)


def choose(condition: Value, then: Value, otherwise: Value) -> Value:
    """`if`: the branch a certain condition takes, else the hull of both with the nominal branch's nominal."""
    if not isinstance(condition, Range):
        return then if condition else otherwise
    if then == otherwise:
        return then
    chosen = condition.nominal
    nominal = None if chosen is None else nominal_of(then if chosen else otherwise)
    between = ends.hull(ends_of(then), ends_of(otherwise))
    approximate = is_approximate(then) or is_approximate(otherwise)
    return ranged(between, nominal, approximate=approximate)
