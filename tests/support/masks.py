"""Masks with their meaning cell by cell, written down apart from the kernel, and random ones."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from hypothesis import strategies as st

from capwright.kernel.masks import Mask
from capwright.kernel.registry import CONSTRUCTORS, OPERATORS

Sees = Callable[[int, int], bool]


@dataclass(frozen=True)
class Meant:
    """A mask of the kernel and whether the query at `p` sees the key at `c`."""

    mask: Mask
    sees: Sees

    def __repr__(self) -> str:
        return self.mask.text()

    def pairs(self, queries: int, keys: int, limit: int | None = None) -> int:
        """The pairs by looking at every cell; of each query at most `limit` keys."""
        rows = (sum(self.sees(p, c) for c in range(keys)) for p in range(keys - queries, keys))
        return sum(row if limit is None else min(row, limit) for row in rows)


def made(name: str, **sizes: object) -> Mask:
    """A mask by the name of its constructor."""
    return CONSTRUCTORS[name].build(**sizes)  # type: ignore[return-value]


def document_of(lengths: tuple[int, ...], position: int) -> int:
    """The number of the document that a position lies in, -1 for none."""
    end = 0
    for number, length in enumerate(lengths):
        end += length
        if 0 <= position < end:
            return number
    return -1


def chunk_of(size: int, position: int) -> int:
    return position // size


sizes = st.integers(1, 9)
small = st.integers(1, 4)
documents = st.lists(sizes, min_size=1, max_size=6).map(tuple)

atoms: st.SearchStrategy[Meant] = st.one_of(
    st.just(Meant(made("causal"), lambda p, c: c <= p)),
    st.just(Meant(made("full"), lambda p, c: True)),
    st.builds(lambda n: Meant(made("window", size=n), lambda p, c: 0 <= p - c < n), sizes),
    st.builds(
        lambda n, a: Meant(made("window", size=n, ahead=a), lambda p, c: -a <= p - c < n), sizes, small
    ),
    st.builds(lambda n: Meant(made("sinks", count=n), lambda p, c: c < n), sizes),
    st.builds(lambda n: Meant(made("prefix", size=n), lambda p, c: c <= p or c < n), sizes),
    st.builds(lambda n: Meant(made("chunked", size=n), lambda p, c: chunk_of(n, p) == chunk_of(n, c)), sizes),
    st.builds(lambda n: Meant(made("dilated", step=n), lambda p, c: abs(p - c) % n == 0), small),
    st.builds(
        lambda b, near, far: Meant(
            made("block_sparse", block=b, local=near, stride=far),
            lambda p, c: chunk_of(b, p) - chunk_of(b, c) in range(near) or (chunk_of(b, c) + 1) % far == 0,
        ),
        small,
        small,
        small,
    ),
    st.builds(
        # One long document at the end, so that every length asked for is covered.
        lambda d: Meant(
            made("documents", lengths=(*d, 200)),
            lambda p, c: document_of((*d, 200), p) == document_of((*d, 200), c) >= 0,
        ),
        documents,
    ),
)


def _both(a: Meant, b: Meant) -> Meant:
    return Meant(OPERATORS["and"](a.mask, b.mask), lambda p, c: a.sees(p, c) and b.sees(p, c))


def _either(a: Meant, b: Meant) -> Meant:
    return Meant(OPERATORS["or"](a.mask, b.mask), lambda p, c: a.sees(p, c) or b.sees(p, c))


def _outside(a: Meant) -> Meant:
    return Meant(OPERATORS["not"](a.mask), lambda p, c: not a.sees(p, c))


masks: st.SearchStrategy[Meant] = st.recursive(
    atoms,
    lambda inner: st.one_of(
        st.builds(_both, inner, inner), st.builds(_either, inner, inner), st.builds(_outside, inner)
    ),
    max_leaves=6,
)
