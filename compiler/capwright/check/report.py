"""A list of messages that never says one thing twice."""

from __future__ import annotations

from capwright.base.diagnostic import Diagnostic, Note, Severity
from capwright.base.source import Span


class Report:
    """Collects diagnostics. The same code at the same place is one mistake, however often it is met.

    Where one place can hold several (the missing fields of one instance), `about` tells them apart.
    """

    __slots__ = ("_seen", "found")

    def __init__(self) -> None:
        self.found: list[Diagnostic] = []
        self._seen: set[tuple[str, Span, str]] = set()

    def say(
        self,
        code: str,
        span: Span,
        message: str,
        help: str,
        *notes: Note,
        severity: Severity = "error",
        about: str = "",
    ) -> None:
        """Add one message."""
        key = (code, span, about)
        if key in self._seen:
            return
        self._seen.add(key)
        self.found.append(Diagnostic(code, span, message, help, severity, notes))

    @property
    def failed(self) -> bool:
        """Whether anything of severity error was found."""
        return any(d.severity == "error" for d in self.found)
