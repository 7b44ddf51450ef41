"""Addresses of quantities: what lies below one, and what it is called after a move."""

from __future__ import annotations

from collections.abc import Iterable

from capwright.document.plandoc import MovedDoc


def under(address: str, top: str) -> str | None:
    """What is left of `address` below `top`, empty for `top` itself; None where it does not lie there."""
    if address == top:
        return ""
    return address[len(top) + 1 :] if address.startswith((f"{top}.", f"{top}/")) else None


def renamed(address: str, moves: Iterable[MovedDoc]) -> str:
    """The address after renaming, of the longest old path that it lies at or below."""
    for move in moves:
        rest = under(address, move.old)
        if rest is not None:
            return move.new + address[len(move.old) :]
    return address
