"""What a measurement states, against what the plan has: said only where both can be read."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Final

from capwright.base.dimension import UnknownUnit
from capwright.base.exact import Number, norm, parse_number
from capwright.check.declared import Kind
from capwright.graph import fields
from capwright.graph.context import Context
from capwright.graph.exactly import exact
from capwright.graph.value_of import value_of
from capwright.graph.values import Choice, Env, Inst, Q, Value, Words
from capwright.syntax import tree

_COUNT: Final = re.compile(r"\s*([0-9][0-9,_]{0,20}(?:\.[0-9]{1,20})?[kM]?)(?![^\Wx×]|[.@])\s*")
_TIMES: Final = re.compile(r"[x×*]\s*(?=[0-9])")
_WORD: Final = re.compile(r"[^\W_]+(?:\.[^\W_]+)*")
_ZERO: Final = frozenset({"no", "none", "off"})
_JOINED: Final = re.compile(r"(?<=[0-9])[x×](?=\w)")


def disagreement(ctx: Context, kind: Kind, statement: tree.Measure, stated: dict[str, str]) -> str:
    """Why a measurement is not of this plan, as the end of a sentence; empty where nothing says so.

    What cannot be compared is not objected to: a text that gives no number, a thing that the plan does not name.
    """
    for key in kind.decl.context:
        told = stated.get(key.name, "")
        if key.words and not _parts(told) & set(map(str.casefold, key.words)):
            return f"{key.name} is {told}, and this quantity is of {' or '.join(key.words)}"
        for path in key.paths:
            held = _held(ctx, (*_owner(ctx, statement.path), *path))
            shown = "" if held is None else _against(ctx, held, key.name, told, statement)
            if shown:
                return f"{key.name} is {told}, and the plan has {shown}"
    return ""


def _owner(ctx: Context, path: tuple[str, ...]) -> tuple[str, ...]:
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


def _against(ctx: Context, held: Value, name: str, told: str, statement: tree.Measure) -> str:
    """What the plan has, where the context states something else."""
    if isinstance(held, Q):
        known = exact(ctx, held.node)
        given = _number(ctx, held, name, told, statement)
        return "" if known is None or given is None or given == known else _spelled(ctx, held, known)
    match held:
        case Words(value=text) | Choice(name=text) | Inst(address=text):
            return "" if _contains(told, text) else text
        case _:
            return ""


def _parts(told: str) -> set[str]:
    """What stands between commas: `closed loop, one request`."""
    return {part.strip() for part in re.split("[,;]", told.casefold())}


def _contains(told: str, words: str) -> bool:
    """Whether every word of `words` stands in what is told, in whatever order and case."""
    found = set(_WORD.findall(_JOINED.sub(" ", told.casefold())))
    return found.issuperset(_WORD.findall(words.casefold()))


def _number(ctx: Context, held: Q, name: str, told: str, statement: tree.Measure) -> Number | None:
    """The number that a context states of a quantity, in base units."""
    given = (m.value for m in statement.context if isinstance(m, tree.Binding) and m.path == (name,))
    written = next((e for e in given if not isinstance(e, tree.Text | tree.Name)), None)
    if written is None:
        return _read(ctx, held, told)
    value = value_of(ctx, written, Env(ctx.program.main))
    return exact(ctx, value.node) if isinstance(value, Q) and value.type.dim is held.type.dim else None


def _read(ctx: Context, held: Q, told: str) -> Number | None:
    """`2,000 tokens`, `128k`, `none`; `2 x 8 racks`, where no other number stands in the words behind it."""
    if told.strip().casefold() in _ZERO:
        return 0
    number, at = Fraction(1), 0
    while (match := _COUNT.match(told, at)) is not None:
        number *= Fraction(parse_number(match[1].replace(",", "")))
        at = match.end()
        times = _TIMES.match(told, at)
        if times is None:
            break
        at = times.end()
    if at == 0:
        return None
    factor = _factor(ctx, held, told[at:])
    return None if factor is None else norm(number * Fraction(factor))


def _factor(ctx: Context, held: Q, rest: str) -> Number | None:
    """What the words behind a number make of it: a unit multiplies, another number makes it unreadable."""
    words = rest.split()
    if not words:
        return 1
    try:
        unit = ctx.program.units.read(words[0])
    except UnknownUnit:
        return None if any(word[0].isdigit() and not word[-1].isalpha() for word in words) else 1
    return unit.factor if unit.dim is held.type.dim and len(words) == 1 else None


def _spelled(ctx: Context, held: Q, known: Number) -> str:
    unit = held.type.unit
    factor = ctx.program.units.read(unit).factor if unit else 1
    number = norm(Fraction(known) / Fraction(factor))
    return (f"{number:,}" if isinstance(number, int) else str(number)) + (f" {unit}" if unit else "")
