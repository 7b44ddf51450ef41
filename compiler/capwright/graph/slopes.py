"""One sweep over part of a tape on a box of coordinates: the ends of every node, and its slopes.

The slope of `f` along a coordinate is an interval that contains `(f(x) - f(y)) / (x - y)` for all points x
and y of the box that differ in that coordinate only. It is sound for steps and kinks, where there is no
derivative, and its sign certifies monotonicity: a low end of zero or more says that `f` never falls.

The rules for products and quotients split the difference into one factor at a time, as in
R. E. Moore, R. B. Kearfott, M. J. Cloud, Introduction to Interval Analysis (SIAM 2009), chapter 8.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from functools import reduce
from typing import Final, cast

from capwright.base import ends, truth
from capwright.base.ends import ONE, OPEN, ZERO, Ends
from capwright.base.exact import Number
from capwright.base.interval import Range, Value, contenders, ends_of
from capwright.graph.operations import computed
from capwright.graph.reach import OPAQUE, is_bound
from capwright.graph.relations import declared_domain
from capwright.graph.tape import BindInfo, CallInfo, Tape

Slopes = dict[int, Ends]
"""Slope by coordinate; one that is not listed is exactly zero."""

Point = tuple[Ends, Slopes]

RISING: Final[Ends] = (0, None)
FALLING: Final[Ends] = (None, 0)

# Bounds of 1 / ln 2.
_PER_LN2: Final[Ends] = (Fraction(14_426, 10_000), Fraction(14_427, 10_000))


class Sweep:
    """Ends and slopes of the nodes it has run over, on one box.

    `box` gives the ends of coordinates that differ from their full range. `narrowed` is as in `Evaluation`. `same` leads from a node to an earlier one that has the same value all over the box.
    """

    __slots__ = ("_narrowed", "_tape", "_values", "box", "ends", "same", "slopes")

    def __init__(
        self,
        tape: Tape,
        values: Sequence[Value | None],
        box: Mapping[int, Ends],
        narrowed: Mapping[int, Value],
    ) -> None:
        self._tape = tape
        self._values = values
        self._narrowed = narrowed
        self.box = box
        self.ends: dict[int, Ends] = {}
        self.slopes: dict[int, Slopes] = {}
        self.same: dict[int, int] = {}

    def run(self, nodes: Iterable[int]) -> int:
        """Compute `nodes`, in tape order; those known already are left. What it took: a step a node, and one for every
        other slope of it."""
        steps = 0
        for node in nodes:
            if node not in self.ends:
                self.ends[node], self.slopes[node] = self._rule(node)
                steps += 1 + len(self.slopes[node]) // 2
        return steps

    def at(self, node: int) -> Point:
        """Ends and slopes of any node; one with an exact value has no slopes."""
        found = self.ends.get(node)
        if found is not None:
            return found, self.slopes[node]
        return ends_of(cast("Value", self._values[node])), {}

    def canonical(self, node: int) -> int:
        """The earliest node known to have the same value."""
        return self.same.get(node, node)

    def interval_of(self, coordinate: int) -> Ends:
        """The range of a coordinate in this box."""
        return self.box[coordinate] if coordinate in self.box else self.full_interval(coordinate)

    def full_interval(self, coordinate: int) -> Ends:
        """The range of a coordinate where nothing narrows it.

        A bound whose other side is closed by its domain moves from 0 to 1 between the two; else its
        coordinate is the slack, from 0 without end.
        """
        if not is_bound(self._tape, coordinate):
            return ends_of(cast("Value", self._values[coordinate]))
        return (0, 1) if self._far_end(coordinate) is not None else RISING

    def _far_end(self, node: int) -> Number | None:
        info = cast("BindInfo | CallInfo", self._tape.data[node])
        if info.relation == ">=":
            return info.high
        # A bound below its own domain keeps no low end: see relations.
        return info.low if ends_of(cast("Value", self._values[node]))[0] is not None else None

    # ── rules ────────────────────────────────────────────────────────────────────────────────────

    def _rule(self, node: int) -> Point:
        op, args = self._tape.ops[node], self._tape.args[node]
        if op in ("bind", "call"):
            return self._named(node, cast("BindInfo | CallInfo", self._tape.data[node]))
        if op in OPAQUE or op in ("source", "const", "variable"):
            return self._coordinate(node)
        if op == "effective":
            return self._effective(node)
        if op in ("min", "max"):
            return self._extreme(node, largest=op == "max")
        if op == "if":
            return self._if(node)
        if op == "div":
            return self._div(node)
        arithmetic = _ARITHMETIC.get(op)
        if arithmetic is not None:
            return arithmetic(self, args[0], args[1])
        if op in ("and", "or"):
            return self._junction(op, args)
        return self._unary(node, op) if len(args) == 1 else self._comparison(op, args[0], args[1])

    def _coordinate(self, node: int) -> Point:
        between = self.interval_of(node)
        return between, _own(node, between, ONE)

    def _alias(self, node: int, other: int) -> Point:
        self.same[node] = self.canonical(other)
        return self.at(other)

    def _named(self, node: int, info: BindInfo | CallInfo) -> Point:
        root = self._tape.args[node][0]
        if info.relation == "~":
            return self._coordinate(node)
        domain = declared_domain(info)
        if self._tape.ops[root] == "source":
            domain = (info.low, info.high)
        inner = self.at(root)
        if domain is not None and not ends.within(inner[0], domain):
            inner = _clamped(inner, domain)
        elif info.relation == "=":
            return self._alias(node, root)
        if info.relation == ">=":
            return self._above(node, inner)
        return self._below(node, inner) if info.relation == "<=" else inner

    def _above(self, node: int, inner: Point) -> Point:
        """`x = e + t`, or `x = e + u * (high - e)` where the domain closes the other side."""
        step, far = self.interval_of(node), self._far_end(node)
        if far is None:
            return ends.add(inner[0], step), inner[1] | _own(node, step, ONE)
        between = (_between(inner[0][0], far, step[0]), _between(inner[0][1], far, step[1]))
        room = ends.sub(ends.point(far), inner[0])
        return between, _scaled(inner[1], ends.sub(ONE, step)) | _own(node, step, room)

    def _below(self, node: int, inner: Point) -> Point:
        """`x = e - t`, or `x = low + u * (e - low)` where the domain closes the other side."""
        step, far = self.interval_of(node), self._far_end(node)
        if far is None:
            return ends.sub(inner[0], step), inner[1] | _own(node, step, ends.neg(ONE))
        inner = _clamped(inner, (far, None))
        room = ends.sub(inner[0], ends.point(far))
        between = ends.add(ends.point(far), ends.mul(step, room))
        return between, _scaled(inner[1], step) | _own(node, step, room)

    def _effective(self, node: int) -> Point:
        derived, measured = self._tape.args[node]
        if self._values[derived] is None:
            return self._alias(node, measured)
        if self._values[measured] is None:
            return self._alias(node, derived)
        window = ends_of(cast("Value", self._values[measured]))
        if ends.meet(ends_of(cast("Value", self._values[derived])), window) is None:
            return self._alias(node, derived)
        inner = self.at(derived)
        return self._alias(node, derived) if ends.within(inner[0], window) else _clamped(inner, window)

    def _extreme(self, node: int, *, largest: bool) -> Point:
        args = list({self.canonical(arg): arg for arg in self._tape.args[node]}.values())
        points = [self.at(arg) for arg in args]
        kept = contenders([ends.neg(pair) if largest else pair for pair, _ in points])
        if len(kept) == 1:
            return self._alias(node, args[kept[0]])
        combine = ends.maximum if largest else ends.minimum
        between = reduce(combine, [points[i][0] for i in kept])
        return between, _hull_slopes([points[i][1] for i in kept])

    def _if(self, node: int) -> Point:
        condition, then, otherwise = self._tape.args[node]
        decided, turning = self.at(condition)
        if ends.is_point(decided):
            return self._alias(node, then if decided[0] else otherwise)
        (a, a_slopes), (b, b_slopes) = self.at(then), self.at(otherwise)
        slopes = _hull_slopes([a_slopes, b_slopes])
        jump = ends.sub(a, b)
        return ends.hull(a, b), _sum(slopes, {key: ends.mul(slope, jump) for key, slope in turning.items()})

    def _junction(self, op: str, args: tuple[int, ...]) -> Point:
        points = [self.at(arg) for arg in args]
        values = [_as_value(pair) for pair, _ in points]
        between = ends_of(cast("Value", truth.both(values) if op == "and" else truth.either(values)))
        return between, {} if ends.is_point(between) else _hull_slopes([slopes for _, slopes in points])

    def _comparison(self, op: str, left: int, right: int) -> Point:
        if self.canonical(left) == self.canonical(right):
            return (ONE if op in ("le", "eq") else ZERO), {}
        (a, a_slopes), (b, b_slopes) = self.at(left), self.at(right)
        between = ends_of(computed(op, [_as_value(a), _as_value(b)], None))
        if ends.is_point(between):
            return between, {}
        apart = _sum(b_slopes, _negated(a_slopes))
        return between, {key: OPEN if op in ("eq", "ne") else _stepped(s) for key, s in apart.items()}

    def _unary(self, node: int, op: str) -> Point:
        data = self._tape.data[node]
        arg = self._tape.args[node][0]
        if type(self._values[arg]) is not Range:
            return self._coordinate(node)  # a rounded irrational number is a tiny range of its own
        inner, slopes = self.at(arg)
        inner = self._last(node, inner)
        if op == "neg":
            return ends.neg(inner), _negated(slopes)
        if op == "not":
            return ends.sub(ONE, inner), _negated(slopes)
        between = ends_of(computed(op, [_as_value(inner)], data))
        if not slopes:
            return between, {}
        if op in ("ceil", "floor"):
            steps = {} if ends.is_point(between) else {key: _stepped(s) for key, s in slopes.items()}
            return between, steps
        factor = _SMOOTH[op](inner, between, data)
        return between, _scaled(slopes, factor)

    def add(self, left: int, right: int) -> Point:
        (a, a_slopes), (b, b_slopes) = self.at(left), self.at(right)
        return ends.add(a, b), _sum(a_slopes, b_slopes)

    def sub(self, left: int, right: int) -> Point:
        """The difference of two nodes, whether or not the tape takes it."""
        if self.canonical(left) == self.canonical(right):
            return ZERO, {}
        (a, a_slopes), (b, b_slopes) = self.at(left), self.at(right)
        return ends.sub(a, b), _sum(a_slopes, _negated(b_slopes))

    def mul(self, left: int, right: int) -> Point:
        (a, a_slopes), (b, b_slopes) = self.at(left), self.at(right)
        return ends.mul(a, b), _sum(_scaled(a_slopes, b), _scaled(b_slopes, a))

    def _div(self, node: int) -> Point:
        left, right = self._tape.args[node]
        if self.canonical(left) == self.canonical(right):
            return ONE, {}
        (a, a_slopes), (b, b_slopes) = self.at(left), self.at(right)
        b = self._last(node, b)
        quotient = ends.div(a, b)
        if b[0] is not None and b[0] >= 0 and self._is_part(left, right):
            quotient = (quotient[0], ends.lower_end(quotient[1], 1))
        above = _sum(a_slopes, _scaled(b_slopes, ends.neg(quotient)))
        return quotient, _scaled(above, ends.reciprocal(b))

    def _last(self, node: int, between: Ends) -> Ends:
        """The ends of the last operand of a node: within what the evaluation had to narrow it to, which holds in any box."""
        known = self._narrowed.get(node)
        return between if known is None else ends.meet(between, ends_of(known)) or between

    def _is_part(self, left: int, right: int) -> bool:
        """Whether `left <= right` is plain from how they are built: `a / (a + b)`, `m / max(m, c)`."""
        part, whole = self.canonical(left), self.canonical(right)
        ops, args = self._tape.ops, self._tape.args
        parts = [self.canonical(arg) for arg in args[whole]]
        if ops[whole] == "max":
            return part in parts
        if ops[whole] == "add" and part in parts:
            low = self.at(parts[1 - parts.index(part)])[0][0]
            return low is not None and low >= 0
        return ops[part] == "min" and whole in [self.canonical(arg) for arg in args[part]]


_ARITHMETIC: Final[dict[str, Callable[[Sweep, int, int], Point]]] = {
    "add": Sweep.add,
    "sub": Sweep.sub,
    "mul": Sweep.mul,
}


def _power_slope(inner: Ends, _: Ends, exponent: object) -> Ends:
    n = cast("int", exponent)
    return ends.mul(ends.point(n), ends.power(inner, n - 1))


_SMOOTH: Final[dict[str, Callable[[Ends, Ends, object], Ends]]] = {
    "pow": _power_slope,
    "sqrt": lambda _, root, __: ends.reciprocal(ends.mul((2, 2), root)),
    "log2": lambda inner, _, __: ends.mul(_PER_LN2, ends.reciprocal(inner)),
    "exp": lambda _, value, __: value,
}
"""The derivative over a range, from the ends of the argument, those of the value, and the node's data."""


def _as_value(pair: Ends) -> Value:
    if pair[0] is not None and ends.is_point(pair):
        return pair[0]
    return Range(pair[0], None, pair[1])


def _between(near: Number | None, far: Number, share: Number | None) -> Number | None:
    if near is None or share is None:
        return None
    return ends.add(ends.point(near), ends.mul(ends.point(share), ends.point(far - near)))[0]


def _own(coordinate: int, step: Ends, slope: Ends) -> Slopes:
    """The slope along a coordinate of its own; none where the box leaves it one point."""
    return {} if ends.is_point(step) else {coordinate: slope}


def _clamped(inner: Point, domain: Ends) -> Point:
    between, slopes = inner
    if ends.within(between, domain):
        return inner
    inside = ends.clamp(between, domain)
    flat = {} if ends.is_point(inside) else {key: ends.hull(slope, ZERO) for key, slope in slopes.items()}
    return inside, flat


def _stepped(slope: Ends) -> Ends:
    """The slope of a step function of something with this slope."""
    if slope[0] is not None and slope[0] >= 0:
        return RISING
    return FALLING if slope[1] is not None and slope[1] <= 0 else OPEN


def _negated(slopes: Slopes) -> Slopes:
    return {key: ends.neg(slope) for key, slope in slopes.items()}


def _scaled(slopes: Slopes, factor: Ends) -> Slopes:
    return {} if factor == ZERO else {key: ends.mul(slope, factor) for key, slope in slopes.items()}


def _sum(a: Slopes, b: Slopes) -> Slopes:
    if not a or not b:
        return a or b
    total = dict(a)
    for key, slope in b.items():
        mine = total.get(key)
        together = slope if mine is None else ends.add(mine, slope)
        if together == ZERO:
            total.pop(key, None)
        else:
            total[key] = together
    return total


def _hull_slopes(parts: Sequence[Slopes]) -> Slopes:
    keys = dict.fromkeys(key for part in parts for key in part)
    return {key: reduce(ends.hull, [part.get(key, ZERO) for part in parts]) for key in keys}
