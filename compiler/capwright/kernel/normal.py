"""The normal distribution to many digits, in decimal arithmetic whose error is far below what is printed.

Every function returns a value within `SLACK` (relative for `quantile_of` roots, absolute for probabilities) of
the true one; callers widen by it. `erf` is summed by its all-positive series, so nothing cancels.
"""

from __future__ import annotations

from decimal import Context, Decimal, localcontext
from functools import lru_cache
from typing import Final

DIGITS: Final = 60
SLACK: Final = Decimal("1e-40")
_TAIL: Final = Decimal(14)
_PI: Final = Decimal("3.14159265358979323846264338327950288419716939937510582097494459230781640628620899")


def precise() -> Context:
    """The arithmetic that everything here and its callers compute in."""
    return Context(prec=DIGITS, Emax=999_999, Emin=-999_999)


@lru_cache(maxsize=4_096)
def cdf(x: Decimal) -> Decimal:
    """The probability of a standard normal value below `x`; beyond 14 the tail (under 1e-43) is left out."""
    with localcontext(precise()):
        if x >= _TAIL:
            return Decimal(1)
        if x <= -_TAIL:
            return Decimal(0)
        half = _half(abs(x))
        return Decimal("0.5") + half if x >= 0 else Decimal("0.5") - half


def _half(x: Decimal) -> Decimal:
    """The probability between 0 and `x >= 0`: density(x) · (x + x³/3 + x⁵/(3·5) + …)."""
    term = total = x
    odd = 1
    while term > total * Decimal("1e-58"):
        odd += 2
        term = term * x * x / odd
        total += term
    return total * (-x * x / 2).exp() / (2 * _PI).sqrt()


@lru_cache(maxsize=4_096)
def quantile(share: Decimal) -> Decimal:
    """The `x` with `cdf(x) == share`, for a share strictly between 0 and 1, by bisection and Newton's steps."""
    with localcontext(precise()):
        low, high = -_TAIL, _TAIL
        for _ in range(20):
            middle = (low + high) / 2
            low, high = (middle, high) if cdf(middle) < share else (low, middle)
        x = (low + high) / 2
        for _ in range(6):
            density = (-x * x / 2).exp() / (2 * _PI).sqrt()
            x = min(max(x - (cdf(x) - share) / density, low), high)
        return x
