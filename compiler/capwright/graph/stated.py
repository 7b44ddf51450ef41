"""What a measurement or evidence states, against what the plan has."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Final

from msgspec import Struct

from capwright.base import ends, interval
from capwright.base.exact import Number, norm
from capwright.base.interval import Range, ends_of
from capwright.check.declared import Kind
from capwright.graph import fields
from capwright.graph.context import Context
from capwright.graph.deciding import compared
from capwright.graph.faults import counted, spelled
from capwright.graph.spellings import count_of, told_by
from capwright.graph.value_of import value_of
from capwright.graph.values import Choice, Deciders, Env, Inst, Q, Truth, Value, Words
from capwright.syntax import tree

Told = tree.Measure | tree.Evidence

_FEW: Final = 3
"""Ways to say one thing that are all told."""
_TRUTHS: Final = {True: ("on", "true", "yes", "enabled"), False: ("off", "false", "no", "disabled")}
_PARTS: Final = re.compile("[,;]")
_PUBLISHED: Final = re.compile(r"[^\s/]+/[^\s/]+")
"""A name with its publisher before it."""


class Judgement(Struct, frozen=True):
    """What came of the comparison of a statement with the plan."""

    reason: str = ""
    """Why it is not of this plan, as the end of a sentence; empty where it is."""
    wanted: str = ""
    """The entries that would count instead of those that disagree, as a plan writes them."""
    idle: tuple[str, ...] = ()
    """What it states that is compared with nothing: what the kind does not ask, and what the plan does not have, or has a
    range of that it lies in."""
    unstated: tuple[str, ...] = ()
    """What it may state and does not, though the plan has it: nobody can tell whether it was measured so."""
    named: tuple[str, ...] = ()
    """The things of the plan, by address, that it states by no more than what the plan calls them: what is in them is not
    compared."""


def judged(
    ctx: Context, kind: Kind, statement: Told, stated: dict[str, str], path: tuple[str, ...] | None = None
) -> Judgement:
    """All that a measurement states otherwise than the plan has it, and all that could not be compared.

    Each entry of which the kind says with what of the plan it must agree is read as a whole, by what the plan has there;
    what the plan does not have is not compared, and of what it knows within a range only a number outside of it disagrees.
    Neither is an optional entry that is left out. `path` is the quantity's, where it is not the one that the statement names but an option's.
    """
    reasons: list[str] = []
    wanted: list[str] = []
    asked = {key.name for key in kind.decl.context}
    idle = [name for name in stated if name not in asked]
    unstated: list[str] = []
    named: list[str] = []
    for key in kind.decl.context:
        told = stated.get(key.name, "")
        if key.optional and not told.strip():
            if key.terms and _could_be_compared(ctx, key, statement, path or statement.path):
                unstated.append(key.name)
            continue
        entry = _Entry(ctx, key, statement, told, path or statement.path) if key.terms else None
        if key.words and not _is_among(told, key.words):
            reasons.append(f"{key.name} is {told}, and this quantity is of {' or '.join(_few(key.words))}")
            wanted.append(_entry(key, key.words[0]))
        elif entry is not None:
            named += entry.named()
            if reason := entry.objection():
                reasons.append(f"{key.name} is {told}, {reason}")
                wanted.append(_entry(key, entry.wanted()))
            elif told.strip() and not entry.is_compared():
                idle.append(key.name)
    return Judgement(
        "; ".join(reasons), "; ".join(wanted), tuple(idle), tuple(unstated), tuple(dict.fromkeys(named))
    )


def _could_be_compared(ctx: Context, key: tree.ContextKey, statement: Told, path: tuple[str, ...]) -> bool:
    """Whether the plan has what an entry that is left out could be compared with. It was not, and so decides nothing; whether
    a confidential number is exact may not be told by that."""
    found: Deciders = {}
    ctx.deciding.append(found)
    ctx.reading.append({})
    try:
        entry = _Entry(ctx, key, statement, "", path)
        confidential = not ctx.withheld.isdisjoint(each for each in found if isinstance(each, int))
        return entry.has_something() if confidential else entry.is_compared()
    finally:
        ctx.deciding.pop()
        ctx.reading.pop()


def would_count(ctx: Context, key: tree.ContextKey, statement: Told) -> str:
    """An entry that states what the plan has, as a plan writes it; with `…` where anything counts, or nobody knows what.

    Where words are asked for, a few of them are told.
    """
    if key.words:
        more = " or ".join(f'"{each}"' for each in _few(key.words)[1:])
        return _entry(key, key.words[0]) + (f" (or {more})" if more else "")
    return _entry(key, _Entry(ctx, key, statement, "", statement.path).wanted() if key.terms else "")


def _few(words: Sequence[str]) -> Sequence[str]:
    """The first of several ways to say one thing, which are what it is mostly called; all of a few."""
    return words if len(words) <= _FEW else words[:1]


def _entry(key: tree.ContextKey, text: str) -> str:
    return f'{key.name} = "{text or "…"}"'


def _is_among(told: str, words: Iterable[str]) -> bool:
    """Whether a text says one of `words`: each part between commas is of some of them, and together they say one."""
    stated = _parts(told)
    known = [_parts(each) for each in words]
    return stated <= frozenset().union(*known) and any(each <= stated for each in known)


def _parts(text: str) -> frozenset[str]:
    """What stands between commas: `closed loop, one request`."""
    return frozenset(" ".join(part.split()) for part in _PARTS.split(text.casefold()))


class _Entry:
    """One entry of a context, against the names and the quantity that the plan has for it."""

    def __init__(
        self, ctx: Context, key: tree.ContextKey, statement: Told, told: str, path: tuple[str, ...]
    ) -> None:
        self.ctx, self.key, self.statement = ctx, key, statement
        self.told = self._in_a_word(told)
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
            known = [_point(value) for value in values]
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

    def objection(self) -> str:
        """What is wrong with it, as the end of a sentence; empty where nothing is, or nothing can be compared."""
        if any(names and "" in told_by(self.told, [names]) for names in self.in_words):
            return ""
        if self._goes_by_name():
            names = ", ".join(f"`{_first(names)}`" for names in self.in_words)
            return f"and the plan has no one number there: state the name of its {', '.join(self.called)}, {names}"
        if not all(self.names) or len(self.known) > 1:
            return ""
        if None in self.known:
            return self._outside() if self._lies_between() else ""
        if self.counted is not None and (value := self._written()) is not None:
            return self._other_name([""]) or self._other_count(self._exactly(value))
        found = list(told_by(self.told, self.names))
        if not found:
            return self._other_name([self.told])
        if self.counted is None:
            return "" if "" in found else self._unread()
        return self._other_count(*(self._count(rest) for rest in found))

    def _goes_by_name(self) -> bool:
        """Whether the plan has no one number there, and a name for what it has."""
        return self.known == [None] and bool(self.in_words) and all(self.in_words)

    def _lies_between(self) -> bool:
        """Whether the plan has a range there, with an end."""
        return any(isinstance(each, Range) and ends_of(each) != (None, None) for each in self.values)

    def _outside(self) -> str:
        """What is wrong with it where the plan has a range: no number within it is right or wrong."""
        value = self._written()
        found = list(told_by(self.told, self.names)) if value is None else []
        if value is None and not found:
            return self._other_name([self.told])
        counts = [self._count(rest) for rest in found] if value is None else [self._exactly(value)]
        numbers = [each for each in counts if each is not None]
        between = ends_of(self.values[0]) if self.values[0] is not None else (None, None)
        if not numbers or any(ends.contains(between, each) for each in numbers):
            return ""
        return f"and the plan has {self._range()}"

    def _range(self) -> str:
        """The plan's range, as a message says it."""
        assert self.counted is not None
        assert self.values[0] is not None
        unit, units = self.counted.type.unit, self.ctx.program.units
        value = counted(self.values[0], units.read(unit).factor if unit else 1)
        low, high = ends_of(value)
        end = low if high is None else high if low is None else None
        told = (
            spelled(value) if end is None else f"{'at least' if high is None else 'at most'} {spelled(end)}"
        )
        return f"{told} {units.plural.get(unit, unit)}".strip()

    def named(self) -> list[str]:
        """The things that it says by the address alone that they have in the plan, by that."""
        return [
            thing.address
            for thing, texts in self.things
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
                return _TRUTHS[truth][0]
            case Truth(node=node) if (known := _point(compared(self.ctx, node))) is not None:
                return _TRUTHS[bool(known)][0]
            case _:
                return told

    def _exactly(self, value: Q) -> Number | None:
        """Its number; one without a unit counts what the plan counts there, as it does in a text: `8`, and `"8"`."""
        assert self.counted is not None
        alike = value.type.dim is self.counted.type.dim or not value.type.dim.names
        return _point(compared(self.ctx, value.node)) if alike else None

    def _count(self, rest: str) -> Number | None:
        assert self.counted is not None
        dim, named = self.counted.type.dim, any(map(_first, self.names))
        return count_of(rest, self.ctx.program.units, dim, named=named)

    def _other_name(self, told: Sequence[str]) -> str:
        if any(next(told_by(each, self.names), None) is not None for each in told):
            return ""
        return f"and the plan has {' '.join(filter(None, map(_first, self.names)))}{self._also()}{self._could_say()}"

    def _other_count(self, *counts: Number | None) -> str:
        if self.known[0] in counts:
            return ""
        stated = next((each for each in counts if each is not None), None)
        return self._unread() if stated is None else f"and the plan has {self._has()}"

    def _has(self) -> str:
        """The plan's number, as a context may state it; of a range one within it."""
        if self.counted is None:
            return ""
        known, unit = self.known[0], self.counted.type.unit
        if known is None and isinstance(self.values[0], Range):
            between = self.values[0]
            known = next(each for each in (between.nominal, between.low, between.high) if each is not None)
        assert known is not None
        units = self.ctx.program.units
        number = norm(Fraction(known) / Fraction(units.read(unit).factor if unit else 1))
        decimal = Decimal(number.numerator) / Decimal(number.denominator)
        written = f"{decimal:,f}" if Fraction(decimal) == number else str(number)
        return f"{written} {unit if number == 1 else units.plural.get(unit, unit)}" if unit else written

    def _unread(self) -> str:
        """What is not understood agrees with nothing: it is told with what would."""
        if any("" in told_by(self.told, [names]) for names in self.needless):
            return f"which says no number, and the plan has {self._has()}"
        return (
            f"which is not read as a whole: `{self.wanted()}` is{self._also()}, and remarks are entries of their own"
            f"{self._could_say()}"
        )

    def _could_say(self) -> str:
        """Where to say that what is stated is a name of the same thing."""
        told = self.told.strip()
        if not self.unnamed or not told or self.counted is not None or '"' in told:
            return ""
        return f'; if that is the same, say so: `{self.unnamed[0]} = "{told}"`'

    def wanted(self) -> str:
        """What would agree; empty where nothing can be compared."""
        if self._goes_by_name():
            return _first(self.in_words[0])
        if not all(self.names) or len(self.known) > 1 or (None in self.known and not self._lies_between()):
            return ""
        named = [each for each in map(_first, self.names) if each]
        count = self._has()
        return " x ".join([count.split(" ")[0], *named]) if named and count else count or " ".join(named)

    def is_compared(self) -> bool:
        """Whether the plan has the one thing that it must agree with. A range only says with what it disagrees."""
        return bool(self.wanted()) and (None not in self.known or self._goes_by_name())

    def has_something(self) -> bool:
        """Whether the plan has what it would be compared with: the one thing, or a range."""
        return bool(self.has) and all(self.has) and len(self.known) <= 1

    def _also(self) -> str:
        more = [each for spellings in self.names for each in spellings if each and each != _first(spellings)]
        return f" (also called {', '.join(_few(more))})" if more else ""


def _point(value: interval.Value | None) -> Number | None:
    """The one number that a value is, where it is one: it may be read off a range of no length."""
    between = (None, None) if value is None else ends_of(value)
    return between[0] if between[0] == between[1] else None


def _first(spellings: Sequence[str]) -> str:
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
                known = _point(compared(ctx, node))
                yield from () if known is None else _TRUTHS[bool(known)]
            case bool():
                yield from _TRUTHS[value]
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
