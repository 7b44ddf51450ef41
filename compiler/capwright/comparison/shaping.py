"""Whether a formula of one side is the one of a state: whether all that decided it is the same there."""

from __future__ import annotations

from contextlib import suppress

from capwright.base.address import thing_of
from capwright.comparison.blame import Blame
from capwright.comparison.pairs import LETTERS, Letter
from capwright.comparison.places import Places
from capwright.comparison.sides import values
from capwright.comparison.states import Standing, State, Unknown
from capwright.comparison.twins import Twins
from capwright.document.deciders import ANY
from capwright.document.plandoc import Quantity


class Shaping:
    """Asks of everything that decided a formula what stands there in a state. All of it is asked, even after the first
    that is another: the state notes what the formula depends on."""

    def __init__(self, standing: Standing, blame: Blame) -> None:
        self.standing = standing
        self.blame = blame
        self.twins = Twins(standing)

    def stands(self, letter: Letter, quantity: Quantity, places: Places, state: State) -> bool:
        """Whether all that decided a formula of one side is the same in a state."""
        standing = self.standing
        edited = self.blame.edited(letter, quantity)
        if edited is not None and state.of(edited) != letter:
            return False
        alike = True
        seen = standing.seen(letter, quantity, state.whose)
        for decider in standing.named(letter, seen.decided_by):
            held = standing.side(letter).found.get(decider)
            if held is not None:
                alike = self._number_stands(letter, decider, held, places, state) and alike
            else:
                alike = self._setting_stands(letter, decider, places, state) and alike
        return alike

    def _number_stands(self, letter: Letter, name: str, held: Quantity, places: Places, state: State) -> bool:
        standing = self.standing
        side = standing.side(letter)
        if held.address in places.numbers:
            return False
        if held.internal:
            agrees = state.agrees(letter, standing.reaching(letter, held, state.whose).values())
            return agrees or self._call_stands(letter, held, places, state)
        names = dict.fromkeys((name, *side.names[held.address]))
        images = {(n, image) for n in names for image in places.all(n)} or {(name, name)}
        found = [self._value_stands(letter, held, was, image, state) for was, image in sorted(images)]
        return all(found)

    def _call_stands(self, letter: Letter, held: Quantity, places: Places, state: State) -> bool:
        """Whether a document has the call for the things of a state, with all that this depends on as it is there, and it
        comes to what the call comes to on a side."""
        standing = self.standing
        call = standing.seen(letter, held, state.whose)
        with suppress(Unknown):
            found = [
                state.agrees(other, standing.reaching(other, twin, state.whose).values())
                and _says(twin) == _says(held)
                for other in LETTERS
                for twin in self.twins.alone(letter, call, places, other, state.whose)
            ]
            return any(found)
        return False

    def _value_stands(self, letter: Letter, held: Quantity, was: str, image: str, state: State) -> bool:
        """Whether the number at `image` has in a state the value that `held` has on a side, where it is called `was`."""
        standing = self.standing
        value = _says(held)
        written = standing.written(image)
        if written is not None:
            one, two, blamed = written
            q = one if state.of(blamed) == "a" else two
            return _says(q) == value
        sides = [(each, standing.side(each).public.get(image)) for each in LETTERS]
        reached = {
            key: blamed
            for each, q in sides
            if q is not None
            for key, blamed in standing.reaching(each, q, self.blame.scopes.whose(image)).items()
        }
        letters = {state.of(blamed) for blamed in reached.values()}
        if image == was and letters <= {letter}:
            return True
        now = [q for each, q in sides if q is not None and letters <= {each}]
        return bool(now) and all(_says(q) == value for q in now)

    def _setting_stands(self, letter: Letter, address: str, places: Places, state: State) -> bool:
        standing = self.standing
        side = standing.side(letter)
        if ANY in address:
            listed = standing.listed(letter, address)
            if listed:
                found = [self._setting_stands(letter, each, places, state) for each in listed]
                return all(found)
        spoken = any(True for _ in places.all(thing_of(address)))
        if ANY in address or not spoken:
            return state.agrees(letter, standing.touching(letter, address, state.whose))
        if (address, False) in side.settings and (address, True) not in side.settings:
            holder, _, name = address.rpartition(".")
            now = standing.setting(f"{places.of(holder)}.{name}", state)
            was = side.settings[address, False]
            return now is not None and (now.sort, now.value) == (was.sort, was.value)
        if standing.exists(thing := thing_of(address)):
            return standing.variant(places.of(thing), state) == standing.variant(
                thing, State({}, letter, whose=state.whose)
            )
        return state.agrees(letter, standing.touching(letter, address, state.whose))


def _says(quantity: Quantity) -> tuple[object, ...]:
    return (*values(quantity), quantity.truth)
