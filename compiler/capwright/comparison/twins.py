"""The calls of one formula for the same things that either document has."""

from __future__ import annotations

from typing import Final

from capwright.base.address import formula_of, thing_of
from capwright.comparison.pairs import Letter
from capwright.comparison.places import Places
from capwright.comparison.states import Standing
from capwright.document.plandoc import Quantity

_NUMBER: Final = "(number)"
"""Stands for any number among what a call was given."""


class Twins:
    """Finds calls by their formula and what they were given."""

    def __init__(self, standing: Standing) -> None:
        self.standing = standing
        self._found: dict[tuple[Letter, str], dict[tuple[str, tuple[str, ...]], list[Quantity]]] = {}

    def of(self, letter: Letter, call: Quantity, places: Places, other: Letter, whose: str) -> list[Quantity]:
        """The calls of the same formula that a document has for the things that were given in a state."""
        wanted: list[str] = []
        for address in self.standing.named(letter, ("" if g is None else g for g in call.given)):
            if not address:
                return []
            thing = thing_of(address)
            is_number = address in self.standing.side(letter).found
            wanted.append(_NUMBER if is_number else places.of(thing) + address[len(thing) :])
        return self._calls(other, whose).get((formula_of(call.address), tuple(wanted)), [])

    def alone(
        self, letter: Letter, call: Quantity, places: Places, other: Letter, whose: str
    ) -> list[Quantity]:
        """Those that were given no numbers: of what they were given they say all."""
        side = self.standing.side(letter)
        given = self.standing.named(letter, (g for g in call.given if g is not None))
        return (
            [] if any(name in side.found for name in given) else self.of(letter, call, places, other, whose)
        )

    def _calls(self, letter: Letter, whose: str) -> dict[tuple[str, tuple[str, ...]], list[Quantity]]:
        key = (letter, self.standing.blame.scopes.top(whose))
        found = self._found.get(key)
        if found is None:
            found = self._found[key] = {}
            side = self.standing.side(letter)
            for each in side.doc.quantities:
                call = self.standing.seen(letter, each, whose)
                if call.internal and call.given and None not in call.given:
                    names = self.standing.named(letter, (g for g in call.given if g is not None))
                    things = (_NUMBER if name in side.found else name for name in names)
                    found.setdefault((formula_of(call.address), tuple(things)), []).append(call)
        return found
