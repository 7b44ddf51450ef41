"""What a quantity is a sum and a difference of: the terms, as a reader of a message knows them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping

from msgspec import Struct

from capwright.graph.tape import BindInfo, CallInfo, Tape

_Signed = tuple[int, bool]
"""A node, and whether it is added (True) or taken off."""


class Terms(Struct, frozen=True):
    """Nodes that a quantity adds up, and those that it takes off, as they are read: how often it does so, by node."""

    added: Mapping[int, int]
    taken: Mapping[int, int]


def terms_of(tape: Tape, node: int, named: Collection[int]) -> Terms:
    """The terms of the sum or difference that a node is; a node that is neither has itself as its one term.

    Formulas are looked through where what they give is exactly what they say, and so are names on the way that are not in
    `named`; a named node below the first is a term. What several parts share is walked once, and counted: formulas that
    each call the one before twice double the terms, but not the work.
    """
    parts: dict[_Signed, tuple[_Signed, ...]] = {}
    waiting = [(node, True)]
    while waiting:
        signed = waiting.pop()
        if signed not in parts:
            parts[signed] = _parts(tape, signed, seen_through=signed[0] == node or signed[0] not in named)
            waiting += reversed(parts[signed])
    often = Counter({(node, True): 1})
    for signed in sorted(parts, reverse=True):  # what is made of others is after them on the tape
        for part in parts[signed]:
            often[part] += often[signed]
    sides: dict[bool, dict[int, int]] = {True: {}, False: {}}
    for (term, adds), own in parts.items():
        if not own:
            sides[adds][term] = often[term, adds]
    return Terms(sides[True], sides[False])


def _parts(tape: Tape, signed: _Signed, *, seen_through: bool) -> tuple[_Signed, ...]:
    """What a node adds up and takes off; nothing of a term."""
    node, adds = signed
    args = tape.args[node]
    match tape.ops[node]:
        case "add":
            return tuple((each, adds) for each in args)
        case "sub":
            return (args[0], adds), (args[1], not adds)
        case "neg":
            return ((args[0], not adds),)
        case "bind" | "call" if seen_through and _says_all(tape.data[node]):
            return ((args[0], adds),)
        case _:
            return ()


def _says_all(data: object) -> bool:
    """Whether a name or a call is what its formula says, and no bound or estimate."""
    return isinstance(data, BindInfo | CallInfo) and data.relation == "="
