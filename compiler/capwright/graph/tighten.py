"""Tighter intervals than plain arithmetic gives, where a source is used in more than one place.

Each end is searched on its own, best part first. In a box of coordinates, one whose slope has a certain sign
is put at its end; when all are, the value there is exact. What no slope decides is halved. Every step keeps a
sound bound, so the search may stop at any time; the end is then *loose*: sound, but perhaps not reached.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from heapq import heappop, heappush
from typing import Final, Literal, cast

from msgspec import Struct

from capwright.base import ends
from capwright.base.ends import OPEN, ZERO, End, Ends
from capwright.base.exact import Number, div
from capwright.base.interval import Range, Value, as_range, ends_of, nominal_of
from capwright.graph.evaluation import Evaluation
from capwright.graph.faults import Refusal
from capwright.graph.reach import (
    OPAQUE,
    Reach,
    reach_of,
    settling,
    source_ids,
    sources_below,
    told,
    walk_coordinates,
)
from capwright.graph.slopes import Point, Slopes, Sweep
from capwright.graph.tape import Tape

BUDGET: Final = 64
_MOST_UNDECIDED: Final = 6
_MOST_NODES: Final = 5_000
_MOST_SOURCES: Final = 64
_MOST_WORK: Final = 100_000
_WORK_PER_NODE: Final = 10

Side = Literal["low", "high"]
Target = tuple[int, int | None]
"""A node, or the difference of two."""


class Tight(Struct, frozen=True):
    """What is established of a node. `loose` says that an end is sound but perhaps not reached.

    `leans_on` are ids of the sources whose value moves the interval, or whose range decided what it is.
    """

    value: Range
    loose: bool
    leans_on: tuple[str, ...]


class Bounds(Struct, frozen=True):
    """Both ends of a target, whether an end is loose, and the coordinates that move it."""

    between: Ends
    loose: bool
    moved: frozenset[int]


def tighten(tape: Tape, evaluation: Evaluation, node: int) -> Tight:
    """The interval of `node` with repeated sources taken as one. A node without a value is open on both sides."""
    value = evaluation.values[node]
    if value is None:
        return Tight(Range(None, None, None), loose=True, leans_on=())
    if not isinstance(value, Range):
        return Tight(as_range(value), loose=False, leans_on=sources_below(tape, evaluation, node))
    known: dict[int, Tight] = evaluation.memo.setdefault("tight", {})
    if node not in known:
        known[node] = _tightened(tape, evaluation, node, value)
    return known[node]


def _tightened(tape: Tape, evaluation: Evaluation, node: int, value: Range) -> Tight:
    found = bounds_of(tape, evaluation, (node, None))
    moved = told(tape, evaluation, [node], found.moved) | settling(tape, evaluation, [node])
    leans_on = source_ids(tape, reach_of(tape, evaluation), moved)
    low, high = found.between
    # What is known to be one number is that one.
    nominal = low if low is not None and low == high else value.nominal
    return Tight(value._replace(low=low, nominal=nominal, high=high), found.loose, leans_on)


def bounds_of(tape: Tape, evaluation: Evaluation, target: Target, budget: int = BUDGET) -> Bounds:
    """The ends of a node, or of the difference of two, in at most about `budget` sweeps; both must have a value.

    What is compared with exact numbers, however many, is looked at once: a difference from one is only moved by it.
    """
    plus, minus = target
    known: dict[tuple[Target, int], Bounds] = evaluation.memo.setdefault("bounds", {})
    values = evaluation.values
    by: Ends | None = None
    if minus is not None and type(values[minus]) is not Range:
        target, by = (plus, None), ends.neg(ends_of(cast("Value", values[minus])))
    elif minus is not None and type(values[plus]) is not Range:
        target, by = (minus, None), ends_of(cast("Value", values[plus]))
    if (target, budget) not in known:
        known[target, budget] = _bounds_of(tape, evaluation, target, budget)
    found = known[target, budget]
    if by is None:
        return found
    between = found.between if target[0] == plus else ends.neg(found.between)
    return Bounds(ends.add(between, by), found.loose, found.moved)


def _bounds_of(tape: Tape, evaluation: Evaluation, target: Target, budget: int) -> Bounds:
    reach = reach_of(tape, evaluation)
    naive = _naive(evaluation, target)
    parts = [node for node in target if node is not None and node in reach.active]
    listed = [reach.coordinates[node] for node in parts]
    known = [part for part in listed if part is not None]
    coordinates = frozenset[int]().union(*known)
    rough = not reach.rough.isdisjoint(coordinates)
    if len(known) < len(listed):
        return Bounds(naive, loose=True, moved=frozenset(walk_coordinates(reach, parts)))
    if sum(map(len, known)) == len(coordinates) and all(node in reach.once for node in parts):
        return Bounds(naive, rough, coordinates)
    if len(coordinates) > _MOST_SOURCES or _work_left(tape, evaluation) <= 0:
        return Bounds(naive, loose=True, moved=coordinates)
    cone = _cone(tape, reach, parts)
    _spend(evaluation, len(cone))
    if len(cone) > _MOST_NODES:
        return Bounds(naive, loose=True, moved=coordinates)
    try:
        return _Search(tape, evaluation, target, cone, coordinates, budget).bounds(naive, rough=rough)
    except (
        ArithmeticError,
        Refusal,
    ):  # too many digits on the way: plain arithmetic has a value, so it stands
        return Bounds(naive, loose=True, moved=coordinates)


def _work_left(tape: Tape, evaluation: Evaluation, purse: str = "tightening") -> int:
    """Steps that all tightening of one evaluation may still take: in proportion to the tape, so that a plan in
    which everything is asked for and everything is shared stays linear."""
    return cast("int", evaluation.memo.setdefault(purse, _purse(tape)))


def _purse(tape: Tape) -> int:
    return _MOST_WORK + _WORK_PER_NODE * len(tape)


def steps_of(tape: Tape, evaluation: Evaluation) -> int:
    """Steps that all tightening of an evaluation has taken."""
    return _purse(tape) - _work_left(tape, evaluation)


def _spend(evaluation: Evaluation, steps: int, purse: str = "tightening") -> None:
    evaluation.memo[purse] -= steps


def _naive(evaluation: Evaluation, target: Target) -> Ends:
    first, *rest = [ends_of(cast("Value", evaluation.values[node])) for node in target if node is not None]
    return ends.sub(first, rest[0]) if rest else first


def _cone(tape: Tape, reach: Reach, targets: Iterable[int]) -> list[int]:
    """The ranged nodes that `targets` depend on, in tape order, down to opaque operations and sources."""
    found: set[int] = set()
    waiting = list(targets)
    while waiting and len(found) <= _MOST_NODES:
        node = waiting.pop()
        if node not in found:
            found.add(node)
            if tape.ops[node] not in OPAQUE and tape.ops[node] != "source":
                waiting.extend(reach.active[node])
    return sorted(found)


class _Box(Struct):
    """A part of the coordinates' full range, with what one sweep found there."""

    box: dict[int, Ends]
    between: Ends
    slopes: Slopes
    undecided: list[int]
    exact: bool


class _Search:
    """The search for both ends of one target."""

    def __init__(
        self,
        tape: Tape,
        evaluation: Evaluation,
        target: Target,
        cone: list[int],
        coordinates: frozenset[int],
        budget: int,
    ) -> None:
        self._tape = tape
        self._evaluation = evaluation
        self._target = target
        self._cone = cone
        self._coordinates = sorted(coordinates)
        self._budget = min(budget, max(4, _MOST_WORK // len(cone))) // 2
        self._left = self._budget
        self._moved: set[int] = set()
        self._whole = _whole_sweep(tape, evaluation)

    def bounds(self, naive: Ends, *, rough: bool) -> Bounds:
        """Both ends, within the plain ones."""
        _spend(self._evaluation, self._whole.run(self._cone))
        between, slopes = _read(self._whole, self._target)
        low, low_exact = self._end("low", between, slopes)
        high, high_exact = self._end("high", between, slopes)
        tight = (ends.higher_end(low, naive[0]), ends.lower_end(high, naive[1]))
        loose = rough or not (low_exact and high_exact)
        return Bounds(tight, loose, frozenset(self._moved))

    def _sweep(self, box: dict[int, Ends]) -> tuple[Ends, Slopes]:
        self._left -= 1
        sweep = Sweep(self._tape, self._evaluation.values, box, self._evaluation.narrowed)
        _spend(self._evaluation, sweep.run(self._cone))
        if _work_left(self._tape, self._evaluation) <= 0:
            self._left = 0
        return _read(sweep, self._target)

    def _end(self, side: Side, between: Ends, slopes: Slopes) -> tuple[End, bool]:
        """One end of the target, and whether it is reached or truly open."""
        self._left = self._budget
        first = self._pinned(side, {}, between, slopes)
        order = 0
        queue = [(_rank(side, first.between), order, first)]
        while True:
            _, _, best = heappop(queue)
            if not best.undecided:
                return _side(side, best.between), best.exact
            if self._left <= 0 or len(best.undecided) > _MOST_UNDECIDED or not self._may_split(best):
                self._moved.update(best.undecided)
                return _side(side, best.between), False
            for half in self._halves(best):
                order += 1
                part = self._pinned(side, half, *self._sweep(half))
                heappush(queue, (_rank(side, part.between), order, part))

    def _pinned(self, side: Side, box: dict[int, Ends], between: Ends, slopes: Slopes) -> _Box:
        """The box with every coordinate of certain direction put at its end, again while that decides more."""
        while True:
            pins, tails, undecided = self._directions(side, box, slopes)
            if pins and self._left <= 0:
                undecided += list(pins)
                pins = {}
            if not pins:
                exact = all(_runs_away(side, between, slopes[key]) for key in tails)
                return _Box(box, between, slopes, undecided, exact)
            box = box | pins
            try:
                between, slopes = self._sweep(box)
            except ZeroDivisionError:  # a divisor's end is zero: open there, as the wider box says
                return _Box(box, between, slopes, [], exact=_side(side, between) is None)

    def _directions(
        self, side: Side, box: dict[int, Ends], slopes: Slopes
    ) -> tuple[dict[int, Ends], list[int], list[int]]:
        pins: dict[int, Ends] = {}
        tails: list[int] = []
        undecided: list[int] = []
        for key in self._coordinates:
            interval = self._interval(box, key)
            if ends.is_point(interval):
                continue
            low, high = slopes.get(key, ZERO)
            if low == high == 0:
                pins[key] = _anywhere(interval)
                continue
            rising, falling = low is not None and low >= 0, high is not None and high <= 0
            if not rising and not falling:
                undecided.append(key)
                continue
            self._moved.add(key)
            at = interval[0 if rising == (side == "low") else 1]
            if at is None:
                tails.append(key)
            else:
                pins[key] = (at, at)
        return pins, tails, undecided

    def _interval(self, box: dict[int, Ends], key: int) -> Ends:
        return box[key] if key in box else self._whole.full_interval(key)

    def _may_split(self, best: _Box) -> bool:
        return any(self._interval(best.box, key) != OPEN for key in best.undecided)

    def _halves(self, best: _Box) -> tuple[dict[int, Ends], dict[int, Ends]]:
        """The box cut in two across the undecided coordinate that may matter most."""
        key = max(best.undecided, key=lambda key: self._weight(best, key))
        low, high = self._interval(best.box, key)
        middle = _middle(low, high)
        self._moved.add(key)
        return best.box | {key: (low, middle)}, best.box | {key: (middle, high)}

    def _weight(self, best: _Box, key: int) -> tuple[int, Number]:
        low, high = self._interval(best.box, key)
        if low is None and high is None:
            return (-1, 0)
        slope = best.slopes[key]
        if low is None or high is None:
            return (0, 0)
        if slope[0] is None or slope[1] is None:
            return (1, high - low)
        return (2, (slope[1] - slope[0]) * (high - low))


def _anywhere(interval: Ends) -> Ends:
    low, high = interval
    return ends.point(low if low is not None else high if high is not None else 0)


def _side(side: Side, between: Ends) -> End:
    return between[0 if side == "low" else 1]


def _rank(side: Side, between: Ends) -> tuple[int, Number]:
    """Order of a part in the search: the one with the farthest end first."""
    end = _side(side, between)
    if end is None:
        return (0, 0)
    return (1, end if side == "low" else -end)


def _runs_away(side: Side, between: Ends, slope: Ends) -> bool:
    """Whether an open coordinate that is left to itself really opens this end."""
    if _side(side, between) is not None:
        return False
    low, high = slope
    return (low is not None and low > 0) or (high is not None and high < 0)


def _middle(low: End, high: End) -> Number:
    """Where to cut a coordinate that is open on at most one side."""
    if low is not None and high is not None:
        return div(low + high, 2)
    if low is not None:
        return 2 * low if low > 0 else low + 1
    assert high is not None
    return 2 * high if high < 0 else high - 1


def slopes_of(tape: Tape, evaluation: Evaluation, target: Target) -> tuple[Slopes, Callable[[int], Ends]]:
    """Slopes of a target over the full range of its coordinates, and what that range is for each.

    No slopes where the target is too large to sweep over, or where too much has been swept over for others: what is
    told of a source by its slope has a purse of its own, of the size of that for all tightening.
    """
    sweep = _whole_sweep(tape, evaluation)
    reach = reach_of(tape, evaluation)
    if _work_left(tape, evaluation, "telling") <= 0:
        return {}, sweep.full_interval
    cone = _cone(tape, reach, [node for node in target if node is not None and node in reach.active])
    if len(cone) > _MOST_NODES:
        return {}, sweep.full_interval
    try:
        steps = sweep.run(cone)
        slopes = _read(sweep, target)[1]
        _spend(evaluation, steps + len(slopes), "telling")  # each is ranked then
        return slopes, sweep.full_interval
    except (ArithmeticError, Refusal):
        _spend(evaluation, len(cone), "telling")
        return {}, sweep.full_interval


def _whole_sweep(tape: Tape, evaluation: Evaluation) -> Sweep:
    memo = evaluation.memo
    if "sweep" not in memo:
        memo["sweep"] = Sweep(tape, evaluation.values, {}, evaluation.narrowed)
    return cast("Sweep", memo["sweep"])


def _read(sweep: Sweep, target: Target) -> Point:
    plus, minus = target
    return sweep.at(plus) if minus is None else sweep.sub(plus, minus)


def nominal_difference(tape: Tape, evaluation: Evaluation, plus: int, minus: int) -> Number | None:
    """The difference of two nodes by their nominal values. Where one has none, what is known to be one number, whatever
    moves the two, is that one; else there is none."""
    a, b = evaluation.values[plus], evaluation.values[minus]
    if a is None or b is None:
        return None
    x, y = nominal_of(a), nominal_of(b)
    if x is not None and y is not None:
        return x - y
    low, high = bounds_of(tape, evaluation, (plus, minus)).between
    if low is not None and low == high:
        return low
    x, y = (tighten(tape, evaluation, node).value.nominal for node in (plus, minus))
    return None if x is None or y is None else x - y
