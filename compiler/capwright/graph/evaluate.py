"""Evaluation of a tape: one pass from the first node to the last.

A node that cannot be computed has a fault; a node above a fault has no value and no fault of its own, so
one mistake gives one message. A fault in a branch that is not taken is none.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, Final, cast

from capwright.base import truth
from capwright.base.ends import ZeroInside
from capwright.base.exact import MAX_BITS, Number, TooLarge
from capwright.base.interval import Range, Value, as_range
from capwright.graph import faults, relations
from capwright.graph.evaluation import Evaluation
from capwright.graph.faults import Fault, Refusal
from capwright.graph.narrowing import Narrowing
from capwright.graph.needed import needed_nodes
from capwright.graph.operations import computed
from capwright.graph.search import Search
from capwright.graph.tape import BindInfo, CallInfo, KernelCall, SearchBody, SourceInfo, Tape
from capwright.kernel.refusal import KernelRefusal

Kernel = Callable[[KernelCall, list[Value]], Value | None]

_MOST: Final = 1 << MAX_BITS
_LEAST: Final = -_MOST
_FAST: Final[dict[str, Callable[[int, int], int]]] = {
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
}
_OF_A_RANGE: Final = frozenset({"CW0421", "CW0426", "CW0602", "CW0606"})
"""Refusals of an operand that reaches where the operation has no value."""
_SEARCH_BUDGET: Final = 400_000
_A_CALL: Final = 100
"""Steps of a search that a primitive in its condition counts for."""
_SEARCHING_PER_NODE: Final = 60
"""Steps that all searches together may take, for each node of the tape: beyond what one may take in any case."""


def evaluate(tape: Tape, kernel: Kernel, roots: Iterable[int] | None = None) -> Evaluation:
    """Evaluate every node of `tape`; `kernel` computes the primitives.

    Faults are reported for nodes that are needed: those that `roots`, or else every named quantity and every
    node without a user, lean on through branches that are taken.
    """
    machine = Machine(tape, kernel)
    machine.run(range(len(tape)))
    found = machine.faults
    if found:
        needed = needed_nodes(tape, machine.values, roots)
        found = [fault for fault in found if fault.node in needed]
    return Evaluation(machine.values, found, machine.narrowing.upon)


class Machine:
    """The values so far. `run` computes nodes in the order given; a search runs its body again and again."""

    __slots__ = ("budget", "faults", "kernel", "narrowing", "spent", "tape", "values")

    def __init__(self, tape: Tape, kernel: Kernel) -> None:
        self.tape = tape
        self.kernel = kernel
        self.values: list[Value | None] = [None] * len(tape)
        self.narrowing = Narrowing(tape, self.values)
        self.faults: list[Fault] = []
        self.spent = 0
        self.budget: int | None = None

    def run(self, nodes: Iterable[int]) -> None:
        """Give each of `nodes` its value."""
        values, all_args, ops = self.values, self.tape.args, self.tape.ops
        all_data: list[Any] = self.tape.data
        fast_ops, least, most = _FAST, _LEAST, _MOST
        for node in nodes:
            op = ops[node]
            if op == "const":
                values[node] = all_data[node].value
                continue
            if op in ("bind", "call"):
                value = values[all_args[node][0]]
                if type(value) is int and _keeps_whole_numbers(all_data[node]):
                    values[node] = value
                    continue
            fast = fast_ops.get(op)
            if fast is not None:
                i, j = all_args[node]
                a, b = values[i], values[j]
                # Both are within the limit, so the result is at most twice as long before it is refused.
                if type(a) is int and type(b) is int and least < (result := fast(a, b)) < most:
                    values[node] = result
                    continue
            values[node] = self._guarded(node)

    def _guarded(self, node: int) -> Value | None:
        operands = [self.values[i] if i >= 0 else None for i in self.tape.args[node]]
        self.narrowing.upon.pop(node, None)  # of an earlier run, where it stood on other values
        try:
            return self._attempted(node, operands)
        except Refusal as refusal:
            found = refusal
        if found.code in _OF_A_RANGE and (narrowed := self.narrowing.operands(node, operands)) is not None:
            try:
                return self._attempted(node, narrowed)
            except Refusal as refusal:
                found = refusal
        refused = self.tape.args[node][-1 if found.code == "CW0421" else 0] if self.tape.args[node] else node
        dim = self.tape.dims[refused]
        self.faults.append(Fault(node, found.code, *found.told(dim.text() if dim.powers else "")))
        return None

    def _attempted(self, node: int, operands: list[Value | None]) -> Value | None:
        """The value of a node; whatever refuses it is a `Refusal`."""
        try:
            return self._value(node, operands)
        except KernelRefusal as refusal:
            raise Refusal(refusal.code, refusal.message, refusal.help) from None
        except TooLarge:
            raise faults.too_many_digits() from None
        except ZeroDivisionError:
            raise faults.divisor_is_zero() from None
        except ZeroInside:
            raise faults.zero_inside(operands[-1]) from None

    def _value(self, node: int, operands: list[Value | None]) -> Value | None:
        op, data = self.tape.ops[node], self.tape.data[node]
        match op:
            case "bind" | "call":
                return self._named(node, operands[0])
            case "if":
                return _chosen(operands)
            case "and":
                return truth.both(operands)
            case "or":
                return truth.either(operands)
            case "effective":
                return relations.effective(operands[0], operands[1])
            case "source":
                return self._assumed(node, operands)
            case "variable":
                return None  # only a search gives it one
        present = [operand for operand in operands if operand is not None]
        if len(present) < len(operands):
            return None
        if op == "kernel":
            return self.kernel(cast("KernelCall", data), present)
        if op == "search":
            return self._searched(cast("SearchBody", data), present[0], present[1])
        return computed(op, present, data)

    def _named(self, node: int, value: Value | None) -> Value | None:
        info = cast("BindInfo | CallInfo", self.tape.data[node])
        if value is None:
            return None
        if type(value) is Range and self.tape.ops[self.tape.args[node][0]] == "source":
            value = relations.closed_by_domain(value, info)
        if info.relation != "=" or info.high is not None or info.low:
            value = relations.related(value, info)
        if info.whole and (type(value) is not int or info.grain != 1):
            relations.check_whole(value, info)
        return value

    def _assumed(self, node: int, operands: list[Value | None]) -> Value | None:
        for arg, operand in zip(self.tape.args[node], operands, strict=True):
            if operand is None and arg >= 0:
                return None
        nominal, low, high = operands
        value = relations.assumed(nominal, low, high)
        if cast("SourceInfo", self.tape.data[node]).measured:
            return as_range(value)._replace(approximate=True)  # also a point: it is read off something
        return value

    def _searched(self, body: SearchBody, low: Value, high: Value) -> Value | None:
        outermost = self.budget is None
        if self.budget is None:
            self.budget = min(_SEARCH_BUDGET, self._left())
            self.spent += self.budget
        before = len(self.faults)
        try:
            nested = not outermost or any(self.tape.ops[each] == "search" for each in body.nodes)
            weight = sum(_A_CALL if self.tape.ops[each] == "kernel" else 1 for each in body.nodes)
            attempt = partial(self._attempt, body, weight=weight, before=before)
            return Search(body, low, high, attempt, weight=weight, nested=nested).value()
        finally:
            for node in body.nodes:
                self.values[node] = None
            if outermost:
                self.spent -= max(self.budget, 0)
                self.budget = None

    def _left(self) -> int:
        """Steps that searches may still take: some for any plan, and more for a long one."""
        return _SEARCH_BUDGET + _SEARCHING_PER_NODE * len(self.tape) - self.spent

    def _attempt(self, body: SearchBody, number: Number, weight: int, before: int) -> Value | None:
        self.budget = (self.budget or 0) - weight
        if self.budget < 0:
            raise faults.search_takes_too_long(_SEARCH_BUDGET)
        self.values[body.variable] = number
        self.run([node for node in body.nodes if node != body.variable])
        self.values[body.variable] = None
        condition = self.values[body.condition]
        if condition is not None:  # what faulted lay in a branch that was not taken
            del self.faults[before:]
        return condition


def _keeps_whole_numbers(info: BindInfo | CallInfo) -> bool:
    """Whether a whole number of base units passes a name as it is, as most do."""
    return info.relation == "=" and info.high is None and not info.low and info.grain == 1


def _chosen(operands: list[Value | None]) -> Value | None:
    condition, then, otherwise = operands
    if condition is None:
        return None
    if not isinstance(condition, Range):
        return then if condition else otherwise
    return None if then is None or otherwise is None else truth.choose(condition, then, otherwise)
