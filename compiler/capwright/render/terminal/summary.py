"""The verdicts of a plan in a few lines."""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Set as AbstractSet
from typing import Final

from msgspec.structs import replace

from capwright.document.outcome import lacks_proof, lapsed
from capwright.document.plandoc import PlanDoc, VerdictDoc
from capwright.document.withholding import confidential
from capwright.render.escape import terminal_text
from capwright.render.index import Index, index
from capwright.render.pieces import plain
from capwright.render.scaling import readable
from capwright.render.standing import carried
from capwright.render.terminal.style import PLAIN, Style, fitted, said
from capwright.render.verdicts import (
    VerdictView,
    as_of_the_base,
    counts,
    discharged,
    margin,
    marked,
    otherwise,
    verdict_views,
)
from capwright.render.words import STATUS

_NAMED: Final = 6
"""Options that come out as their base and are named; the rest are counted."""


def summary(doc: PlanDoc, style: Style = PLAIN, *, strict: bool = False, wide: int | None = None) -> str:
    """One paragraph a verdict, what needs attention first; then what evidence took away, and what caveats say. Empty without
    verdicts. In lines of at most `wide` columns.

    `strict` as in `findings_of`: what is a finding for want of proof alone says so, and for whose sake.
    """
    if not doc.verdicts:
        return ""
    of = _without_quantities(doc)
    permanent = _permanent(doc)
    asked_for = {
        f"verdict:{verdict.id}": "`require established`"
        if verdict.strict
        else "`--strict`, or `strict = true` of the project,"
        for verdict in doc.verdicts
        if lacks_proof(verdict, strict=strict)
    }
    lines = [
        line
        for view in verdict_views(of)
        for line in _verdict(view, permanent, style, asked_for.get(view.address, ""))
    ]
    counted = ", ".join(style.paint(tone, plain(count)) for tone, count in counts(of))
    asked = (*doc.verdicts, *(own for _, _, own in otherwise(doc)))
    told = {name for verdict in asked for name in verdict.caveats}
    named = sorted((c for c in doc.caveats if c.permanent or c.name in told), key=lambda c: c.permanent)
    caveats = [style.paint("dim", c.text if c.permanent else f"{c.name}: {c.text}") for c in named]
    shown = [style.paint("dim", terminal_text(plain(each))) for each in discharged(doc)]
    return _block([*lines, counted, *shown, *caveats], wide)


def headlines(doc: PlanDoc, style: Style = PLAIN, wide: int | None = None) -> str:
    """A line a verdict, what needs attention first, their counts, and what stands on all of them; then what options change.
    Empty without verdicts."""
    if not doc.verdicts:
        return of_options(doc, style, wide)
    of = _without_quantities(doc)
    lines = [
        f"{style.paint(view.tone, view.status)}  {style.paint('bold', view.label or view.written)}: {said(view.comparison)}"
        for view in verdict_views(of)
    ]
    counted = ", ".join(style.paint(tone, plain(count)) for tone, count in counts(of))
    caveats = [style.paint("dim", caveat.text) for caveat in doc.caveats if caveat.permanent]
    return _block([*lines, counted, *caveats], wide) + of_options(doc, style, wide)


def _without_quantities(doc: PlanDoc) -> Index:
    # Names need no link here, and a check should not wait for tables of every quantity: these alone say what of the
    # verdicts is confidential, so that is found before they go.
    bare = index(replace(doc, quantities=(), sections=(), views=(), sources=()))
    return replace(bare, confidential=confidential(doc))


def _block(lines: Iterable[str], wide: int | None) -> str:
    return "".join(f"{part}\n" for line in lines for part in fitted(line, wide))


def of_options(doc: PlanDoc, style: Style = PLAIN, wide: int | None = None) -> str:
    """Each verdict that an option has otherwise than its base, with both sides, the margin and its caveats, and which
    options have none; empty without options of which something is asked. In lines of at most `wide` columns."""
    silent = confidential(doc).answers
    lines: list[str] = []
    for option, base, own in otherwise(readable(doc)):
        (before, _), (after, tone) = STATUS[base.status], STATUS[own.status]
        label = terminal_text(own.label or own.written)
        lapse = lapsed(base.status, own.status)
        turn = f"{before} → {style.paint(tone, after)}" + (f", {style.paint(tone, lapse)}" if lapse else "")
        lines.append(f"{terminal_text(option)}  {turn}  {label}")
        lines.append(f"    {said(marked(own, silent=(option, own.id) in silent))}")
        if room := margin(own):
            lines.append(f"    margin: {said(room)}")
        lines += _marks(own, _permanent(doc))
    if alike := as_of_the_base(doc):
        more = f" and {len(alike) - _NAMED} more" if len(alike) > _NAMED else ""
        lines.append(f"every verdict as the base's: {terminal_text(', '.join(alike[:_NAMED]))}{more}")
    return _block(lines, wide)


def _verdict(view: VerdictView, permanent: AbstractSet[str], style: Style, asked_for: str) -> Iterable[str]:
    label = view.label or view.written
    yield f"{style.paint(view.tone, view.status)}  {style.paint('bold', label)}"
    if asked_for:
        yield f"    {style.paint('bad', 'an error')}: {asked_for} asks that it be established"
    yield f"    {said(view.comparison)}"
    if view.basis:
        yield f"    {view.lead.lower()}: {said(view.basis)}"
    for measured in view.measured:
        yield f"    measured: {said(measured)}"
    for evidence in view.evidence:
        yield f"    evidence: {said(evidence)}"
    if view.closed_by:
        yield style.paint("dim", f"    would be closed by: {view.closed_by}")
    if view.margin:
        yield f"    margin: {said(view.margin)}"
    yield from _marks(view, permanent)
    yield style.paint("dim", f"    {view.written}  {view.place}")


def _marks(verdict: VerdictView | VerdictDoc, permanent: AbstractSet[str]) -> Iterable[str]:
    """What a verdict carries, by name: its caveats, but for the permanent ones, which stand once under all verdicts, and
    what its sides leave out."""
    yield from (f"    {said(each)}" for each in carried(verdict, permanent))


def _permanent(doc: PlanDoc) -> frozenset[str]:
    return frozenset(caveat.name for caveat in doc.caveats if caveat.permanent)
