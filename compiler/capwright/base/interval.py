"""Intervals with open ends, and the three-part values that quantities take.

`None` as an end means *open*: nothing is established on that side. An exact point is a bare number,
which is what nearly every quantity is and what keeps evaluation fast.
"""

from __future__ import annotations

from typing import NamedTuple

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
    return value if type(value) is Range else Range(value, value, value)  # type: ignore[arg-type]


def collapse(value: Range) -> Value:
    """A range of one exact point as that point; any other range as it is."""
    if value.low is not None and value.low == value.high == value.nominal and not value.approximate:
        return value.low
    return value
