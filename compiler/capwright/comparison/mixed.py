"""The formulas of states that no document is of: of the shape of one side, over the things of both.

Where two sides differ in one place, a state between them has the formula of the side that it agrees with in all that
decided the formula, over the things that stand there in that state. Where neither document says what would stand there,
the declarations that make the state are told together.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import product
from typing import Final

from capwright.base.address import thing_of
from capwright.comparison.blame import Blame
from capwright.comparison.blamed import Blamed
from capwright.comparison.formulas import Formulas
from capwright.comparison.pairs import LETTERS, Choice, Letter, Pairs, other_side
from capwright.comparison.places import Places, placed
from capwright.comparison.shaping import Shaping
from capwright.comparison.sides import Side
from capwright.comparison.states import PlayerKey, Standing, State, Unasked, Unknown
from capwright.document.plandoc import Tree

MOST: Final = 5
"""Declarations of which every state is looked at; more are told together."""


class Mixed:
    """Replaces a choice between two formulas by one between those of all states of what the two depend on."""

    def __init__(self, pairs: Pairs, blame: Blame) -> None:
        self.blame = blame
        self.standing = Standing(pairs, blame)
        self.shaping = Shaping(self.standing, blame)
        self.formulas = Formulas(pairs, blame, self.standing, self.shaping)
        self.silent = not (_says(pairs.a) and _says(pairs.b))
        """An older document does not say what its formulas went through, so none of a mixed state can be made of them."""

    def players(self, choice: Choice, tree: Tree) -> tuple[list[tuple[Blamed, ...]], list[Tree]] | None:
        """The players of a choice and the formula for every state of theirs, the last player's switch first; None where
        nothing that the documents say decided it."""
        if self.silent:
            return None
        joined = tuple(self.blame.matched(choice)) or self.blame.overlaid(choice)
        if joined:
            return [joined], tree["args"]
        single = self.blame.alone(choice)
        asked: dict[PlayerKey, Blamed] = {} if single is None else {(single.address, single.sort): single}
        if single is None or (single.sort != "setting" and _is_whole(choice)):
            asked.update(self._deciders(choice))
        if not asked:
            return None
        asked.update(self._reached(choice))
        while len(asked) <= MOST:
            try:
                players = [asked[key] for key in sorted(asked)]  # whichever side the comparison begins with
                return self._told(players, choice, tree, single)
            except Unasked as missing:
                asked[missing.player.address, missing.player.sort] = missing.player
        return [tuple(asked.values())], tree["args"]

    def strays(self, choice: Choice) -> bool:
        """Whether some state of what decided two formulas of one shape may have a formula of another."""
        both = zip(LETTERS, (choice.before, choice.after), strict=True)
        if (
            len(
                {key for letter, owner in both for key in self.standing.deciding(letter, owner, choice.whose)}
            )
            < 2
        ):
            return False
        asked = self._deciders(choice)
        while 1 < len(asked) <= MOST:
            try:
                return not all(
                    self._shaped(choice, State(dict(zip(asked, letters, strict=True)), whose=choice.whose))
                    for letters in product(LETTERS, repeat=len(asked))
                    if len(set(letters)) > 1
                )
            except Unasked as missing:
                asked[missing.player.address, missing.player.sort] = missing.player
        return len(asked) > MOST

    def _shaped(self, choice: Choice, state: State) -> bool:
        """Whether one of two formulas is known to be the one of a state."""
        for letter, owner in zip(LETTERS, (choice.before, choice.after), strict=True):
            with suppress(Unknown):
                if self.shaping.stands(letter, owner, self._around(letter, choice, state), state):
                    return True
        return False

    def _deciders(self, choice: Choice) -> dict[PlayerKey, Blamed]:
        """What decided the shape of either formula."""
        found: dict[PlayerKey, Blamed] = {}
        for letter, owner in zip(LETTERS, (choice.before, choice.after), strict=True):
            state = State({}, letter, whose=choice.whose)
            with suppress(Unknown):
                self.shaping.stands(letter, owner, self._around(letter, choice, state), state)
            found.update(state.seen)
        return found

    def _reached(self, choice: Choice) -> dict[PlayerKey, Blamed]:
        """What the two formulas depend on, beyond the numbers that both sides have."""
        found: dict[PlayerKey, Blamed] = {}
        trees = (choice.before_tree, choice.after_tree)
        for letter, tree in zip(LETTERS, trees, strict=True):
            state = State({}, letter, whose=choice.whose)
            with suppress(Unknown):
                if tree is not None:
                    self.formulas.over(letter, tree, self._around(letter, choice, state), state)
            found.update(state.seen)
        return found

    def _told(
        self, players: list[Blamed], choice: Choice, tree: Tree, single: Blamed | None
    ) -> tuple[list[tuple[Blamed, ...]], list[Tree]]:
        known = {
            letters: self._state(choice, tree, single, players, letters)
            for letters in product(LETTERS, repeat=len(players))
        }
        for blocks in _partitions(list(range(len(players)))):
            leaves = []
            for letters in product(LETTERS, repeat=len(blocks)):
                sides = {at: letter for block, letter in zip(blocks, letters, strict=True) for at in block}
                leaves.append(known[tuple(sides[at] for at in range(len(players)))])
            if all(leaf is not None for leaf in leaves):
                return [tuple(players[at] for at in block) for block in blocks], leaves  # type: ignore[return-value]  # none is None
        raise AssertionError("all of them together have the two formulas of the documents")

    def _state(
        self,
        choice: Choice,
        tree: Tree,
        single: Blamed | None,
        players: Sequence[Blamed],
        letters: tuple[Letter, ...],
    ) -> Tree | None:
        """The formula of one state; None where no document says it."""
        if len(set(letters)) == 1:
            return tree["args"][letters[0] == "b"]  # type: ignore[no-any-return]  # a tree
        sides: dict[PlayerKey, Letter] = {
            (p.address, p.sort): letter for p, letter in zip(players, letters, strict=True)
        }
        state = State(sides, whose=choice.whose)
        both = ((choice.before, choice.before_tree), (choice.after, choice.after_tree))
        for letter, (owner, formula), whole in zip(LETTERS, both, tree["args"], strict=True):
            try:
                around = self._around(letter, choice, state)
                if single is not None and state.of(single) != letter:
                    continue
                if not choice.measured and not self.shaping.stands(letter, owner, around, state):
                    continue
                return whole if formula is None else self.formulas.over(letter, formula, around, state)
            except Unknown:
                continue
        return None

    def _around(self, letter: Letter, choice: Choice, state: State) -> Places:
        """The things that the formula of one side of a choice speaks of, and what stands in their place."""
        owner, other = (choice.before, choice.after) if letter == "a" else (choice.after, choice.before)
        given: dict[str, str] = {}
        mine = list(self.standing.named(letter, (each or "" for each in owner.given)))
        theirs = list(self.standing.named(other_side(letter), (each or "" for each in other.given)))
        for at, one in enumerate(mine):
            thing = thing_of(one)
            if self.standing.exists(thing):
                counterpart = thing_of(theirs[at]) if len(mine) == len(theirs) else ""
                given[thing] = self.standing.swapped(letter, thing, counterpart, state)
        asked = set(map(self.blame.scopes.top, self.standing.common(choice)))
        own = self.blame.scopes.top(choice.whose)
        asked = {own} if own in asked else asked
        return placed(self.standing, letter, owner, given, None, state, asked=asked)


def _says(side: Side) -> bool:
    """Whether a document tells what its calls were given: those before 1.3 do not."""
    calls = [q for q in side.doc.quantities if q.internal]
    return not calls or any(q.given for q in calls)


def _is_whole(choice: Choice) -> bool:
    """Whether a choice is between all that two formulas say: what decided them decided it too, beside an edit of one."""
    one, two = choice.before, choice.after
    return choice.before_tree is one.formula and choice.after_tree is two.formula and not choice.measured


def _partitions(items: list[int]) -> Iterator[list[list[int]]]:
    """All ways to put items in blocks, those with the most blocks first."""
    yield from sorted(_split(items), key=lambda blocks: -len(blocks))


def _split(items: list[int]) -> Iterator[list[list[int]]]:
    if not items:
        yield []
        return
    first, rest = items[0], items[1:]
    for blocks in _split(rest):
        yield [[first], *blocks]
        for at in range(len(blocks)):
            yield [*blocks[:at], [first, *blocks[at]], *blocks[at + 1 :]]
