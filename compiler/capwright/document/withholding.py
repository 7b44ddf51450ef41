"""A document for others: every number that a confidential fact has a part in is left out.

The rule is independence. What derives from a confidential fact, through however many other numbers, is withheld
with it, so nobody can solve for the fact, or for a bound of it, from what is shown, from two reports, or from a
difference: a number that is shown is the same whatever the confidential facts are, and what is told to stand on one that
is not shown is all that may, whatever they are. Only the status of a
requirement is told, since it is what a review is about, and whether what was measured or shown counts; not what that
states, which is what the plan has where it counts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from collections.abc import Set as AbstractSet
from typing import Any, Final, TypeVar

from msgspec import Struct
from msgspec.structs import asdict, replace

from capwright.base.address import Renaming
from capwright.base.spelling import unspaced
from capwright.document.plandoc import (
    CaveatDoc,
    DiagnosticDoc,
    EvidenceDoc,
    MeasurementDoc,
    MovedDoc,
    PlanDoc,
    Provenance,
    Quantity,
    SettingDoc,
    Side,
    SourceDoc,
    Tree,
    VerdictDoc,
)

WITHHELD: Final = "withheld"
SILENT: Final = ("CW0219", "CW0241", "CW04", "CW05")
"""Beginnings of the codes whose messages hold computed numbers."""
_MEASURED: Final = frozenset({"CW0509", "CW0511"})
"""Of these the codes whose messages hold numbers of one measurement, and of what it is compared with, alone."""
Lined = TypeVar("Lined", Provenance, SourceDoc, VerdictDoc, MeasurementDoc, SettingDoc, DiagnosticDoc)

NOTHING: Final[Tree] = {"op": "const", "place": "", "text": WITHHELD, "value": "0"}
"""The formula of what is withheld: one for all, so that nothing is told by how it differs."""


_ORIGIN: Final = Provenance("fact", WITHHELD, None, WITHHELD, WITHHELD)
"""Where a confidential number comes from: whether it was given or is the library's would tell it."""


class Hidden(Struct, frozen=True):
    """What of a document is not for others: names of quantities and measurements, and those among them that are
    confidential themselves and do not just derive from what is; requirements (by label and by text), and files."""

    names: frozenset[str] = frozenset()
    stated: frozenset[str] = frozenset()
    verdicts: frozenset[str] = frozenset()
    files: frozenset[str] = frozenset()


_NONE: Final = Hidden()


def evenly_withheld(a: PlanDoc, b: PlanDoc) -> tuple[PlanDoc, PlanDoc]:
    """Two documents of which some may be for others, to be compared: what is withheld of one is withheld of both.

    What became confidential is still worth keeping, and what it was would tell what it is. Documents of which
    nothing is withheld stay as they are.
    """
    moves = _both_ways(a.moved) + _both_ways(b.moved)
    ours, theirs = _hidden(a, moves), _hidden(b, moves)
    while ours or theirs:
        a, b = withheld(a, theirs or _NONE), withheld(b, ours or _NONE)
        more = _hidden(a, moves), _hidden(b, moves)
        if more == (ours, theirs):
            break
        ours, theirs = more
    return a, b


def _both_ways(moved: Iterable[MovedDoc]) -> list[dict[str, str]]:
    """The moves that a document tells of, and back again: all at once, and each alone, as only some may be new."""
    there = [(move.old, move.new) for move in moved]
    back = [(new, old) for old, new in there]
    return [dict(there), dict(back), *({old: new} for old, new in (*there, *back))]


def _hidden(doc: PlanDoc, moves: Iterable[dict[str, str]]) -> Hidden | None:
    """What was withheld of a document, by all that the other one may call it; None where nothing was."""
    hidden = [one for one in doc.quantities if is_withheld(one)]
    names = {name for one in hidden for name in (one.address, *one.aliases)}
    names |= {one.address for one in doc.measurements if WITHHELD in one.context}
    stated = {n for one in hidden if one.provenance == _ORIGIN for n in (one.address, *one.aliases)}
    options = [one.address for one in doc.options]
    renamings = [Renaming(held, options) for held in moves]
    names |= {renamed(name) for renamed in renamings for name in set(names)}
    stated |= {renamed(name) for renamed in renamings for name in set(stated)}
    told = {text for one in doc.verdicts if is_told_alone(one) for text in (one.label, unspaced(one.written))}
    files = frozenset(one.path for one in doc.inputs if one.sha256 == WITHHELD)
    return Hidden(frozenset(names), frozenset(stated), frozenset(told), files) if names or told else None


def is_told_alone(verdict: VerdictDoc) -> bool:
    """Whether only the status of a requirement is told."""
    return NOTHING in (verdict.left.formula, verdict.right.formula)


def withheld(doc: PlanDoc, also: Hidden = _NONE) -> PlanDoc:
    """The document without its confidential numbers; the same document where it has none.

    `also` is what is withheld of another document, which this one is compared with.
    """
    facts = [one for one in doc.quantities if one.confidential or _is_among(one, also.names)]
    measured = [one for one in doc.measurements if one.confidential or one.address in also.names]
    asked = [*doc.verdicts, *(one.verdict for one in doc.answers if one.verdict is not None)]
    if not facts and not measured and not any(_hides(one, also) for one in asked):
        return doc
    named = {name for fact in facts for name in (fact.address, *fact.aliases)}
    secret = _reached(doc, named | {one.address for one in measured})
    stated = [fact for fact in facts if _is_stated(fact, also)]
    places = [*(fact.provenance.place for fact in stated), *(one.place for one in measured)]
    files = ({_file(place) for place in places} | also.files) & {one.path for one in doc.inputs}
    shown = replace(
        doc,
        quantities=tuple(_quantity(one, secret, also, files) for one in doc.quantities),
        sources=tuple(_lineless(_source(one, secret), files) for one in doc.sources if one.id not in secret),
        verdicts=tuple(_lineless(_verdict(one, secret, also), files) for one in doc.verdicts),
        answers=tuple(
            replace(one, verdict=one.verdict and _lineless(_verdict(one.verdict, secret, also), files))
            for one in doc.answers
        ),
        measurements=tuple(
            _lineless(_measurement(one) if one.of in secret else one, files) for one in doc.measurements
        ),
        evidence=tuple(
            one if secret.isdisjoint((one.of, *one.compared)) else _evidence(one) for one in doc.evidence
        ),
        settings=tuple(
            _lineless(replace(one, value=WITHHELD) if one.address in secret else one, files)
            for one in doc.settings
        ),
        formulas=tuple(
            replace(one, text=WITHHELD) if one.confidential or _file(one.place) in files else one
            for one in doc.formulas
        ),
        inputs=tuple(replace(one, sha256=WITHHELD) if one.path in files else one for one in doc.inputs),
    )
    open_ = openly_measured(shown)
    return replace(
        shown,
        caveats=tuple(_caveats(doc, shown)),
        possible_caveats=(),
        measurements=tuple(
            one if one.place in open_ else replace(one, objection="") for one in shown.measurements
        ),
        diagnostics=tuple(_lineless(_diagnostic(one, open_), files) for one in doc.diagnostics),
    )


def is_withheld(quantity: Quantity) -> bool:
    """Whether the numbers of a quantity were left out."""
    return quantity.confidential and quantity.formula == NOTHING


class Confidential(Struct, frozen=True):
    """What of a document others may not see and is told in it: quantities and measurements by their addresses, and
    requirements, whose status alone is told, by their ids; those of options by the option and the id."""

    quantities: frozenset[str] = frozenset()
    measurements: frozenset[str] = frozenset()
    verdicts: frozenset[str] = frozenset()
    answers: frozenset[tuple[str, str]] = frozenset()


def confidential(doc: PlanDoc) -> Confidential:
    """What of a document is withheld from others; nothing of one that is for others itself."""
    shown = withheld(doc)
    if shown is doc:
        return Confidential()
    held = zip(doc.quantities, shown.quantities, strict=True)
    measured = zip(doc.measurements, shown.measurements, strict=True)
    asked = zip(doc.verdicts, shown.verdicts, strict=True)
    return Confidential(
        frozenset(own.address for own, told in held if is_withheld(told) and not is_withheld(own)),
        frozenset(
            own.address for own, told in measured if WITHHELD in told.context and WITHHELD not in own.context
        ),
        frozenset(own.id for own, told in asked if is_told_alone(told) and not is_told_alone(own)),
        frozenset(
            (one.option, one.id)
            for one, other in zip(doc.answers, shown.answers, strict=True)
            if one.verdict is not None and other.verdict is not None
            if is_told_alone(other.verdict) and not is_told_alone(one.verdict)
        ),
    )


def _reached(doc: PlanDoc, secret: set[str]) -> set[str]:
    """All names of the quantities that lean on one of `secret`, these included."""
    names = {one.address: (one.address, *one.aliases) for one in doc.quantities}
    users: dict[str, list[str]] = {}
    for one in doc.quantities:
        for name in {*_needs(one.formula), *one.sources}:
            users.setdefault(name, []).append(one.address)
    for measured in doc.measurements:
        for name in (
            measured.address,
            *measured.compared,
        ):  # whether it counts depends on what it is compared with
            users.setdefault(name, []).append(measured.of)
    waiting, found = sorted(secret), set(secret)
    while waiting:
        for user in users.get(waiting.pop(), ()):
            fresh = [name for name in names.get(user, ()) if name not in found]
            found.update(fresh)
            waiting.extend(fresh)
    return found


def _needs(tree: Tree | None) -> Iterator[str]:
    """The addresses and sources that a formula names."""
    waiting: list[Any] = [tree]
    while waiting:
        node = waiting.pop()
        if isinstance(node, dict):
            yield from (str(node[key]) for key in ("address", "source") if node.get(key) is not None)
            waiting.extend(node.values())
        elif isinstance(node, list | tuple):
            waiting.extend(node)


def openly_measured(shown: PlanDoc) -> frozenset[str]:
    """The places of the measurements of a document for others into which nothing confidential enters."""
    hidden = {name for one in shown.quantities if is_withheld(one) for name in (one.address, *one.aliases)}
    closed = {
        one.place
        for one in shown.measurements
        if one.confidential or WITHHELD in one.context or not hidden.isdisjoint((one.of, *one.compared))
    }
    return frozenset(one.place for one in shown.measurements) - closed


def may_tell(code: str, place: str, measured: AbstractSet[str]) -> bool:
    """Whether nothing confidential enters a message, in so far as its code says: it holds no computed number, or those of
    a measurement at one of the places of `openly_measured` alone."""
    return not code.startswith(SILENT) or (code in _MEASURED and place in measured)


def _file(place: str) -> str:
    return place.rpartition(":")[0]


def _caveats(doc: PlanDoc, shown: PlanDoc) -> Iterator[CaveatDoc]:
    """The caveats that stand on a number or a requirement as it is shown, each with the numbers that it is shown on."""
    users: dict[str, list[str]] = {}
    for one in shown.quantities:
        for name in {*one.caveats_here, *one.caveats_inherited}:
            users.setdefault(name, []).append(one.address)
    asked = [*shown.verdicts, *(one.verdict for one in shown.answers if one.verdict is not None)]
    named = {name for one in asked for name in one.caveats}.union(users)
    known = {one.name: one for one in (*doc.caveats, *doc.possible_caveats)}
    yield from (
        replace(known[name], used_by=tuple(users.get(name, ()))) for name in sorted(named.intersection(known))
    )


def _lineless(one: Lined, files: AbstractSet[str]) -> Lined:
    """Without its line of the plan, on which a confidential number may stand too, and without where in that it stands,
    which tells how long a number before it is."""
    if _file(one.place) not in files:
        return one
    if isinstance(one, SettingDoc | DiagnosticDoc):
        one = replace(one, column=0)
    return replace(one, line=WITHHELD)


def _is_among(one: Quantity, names: AbstractSet[str]) -> bool:
    return not names.isdisjoint((one.address, *one.aliases))


def _is_stated(one: Quantity, also: Hidden) -> bool:
    """Whether what a quantity is stated as is not told, on this side or for the sake of the other: of one that just derives
    from what is confidential the formula is no secret."""
    given = one.provenance.sort not in ("derived", "default")
    return one.confidential or _is_among(one, also.stated) or (given and _is_among(one, also.names))


def _quantity(one: Quantity, secret: AbstractSet[str], also: Hidden, files: AbstractSet[str]) -> Quantity:
    shown = replace(one, provenance=_lineless(one.provenance, files))
    if one.address not in secret or is_withheld(one):
        return shown
    if _is_stated(one, also):
        shown = replace(shown, relation="=", provenance=_ORIGIN, written=WITHHELD)
    return replace(
        shown,
        low=None,
        nominal=None,
        high=None,
        approximate=False,
        loose=False,
        truth=None,
        formula=NOTHING,
        binds=None,
        domain_low=None,
        domain_high=None,
        sources=(),
        given=(),
        confidential=True,
        **(asdict(one.possible) if one.possible is not None else {}),
        possible=None,
    )


def _source(one: SourceDoc, secret: AbstractSet[str]) -> SourceDoc:
    return replace(one, used_by=tuple(name for name in one.used_by if name not in secret))


def _verdict(one: VerdictDoc, secret: AbstractSet[str], also: Hidden) -> VerdictDoc:
    """Both sides go where one does: the margin and the other side would tell it. A limit that is written as a plain number
    stays: it is read in the text of the requirement anyway, and whether it asks less now is told by it alone."""
    shown = replace(one, opened_line=one.opened_line and WITHHELD)
    leaning = _leans(one.left, secret) or _leans(one.right, secret) or _hides(one, also)
    if not leaning and secret.isdisjoint(one.leans_on):
        return shown
    return replace(
        shown,
        **(asdict(one.possible) if one.possible is not None else {}),
        possible=None,
        left=_side(one.left),
        right=_side(one.right),
        margin_low=None,
        margin_nominal=None,
        margin_high=None,
        leans_on=(),
        opened_by=None,
        opened_line=None,
        closed_by=None,
    )


def _leans(side: Side, secret: AbstractSet[str]) -> bool:
    return side.confidential or side.address in secret or any(n in secret for n in _needs(side.formula))


def _hides(verdict: VerdictDoc, also: Hidden) -> bool:
    known = not also.verdicts.isdisjoint((verdict.label, unspaced(verdict.written)))
    return known or verdict.left.confidential or verdict.right.confidential


def _side(one: Side) -> Side:
    if not one.named and not one.confidential and one.low is not None and one.low == one.high:
        return replace(one, formula=NOTHING)
    return replace(one, low=None, nominal=None, high=None, formula=NOTHING)


def _measurement(one: MeasurementDoc) -> MeasurementDoc:
    """Whether it counts is told, and neither what it states, which is what the plan has where it counts, nor with what it was
    compared: where one of these is a number that others may read, the other would be known by it."""
    told = replace(one, low="0", nominal="0", high="0", context={WITHHELD: WITHHELD}, line=WITHHELD)
    return replace(told, compared=(), idle=(), unstated=(), named=(), within={})


def _evidence(one: EvidenceDoc) -> EvidenceDoc:
    """As of a measurement."""
    return replace(
        one, context={WITHHELD: WITHHELD}, reason="", compared=(), idle=(), unstated=(), named=(), within={}
    )


def _diagnostic(one: DiagnosticDoc, measured: AbstractSet[str]) -> DiagnosticDoc:
    if may_tell(one.code, one.place, measured):
        return one
    return replace(one, message=WITHHELD, help=WITHHELD, notes=())
