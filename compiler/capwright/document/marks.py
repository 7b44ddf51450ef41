"""What travels with a number: caveats, exclusions, and the sources it leans on.

Only what enters at a node is stored there; the rest is found by reachability, once, in tape order. A caveat
is carried, discharged by name, or out of scope; it is never lost. A branch that is not taken brings nothing.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Final

from msgspec.structs import replace

from capwright.base.interval import Value, ends_of
from capwright.check.declared import Scope
from capwright.graph.tape import BindInfo, CallInfo, Tape, leaned_on
from capwright.syntax.tree import Caveat, Clauses

NOTHING: frozenset[str] = frozenset()
_OF_THE_FIRST: Final = frozenset({"bind", "call", "sub", "div", "mod"})
"""Operations that have in them what their first argument has; a name and a call lean on what decided them, too."""
_OF_ANY: Final = frozenset({"if", "min", "max"})
"""Operations whose value is that of one of their arguments."""
_NO_CLAUSES: Final = Clauses()


class Marks:
    """Caveats and exclusions of every node of a tape. Sets are shared between nodes that have the same."""

    def __init__(
        self,
        tape: Tape,
        scope: Scope,
        library: AbstractSet[str],
        values: Sequence[Value | None],
        measured: Collection[int] = (),
        hidden: AbstractSet[int] = frozenset(),
    ) -> None:
        """`library` are the files of the library. `measured` are the nodes at which a quantity is read as it was measured, whatever was derived. Which branch
        one of the nodes `hidden` decides is left open, as where a range decides it: all is carried that either brings.
        """
        self.tape = tape
        self.scope = scope
        self.library = library
        self._values = values
        # Whether one of `hidden` is read as it was measured would tell how it compares.
        self._measured = frozenset(measured) - hidden
        self._hidden = hidden
        self.possible = self
        """What may stand, whatever the confidential numbers are."""
        self.caveats: dict[str, Caveat]
        self.discharged: list[tuple[int, str]] = []
        self.refused: list[tuple[int, str]] = []
        self._interned: dict[frozenset[str], frozenset[str]] = {NOTHING: NOTHING}
        size = len(tape)
        self.carried: list[frozenset[str]] = [NOTHING] * size
        self.excluded: list[frozenset[str]] = [NOTHING] * size
        self.families: list[frozenset[str]] = [NOTHING] * size
        """The formulas below each node, of those that something excludes."""
        clauses = [_clauses(data) for data in tape.data]
        namesakes: dict[str, dict[Caveat, None]] = {}
        for own in clauses:
            for caveat in own.caveats:
                namesakes.setdefault(caveat.name, {})[caveat] = None
        self.caveats = {name: self._joined_words(list(all_of)) for name, all_of in namesakes.items()}
        self._named = {_text(e.name, e.quoted) for own in clauses for e in own.excludes}
        for node, own in enumerate(clauses):
            args = self._bringing(node)
            if not args:
                continue
            if own is _NO_CLAUSES and self._all_alike(args):  # as most are
                first = args[0]
                self.carried[node] = self.carried[first]
                self.excluded[node] = self.excluded[first]
                self.families[node] = self.families[first]
                continue
            self._carry(node, args, own)
            if self._named:
                self._exclude(node, args, own)

    def is_of_library(self, caveat: Caveat) -> bool:
        """Whether the library says what a caveat says."""
        return caveat.span.file in self.library

    def _joined_words(self, namesakes: Sequence[Caveat]) -> Caveat:
        """What all caveats of one name are together: none takes anything from another, in whichever order they are written.
        It is permanent where one is, and of the scopes of all. It says what each of them says, a permanent one before the
        others; of what the library says a plan changes no word.
        """
        order = sorted(
            namesakes, key=lambda one: (not self.is_of_library(one), not one.permanent, one.text, one.scopes)
        )
        scopes = tuple(dict.fromkeys(scope for one in order for scope in one.scopes))
        permanent = any(one.permanent for one in order)
        said = [one for one in order if self.is_of_library(one)] or order
        return replace(
            order[0], scopes=scopes, permanent=permanent, text=" ".join(_ended(one.text for one in said))
        )

    def _bringing(self, node: int) -> tuple[int, ...]:
        """What a node has its marks from: all that it leans on, but for a branch that is not taken. What others rule out of
        `min` and `max` has a part: were it another, as its caveats say that it may be, so might be the result."""
        if self.tape.ops[node] != "if":
            return leaned_on(self.tape, node)
        args = self.tape.args[node]
        value = self._values[args[0]]
        if value is None or args[0] in self._hidden:
            return args
        low, high = ends_of(value)
        return args if low is None or low != high else (args[0], args[1] if low else args[2])

    def _all_alike(self, args: tuple[int, ...]) -> bool:
        """Whether all arguments have the same sets."""
        first = args[0]
        if first < 0:
            return False
        carried, excluded, families = self.carried[first], self.excluded[first], self.families[first]
        for arg in args[1:]:
            if (
                arg < 0
                or self.carried[arg] is not carried
                or self.excluded[arg] is not excluded
                or self.families[arg] is not families
            ):
                return False
        return True

    def _same(self, names: frozenset[str]) -> frozenset[str]:
        return self._interned.setdefault(names, names)

    def _included(self, node: int, args: tuple[int, ...]) -> frozenset[str]:
        """The formulas that are surely part of a node's value: of both sides of a sum, and of a product; of what something is
        taken from or divided; of `min`, `max` and two branches either of which may be taken, those in each. What decides
        which is taken is part of none."""
        op = self.tape.ops[node]
        if op in _OF_THE_FIRST:
            return self.families[args[0]] if args[0] >= 0 else NOTHING
        if op not in _OF_ANY:
            return self._joined(self.families, args)
        sets = [self.families[arg] if arg >= 0 else NOTHING for arg in (args[1:] if op == "if" else args)]
        first = sets[0]
        return first if all(each is first for each in sets) else self._same(first.intersection(*sets[1:]))

    def _joined(self, sets: list[frozenset[str]], args: tuple[int, ...]) -> frozenset[str]:
        if len(args) == 1:
            return sets[args[0]] if args[0] >= 0 else NOTHING
        found = NOTHING
        for arg in args:
            other = sets[arg] if arg >= 0 else NOTHING
            if other is not found and other is not NOTHING:
                found = other if found is NOTHING else self._same(found | other)
        return found

    def _carry(self, node: int, args: tuple[int, ...], clauses: Clauses) -> None:
        found = self._joined(self.carried, args)
        if clauses.caveats or clauses.discharges:
            if clauses.caveats:
                found = found | {c.name for c in clauses.caveats}
            for name in clauses.discharges:
                if name not in found:
                    continue
                if self.caveats[name].permanent:
                    self.refused.append((node, name))
                    continue
                self.discharged.append((node, name))
                found = found - {name}
            found = self._same(found)
        self.carried[node] = found

    def discharge(self, shown: Mapping[int, Collection[str]]) -> None:
        """Discharge caveats by evidence, each at its node and wherever it came from there: all at once, as a caveat that
        one piece takes away below is not to come back by another above."""
        given = {name for name, caveat in self.caveats.items() if not caveat.permanent}
        wanted = {node: found for node, names in shown.items() if (found := given.intersection(names))}
        if not wanted:
            return
        first = min(wanted)
        self.discharged = [one for one in self.discharged if one[0] < first]
        self.refused = [one for one in self.refused if one[0] < first]
        for node in range(first, len(self.tape)):
            args = self._bringing(node)
            if args:
                self._carry(node, args, _clauses(self.tape.data[node]))
            gone = self.carried[node] & wanted[node] if node in wanted else NOTHING
            if gone:
                self.discharged += [(node, name) for name in sorted(gone)]
                self.carried[node] = self._same(self.carried[node] - gone)

    def _exclude(self, node: int, args: tuple[int, ...], clauses: Clauses) -> None:
        families = self._included(node, args)
        # What was measured has all in it that the formula leaves out.
        excluded = self._joined(self.excluded, args[1:] if node in self._measured else args)
        data = self.tape.data[node]
        if type(data) is CallInfo and data.formula in self._named and data.formula not in families:
            families = self._same(families | {data.formula})
        if clauses.includes:
            families = self._same(
                families | {_text(e.name, e.quoted) for e in clauses.includes} & self._named
            )
        if clauses.excludes:
            excluded = excluded | {_text(e.name, e.quoted) for e in clauses.excludes}
        self.families[node] = families
        self.excluded[node] = self._same(excluded - families) if excluded else NOTHING

    def shown(self, node: int, kind: str | None) -> frozenset[str]:
        """The caveats that a quantity of this kind shows: those of its scope. One without a kind is of the scopes of
        what it is computed from: what is left of a pool owes what the pool does."""
        carried = self.carried[node]
        if not carried:
            return NOTHING
        scopes = self._scopes(node) if kind is None else self._scope_of(kind)
        return frozenset(name for name in carried if not scopes.isdisjoint(self.caveats[name].scopes))

    def _scope_of(self, kind: str) -> frozenset[str]:
        known = self.scope.all_kinds.get(kind)
        scope = known.decl.scope if known is not None else None
        return NOTHING if scope is None else frozenset((scope,))

    def _scopes(self, node: int) -> frozenset[str]:
        """The scopes of the nearest quantities below a node that have a kind."""
        found: set[str] = set()
        waiting, seen = [node], set[int]()
        while waiting:
            current = waiting.pop()
            if current < 0 or current in seen or not self.carried[current]:
                continue
            seen.add(current)
            data = self.tape.data[current]
            kind = data.kind if type(data) is BindInfo or type(data) is CallInfo else None
            if kind is None:
                waiting.extend(self._bringing(current))
            else:
                found |= self._scope_of(kind)
        return frozenset(found)

    def entering(self, node: int) -> frozenset[str]:
        """The caveats that enter at this node and not below it."""
        below = NOTHING
        for arg in self._bringing(node):
            if arg >= 0:
                below = below | self.carried[arg]
        return self.carried[node] - below


def _ended(texts: Iterable[str]) -> Iterator[str]:
    """Texts that are to stand one behind another, each once and all but the last ended."""
    found = list(dict.fromkeys(texts))
    for text in found[:-1]:
        yield text if text.endswith((".", "!", "?")) else f"{text}."
    yield from found[-1:]


def _clauses(data: object) -> Clauses:
    return data.clauses if type(data) is BindInfo or type(data) is CallInfo else _NO_CLAUSES


def _text(name: str, quoted: bool) -> str:
    return f'"{name}"' if quoted else name
