"""Steps of a derivation that only give another number a further name: they are told in one line, and are no level."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from capwright.document.plandoc import Quantity
from capwright.document.withholding import is_withheld
from capwright.render.formulas import short_name
from capwright.render.pieces import Piece, Pieces, Reference, Words

_OWN: Final = frozenset({"const", "assume", "effective"})
"""Formulas of numbers that something is to be told of: that they were stated, or that they were measured."""


class Folded(Struct, frozen=True):
    """A quantity, those that it only is another name of, nearest first, and the last of these under its address: there the
    number is computed, and `body` is what its formula is read from. Without such names it is the quantity itself."""

    names: tuple[Quantity, ...]
    body: Quantity

    def said(self) -> Pieces:
        """`worst_mix_blocks = ended_mix_blocks`, each leading to its own derivation; empty where nothing is folded."""
        pieces: list[Piece] = []
        for one in self.names:
            pieces += [Words(" = ")] if pieces else []
            pieces.append(Reference(short_name(one.address, self.body.address), one.address))
        return tuple(pieces)


def folded(quantity: Quantity, quantities: Mapping[str, Quantity]) -> Folded:
    """`quantity` with the steps that say nothing but a name. `quantities` has them by address and alias."""
    names: list[Quantity] = []
    seen = {quantity.address}  # a document of others may go in circles
    last = quantity
    while last.formula is not None and last.formula["op"] == "ref" and not is_withheld(last):
        other = quantities.get(last.formula["address"])
        if other is None or other.address in seen or not _only_named(other, quantity):
            break
        names.append(other)
        seen.add(other.address)
        last = other
    body = replace(last, address=quantity.address, aliases=quantity.aliases) if names else quantity
    return Folded(tuple(names), body)


def _only_named(inner: Quantity, outer: Quantity) -> bool:
    """Whether all that there is to tell of `inner` but its formula is told of `outer`."""
    return (
        _number(inner) == _number(outer)
        and inner.formula is not None
        and inner.formula["op"] not in _OWN
        and inner.provenance.sort == "derived"
        and not inner.provenance.text
        and inner.relation in ("=", outer.relation)
        and (inner.internal or inner.label in (None, "", outer.label))  # of a call it is the call as written
        and inner.kind in (None, outer.kind)
        and not inner.caveats_here
        and not inner.discharged
        and set(inner.caveats_inherited) <= set(outer.caveats_inherited)
        and set(inner.exclusions) <= set(outer.exclusions)
        and inner.confidential <= outer.confidential
    )


def _number(q: Quantity) -> tuple[object, ...]:
    return q.low, q.nominal, q.high, q.approximate, q.truth
