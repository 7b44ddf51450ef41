"""Walking the tables: one pass that reads tokens as the parser asks for them and builds nodes at once.

Lark's own parser does the same over `Token` objects; this one keeps a token a plain tuple, skips blanks
in the same match that reads the token, and jumps over bodies, which are parsed by themselves.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from capwright.syntax.tables import Tables

Token = tuple[str, int, int]
"""Text, start and end of one terminal."""

Action = Callable[[Any, list[Any], int, int], Any]
"""Called with the context, the children, and where they start and end."""

Matcher = Callable[[str, int, int], "re.Match[str] | None"]

END = "$END"


class Failure(NamedTuple):
    """Where a text stops making sense: what was found, and what could have stood there."""

    after: int
    """Just past the last good token."""
    kind: str
    """The terminal found, `$END` for the end of the text, `""` for a character that starts none."""
    found: str
    start: int
    end: int
    accepted: frozenset[str]
    before: tuple[str, ...]
    """The terminals read so far, the last ones last."""


class Walker:
    """The grammar's tables with an action for each rule that makes something."""

    def __init__(self, tables: Tables, actions: Mapping[str, Action]) -> None:
        self.tables = tables
        self.actions = tables.actions
        self.gotos = tables.gotos
        self.words = tables.words
        modes: dict[frozenset[str], Matcher] = {}
        contextual = frozenset(name for name, _, special in tables.terminals if special)
        self.matchers = [self._matcher(modes, contextual.intersection(row)) for row in tables.actions]
        self.rules = [
            (origin, count, actions.get(name), name, kept, nones, _plain(kept, nones))
            for origin, count, name, kept, nones in tables.rules
        ]

    def _matcher(self, modes: dict[frozenset[str], Matcher], special: frozenset[str]) -> Matcher:
        found = modes.get(special)
        if found is None:
            tried = [
                f"(?P<{name}>{pattern})"
                for name, pattern, contextual in sorted(self.tables.terminals, key=lambda entry: not entry[2])
                if not contextual or name in special
            ]
            found = modes[special] = re.compile(rf"(?:\s++|\#[^\n]*+)*+(?:{'|'.join(tried)})?").match
        return found

    def run(
        self,
        start: str,
        context: Any,
        text: str,
        span: tuple[int, int],
        jumps: Mapping[int, int],
        record: list[tuple[str, int, int]] | None = None,
    ) -> Any:
        """What the actions make of `text` within `span`, or a `Failure`.

        `jumps` leads from the `{` of each body to its `}`. With `record` every token is noted there.
        """
        position, limit = span
        state, final = self.tables.starts[start]
        states = [state]
        values: list[Any] = []
        begins: list[int] = []
        ends: list[int] = []
        after = position
        actions, gotos, rules, words, matchers = self.actions, self.gotos, self.rules, self.words, self.matchers
        while True:
            match = matchers[state](text, position, limit)
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
                origin, count, action, name, kept, nones, plain = rules[~act]
                if count == 1 and not name:
                    states.pop()
                else:
                    if count:
                        first = len(values) - count
                        children: list[Any]
                        if plain is not None:
                            children = [values[first + index] for index in plain]
                        else:
                            children = _children(values, first, kept, nones, name == "+")
                        low, high = begins[first], ends[-1]
                        del values[first:], begins[first:], ends[first:], states[first + 1 :]
                    else:
                        children, low, high = [None] * nones, after, after
                    if action is not None:
                        values.append(action(context, children, low, high))
                    else:
                        values.append(children if name == "+" else children[0])
                    begins.append(low)
                    ends.append(high)
                state = gotos[states[-1]][origin]
                states.append(state)
                if kind is END and state == final:
                    return values[-1]
                act = actions[state].get(kind)
            if act is None:
                return self._failure(states, after, (kind, begin, end), text, record)
            states.append(act)
            state = act
            values.append((value, begin, end))
            begins.append(begin)
            ends.append(end)
            if record is not None:
                record.append((kind, begin, end))
            after = position = end
            if value == "{":
                position = jumps.get(begin, end)

    def _failure(
        self, states: list[int], after: int, token: tuple[str, int, int], text: str, record: list[Any] | None
    ) -> Failure:
        kind, start, end = token
        if not kind:
            end = start + 1
        accepted = frozenset(name for name in self.tables_terminals if self._accepts(states, name))
        return Failure(after, kind, text[start:end], start, end, accepted, ())

    @cached_property
    def tables_terminals(self) -> frozenset[str]:
        return frozenset(name for row in self.actions for name in row)

    def _accepts(self, states: list[int], terminal: str) -> bool:
        """Whether the parser would shift `terminal`, after the reductions it asks for."""
        stack = list(states)
        act = self.actions[stack[-1]].get(terminal)
        while act is not None and act < 0:
            origin, count, *_ = self.rules[~act]
            if count:
                del stack[-count:]
            target = self.gotos[stack[-1]].get(origin)
            if target is None:
                return False
            stack.append(target)
            if terminal == END and target in self._finals:
                return True
            act = self.actions[target].get(terminal)
        return act is not None

    @cached_property
    def _finals(self) -> frozenset[int]:
        return frozenset(final for _, final in self.tables.starts.values())


def _plain(kept: tuple[tuple[int, bool, int], ...], nones: int) -> tuple[int, ...] | None:
    """The indices of the children, where they are just some of the symbols."""
    if nones or any(spliced or absent for _, spliced, absent in kept):
        return None
    return tuple(index for index, _, _ in kept)


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
