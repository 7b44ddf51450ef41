"""What stands where when some changed declarations are as before and the others as after: settings, things, numbers.

A state gives each declaration that it is asked about a side. No document is of a mixed state; what is known of one is
what the two documents say of their parts.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from fnmatch import fnmatchcase

from capwright.base.address import thing_of, under
from capwright.comparison.blame import Blame
from capwright.comparison.blamed import Blamed, patterns
from capwright.comparison.pairs import Choice, Letter, Pairs
from capwright.comparison.settings import is_base, statement_of
from capwright.comparison.sides import follows, values
from capwright.document.deciders import ANY
from capwright.document.plandoc import Quantity, SettingDoc


class Unknown(Exception):
    """No document says what would stand here."""


class Unasked(Exception):
    """A state has no side for a declaration on which what stands here depends."""

    def __init__(self, player: Blamed) -> None:
        super().__init__(player.address)
        self.player = player


PlayerKey = tuple[str, str]


class State:
    """The side of each declaration, by address and sort. With `otherwise` all others are on that one; without, asking
    for one of them raises. `seen` are those that were asked for since it was last emptied. `whose` is that on whose behalf
    it is asked."""

    def __init__(
        self, sides: dict[PlayerKey, Letter], otherwise: Letter | None = None, *, whose: str
    ) -> None:
        self.sides = sides
        self.whose = whose
        self.otherwise = otherwise
        self.seen: dict[PlayerKey, Blamed] = {}

    def of(self, player: Blamed) -> Letter:
        """The side of a declaration."""
        key = (player.address, player.sort)
        self.seen[key] = player
        found = self.sides.get(key, self.otherwise)
        if found is None:
            raise Unasked(player)
        return found

    def agrees(self, letter: Letter, players: Iterable[Blamed]) -> bool:
        """Whether all of some declarations are on one side. All are asked for."""
        found = [self.of(each) for each in players]
        return all(each == letter for each in found)


class Standing:
    """Answers what stands where in a state."""

    def __init__(self, pairs: Pairs, blame: Blame) -> None:
        self.pairs = pairs
        self.blame = blame
        self.a = pairs.a
        self.b = pairs.b
        self.side = pairs.side
        self._by_address = {each.address: each for each in blame.settings}
        self._by_tops: dict[tuple[str | None, str | None], list[Blamed]] = {}
        for each in blame.settings:
            if each.tops != (None, None):
                self._by_tops.setdefault(each.tops, []).append(each)
        self._by_statement = {
            statement_of(each.address, each.before, each.after): each
            for each in blame.settings
            if isinstance(each.before, SettingDoc) and isinstance(each.after, SettingDoc)
        }
        self._patterns = [(p, each) for each in blame.settings for p in patterns(each.address)]
        self._listed: dict[tuple[Letter, str], tuple[str, ...]] = {}
        self._touching: dict[tuple[Letter, str, str], tuple[Blamed, ...]] = {}
        self._reaching: dict[tuple[Letter, str, str], dict[PlayerKey, Blamed]] = {}

    def named(self, letter: Letter, addresses: Iterable[str]) -> Iterable[str]:
        """Addresses of one document as the comparison calls them."""
        return self.side(letter).renamed.all(addresses)

    def seen(self, letter: Letter, quantity: Quantity, whose: str) -> Quantity:
        """A number or a call of one document on behalf of something that leads to it."""
        return self.blame.scopes.seen(self.side(letter), quantity, whose)

    def setting(self, address: str, state: State, *, origin: bool = False) -> SettingDoc | None:
        """What a field is set to, or what a thing is made from."""
        one, two = self.a.settings.get((address, origin)), self.b.settings.get((address, origin))
        if one is None or two is None:
            return one or two
        if (one.sort, one.value) == (two.sort, two.value):
            return one
        return one if state.of(self._player(address, one, two, state.whose)) == "a" else two

    def _player(self, address: str, one: SettingDoc, two: SettingDoc, whose: str) -> Blamed:
        found = (
            self._by_address.get(address)
            or self._by_statement.get(statement_of(address, one, two))
            or self._alike(address, (one.refers, two.refers), whose)
        )
        if (
            found is None and (one.refers, two.refers) in self.pairs.aligned
        ):  # a thing, and a field's own copy of it
            found = self._by_address.get(str(two.refers)) or self._by_address.get(str(one.refers))
        if found is None:
            raise Unknown(address)
        return found

    def _alike(self, address: str, tops: tuple[str | None, str | None], whose: str) -> Blamed | None:
        """For a field that has no declaration of its own: the one declaration that puts the same thing in the place of the
        same. An option's field has its base's; of several others none is known to be the one."""
        found = [
            each for each in self._by_tops.get(tops, ()) if self.blame.scopes.counts(whose, each.address)
        ]
        bases = [each for each in found if is_base(each.address, address)]
        if len(bases or found) > 1:
            raise Unknown(address)
        return next(iter(bases or found), None)

    def swapped(self, letter: Letter, thing: str, counterpart: str, state: State) -> str:
        """What stands in the place of a thing that one of two calls in one place was given, the other its counterpart."""
        if thing == counterpart:
            return thing
        pair = (thing, counterpart) if letter == "a" else (counterpart, thing)
        players = [
            each.blamed
            for each in self.blame.rebindings
            if (each.before, each.after) == pair
            and self.blame.scopes.counts(state.whose, each.blamed.address)
        ]
        sides = {state.of(each) for each in players}
        if len(sides) != 1:
            raise Unknown(thing)
        return pair[sides == {"b"}]

    def variant(self, address: str, state: State) -> str:
        """The entity that a thing is of, down through what it copies."""
        seen = set[str]()
        while address not in seen:
            seen.add(address)
            made = self.setting(address, state, origin=True)
            if made is None:
                return address
            if made.refers is None:
                return made.value
            address = made.refers
        return address

    def exists(self, thing: str) -> bool:
        """Whether a document has a thing of that name."""
        return (thing, True) in self.a.settings or (thing, True) in self.b.settings

    def listed(self, letter: Letter, pattern: str) -> tuple[str, ...]:
        """The elements of a list, or one field of all of them, where `*` stands for an element."""
        found = self._listed.get((letter, pattern))
        if found is None:
            steps = pattern.count(".")
            held = (
                e for e in dict.fromkeys(e for e, _ in self.side(letter).settings) if e.count(".") == steps
            )
            found = self._listed[letter, pattern] = tuple(e for e in held if fnmatchcase(e, pattern))
        return found

    def common(self, choice: Choice) -> set[str]:
        """The names that both sides have for what a choice belongs to."""
        ours, theirs = self.a.names.get(choice.before.address, ()), self.b.names.get(choice.after.address, ())
        return set(ours) & set(theirs)

    def touching(self, letter: Letter, address: str, whose: str) -> tuple[Blamed, ...]:
        """The changed settings that an address has to do with: itself, or what one of them puts in its place for what is
        asked on behalf of something."""
        found = self._touching.get((letter, address, whose))
        if found is None:
            found = self._touching[letter, address, whose] = tuple(self._touch(letter, address, whose))
        return found

    def _touch(self, letter: Letter, address: str, whose: str) -> Iterator[Blamed]:
        bare = thing_of(address)
        held = {id(each): each for pattern, each in self._patterns if pattern == bare or under(pattern, bare)}
        for rebound in self.blame.rebindings:
            if not self.blame.scopes.counts(whose, rebound.blamed.address):
                continue
            top = rebound.before if letter == "a" else rebound.after
            if under(bare, top) is not None or (ANY in bare and fnmatchcase(top, bare)):
                held[id(rebound.blamed)] = rebound.blamed
        for each in self.blame.settings:
            if under(bare, each.address) is not None:
                held[id(each)] = each
        yield from held.values()

    def reaching(self, letter: Letter, quantity: Quantity, whose: str) -> dict[PlayerKey, Blamed]:
        """The changed declarations that a number may depend on, of one side, on behalf of one that leads to it."""
        side = self.side(letter)
        waiting, opened = [self._asked(letter, quantity, whose)], set[tuple[str, str]]()
        while waiting:
            current, mine = waiting[-1]
            key = (letter, current.address, mine)
            if key in self._reaching:
                waiting.pop()
                continue
            decided = self.seen(letter, current, mine).decided_by
            held_of = [*(side.found[name] for name in decided if name in side.found), *side.below(current)]
            below = [self._asked(letter, each, mine) for each in held_of]
            if key[1:] not in opened:
                opened.add(key[1:])
                missing = [(q, by) for q, by in below if (letter, q.address, by) not in self._reaching]
                waiting += [(q, by) for q, by in missing if (q.address, by) not in opened]
                continue
            held = dict(self._own(letter, current, mine))
            for q, by in below:
                held.update(self._reaching.get((letter, q.address, by), {}))
            self._reaching[key] = held
            waiting.pop()
        first, mine = self._asked(letter, quantity, whose)
        return self._reaching[letter, first.address, mine]

    def _asked(self, letter: Letter, quantity: Quantity, whose: str) -> tuple[Quantity, str]:
        """A number or a call, and on whose behalf it is asked: a number belongs to what has it, whoever asks."""
        scopes = self.blame.scopes
        if quantity.internal or not scopes.contested:
            return quantity, whose
        names = self._names(letter, quantity, whose)
        if whose and any(scopes.top(name) == scopes.top(whose) for name in names):
            return quantity, whose
        own = {scopes.whose(name) for name in names if scopes.of(scopes.top(name))}
        return quantity, own.pop() if len(own) == 1 else whose

    def _names(self, letter: Letter, quantity: Quantity, whose: str) -> Collection[str]:
        """The names by which something leads to a number: its own, or those of what it leads to; all where nothing does."""
        scopes = self.blame.scopes
        names, top = self.side(letter).names[quantity.address], scopes.top(whose)
        own = [name for name in names if scopes.top(name) == top]
        reached = scopes.reached(top) if whose else frozenset[str]()
        return own or [name for name in names if scopes.top(name) in reached] or names

    def deciding(self, letter: Letter, quantity: Quantity, whose: str) -> Iterator[PlayerKey]:
        """The changed declarations on which the shape of a formula may depend, of one side."""
        seen = self.seen(letter, quantity, whose)
        if not seen.decided_by:
            return
        for key, _ in self._own(letter, quantity, whose):
            yield key
        for name in seen.decided_by:
            held = self.side(letter).found.get(name)
            if held is not None:
                yield from self.reaching(letter, held, whose)

    def _own(self, letter: Letter, call: Quantity, whose: str) -> Iterator[tuple[PlayerKey, Blamed]]:
        quantity = self.seen(letter, call, whose)
        asked = (*quantity.decided_by, *quantity.through, *(g for g in quantity.given if g is not None))
        for address in self.named(letter, asked):
            for each in self.touching(letter, address, whose):
                yield (each.address, each.sort), each
        for each in self.stated(letter, quantity, whose):
            yield (each.address, each.sort), each

    def stated(self, letter: Letter, quantity: Quantity, whose: str) -> tuple[Blamed, ...]:
        """The declarations that state a number otherwise on the two sides, on behalf of one that leads to it; none where it
        is derived alike."""
        if quantity.internal:
            edited = self.blame.edited(letter, quantity)
            return () if edited is None else (edited,)
        found: dict[PlayerKey, Blamed] = {}
        for name in self._names(letter, quantity, whose):
            for one, two in self._counterparts(letter, name):
                same = (values(one), one.truth) == (values(two), two.truth)
                if not same and not follows(one, two):
                    mine = self.blame.scopes.whose(name)
                    choice = Choice(one, two, one.formula, two.formula, whose=mine)
                    for each in self.blame.declared(choice):
                        found[each.address, each.sort] = each
        return tuple(found.values())

    def written(self, name: str) -> tuple[Quantity, Quantity, Blamed] | None:
        """For a number that is written out on both sides, and not alike: the two, and the declaration of it."""
        pairs = [*self._counterparts("a", name), *self._counterparts("b", name)]
        one, two = pairs[0] if pairs else (None, None)
        if (
            one is None
            or two is None
            or one.formula is None
            or two.formula is None
            or values(one) == values(two)
        ):
            return None
        choice = Choice(one, two, one.formula, two.formula, whose=self.blame.scopes.whose(name))
        plain = one.formula["op"] == two.formula["op"] == "const" and not self.blame.overlaid(choice)
        blamed = self.blame.declared(choice)[0]
        return (one, two, blamed) if plain and blamed.sort == "value" else None

    def _counterparts(self, letter: Letter, name: str) -> Iterator[tuple[Quantity, Quantity]]:
        """What stands on the two sides at a name, or in things that mean one on the two sides."""
        if name in self.pairs.matched:
            yield self.a.public[name], self.b.public[name]
        for top, other in self.pairs.aligned:
            rest = under(name, top if letter == "a" else other)
            if rest and top != other:
                one, two = self.a.public.get(f"{top}.{rest}"), self.b.public.get(f"{other}.{rest}")
                if one is not None and two is not None:
                    yield one, two
