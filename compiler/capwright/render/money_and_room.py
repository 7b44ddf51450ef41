"""Which money and which room in memory are told first, of a plan that stands alone and of a comparison.

Money that a requirement is on stands before any other, then what rose; of rooms in memory the least. All that tells one of
several takes the first of these.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Final

from msgspec import Struct

from capwright.base.counting import counted
from capwright.base.exact import from_text
from capwright.document.diffdoc import DiffDoc, QuantityChange, VerdictChange
from capwright.document.outcome import has_room
from capwright.document.plandoc import PlanDoc, Quantity, Side, UnitText, VerdictDoc
from capwright.document.withholding import is_withheld
from capwright.render.figures import headline, quantity_ends
from capwright.render.pieces import Pieces

_MONEY: Final = "dollar"
_MEMORY: Final = "byte"


class Paid(Struct, frozen=True):
    """Money of a plan: what it is called, its value, and how many more sums of money its report shows."""

    name: str
    value: Pieces
    more: int


def _is_money(unit: UnitText) -> bool:
    """Whether what has a unit is paid."""
    return unit.dimension.get(_MONEY, 0) > 0


def money(document: PlanDoc) -> Paid | None:
    """The money of a plan that is told first: that of a requirement, else what its report shows first."""
    quantities: dict[str, Quantity] = {}
    for quantity in document.quantities:
        quantities.update(dict.fromkeys((quantity.address, *quantity.aliases), quantity))
    asked = [quantities[name] for name in _asked(document.verdicts) if name in quantities]
    shown = [
        quantities[name] for section in document.sections for name in section.addresses if name in quantities
    ]
    held = {q.address: q for q in (*asked, *shown) if _is_money(q.unit) and not is_withheld(q)}
    first = next(iter(held.values()), None)
    if first is None:
        return None
    return Paid(first.label or first.address, headline(quantity_ends(first)), len(held) - 1)


def changed_money(diff: DiffDoc) -> list[QuantityChange]:
    """The money that changed: what requirements are on, in the order of these; of the rest what is reported, what rose
    first."""
    order = {
        name: at for at, name in enumerate(_asked(v.after for v in diff.verdicts if v.after is not None))
    }
    held = [
        q
        for q in (*diff.quantities, *diff.others)
        if _is_money(q.unit) and (q.reported or q.address in order)
    ]
    return sorted(held, key=lambda q: (order.get(q.address, len(order)), not _rises(q)))


def more_money(count: int) -> str:
    """`, and 2 more sums of money`; nothing where there is no more."""
    return f", and {counted(count, 'more sum', 'more sums')} of money" if count > 0 else ""


def _asked(verdicts: Iterable[VerdictDoc]) -> dict[str, None]:
    """The names that requirements are on, in their order."""
    return dict.fromkeys(
        name for verdict in verdicts for side in (verdict.left, verdict.right) for name in _named(side)
    )


def _named(side: Side) -> tuple[str, ...]:
    return (*side.named, *(() if side.address is None else (side.address,)))


def _rises(change: QuantityChange) -> bool:
    return change.change.difference is not None and from_text(change.change.difference) > 0


def least_room(verdicts: Iterable[VerdictDoc]) -> VerdictDoc | None:
    """The requirement on memory that has the least room, at its low end where that is known."""
    asked = [verdict for verdict in verdicts if is_of_memory(verdict)]
    return min(asked, key=room, default=None)


def changed_rooms(diff: DiffDoc) -> list[VerdictChange]:
    """The requirements on memory whose room may have changed, the least room first; what was edited has its room for that,
    and stands last."""
    held = [one for one in diff.verdicts if one.after is not None and is_of_memory(one.after)]
    return sorted(held, key=lambda one: (bool(one.edit), room(one.after) if one.after is not None else 0))


def is_of_memory(verdict: VerdictDoc) -> bool:
    """Whether a requirement is one on memory, and what room it leaves is known."""
    ends = (verdict.margin_low, verdict.margin_nominal, verdict.margin_high)
    return (
        has_room(verdict)
        and verdict.unit.dimension.get(_MEMORY, 0) > 0
        and any(end is not None for end in ends)
    )


def room(verdict: VerdictDoc) -> Fraction:
    """The room that a requirement leaves, in base units: its low end, or what else is known of it."""
    ends = (verdict.margin_low, verdict.margin_nominal, verdict.margin_high)
    return Fraction(next((from_text(end) for end in ends if end is not None), 0))
