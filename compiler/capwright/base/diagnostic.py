"""Messages to the person who wrote the plan. They are values; nothing raises them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from heapq import nsmallest
from operator import ne
from typing import Final, Literal

from msgspec import Struct, field
from msgspec.structs import replace

from capwright.base.source import Span

Severity = Literal["error", "warning", "hint"]
Missing = Literal["entity", "formula", "kind", "type", "unit", "value"]
"""What sort of declaration a name is missing. A type is a unit or an entity."""
_SHOWN: Final = 8
"""As many names a message lists or offers."""
_MANY: Final = 300
"""More names than this are not all compared with a misspelt one."""
_NEAR: Final = 0.6
_NEARER: Final = 0.75
"""How like a name, and how like the last part of one alone, a misspelt word is: of 1."""
FIELDS_LISTED: Final = 30
"""As many fields of a thing: whoever looks for one looks through them all."""


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
    withheld: bool = False
    """Whether it is told by its title alone: then its line is not for others either."""


def nearest(word: str, known: Iterable[str], near: float = _NEAR) -> tuple[str, ...]:
    """The known names that `word` was most likely meant to be, whole or by their last part after a dot.

    Names that agree with it but for upper and lower case come before all others, and all of them are meant alike:
    `GIB` is no slip for `GB`, and `MS` may be a millisecond or a million seconds. Then come those that it is the
    beginning of: `h200` is no slip for `h20` where there is an `h200_sxm`. Of a dotted word, what stands before the dot
    and is right says nothing of what stands behind it, a single letter but the beginning of a name. `near` is how like the word a whole name is, of 1.
    """
    names = known if isinstance(known, set) else set(known)
    if head := _right_head(word, names):
        below = {name.removeprefix(head) for name in names if name.startswith(head)}
        if len(word) == len(head) + 1 and (begun := [name for name in below if name.startswith(word[-1])]):
            return tuple(head + name for name in sorted(begun, key=lambda name: (len(name), name)))
        return tuple(head + name for name in nearest(word.removeprefix(head), below, near))
    forms = {name: [name] for name in names}
    for name in names:
        if "." in name:
            forms.setdefault(name.rpartition(".")[2], []).append(name)
    folded = word.casefold()
    longer = [form for form in forms if form.casefold().startswith(folded)]
    if alike := [form for form in longer if form.casefold() == folded]:
        if entire := names.intersection(alike):
            return tuple(sorted(entire, key=lambda name: (sum(map(ne, name, word)), name)))
        return _named(alike, forms)
    if len(word) > 1 and longer:
        return _named(longer, forms)
    from difflib import get_close_matches  # few plans have a name to correct

    compared = sorted(_with_half_of(word, forms) if len(forms) > _MANY else forms)
    whole = [form for form in compared if form in names]
    close = get_close_matches(word, whole, n=1, cutoff=near) or get_close_matches(
        word, compared, n=1, cutoff=_NEARER
    )
    return _named(close, forms)


def _right_head(word: str, names: set[str]) -> str:
    """The longest beginning of a dotted word, its dot included, that some names have; "" where there is none."""
    head = word
    while "." in head:
        head = head.rpartition(".")[0]
        if any(name.startswith(f"{head}.") for name in names):
            return f"{head}."
    return ""


def _named(forms: Iterable[str], of: Mapping[str, Sequence[str]]) -> tuple[str, ...]:
    """The names of these forms, the shortest first."""
    return tuple(sorted({name for form in forms for name in of[form]}, key=lambda name: (len(name), name)))


def _with_half_of(word: str, names: Iterable[str]) -> set[str]:
    """Of many names those that begin or end as `word` does, nearest in length: one slip leaves a half alone."""
    half = max(1, len(word) // 2)
    start, end = word[:half], word[-half:]
    found = [name for name in names if name[:half] == start or name[-half:] == end]
    return set(nsmallest(_MANY, found, key=lambda name: (abs(len(name) - len(word)), name)))


def offered(names: Sequence[str]) -> str:
    """The question whether one of these was meant, the first few of them by name."""
    shown = [f"`{name}`" for name in names[:_SHOWN]]
    if len(names) > _SHOWN:
        shown.append(f"one of {len(names) - _SHOWN:,} more")
    *others, last = shown
    return f"did you mean {', '.join(others)} or {last}?" if others else f"did you mean {last}?"


def did_you_mean(word: str, known: Iterable[str], most: int = _SHOWN) -> str:
    """A help sentence that offers the nearest spelling, or lists what there is to choose from, `most` at most."""
    names = set(known)
    close = nearest(word, names)
    if close:
        return offered(close)
    if not names:
        return "nothing of this sort is declared here"
    before = "known here"
    if head := _right_head(word, names):
        names = {name.removeprefix(head).partition(".")[0] for name in names if name.startswith(head)}
        before = f"`{head[:-1]}` has"
    return f"{before}: {listed(nsmallest(most, names), len(names))}"


def near_or(word: str, known: Iterable[str], otherwise: str) -> str:
    """A help sentence that offers the nearest spelling of what is one of many: a part of these would be as good as none, so
    that `otherwise` says how to see them all."""
    close = nearest(word, known)
    return offered(close) if close else otherwise


def listed(first: Iterable[str], count: int) -> str:
    """The first few of so many names, and how many more there are."""
    shown = [f"`{name}`" for name in first]
    more = f" and {count - len(shown):,} more" if count > len(shown) else ""
    return f"{', '.join(shown)}{more}"


class Spelling(Struct, frozen=True):
    """The help of `did_you_mean`, worked out only for a message that is shown: looking for the nearest of
    thousands of names, thousands of times, is what a spoilt plan would cost most.

    Where a declaration of some sort would give `word` a meaning, `missing` says of which. What `fitting` gives can stand
    at the place, which others of `known` may not: it comes before them, and they are offered only where they are nearer. `alike` are the things of one sort that `word`
    would be one of.
    """

    word: str
    known: Iterable[str]
    more: str = ""
    missing: Missing | None = None
    fitting: Callable[[], Sequence[str]] = tuple
    most: int = _SHOWN
    alike: Callable[[], Sequence[str]] = tuple
    fresh: str = ""
    """What to do where nothing that fits is near: it may be meant to be new, most of all where there is one such thing."""

    def __add__(self, more: str) -> Spelling:
        return replace(self, more=self.more + more)

    def text(self) -> str:
        """The help."""
        fitting = self.fitting()
        close = nearest(self.word, fitting) or (nearest(self.word, self.known, _NEARER) if fitting else ())
        if close:
            return offered(close) + self._besides(close) + self.more
        if self.fresh and len(fitting) == 1:
            return f"{self.fresh}; or take what fits here: `{fitting[0]}`{self.more}"
        if fitting:
            fresh = f"; or {self.fresh}" if self.fresh else ""
            return Offer("what fits here", self.fitting).text() + fresh + self.more
        return did_you_mean(self.word, self.known, self.most) + self.more

    def _besides(self, close: Sequence[str]) -> str:
        """All that is of the sort of what is offered, where these are few: a version that there is not is near to one, and
        another may be meant."""
        sort = list(self.alike())
        return f" There are {listed(sort, len(sort))}." if len(close) < len(sort) <= self.most else ""


class Offer(Struct, frozen=True):
    """A way out with the names of things to take, looked for only for a message that is shown."""

    before: str
    known: Callable[[], Sequence[str]]
    after: str = ""

    def text(self) -> str:
        """The help, with the first few of them."""
        names = self.known()
        shown = f": {listed(names[:_SHOWN], len(names))}" if names else ""
        return f"{self.before}{shown}{self.after}"
