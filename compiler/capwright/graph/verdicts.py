"""What the intervals say of a requirement, of an expectation and of a measurement.

Two sides are never judged on two intervals but on their difference, so that what both lean on cancels.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable
from typing import Final, Literal

from msgspec import Struct

from capwright.base import ends
from capwright.base.ends import End, Ends
from capwright.base.exact import Number, div
from capwright.base.interval import Range, as_range, ends_of, is_approximate
from capwright.graph.evaluation import Evaluation
from capwright.graph.reach import reach_of, settling, source_ids, source_of, told, walk_coordinates
from capwright.graph.tape import Tape, leaned_on
from capwright.graph.tighten import Bounds, bounds_of, nominal_difference, slopes_of, tighten
from capwright.syntax.tree import Comparison

Status = Literal["holds", "violated", "not established"]
Expected = Literal["expected", "not expected", "no estimate"]
Agreement = Literal["agreement", "contradiction", "not independent", "gap closed", "does not count"]

_HOLDS: Final[dict[Comparison, Callable[[Number, Number], bool]]] = {
    "<=": operator.le,
    "<": operator.lt,
    ">=": operator.ge,
    ">": operator.gt,
    "==": operator.eq,
    "!=": operator.ne,
}


_OPENS: Final = 3
"""The rank of what leaves an end open."""


class Judgement(Struct, frozen=True):
    """A requirement's verdict.

    `margin` is the room: right minus left for `<=`, `<`, `==` and `!=`, left minus right for `>=` and `>`. `left`
    and `right` are the two sides as evaluated. `leans_on` are the sources under which it holds or fails. Where
    it is not established, `opened_by` is the node that keeps the blocking end away: a bound that opens it, or
    else what could close it alone. Where nothing could, `besides` are the nodes that have to be known better with it.
    """

    status: Status
    margin: Range
    left: Range
    right: Range
    leans_on: tuple[str, ...]
    opened_by: int | None
    besides: tuple[int, ...]
    loose: bool


def judge(
    tape: Tape,
    evaluation: Evaluation,
    left: int,
    right: int,
    comparison: Comparison,
    *,
    decided: Iterable[int] = (),
) -> Judgement | None:
    """The verdict on `left comparison right`, or None where a side has no value. `decided` are exact numbers by which
    the requirement says what its sides are."""
    a, b = evaluation.values[left], evaluation.values[right]
    if a is None or b is None:
        return None
    room = (left, right) if comparison in (">=", ">") else (right, left)
    bounds = bounds_of(tape, evaluation, room)
    status = _status(bounds.between, comparison)
    nominal = nominal_difference(tape, evaluation, *room)
    approximate = is_approximate(a) or is_approximate(b)
    opening = (
        _opened_by(tape, evaluation, room, bounds, strict=comparison in ("<", ">"))
        if status == "not established"
        else []
    )
    return Judgement(
        status,
        Range(bounds.between[0], nominal, bounds.between[1], approximate),
        as_range(a),
        as_range(b),
        source_ids(
            tape,
            reach_of(tape, evaluation),
            told(tape, evaluation, room, bounds.moved) | settling(tape, evaluation, (*room, *decided)),
        ),
        opening[0] if opening else None,
        tuple(opening[1:]),
        bounds.loose,
    )


def _status(room: Ends, comparison: Comparison) -> Status:
    low, high = room
    if comparison in ("==", "!="):
        same = low == 0 and high == 0
        apart = not ends.contains(room, 0)
        if not same and not apart:
            return "not established"
        return "holds" if same == (comparison == "==") else "violated"
    strict = comparison in ("<", ">")
    if low is not None and (low > 0 or (low == 0 and not strict)):
        return "holds"
    if high is not None and (high < 0 or (high == 0 and strict)):
        return "violated"
    return "not established"


class _Opener(Struct, frozen=True, order=True):
    """A coordinate that keeps the room's low end away, the weightiest last.

    What could close the room alone comes first; then what opens it, then a bound at the end it does not establish, then
    assumptions, then a bound at its own end; of several, the one that can lower the room farthest (`fall`, 0 where there
    is no limit), then the one nearest the verdict.
    """

    closes: bool
    rank: int
    fall: Number
    node: int


def _opened_by(
    tape: Tape, evaluation: Evaluation, room: tuple[int, int], bounds: Bounds, *, strict: bool
) -> list[int]:
    """The coordinates that keep the room's low end away: the one that does most, and those without which it is not
    enough to know it. What a measurement cuts short opens nothing: the measurement is as wide as it is."""
    low = bounds.between[0]
    ranked = _ranked(tape, evaluation, room, bounds)
    open_ends = [node for rank, _, node in ranked if rank == _OPENS]

    def closes(left: End) -> bool:
        return left is not None and (left > 0 if strict else left >= 0)

    openers = sorted(
        (
            _Opener(open_ends == [node] if low is None else closes(low + fall), rank, fall, node)
            for rank, fall, node in ranked
        ),
        reverse=True,
    )
    found: list[int] = []
    for opener in openers:
        if low is None and open_ends and opener.rank != _OPENS:
            break  # with every end closed, nobody knows yet how far it is to the verdict
        found.append(opener.node)
        if opener.closes or (low is None and not open_ends):
            break
        low = None if low is None else low + opener.fall
        if closes(low):
            break
    return list(dict.fromkeys(found))


def _ranked(
    tape: Tape, evaluation: Evaluation, room: tuple[int, int], bounds: Bounds
) -> list[tuple[int, Number, int]]:
    """Every coordinate with its rank, and how far it lets the room fall."""
    slopes, interval_of = slopes_of(tape, evaluation, room)
    cut = _cut_short(tape, evaluation, room)
    ranked: list[tuple[int, Number, int]] = [(0, 0, cut[node]) for node in bounds.moved & cut.keys()]
    for node in bounds.moved & slopes.keys() - cut.keys():
        source = source_of(tape, node)
        falls = _falls(slopes.get(node, ends.ZERO), interval_of(node))
        if falls == (0, 0):
            continue
        fall = _farther(*falls)
        if source is None:
            beneath = _beneath(tape, evaluation, node, fall)
            ranked += [
                (0, 0, cut[below]) if below in cut else (rank, far, below) for rank, far, below in beneath
            ]
        else:
            ranked.append((_OPENS, 0, node) if fall is None else (_rank(source.relation, falls), fall, node))
    return ranked


def _beneath(
    tape: Tape, evaluation: Evaluation, opaque: int, fall: Number | None
) -> list[tuple[int, Number, int]]:
    """The sources below an operation that is not looked into, such as a search: what establishes nothing first, then
    by their part in the range of what it is given, and so in how far it lets the room fall."""
    reach = reach_of(tape, evaluation)
    found: list[tuple[int, Number, int]] = []
    for given in reach.active[opaque]:
        slopes, interval_of = slopes_of(tape, evaluation, (given, None))
        for node in walk_coordinates(reach, [given]):
            source = source_of(tape, node)
            if source is not None:
                part = _part(slopes.get(node, ends.ZERO), interval_of(node), given, evaluation)
                rank = _OPENS if fall is None else 1 if source.relation == "assume" else 2
                found.append((rank, part if fall is None else part * fall, node))
    return found


def _part(slope: Ends, interval: Ends, of: int, evaluation: Evaluation) -> Number:
    """How much of a node's range a coordinate makes at most; 0 where that is not known."""
    whole = _width(ends_of(evaluation.values[of] or 0))
    width = _width(interval)
    falling, rising = slope
    if not whole or width is None or falling is None or rising is None:
        return 0
    steepest = max(rising, -falling)
    return div(steepest * width, whole)


def _width(interval: Ends) -> Number | None:
    low, high = interval
    return None if low is None or high is None else high - low


def _cut_short(tape: Tape, evaluation: Evaluation, room: tuple[int, int]) -> dict[int, int]:
    """What lies below a quantity whose range a measurement cuts on the way to a room, with that measurement's leaf."""
    found: dict[int, int] = {}
    if "effective" not in tape.ops:
        return found
    for node in sorted(all_below(tape, room[0]) | all_below(tape, room[1])):
        if tape.ops[node] != "effective":
            continue
        derived, leaf = tape.args[node]
        a, b = evaluation.values[derived], evaluation.values[leaf]
        if a is not None and b is not None and not ends.within(ends_of(a), ends_of(b)):
            found |= dict.fromkeys((*all_below(tape, derived), leaf), leaf)
    return found


def _rank(relation: str, falls: tuple[End, End]) -> int:
    """2 for a bound or an estimate that lets the room fall where it establishes nothing, 1 for an assumption."""
    at_low, at_high = falls
    unestablished = {">=": at_high, "<=": at_low, "~": 1}.get(relation, 0)
    return 1 if relation == "assume" else 2 if unestablished != 0 else 0


def _falls(slope: Ends, interval: Ends) -> tuple[End, End]:
    """How far the room can fall by moving a coordinate to its low end and to its high end; None for no limit."""
    low, high = interval
    width = None if low is None or high is None else high - low
    return (_fall(slope[1], low, width), _fall(None if slope[0] is None else -slope[0], high, width))


def _fall(steepness: End, end: End, width: End) -> End:
    if steepness is not None and steepness <= 0:
        return 0
    if steepness is None or end is None:
        return None
    return 0 if width is None else steepness * width


def _farther(a: End, b: End) -> End:
    return None if a is None or b is None else max(a, b)


def judge_expected(
    tape: Tape, evaluation: Evaluation, left: int, right: int, comparison: Comparison
) -> Expected:
    """What the nominal values say; `no estimate` where a side has none, and nothing else tells how far apart they are."""
    apart = nominal_difference(tape, evaluation, left, right)
    if apart is None:
        return "no estimate"
    return "expected" if _HOLDS[comparison](apart, 0) else "not expected"


def compare_measurement(
    tape: Tape, evaluation: Evaluation, derived: int, measured: int, measurement: str
) -> Agreement | None:
    """How the measurement called `measurement` compares with what was derived, or None without a value.

    `not independent` says that the derived value leans on a source that was read off this measurement.
    """
    a, b = evaluation.values[derived], evaluation.values[measured]
    if a is None or b is None:
        return None
    if not ends.contains(bounds_of(tape, evaluation, (derived, measured)).between, 0):
        return "contradiction"
    tight = tighten(tape, evaluation, derived)
    if any(_read_off(tape, node, measurement) for node in all_below(tape, derived)):
        return "not independent"
    low, nominal, high, _ = tight.value
    return "gap closed" if None in (low, nominal, high) else "agreement"


def _read_off(tape: Tape, node: int, measurement: str) -> bool:
    source = source_of(tape, node)
    return source is not None and source.from_measure == measurement


def all_below(tape: Tape, node: int) -> set[int]:
    """The node and all that it is made of."""
    found: set[int] = set()
    waiting = [node]
    while waiting:
        here = waiting.pop()
        if here >= 0 and here not in found:
            found.add(here)
            waiting.extend(leaned_on(tape, here))
    return found
