"""Messages to the person who wrote the plan. They are values; nothing raises them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from heapq import nsmallest
from typing import Final, Literal

from msgspec import Struct, field
from msgspec.structs import replace

from capwright.base.source import Span

Severity = Literal["error", "warning", "hint"]
Missing = Literal["entity", "formula", "kind", "type", "unit", "value"]
"""What sort of declaration a name is missing. A type is a unit or an entity."""
_SHOWN: Final = 6
"""Things that a message offers by name."""
_MANY: Final = 300
"""More names than this are not all compared with a misspelt one."""
_LISTED: Final = 8
"""As many names a sentence lists."""


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


def nearest(word: str, known: Iterable[str]) -> tuple[str, ...]:
    """The known names that `word` was most likely meant to be.

    Names that agree with it but for upper and lower case come before all others, and all of them are meant alike:
    `GIB` is no slip for `GB`, and `MS` may be a millisecond or a million seconds.
    """
    names = set(known)
    folded = word.casefold()
    if alike := sorted(name for name in names if name.casefold() == folded):
        return tuple(alike)
    if len(names) > _MANY:
        names = _with_half_of(word, names)
    from difflib import get_close_matches  # few plans have a name to correct

    return tuple(get_close_matches(word, sorted(names), n=1, cutoff=0.6))


def _with_half_of(word: str, names: set[str]) -> set[str]:
    """Of many names those that begin or end as `word` does, nearest in length: one slip leaves a half alone."""
    half = max(1, len(word) // 2)
    start, end = word[:half], word[-half:]
    found = [name for name in names if name.startswith(start) or name.endswith(end)]
    return set(nsmallest(_MANY, found, key=lambda name: (abs(len(name) - len(word)), name)))


def offered(names: Sequence[str]) -> str:
    """The question whether one of these, which are not many, was meant."""
    *others, last = (f"`{name}`" for name in names)
    return f"did you mean {', '.join(others)} or {last}?" if others else f"did you mean {last}?"


def did_you_mean(word: str, known: Iterable[str], most: int = _LISTED) -> str:
    """A help sentence that offers the nearest spelling, or lists what there is to choose from, `most` at most."""
    names = set(known)
    close = nearest(word, names)
    if close:
        return offered(close)
    if not names:
        return "nothing of this sort is declared here"
    shown = ", ".join(f"`{name}`" for name in nsmallest(most, names))
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return f"known here: {shown}{more}"


class Spelling(Struct, frozen=True):
    """The help of `did_you_mean`, worked out only for a message that is shown: looking for the nearest of
    thousands of names, thousands of times, is what a spoilt plan would cost most.

    Where a declaration of some sort would give `word` a meaning, `missing` says of which.
    """

    word: str
    known: Iterable[str]
    more: str = ""
    missing: Missing | None = None

    def __add__(self, more: str) -> Spelling:
        return replace(self, more=self.more + more)

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
