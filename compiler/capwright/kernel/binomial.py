"""How many of several independent trials succeed: the quantile of a binomial law.

Exact for as many trials as can be summed in whole numbers; beyond them bounded: from above by W. Hoeffding, "Probability
Inequalities for Sums of Bounded Random Variables", 1963, theorem 1 in its first form, by relative entropy; from below by
the median, which lies no lower than the whole part of the mean: R. Kaas and J. M. Buhrman, "Mean, Median and Mode in
Binomial Distributions", 1980.
"""

from __future__ import annotations

from bisect import bisect_left
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import lru_cache
from math import ceil, floor
from typing import Final

from capwright.base.exact import Number
from capwright.base.interval import Range, Value
from capwright.kernel.normal import SLACK, precise
from capwright.kernel.refusal import KernelRefusal
from capwright.kernel.text import counted

_MOST_TRIALS: Final = 4_096
_MOST_BITS: Final = 1 << 15
"""Of one term of the law, times its common denominator."""
_MOST_BOUNDED: Final = 10**18
"""Up to so many trials, what cancels in `_rarity` is far below its `SLACK`: its terms have the size of the trials, and
their sum that of a logarithm."""


@lru_cache(maxsize=1_024)
def binomial_quantile(trials: Number, share: Number, level: Number) -> Value:
    """The smallest number that at least `level` of all draws of `trials` do not exceed; each succeeds with `share`.

    A range without a nominal value where only bounds are known. Raises `KernelRefusal` CW0609, and CW0608 for more
    trials than the bounds are sound for.
    """
    if type(trials) is not int or trials < 0 or not (0 <= share <= 1 and 0 <= level <= 1):
        message = f"there is no law of {counted(trials) if type(trials) is int else trials} trials that each succeed with {share}, or no share {level} of it"
        help = "give a whole number of trials, and a share and a level from 0 to 1, such as 30% and 99%"
        raise KernelRefusal("CW0609", message, help)
    if share == 0 or level == 0:
        return 0
    if share == 1 or level == 1:
        return trials
    if trials > _MOST_BOUNDED:
        message = f"`binomial_quantile` is asked for {counted(trials)} trials, and the limit is 10^18"
        raise KernelRefusal(
            "CW0608", message, "look for a unit or an exponent that has slipped in the number of trials"
        )
    given = Fraction(share)
    if trials > _MOST_TRIALS or trials * given.denominator.bit_length() > _MOST_BITS:
        return _bounded(trials, given, Fraction(level))
    return _exact(trials, given, Fraction(level))


def _exact(trials: int, share: Fraction, level: Fraction) -> int:
    hit, whole = share.numerator, share.denominator
    wanted = level * whole**trials
    term = (whole - hit) ** trials  # of no success, times the common denominator of all terms
    reached, below = 0, term
    while below < wanted:
        term = term * (trials - reached) * hit // ((reached + 1) * (whole - hit))
        reached += 1
        below += term
    return reached


def _bounded(trials: int, share: Fraction, level: Fraction) -> Range:
    mean = trials * share
    rest = 1 - level
    with localcontext(precise()):
        wanted = (Decimal(rest.denominator) / Decimal(rest.numerator)).ln() * (1 + SLACK)
        # The first number that so many successes or more reach with no more than the rest of the probability.
        rare = bisect_left(
            range(trials + 1), True, ceil(mean), key=lambda k: _rarity(k, trials, share) >= wanted
        )
    return Range(floor(mean) if 2 * level >= 1 else 0, None, min(trials, max(rare - 1, floor(mean))))


def _rarity(successes: int, trials: int, share: Fraction) -> Decimal:
    """`-ln` of a bound on the probability of so many successes or more, which are no fewer than the mean."""
    found = Decimal(0)
    for part, whole in ((successes, share), (trials - successes, 1 - share)):
        if part:
            odds = Decimal(part) * whole.denominator / (Decimal(trials) * whole.numerator)
            found += part * odds.ln()
    return found * (1 - SLACK)
