"""Numbers of a plan as an answer gives them."""

from __future__ import annotations

from fractions import Fraction

from capwright.base.exact import Number


def whole(value: Number | None) -> int | str | None:
    """A count as itself, None where the plan has none; what is no whole number, such as the bytes of a row of odd width in
    four bits, as `a/b`."""
    exact = None if value is None else Fraction(value)
    return None if exact is None else exact.numerator if exact.denominator == 1 else str(exact)
