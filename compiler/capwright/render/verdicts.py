"""Requirements and expectations as a report shows them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from msgspec import Struct

from capwright.base.exact import number
from capwright.document.outcome import has_room, is_counted, rank, tally
from capwright.document.plandoc import EvidenceDoc, MeasurementDoc, PlanDoc, VerdictDoc
from capwright.render.figures import (
    Ends,
    in_full,
    measurement_ends,
    numerals,
    numerals_together,
    side_ends,
)
from capwright.render.index import Index
from capwright.render.pieces import Name, Numeral, Piece, Pieces, Quoted, Reference, Words
from capwright.render.stated import in_one_line
from capwright.render.words import COMPARISON, CONFIDENTIAL, LEADS, STATUS, Tone


class VerdictView(Struct, frozen=True):
    """One verdict. `comparison` has both sides in one unit; `basis` says what it stands on, after `lead`.

    `measured` are the measurements that its sides are read off, and `evidence` what was shown of them, each with the
    context that it states.
    """

    address: str
    label: str
    status: str
    tone: Tone
    written: str
    comparison: Pieces
    margin: Pieces
    lead: str
    basis: Pieces
    measured: tuple[Pieces, ...]
    evidence: tuple[Pieces, ...]
    closed_by: str
    caveats: tuple[str, ...]
    exclusions: tuple[str, ...]
    place: str
    line: str


def verdict_views(of: Index) -> tuple[VerdictView, ...]:
    """The verdicts, those that need attention first."""
    ordered = sorted(of.doc.verdicts, key=lambda verdict: rank(verdict.status))
    return tuple(_view(verdict, of) for verdict in ordered)


def counts(of: Index) -> tuple[tuple[Tone, Pieces], ...]:
    """How many verdicts came out how, as `3 holds`, those that need attention first."""
    return tuple(
        (
            STATUS[status][1],
            (
                Numeral(str(count), "document", f"verdicts.{status.replace(' ', '_')}", "verdicts"),
                Words(f" {STATUS[status][0]}"),
            ),
        )
        for status, count in tally(verdict.status for verdict in of.doc.verdicts).items()
    )


def as_of_the_base(doc: PlanDoc) -> tuple[str, ...]:
    """The options of which all is asked that is asked of the plan, with no verdict otherwise than their base's."""
    asked: dict[str, set[str]] = {}
    for answer in doc.answers:
        asked.setdefault(answer.option, set()).add(answer.id)
    every, others = {verdict.id for verdict in doc.verdicts}, {option for option, _, _ in otherwise(doc)}
    return tuple(option for option, ids in asked.items() if ids >= every and option not in others)


def otherwise(doc: PlanDoc) -> Iterator[tuple[str, VerdictDoc, VerdictDoc]]:
    """The verdicts that an option has otherwise than its base: the option, the base's verdict, and its own."""
    bases = {verdict.id: verdict for verdict in doc.verdicts}
    for answer in doc.answers:
        base, own = bases[answer.id], answer.verdict
        if own is not None and own.status != base.status:
            yield answer.option, base, own


def _view(verdict: VerdictDoc, of: Index) -> VerdictView:
    words, tone = STATUS[verdict.status]
    return VerdictView(
        address=f"verdict:{verdict.id}",
        label=verdict.label,
        status=words,
        tone=tone,
        written=verdict.written,
        comparison=marked(verdict, silent=verdict.id in of.confidential.verdicts),
        margin=margin(verdict),
        lead=LEADS.get(verdict.status, "Leans on"),
        basis=_basis(verdict, of),
        measured=tuple(_measured(one, of) for one in of.doc.measurements if _rests_on(verdict, one)),
        evidence=tuple(_evidence(one) for one in of.doc.evidence if _is_shown(verdict, one)),
        closed_by=verdict.closed_by or "",
        caveats=verdict.caveats,
        exclusions=verdict.exclusions,
        place=verdict.place,
        line=verdict.line,
    )


def marked(verdict: VerdictDoc, *, silent: bool) -> Pieces:
    """Both sides, and that others are not told them."""
    mark: Pieces = (Words(f" ({CONFIDENTIAL}: others are told the status alone)"),) if silent else ()
    return (*comparison(verdict), *mark)


def comparison(verdict: VerdictDoc) -> Pieces:
    """`36.1 GiB, required ≤ 41 GiB`: both sides in the verdict's unit, in enough digits to tell them apart."""
    left = side_ends(verdict.left, verdict.id, "left", verdict.unit)
    right = side_ends(verdict.right, verdict.id, "right", verdict.unit)
    printed = numerals_together([left, right])
    verb = "required" if verdict.verb == "require" else "expected"
    what = "a limit that is " if right.is_bound else ""
    sign = Words(f", {verb} {COMPARISON[verdict.comparison]} {what}")
    return (*in_full(left, printed[0]), sign, *in_full(right, printed[1]))


def margin(verdict: VerdictDoc) -> Pieces:
    """The room between the sides (right minus left), or nothing where there is none or no part of it is known."""
    if not has_room(verdict):
        return ()
    address = f"verdict:{verdict.id}"
    ends = Ends(
        address,
        address,
        verdict.unit,
        number(verdict.margin_low),
        number(verdict.margin_nominal),
        number(verdict.margin_high),
        prefix="margin.",
    )
    return in_full(ends, numerals(ends)) if ends.parts() else ()


def _basis(verdict: VerdictDoc, of: Index) -> Pieces:
    if verdict.status == "not established":
        return _opened(verdict, of)
    found: list[Piece] = []
    for name in verdict.leans_on:
        found += [Words(", " if found else ""), name_of(name, of)]
    return tuple(found)


def _rests_on(verdict: VerdictDoc, measured: MeasurementDoc) -> bool:
    """Whether a verdict leans on a measurement, or one of its sides is read off it."""
    if not is_counted(measured):
        return False
    sides = (verdict.left.address, verdict.right.address)
    return measured.address in verdict.leans_on or measured.of in sides


def _is_shown(verdict: VerdictDoc, evidence: EvidenceDoc) -> bool:
    """Whether evidence that counts is of one of a verdict's sides."""
    sides = (verdict.left, verdict.right)
    return evidence.counts and any(evidence.of in (side.address, *side.named) for side in sides)


def discharged(doc: PlanDoc) -> tuple[Pieces, ...]:
    """`quality_not_shown discharged by needles (difference: …; metric: …) of prod.cache.saving`, for each caveat that
    evidence takes away: whoever reads that there is none has to see what was found."""
    return tuple(
        (Name(name), Words(" discharged by "), *_evidence(one), Words(" of "), Name(one.of))
        for one in doc.evidence
        if one.counts
        for name in one.discharges
    )


def _evidence(evidence: EvidenceDoc) -> Pieces:
    """`needles (baseline: …; task: …)`."""
    context = in_one_line(evidence)
    return (Quoted(evidence.name), *((Words(" ("), Quoted(context), Words(")")) if context else ()))


def _measured(measured: MeasurementDoc, of: Index) -> Pieces:
    """`prod.itl!load, 31.9 ms (engine: x@1; statistic: p95)`."""
    value = in_full(measurement_ends(measured), word="range")
    context = in_one_line(measured)
    stated: Pieces = (Words(" ("), Quoted(context), Words(")")) if context else ()
    silent = measured.address in of.confidential.measurements
    mark: Pieces = (Words(f" ({CONFIDENTIAL})"),) if silent else ()
    return (name_of(measured.address, of), Words(", "), *value, *mark, *stated)


def _opened(verdict: VerdictDoc, of: Index) -> Pieces:
    if verdict.opened_by is None:
        return (Words("the ranges overlap"),) if verdict.leans_on else ()
    place = place_of_line(verdict.opened_line)
    where: Pieces = (Words(" ("), Name(place), Words(")")) if place else ()
    return (Words("either is possible within what is known of "), name_of(verdict.opened_by, of), *where)


def place_of_line(line: str | None) -> str:
    """`file:line` of a line of a plan that is told with its place; "" where there is none."""
    found = _PLACE.match(line or "")
    return found[1] if found else ""


_PLACE: Final = re.compile(r"(.*?:\d+): ")


def name_of(address: str, of: Index) -> Piece:
    """The name at `address`, leading to its derivation where there is one."""
    target = of.target(address)
    return Reference(address, target) if target is not None and target in of.listed else Name(address)
