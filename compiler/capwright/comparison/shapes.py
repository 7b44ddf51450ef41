"""What gave a formula its shape: the changed declarations among what decided it, on either side.

A document says of each formula which fields, numbers and things decided it. The changed ones among them, or among
what they derive from, made the two formulas different; where there are several, they did it together.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator
from functools import cached_property
from itertools import islice

from capwright.base.address import owner_of, under
from capwright.comparison.blamed import Blamed, patterns
from capwright.comparison.pairs import Choice, Pairs
from capwright.comparison.scopes import Scopes
from capwright.comparison.sides import Side, follows, values
from capwright.document.plandoc import Quantity, Tree
from capwright.document.retape import references


class Shapes:
    """Finds what decided a difference in shape among the changed settings, and the changed numbers and truths."""

    def __init__(self, pairs: Pairs) -> None:
        self.a = pairs.a
        self.b = pairs.b
        self.scopes = pairs.scopes
        self.matched = sorted(pairs.matched)
        self.aligned = pairs.aligned
        self._closures: dict[tuple[bool, str, str], frozenset[str]] = {}

    def blamed(self, choice: Choice) -> list[Blamed | Choice]:
        """The settings, and the choices between two numbers that something else was changed by; none where nothing that
        decided either formula is another one. An older document does not say what decided, so everything may have."""
        whose = choice.whose
        ours = self._deciders(self.a, choice.before, whose)
        theirs = self._deciders(self.b, choice.after, whose)
        found = self._among(ours, theirs, whose)
        if not found and choice.before.internal and choice.after.internal:
            # Two calls that stand in one place: what called one rather than the other decided.
            ours = self._callers(self.a, choice.before, whose)
            theirs = self._callers(self.b, choice.after, whose)
            found = self._among(ours, theirs, whose)
        if found:
            found += self._carried(choice, found)
        silent = not (_says(self.a) and _says(self.b))
        return found or ([*self.scopes.settings, *self._numbers.values()] if silent else [])

    def _carried(self, choice: Choice, found: list[Blamed | Choice]) -> list[Blamed]:
        """The rebindings that two formulas of different shapes bring along: one refers to what was there before, the
        other to what is there now, and there is no formula of either shape over the other's things."""
        ours, theirs = _referred(self.a, choice.before_tree), _referred(self.b, choice.after_tree)
        carried: list[Blamed] = []
        for each in self.scopes.rebindings:
            blamed = each.blamed
            if blamed in found or blamed in carried:
                continue
            if not self.scopes.counts(choice.whose, blamed.address):
                continue
            if _refers(ours, each.before) and _refers(theirs, each.after):
                carried.append(blamed)
        return carried

    def among(self, ours: Iterable[str], theirs: Iterable[str], whose: str) -> list[Blamed | Choice]:
        """The settings, and the choices between two numbers, that are others now and are among some names of each side,
        or among what numbers of these names derive from."""
        mine, others = (
            _closure(self.scopes, self.a, ours, whose),
            _closure(self.scopes, self.b, theirs, whose),
        )
        return self._among(frozenset(mine), frozenset(others), whose)

    def _among(self, ours: frozenset[str], theirs: frozenset[str], whose: str) -> list[Blamed | Choice]:
        found: list[Blamed | Choice] = [
            blamed for blamed in self.scopes.settings if self._decided(blamed, ours, theirs, whose)
        ]
        return found + [
            n for (before, after), n in self._numbers.items() if before in ours or after in theirs
        ]

    def _decided(self, blamed: Blamed, ours: frozenset[str], theirs: frozenset[str], whose: str) -> bool:
        if any(pattern in ours or pattern in theirs for pattern in patterns(blamed.address)):
            return True
        if not self.scopes.counts(whose, blamed.address):
            return False
        rebound = [each for each in self.scopes.rebindings if each.blamed is blamed]
        return any(
            any(under(name, each.before) is not None for name in ours)
            or any(under(name, each.after) is not None for name in theirs)
            for each in rebound
        )

    def _deciders(self, side: Side, quantity: Quantity, whose: str) -> frozenset[str]:
        """The names of all that decided a formula, with what decided numbers derive from and were decided by."""
        key = (side is self.b, quantity.address, whose)
        found = self._closures.get(key)
        if found is None:
            found = self._closures[key] = frozenset(
                _closure(self.scopes, side, self.scopes.seen(side, quantity, whose).decided_by, whose)
            )
        return found

    def _callers(self, side: Side, call: Quantity, whose: str) -> frozenset[str]:
        """What decided the binding that a call belongs to, and its other calls."""
        owner = owner_of(call.address)
        callers = [q for q in side.doc.quantities if owner_of(q.address) == owner]
        return frozenset[str]().union(*(self._deciders(side, caller, whose) for caller in callers))

    @cached_property
    def _numbers(self) -> dict[tuple[str, str], Choice]:
        """The numbers and truths that are stated otherwise on the two sides, any of which may shape a formula, by
        their names there."""
        found: dict[tuple[str, str], Choice] = {}
        for names in self._alike():
            one, two = self.a.public[names[0]], self.b.public[names[1]]
            derived = "derived" in (one.provenance.sort, two.provenance.sort)
            stated = not follows(one, two) and not (derived and one.internal)
            if stated and (values(one), one.truth) != (values(two), two.truth):
                own = max(names, key=lambda name: name.count("."))
                found[names] = Choice(one, two, one.formula, two.formula, whose=self.scopes.whose(own))
        return found

    def _alike(self) -> Iterator[tuple[str, str]]:
        """The names of what is one quantity on both sides: what has one name, and what stands at one place of a thing
        and of a field's own copy of it."""
        yield from ((name, name) for name in self.matched)
        names = sorted(self.a.public) if self.aligned else []
        for before, after in self.aligned:
            for name in islice(names, bisect_left(names, f"{before}."), bisect_left(names, f"{before}/")):
                other = f"{after}.{name[len(before) + 1 :]}"
                if other in self.b.public and other != name:
                    yield name, other


def _closure(scopes: Scopes, side: Side, names: Iterable[str], whose: str) -> set[str]:
    """Some names of a document and what numbers of these names derive from, as the comparison calls them, on behalf of one
    that leads there."""
    found, seen = set[str](), set[str]()
    waiting = list(names)
    while waiting:
        name = waiting.pop()
        if name in seen:
            continue
        seen.add(name)
        quantity = side.found.get(name)
        if quantity is None:
            found.add(side.renamed(name))
        else:
            found.update(side.names.get(quantity.address, ()))
            waiting += scopes.seen(side, quantity, whose).decided_by
            waiting += map(str, references(quantity.formula) if quantity.formula is not None else ())
    return found


def _refers(names: set[str], thing: str) -> bool:
    return any(under(name, thing) is not None for name in names)


def _referred(side: Side, tree: Tree | None) -> set[str]:
    """The names of the quantities that a tree refers to, seen through inner calls."""
    found, seen = set[str](), set[str]()
    waiting = [tree] if tree is not None else []
    while waiting:
        for address in map(str, references(waiting.pop())):
            if address in seen:
                continue
            seen.add(address)
            found.update(names_of(side, address))
            quantity = side.found.get(address)
            if quantity is not None and quantity.internal and quantity.formula is not None:
                waiting.append(quantity.formula)
    return found


def _says(side: Side) -> bool:
    """Whether a document tells what decided its formulas: those before 1.2 do not."""
    return any(quantity.decided_by for quantity in side.doc.quantities)


def names_of(side: Side, address: str) -> tuple[str, ...]:
    """All names of a quantity of one side as the comparison calls it."""
    quantity = side.found.get(address)
    return (address,) if quantity is None else side.names.get(quantity.address, (quantity.address,))


def shared(one: str, other: str) -> int:
    """How many leading names two addresses share."""
    count = 0
    for x, y in zip(one.split("."), other.split("."), strict=False):
        if x != y:
            break
        count += 1
    return count
