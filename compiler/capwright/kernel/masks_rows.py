"""How many keys one query may see: a row of a mask, counted by its pieces and not key by key."""

from __future__ import annotations

from bisect import bisect_right
from itertools import pairwise
from math import lcm

from msgspec import Struct

from capwright.kernel.masks_atoms import Cuts, Test


class Rows(Struct, frozen=True):
    """The rows of a mask over `keys` key positions.

    `repeat` is the period of what repeats along a row (dilations and stripes), `period` that of everything
    that repeats from row to row; both are 1 where nothing does.
    """

    permits: Test
    cuts: Cuts
    keys: int
    repeat: int
    period: int

    def columns(self, p: int) -> list[int]:
        """The cuts of row `p` that stay where they are in the rows around it, both ends of the keys among
        them: sorted, within `0 .. keys`."""
        found = {0, self.keys, *self.cuts.columns}
        for bounds in self.cuts.documents:
            at = bisect_right(bounds, p)
            found.update(bounds[max(at - 1, 0) : at + 1])
        return sorted(each for each in found if 0 <= each <= self.keys)

    def count(self, p: int, columns: list[int]) -> int:
        """Keys that the query at `p` may see; `columns` are those of its neighbourhood."""
        keys = self.keys
        moving = [p + a for a in self.cuts.diagonals]
        moving += [size * (p // size) + e for size, e in self.cuts.steps]
        cuts = sorted({*columns, *(each for each in moving if 0 < each < keys)})
        return sum(self._between(p, low, high) for low, high in pairwise(cuts))

    def _between(self, p: int, low: int, high: int) -> int:
        if self.repeat == 1:
            return high - low if self.permits(p, low) else 0
        times, rest = divmod(high - low, self.repeat)
        whole = times * self._swept(p, low, low + self.repeat) if times else 0
        return whole + (self._swept(p, high - rest, high) if rest else 0)

    def _swept(self, p: int, low: int, high: int) -> int:
        cuts = {low, high}
        for step in self.cuts.dilations:
            hits = range(low + (p - low) % step, high, step)
            cuts.update(hits)
            cuts.update(hit + 1 for hit in hits)
        for period, offset in self.cuts.stripes:
            cuts.update(range(low + (offset - low) % period, high, period))
        ends = sorted(cuts)
        return sum(b - a for a, b in pairwise(ends) if self.permits(p, a))


def rows(permits: Test, cuts: Cuts, keys: int) -> Rows:
    """The rows of a mask with this membership test and these cuts."""
    repeat = lcm(*cuts.dilations, *(period for period, _ in cuts.stripes))
    return Rows(permits, cuts, keys, repeat, lcm(repeat, *(size for size, _ in cuts.steps)))
