"""What travels with a number: caveats, exclusions, and the sources it leans on.

Only what enters at a node is stored there; the rest is found by reachability, once, in tape order. A caveat
is carried, discharged by name, or out of scope; it is never lost.
"""

from __future__ import annotations

from capwright.check.declared import Scope
from capwright.graph.tape import BindInfo, CallInfo, Tape, arguments
from capwright.syntax.tree import Caveat, Clauses

NOTHING: frozenset[str] = frozenset()


class Marks:
    """Caveats and exclusions of every node of a tape. Sets are shared between nodes that have the same."""

    def __init__(self, tape: Tape, scope: Scope) -> None:
        self.tape = tape
        self.scope = scope
        self.caveats: dict[str, Caveat] = {}
        self.discharged: list[tuple[int, str]] = []
        self.refused: list[tuple[int, str]] = []
        self._interned: dict[frozenset[str], frozenset[str]] = {NOTHING: NOTHING}
        size = len(tape)
        self.carried: list[frozenset[str]] = [NOTHING] * size
        self.excluded: list[frozenset[str]] = [NOTHING] * size
        self.families: list[frozenset[str]] = [NOTHING] * size
        for data in tape.data:
            if isinstance(data, BindInfo | CallInfo):
                for caveat in data.clauses.caveats:
                    self.caveats.setdefault(caveat.name, caveat)
        excluding = any(data.clauses.excludes for data in tape.data if isinstance(data, BindInfo | CallInfo))
        for node in range(size):
            self._carry(node)
            if excluding:
                self._exclude(node)

    def _same(self, names: frozenset[str]) -> frozenset[str]:
        return self._interned.setdefault(names, names)

    def _joined(self, sets: list[frozenset[str]], node: int) -> frozenset[str]:
        found = NOTHING
        for arg in arguments(self.tape, node):
            if arg >= 0 and sets[arg] is not found:
                found = sets[arg] if found is NOTHING else found | sets[arg]
        return self._same(found)

    def _clauses(self, node: int) -> Clauses | None:
        data = self.tape.data[node]
        return data.clauses if isinstance(data, BindInfo | CallInfo) else None

    def _carry(self, node: int) -> None:
        found = self._joined(self.carried, node)
        clauses = self._clauses(node)
        if clauses is not None:
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
        self.carried[node] = self._same(found)

    def discharge(self, node: int, name: str) -> None:
        """Discharge a caveat by evidence at a node and wherever it came from there."""
        caveat = self.caveats.get(name)
        if caveat is None or caveat.permanent:
            return
        self.discharged.append((node, name))
        self.carried[node] = self._same(self.carried[node] - {name})
        for user in range(node + 1, len(self.tape)):
            if name in self.carried[user]:
                self._carry(user)

    def _exclude(self, node: int) -> None:
        families = self._joined(self.families, node)
        excluded = self._joined(self.excluded, node)
        data = self.tape.data[node]
        if isinstance(data, CallInfo):
            families = families | {data.formula}
        clauses = self._clauses(node)
        if clauses is not None and clauses.excludes:
            excluded = excluded | {_text(e.name, e.quoted) for e in clauses.excludes}
        self.families[node] = self._same(families)
        self.excluded[node] = self._same(frozenset(e for e in excluded if e not in families))

    def shown(self, node: int, kind: str | None) -> frozenset[str]:
        """The caveats that a quantity of this kind shows: those of its scope; all of them without a kind."""
        carried = self.carried[node]
        if not carried or kind is None:
            return NOTHING if kind is None else carried
        scope = self.scope.all_kinds[kind].decl.scope if kind in self.scope.all_kinds else None
        return frozenset(name for name in carried if self.caveats[name].scope == scope)

    def entering(self, node: int) -> frozenset[str]:
        """The caveats that enter at this node and not below it."""
        below = NOTHING
        for arg in arguments(self.tape, node):
            if arg >= 0:
                below = below | self.carried[arg]
        return self.carried[node] - below


def _text(name: str, quoted: bool) -> str:
    return f'"{name}"' if quoted else name
