"""What was done to a requirement itself: whether it asks less or more than before, where that can be told."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Final

from capwright.base.exact import from_text
from capwright.base.spelling import unspaced
from capwright.comparison import sides
from capwright.comparison.verdicts import Match, ordered
from capwright.document.diffdoc import Cause, Edit, RequirementDoc, WrittenSide
from capwright.document.plandoc import Side, Tree, VerdictDoc
from capwright.document.withholding import NOTHING, is_withheld

_EXCLUSIVE: Final = {"<=": False, "<": True, ">=": False, ">": True}
"""By comparison that has a limit: whether the limit itself does not meet it."""


class Edits:
    """What was done to requirements that are on both sides. `matched` are the quantities that both have."""

    def __init__(self, a: sides.Side, b: sides.Side, matched: Mapping[str, object]) -> None:
        self.a, self.b, self.matched = a, b, matched
        self._labels = tuple({verdict.label for verdict in side.doc.verdicts} for side in (a, b))

    def is_edited(self, match: Match) -> bool:
        """Whether a requirement asks something else now, however it is spelled and whatever its numbers come to, or goes by
        the words of another."""
        asked_alike = _is_asked_alike(match.before, match.after) and True not in self._others(match)
        return not asked_alike or self._took_words(match)

    def _took_words(self, match: Match) -> bool:
        """Whether its words were those of another requirement before, or are now: whoever knows a requirement by them takes
        one for the other. New words for it are nobody else's."""
        was, now = match.before.label, match.after.label
        return was != now and (now in self._labels[0] or was in self._labels[1])

    def _others(self, match: Match) -> tuple[bool, bool]:
        """Which of the two sides, the lesser before the greater, is another expression, or another number by its own
        name."""
        pairs = zip(ordered(match.before), ordered(match.after), strict=True)
        moved = self._moved(match)
        lesser, greater = (not self._alike(*pair) or at == moved for at, pair in enumerate(pairs))
        return lesser, greater

    def _moved(self, match: Match) -> int | None:
        """Which of the two sides is a limit with a name of its own that moved. One of two names that only requirements
        read: neither is a limit of the other."""
        before, after = ([self._named(*each) for each in held] for held in self._sides_of(match))
        apart = [at for at in (0, 1) if before[at] is not None and after[at] is not None]
        if len(apart) != 1 or before[apart[0]] == after[apart[0]]:
            return None
        # Beside a number that is written out it is the name that is limited.
        others = (ordered(each)[1 - apart[0]] for each in (match.before, match.after))
        return None if any(_plain(each) is not None for each in others) else apart[0]

    def _sides_of(self, match: Match) -> tuple[list[tuple[sides.Side, Side]], list[tuple[sides.Side, Side]]]:
        return [(self.a, each) for each in ordered(match.before)], [
            (self.b, each) for each in ordered(match.after)
        ]

    def _number(self, doc: sides.Side, side: Side) -> Fraction | None:
        """The number that a side is, written out or by a name of its own."""
        plain = _plain(side)
        return plain if plain is not None else self._named(doc, side)

    def _named(self, doc: sides.Side, side: Side) -> Fraction | None:
        """The number that a side names, where the plan chose it for requirements alone: nothing else reads it, and it is no
        fact with a source."""
        held = doc.found.get(side.formula.get("address", "")) if side.formula["op"] == "ref" else None
        if held is None or held.formula is None or held.formula["op"] != "const" or held.low is None:
            return None
        chosen = held.relation == "=" and held.provenance.sort == "choice"
        plain = chosen and held.low == held.high and not is_withheld(held)
        return Fraction(from_text(held.low)) if plain and held.address not in doc.read else None

    def _alike(self, one: Side, two: Side) -> bool:
        """Whether two sides are one expression, in the same words or, as after a renaming, in others of one meaning. Of
        what is withheld only the words are known, and a word may be no name of the plan: the same ones, untouched, are the
        same though a name of theirs was moved."""
        if self.a.words(one.written) == self.b.words(two.written):
            return True
        if NOTHING in (one.formula, two.formula):
            return unspaced(one.written) == unspaced(two.written)
        before = self.a.signature(_derived(one.formula), self.matched)
        return before == self.b.signature(_derived(two.formula), self.matched)

    def edit(self, match: Match, causes: Iterable[Cause], requirement: str | None) -> Edit:
        """What was done; `causes` are those of how its room changed, and `requirement` its own id among them. Any part of
        it whose direction is not known leaves it open whether it asks less or more."""
        if not self.is_edited(match):
            return ""
        return _edit(match.before, match.after, self._eased(match, causes, requirement))

    def _eased(self, match: Match, causes: Iterable[Cause], requirement: str | None) -> int | None:
        """1 where the limit leaves more room, -1 where it leaves less, 0 where it is the same expression. It is read off
        two plain numbers, else off the part that the edit has in how the room changed."""
        own = (Fraction(from_text(each.share)) for each in causes if each.declarations == (requirement,))
        before, after = ([self._number(*each) for each in held] for held in self._sides_of(match))
        return _eased(match.before, self._others(match), before, after, _sign(sum(own), 0) or None)


def edit_as_written(before: RequirementDoc, after: RequirementDoc) -> Edit:
    """What was done to a requirement of which nothing is known but how it is written: it may have no value at all."""
    was, now = lesser_first(before), lesser_first(after)
    others = [_is_other(one, two) for one, two in zip(was, now, strict=True)]
    if _is_asked_alike(before, after) and not any(others):
        return ""
    eased = _eased(before, others, [*map(_written, was)], [*map(_written, now)], None)
    return _edit(before, after, eased)


def lesser_first(asked: RequirementDoc) -> tuple[WrittenSide, WrittenSide]:
    """The two sides, the one that is to be the lesser before the other; of what sets no limit as they are written."""
    sides = asked.left, asked.right
    return (sides[1], sides[0]) if asked.comparison in (">=", ">") else sides


def _is_other(one: WrittenSide, two: WrittenSide) -> bool:
    """Whether two sides are other words, and not two spellings of one number."""
    return unspaced(one.written) != unspaced(two.written) and (one.value is None or one.value != two.value)


def _written(side: WrittenSide) -> Fraction | None:
    return None if side.value is None else Fraction(from_text(side.value))


def _eased(
    asked: VerdictDoc | RequirementDoc,
    others: Sequence[bool],
    before: Sequence[Fraction | None],
    after: Sequence[Fraction | None],
    otherwise: int | None,
) -> int | None:
    """1 where the limit leaves more room, -1 where it leaves less, 0 where it is the same, None where that is not known.
    `others` says which sides are other expressions now, the lesser before the greater, and `before` and `after` are their
    numbers; where these are not known it is as `otherwise` says."""
    if not any(others):
        return 0
    if all(others) or not is_limit(asked.comparison):
        return None  # both sides are others, or neither is a limit: no more room is no less asked
    at = others.index(True)
    was, now = before[at], after[at]
    if was is None or now is None:
        return otherwise
    return _sign(now, was) * (1 if at else -1) or None


def is_limit(comparison: str) -> bool:
    """Whether a comparison sets a limit: more room asks less."""
    return comparison in _EXCLUSIVE


def _edit(before: VerdictDoc | RequirementDoc, after: VerdictDoc | RequirementDoc, eased: int | None) -> Edit:
    """Less or more, where all that was done to it goes one way; `eased` is what was done to its limit. What is only expected
    bounds nothing: that is less than to require it."""
    verbs = _sign(before.verb == "require", after.verb == "require")
    steps = {verbs, _sign(before.strict, after.strict), _excluded(before, after), eased} - {0}
    return "loosened" if steps == {1} else "tightened" if steps == {-1} else "edited"


def _derived(tree: Tree) -> Tree:
    """A side without the measurement that is read in its place: whether that counts is no edit of the requirement."""
    return tree["args"][0] if tree["op"] == "effective" else tree


def _is_asked_alike(before: VerdictDoc | RequirementDoc, after: VerdictDoc | RequirementDoc) -> bool:
    """Whether two requirements are asked in one way, whatever their sides are."""
    return (before.verb, before.strict, _relation(before)) == (after.verb, after.strict, _relation(after))


def _relation(asked: VerdictDoc | RequirementDoc) -> str | bool:
    return _EXCLUSIVE.get(asked.comparison, asked.comparison)


def _excluded(before: VerdictDoc | RequirementDoc, after: VerdictDoc | RequirementDoc) -> int | None:
    """1 where the limit itself meets it now, -1 where it does no longer; None where it is no limit on one side."""
    one, two = _relation(before), _relation(after)
    if one == two:
        return 0
    return _sign(one, two) if isinstance(one, bool) and isinstance(two, bool) else None


def _plain(side: Side) -> Fraction | None:
    """The number that a side is, where nothing of the plan enters it."""
    if side.named or side.low is None or side.low != side.high:
        return None
    return Fraction(from_text(side.low))


def _sign(one: Fraction | int, other: Fraction | int) -> int:
    return (one > other) - (one < other)
