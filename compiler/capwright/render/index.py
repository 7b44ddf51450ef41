"""A document looked at by address: what refers to what, and which quantities a report must derive."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from msgspec import Struct

from capwright.base.address import under
from capwright.base.latest import Latest
from capwright.document.plandoc import CaveatDoc, PlanDoc, Quantity, SourceDoc, Tree, ViewDoc
from capwright.document.retape import parts_of
from capwright.document.withholding import Confidential, confidential
from capwright.render.folding import folded
from capwright.render.measured import Counted, counted_measurements
from capwright.render.scaling import readable


class Index(Struct, frozen=True):
    """A document with its tables: quantities by address and alias, sources and caveats by name.

    `derived` are the addresses of all that the printed numbers derive from; `listed` those of them whose
    derivations the page has: all in a full page, in a brief one what is printed and the calls within it.
    """

    doc: PlanDoc
    quantities: dict[str, Quantity]
    sources: dict[str, SourceDoc]
    caveats: dict[str, CaveatDoc]
    derived: frozenset[str]
    listed: frozenset[str]
    measured: Counted
    """The measurements that count, by what each is of."""
    original: PlanDoc
    """The document in the units that the plan spells."""
    confidential: Confidential
    """What is marked, so that nobody hands it on unawares."""

    def target(self, address: str) -> str | None:
        """The address under which `address` (or its alias) is derived; None where there is no such quantity."""
        found = self.quantities.get(address)
        return found.address if found is not None else None

    @property
    def folded(self) -> frozenset[str]:
        """The addresses whose derivations are left to the full page and to the document itself."""
        return self.derived - self.listed


def index(doc: PlanDoc, *, brief: bool = False) -> Index:
    """The tables of `doc`, its units made readable; `brief` for a page that folds what lies deeper."""
    return _LATEST[brief].get(doc, lambda: _index(doc, brief))


_LATEST: Final = (Latest[PlanDoc, Index](), Latest[PlanDoc, Index]())


def _index(original: PlanDoc, brief: bool) -> Index:
    doc = readable(original)
    quantities = {alias: quantity for quantity in doc.quantities for alias in quantity.aliases}
    quantities.update((quantity.address, quantity) for quantity in doc.quantities)
    shown = printed(doc)
    derived = closure(quantities, shown)
    return Index(
        doc,
        quantities,
        {source.id: source for source in doc.sources},
        {caveat.name: caveat for caveat in doc.caveats},
        derived,
        _first(quantities, shown) if brief else derived,
        counted_measurements(doc),
        original,
        confidential(original),
    )


def references(tree: Tree | None) -> Iterator[str]:
    """The addresses that a formula refers to, in reading order, each once."""
    seen: set[str] = set()
    waiting = [tree] if tree is not None else []
    while waiting:
        node = waiting.pop()
        if node["op"] == "ref" and node["address"] not in seen:
            seen.add(node["address"])
            yield node["address"]
        waiting.extend(reversed(parts_of(node)))


def printed(doc: PlanDoc) -> list[str]:
    """The addresses that a report shows a number of, before derivations."""
    found = [address for section in doc.sections for address in section.addresses]
    found += [address for views in drawn(doc).values() for view in views for address in view.addresses]
    for verdict in doc.verdicts:
        for side in (verdict.left, verdict.right):
            found += [side.address] if side.address else []
            found += references(side.formula)
        found += [verdict.opened_by] if verdict.opened_by else []
    return [*found, *(measured.of for measured in doc.measurements)]


def drawn(doc: PlanDoc) -> dict[str, list[ViewDoc]]:
    """The pictures by the path of the section that each stands in: the innermost one that its owner is of or lies in.
    Those that the plan draws of no one thing stand by themselves, at "".
    """
    paths = sorted((section.path for section in doc.sections), key=len, reverse=True)
    found: dict[str, list[ViewDoc]] = {}
    for view in doc.views:
        place = next((path for path in paths if under(view.owner, path) is not None), None)
        if view.owner == "":
            place = ""
        if place is not None:
            found.setdefault(place, []).append(view)
    return found


def closure(quantities: dict[str, Quantity], start: Iterable[str]) -> frozenset[str]:
    """The addresses at `start` and of all that they derive from."""
    reached: set[str] = set()
    waiting = list(start)
    while waiting:
        quantity = quantities.get(waiting.pop())
        if quantity is not None and quantity.address not in reached:
            reached.add(quantity.address)
            waiting.extend(references(quantity.formula))
    return frozenset(reached)


def _first(quantities: dict[str, Quantity], start: Iterable[str]) -> frozenset[str]:
    """The addresses at `start` and of the formula calls directly inside their formulas, as these are told."""
    found = [quantities[address] for address in start if address in quantities]
    calls = [
        quantities[address]
        for quantity in found
        for address in references(folded(quantity, quantities).body.formula)
        if address in quantities and quantities[address].internal
    ]
    return frozenset(quantity.address for quantity in (*found, *calls))


def deciding(quantity: Quantity, of: Index) -> list[str]:
    """The derived numbers that decided a quantity's formula and that it does not refer to: which branch is taken, what a
    list keeps. Numbers that were stated, and what holds no number, are left to the document."""
    if not quantity.decided_by:  # as of most
        return []
    named = set(references(quantity.formula))
    found = ((address, of.quantities.get(address)) for address in quantity.decided_by)
    return [
        address
        for address, held in found
        if held is not None
        and held.provenance.sort == "derived"
        and named.isdisjoint((address, held.address))
    ]


def users(quantities: Iterable[Quantity], of: Index) -> dict[str, list[Quantity]]:
    """Which of `quantities` refer to an address directly, or were decided by it."""
    found: dict[str, list[Quantity]] = {}
    for quantity in quantities:
        for address in (*references(quantity.formula), *deciding(quantity, of)):
            target = of.target(address)
            if target is not None:
                found.setdefault(target, []).append(quantity)
    return found
