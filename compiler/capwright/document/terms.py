"""What a quantity is a sum and a difference of: the terms, as a reader of a message knows them."""

from __future__ import annotations

from collections.abc import Collection

from msgspec import Struct

from capwright.graph.tape import BindInfo, CallInfo, Tape


class Terms(Struct, frozen=True):
    """Nodes that a quantity adds up, and those that it takes off; each as often as it does so."""

    added: tuple[int, ...]
    taken: tuple[int, ...]


def terms_of(tape: Tape, node: int, named: Collection[int]) -> Terms:
    """The terms of the sum or difference that a node is; a node that is neither has itself as its one term.

    Formulas are looked through where what they give is exactly what they say, and so are names on the way that are not in
    `named`; a named node below the first is a term.
    """
    sides: dict[bool, list[int]] = {True: [], False: []}
    waiting = [(node, True)]
    while waiting:
        current, adds = waiting.pop()
        args = tape.args[current]
        match tape.ops[current]:
            case "add":
                waiting += [(each, adds) for each in reversed(args)]
            case "sub":
                waiting += [(args[1], not adds), (args[0], adds)]
            case "neg":
                waiting.append((args[0], not adds))
            case "bind" | "call" if _says_all(tape.data[current]) and (
                current == node or current not in named
            ):
                waiting.append((args[0], adds))
            case _:
                sides[adds].append(current)
    return Terms(tuple(sides[True]), tuple(sides[False]))


def _says_all(data: object) -> bool:
    """Whether a name or a call is what its formula says, and no bound or estimate."""
    return isinstance(data, BindInfo | CallInfo) and data.relation == "="
