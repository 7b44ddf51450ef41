"""The formulas of one side over the things of a state that no document is of.

A call in such a formula becomes the call of the same formula for the things of the state: one that either document has,
or again one of its own shape over other things.
"""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from capwright.base.address import thing_of
from capwright.comparison.blame import Blame
from capwright.comparison.blamed import Blamed
from capwright.comparison.pairs import LETTERS, Letter, Pairs, other_side
from capwright.comparison.places import Places, placed
from capwright.comparison.shaping import Shaping
from capwright.comparison.states import PlayerKey, Standing, State, Unknown
from capwright.document.plandoc import Quantity, Tree
from capwright.document.retape import Key, definition, parts_of, with_parts

Way = tuple[dict[PlayerKey, tuple[Blamed, Letter]], Key | None]
"""The key of a call where some declarations are on these sides; None where no document says it."""


class Formulas:
    """Writes formulas of states."""

    def __init__(self, pairs: Pairs, blame: Blame, standing: Standing, shaping: Shaping) -> None:
        self.pairs = pairs
        self.blame = blame
        self.standing = standing
        self.shaping = shaping
        self._calls: dict[tuple[Letter, str, str, object], list[Way]] = {}
        self._plain: dict[tuple[Letter, str, str], bool] = {}
        self._number = 0

    def given(self, letter: Letter, call: Quantity, around: Places) -> dict[str, str]:
        """What stands in the place of the things that a call was given."""
        found: dict[str, str] = {}
        for address in self.standing.named(letter, (g for g in call.given if g is not None)):
            thing = thing_of(address)
            if self.standing.exists(thing):
                found[thing] = around.of(thing)
                if not self.standing.exists(found[thing]):
                    raise Unknown(thing)
        return found

    def over(self, letter: Letter, tree: Tree, places: Places, state: State) -> Tree:
        """A formula of one side over the things of a state."""
        op = tree["op"]
        if op == "ref":
            return {"op": "ref", "address": self._key(letter, tree["address"], places, state)}
        made: dict[str, Any] = dict(tree)
        if op == "assume":
            made["source"] = self.standing.side(letter).source(tree["source"])
        found: list[Tree] = []
        missing: Unknown | None = None
        for part in parts_of(tree):  # all of them: the state notes what they depend on
            try:
                found.append(self.over(letter, part, places, state))
            except Unknown as unknown:
                missing = missing or unknown
        if missing is not None:
            raise missing
        return with_parts(made, found)

    def _key(self, letter: Letter, address: str, places: Places, state: State) -> Key:
        held = self.standing.side(letter).found.get(address)
        if held is None:
            return self.pairs.lone_key(address, letter, state.whose)
        if held.address in places.numbers:
            return places.numbers[held.address]
        if held.internal:
            return self._call(letter, held, places, state)
        images = {
            image for name in self.standing.side(letter).names[held.address] for image in places.all(name)
        }
        if not images:
            return self.pairs.lone_key(address, letter, state.whose)
        found = {self._public(image, state.whose) for image in images}
        if len(found) == 1:
            return found.pop()
        if images <= set(self.standing.side(letter).names[held.address]):
            return self.pairs.lone_key(address, letter, state.whose)
        raise Unknown(address)

    def _public(self, name: str, whose: str) -> Key:
        """The key of what stands at a name, on both sides or on one."""
        for letter in LETTERS:
            held = self.standing.side(letter).public.get(name)
            if held is not None:
                if name in self.pairs.matched:
                    return self.pairs.want(("=", name))
                return self.pairs.alone(letter, held, whose)
        raise Unknown(name)

    def _call(self, letter: Letter, call: Quantity, places: Places, state: State) -> Key:
        """The key of a call in a state."""
        call = self.standing.seen(letter, call, state.whose)
        if not places.numbers and self._is_plain(letter, call, state.whose):
            return self.pairs.lone_key(call.address, letter, state.whose)
        ways = self._calls.setdefault((letter, call.address, state.whose, places.changed()), [])
        for sides, known in ways:
            if all(state.sides.get(key, state.otherwise) == at for key, (_, at) in sides.items()):
                state.seen.update({key: blamed for key, (blamed, _) in sides.items()})
                if known is None:
                    raise Unknown(call.address)
                return known
        outer, state.seen = state.seen, {}
        key: Key | None = None
        try:
            key = self._made(letter, call, places, state)
        except Unknown:
            key = None
        finally:
            seen, state.seen = state.seen, outer
            state.seen.update(seen)
        ways.append(({k: (blamed, state.of(blamed)) for k, blamed in seen.items()}, key))
        if key is None:
            raise Unknown(call.address)
        return key

    def _made(self, letter: Letter, call: Quantity, places: Places, state: State) -> Key:
        given = self.given(letter, call, places)
        inner = placed(self.standing, letter, call, given, places, state)
        try:
            if self.shaping.stands(letter, call, inner, state):
                return self._written(letter, call, inner, state)
        except Unknown:
            pass
        for other in (other_side(letter), letter):
            for twin in self.shaping.twins.of(letter, call, places, other, state.whose):
                if other != letter or twin.address != call.address:
                    key = self._as(letter, call, places, other, twin, state)
                    if key is not None:
                        return key
        raise Unknown(call.address)

    def _as(
        self, letter: Letter, call: Quantity, places: Places, other: Letter, twin: Quantity, state: State
    ) -> Key | None:
        """The key of a call in a state, where another one of the same formula and the same things has its shape."""
        things = {thing: thing for thing in self.given(other, twin, Places({}))}
        seen = placed(self.standing, other, twin, things, None, state)
        try:
            numbers = self._numbers(letter, call, places, other, twin, seen, state)
            around = placed(self.standing, other, twin, things, None, state, numbers)
            if numbers is not None and self.shaping.stands(other, twin, around, state):
                return self._written(other, twin, around, state)
        except Unknown:
            pass
        return None

    def _numbers(
        self,
        letter: Letter,
        call: Quantity,
        places: Places,
        other: Letter,
        twin: Quantity,
        seen: Places,
        state: State,
    ) -> dict[str, Key] | None:
        """What stands in the place of the numbers that another call was given; None where they are not to be told from
        numbers of its things."""
        found: dict[str, Key] = {}
        side = self.standing.side(other)
        for mine, theirs in zip(call.given, twin.given, strict=True):
            held = None if theirs is None else side.found.get(theirs)
            if held is None:
                continue
            assert mine is not None
            key = self._key(letter, mine, places, state)
            if any(True for name in side.names.get(held.address, ()) for _ in seen.all(name)):
                same = not held.internal and key == self.pairs.lone_key(held.address, other, state.whose)
            else:
                same = found.setdefault(held.address, key) == key
            if not same:
                return None
        return found

    def _written(self, letter: Letter, call: Quantity, places: Places, state: State) -> Key:
        """The key of a call's formula over the things of a state: that of the document, where it is the same."""
        if call.formula is None:
            return self.pairs.lone_key(call.address, letter, state.whose)
        tree = self.over(letter, call.formula, places, state)
        if self.pairs.lone(call.formula, letter, state.whose) == tree:
            return self.pairs.lone_key(call.address, letter, state.whose)
        self._number += 1
        key = ("mixed", letter, call.address, self._number)
        self.pairs.definitions[key] = replace(definition(call), tree=tree)
        return key

    def _is_plain(self, letter: Letter, call: Quantity, whose: str) -> bool:
        """Whether nothing that changed has to do with a call and those inside it."""
        key = (letter, call.address, whose)
        found = self._plain.get(key)
        if found is None:
            standing, side = self.standing, self.standing.side(letter)
            self._plain[key] = True
            call = standing.seen(letter, call, whose)
            asked = (*call.decided_by, *call.through, *(g for g in call.given if g is not None))
            found = self.blame.edited(letter, call) is None and None not in call.given and not any(
                standing.touching(letter, each, whose) or self._is_moved(letter, each, whose)
                for each in standing.named(letter, asked)
            )  # fmt: skip
            for held in side.below(call) if found else ():
                if held.internal and not self._is_plain(letter, held, whose):
                    found = False
            self._plain[key] = found
        return found

    def _is_moved(self, letter: Letter, address: str, whose: str) -> bool:
        held = self.standing.side(letter).found.get(address)
        return held is not None and bool(self.standing.reaching(letter, held, whose))
