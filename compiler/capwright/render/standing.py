"""What a verdict stands on and what it carries, in a few words: its caveats go wherever it is told."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Final

from msgspec.structs import replace

from capwright.document.outcome import gained_caveats
from capwright.document.plandoc import VerdictDoc
from capwright.render.pieces import Name, Numeral, Piece, Pieces, Words
from capwright.render.verdicts import VerdictView
from capwright.render.words import LEADS

NAMED: Final = 4
"""Sources that are named; the rest are counted."""


def standing(verdict: VerdictDoc, permanent: Collection[str], address: str) -> tuple[Pieces, ...]:
    """`holds under …`, `caveats: …` and `excludes …`, each where there is something to tell. The `permanent` caveats stand
    once for all verdicts; `address` is where the verdict is told."""
    return tuple(filter(None, (_basis(verdict, address), *carried(verdict, permanent))))


def gained(before: VerdictDoc | None, after: VerdictDoc, permanent: Collection[str]) -> tuple[Pieces, ...]:
    """The caveats and exclusions that a verdict carries now and did not before, though it is what it was."""
    had = before.exclusions if before is not None else ()
    new = replace(
        after,
        caveats=gained_caveats(before, after),
        exclusions=tuple(name for name in after.exclusions if name not in had),
    )
    return carried(new, permanent)


def carried(verdict: VerdictDoc | VerdictView, permanent: Collection[str]) -> tuple[Pieces, ...]:
    """`caveats: …` and `excludes …`, each where there is something to tell."""
    caveats = [name for name in verdict.caveats if name not in permanent]
    return tuple(filter(None, (_caveats(caveats), _excluded(verdict.exclusions))))


def _basis(verdict: VerdictDoc, address: str) -> Pieces:
    if verdict.status == "not established":
        return () if verdict.opened_by is None else (Words("left open by "), Name(verdict.opened_by))
    lead = LEADS.get(verdict.status, "Leans on").lower()
    names = list(_listed(verdict.leans_on[:NAMED]))
    left = len(verdict.leans_on) - NAMED
    if left > 0:
        count = Numeral(f"{left:,}", address, "leans_on.count", address)
        names += [Words(" and "), count, Words(" more")]
    return (Words(f"{lead} "), *names) if names else ()


def _caveats(caveats: Sequence[str]) -> Pieces:
    lead = "caveat: " if len(caveats) == 1 else "caveats: "
    return (Words(lead), *_listed(caveats)) if caveats else ()


def _excluded(names: Sequence[str]) -> Pieces:
    return (Words("excludes "), *_listed(names)) if names else ()


def _listed(names: Sequence[str]) -> Iterator[Piece]:
    for at, name in enumerate(names):
        if at:
            yield Words(", ")
        yield Name(name)
