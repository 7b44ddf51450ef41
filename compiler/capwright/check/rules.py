"""The rules of types: what dimension and kind a result has, and what may stand where.

A kind says what a number *means*. Sums, min, max and if of one kind keep it; any other arithmetic on a
kinded value loses it (`lost`), which is not the same as never having had one. `taint` carries the kinds that
refuse a purpose through all arithmetic.
"""

from __future__ import annotations

from msgspec import Struct

from capwright.base.dimension import PURE, Dimension, over
from capwright.check.declared import Kind, Scope, Slot


class Typed(Struct, frozen=True):
    """What is known of a value before it is computed. `unit` is the spelling to print it in, if any."""

    dim: Dimension
    kind: str | None = None
    lost: bool = False
    taint: frozenset[str] = frozenset()
    literal: bool = False
    static: bool = False
    unit: str = ""


def joined(a: Typed, b: Typed) -> Typed:
    """The type of a sum, difference, min, max or `if` of two values of one dimension."""
    kind: str | None
    lost = False
    if a.kind == b.kind and a.lost == b.lost:
        kind, lost = a.kind, a.lost
    elif a.literal:
        kind, lost = b.kind, b.lost
    elif b.literal:
        kind, lost = a.kind, a.lost
    else:
        kind, lost = None, True
    return Typed(
        a.dim,
        kind,
        lost,
        a.taint | b.taint,
        a.literal and b.literal,
        a.static and b.static,
        a.unit if (a.unit and not a.literal) or not b.unit else b.unit,
    )


def combined(a: Typed, b: Typed, dim: Dimension) -> Typed:
    """The type of a product or quotient, of dimension `dim`."""
    unit = a.unit if a.dim is dim else b.unit if b.dim is dim else ""
    return Typed(
        dim,
        None,
        a.kind is not None or b.kind is not None or a.lost or b.lost,
        a.taint | b.taint,
        a.literal and b.literal,
        a.static and b.static,
        unit,
    )


def taints(kind: str | None, scope: Scope) -> frozenset[str]:
    """What a value of this kind carries on: the kind itself, if it refuses a purpose."""
    found = scope.all_kinds.get(kind) if kind is not None else None
    return frozenset((found.name,)) if found is not None and found.decl.refuses else frozenset()


def refused(value: Typed, slot: Slot, scope: Scope) -> Kind | None:
    """The kind on which `value` leans and which refuses the purpose of `slot`, if there is one.

    A slot without a kind has the purposes of every kind of its dimension.
    """
    if not value.taint:
        return None
    if slot.kind is not None and slot.kind in scope.all_kinds:
        purposes = {scope.all_kinds[slot.kind].decl.scope}
    else:
        purposes = {k.decl.scope for k in scope.all_kinds.values() if k.dim is slot.dim}
    for name in sorted(value.taint):
        kind = scope.all_kinds[name]
        if purposes & set(kind.decl.refuses):
            return kind
    return None


def meet(a: Typed, b: Typed, scope: Scope, strict: bool) -> bool:
    """Whether two values of one dimension may be compared.

    `strict` is a plan's own comparison, where a kind may not be compared with a value that has lost one.
    """
    if a.literal or b.literal:
        return True
    if a.kind is not None and b.kind is not None:
        return a.kind == b.kind or _meets(a.kind, b.kind, scope) or _meets(b.kind, a.kind, scope)
    if not strict:
        return True
    return a.kind is None and b.kind is None and not a.lost and not b.lost


def _meets(a: str, b: str, scope: Scope) -> bool:
    kind = scope.all_kinds.get(a)
    return kind is not None and b in kind.meets


def partners(kind: str, scope: Scope) -> list[str]:
    """The other kinds that may be compared with this one."""
    found = [k.name for k in scope.all_kinds.values() if kind in k.meets]
    own = scope.all_kinds.get(kind)
    return [*(own.meets if own is not None else ()), *found]


def mismatch(expected: Dimension, found: Dimension) -> str:
    """`expected X, found Y (off by Z)`, in the names of the base dimensions; a number without a unit lacks all of it."""
    if not expected.powers:
        return f"expected a number without a unit, found {found.text()}"
    if not found.powers:
        return f"expected {expected.text()}, found a number without a unit"
    return f"expected {expected.text()}, found {found.text()} (off by {over(found, expected).text()})"


def swapped(expected: Dimension, found: Dimension) -> tuple[str, str] | None:
    """If one tag stands where another belongs (off by `wheel/axle`), the pair (stands, belongs)."""
    off = dict(over(found, expected).powers)
    above = [n for n, p in off.items() if p > 0]
    below = [n for n, p in off.items() if p < 0]
    if len(above) == 1 and len(below) == 1 and off[above[0]] == -off[below[0]]:
        return above[0], below[0]
    return None


__all__ = [
    "PURE",
    "Typed",
    "combined",
    "joined",
    "meet",
    "mismatch",
    "partners",
    "refused",
    "swapped",
    "taints",
]
