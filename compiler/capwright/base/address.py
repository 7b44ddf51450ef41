"""Addresses: what the numbers of a plan go by, and how they are read, made and renamed.

| address | what it is of |
|:--|:--|
| `prod.memory.free` | a number, by the thing and the fields that lead to it |
| `prod@tp8.memory.free` | the same of an option; an option may have options itself: `prod@tp8@large` |
| `total@prod@tp8` | what `total` comes to with an option in its base's place |
| `prod.itl!night` | a measurement |
| `total/formula[element]#2` | a formula's call within a number, or a field of a copy that nobody named |
| `card#prod.card` | a copy that nobody named: what it copies, and where it stands |
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from typing import Final

_BELOW: Final = ".@!/#"
"""What stands behind an address in one of something that it leads to."""
_TOP: Final = re.compile(r"[^.!/#]*")


def option_address(base: str, name: str) -> str:
    """An option of a thing, or a number with an option in its base's place: `prod@tp8`, `total@prod@tp8`."""
    return f"{base}@{name}"


def measurement_address(of: str, name: str) -> str:
    """A measurement of a number: `prod.itl!night`."""
    return f"{of}!{name}"


def top_of(address: str) -> str:
    """The thing or number that an address starts with, as an option where it is one: `prod@tp8` of `prod@tp8.memory`."""
    found = _TOP.match(address)
    return found[0] if found is not None else ""


def owner_of(address: str) -> str:
    """The number that a call belongs to; a number itself."""
    return address.partition("/")[0]


def formula_of(call: str) -> str:
    """The formula that a call is of."""
    return call.rpartition("/")[2].partition("[")[0].partition("#")[0]


def thing_of(address: str) -> str:
    """What a copy that nobody named copies; any other address itself."""
    return address.partition("#")[0]


def depth_of(address: str) -> int:
    """How many options deep an address is: 0 for what the plan declares itself."""
    return address.count("@")


def bases_of(option: str) -> tuple[str, ...]:
    """What an option is one of, and what that is one of, the nearest first: `prod@tp8`, `prod` of `prod@tp8@large`."""
    steps = option.split("@")
    return tuple("@".join(steps[:at]) for at in range(len(steps) - 1, 0, -1))


def is_option_of(option: str, base: str) -> bool:
    """Whether an option is one of `base`, or of an option of that: `prod@tp8@large` of `prod`."""
    return option.startswith(f"{base}@")


def name_of(option: str) -> str:
    """What an option is called where it is declared: `large` of `prod@tp8@large`; a thing's own name."""
    return option.rpartition("@")[2]


def is_called(option: str, name: str) -> bool:
    """Whether an option, or what has options, goes by a name: its own, or one with some of its bases before it."""
    return f"@{option}".endswith(f"@{name}")


def option_of(address: str, options: Collection[str]) -> str | None:
    """Which of all `options` something is of, if any: its own (`prod@tp8.pool`), or made for it (`tp4@prod@tp8.tensor`).
    What lies in an option is of that one alone; of what is made for one, the longest name says for which."""
    name = top_of(address)
    while name not in options:
        _, apart, name = name.partition("@")
        if not apart:
            return None
    return name


def under(address: str, top: str) -> str | None:
    """What is left of `address` below `top`, empty for `top` itself; None where it does not lie there. Options and
    measurements of something do not lie below it."""
    if address == top:
        return ""
    return address[len(top) + 1 :] if address.startswith((f"{top}.", f"{top}/")) else None


class Renaming:
    """What the addresses of a document are called after moves of old names to new ones, all at once.

    With a name goes all that is named after it: what lies in it, its options and what lies in them, its measurements,
    the calls within it, and what is named after one of its options. `options` are the addresses of the document's.
    """

    def __init__(self, moves: Mapping[str, str], options: Collection[str] = ()) -> None:
        self._moves = sorted(moves.items(), key=lambda move: -len(move[0]))
        self._options = frozenset(options)
        self._found: dict[str, str] = {}

    def __call__(self, address: str) -> str:
        """The address after the renaming."""
        if not self._moves:
            return address
        found = self._found.get(address)
        if found is None:
            found = self._found[address] = self._renamed(address)
        return found

    def all(self, addresses: Iterable[str]) -> Iterable[str]:
        """Several addresses after the renaming."""
        return map(self, addresses) if self._moves else addresses

    def _renamed(self, address: str) -> str:
        top = top_of(address)
        move = self._move(address)
        if "@" not in top or (move is not None and len(move[0]) > len(top)):
            return address if move is None else move[1] + address[len(move[0]) :]
        return self._top(top) + self._rest(top, address[len(top) :])

    def _move(self, address: str) -> tuple[str, str] | None:
        """The move of the longest name that an address is named after."""
        for old, new in self._moves:
            if address.startswith(old) and (len(address) == len(old) or address[len(old)] in _BELOW):
                return old, new
        return None

    def _top(self, top: str) -> str:
        """An option, or a number with an option in its base's place. Neither can be of something within a thing."""
        name, _, option = top.partition("@")
        if option in self._options and top not in self._options:
            moved = option_address(self(name), self(option))
        else:
            move = self._move(top)
            moved = top if move is None else move[1] + top[len(move[0]) :]
        return moved if moved == top_of(moved) else top

    def _rest(self, top: str, rest: str) -> str:
        """What lies in an option is called as in what it is an option of."""
        for base in bases_of(top) if rest else ():
            held, moved = self(base), self(base + rest)
            left = moved[len(held) :]
            if moved != held + rest and moved.startswith(held) and left and left[0] in _BELOW:
                return left
        return rest
