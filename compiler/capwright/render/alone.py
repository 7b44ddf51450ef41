"""What a plan that has nothing to be compared with is told by, in a readable unit: its verdicts, money, the least room."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

from capwright.base.exact import from_text
from capwright.document.outcome import has_room
from capwright.document.plandoc import PlanDoc, Quantity, VerdictDoc
from capwright.document.withholding import is_withheld
from capwright.render.diff_headline import MEMORY, MONEY
from capwright.render.figures import headline, quantity_ends
from capwright.render.pieces import Pieces


def money(document: PlanDoc) -> tuple[str, Pieces] | None:
    """What is called how, and its value: the first money that a report shows."""
    quantities: dict[str, Quantity] = {}
    for quantity in document.quantities:
        quantities.update(dict.fromkeys((quantity.address, *quantity.aliases), quantity))
    for section in document.sections:
        for address in section.addresses:
            held = quantities.get(address)
            if held is not None and not is_withheld(held) and held.unit.dimension.get(MONEY, 0) > 0:
                return held.label or address, headline(quantity_ends(held))
    return None


def least_room(verdicts: Iterable[VerdictDoc]) -> VerdictDoc | None:
    """The requirement on memory that has the least room, at its low end where that is known."""
    asked = [verdict for verdict in verdicts if is_of_memory(verdict)]
    return min(asked, key=room, default=None)


def is_of_memory(verdict: VerdictDoc) -> bool:
    """Whether a requirement is one on memory, and what room it leaves is known."""
    ends = (verdict.margin_low, verdict.margin_nominal, verdict.margin_high)
    return (
        has_room(verdict)
        and verdict.unit.dimension.get(MEMORY, 0) > 0
        and any(end is not None for end in ends)
    )


def room(verdict: VerdictDoc) -> Fraction:
    """The room that a requirement leaves, in base units: its low end, or what else is known of it."""
    ends = (verdict.margin_low, verdict.margin_nominal, verdict.margin_high)
    return Fraction(next((from_text(end) for end in ends if end is not None), 0))
