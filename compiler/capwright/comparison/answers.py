"""The options of both documents: which came, which went, and what became of the verdicts of those that stayed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, Literal

from msgspec import Struct

from capwright.base.address import option_of
from capwright.comparison.sides import Side
from capwright.comparison.verdicts import Match
from capwright.document.diffdoc import (
    AnswerChange,
    Difference,
    OptionEntry,
    OptionStatus,
    QuantityEntry,
)
from capwright.document.outcome import WISHED, became_worse
from capwright.document.plandoc import OptionDoc, VerdictDoc

_NONE: Final = Difference(None, None, None, False, "none", 0, ())


class Answered(Struct, frozen=True):
    """A requirement with one option in its base's place, on both sides."""

    option: str
    match: Match


class Answers:
    """What the options of both documents come to. An option goes by the name it has in the second one."""

    def __init__(self, a: Side, b: Side) -> None:
        self.a, self.b = a, b
        self.ours, self.theirs = _options(a), _options(b)
        self._a, self._b = _verdicts(a), _verdicts(b)
        known = _says(a) and _says(b)
        self._both = [option for option in self.theirs if option in self.ours] if known else []
        """The options that are on both sides and whose verdicts both documents tell."""

    def matched(self, matches: Iterable[Match]) -> list[Answered]:
        """The verdicts of options that are on both sides, option by option. What stands on the base's sides on both is
        the base's own: it is told there."""
        both = list(matches)
        return [
            Answered(option, pair)
            for option in self._both
            for match in both
            if (pair := self._pair(option, match)) is not None
        ]

    def _pair(self, option: str, match: Match) -> Match | None:
        before, after = (option, match.before.id), (option, match.after.id)
        if before not in self._a or after not in self._b:
            return None
        one, two = self._a[before], self._b[after]
        return Match(one or match.before, two or match.after) if one or two else None

    def asked_once(self, matches: Iterable[Match]) -> Iterator[AnswerChange]:
        """The requirements on both sides that could be asked of an option on one of them only: it lacks something there."""
        for match in matches:
            for option in self._both:
                before, after = (option, match.before.id), (option, match.after.id)
                if before not in self._a and after in self._b:
                    yield answer_change(option, "added", None, self._b[after] or match.after, _NONE)
                elif before in self._a and after not in self._b:
                    yield answer_change(option, "removed", self._a[before] or match.before, None, _NONE)

    def new(self, verdicts: Iterable[VerdictDoc]) -> Iterator[AnswerChange]:
        """What options come to that are asked what nobody was asked before, where it is not what their base comes to."""
        for option, verdict in self._unlike(verdicts, self._b):
            yield answer_change(option, "added", None, verdict, _NONE)

    def gone(self, verdicts: Iterable[VerdictDoc]) -> Iterator[AnswerChange]:
        """What options came to that were asked what nobody is asked any more, where it was not what their base came to."""
        for option, verdict in self._unlike(verdicts, self._a):
            yield answer_change(option, "removed", verdict, None, _NONE)

    def _unlike(
        self, verdicts: Iterable[VerdictDoc], held: Mapping[tuple[str, str], VerdictDoc | None]
    ) -> Iterator[tuple[str, VerdictDoc]]:
        for asked in verdicts:
            for option in self._both:
                verdict = held.get((option, asked.id))
                if verdict is not None and verdict.status != asked.status:
                    yield option, verdict

    def unsaid(self) -> Iterator[str]:
        """That a document does not say what its options come to, where the other one does or may."""
        for side, what in ((self.a, "was before"), (self.b, "is now")):
            if not _says(side):
                names = ", ".join(f"`{side.renamed(option.address)}`" for option in side.doc.options)
                yield (
                    f"the document of what {what} does not say what its options come to ({names}); they are not compared"
                )

    def owner(self, address: str, side: Side) -> str | None:
        """The option that a quantity which came or went is of, where that is on this side only."""
        mine, others = (self.theirs, self.ours) if side is self.b else (self.ours, self.theirs)
        found = option_of(address, mine)
        return None if found in others else found

    def entries(
        self, added: Sequence[QuantityEntry], removed: Sequence[QuantityEntry]
    ) -> tuple[OptionEntry, ...]:
        """The options that are on one side only, with how many of the quantities that came and went are theirs."""
        new = [name for name in self.theirs if name not in self.ours]
        gone = [name for name in self.ours if name not in self.theirs]
        return (
            *(self._entry("added", name, self.theirs[name], added) for name in new),
            *(self._entry("removed", name, self.ours[name], removed) for name in gone),
        )

    def _entry(
        self,
        what: Literal["added", "removed"],
        name: str,
        option: OptionDoc,
        quantities: Sequence[QuantityEntry],
    ) -> OptionEntry:
        side, held = (self.b, self._b) if what == "added" else (self.a, self._a)
        statuses = tuple(
            OptionStatus(
                base.label or base.written, verdict.status, None if verdict.status in WISHED else verdict
            )
            for base in side.doc.verdicts
            if (name, base.id) in held
            for verdict in (held[name, base.id] or base,)
        )
        own = sum(entry.option == name for entry in quantities)
        unasked = len(side.doc.verdicts) - len(statuses) if _says(side) else None
        return OptionEntry(what, name, side.renamed(option.base), option.label, own, statuses, unasked)


def answer_change(
    option: str,
    what: Literal["status", "margin", "added", "removed"],
    before: VerdictDoc | None,
    after: VerdictDoc | None,
    change: Difference,
) -> AnswerChange:
    """What became of a requirement with an option in its base's place; it goes by the words that it has now."""
    asked = after or before
    assert asked is not None
    worse = what != "margin" and became_worse(before, after)
    return AnswerChange(option, what, asked.label, before, after, change, worse)


def _says(side: Side) -> bool:
    """Whether a document tells what its options come to: those of older versions do not. One of whose options nothing
    can be asked says so in a message (CW0243)."""
    doc = side.doc
    asked = doc.options and doc.verdicts
    return not asked or bool(doc.answers) or any(one.code == "CW0243" for one in doc.diagnostics)


def _options(side: Side) -> dict[str, OptionDoc]:
    return {side.renamed(option.address): option for option in side.doc.options}


def _verdicts(side: Side) -> dict[tuple[str, str], VerdictDoc | None]:
    return {(side.renamed(one.option), one.id): one.verdict for one in side.doc.answers}
