"""Diagnostics as a document carries them."""

from __future__ import annotations

from capwright.base.diagnostic import Diagnostic
from capwright.base.source import Source
from capwright.document.plandoc import DiagnosticDoc
from capwright.document.quantities import line_of


def diagnostic_docs(found: tuple[Diagnostic, ...], sources: dict[str, Source]) -> tuple[DiagnosticDoc, ...]:
    """Diagnostics with their places and lines."""
    docs: list[DiagnosticDoc] = []
    for d in found:
        source = sources.get(d.span.file)
        line, column = source.line_column(d.span.start) if source is not None else (0, 0)
        docs.append(
            DiagnosticDoc(
                d.code,
                d.severity,
                d.message,
                d.help,
                f"{d.span.file}:{line}",
                line_of(source, d.span) if source is not None else "",
                column,
                tuple(n.text for n in d.notes),
            )
        )
    return tuple(docs)
