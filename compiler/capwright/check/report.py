"""A list of messages that never says one thing twice."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from capwright.base.diagnostic import Diagnostic, Missing, Note, Offer, Severity, Spelling
from capwright.base.source import Span

MAX_MESSAGES: Final = 100
"""Mistakes reported of one plan beyond its syntax; one with more of them is hardly a plan."""

Elsewhere = Callable[[Missing, str, str], str | None]
"""How a name comes to mean something of that sort in a file; None where nothing that could be used declares it."""


class Report:
    """Collects diagnostics. The same code at the same place is one mistake, however often it is met.

    Where one place can hold several (the missing fields of one instance), `about` tells them apart. Before a name is
    taken for a misspelt one, `elsewhere` is asked whether it is declared in something that the file does not use.
    """

    __slots__ = ("_elsewhere", "_seen", "_unused", "found", "hidden")

    def __init__(self, elsewhere: Elsewhere | None = None) -> None:
        self._elsewhere = elsewhere
        self.found: list[Diagnostic] = []
        self.hidden = 0
        """How many more errors there are than are reported."""
        self._unused: dict[str, int] = {}
        self._seen: set[tuple[str, Span, str]] = set()

    def say(
        self,
        code: str,
        span: Span,
        message: str,
        help: str | Spelling | Offer,
        *notes: Note,
        severity: Severity = "error",
        about: str = "",
    ) -> None:
        """Add one message."""
        key = (code, span, about)
        if key in self._seen:
            return
        self._seen.add(key)
        if len(self.found) >= MAX_MESSAGES:
            self.hidden += severity == "error"
            return
        used = self._not_used(help, span.file)
        way = used or (help if isinstance(help, str) else help.text())
        message_of = Diagnostic(code, span, message, way, severity, notes)
        if used is None:
            self.found.append(message_of)
            return
        at = self._unused.setdefault(used, len(self.found))
        if at == len(self.found):
            self.found.append(message_of)
        elif span.start < self.found[at].span.start:
            self.found[at] = message_of

    def take_back(self, code: str, at: Callable[[Span], bool]) -> None:
        """Say no more what was said under a code at such places: it comes of another mistake."""
        unused = [(used, self.found[at]) for used, at in self._unused.items()]
        self.found = [one for one in self.found if one.code != code or not at(one.span)]
        self._unused = {used: self.found.index(one) for used, one in unused if one in self.found}

    def _not_used(self, help: str | Spelling | Offer, file: str) -> str | None:
        """What a file would have to use for a name to mean something; that it does not is one mistake, told at the first
        of the names."""
        if isinstance(help, Spelling) and help.missing and self._elsewhere:
            return self._elsewhere(help.missing, help.word, file)
        return None

    @property
    def failed(self) -> bool:
        """Whether anything of severity error was found."""
        return self.hidden > 0 or any(d.severity == "error" for d in self.found)
