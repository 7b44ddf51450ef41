"""Numbers of a plan as an answer gives them."""

from __future__ import annotations

from fractions import Fraction

from capwright.base.exact import Number


def whole(value: Number | None) -> int | None:
    """A count, None where the plan has none."""
    return None if value is None else int(Fraction(value))
