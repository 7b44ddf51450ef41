"""The verdicts of a plan in a few lines."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec.structs import replace

from capwright.document.plandoc import PlanDoc
from capwright.render.index import index
from capwright.render.pieces import plain
from capwright.render.terminal.style import PLAIN, Style, said
from capwright.render.verdicts import VerdictView, counts, verdict_views


def summary(doc: PlanDoc, style: Style = PLAIN) -> str:
    """One paragraph a verdict, what needs attention first; then the permanent caveats. Empty without verdicts."""
    if not doc.verdicts:
        return ""
    # Names need no link here, and a check should not wait for tables of every quantity.
    of = index(replace(doc, quantities=(), sections=(), views=(), sources=()))
    lines = [line for view in verdict_views(of) for line in _verdict(view, style)]
    counted = ", ".join(style.paint(tone, plain(count)) for tone, count in counts(of))
    caveats = [style.paint("dim", caveat.text) for caveat in doc.caveats if caveat.permanent]
    return "\n".join([*lines, counted, *caveats]) + "\n"


def _verdict(view: VerdictView, style: Style) -> Iterable[str]:
    label = view.label or view.written
    yield f"{style.paint(view.tone, view.status)}  {style.paint('bold', label)}"
    yield f"    {said(view.comparison)}"
    if view.basis:
        yield f"    {view.lead.lower()}: {said(view.basis)}"
    for measured in view.measured:
        yield f"    measured: {said(measured)}"
    if view.closed_by:
        yield style.paint("dim", f"    would be closed by: {view.closed_by}")
    if view.margin:
        yield f"    margin: {said(view.margin)}"
    yield style.paint("dim", f"    {view.written}  {view.place}")
