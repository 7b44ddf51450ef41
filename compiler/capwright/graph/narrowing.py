"""What a node's operands come to when sources that they use more than once are taken as one, while a tape is evaluated.

Plain interval arithmetic has `u - 0.9 * u` on both sides of zero where `u` is not. An operation that refuses such a range
is asked once more with this one.
"""

from __future__ import annotations

from typing import Final

from capwright.base.interval import Range, Value
from capwright.graph.evaluation import Evaluation
from capwright.graph.reach import only_of
from capwright.graph.tape import Tape
from capwright.graph.tighten import tighten
from capwright.graph.verdicts import all_below

_MOST_WORK: Final = 100_000
_WORK_PER_NODE: Final = 10


class Narrowing:
    """Narrower operands, for an evaluation that is under way.

    What all of it may cost is in proportion to the tape, so that a plan of nothing but refusals stays linear.
    """

    __slots__ = ("_tape", "_values", "spent", "upon")

    def __init__(self, tape: Tape, values: list[Value | None]) -> None:
        self._tape = tape
        self._values = values
        self.spent = 0
        self.upon: dict[int, Value] = {}
        """By operation that refused its last operand as it was, that operand as it was narrowed. The operand itself keeps
        its plain value: what others make of it does not depend on which operation came first."""

    def operands(self, node: int, before: list[Value | None]) -> list[Value | None] | None:
        """The operands of a node, narrowed; None where nothing more is known of them."""
        args = self._tape.args[node]
        after = [self._narrowed(arg, value) for arg, value in zip(args, before, strict=True)]
        if after == before:
            return None
        assert after[-1] is not None
        self.upon[node] = after[-1]
        return after

    def _narrowed(self, node: int, plain: Value | None) -> Value | None:
        if not isinstance(plain, Range) or self._left() <= 0:
            return plain
        below = sorted(all_below(self._tape, node))
        self.spent += len(below)
        # What lies above has no value yet, so nothing that is worked out here serves another node.
        left = max(self._left(), 0)
        so_far = Evaluation(self._values, [], self.upon, {"tightening": left})
        only_of(self._tape, so_far, below)
        found = tighten(self._tape, so_far, node).value
        self.spent += left - so_far.memo["tightening"]
        return found

    def _left(self) -> int:
        return _MOST_WORK + _WORK_PER_NODE * len(self._tape) - self.spent
