"""What the plan has for an entry of a context: names of things, and a number or a range, and how it writes them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Final

from capwright.base import interval
from capwright.base.exact import Number, norm
from capwright.base.interval import Range, ends_of
from capwright.graph import fields
from capwright.graph.context import Context
from capwright.graph.deciding import compared
from capwright.graph.faults import counted, spelled
from capwright.graph.values import Choice, Inst, Q, Truth, Value, Words
from capwright.syntax import tree

_FEW: Final = 3
"""Ways to say one thing that are all told."""
TRUTHS: Final = {True: ("on", "true", "yes", "enabled"), False: ("off", "false", "no", "disabled")}
_PUBLISHED: Final = re.compile(r"[^\s/]+/[^\s/]+")
"""A name with its publisher before it."""


class Terms:
    """What the plan has for the terms of one entry, for a quantity at `path`."""

    def __init__(self, ctx: Context, key: tree.ContextKey, path: tuple[str, ...]) -> None:
        self.units = ctx.program.units
        owner = owner_of(ctx, path)
        self.in_words: list[list[str]] = []
        """What a quantity also goes by: `request.input or workload` is the number, or the workload's name."""
        self.needless: list[list[str]] = []
        """What stands in for a number, where the plan has one."""
        self.unnamed: list[str] = []
        """Where the plan could say how the thing is called elsewhere, and does not."""
        self.called: list[str] = []
        """What of the plan has a name that may be stated."""
        self.names: list[list[str]] = []
        self.values: list[interval.Value | None] = []
        self.things: list[tuple[Inst, list[str]]] = []
        """Each thing that it may name, and what else the plan calls what the thing stands for."""
        self.known: list[Number | None] = []
        """The one number that each of the values is, confidential or not; None of one that is a range."""
        self.has: list[bool] = []
        """Whether the plan has something for each term, known exactly or not."""
        quantities: list[Q] = []
        for term in key.terms:
            held = [_held(ctx, (*owner, *path)) for path in term.paths]
            for each, value in zip(term.paths, held, strict=True):
                of = _held(ctx, (*owner, *each[:-1]))
                if isinstance(value, Words) and not value.value.strip() and isinstance(of, Inst):
                    self.unnamed.append(f"{of.address}.{each[-1]}")
                if isinstance(value, Inst | Words):
                    self.called.append(".".join(each))
            numbers = [value for value in held if isinstance(value, Q)]
            values = [compared(ctx, value.node) for value in numbers]
            known = [point(value) for value in values]
            if term.instead is not None:
                instead = _held(ctx, (*owner, *term.instead))
                if None in (known or [None]):
                    held.append(instead)
                    self.called.append(".".join(term.instead))
                else:
                    self.needless.append(list(_spellings(ctx, [instead])))
            texts = list(_spellings(ctx, [value for value in held if not isinstance(value, Inst)]))
            self.things += [(value, texts) for value in held if isinstance(value, Inst)]
            (self.in_words if numbers else self.names).append(list(_spellings(ctx, held)))
            self.has.append(bool(numbers or texts) or any(isinstance(value, Inst | Truth) for value in held))
            quantities += numbers
            self.values += values
            self.known += known
        self.counted = quantities[0] if quantities else None

    def goes_by_name(self) -> bool:
        """Whether the plan has no one number there, and a name for what it has."""
        return self.known == [None] and bool(self.in_words) and all(self.in_words)

    def lies_between(self) -> bool:
        """Whether the plan has a range there, with an end."""
        return any(isinstance(each, Range) and ends_of(each) != (None, None) for each in self.values)

    def span(self) -> str:
        """The range, as a message says it."""
        assert self.counted is not None
        assert self.values[0] is not None
        unit, units = self.counted.type.unit, self.units
        value = counted(self.values[0], units.read(unit).factor if unit else 1)
        low, high = ends_of(value)
        end = low if high is None else high if low is None else None
        told = (
            spelled(value) if end is None else f"{'at least' if high is None else 'at most'} {spelled(end)}"
        )
        return f"{told} {units.plural.get(unit, unit)}".strip()

    def number(self) -> str:
        """The number, as a context may state it; of a range one within it."""
        if self.counted is None:
            return ""
        known, unit = self.known[0], self.counted.type.unit
        if known is None and isinstance(self.values[0], Range):
            between = self.values[0]
            known = next(each for each in (between.nominal, between.low, between.high) if each is not None)
        assert known is not None
        units = self.units
        number = norm(Fraction(known) / Fraction(units.read(unit).factor if unit else 1))
        decimal = Decimal(number.numerator) / Decimal(number.denominator)
        written = f"{decimal:,f}" if Fraction(decimal) == number else str(number)
        return f"{written} {unit if number == 1 else units.plural.get(unit, unit)}" if unit else written

    def wanted(self) -> str:
        """What would agree, as a plan writes it; empty where nothing can be compared."""
        if self.goes_by_name():
            return first(self.in_words[0])
        if not all(self.names) or len(self.known) > 1 or (None in self.known and not self.lies_between()):
            return ""
        named = [each for each in map(first, self.names) if each]
        count = self.number()
        return " x ".join([count.split(" ")[0], *named]) if named and count else count or " ".join(named)

    def is_compared(self) -> bool:
        """Whether the plan has the one thing that it must agree with. A range only says with what it disagrees."""
        return bool(self.wanted()) and (None not in self.known or self.goes_by_name())

    def has_something(self) -> bool:
        """Whether the plan has what it would be compared with: the one thing, or a range."""
        return bool(self.has) and all(self.has) and len(self.known) <= 1

    def also(self) -> str:
        """What else would agree, for a message."""
        more = [each for spellings in self.names for each in spellings if each and each != first(spellings)]
        return f" (also called {', '.join(few(more))})" if more else ""


def few(words: Sequence[str]) -> Sequence[str]:
    """The first of several ways to say one thing, which are what it is mostly called; all of a few."""
    return words if len(words) <= _FEW else words[:1]


def point(value: interval.Value | None) -> Number | None:
    """The one number that a value is, where it is one: it may be read off a range of no length."""
    between = (None, None) if value is None else ends_of(value)
    return between[0] if between[0] == between[1] else None


def first(spellings: Sequence[str]) -> str:
    """The first of some spellings that is one; empty where none is."""
    return next((each for each in spellings if each), "")


def _spellings(ctx: Context, term: Iterable[Value | None]) -> Iterator[str]:
    """How the plan names the one thing that a term of a context is about; a text lists spellings between commas, and a
    truth is said by any word for it."""
    for value in term:
        match value:
            case Words(value=text):
                for each in filter(None, map(str.strip, text.split(","))):
                    yield each
                    # Who publishes a thing may be left out where it is cited: `Maker/Big-Box` is `Big-Box`, too.
                    if _PUBLISHED.fullmatch(each):
                        yield each.rpartition("/")[2]
            case Choice(name=text) | Inst(address=text):
                yield text
            case Truth(node=node):
                known = point(compared(ctx, node))
                yield from () if known is None else TRUTHS[bool(known)]
            case bool():
                yield from TRUTHS[value]
            case _:
                pass


def owner_of(ctx: Context, path: tuple[str, ...]) -> tuple[str, ...]:
    """The path of the instance at the top of the file that something is a part of."""
    scope, length = ctx.program.main, 1
    while length < len(path) and path[length - 1] in scope.spaces:
        scope, length = scope.spaces[path[length - 1]], length + 1
    return path[:length]


def _held(ctx: Context, path: tuple[str, ...]) -> Value | None:
    """What stands at a path, or None where the plan has nothing there."""
    scope, rest = ctx.program.main, path
    while len(rest) > 1 and rest[0] in scope.spaces:
        scope, rest = scope.spaces[rest[0]], rest[1:]
    if rest[0] not in scope.values:
        return None
    value = fields.top(ctx, scope, rest[0])
    for name in rest[1:]:
        if not isinstance(value, Inst) or not value.knows(name):
            return None
        value = fields.get(ctx, value, name, value.span)
    return value
