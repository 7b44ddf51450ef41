"""Things that are one on the two sides though a field refers to them on one and copies them for itself on the other."""

from __future__ import annotations

from collections.abc import Iterator

from capwright.base.address import under
from capwright.comparison.sides import Side
from capwright.document.plandoc import Quantity


def aligned(a: Side, b: Side) -> tuple[tuple[str, str], ...]:
    """Things that a field refers to on one side and copies for itself on the other: one thing, changed inside."""
    found: list[tuple[str, str]] = []
    for key in a.settings.keys() & b.settings.keys():
        before, after = a.settings[key], b.settings[key]
        if key[1] or before.refers is None or after.refers is None or before.refers == after.refers:
            continue
        if key[0] in (before.refers, after.refers):
            found.append((before.refers, after.refers))
    return tuple(sorted(found))


def shared_on_one_side(
    a: Side, b: Side, pairs: tuple[tuple[str, str], ...]
) -> Iterator[tuple[str, tuple[Quantity, Quantity]]]:
    """What such things have on both sides, by the name that only the side with the copy has."""
    for top, other in pairs:
        for name, before in a.public.items():
            rest = under(name, top)
            after = b.public.get(f"{other}.{rest}") if rest else None
            if after is None:
                continue
            if f"{other}.{rest}" not in a.public:
                yield f"{other}.{rest}", (before, after)
            elif name not in b.public:
                yield name, (before, after)
