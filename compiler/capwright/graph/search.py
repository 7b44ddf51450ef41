"""The bounded search for the largest or smallest whole number that meets a monotone condition.

Over intervals a condition may be undecided, so the search answers three questions: what is established,
what is possible, and what the nominal values say. Zero stands for *none*.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from capwright.base.exact import Number, div, norm
from capwright.base.interval import Range, Value, ends_of, is_approximate, nominal_of, ranged
from capwright.graph import faults
from capwright.graph.tape import SearchBody

Try = Callable[[Number], Value | None]
"""The condition at one number, None where it has no value."""


class _Undefined(Exception):
    """The condition has no value at a number that was tried."""


class Search:
    """One search. Numbers are tried at most once; each is a whole number of steps."""

    def __init__(self, body: SearchBody, low: Value, high: Value, attempt: Try) -> None:
        self._body = body
        self._low = low
        self._high = high
        self._attempt = attempt
        self._tried: dict[int, Value] = {}
        self._approximate = False

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
        largest = self._body.which == "largest"
        possible = self._boundary(self._steps(l0, h1), self._possible)
        if not largest and possible is None:
            return 0
        certain = self._boundary(self._steps(l1, h0), self._certain)
        if possible is None:
            return 0
        between = self._between(certain, possible, self._steps(l0, h1))
        return ranged(between, self._nominal(), approximate=self._approximate)

    def _between(self, certain: int | None, possible: int, steps: tuple[int, int]) -> tuple[Number, Number]:
        if certain is None:  # perhaps none, so perhaps zero
            ends = (0, steps[0], possible) if self._body.which == "largest" else (0, possible, steps[1])
        else:
            ends = (certain, possible, possible)
        return (self._number(min(ends)), self._number(max(ends)))

    def _nominal(self) -> Number | None:
        low, high = nominal_of(self._low), nominal_of(self._high)
        if low is None or high is None:
            return None
        try:
            found = self._boundary(self._steps(low, high), self._likely)
        except _NoNominal:
            return None
        return 0 if found is None else self._number(found)

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
        start, goal = (low, high) if self._body.which == "largest" else (high, low)
        if not meets(start):
            self._check_direction(start, goal)
            return None
        if meets(goal):
            return goal
        while abs(goal - start) > 1:  # start meets it, goal does not
            middle = (start + goal) // 2
            start, goal = (middle, goal) if meets(middle) else (start, middle)
        return start

    def _check_direction(self, start: int, goal: int) -> None:
        if start != goal and not self._possible(start) and self._certain(goal):
            low, high = sorted((self._number(start), self._number(goal)))
            raise faults.search_is_not_monotone(self._body.which, low, high)

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


class _NoNominal(Exception):
    """The condition has no nominal value at a number that was tried."""
