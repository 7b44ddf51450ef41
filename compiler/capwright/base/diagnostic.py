"""Messages to the person who wrote the plan. They are values; nothing raises them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from heapq import nsmallest
from typing import Final, Literal

from msgspec import Struct, field

from capwright.base.source import Span

Severity = Literal["error", "warning", "hint"]
_SHOWN: Final = 6
"""Things that a message offers by name."""
_MANY: Final = 300
"""More names than this are not all compared with a misspelt one."""


class Note(Struct, frozen=True):
    """A second place, or a second sentence, that belongs to a message."""

    text: str
    span: Span | None = None


class Diagnostic(Struct, frozen=True):
    """One mistake: its code, its place, what is wrong, and a way out.

    `message` says what is wrong in the writer's terms; `found` and `expected` are the two sides of a
    mismatch where there is one; `help` is the way out and is never empty for an error.
    """

    code: str
    span: Span
    message: str
    help: str = ""
    severity: Severity = "error"
    notes: tuple[Note, ...] = field(default=())


def nearest(word: str, known: Iterable[str]) -> str | None:
    """The known name that `word` was most likely meant to be, or None."""
    names = set(known)
    if len(names) > _MANY:
        names = _with_half_of(word, names)
    from difflib import get_close_matches  # few plans have a name to correct

    found = get_close_matches(word, sorted(names), n=1, cutoff=0.6)
    return found[0] if found else None


def _with_half_of(word: str, names: set[str]) -> set[str]:
    """Of many names those that begin or end as `word` does, nearest in length: one slip leaves a half alone."""
    half = max(1, len(word) // 2)
    start, end = word[:half], word[-half:]
    found = [name for name in names if name.startswith(start) or name.endswith(end)]
    return set(nsmallest(_MANY, found, key=lambda name: (abs(len(name) - len(word)), name)))


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """A help sentence that offers the nearest spelling, or lists what there is to choose from."""
    names = set(known)
    close = nearest(word, names)
    if close is not None:
        return f"did you mean `{close}`?"
    if not names:
        return "nothing of this sort is declared here"
    shown = ", ".join(f"`{name}`" for name in nsmallest(8, names))
    more = f" and {len(names) - 8} more" if len(names) > 8 else ""
    return f"known here: {shown}{more}"


class Spelling(Struct, frozen=True):
    """The help of `did_you_mean`, worked out only for a message that is shown: looking for the nearest of
    thousands of names, thousands of times, is what a spoilt plan would cost most."""

    word: str
    known: Iterable[str]
    more: str = ""

    def __add__(self, more: str) -> Spelling:
        return Spelling(self.word, self.known, self.more + more)

    def text(self) -> str:
        """The help."""
        return did_you_mean(self.word, self.known) + self.more


class Offer(Struct, frozen=True):
    """A way out with the names of things to take, looked for only for a message that is shown."""

    before: str
    known: Callable[[], Sequence[str]]
    after: str = ""

    def text(self) -> str:
        """The help, with the first few of them."""
        names = self.known()
        shown = ", ".join(f"`{name}`" for name in names[:_SHOWN])
        more = f" and {len(names) - _SHOWN:,} more" if len(names) > _SHOWN else ""
        return f"{self.before}{f': {shown}{more}' if shown else ''}{self.after}"
