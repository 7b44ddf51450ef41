"""The options of both documents: which came, which went, and what became of the verdicts of those that stayed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Literal

from msgspec import Struct

from capwright.base.address import is_of_option
from capwright.comparison.sides import Side
from capwright.comparison.verdicts import Match
from capwright.document.diffdoc import AnswerChange, Difference, OptionEntry, OptionStatus, QuantityEntry
from capwright.document.plandoc import OptionDoc, VerdictDoc


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

    def matched(self, matches: Iterable[Match]) -> list[Answered]:
        """The verdicts of options that are on both sides, option by option. What stands on the base's sides on both is
        the base's own: it is told there."""
        both = list(matches)
        return [
            Answered(option, pair)
            for option in self.theirs
            if option in self.ours
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
        none = Difference(None, None, None, False, "none", 0, ())
        for match in matches:
            for option in (each for each in self.theirs if each in self.ours):
                before, after = (option, match.before.id), (option, match.after.id)
                if before not in self._a and after in self._b:
                    now = self._b[after] or match.after
                    yield AnswerChange(option, "added", now.label, None, now, none)
                elif before in self._a and after not in self._b:
                    then = self._a[before] or match.before
                    yield AnswerChange(option, "removed", then.label, then, None, none)

    def new(self, verdicts: Iterable[VerdictDoc]) -> Iterator[AnswerChange]:
        """What options come to that are asked what nobody was asked before, where it is not what their base comes to."""
        none = Difference(None, None, None, False, "none", 0, ())
        for asked in verdicts:
            for option in self.theirs:
                verdict = self._b.get((option, asked.id)) if option in self.ours else None
                if verdict is not None and verdict.status != asked.status:
                    yield AnswerChange(option, "added", asked.label, None, verdict, none)

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
            OptionStatus(base.label or base.written, (held[name, base.id] or base).status)
            for base in side.doc.verdicts
            if (name, base.id) in held
        )
        own = sum(is_of_option(entry.address, name) for entry in quantities)
        return OptionEntry(what, name, side.renamed(option.base), option.label, own, statuses)


def _options(side: Side) -> dict[str, OptionDoc]:
    return {side.renamed(option.address): option for option in side.doc.options}


def _verdicts(side: Side) -> dict[tuple[str, str], VerdictDoc | None]:
    return {(side.renamed(one.option), one.id): one.verdict for one in side.doc.answers}
