"""The caveats that a document tells, with the quantities that they stand on."""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Set as AbstractSet

from capwright.document.marks import Marks
from capwright.document.plandoc import CaveatDoc, PlanDoc, Quantity, VerdictDoc


def caveat_docs(marks: Marks, quantities: tuple[Quantity, ...]) -> tuple[CaveatDoc, ...]:
    """The caveats of quantities, each once."""
    users: dict[str, list[str]] = {}
    for q in quantities:
        for name in sorted({*q.caveats_here, *q.caveats_inherited}):
            users.setdefault(name, []).append(q.address)
    return tuple(caveat_doc(marks, name, tuple(users[name])) for name in sorted(users))


def possible_caveats(
    marks: Marks,
    quantities: tuple[Quantity, ...],
    verdicts: Iterable[VerdictDoc],
    caveats: tuple[CaveatDoc, ...],
) -> tuple[CaveatDoc, ...]:
    """The caveats that may stand whatever the confidential numbers are, and are not among those that do."""
    may = [q.possible for q in quantities if q.possible is not None]
    named = {name for each in may for name in (*each.caveats_here, *each.caveats_inherited)}
    named |= {name for one in verdicts if one.possible is not None for name in one.possible.caveats}
    return tuple(caveat_doc(marks, name, ()) for name in sorted(named - {one.name for one in caveats}))


def caveat_doc(marks: Marks, name: str, users: tuple[str, ...]) -> CaveatDoc:
    """A caveat and the addresses that it stands on."""
    caveat = marks.caveats[name]
    return CaveatDoc(
        name, ", ".join(caveat.scopes), caveat.text, caveat.permanent, users, marks.is_of_library(caveat)
    )


def on_verdicts(*docs: PlanDoc) -> frozenset[str]:
    """The names of the caveats that stand on verdicts of any of the documents, of plans or of options."""
    asked = [verdict for doc in docs for verdict in (*doc.verdicts, *(one.verdict for one in doc.answers))]
    return frozenset(name for verdict in asked if verdict is not None for name in verdict.caveats)


def place_of(caveat: CaveatDoc, standing: AbstractSet[str]) -> tuple[bool, bool]:
    """Where a caveat stands among those that only so much room is left for: what the library says goes before what a plan
    says itself, and what is `standing` on verdicts, by name, before what is not."""
    return not caveat.library, caveat.name not in standing
