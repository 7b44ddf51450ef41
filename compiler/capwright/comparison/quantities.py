"""Which quantities of two documents are told beside each other, each pair once; which only one side has, and what was renamed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from functools import cached_property

from capwright.base.address import Renaming
from capwright.comparison.answers import Answers
from capwright.comparison.sides import Plainness, Side, plainness
from capwright.document.diffdoc import QuantityEntry, RenameDoc, ValueDoc
from capwright.document.plandoc import MovedDoc, Quantity
from capwright.document.withholding import is_withheld


class Quantities:
    """The quantities of one comparison. `matched` are the names that both sides know, and `copied` what is in things that a
    field shares on one side and has for itself on the other, by its name in the field."""

    def __init__(
        self, a: Side, b: Side, matched: list[str], copied: dict[str, tuple[Quantity, Quantity]]
    ) -> None:
        self.a, self.b = a, b
        self.reported = a.reported() | b.reported()
        self._copied = copied
        self.copied = {name: pair for name, pair in copied.items() if _value(pair[0]) != _value(pair[1])}
        """Of what only one side has for itself, the pairs whose value differs."""
        self._canonical = self._named(matched)
        self.changed = self._changed()
        """Pairs whose value differs, by name, in the order of the second document."""
        self.moved = tuple(
            MovedDoc(old, name)
            for name in sorted({*self._canonical.values()})
            if (old := a.original(name)) != name
        )

    def _named(self, matched: list[str]) -> dict[tuple[str, str], str]:
        """One name for every pair of quantities, however many they share."""
        found: dict[tuple[str, str], str] = {}
        for name in matched:
            pair = (self.a.public[name].address, self.b.public[name].address)
            old = found.setdefault(pair, name)
            if self._rank(name) < self._rank(old):
                found[pair] = name
        return {pair: name for pair, name in found.items() if not self.b.inner(name)}

    def _rank(self, name: str) -> tuple[bool, Plainness]:
        return name not in self.reported, plainness(self.a, self.b, name)

    def _changed(self) -> dict[str, tuple[Quantity, Quantity]]:
        held = {
            name: (self.a.public[name], self.b.public[name])
            for name in self._canonical.values()
            if _value(self.a.public[name]) != _value(self.b.public[name])
        }
        order = {q.address: i for i, q in enumerate(self.b.doc.quantities)}
        return dict(sorted(held.items(), key=lambda item: order[item[1][1].address]))

    @property
    def unchanged(self) -> int:
        """How many pairs are as before, as far as anybody is told."""
        return len(self._canonical) - len(self.changed) - self.withheld

    @cached_property
    def withheld(self) -> int:
        """How many quantities are withheld on a side: nobody is told whether they changed."""
        kept = [name for name in self._canonical.values() if name not in self.changed]
        return sum(is_withheld(self.a.public[name]) or is_withheld(self.b.public[name]) for name in kept)

    def only(self, side: Side, other: Side, options: Answers) -> tuple[QuantityEntry, ...]:
        """Quantities that only this side has, none of whose names the other one knows."""
        return tuple(
            QuantityEntry(
                names[0],
                q.label,
                q.unit,
                q.kind,
                not self.reported.isdisjoint(names),
                value_doc(q, side),
                options.owner(names[0], side),
                is_withheld(q),
            )
            for q in side.doc.quantities
            if not q.internal
            for names in (side.names[q.address],)
            if not any(name in other.public or name in self._copied for name in names)
            and not side.inner(names[0])
        )

    def renames(self, moves: Mapping[str, str]) -> tuple[RenameDoc, ...]:
        """What was renamed as a whole; what two of these renamed together, as an option and its base, stands for itself."""
        options = [option.address for option in self.a.doc.options]
        ways = [(old, new, Renaming({old: new}, options)) for old, new in moves.items()]
        found = Counter[tuple[str, str]]()
        for one in self.moved:
            whole = ((old, new) for old, new, renamed in ways if renamed(one.old) == one.new)
            found[next(whole, (one.old, one.new))] += 1
        return tuple(RenameDoc(old, new, count) for (old, new), count in sorted(found.items()))


def value_doc(q: Quantity, side: Side) -> ValueDoc:
    """The value of a quantity of a side, as a comparison tells it."""
    binds = None if q.binds is None else side.renamed(q.binds)
    return ValueDoc(q.low, q.nominal, q.high, q.approximate, q.truth, binds)


def _value(quantity: Quantity) -> tuple[object, ...]:
    return (quantity.low, quantity.nominal, quantity.high, quantity.truth)
