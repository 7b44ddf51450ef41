"""The bounded search for the largest or smallest whole number that meets a monotone condition.

Over intervals a condition may be undecided, so the search answers three questions: what is established,
what is possible, and what the nominal values say. Where no number meets the condition, the largest one is zero if the
range begins above it, and else lies below the range, open there; the smallest one lies beyond the range, open above: no
limit on it can then be kept.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Final

from capwright.base.ends import Ends
from capwright.base.exact import Number, div, norm
from capwright.base.interval import Range, Value, ends_of, is_approximate, nominal_of, ranged
from capwright.graph import faults
from capwright.graph.tape import SearchBody

Try = Callable[[Number], Value | None]
"""The condition at one number, None where it has no value."""
_SAMPLES: Final = 12
"""Numbers at which a search looks at least whether its condition turns more than once."""
_LOOKED_AT: Final = 20_000
"""Steps that looking at every number of a range may take, where its condition holds no other search."""


class _Undefined(Exception):
    """The condition has no value at a number that was tried."""


class Search:
    """One search. Numbers are tried at most once; each is a whole number of steps."""

    def __init__(
        self, body: SearchBody, low: Value, high: Value, attempt: Try, *, weight: int, nested: bool
    ) -> None:
        """`weight` is the steps that an attempt takes, and `nested` says that the condition holds a search, or stands in
        one's condition."""
        self._weight = weight
        self._nested = nested
        self._body = body
        self._low = low
        self._high = high
        self._attempt = attempt
        self._tried: dict[int, Value] = {}
        self._approximate = False
        self._samples: list[int] = []

    def value(self) -> Value | None:
        """The answer, or None where the condition has no value. Raises `Refusal`."""
        try:
            return self._answer()
        except _Undefined:
            return None

    def _answer(self) -> Value:
        (l0, l1), (h0, h1) = ends_of(self._low), ends_of(self._high)
        if l0 is None or l1 is None:
            raise faults.search_is_open("low")
        if h0 is None or h1 is None:
            raise faults.search_is_open("high")
        widest = self._steps(l0, h1)
        self._samples = _spread(
            *widest, max(_SAMPLES, 0 if self._nested else _LOOKED_AT // max(1, self._weight))
        )
        possible = self._boundary(widest, self._possible)
        if possible is None:
            return self._none(widest)
        certain = self._boundary(self._steps(l1, h0), self._certain)
        return ranged(self._between(certain, possible), self._nominal(), approximate=self._approximate)

    @property
    def _largest(self) -> bool:
        return self._body.which == "largest"

    def _between(self, certain: int | None, possible: int) -> Ends:
        """The ends of the answer; where perhaps no number meets the condition, it is perhaps zero, or open."""
        if certain is None and not self._largest:
            return (self._number(possible), None)
        if certain is None and self._begins_below_one:
            return (None, self._number(possible))
        ends = (0 if certain is None else certain, possible)
        return (self._number(min(ends)), self._number(max(ends)))

    @property
    def _begins_below_one(self) -> bool:
        low = ends_of(self._low)[0]
        return low is None or self._steps(low, low)[0] < 1

    def _none(self, steps: tuple[int, int]) -> Value:
        """The answer where no number of the range meets the condition. Of the largest that is zero, unless the range begins
        at zero or below: then zero is one of its numbers, or above all of them, and says nothing of how far below it is."""
        if not self._largest:
            return Range(self._number(max(steps[0], steps[1] + 1)), None, None)
        return Range(None, None, self._number(steps[0] - 1)) if self._begins_below_one else 0

    def _nominal(self) -> Number | None:
        low, high = nominal_of(self._low), nominal_of(self._high)
        if low is None or high is None:
            return None
        try:
            found = self._boundary(self._steps(low, high), self._likely)
        except _NoNominal:
            return None
        if found is None:
            return 0 if self._largest and not self._begins_below_one else None
        return self._number(found)

    def _steps(self, low: Number, high: Number) -> tuple[int, int]:
        step = self._body.step
        return math.ceil(div(low, step)), math.floor(div(high, step))

    def _number(self, count: int) -> Number:
        return norm(count * self._body.step)

    def _boundary(self, steps: tuple[int, int], meets: Callable[[int], bool]) -> int | None:
        """The last number that meets the condition in the direction of the search, or None."""
        low, high = steps
        if low > high:
            return None
        start, goal = (low, high) if self._largest else (high, low)
        if not meets(start):
            self._check_direction(start, goal)
            self._check_samples(start, goal, None, meets)
            return None
        first, last = start, goal
        if meets(goal):
            start = goal
        while abs(goal - start) > 1:  # start meets it, goal does not
            middle = (start + goal) // 2
            start, goal = (middle, goal) if meets(middle) else (start, middle)
        self._check_samples(first, last, start, meets)
        return start

    def _check_direction(self, start: int, goal: int) -> None:
        if start != goal and not self._possible(start) and self._certain(goal):
            raise faults.search_is_not_monotone(self._body.which, self._number(start), self._number(goal))

    def _check_samples(self, start: int, goal: int, found: int | None, meets: Callable[[int], bool]) -> None:
        """Refuse a condition that is seen to turn more than once between `start` and `goal`.

        Where it is not exact, its ends may be too wide to say.
        """
        ahead = 1 if self._largest else -1
        for count in self._samples:
            if not min(start, goal) <= count <= max(start, goal):
                continue
            before = found is not None and (found - count) * ahead >= 0
            if meets(count) != before:
                fails, holds = (
                    (count, found) if before else (start if found is None else found + ahead, count)
                )
                assert holds is not None
                if isinstance(self._condition(fails), Range) or isinstance(self._condition(holds), Range):
                    continue
                raise faults.search_turns_twice(self._body.which, self._number(fails), self._number(holds))

    def _condition(self, count: int) -> Value:
        if count not in self._tried:
            found = self._attempt(self._number(count))
            if found is None:
                raise _Undefined
            self._tried[count] = found
            self._approximate = self._approximate or is_approximate(found)
        return self._tried[count]

    def _certain(self, count: int) -> bool:
        return ends_of(self._condition(count))[0] == 1

    def _possible(self, count: int) -> bool:
        return ends_of(self._condition(count))[1] == 1

    def _likely(self, count: int) -> bool:
        condition = self._condition(count)
        nominal = condition.nominal if isinstance(condition, Range) else condition
        if nominal is None:
            raise _NoNominal
        return nominal == 1


def _spread(low: int, high: int, most: int) -> list[int]:
    """All numbers from `low` to `high`, or, where they are more than `most`, some as far apart as can be."""
    count = high - low + 1
    if count <= most:
        return list(range(low, high + 1))
    return [low + (count - 1) * i // (_SAMPLES - 1) for i in range(_SAMPLES)]


class _NoNominal(Exception):
    """The condition has no nominal value at a number that was tried."""
