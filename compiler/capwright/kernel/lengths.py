"""Distributions of lengths in tokens, as values.

`fixed`, `uniform` and `empirical` are exact. `lognormal` is continuous: `median` and `p95` describe it before it is
cut, and a length above `at_most` or below `at_least` is *drawn again* (the law is conditioned on lying between), so
that no mass piles up at the cuts; its figures are rounded outward and marked approximate.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal, localcontext
from fractions import Fraction
from itertools import accumulate
from math import ceil
from typing import Any, Final

from msgspec import Struct

from capwright.base.exact import MAX_BITS, Number, TooLarge, norm
from capwright.base.interval import Range, Value
from capwright.kernel import normal
from capwright.kernel.refusal import KernelRefusal
from capwright.kernel.text import tokens

SHORTEST: Final = 1
"""A request's length where nobody says: one token at least."""
_SHOWN: Final = 8
_ROUNDED: Final = 12
_NEAREST: Final = Fraction(1, 10**30)
_LARGEST: Final = MAX_BITS // 4


class Uniform(Struct, frozen=True):
    """Every whole number from `low` to `high`, ends included, equally often; `fixed(n)` has equal ends."""

    low: int
    high: int

    def text(self) -> str:
        """The canonical spelling."""
        if self.low == self.high:
            return f"fixed({tokens(self.low)})"
        return f"uniform({tokens(self.low)}, {tokens(self.high)})"

    def json(self) -> dict[str, Any]:
        """Plain data from which `from_json` rebuilds the distribution."""
        return {"sort": "lengths", "text": self.text(), "is": "uniform", "low": self.low, "high": self.high}

    def moment(self, order: int) -> Value:
        """The mean of the length (`order` 1) or of its square (2), exact."""
        count = self.high - self.low + 1
        if order == 1:
            return norm(Fraction(self.low + self.high, 2))
        return norm(Fraction(_squares(self.high) - _squares(self.low - 1), count))

    def quantile(self, share: Number) -> Value:
        """The smallest length that at least `share` of all do not exceed."""
        return self.low + max(ceil(share * (self.high - self.low + 1)) - 1, 0)


def _squares(n: int) -> int:
    return n * (n + 1) * (2 * n + 1) // 6


class Empirical(Struct, frozen=True):
    """Observed lengths: each `(length, times)` once, by length."""

    counts: tuple[tuple[int, int], ...]

    def text(self) -> str:
        """`empirical([…])`, in short where there are many."""
        total = sum(times for _, times in self.counts)
        if total > _SHOWN:
            low, high = self.counts[0][0], self.counts[-1][0]
            return f"empirical({total:_} lengths from {low:_} to {tokens(high)})"
        shown = (tokens(length) for length, times in self.counts for _ in range(times))
        return f"empirical([{', '.join(shown)}])"

    def json(self) -> dict[str, Any]:
        """Plain data from which `from_json` rebuilds the distribution."""
        counts = [list(each) for each in self.counts]
        return {"sort": "lengths", "text": self.text(), "is": "empirical", "counts": counts}

    def moment(self, order: int) -> Value:
        """The mean of the length (`order` 1) or of its square (2), exact."""
        total = sum(times for _, times in self.counts)
        return norm(Fraction(sum(length**order * times for length, times in self.counts), total))

    def quantile(self, share: Number) -> Value:
        """The smallest observed length that at least `share` of all do not exceed."""
        upto = list(accumulate(times for _, times in self.counts))
        return self.counts[bisect_left(upto, share * upto[-1])][0]


class Lognormal(Struct, frozen=True):
    """A continuous log-normal law by its median and 95th percentile, drawn again outside `at_least` .. `at_most`."""

    median: Number
    p95: Number
    at_most: Number | None
    at_least: Number = SHORTEST

    def text(self) -> str:
        """The canonical spelling."""
        cut = "" if self.at_most is None else f", at_most: {tokens(self.at_most)}"
        if self.at_least != SHORTEST:
            cut = f", at_least: {tokens(self.at_least)}{cut}"
        return f"lognormal(median: {tokens(self.median)}, p95: {tokens(self.p95)}{cut})"

    def json(self) -> dict[str, Any]:
        """Plain data from which `from_json` rebuilds the distribution."""
        cut = None if self.at_most is None else str(self.at_most)
        facts = {
            "median": str(self.median),
            "p95": str(self.p95),
            "at_most": cut,
            "at_least": str(self.at_least),
        }
        return {"sort": "lengths", "text": self.text(), "is": "lognormal", **facts}

    def moment(self, order: int) -> Value:
        """The mean of the length (`order` 1) or of its square (2), rounded outward."""
        with localcontext(normal.precise()):
            centre, spread = self._law()
            value = (order * centre + (order * spread) ** 2 / 2).exp()
            return _outward(value * self._mass(order * spread) / self._mass(Decimal(0)))

    def quantile(self, share: Number) -> Value:
        """The length that `share` of all do not exceed, rounded outward; exact at the cuts."""
        if share == 0:
            return self.at_least
        if share == 1:
            return self.longest()
        if min(share, 1 - share) < _NEAREST:
            message = f"`quantile` of `{self.text()}` is asked for a share within 10^-30 of 0 or 1"
            raise KernelRefusal("CW0606", message, "take `shortest` or `longest`, or a share of fewer digits")
        with localcontext(normal.precise()):
            centre, spread = self._law()
            below = normal.cdf(self._reach(self.at_least))
            inside = below + _decimal(share) * self._mass(Decimal(0))
            return _outward((centre + spread * normal.quantile(inside)).exp())

    def longest(self) -> Value:
        """`at_most`; raises `KernelRefusal` CW0607 where there is none."""
        if self.at_most is None:
            message = f"`{self.text()}` has no longest length: its tail is open"
            raise KernelRefusal("CW0607", message, "give `at_most:`, the longest length that is admitted")
        return self.at_most

    def _law(self) -> tuple[Decimal, Decimal]:
        """Mean and standard deviation of the logarithm."""
        centre = _decimal(self.median).ln()
        return centre, (_decimal(self.p95).ln() - centre) / normal.quantile(Decimal("0.95"))

    def _reach(self, cut: Number) -> Decimal:
        """How many standard deviations of the logarithm a cut lies above the median."""
        centre, spread = self._law()
        return (_decimal(cut).ln() - centre) / spread

    def _mass(self, shift: Decimal) -> Decimal:
        """The probability between the cuts, of a normal value whose mean is `shift`."""
        top = Decimal(1) if self.at_most is None else normal.cdf(self._reach(self.at_most) - shift)
        return top - normal.cdf(self._reach(self.at_least) - shift)


Lengths = Uniform | Empirical | Lognormal


def _decimal(value: Number) -> Decimal:
    exact = Fraction(value)
    return Decimal(exact.numerator) / Decimal(exact.denominator)


def _outward(value: Decimal) -> Range:
    """`value` widened by more than the error of its computation and rounded away from it on both sides."""
    if value.adjusted() > _LARGEST:
        raise TooLarge
    slack = abs(value) * normal.SLACK * 10**10
    down, up = Context(prec=_ROUNDED, rounding=ROUND_FLOOR), Context(prec=_ROUNDED, rounding=ROUND_CEILING)
    low, high = down.create_decimal(value - slack), up.create_decimal(value + slack)
    return Range(norm(Fraction(low)), norm(Fraction(low)), norm(Fraction(high)), approximate=True)


def empirical(observed: Iterable[int]) -> Empirical:
    """The distribution of these lengths; at least one."""
    counts: dict[int, int] = {}
    for length in observed:
        counts[length] = counts.get(length, 0) + 1
    return Empirical(tuple(sorted(counts.items())))
