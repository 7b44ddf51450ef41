"""Walking the tables: one pass that reads tokens as the parser asks for them and builds nodes at once.

Lark's own parser does the same over `Token` objects; this one keeps a token a plain tuple, skips blanks
in the same match that reads the token, and jumps over bodies, which are parsed by themselves.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from typing import Any, Final, NamedTuple

from capwright.syntax.limits import MAX_STACK
from capwright.syntax.tables import Tables

Token = tuple[str, int, int]
"""Text, start and end of one terminal."""

Action = Callable[[Any, list[Any], int, int], Any]
"""Called with the context, the children, and where they start and end."""

Matcher = Callable[[str, int, int], "re.Match[str] | None"]

END: Final = "$END"
TOO_DEEP: Final = "$DEEP"


class Failure(NamedTuple):
    """Where a text stops making sense: what was found, and what could have stood there."""

    last: int
    after: int
    """Where the last good token starts, and just past it."""
    kind: str
    """The terminal found; `$END` at the end of the text, `""` for a character that starts none, `$DEEP`
    where the parser's stack is full."""
    start: int
    end: int
    accepted: frozenset[str]
    """The terminals that could have stood there."""


class _Rule(NamedTuple):
    origin: str
    length: int
    passes: bool
    """The one child is the result."""
    collects: bool
    action: Action | None
    kept: tuple[tuple[int, bool, int], ...]
    nones: int
    plain: tuple[int, int, int] | None
    """The children as a slice of the symbols, where they are one."""


class Walker:
    """The grammar's tables with an action for each rule that makes something."""

    def __init__(self, tables: Tables, actions: Mapping[str, Action]) -> None:
        self.tables = tables
        self.actions = tables.actions
        self.gotos = tables.gotos
        self.words = tables.words
        self.rules = [
            _Rule(
                origin,
                count,
                count == 1 and not name,
                name == "+",
                actions.get(name),
                kept,
                nones,
                _plain(kept, nones),
            )
            for origin, count, name, kept, nones in tables.rules
        ]
        self.contextual = frozenset(name for name, _, special in tables.terminals if special)
        self.modes: dict[frozenset[str], Matcher] = {}
        self.matchers: list[Matcher | None] = [None] * len(tables.actions)
        self.chains: dict[tuple[int, int, str], tuple[int, int | None]] = {}

    def matcher(self, state: int) -> Matcher:
        """What reads the next token in a state: blanks and comments, then one terminal or none."""
        special = self.contextual.intersection(self.actions[state])
        found = self.modes.get(special)
        if found is None:
            tried = [
                f"(?P<{name}>{pattern})"
                for name, pattern, contextual in sorted(self.tables.terminals, key=lambda entry: not entry[2])
                if not contextual or name in special
            ]
            found = re.compile(rf"(?>(?:\s++|\#[^\n]*+)*)(?:{'|'.join(tried)})?").match
            self.modes[special] = found
        self.matchers[state] = found
        return found

    def run(
        self,
        start: str,
        context: Any,
        text: str,
        span: tuple[int, int],
        jumps: Mapping[int, int],
    ) -> Any:
        """What the actions make of `text` within `span`, or a `Failure`.

        `jumps` leads from the `{` of each body to its `}`.
        """
        position, limit = span
        state, final = self.tables.starts[start]
        states = [state]
        values: list[Any] = []
        begins: list[int] = []
        after = position
        actions, gotos, rules, words = self.actions, self.gotos, self.rules, self.words
        matchers, chains = self.matchers, self.chains
        while True:
            match = (matchers[state] or self.matcher(state))(text, position, limit)
            assert match is not None
            kind = match.lastgroup
            end = match.end()
            row = actions[state]
            if kind is None:
                kind = END if end == limit else ""
                value, begin = "", end
            else:
                value = match[kind]
                begin = end - len(value)
                word = words.get(value)
                if word is not None and word in row:
                    kind = word
            act = row.get(kind)
            while act is not None and act < 0:
                origin, count, passes, collects, action, kept, nones, plain = rules[~act]
                if passes:
                    chain = (states[-2], state, kind)
                    if chain not in chains:
                        chains[chain] = self._chain(chain)
                    state, act = chains[chain]
                    states[-1] = state
                    if kind is END and state == final:
                        return values[-1]
                    continue
                if count:
                    first = len(values) - count
                    if plain is not None:
                        low, high, stride = plain
                        children = values[first + low : first + high : stride]
                    else:
                        children = _children(values, first, kept, nones, collects)
                    low = begins[first]
                    del values[first:], begins[first:], states[first + 1 :]
                else:
                    children, low = [None] * nones, after
                if action is not None:
                    values.append(action(context, children, low, after))
                else:
                    values.append(children if collects else children[0])
                begins.append(low)
                state = gotos[states[-1]][origin]
                states.append(state)
                if kind is END and state == final:
                    return values[-1]
                act = actions[state].get(kind)
            if act is None:
                return self._failure(start, text, span, jumps)
            states.append(act)
            state = act
            values.append((value, begin, end))
            begins.append(begin)
            after = position = end
            if value == "{":
                position = jumps.get(begin, end)
            if len(states) > MAX_STACK:
                return Failure(begin, after, TOO_DEEP, begin, end, frozenset())

    def _chain(self, chain: tuple[int, int, str]) -> tuple[int, int | None]:
        """Where a run of rules that only pass their child on ends: `a` is a primary, a power, a unary, …"""
        below, state, kind = chain
        act = self.actions[state].get(kind)
        while act is not None and act < 0 and self.rules[~act].passes:
            state = self.gotos[below][self.rules[~act].origin]
            act = self.actions[state].get(kind)
        return state, act

    def tokens(
        self, start: str, text: str, span: tuple[int, int], jumps: Mapping[int, int]
    ) -> Iterator[tuple[str, int, int, list[int]]]:
        """Each token with the parser's states before it; the last one is `$END` or cannot be taken."""
        position, limit = span
        states = [self.tables.starts[start][0]]
        while True:
            match = self.matcher(states[-1])(text, position, limit)
            assert match is not None
            end = match.end()
            kind, begin = END, end
            if match.lastgroup is not None:
                kind, begin = match.lastgroup, match.start(match.lastgroup)
                word = self.words.get(match[kind])
                kind = word if word is not None and word in self.actions[states[-1]] else kind
            elif end < limit:
                kind, end = "", end + 1
            yield kind, begin, end, states
            after = self._shift(states, kind)
            if after is None or kind == END:
                return
            states = after
            position = jumps.get(begin, end) if text[begin] == "{" else end

    def _failure(self, start: str, text: str, span: tuple[int, int], jumps: Mapping[int, int]) -> Failure:
        """Reading a text that fails once more, slowly, to know what could have stood at the failure."""
        read = deque(self.tokens(start, text, span, jumps), maxlen=2)
        kind, begin, end, states = read[-1]
        last, after = read[0][1:3] if len(read) > 1 else (span[0], span[0])
        accepted = frozenset(name for name in self.terminal_names if self._shift(states, name) is not None)
        return Failure(last, after, kind, begin, end, accepted)

    @cached_property
    def terminal_names(self) -> frozenset[str]:
        return frozenset(name for row in self.actions for name in row)

    def _shift(self, states: list[int], terminal: str) -> list[int] | None:
        """The states after `terminal`, with the reductions it asks for, or None where it cannot stand."""
        stack = list(states)
        act = self.actions[stack[-1]].get(terminal)
        while act is not None and act < 0:
            rule = self.rules[~act]
            if rule.length:
                del stack[-rule.length :]
            stack.append(self.gotos[stack[-1]][rule.origin])
            if terminal == END and stack[-1] in self._finals:
                return stack
            act = self.actions[stack[-1]].get(terminal)
        return None if act is None else [*stack, act]

    @cached_property
    def _finals(self) -> frozenset[int]:
        return frozenset(final for _, final in self.tables.starts.values())


def _plain(kept: tuple[tuple[int, bool, int], ...], nones: int) -> tuple[int, int, int] | None:
    """The children as a slice of the symbols: start, stop and stride, where they are one."""
    if nones or any(spliced or absent for _, spliced, absent in kept):
        return None
    indices = [index for index, _, _ in kept]
    if not indices:
        return 0, 0, 1
    stride = indices[1] - indices[0] if len(indices) > 1 else 1
    evenly = list(range(indices[0], indices[-1] + 1, stride))
    return (indices[0], indices[-1] + 1, stride) if evenly == indices else None


def _children(
    values: list[Any], first: int, kept: tuple[tuple[int, bool, int], ...], nones: int, collects: bool
) -> list[Any]:
    """Children with absent parts as None and collected ones spliced in. A collecting rule grows its
    first child in place, so that a list of n costs n."""
    made: list[Any] = []
    for index, spliced, absent in kept:
        if absent:
            made.extend([None] * absent)
        value = values[first + index]
        if not spliced:
            made.append(value)
        elif collects and not made:
            made = value
        else:
            made.extend(value)
    made.extend([None] * nones)
    return made
