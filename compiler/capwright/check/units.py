"""The unit table that a program's `unit` statements make."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from fractions import Fraction
from typing import Final

from capwright.base.diagnostic import Spelling, did_you_mean
from capwright.base.dimension import (
    MAX_BASES,
    MAX_POWER,
    PURE,
    Dimension,
    Unit,
    UnitTable,
    UnknownUnit,
    dimension,
    is_bounded,
    over,
    times,
)
from capwright.base.exact import Number, TooLarge, div, mul
from capwright.check.declared import Lost
from capwright.check.report import Report
from capwright.syntax import tree

SUBMULTIPLES: Final[dict[str, Number]] = {
    "n": Fraction(1, 10**9),
    "u": Fraction(1, 10**6),
    "µ": Fraction(1, 10**6),
    "m": Fraction(1, 1000),
}
MULTIPLES: Final[dict[str, Number]] = {
    "k": 10**3,
    "M": 10**6,
    "G": 10**9,
    "T": 10**12,
    "P": 10**15,
    "E": 10**18,
}
BINARY: Final[dict[str, Number]] = {
    "Ki": 2**10,
    "Mi": 2**20,
    "Gi": 2**30,
    "Ti": 2**40,
    "Pi": 2**50,
    "Ei": 2**60,
}
PREFIXES: Final[dict[str, dict[str, Number]]] = {
    "decimal": SUBMULTIPLES | MULTIPLES,
    "multiples": MULTIPLES,
    "submultiples": SUBMULTIPLES,
    "binary": BINARY,
}
"""The prefixes that a unit takes, by the word that its declaration has for them: nobody writes a kilosecond, and what looks
like a megasecond was to be a millisecond."""

_REMEMBERED: Final = 16
_tables: dict[tuple[int, ...], tuple[tuple[tree.UnitDecl, ...], UnitTable]] = {}
"""Tables without a mistake, by the identity of their declarations, which they keep: most plans have the library's."""


def unit_table(declarations: Iterable[tree.UnitDecl], report: Report, lost: Lost) -> UnitTable:
    """The table of all declarations, whatever their order: each may be written in terms of any other.

    A unit that cannot be is lost, as are the ones that did not parse.
    """
    written = tuple(declarations)
    key = tuple(map(id, written))
    known = _tables.get(key)
    if known is not None:
        return known[1]
    said = (len(report.found), report.hidden)
    table = _read(written, report, lost)
    if (len(report.found), report.hidden) == said and not lost.names:
        if len(_tables) >= _REMEMBERED:
            _tables.pop(next(iter(_tables)))
        _tables[key] = (written, table)
    return table


def _read(declarations: tuple[tree.UnitDecl, ...], report: Report, lost: Lost) -> UnitTable:
    table = UnitTable()
    waiting: dict[str, list[tree.UnitDecl]] = {}
    left = dict.fromkeys(map(id, declarations))
    ready = deque(declarations)
    while ready:
        decl = ready.popleft()
        lacks = _declare(decl, table, lost, report)
        if lacks is not None:
            waiting.setdefault(lacks, []).append(decl)
            continue
        del left[id(decl)]
        for name in _spelled(decl):
            ready.extend(waiting.pop(name, ()) if name in table.by_name else ())
    if left:
        _undefined([decl for decl in declarations if id(decl) in left], table, lost, report)
    return table


def _spelled(decl: tree.UnitDecl) -> Iterator[str]:
    """All names that a unit may have, prefixes included."""
    own = _written(decl)
    yield from own
    yield from (prefix + own[-1] for prefix in (*SUBMULTIPLES, *MULTIPLES, *BINARY))


def _undefined(left: list[tree.UnitDecl], table: UnitTable, lost: Lost, report: Report) -> None:
    """Report units that are defined by what is no unit, but not the ones that are defined by them."""
    missing = {decl.names[0]: _missing(decl, table) for decl in left}
    own = {name for decl in left for name in _written(decl)}
    told = [d for d in left if missing[d.names[0]] not in own]
    for decl in told:
        name = missing[decl.names[0]]
        if not lost_unit(name, lost):
            report.say(
                "CW0304",
                decl.span,
                f"unit `{decl.names[0]}` is defined by `{name}`, which is no unit",
                Spelling(name, table.by_name, missing="unit"),
            )
    if not told:
        _circular(left, missing, report)
    lost.names |= own


def _circular(left: list[tree.UnitDecl], missing: dict[str, str], report: Report) -> None:
    """Report the circles among units each of which is defined by another of them."""
    named = {name: decl for decl in left for name in _written(decl)}
    seen: set[str] = set()
    for start in left:
        path: list[tree.UnitDecl] = []
        decl = start
        while decl.names[0] not in seen:
            seen.add(decl.names[0])
            path.append(decl)
            decl = named[missing[decl.names[0]]]
        walked = [each.names[0] for each in path]
        if decl.names[0] in walked:
            circle = path[walked.index(decl.names[0]) :]
            names = " → ".join(f"`{each.names[0]}`" for each in (*circle, decl))
            report.say(
                "CW0304",
                circle[0].span,
                f"these units are defined by each other in a circle: {names}"
                if len(circle) > 1
                else f"unit `{decl.names[0]}` is defined by itself",
                f"let one of them be defined by no other: `unit {', '.join(decl.names)}`, or by a unit outside of it",
            )


def _written(decl: tree.UnitDecl) -> tuple[str, ...]:
    """How a unit may be written, without prefixes."""
    return (*decl.names, decl.symbol or decl.names[0])


def lost_unit(name: str, lost: Lost) -> bool:
    """Whether `name` is a unit that was lost, perhaps with a prefix before it."""
    return name in lost or any(
        name.startswith(prefix) and name[len(prefix) :] in lost.names
        for prefix in (*SUBMULTIPLES, *MULTIPLES, *BINARY)
    )


def unit_out_of_bounds(unit: str) -> tuple[str, str]:
    """What is said of a unit that has too large a power in it, or too many factors."""
    return (
        f"the unit `{unit}` is out of bounds: it has a power of more than {MAX_POWER}, or more than {MAX_BASES} base units",
        "use a smaller power, or fewer factors",
    )


def _missing(decl: tree.UnitDecl, table: UnitTable) -> str:
    try:
        _size(decl.value, table)
    except UnknownUnit as unknown:
        return str(unknown.args[0])
    return decl.names[0]


def _declare(decl: tree.UnitDecl, table: UnitTable, lost: Lost, report: Report) -> str | None:
    """Put a unit into the table; the name of the one that it waits for, where that is not there yet."""
    if decl.value is None:
        dim: Dimension = dimension({decl.names[0]: 1})
        factor: Number = 1
    else:
        try:
            size = _size(decl.value, table)
        except UnknownUnit as unknown:
            return str(unknown.args[0])
        except (TooLarge, ZeroDivisionError):
            size = None
        if size is not None and size[1] <= 0:
            size = None
        if size is None:
            report.say(
                "CW0305",
                decl.span,
                f"unit `{decl.names[0]}` is not a number of another unit",
                "write a product or quotient of literals, such as `unit hour = 3_600 s`",
            )
            lost.names.update(_written(decl))
            return None
        dim, factor = size
    if decl.counting:
        table.counting.update(dim.names)
    if len(decl.names) == 2:  # one thing, several things
        table.plural.update(dict.fromkeys(decl.names, decl.names[1]))
    symbol = decl.symbol or decl.names[0]
    if decl.value is None:
        table.display[decl.names[0]] = symbol
    _add(table, (*decl.names, symbol), Unit(symbol, dim, factor), decl, report)
    for prefix, scale in _scales(decl, report):
        try:
            prefixed = Unit(prefix + symbol, dim, mul(factor, scale))
        except TooLarge:
            report.say(
                "CW0305",
                decl.span,
                f"unit `{decl.names[0]}` is out of bounds with the prefix `{prefix}`: its size has too many digits",
                "declare it without prefixes, or correct its size",
            )
            lost.names.add(prefix + symbol)
            break
        _add(table, (prefix + symbol,), prefixed, decl, report)
    return None


def _scales(decl: tree.UnitDecl, report: Report) -> list[tuple[str, Number]]:
    found: dict[str, Number] = {}
    for word in decl.prefixes:
        if word in PREFIXES:
            found |= PREFIXES[word]
        else:
            report.say(
                "CW0316",
                decl.span,
                f"`{word}` is no set of prefixes",
                did_you_mean(word, PREFIXES),
            )
    return list(found.items())


def _add(table: UnitTable, names: tuple[str, ...], unit: Unit, decl: tree.UnitDecl, report: Report) -> None:
    for name in dict.fromkeys(names):
        old = table.by_name.get(name)
        if old is not None and (old.dim, old.factor) != (unit.dim, unit.factor):
            report.say(
                "CW0306",
                decl.span,
                f"unit `{name}` is declared twice with two sizes",
                "rename one of the two",
            )
            continue
        table.add(name, unit if name == unit.symbol else Unit(name, unit.dim, unit.factor))


def _size(expr: tree.Expr | None, table: UnitTable) -> tuple[Dimension, Number] | None:
    match expr:
        case tree.Quantity(value=value, unit=spelling):
            unit = table.read(spelling) if spelling else Unit("", PURE, 1)
            return unit.dim, mul(value, unit.factor)
        case tree.Binary(operator="*" | "/" as operator, left=left, right=right):
            a, b = _size(left, table), _size(right, table)
            if a is None or b is None:
                return None
            size = (
                (times(a[0], b[0]), mul(a[1], b[1]))
                if operator == "*"
                else (over(a[0], b[0]), div(a[1], b[1]))
            )
            if not is_bounded(size[0]):
                raise TooLarge
            return size
        case _:
            return None
