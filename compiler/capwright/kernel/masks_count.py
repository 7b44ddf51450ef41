"""Exact pair counts of any composed mask, in time that grows with its pieces and not with its lengths.

Rows are cut into *regions* in which no moving cut (a diagonal, a step) passes a fixed one. In a region the
count of row `p + period` exceeds that of row `p` by an amount that depends on `p` within the period alone,
so that a million periods are an arithmetic progression of period sums. Within a period the same argument
holds a second time, between the places where the steps jump, with the period of dilations and stripes.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise
from typing import Final

from msgspec import Struct

from capwright.kernel.masks import Mask
from capwright.kernel.masks_atoms import shape, without_choice
from capwright.kernel.masks_rows import Rows, rows
from capwright.kernel.refusal import KernelRefusal
from capwright.kernel.text import counted

MAX_PIECES: Final = 1_000_000
_CUTS_SQUARED: Final = 64
"""A row of so many cuts, squared, takes as long as one of none: each piece between two is looked up in every part."""


def pairs(mask: Mask, queries: int, keys: int) -> int:
    """Permitted (query, key) pairs, exact; the queries are the last `queries` of `keys` positions.

    With more queries than keys the first ones stand before position zero. A learned choice keeps
    `min(count, keys the rest permits)` keys of each query. Raises `KernelRefusal` CW0603 where the mask breaks into more
    than `MAX_PIECES` pieces at these lengths, and CW0605 where packed documents end before the keys do.
    """
    return counted_pairs(mask, queries, keys)[0]


@lru_cache(maxsize=4_096)
def counted_pairs(mask: Mask, queries: int, keys: int) -> tuple[int, int]:
    """The pairs, and in how many pieces they were counted, at most."""
    if queries == 0 or keys == 0:
        return 0, 0
    rest, limit = without_choice(mask)
    found = shape(rest)
    _documents_reach(found.cuts.documents, mask, keys)
    grid = rows(found.permits, found.cuts, keys)
    regions = list(_regions(grid, keys - queries, keys))
    pieces = sum(_pieces(grid, region) for region in regions)
    if pieces > MAX_PIECES:
        raise _too_many(mask, pieces)
    total = sum(
        _Region(mask, grid, region.columns, limit).total(region.low, region.high) for region in regions
    )
    return total, pieces


class _Span(Struct, frozen=True):
    """Rows `low .. high` in which the fixed cuts are `columns` and no moving cut passes one."""

    low: int
    high: int
    columns: list[int]


class _Sum(Struct, frozen=True):
    """The pairs of some rows, and of each run of them the keys of its first and of its last row."""

    pairs: int
    runs: list[tuple[int, int]]


def _too_many(mask: Mask, pieces: int) -> KernelRefusal:
    message = (
        f"`{mask.text()}` breaks into {counted(pieces)} pieces at this length; the limit is {MAX_PIECES:_}"
    )
    return KernelRefusal(
        "CW0603", message, "use sizes with a common multiple, larger blocks, or a shorter length"
    )


def _documents_reach(documents: frozenset[tuple[int, ...]], mask: Mask, keys: int) -> None:
    for bounds in documents:
        if bounds[-1] < keys:
            message = (
                f"the packed documents end at token {bounds[-1]:_}, and `{mask.text()}` is asked for {keys:_}"
            )
            raise KernelRefusal(
                "CW0605", message, "give documents whose lengths add up to the keys asked for"
            )


def _regions(grid: Rows, low: int, high: int) -> Iterator[_Span]:
    """The rows `low .. high` cut where a document begins or a moving cut reaches a fixed one."""
    bounds = {low, high, *(each for ends in grid.cuts.documents for each in ends if low < each < high)}
    stops = sorted(bounds)
    for start, stop in pairwise(stops):
        columns = grid.columns(start)
        inner = {column - a for column in columns for a in grid.cuts.diagonals}
        inner |= {-(-(column - e) // size) * size for column in columns for size, e in grid.cuts.steps}
        ends = sorted({start, stop, *(each for each in inner if start < each < stop)})
        yield from (_Span(a, b, columns) for a, b in pairwise(ends))


def _pieces(grid: Rows, region: _Span) -> int:
    """How many runs of rows the region takes, at most, with the sweeps along each."""
    height = min(region.high - region.low, 3 * grid.period)
    jumps = sum(height // size + 1 for size in {size for size, _ in grid.cuts.steps})
    passes = 1 + len(grid.cuts.steps) * len(grid.cuts.diagonals) if jumps else 1
    return min((jumps + 1) * passes * min(grid.repeat, height), 2 * height) * _sweep(grid, region.columns)


def _sweep(grid: Rows, columns: list[int]) -> int:
    """How many pieces one row breaks into within a repeat, of rows with few cuts; one with many counts as several."""
    dilated = sum(grid.repeat // step for step in grid.cuts.dilations)
    swept = 1 + dilated + sum(grid.repeat // period for period, _ in grid.cuts.stripes)
    cuts = len(columns) + len(grid.cuts.diagonals) + len(grid.cuts.steps)
    return swept * (1 + cuts * cuts // _CUTS_SQUARED)


class _Region(Struct, frozen=True):
    """Sums over the rows of one region. `limit` is how many keys a learned choice keeps, if there is one."""

    mask: Mask
    grid: Rows
    columns: list[int]
    limit: int | None

    def total(self, low: int, high: int) -> int:
        """The pairs of rows `low .. high`."""
        period = self.grid.period
        times = (high - low) // period
        if not self.grid.cuts.steps or times <= 2:
            return self._direct(low, high).pairs
        rest = self._direct(low + times * period, high).pairs if (high - low) % period else 0
        return self._periods(low, times) + rest

    def _periods(self, low: int, times: int) -> int:
        """The pairs of `times` whole periods from row `low`: a progression, unless the choice cuts into it.

        A row's keys grow evenly from period to period. Where the limit lies between those of the first and of
        the last period, the periods are halved until it does not.
        """
        period, total, spent = self.grid.period, 0, 0
        waiting = [(low, times)]
        while waiting:
            if spent > MAX_PIECES:
                raise _too_many(self.mask, spent)
            start, count = waiting.pop()
            first = self._direct(start, start + period)
            last = self._direct(start + (count - 1) * period, start + count * period) if count > 1 else first
            spent += (len(first.runs) + len(last.runs)) * _sweep(self.grid, self.columns)
            if count <= 2 or self._even(first.runs, last.runs):
                total += (first.pairs + last.pairs) * count // 2
            else:
                half = count // 2
                waiting += [(start, half), (start + half * period, count - half)]
        return total

    def _even(self, first: list[tuple[int, int]], last: list[tuple[int, int]]) -> bool:
        """Whether the period sums between these two grow evenly in spite of the limit."""
        limit = self.limit
        if limit is None:
            return True
        return all(
            a == b or max(*a, *b) <= limit or min(*a, *b) >= limit for a, b in zip(first, last, strict=True)
        )

    def _direct(self, low: int, high: int) -> _Sum:
        """Rows `low .. high`, cut where a step jumps or a diagonal passes one."""
        sizes = {size for size, _ in self.grid.cuts.steps}
        jumps = {row for size in sizes for row in range(-(-low // size) * size, high, size)}
        stops = sorted({low, high, *jumps})
        found: list[_Sum] = []
        for start, stop in pairwise(stops):
            edges = {size * (start // size) + e for size, e in self.grid.cuts.steps}
            passed = {edge - a for edge in edges for a in self.grid.cuts.diagonals}
            ends = sorted({start, stop, *(each for each in passed if start < each < stop)})
            found += [self._run(a, b) for a, b in pairwise(ends)]
        return _Sum(sum(each.pairs for each in found), [run for each in found for run in each.runs])

    def _run(self, low: int, high: int) -> _Sum:
        """Rows among which every cut is fixed or a diagonal and none passes another: row counts grow evenly
        from one repeat to the next."""
        repeat, count = self.grid.repeat, self.grid.count
        total, runs = 0, []
        for row in range(low, min(low + repeat, high)):
            times = -(-(high - row) // repeat)
            first = count(row, self.columns)
            last = count(row + (times - 1) * repeat, self.columns) if times > 1 else first
            growth = (last - first) // (times - 1) if times > 1 else 0
            total += _progression(first, growth, times, self.limit)
            runs.append((first, last))
        return _Sum(total, runs)


def _progression(first: int, growth: int, times: int, limit: int | None) -> int:
    """`first + (first + growth) + …`, `times` terms, none taken for more than `limit`."""
    if limit is None or max(first, first + growth * (times - 1)) <= limit:
        return times * first + growth * times * (times - 1) // 2
    if min(first, first + growth * (times - 1)) >= limit:
        return limit * times
    if growth < 0:
        first, growth = first + growth * (times - 1), -growth
    below = (limit - first) // growth + 1
    return below * first + growth * below * (below - 1) // 2 + limit * (times - below)
