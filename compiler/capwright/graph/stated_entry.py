"""One entry of what a measurement or evidence states, against what the plan has for it."""

from __future__ import annotations

from collections.abc import Sequence

from capwright.base import ends
from capwright.base.exact import Number
from capwright.base.interval import ends_of
from capwright.graph.context import Context
from capwright.graph.deciding import compared
from capwright.graph.spellings import count_of, told_by
from capwright.graph.stated_terms import TRUTHS, Terms, first, point
from capwright.graph.value_of import value_of
from capwright.graph.values import Env, Q, Truth, Value, Words
from capwright.syntax import tree


class Entry:
    """An entry, `told` as a text, of a statement about the quantity at `path`."""

    def __init__(
        self,
        ctx: Context,
        key: tree.ContextKey,
        statement: tree.Measure | tree.Evidence,
        told: str,
        path: tuple[str, ...],
    ) -> None:
        self.ctx, self.key, self.statement = ctx, key, statement
        self.told = self._in_a_word(told)
        self.plan = Terms(ctx, key, path)

    def objection(self) -> str:
        """What is wrong with it, as the end of a sentence; empty where nothing is, or nothing can be compared."""
        plan = self.plan
        if any(names and "" in told_by(self.told, [names]) for names in plan.in_words):
            return ""
        if plan.goes_by_name():
            names = ", ".join(f"`{first(names)}`" for names in plan.in_words)
            return f"and the plan has no one number there: state the name of its {', '.join(plan.called)}, {names}"
        if not all(plan.names) or len(plan.known) > 1:
            return ""
        if None in plan.known:
            return self._outside() if plan.lies_between() else ""
        if plan.counted is not None and (value := self._written()) is not None:
            return self._other_name([""]) or self._other_count(self._exactly(value))
        found = list(told_by(self.told, plan.names))
        if not found:
            return self._other_name([self.told])
        if plan.counted is None:
            return "" if "" in found else self._unread()
        return self._other_count(*(self._count(rest) for rest in found))

    def _outside(self) -> str:
        """What is wrong with it where the plan has a range: no number within it is right or wrong."""
        if self._written() is None and not any(True for _ in told_by(self.told, self.plan.names)):
            return self._other_name([self.told])
        return f"and the plan has {self.plan.span()}" if self._lies_within() is False else ""

    def within(self) -> str:
        """The range of the plan that it states a number within, as a message says it; empty where it states none, or the plan
        has no range."""
        plan = self.plan
        if plan.goes_by_name() or not all(plan.names) or plan.known != [None] or not plan.lies_between():
            return ""
        return plan.span() if self._lies_within() else ""

    def _lies_within(self) -> bool | None:
        """Whether a number that it states is within the plan's range; None where it states none."""
        value, between = self._written(), self.plan.values[0]
        counts = (
            [self._count(rest) for rest in told_by(self.told, self.plan.names)]
            if value is None
            else [self._exactly(value)]
        )
        numbers = [each for each in counts if each is not None]
        if not numbers or between is None:
            return None
        return any(ends.contains(ends_of(between), each) for each in numbers)

    def named(self) -> list[str]:
        """The things that it says by the address alone that they have in the plan, by that."""
        return [
            thing.address
            for thing, texts in self.plan.things
            if any(True for _ in told_by(self.told, [[thing.address]]))
            and not any(True for _ in told_by(self.told, [texts]))
        ]

    def _written(self) -> Q | None:
        """The quantity that the entry is, where it is neither a text nor a word."""
        value = self._value()
        return value if isinstance(value, Q) else None

    def _value(self) -> Value | None:
        """What the entry comes to, where it is neither a text nor a word."""
        given = (
            member.value
            for member in self.statement.context
            if isinstance(member, tree.Binding) and member.path == (self.key.name,)
        )
        expr = next((each for each in given if not isinstance(each, tree.Text)), None)
        scope = self.ctx.program.main
        if expr is None or (isinstance(expr, tree.Name) and expr.name not in scope.values):
            return None
        return value_of(self.ctx, expr, Env(scope))

    def _in_a_word(self, told: str) -> str:
        """What it states; of a truth that is worked out, `not false`, the word for what it comes to, of a text of the plan that."""
        match self._value():
            case Words(value=text):
                return text
            case bool(truth):
                return TRUTHS[truth][0]
            case Truth(node=node) if (known := point(compared(self.ctx, node))) is not None:
                return TRUTHS[bool(known)][0]
            case _:
                return told

    def _exactly(self, value: Q) -> Number | None:
        """Its number; one without a unit counts what the plan counts there, as it does in a text: `8`, and `"8"`."""
        assert self.plan.counted is not None
        alike = value.type.dim is self.plan.counted.type.dim or not value.type.dim.names
        return point(compared(self.ctx, value.node)) if alike else None

    def _count(self, rest: str) -> Number | None:
        assert self.plan.counted is not None
        dim, named = self.plan.counted.type.dim, any(map(first, self.plan.names))
        return count_of(rest, self.ctx.program.units, dim, named=named)

    def _other_name(self, told: Sequence[str]) -> str:
        if any(next(told_by(each, self.plan.names), None) is not None for each in told):
            return ""
        return f"and the plan has {' '.join(filter(None, map(first, self.plan.names)))}{self.plan.also()}{self._could_say()}"

    def _other_count(self, *counts: Number | None) -> str:
        if self.plan.known[0] in counts:
            return ""
        stated = next((each for each in counts if each is not None), None)
        return self._unread() if stated is None else f"and the plan has {self.plan.number()}"

    def _unread(self) -> str:
        """What is not understood agrees with nothing: it is told with what would."""
        if any("" in told_by(self.told, [names]) for names in self.plan.needless):
            return f"which says no number, and the plan has {self.plan.number()}"
        return (
            f"which is not read as a whole: `{self.plan.wanted()}` is{self.plan.also()}, and remarks are entries of their own; another thing "
            f"does not count{self._could_say()}"
        )

    def _could_say(self) -> str:
        """Where to say that what is stated is a name of the same thing."""
        told = self.told.strip()
        if not self.plan.unnamed or not told or self.plan.counted is not None or '"' in told:
            return ""
        return f'; if that is the same, say so: `{self.plan.unnamed[0]} = "{told}"`'
