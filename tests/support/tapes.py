"""Tapes written by hand, and what they say at one assignment of their sources, by plain exact arithmetic.

`Writer` spells a tape as a plan would. `Assignment` recomputes it without intervals, so that the
evaluator's and the tightener's promises can be held against single points.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction

from capwright.base.dimension import PURE
from capwright.base.interval import Range
from capwright.base.source import NOWHERE, Span
from capwright.graph.evaluate import evaluate
from capwright.graph.evaluation import Evaluation
from capwright.graph.tape import OPEN, BindInfo, CallInfo, Constant, KernelCall, SearchBody, SourceInfo, Tape
from capwright.syntax.tree import Clauses

CLAUSES = Clauses()


def no_kernel(call: KernelCall, arguments: list) -> int:
    raise AssertionError(f"this tape calls no kernel, but {call.function} was asked for")


def number(value) -> int | Fraction:
    exact = Fraction(value)
    return exact.numerator if exact.denominator == 1 else exact


@dataclass
class Writer:
    """Emits operations; named things get an id and a site of their own."""

    tape: Tape = field(default_factory=Tape)
    names: int = 0

    def const(self, value) -> int:
        return self.tape.emit("const", (), PURE, NOWHERE, Constant(number(value)))

    def measured(self, low, nominal, high) -> int:
        value = Range(number(low), number(nominal), number(high), approximate=True)
        return self.tape.emit("const", (), PURE, NOWHERE, Constant(value, text=str(self._site().start)))

    def op(self, name, *args, data=None) -> int:
        nodes = tuple(arg if isinstance(arg, int) else self.const(arg) for arg in args)
        return self.tape.emit(name, nodes, PURE, NOWHERE, data)

    def assume(self, name, nominal, low, high, *, domain=(0, None), from_measure=None) -> int:
        ends = [OPEN if end is None else self.const(end) for end in (nominal, low, high)]
        info = SourceInfo(name, "assume", self._site(), from_measure=from_measure)
        source = self.tape.emit("source", tuple(ends), PURE, NOWHERE, info)
        return self.bind(name, source, domain=domain)

    def bind(self, name, root, relation="=", *, domain=(0, None), whole=False) -> int:
        site = self._site()
        source = None if relation == "=" else SourceInfo(name, relation, site)
        info = BindInfo(site, name, relation, None, whole, *domain, CLAUSES, "", source)
        return self.tape.emit("bind", (root,), PURE, site, info)

    def call(self, formula, root, relation="=", *, domain=(0, None)) -> int:
        site = self._site()
        source = None if relation == "=" else SourceInfo(formula, relation, site)
        info = CallInfo(formula, site, relation, None, CLAUSES, (), (), None, source, *domain)
        return self.tape.emit("call", (root,), PURE, site, info)

    def search(self, which, low, high, condition, step=1) -> int:
        """`condition` writes the condition on the variable's node."""
        variable = self.tape.emit("variable", (), PURE, self._site(), f"n{self.names}")
        ends = tuple(end if isinstance(end, int) else self.const(end) for end in (low, high))
        root = condition(variable)
        nodes = dependent_on(self.tape, variable)
        body = SearchBody(which, variable, root, nodes, number(step))
        return self.tape.emit("search", ends, PURE, NOWHERE, body)

    def evaluate(self, kernel=no_kernel, roots=None) -> Evaluation:
        return evaluate(self.tape, kernel, roots)

    def _site(self) -> Span:
        self.names += 1
        return Span("plan", self.names, self.names + 1)


def dependent_on(tape: Tape, variable: int) -> tuple[int, ...]:
    found = {variable}
    for node, args in enumerate(tape.args):
        data = tape.data[node]
        inner = data.nodes if isinstance(data, SearchBody) else ()
        if not found.isdisjoint(args) or not found.isdisjoint(inner):
            found.add(node)
    return tuple(sorted(found - {variable}))


class Inadmissible(Exception):
    """The assignment leaves a domain, or divides by zero."""


@dataclass
class Assignment:
    """The values of all nodes where each source takes the share `shares[node]` (0 .. 1) of its room.

    An open room reaches ten thousand. A bound without a share holds with equality.
    """

    tape: Tape
    shares: Mapping[int, Fraction]

    def values(self) -> list[Fraction | None]:
        found: list[Fraction | None] = []
        for node in range(len(self.tape)):
            found.append(self._value(node, found))
        return found

    def _within(self, node, low, high) -> Fraction:
        low = Fraction(-10_000 if low is None else low)
        high = Fraction(low + 10_000 if high is None else high)
        if low > high:
            raise Inadmissible
        return low + (high - low) * self.shares.get(node, Fraction(0))

    def _value(self, node, found):
        op, args, data = self.tape.ops[node], self.tape.args[node], self.tape.data[node]
        if op == "const":
            value = data.value
            return self._within(node, value.low, value.high) if isinstance(value, Range) else Fraction(value)
        if op == "source":
            return self._within(node, *[None if arg < 0 else found[arg] for arg in args[1:]])
        if op == "variable":
            return None
        if op == "search":
            return self._searched(data, found[args[0]], found[args[1]], found)
        if op in ("bind", "call"):
            return self._named(node, data, found[args[0]])
        if op == "if":
            return found[args[1]] if found[args[0]] else found[args[2]]
        values = [found[arg] for arg in args]
        return None if None in values else plain(op, values, data)

    def _named(self, node, info, root):
        if root is None:
            return None
        declared = info.high is not None or info.low not in (0, None)
        known = _nearest(info.low, root, info.high) if declared else root
        if info.relation == "=":
            value = root
        elif info.relation == ">=":
            value = self._within(node, known, info.high)
        elif info.relation == "<=":
            value = self._below(node, info.low, known)
        else:
            value = self._within(node, info.low, info.high)
        assumed = self.tape.ops[self.tape.args[node][0]] == "source"
        if (declared or assumed) and not _contains(info.low, value, info.high):
            raise Inadmissible
        return value

    def _below(self, node, low, high) -> Fraction:
        return high - self._within(node, 0, None) if low is None else self._within(node, low, high)

    def _searched(self, body, low, high, found):
        start, stop = math.ceil(low / Fraction(body.step)), math.floor(high / Fraction(body.step))
        meeting = []
        for count in range(start, stop + 1):
            trial = [*found, *[None] * (body.condition + 1 - len(found))]
            trial[body.variable] = count * Fraction(body.step)
            for node in body.nodes:
                trial[node] = self._value(node, trial)
            if trial[body.condition]:
                meeting.append(trial[body.variable])
        if body.which == "largest":
            return max(meeting, default=Fraction(0) if start > 0 else None)
        return min(meeting, default=None)


def _contains(low, value, high) -> bool:
    return (low is None or low <= value) and (high is None or value <= high)


def _nearest(low, value, high):
    value = value if low is None else max(value, low)
    return value if high is None else min(value, high)


def plain(op, values, data):
    """One operation on numbers, written without a look at the evaluator."""
    a = values[0]
    b = values[1] if len(values) > 1 else None
    if op in ("div", "mod") and b == 0:
        raise Inadmissible
    match op:
        case "add":
            return a + b
        case "sub":
            return a - b
        case "mul":
            return a * b
        case "div":
            return a / b
        case "mod":
            return a - b * math.floor(a / b)
        case "neg":
            return -a
        case "pow":
            if a == 0 and data < 0:
                raise Inadmissible
            return a**data
        case "min" | "max":
            return min(values) if op == "min" else max(values)
        case "ceil":
            return math.ceil(a / Fraction(data)) * Fraction(data)
        case "floor":
            return math.floor(a / Fraction(data)) * Fraction(data)
        case "lt":
            return Fraction(a < b)
        case "le":
            return Fraction(a <= b)
        case "eq":
            return Fraction(a == b)
        case "ne":
            return Fraction(a != b)
        case "and":
            return Fraction(all(values))
        case "or":
            return Fraction(any(values))
        case "not":
            return Fraction(not a)
        case "effective":
            return a
    raise AssertionError(op)
