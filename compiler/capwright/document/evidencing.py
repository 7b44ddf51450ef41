"""Of which quantities evidence is written that takes a caveat off, and what it must state."""

from __future__ import annotations

from collections import Counter

from msgspec import Struct

from capwright.base.address import bases_of, owner_of, thing_of, top_of
from capwright.check.declared import Scope
from capwright.document.plandoc import CaveatDoc, PlanDoc


class Evidencing(Struct, frozen=True):
    """What evidence is of that takes a caveat off: one quantity for each thing on which it stands, all of one kind, which says
    what must be stated."""

    of: tuple[str, ...]
    kind: str
    states: tuple[str, ...]


def evidencing(doc: PlanDoc, caveat: CaveatDoc, scope: Scope) -> Evidencing | None:
    """Of what evidence is written; None for a permanent caveat, and where no kind of its scopes says what must be stated.

    Of several scopes that one counts which the fewest kinds are for: it is what the caveat is about, and the others are what
    else it touches.
    """
    if caveat.permanent:
        return None
    bearing = {top_of(thing_of(address)) for address in caveat.used_by if owner_of(address) == address}
    # Evidence of a thing counts for those of its options that agree with it.
    tops = {top for top in bearing if bearing.isdisjoint(bases_of(top))}
    purposes = caveat.scope.split(", ")
    kinds = {
        kind.name: kind
        for kind in scope.all_kinds.values()
        if kind.decl.scope in purposes and any(not key.optional for key in kind.decl.context)
    }
    found: dict[str, list[str]] = {}
    for quantity in doc.quantities:
        named = not quantity.internal and not {"/", "#"} & set(quantity.address)
        if named and quantity.kind in kinds and top_of(quantity.address) in tops:
            found.setdefault(quantity.kind, []).append(quantity.address)
    if not found:
        return None
    alike = Counter(kinds[name].decl.scope for name in found)
    name = min(
        found, key=lambda name: (alike[kinds[name].decl.scope], purposes.index(str(kinds[name].decl.scope)))
    )
    states = tuple(key.name for key in kinds[name].decl.context if not key.optional)
    return Evidencing(tuple({top_of(one): one for one in reversed(found[name])}.values())[::-1], name, states)
