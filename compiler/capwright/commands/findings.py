"""Verdicts as messages at their lines, for annotations and programs; a person gets them as a summary."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from capwright.base.diagnostic import Diagnostic, Severity
from capwright.base.source import NOWHERE, Source, Span
from capwright.document.plandoc import MeasurementDoc, PlanDoc, VerdictDoc

_MESSAGES: Final[dict[str, tuple[str, Severity, str, str]]] = {
    "violated": ("CW0705", "error", "is violated", "change the plan, or the requirement"),
    "contradicted": ("CW0705", "error", "is violated", "change the plan, or the requirement"),
    "not established": ("CW0706", "warning", "is not established", "close the end that is open"),
    "not expected": ("CW0707", "warning", "is not expected", "change the plan, or the expectation"),
}


def findings(document: PlanDoc, sources: Mapping[str, Source]) -> tuple[Diagnostic, ...]:
    """A message for each verdict that is not as wished, and for each contradicted measurement."""
    return (*_verdicts(document, sources), *_contradictions(document, sources))


def _verdicts(document: PlanDoc, sources: Mapping[str, Source]) -> Iterator[Diagnostic]:
    for verdict in document.verdicts:
        if verdict.status in _MESSAGES:
            code, severity, words, way_out = _MESSAGES[verdict.status]
            name = f"{verdict.label}: " if verdict.label else ""
            yield Diagnostic(
                code,
                _line_span(verdict, sources),
                f"{name}`{verdict.written}` {words}{_basis(verdict)}",
                verdict.closed_by or way_out,
                severity,
            )


def _basis(verdict: VerdictDoc) -> str:
    if verdict.opened_by:
        return f": `{verdict.opened_by}` opens the end ({verdict.opened_line})"
    return f", leaning on {', '.join(verdict.leans_on)}" if verdict.leans_on else ""


def _contradictions(document: PlanDoc, sources: Mapping[str, Source]) -> Iterator[Diagnostic]:
    for measured in document.measurements:
        if measured.comparison == "contradiction":
            yield Diagnostic(
                "CW0708",
                _line_span(measured, sources),
                f"the measurement `{measured.address}` lies outside what is derived for `{measured.of}`",
                "look for a wrong unit, a wrong setting or a wrong formula",
            )


def _line_span(of: VerdictDoc | MeasurementDoc, sources: Mapping[str, Source]) -> Span:
    """The line that `place` (`file:line`) names, without its indentation."""
    file, _, number = of.place.rpartition(":")
    source = sources.get(file)
    if source is None or not number.isdecimal():
        return NOWHERE
    line = source.line(int(number))
    start = source.starts[int(number) - 1] + len(line) - len(line.lstrip())
    return Span(file, start, start + max(len(line.strip()), 1))
