"""What gave a formula its shape: the changed setting, or the changed number, that explains two different ones best.

A document does not say which field chose a formula, or counted the terms of a sum. What is left of it are the things
that the formulas refer to.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Final, Literal

from msgspec import Struct

from capwright.document.compare_pairs import Choice, Pairs
from capwright.document.compare_sides import Side, bare, under, values
from capwright.document.plandoc import MeasurementDoc, Quantity, SettingDoc, Tree
from capwright.document.retape import parts_of

Sort = Literal["setting", "value", "formula", "measurement", "tool"]
_DEEP: Final = 400
"""Inner calls that are looked through for what a formula refers to."""
_SURE: Final = 9
"""The score of what a formula names itself."""


class Blamed(Struct, frozen=True):
    """A changed declaration. `tops` are the two things a rebound field refers to."""

    address: str
    sort: Sort
    before: SettingDoc | Quantity | MeasurementDoc | None
    after: SettingDoc | Quantity | MeasurementDoc | None
    tops: tuple[str | None, str | None] = (None, None)


class Rebinding(Struct, frozen=True):
    """Things below a changed setting that take each other's place with it: a cache's element type, say."""

    before: str
    after: str
    blamed: Blamed
    path: str = ""
    """The fields that lead there from what the setting refers to."""


class _Referred(Struct, frozen=True):
    """The names that the formulas of the two sides refer to, and their static arguments."""

    ours: frozenset[str]
    theirs: frozenset[str]
    statics: tuple[frozenset[str], frozenset[str]]


class Shapes:
    """Finds what explains a difference in shape among the changed settings, and the changed whole numbers and truths."""

    def __init__(self, pairs: Pairs, settings: list[Blamed], rebindings: list[Rebinding]) -> None:
        self.pairs = pairs
        self.a = pairs.a
        self.b = pairs.b
        self.settings = settings
        self.rebindings = rebindings

    def blamed(self, choice: Choice) -> Blamed | Choice | None:
        """A setting, or the choice between two numbers that something else was changed by; None where nothing fits."""
        referred = self._referred(choice)
        best: tuple[int, Blamed | Choice] | None = None
        for blamed in self.settings:
            score = self._score(blamed, referred)
            if score:
                best = _better(best, 10 * score + shared(blamed.address, choice.before.address), blamed)
        if best is not None and best[0] >= 20:  # it is among what the formulas refer to
            return best[1]
        for name, number in self._numbers.items():
            hits = (name in referred.ours) + (name in referred.theirs)
            if hits or best is None:
                best = _better(best, 20 * hits + shared(name, choice.before.address), number)
        return None if best is None else best[1]

    @cached_property
    def _numbers(self) -> dict[str, Choice]:
        """The numbers that can shape a formula, whole ones and truths, that are stated otherwise on the two sides."""
        found: dict[str, Choice] = {}
        for name in sorted(self.pairs.matched):
            one, two = self.a.public[name], self.b.public[name]
            stated = "derived" not in (one.provenance.sort, two.provenance.sort)
            shaping = one.whole or one.truth is not None
            if stated and shaping and (values(one), one.truth) != (values(two), two.truth):
                found[name] = Choice(one, two, one.formula, two.formula)
        return found

    def _referred(self, choice: Choice) -> _Referred:
        trees = (choice.before_tree, choice.after_tree)
        ours, theirs = (
            frozenset(n for a in _all_referred(side, tree) for n in names_of(side, a))
            if tree
            else frozenset[str]()
            for side, tree in zip((self.a, self.b), trees, strict=True)
        )
        one, two = (frozenset(_statics(tree)) for tree in trees)
        return _Referred(ours, theirs, (one, two))

    def _score(self, blamed: Blamed, referred: _Referred) -> int:
        """0 where the setting has no part in it, 1 where nothing speaks against it."""
        said = [s for s in (blamed.before, blamed.after) if isinstance(s, SettingDoc)]
        if any(s.sort == "value" for s in said):
            named = said[0].value in referred.statics[0] and said[-1].value in referred.statics[1]
            return _SURE if named else 0
        if any(s.sort == "list" for s in said):
            return _SURE - 1 if self._lists(blamed.address, said, referred) else 0
        rebound = [r for r in self.rebindings if r.blamed is blamed]
        hits = sum(any(under(n, r.before) is not None for n in referred.ours) for r in rebound)
        hits += sum(any(under(n, r.after) is not None for n in referred.theirs) for r in rebound)
        if hits:
            return 1 + min(hits, 6)
        return 1 if rebound or blamed.tops == (None, None) else 0

    @staticmethod
    def _lists(address: str, said: list[SettingDoc], referred: _Referred) -> bool:
        """Whether the formulas refer to an element that only one of two lists has."""
        lists = [set(s.value.split(", ")) for s in said if s.sort == "list"]
        tops = [f"{address}.{name}" for name in (lists[0] ^ lists[1] if len(lists) > 1 else ())]
        return any(under(n, top) is not None for n in referred.ours | referred.theirs for top in tops)


def _better(
    best: tuple[int, Blamed | Choice] | None, score: int, other: Blamed | Choice
) -> tuple[int, Blamed | Choice]:
    return (score, other) if best is None or score > best[0] else best


def names_of(side: Side, address: str) -> tuple[str, ...]:
    """All names of a quantity of one side, as the comparison and as the document calls it."""
    quantity = side.found.get(address)
    if quantity is None:
        return (address,)
    return (*side.names.get(quantity.address, ()), quantity.address, *quantity.aliases)


def shared(one: str, other: str) -> int:
    """How many leading names two addresses share."""
    count = 0
    for x, y in zip(one.split("."), other.split("."), strict=False):
        if x != y:
            break
        count += 1
    return count


def _all_referred(side: Side, tree: Tree) -> list[str]:
    """The addresses of the named quantities that a tree refers to, seen through inner calls."""
    found: dict[str, None] = {}
    waiting, looked = [tree], 0
    while waiting:
        node = waiting.pop()
        if node["op"] == "ref" and node["address"] not in found:
            found[node["address"]] = None
            quantity = side.found.get(node["address"])
            if quantity is not None and quantity.internal and quantity.formula is not None and looked < _DEEP:
                looked += 1
                waiting.append(quantity.formula)
        waiting.extend(parts_of(node))
    return list(found)


def _statics(tree: Tree | None) -> Iterator[str]:
    waiting = [tree] if tree is not None else []
    while waiting:
        node = waiting.pop()
        if node["op"] == "kernel":
            yield from (str(each.get("text", bare(each))) for each in node["static"])
        waiting.extend(parts_of(node))
