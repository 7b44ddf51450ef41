"""Clauses: each becomes a part, and the parts of a statement are gathered, each allowed once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final, NamedTuple

from capwright.base.diagnostic import Note
from capwright.base.source import Span
from capwright.syntax.actions.context import Children, Context, only, words
from capwright.syntax.actions.expressions import unescape
from capwright.syntax.lalr import Action
from capwright.syntax.tree import Caveat, Clauses, Exclusion


class Part(NamedTuple):
    """One clause: the word that opens it (`label` for a bare string), its value and its place."""

    word: str
    value: Any
    span: Span


NONE: Final = Clauses()


class Gathered(NamedTuple):
    """The clauses of a statement, and the kind, which stands among them but is no clause."""

    clauses: Clauses
    kind: str | None


def gather(context: Context, *lists: Sequence[Part] | None, no_number: str = "") -> Gathered:
    """All parts of one statement together; a second one of a sort is a mistake.

    `no_number` is what a statement is called that gives no number of its own, which could be confidential.
    """
    parts = [part for parts in lists if parts for part in parts]
    if not parts:
        return Gathered(NONE, None)
    found, caveats = once(context, parts)
    kind = found.pop("kind", None)
    if no_number and "confidential" in found:
        _no_secret(context, found.pop("confidential"), no_number)
    values = {word: part.value for word, part in found.items()}
    over = found.get("over")
    made = Clauses(**values, caveats=tuple(caveats), over_span=over.span if over else None)
    return Gathered(made, kind.value.text if kind else None)


def once(context: Context, parts: Iterable[Part]) -> tuple[dict[str, Part], list[Caveat]]:
    """The parts by word, and the caveats, each with the bare string after it as its text."""
    found: dict[str, Part] = {}
    caveats: list[Caveat] = []
    before: Part | None = None
    for part in parts:
        if part.word == "words" and before is not None and before.word == "caveat":
            last = caveats[-1]
            span = last.span.to(part.span)
            caveats[-1] = Caveat(span, last.name, last.scopes, part.value, last.permanent)
        elif part.word == "caveat":
            caveats.append(part.value)
        else:
            word = "label" if part.word == "words" else part.word
            if word in found:
                _twice(context, word, part, found[word])
            else:
                found[word] = part
        before = part
    return found, caveats


def _twice(context: Context, word: str, part: Part, first: Part) -> None:
    what = "a label" if word == "label" else f"`{word.replace('_', ' ')}`"
    note = Note("the first stands here", first.span)
    context.wrong("CW0111", part.span, f"{what} stands twice on one statement", "keep one of the two", note)


def _no_secret(context: Context, part: Part, what: str) -> None:
    context.wrong(
        "CW0112",
        part.span,
        f"{what} takes no `confidential`",
        "write it on what gives the number: a binding, a field, an assumption, an instance, a formula with its "
        "body, a measurement",
    )


def label_only(context: Context, parts: Sequence[Part], what: str) -> str | None:
    """The label of a statement that takes no other clause."""
    gathered = gather(context, parts)
    for part in parts:
        if part.word not in {"label", "words"}:
            word = part.word.replace("_", " ")
            context.wrong(
                "CW0112",
                part.span,
                f"{what} takes no `{word}`",
                "delete the clause; only a label in quotes may follow",
            )
    return gathered.clauses.label


def _words(word: str) -> Action:
    def make(context: Context, children: Children, start: int, end: int) -> Part:
        return Part(word, children[0], Span(context.file, start, end))

    return make


def _string(word: str) -> Action:
    def make(context: Context, children: Children, start: int, end: int) -> Part:
        return Part(word, unescape(context, children[0]), Span(context.file, start, end))

    return make


def parts(_context: Context, children: Children, _start: int, _end: int) -> list[Part]:
    return children


def excluded_family(context: Context, children: Children, start: int, end: int) -> Exclusion:
    return Exclusion(Span(context.file, start, end), children[0][0], quoted=False)


def excluded_words(context: Context, children: Children, start: int, end: int) -> Exclusion:
    return Exclusion(Span(context.file, start, end), unescape(context, children[0]), quoted=True)


def excludes(context: Context, children: Children, start: int, end: int) -> Part:
    return Part("excludes", tuple(children), Span(context.file, start, end))


def includes(context: Context, children: Children, start: int, end: int) -> Part:
    return Part("includes", tuple(children), Span(context.file, start, end))


def caveat(context: Context, children: Children, start: int, end: int) -> Part:
    name, permanent, scopes = children
    span = Span(context.file, start, end)
    return Part("caveat", Caveat(span, name[0], scopes, "", permanent is not None), span)


def from_measure(context: Context, children: Children, start: int, end: int) -> Part:
    return Part("from_measure", children[0][0], Span(context.file, start, end))


def confidential(context: Context, _children: Children, start: int, end: int) -> Part:
    return Part("confidential", True, Span(context.file, start, end))


def review(context: Context, children: Children, start: int, end: int) -> Part:
    written = children[0][0]
    span = Span(context.file, start, end)
    if not _in_calendar(*[int(part) for part in written.split("-")]):
        context.wrong(
            "CW0113",
            context.of(children[0]),
            f"{written} is no date",
            "write a month, `2027-03`, or a day, `2027-03-31`",
        )
    return Part("review", written, span)


def _in_calendar(year: int, month: int, day: int = 1) -> bool:
    leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    lengths = (31, 29 if leap else 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
    return year > 0 and 1 <= month <= 12 and 1 <= day <= lengths[month - 1]


ACTIONS: Final[dict[str, Action]] = {
    "clauses": parts,
    "names": words,
    "over": _words("over"),
    "each": _words("each"),
    "excludes": excludes,
    "includes": includes,
    "excluded_family": excluded_family,
    "excluded_words": excluded_words,
    "caveat": caveat,
    "discharges": _words("discharges"),
    "because": _string("because"),
    "review": review,
    "source": _string("source"),
    "key": _string("key"),
    "from_measure": from_measure,
    "flag": _string("flag"),
    "confidential": confidential,
    "kind": _words("kind"),
    "label": _string("label"),
    "words": _string("words"),
    "relation": only,
}
