"""What of a change is confidential: the names of what changed, for a comparison that others read.

Its numbers are withheld on both sides, so the comparison cannot see that one of them changed; to say that nothing
did would be wrong.
"""

from __future__ import annotations

from collections import defaultdict

from msgspec import Struct

from capwright.base.address import Renaming
from capwright.comparison.moves import moves_of
from capwright.comparison.sides import values
from capwright.document.diffdoc import DiffDoc
from capwright.document.plandoc import PlanDoc, Quantity
from capwright.document.withholding import is_told_alone, is_withheld, withheld


class Confided(Struct, frozen=True):
    """What confidential declarations changed, by name, whether any number that is withheld moved, and which of them only
    the second side uses, or only the first: whether the declaration came or went itself, or what uses it, is not told."""

    names: tuple[str, ...] = ()
    moved: bool = False
    came: tuple[str, ...] = ()
    went: tuple[str, ...] = ()


def confided(a: PlanDoc, b: PlanDoc, failed: tuple[bool, bool] = (False, False)) -> Confided:
    """Compare two whole documents by what others may not see. What a side with errors (`failed`) does not have did not
    change: it could not be read there."""
    renamed = Renaming(moves_of(a, b), [one.address for one in a.options])
    ours = {renamed(name): said for name, said in _confidential(a).items()}
    theirs = _confidential(b)
    before, after = {renamed(name) for name in _names_in(a)}, _names_in(b)
    other = [name for name in sorted({**ours, **theirs}) if ours.get(name) != theirs.get(name)]
    changed = tuple(name for name in other if name in before and name in after)
    came = () if failed[0] else tuple(name for name in other if name not in before)
    went = () if failed[1] else tuple(name for name in other if name not in after)
    hidden = _hidden(a), _hidden(b)
    moved = any(
        hidden[0].get(name) != hidden[1].get(name)
        for name in {**hidden[0], **hidden[1]}
        if not any(lost and name not in held for lost, held in zip(failed, hidden, strict=True))
    )
    return Confided(changed, moved, came, went)


def _names_in(doc: PlanDoc) -> set[str]:
    """All that a document has under a name, confidential or not."""
    quantities = (name for one in doc.quantities if not one.internal for name in _names(one))
    return {*quantities, *(one.address for one in doc.measurements), *(one.name for one in doc.formulas)}


def _confidential(doc: PlanDoc) -> dict[str, list[object]]:
    """What is said to be confidential itself: by its plainest name, what it says. A fact says its numbers; what is
    derived, how: its numbers may have changed with what it derives from."""
    found = defaultdict[str, list[object]](list)
    for one in doc.quantities:
        if one.confidential and not one.internal:
            name = min((one.address, *one.aliases), key=lambda each: (each.count("."), each))
            derived = one.provenance.sort == "derived"
            found[name].append((one.relation, one.written) if derived else (*values(one), one.truth))
    for measured in doc.measurements:
        if measured.confidential:
            said = measured.low, measured.nominal, measured.high
            found[measured.address].append(said)
    for formula in doc.formulas:
        if formula.confidential:
            found[formula.name].append((formula.head, formula.text))
    return dict(found)


def _hidden(doc: PlanDoc) -> dict[str, object]:
    """The numbers that are withheld from others, by the names of what they are of."""
    shown = withheld(doc)
    if shown is doc:
        return {}
    hidden = {one.address for one in shown.quantities if is_withheld(one)}
    return {
        name: (*values(one), one.truth)
        for one in doc.quantities
        if one.address in hidden and not one.internal
        for name in (one.address, *one.aliases)
    }


def told(diff: DiffDoc, *docs: PlanDoc) -> tuple[str, ...]:
    """What a comparison of whole documents tells that others may not see: addresses of numbers, labels of requirements."""
    hidden: set[str] = set()
    for doc in docs:
        shown = withheld(doc)
        if shown is not doc:
            hidden |= {n for q in shown.quantities if is_withheld(q) for n in _names(q)}
            hidden |= {v.label or v.written for v in shown.verdicts if is_told_alone(v)}
    named = [
        *(each.address for held in (diff.quantities, diff.others, diff.added, diff.removed) for each in held),
        *(declaration.address for declaration in diff.declarations),
        *(a for d in diff.declarations for f in d.facts for a in (f.before_address, f.after_address) if a),
        *(verdict.label for verdict in diff.verdicts),
        *(answer.label for answer in diff.answers),
        *(one.label for one in diff.unjudged),
    ]
    return tuple(dict.fromkeys(name for name in named if name in hidden))


def _names(quantity: Quantity) -> tuple[str, ...]:
    return (quantity.address, *quantity.aliases)
