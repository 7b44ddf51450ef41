"""Where plain interval arithmetic cannot be bettered although a source is used more than once.

A source that pulls one way wherever it is used leaves nothing to tighten: `u + u * 2` is highest where `u` is, in both
places at once. Only one that pulls both ways, as in `u - u / 2`, does. The values looked at may be wider than those of
any state of a graph; what is said then holds for all states that lie within them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import reduce
from typing import Final, cast

from capwright.base.interval import Range, Value, ends_of
from capwright.graph.reach import OPAQUE, is_bound
from capwright.graph.tape import BindInfo, CallInfo, Tape

Pull = tuple[int, int]
"""The coordinates that a value rises with, and those that it falls with, as bit masks; in both where it is not known."""

_STILL: Pull = (0, 0)
_MOST: Final = 4_096
"""Coordinates that are told apart: every node keeps a bit of each."""


def one_way(tape: Tape, values: Sequence[Value | None], nodes: Iterable[int]) -> set[int]:
    """Those of `nodes`, which are in tape order with all below them, whose ends plain arithmetic gives exactly."""
    looking = _Looking(tape, values)
    for node in nodes:
        found = looking.at(node)
        if found is not None:
            looking.pulls[node] = found
    return set(looking.pulls)


class _Looking:
    def __init__(self, tape: Tape, values: Sequence[Value | None]) -> None:
        self.tape = tape
        self.values = values
        self.pulls: dict[int, Pull] = {}
        self._coordinates = 0

    def at(self, node: int) -> Pull | None:
        """The pull of a node; None where plain arithmetic may be too wide."""
        tape, value = self.tape, self.values[node]
        if tape.ops[node] == "variable":
            return _STILL  # a switch: in every state it is one way
        if value is None:
            return None
        if type(value) is not Range:
            return _STILL
        op, data = tape.ops[node], tape.data[node]
        estimate = isinstance(data, BindInfo | CallInfo) and data.relation == "~"
        if op in OPAQUE or op in ("source", "const") or estimate:
            return self._own()
        args = [self.pulls.get(arg) for arg in tape.args[node]]
        if op == "if":
            return self._chosen(node, args)
        signs = self._signs(node)
        if signs is None or any(pull is None for pull in args):
            return None
        pulls = [_signed(pull, sign) for pull, sign in zip(args, signs, strict=True) if pull is not None]
        if is_bound(tape, node):
            own = self._own()
            if own is None:
                return None
            pulls.append(own)
        if not any(map(any, pulls)) and all(type(self.values[arg]) is not Range for arg in tape.args[node]):
            return self._own()  # an irrational number is a range of its own
        return reduce(_together, pulls[1:], pulls[0]) if _agree(pulls) else None

    def _own(self) -> Pull | None:
        if self._coordinates == _MOST:
            return None
        self._coordinates += 1
        return 1 << self._coordinates, 0

    def _chosen(self, node: int, args: list[Pull | None]) -> Pull | None:
        condition, then, otherwise = args
        decided = self.values[self.tape.args[node][0]]
        if decided is not None and type(decided) is not Range:
            return then if decided else otherwise
        if condition != _STILL or then is None or otherwise is None:
            return None
        return _together(then, otherwise)

    def _signs(self, node: int) -> Sequence[int | None] | None:
        """For each argument whether a node rises with it (1), falls (-1), or one or the other (None); None for an operation
        of which nothing is known."""
        op, args = self.tape.ops[node], self.tape.args[node]
        match op:
            case "bind" | "call" | "ceil" | "floor" | "sqrt" | "log2" | "exp":
                return (1,)
            case "neg" | "not":
                return (-1,)
            case "sub":
                return 1, -1
            case "lt" | "le":
                return -1, 1
            case "add" | "min" | "max" | "and" | "or":
                return (1,) * len(args)
            case "mul":
                return self._sign(args[1]), self._sign(args[0])
            case "div":
                above = self._sign(args[0])
                return self._sign(args[1]), None if above is None else -above
            case "pow":
                exponent = cast("int", self.tape.data[node])
                return (1 if exponent >= 0 else -1,) if self._sign(args[0]) == 1 else None
        return None

    def _sign(self, node: int) -> int | None:
        low, high = ends_of(cast("Value", self.values[node]))
        if low is not None and low >= 0:
            return 1
        return -1 if high is not None and high <= 0 else None


def _signed(pull: Pull, sign: int | None) -> Pull:
    up, down = pull
    if sign is None:
        return up | down, up | down
    return pull if sign > 0 else (down, up)


def _together(one: Pull, two: Pull) -> Pull:
    return one[0] | two[0], one[1] | two[1]


def _agree(pulls: Sequence[Pull]) -> bool:
    """Whether all that several have pulls one way."""
    up = down = 0
    for mine_up, mine_down in pulls:
        shared = (up | down) & (mine_up | mine_down)
        if shared & (up | mine_up) & (down | mine_down):
            return False
        up, down = up | mine_up, down | mine_down
    return True
