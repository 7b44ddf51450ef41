"""What was renamed between two documents, as they say themselves."""

from __future__ import annotations

from collections.abc import Iterator

from capwright.base.address import under
from capwright.document.diffdoc import Remark
from capwright.document.plandoc import MovedDoc, PlanDoc


def moves_of(a: PlanDoc, b: PlanDoc) -> dict[str, str]:
    """How names of `a` are called in `b`: as `b` says, and the other way round as `a` says, all at once.

    What both say is older than both. A name is taken over only where it is free: `b` no longer has the old one and
    `a` not yet the new one, unless that one was renamed as well, as in `moved x to y` and `moved y to x`.
    """
    ours, theirs = _names(a), _names(b)
    found = [move for move in _said(a, b) if _knows(ours, move.old)]
    while True:
        gone, come = {move.old for move in found}, {move.new for move in found}
        kept = [
            m
            for m in found
            if (m.old in come or not _knows(theirs, m.old)) and (m.new in gone or not _knows(ours, m.new))
        ]
        if kept == found:
            return {move.old: move.new for move in reversed(found)}  # what is said first
        found = kept


def unmoved(a: PlanDoc, b: PlanDoc) -> Iterator[Remark]:
    """Names that a document says were renamed, and that neither has."""
    ours, theirs = _names(a), _names(b)
    for side, other, known in ((b, a, ours), (a, b, theirs)):
        for move in side.moved:
            if move not in other.moved and not _knows(known, move.old):
                text = f"`moved {move.old} to {move.new}`: there is no `{move.old}` to compare with"
                yield Remark("moved", "new" if side is b else "lost", move.new, text, None, ())


def _said(a: PlanDoc, b: PlanDoc) -> Iterator[MovedDoc]:
    yield from (move for move in b.moved if move not in a.moved)
    yield from (MovedDoc(move.new, move.old) for move in a.moved if move not in b.moved)


def _names(doc: PlanDoc) -> frozenset[str]:
    numbers = (name for q in doc.quantities if not q.internal for name in (q.address, *q.aliases))
    return frozenset((*numbers, *(s.address for s in doc.settings), *(o.address for o in doc.options)))


def _knows(names: frozenset[str], path: str) -> bool:
    return path in names or any(under(name, path) is not None for name in names)
