"""How far apart the two sides of a comparison are, in quantities and in the room of requirements, and what made that."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from capwright.comparison.declared import Declared
from capwright.comparison.differences import Pending, difference_of, pending_of, uncaused
from capwright.comparison.measured import asked_of, lone_measurements, resting
from capwright.comparison.mixture import Asked, Mixture
from capwright.comparison.pairs import Choice, Pairs
from capwright.comparison.verdicts import Match, is_silent, room
from capwright.document.diffdoc import Difference
from capwright.document.plandoc import Provenance, Quantity, Tree, VerdictDoc
from capwright.document.retape import Key, assemble


class Attributing:
    """The differences of one comparison. `apart` says of ranges, by address, whether they are known to be apart, judged on
    their difference."""

    def __init__(self, pairs: Pairs, apart: Mapping[str, bool]) -> None:
        self.pairs = pairs
        self.a, self.b = pairs.a, pairs.b
        self.apart = apart
        self.lone = lone_measurements(self.a, self.b)

    def quantity(self, name: str, key: Key, before: Quantity, after: Quantity) -> Pending:
        """The difference of a quantity, by its name."""
        held = pending_of(before, after)
        held.key = key
        held.separated = self.apart.get(name, held.separated)
        held.lost, held.won = resting(before, self.lone[0]), resting(after, self.lone[1])
        return held

    def margin(self, match: Match, trees: tuple[Tree, Tree]) -> Pending:
        """The difference of the room that a requirement leaves, whose two sides are `trees`."""
        held = difference_of(room(match.before), room(match.after))
        held.trees = trees
        held.withheld = is_silent(match)
        held.lost = asked_of(match.before, self.a, self.lone[0])
        held.won = asked_of(match.after, self.b, self.lone[1])
        return held

    def margin_trees(self, match: Match, name: str, option: str) -> tuple[Tree, Tree]:
        """The two sides of the requirement called `name` as one tree each over both documents; of one that is asked of an
        option, on its behalf."""
        before, after = match.before, match.after
        whose = self.pairs.scopes.asked(before, after, option)
        stand_in = Choice(_asked(before, name), _asked(after, name), None, None, asked=True, whose=whose)
        left = self.pairs.formula(before.left.formula, after.left.formula, stand_in)
        right = self.pairs.formula(before.right.formula, after.right.formula, stand_in)
        return (left, right) if before.comparison in (">=", ">") else (right, left)

    def attributed(self, pending: list[Pending], declared: Declared) -> list[Difference]:
        """The differences with their causes, found on one mixed graph."""
        taped = assemble(self.pairs.definitions, balanced=True)
        nodes = [self._nodes(held, taped.node_of, taped.writer) for held in pending]
        mixture = Mixture(taped, list(declared.players))
        asked: list[Asked] = []
        where: list[int] = []
        circular = bool(taped.circular)
        results = [uncaused(held) for held in pending]
        for number, (held, found) in enumerate(zip(pending, nodes, strict=True)):
            if found is None or held.part is None or held.before is None or held.after is None or circular:
                continue
            if held.before != held.after:
                asked.append(Asked(found[0], found[1], held.part, held.before, held.after))
                where.append(number)
        for number, one, answer in zip(where, asked, mixture.answer(asked), strict=True):
            results[number] = declared.caused(results[number], one, answer, mixture)
        return results

    @staticmethod
    def _nodes(
        held: Pending, node_of: dict[Key, int], write: Callable[[Tree], int]
    ) -> tuple[int, int | None] | None:
        if held.trees is not None:
            return write(held.trees[0]), write(held.trees[1])
        return None if held.key is None else (node_of[held.key], None)


def _asked(verdict: VerdictDoc, name: str) -> Quantity:
    """A requirement as the owner of a formula: it is written in the plan."""
    provenance = Provenance("choice", "", None, verdict.place, verdict.line)
    return Quantity(
        name, verdict.label, verdict.unit, None, "=", None, None, None, False, False, False, None,
        provenance, None, verdict.written, (), (), (), (), (),
    )  # fmt: skip
