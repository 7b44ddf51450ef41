"""Verdicts as messages at their lines, for annotations and programs; a person gets them as a summary."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from capwright.base.diagnostic import Diagnostic, Severity
from capwright.base.source import NOWHERE, Source, Span
from capwright.document.outcome import lacks_proof
from capwright.document.plandoc import PlanDoc, VerdictDoc
from capwright.render.escape import shell_path, shell_word
from capwright.render.verdicts import place_of_line

_MESSAGES: Final[dict[str, tuple[str, Severity, str, str]]] = {
    "violated": ("CW0705", "error", "is violated", "change what it is made of, or the requirement"),
    "not established": ("CW0706", "warning", "is not established", "close the end that is open"),
    "not expected": ("CW0707", "warning", "is not expected", "change what it is made of, or the expectation"),
}


def findings(
    document: PlanDoc, path: str, sources: Mapping[str, Source], *, strict: bool = False
) -> Iterator[Diagnostic]:
    """A message for each verdict that is not as wished; `path` is what the reader calls the plan, `strict` as in `findings_of`.

    One that is contradicted has none: the measurement that contradicts has said so as CW0509, once for all that is
    asked of its quantity.
    """
    for verdict in document.verdicts:
        if verdict.status in _MESSAGES:
            code, severity, words, way_out = _MESSAGES[verdict.status]
            name = f"{verdict.label}: " if verdict.label else ""
            yield Diagnostic(
                code,
                _line_span(verdict.place, sources),
                f"{name}`{verdict.written}` {words}{_basis(verdict)}",
                verdict.closed_by or way_out + _made_of(verdict, path),
                "error" if lacks_proof(verdict, strict=strict) else severity,
            )


def _made_of(verdict: VerdictDoc, path: str) -> str:
    """How to see what the sides of a requirement are made of; of numbers written out there is nothing to see."""
    named = [
        name for side in (verdict.left, verdict.right) for name in (side.address or "", *side.named) if name
    ]
    return f": `capwright explain {shell_path(path)} {shell_word(named[0])}` tells it" if named else ""


def _basis(verdict: VerdictDoc) -> str:
    if verdict.opened_by:
        place = place_of_line(verdict.opened_line)
        return f": `{verdict.opened_by}` leaves it open{f' ({place})' if place else ''}"
    return f", leaning on {', '.join(verdict.leans_on)}" if verdict.leans_on else ""


def _line_span(place: str, sources: Mapping[str, Source]) -> Span:
    """The line that `place` (`file:line`) names, without its indentation."""
    file, _, number = place.rpartition(":")
    source = sources.get(file)
    if source is None or not number.isdecimal():
        return NOWHERE
    line = source.line(int(number))
    start = source.starts[int(number) - 1] + len(line) - len(line.lstrip())
    return Span(file, start, start + max(len(line.strip()), 1))
