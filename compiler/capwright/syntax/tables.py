"""The parse tables of the grammar: built by Lark, saved as plain data, read back without Lark.

Lark reads `grammar/plan.lark`, refuses it if it is ambiguous and computes the LALR(1) tables. They hold
nothing but words and numbers, so they are kept with `marshal` inside the package, and a run that finds
them there, with the right key, never imports Lark.
"""

from __future__ import annotations

import hashlib
import marshal
import re
from typing import Any, Final

from msgspec import Struct

from capwright.syntax.fingerprint import parser_sha256

STARTS: Final = ("statement", "member", "expression", "module")
CONTEXTUAL: Final = frozenset({"UNIT", "DATE"})
"""Terminals that are tried only where the parser takes one: they begin as a name or a number does."""

Rule = tuple[str, int, str, tuple[tuple[int, bool, int], ...], int]
"""What is reduced, how many symbols, the action (`""` passes the one child on, `+` collects), which
symbols are kept (index, spliced or not, absent ones before it), and absent ones after the last."""


class Tables(Struct, frozen=True):
    """LALR tables. An action is a state to shift to, or `~r` to reduce by rule `r`."""

    terminals: list[tuple[str, str, bool]]
    """Name, pattern, and whether it is tried only where the parser takes it."""
    words: dict[str, str]
    """Spelling of each word that may be a terminal of its own, and that terminal."""
    actions: list[dict[str, int]]
    gotos: list[dict[str, int]]
    rules: list[Rule]
    starts: dict[str, tuple[int, int]]


def key(grammar: str) -> str:
    """What the tables depend on: the grammar's text, what makes tables of it, and how `marshal` writes."""
    return hashlib.sha256(f"{parser_sha256()}|{marshal.version}|{grammar}".encode()).hexdigest()


def dump(grammar: str) -> bytes:
    """The tables of a grammar as bytes for `load`."""
    made = build(grammar)
    parts = (made.terminals, made.words, made.actions, made.gotos, made.rules, made.starts)
    return marshal.dumps((key(grammar), parts))


def load(data: bytes, grammar: str) -> Tables | None:
    """The tables that `dump` wrote for this grammar, or None if they are not those."""
    try:
        found, parts = marshal.loads(data)  # noqa: S302 - written by the build hook, inside the package
    except (EOFError, ValueError, TypeError):
        return None
    return Tables(*parts) if found == key(grammar) else None


def build(grammar: str) -> Tables:
    """The tables of a grammar, computed by Lark (about a tenth of a second)."""
    from lark import Lark

    lark = Lark(grammar, parser="lalr", lexer="contextual", start=list(STARTS), maybe_placeholders=True)
    table: Any = lark.parser.parser._parse_table  # noqa: SLF001 - Lark offers its tables by no other name
    order = _states(table)
    rules = sorted({_rule(rule) for row in table.states.values() for rule in _reduced(row)})
    numbers = {rule: number for number, rule in enumerate(rules)}
    actions: list[dict[str, int]] = []
    gotos: list[dict[str, int]] = []
    for state in order:
        row: dict[str, int] = {}
        jump: dict[str, int] = {}
        for token, (action, argument) in sorted(table.states[state].items()):
            symbol = str(token)
            if action.name == "Reduce":
                row[symbol] = ~numbers[_rule(argument)]
            else:
                (row if _is_terminal(symbol) else jump)[symbol] = order[argument]
        actions.append(row)
        gotos.append(jump)
    terminals, words = _terminals(lark)
    starts = {name: (order[table.start_states[name]], order[table.end_states[name]]) for name in STARTS}
    return Tables(terminals, words, actions, gotos, rules, starts)


def _states(table: Any) -> dict[int, int]:
    """Lark's states in an order that depends on the grammar alone, so that a build can be repeated."""
    order: dict[int, int] = {}
    waiting = [table.start_states[name] for name in reversed(STARTS)]
    while waiting:
        state = waiting.pop()
        if state not in order:
            order[state] = len(order)
            row = sorted(table.states[state].items(), reverse=True)
            waiting += [argument for _, (action, argument) in row if action.name == "Shift"]
    return order


def _reduced(row: dict[Any, Any]) -> list[Any]:
    return [argument for action, argument in row.values() if action.name == "Reduce"]


def _is_terminal(symbol: str) -> bool:
    return symbol.isupper() or symbol.startswith("$")


def _terminals(lark: Any) -> tuple[list[tuple[str, str, bool]], dict[str, str]]:
    """Terminals in the order in which they are tried, and the words among them."""
    found: list[tuple[int, str, str, bool]] = []
    words: dict[str, str] = {}
    for terminal in lark.terminals:
        pattern = terminal.pattern
        if pattern.type == "str" and re.fullmatch(r"[^\W\d]\w*", pattern.value):
            words[str(pattern.value)] = str(terminal.name)
        elif terminal.name not in lark.ignore_tokens:
            literal = pattern.type == "str"
            length = len(pattern.value) if literal else 1_000
            found.append((-length, str(terminal.name), pattern.to_regexp(), terminal.name in CONTEXTUAL))
    return [(name, regexp, contextual) for _, name, regexp, contextual in sorted(found)], words


def _rule(rule: Any) -> Rule:
    """How a rule's children are made, as Lark's own tree builder would: see `ParseTreeBuilder`."""
    origin = str(rule.origin.name)
    absent = _absent(rule)
    kept: list[tuple[int, bool, int]] = []
    nones = 0
    for index, symbol in enumerate(rule.expansion):
        nones += absent[index]
        if rule.options.keep_all_tokens or not (symbol.is_term and symbol.filter_out):
            kept.append((index, not symbol.is_term and symbol.name.startswith("_"), nones))
            nones = 0
    nones += absent[len(rule.expansion)]
    return (origin, len(rule.expansion), _action(rule, kept, nones), tuple(kept), nones)


def _absent(rule: Any) -> list[int]:
    marks = rule.options.empty_indices
    if not marks:
        return [0] * (len(rule.expansion) + 1)
    return [len(ones) for ones in "".join(str(int(mark)) for mark in marks).split("0")]


def _action(rule: Any, kept: list[tuple[int, bool, int]], nones: int) -> str:
    if rule.origin.name.startswith("_"):
        return "+"
    if rule.alias is None and rule.options.expand1 and len(kept) == 1 and not kept[0][1] and not nones:
        return ""
    return str(rule.alias or rule.origin.name)
