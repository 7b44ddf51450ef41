"""What each mask atom permits, and where along a row of keys that may change.

Positions count from zero. With `q` queries and `k` keys the queries are the *last* `q` positions, so query
`i` stands at `p = k - q + i`; a key stands at its own index `c`. An atom gives its membership test
`permits(p, c)` and its *cuts*: for a fixed `p`, the only places where the test may change as `c` grows. Cuts
are constant columns, diagonals `p + a`, steps `B * (p // B) + e`, document bounds, or periodic.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from itertools import accumulate
from typing import Final

from msgspec import Struct

from capwright.kernel.masks import CHOSEN, Atom, Both, Either, Mask, Outside

Test = Callable[[int, int], bool]


class Cuts(Struct, frozen=True):
    """Where membership may change along a row. The union of two is that of their fields."""

    columns: frozenset[int] = frozenset()
    """Fixed key positions."""
    diagonals: frozenset[int] = frozenset()
    """`a` of a cut at `p + a`."""
    steps: frozenset[tuple[int, int]] = frozenset()
    """`(B, e)` of a cut at `B * (p // B) + e`."""
    dilations: frozenset[int] = frozenset()
    """`s` of cuts around every `c` with `c ≡ p (mod s)`."""
    stripes: frozenset[tuple[int, int]] = frozenset()
    """`(M, u)` of cuts at every `c ≡ u (mod M)`."""
    documents: frozenset[tuple[int, ...]] = frozenset()
    """Bounds `0, l1, l1 + l2, …` of packed documents, in rows and columns alike."""

    def union(self, other: Cuts) -> Cuts:
        """The cuts of a composition of two masks."""
        return Cuts(*(getattr(self, name) | getattr(other, name) for name in self.__struct_fields__))


class Shape(Struct, frozen=True):
    """An atom's membership test and its cuts."""

    permits: Test
    cuts: Cuts = Cuts()


def _causal(_: Atom) -> Shape:
    return Shape(lambda p, c: c <= p, Cuts(diagonals=frozenset({1})))


def _full(_: Atom) -> Shape:
    return Shape(lambda p, c: True)


def _window(atom: Atom) -> Shape:
    size, ahead = _size(atom, "size"), _size(atom, "ahead", 0)
    return Shape(lambda p, c: p - size < c <= p + ahead, Cuts(diagonals=frozenset({1 - size, 1 + ahead})))


def _sinks(atom: Atom) -> Shape:
    count = _size(atom, "count")
    return Shape(lambda p, c: c < count, Cuts(columns=frozenset({count})))


def _prefix(atom: Atom) -> Shape:
    size = _size(atom, "size")
    return Shape(lambda p, c: c < size or c <= p, Cuts(frozenset({size}), frozenset({1})))


def _chunked(atom: Atom) -> Shape:
    size = _size(atom, "size")
    return Shape(lambda p, c: p // size == c // size, Cuts(steps=frozenset({(size, 0), (size, size)})))


def _dilated(atom: Atom) -> Shape:
    step = _size(atom, "step")
    return Shape(lambda p, c: (p - c) % step == 0, Cuts(dilations=frozenset({step})))


def _block_sparse(atom: Atom) -> Shape:
    block, local, stride = _size(atom, "block"), _size(atom, "local"), _size(atom, "stride")

    def permits(p: int, c: int) -> bool:
        return 0 <= p // block - c // block < local or c // block % stride == stride - 1

    period = block * stride
    steps = frozenset({(block, block), (block, block * (1 - local))})
    return Shape(permits, Cuts(steps=steps, stripes=frozenset({(period, period - block), (period, 0)})))


def _documents(atom: Atom) -> Shape:
    lengths = atom.size("lengths")
    assert isinstance(lengths, tuple)
    bounds = tuple(accumulate(lengths, initial=0))

    def permits(p: int, c: int) -> bool:
        return p >= 0 and bisect_right(bounds, p) == bisect_right(bounds, c)

    return Shape(permits, Cuts(documents=frozenset({bounds})))


def _size(atom: Atom, name: str, default: int | None = None) -> int:
    size = atom.size(name, default)
    assert isinstance(size, int)
    return size


ATOMS: Final[dict[str, Callable[[Atom], Shape]]] = {
    "causal": _causal,
    "full": _full,
    "window": _window,
    "sinks": _sinks,
    "prefix": _prefix,
    "chunked": _chunked,
    "dilated": _dilated,
    "block_sparse": _block_sparse,
    "documents": _documents,
}


def shape(mask: Mask) -> Shape:
    """The membership test and the cuts of a composition without a learned choice."""
    match mask:
        case Atom(name):
            return ATOMS[name](mask)
        case Outside(inner):
            found = shape(inner)
            return Shape(_not(found.permits), found.cuts)
        case Both(parts):
            return _joined([shape(part) for part in parts], _and)
        case Either(parts):
            return _joined([shape(part) for part in parts], _or)


def without_choice(mask: Mask) -> tuple[Mask, int | None]:
    """The mask that a learned choice picks from, and how many keys it keeps; `None` where there is none."""
    match mask:
        case Atom(name) if name == CHOSEN:
            return Atom("full"), _size(mask, "count")
        case Both(parts):
            chosen = [part for part in parts if isinstance(part, Atom) and part.name == CHOSEN]
            if chosen:
                rest = tuple(part for part in parts if part not in chosen)
                return (rest[0] if len(rest) == 1 else Both(rest)), _size(chosen[0], "count")
    return mask, None


def _not(test: Test) -> Test:
    return lambda p, c: not test(p, c)


def _and(left: Test, right: Test) -> Test:
    return lambda p, c: left(p, c) and right(p, c)


def _or(left: Test, right: Test) -> Test:
    return lambda p, c: left(p, c) or right(p, c)


def _joined(shapes: list[Shape], join: Callable[[Test, Test], Test]) -> Shape:
    # Halving keeps the nesting of closures logarithmic in the number of parts.
    if len(shapes) == 1:
        return shapes[0]
    middle = len(shapes) // 2
    left, right = _joined(shapes[:middle], join), _joined(shapes[middle:], join)
    return Shape(join(left.permits, right.permits), left.cuts.union(right.cuts))
