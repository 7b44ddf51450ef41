"""The normal distribution to many digits, in decimal arithmetic whose error is far below what is printed.

Probabilities and roots are right to a relative error of `SLACK`, in the tails too; callers widen by more than
that. The middle is summed by a series of positive terms, the tails by a continued fraction, so that nothing
cancels.
"""

from __future__ import annotations

from decimal import Context, Decimal, localcontext
from functools import lru_cache
from typing import Final

SLACK: Final = Decimal("1e-40")

_DIGITS: Final = 80
_TAIL: Final = Decimal(6)
_FRACTION_TERMS: Final = 400
_PI: Final = Decimal(
    "3.14159265358979323846264338327950288419716939937510582097494459230781640628620899862803482534211706798214808651"
)


def precise() -> Context:
    """The arithmetic that everything here and its callers compute in."""
    return Context(prec=_DIGITS, Emax=10**9, Emin=-(10**9))


@lru_cache(maxsize=4_096)
def cdf(x: Decimal) -> Decimal:
    """The probability of a standard normal value below `x`."""
    with localcontext(precise()):
        if abs(x) >= _TAIL:
            return 1 - _beyond(x) if x > 0 else _beyond(-x)
        return Decimal("0.5") + _between(x)


def _density(x: Decimal) -> Decimal:
    return (-x * x / 2).exp() / (2 * _PI).sqrt()


def _between(x: Decimal) -> Decimal:
    """The probability between 0 and `x`, signed: density(x) · (x + x³/3 + x⁵/(3·5) + …)."""
    term = total = x
    odd = 1
    while abs(term) > abs(total) * Decimal("1e-78"):
        odd += 2
        term = term * x * x / odd
        total += term
    return total * _density(x)


def _beyond(x: Decimal) -> Decimal:
    """The probability above `x >= 6`: density(x) / (x + 1/(x + 2/(x + 3/(x + …))))."""
    below = x
    for step in range(_FRACTION_TERMS, 0, -1):
        below = x + step / below
    return _density(x) / below


@lru_cache(maxsize=4_096)
def quantile(share: Decimal) -> Decimal:
    """The `x` with `cdf(x) == share`, for a share strictly between 0 and 1, by bisection and Newton's steps."""
    with localcontext(precise()):
        low, high = Decimal(-1), Decimal(1)
        while cdf(low) > share:
            low *= 2
        while cdf(high) < share:
            high *= 2
        for _ in range(24):
            middle = (low + high) / 2
            low, high = (middle, high) if cdf(middle) < share else (low, middle)
        x = (low + high) / 2
        for _ in range(6):
            x = min(max(x - (cdf(x) - share) / _density(x), low), high)
        return x
