"""Measurements that count for a number on one side only: a bound that was read off one is not comparable with one that was not."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msgspec import Struct

from capwright.comparison.sides import Side
from capwright.document.outcome import is_counted
from capwright.document.plandoc import MeasurementDoc, Quantity, Tree, VerdictDoc
from capwright.document.retape import parts_of, references


class Lone(Struct, frozen=True):
    """The measurements that count on one side only, and by the address of a quantity in its document those of them that
    it rests on."""

    names: frozenset[str]
    resting: dict[str, tuple[str, ...]]


def lone_measurements(a: Side, b: Side) -> tuple[Lone, Lone]:
    """What rests on a measurement that ceased to count, and what on one that began to."""
    ours, theirs = _counting(a), _counting(b)
    return _resting(a, ours, theirs.keys()), _resting(b, theirs, ours.keys())


def resting(quantity: Quantity, lone: Lone) -> tuple[str, ...]:
    """The measurements that count for a quantity on its side only."""
    return lone.resting.get(quantity.address, ())


def asked_of(verdict: VerdictDoc, side: Side, lone: Lone) -> tuple[str, ...]:
    """The measurements that count for a requirement on its side only."""
    if not lone.names:
        return ()
    formulas = [one.formula for one in (verdict.left, verdict.right)]
    mine = {side.renamed(name) for formula in formulas for name in _read_off(formula)}
    found = dict.fromkeys(sorted(lone.names & mine))
    held = [side.found[str(r)] for formula in formulas for r in references(formula) if str(r) in side.found]
    return tuple({**found, **dict.fromkeys(name for quantity in held for name in resting(quantity, lone))})


def _counting(side: Side) -> dict[str, MeasurementDoc]:
    return {name: m for name, m in side.measurements.items() if is_counted(m)}


def _resting(side: Side, mine: dict[str, MeasurementDoc], others: Iterable[str]) -> Lone:
    other = set(others)
    lone = {name: one for name, one in mine.items() if name not in other}
    if not lone:
        return Lone(frozenset(), {})
    users: dict[str, list[str]] = {}
    readers: dict[str, list[str]] = {}
    for quantity in side.doc.quantities:
        if quantity.formula is None:
            continue
        for name in references(quantity.formula):
            if str(name) in side.found:
                users.setdefault(side.found[str(name)].address, []).append(quantity.address)
        for source in _read_off(quantity.formula):
            readers.setdefault(side.renamed(source), []).append(quantity.address)
    found: dict[str, tuple[str, ...]] = {}
    for name in lone:
        waiting = readers.get(name, [])
        reached = set(waiting)
        while waiting:
            address = waiting.pop()
            found[address] = (*found.get(address, ()), name)
            fresh = [user for user in users.get(address, ()) if user not in reached]
            reached.update(fresh)
            waiting += fresh
    return Lone(frozenset(lone), found)


def _read_off(tree: Tree) -> Iterator[str]:
    """The sources that a formula holds the values of."""
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        if node.get("source") is not None:
            yield str(node["source"])
        waiting += parts_of(node)
