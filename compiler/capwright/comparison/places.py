"""Which things a formula speaks of, and which others stand in their place in a state."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet

from capwright.base.address import depth_of, under
from capwright.comparison.pairs import Letter
from capwright.comparison.states import Standing, State, Unknown
from capwright.document.deciders import ANY
from capwright.document.plandoc import Quantity
from capwright.document.retape import Key


class Places:
    """Things by name, and what stands in their place; None where two ways lead to one thing and to two others.

    A call sees the things that it was given and those that its own fields lead to. Numbers that it was given are written
    out in it, in the words of its caller: what it does not know itself is looked up there.
    """

    def __init__(
        self,
        own: Mapping[str, str | None],
        around: Places | None = None,
        numbers: Mapping[str, Key] | None = None,
    ) -> None:
        self.own = own
        self.around = around
        self.numbers: Mapping[str, Key] = numbers or (around.numbers if around is not None else {})
        """Numbers that the call was given, by address, and what stands in their place."""
        self._tops = {address.partition(".")[0] for address in own}
        self._all: dict[str, tuple[str, ...]] = {}

    def changed(self) -> frozenset[tuple[str, object]]:
        """The things and numbers in whose place another one stands."""
        mine = frozenset((x, y) for x, y in self.own.items() if x != y)
        numbers = frozenset(self.numbers.items())
        return mine | numbers if self.around is None else mine | numbers | self.around.changed()

    def of(self, address: str) -> str:
        """What stands in the place of a thing or of what lies below one."""
        found = set(self.all(address))
        if len(found) > 1:
            raise Unknown(address)
        return found.pop() if found else address

    def all(self, address: str) -> tuple[str, ...]:
        """What may stand in the place of what lies below a thing that is spoken of; nothing where none is."""
        found = self._all.get(address)
        if found is None:
            found = self._hits(address)
            if not found and self.around is not None:
                found = self.around.all(address)
            self._all[address] = found
        return found

    def _hits(self, address: str) -> tuple[str, ...]:
        if address.partition(".")[0] not in self._tops:
            return ()
        steps = address.split(".")
        for at in range(len(steps), 0, -1):
            top = ".".join(steps[:at])
            if top in self.own:
                image = self.own[top]
                if image is None:
                    raise Unknown(top)
                return (".".join([image, *steps[at:]]),)
        return ()


def placed(
    standing: Standing,
    letter: Letter,
    quantity: Quantity,
    given: Mapping[str, str],
    around: Places | None,
    state: State,
    numbers: Mapping[str, Key] | None = None,
    asked: AbstractSet[str] = frozenset(),
) -> Places:
    """The things that a formula of one side speaks of. `given` are what stands in the place of those it was given,
    `asked` the names of the things about which it is asked, where several share it.

    Fields are followed from thing to thing until nothing moves: `prod.cache`, then its element, then what that refers to.
    No way is longer than the fields are many, unless it leads round."""
    held: dict[str, str | None] = dict(given)
    fields = list(_own_fields(standing, letter, quantity, asked))
    for _ in range(len(fields) + 1):
        found: dict[str, str | None] = dict(given)
        for field in fields:
            for one, other in _through(standing, letter, field, held, state):
                found[one] = other if found.setdefault(one, other) == other else None
        if found == held:
            return Places(held, around, numbers)
        held = found
    raise Unknown(quantity.address)


def _own_fields(
    standing: Standing, letter: Letter, quantity: Quantity, asked: AbstractSet[str]
) -> Iterator[str]:
    """The fields it goes through. A formula that an option shares with its base goes through the fields of both: those
    of the one that is asked about, or of the base, count."""
    top_of = standing.blame.scopes.top
    tops = {top_of(name) for name in standing.side(letter).names.get(quantity.address, ())}
    own = min(asked or tops, key=lambda top: (depth_of(top), top), default="")
    for field in standing.named(letter, quantity.through):
        top = top_of(field)
        if top == own or top not in tops:
            yield field


def _through(
    standing: Standing, letter: Letter, field: str, held: Mapping[str, str | None], state: State
) -> Iterator[tuple[str, str | None]]:
    side = standing.side(letter)
    if ANY in field:
        for each in standing.listed(letter, field):
            setting = standing.setting(each, state)
            was = side.settings[each, False].refers if (each, False) in side.settings else None
            if was is not None and setting is not None:
                yield was, setting.refers
        return
    setting = side.settings.get((field, False))
    if setting is None or setting.refers is None:
        yield field, field
        return
    holder, _, name = field.rpartition(".")
    top = max((x for x in held if under(holder, x) is not None), key=len, default=holder)
    image = held.get(top, top)
    now = None if image is None else standing.setting(f"{image}{holder[len(top) :]}.{name}", state)
    yield setting.refers, None if now is None else now.refers
