"""Exact Shapley values: what each of some switches contributes to a difference, on average over all orders.

With up to `EXACT` players every coalition is evaluated and the parts are exact. Beyond that, whole orders are
drawn (each with its reverse) from a seeded generator; in every order the parts add up, so they do on average too,
and the standard error of each part says how far it may be from the exact one.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from typing import Final

from msgspec import Struct

from capwright.base.exact import Number, norm

EXACT: Final = 10
SEED: Final = 20_240_229

Valuation = Callable[[int], "Number | None"]
"""The value for a coalition, given as a bit mask over the players; None where it has none."""


class Parts(Struct, frozen=True):
    """The parts in the players' order. `errors` are standard errors, all None where the parts are exact."""

    shares: tuple[Number, ...]
    errors: tuple[Number | None, ...]
    orders: int


def shapley(values: Sequence[Number]) -> tuple[Number, ...]:
    """The exact parts for the value of every coalition, by bit mask; there are `2 ** players` of them.

    A part is the sum over coalitions of the value times a weight that depends on the coalition's size, so one
    common denominator serves for all.
    """
    players = (len(values) - 1).bit_length()
    scale = math.lcm(*(Fraction(value).denominator for value in values))
    whole = [int(value * scale) for value in values]
    joining = [math.factorial(size) * math.factorial(players - size - 1) for size in range(players)]
    totals = [0] * players
    for coalition, value in enumerate(whole):
        size = coalition.bit_count()
        with_it = joining[size - 1] * value if size else 0
        without = joining[size] * value if size < players else 0
        for player in range(players):
            totals[player] += with_it if coalition >> player & 1 else -without
    below = scale * math.factorial(players)
    return tuple(norm(Fraction(total, below)) for total in totals)


def gray(players: int) -> list[int]:
    """All coalitions, each one switch from the last."""
    return [number ^ (number >> 1) for number in range(1 << players)]


def exact_parts(players: int, value: Valuation) -> Parts | None:
    """The exact parts; None where some coalition has no value."""
    values: list[Number] = [0] * (1 << players)
    for coalition in gray(players):
        found = value(coalition)
        if found is None:
            return None
        values[coalition] = found
    return Parts(shapley(values), (None,) * players, 0)


def sampled_orders(players: int, orders: int) -> Iterator[list[int]]:
    """Orders in which players join: every second one is the reverse of the one before."""
    state = SEED
    order = list(range(players))
    for drawn in range(orders):
        if drawn % 2:
            order.reverse()
        else:
            state = _shuffle(order, state)
        yield list(order)


def averaged(rows: list[list[Number]]) -> Parts:
    """The parts from what each player added in each of some orders."""
    columns = list(zip(*rows, strict=True))
    shares = [norm(Fraction(sum(column)) / len(rows)) for column in columns]
    errors = tuple(_error(column, mean) for column, mean in zip(columns, shares, strict=True))
    return Parts(tuple(shares), errors, len(rows))


def _shuffle(order: list[int], state: int) -> int:
    """Shuffle in place by a generator (SplitMix64) that gives every reader the same orders; returns its state."""
    for last in range(len(order) - 1, 0, -1):
        state = (state + 0x9E37_79B9_7F4A_7C15) % (1 << 64)
        mixed = state
        mixed = (mixed ^ (mixed >> 30)) * 0xBF58_476D_1CE4_E5B9 % (1 << 64)
        mixed = (mixed ^ (mixed >> 27)) * 0x94D0_49BB_1331_11EB % (1 << 64)
        other = (mixed ^ (mixed >> 31)) % (last + 1)
        order[last], order[other] = order[other], order[last]
    return state


def _error(column: Sequence[Number], mean: Number) -> Number:
    """The standard error of the mean of pairs of opposite orders, rounded up to three digits or so."""
    halves = [Fraction(one + two) / 2 for one, two in zip(column[::2], column[1::2], strict=True)]
    if len(halves) < 2:
        return max(abs(Fraction(each - mean)) for each in column)
    variance = sum((half - mean) ** 2 for half in halves) / (len(halves) * (len(halves) - 1))
    return norm(_root_up(Fraction(variance)))


def _root_up(value: Fraction) -> Fraction:
    if value == 0:
        return Fraction(0)
    scale = 10 ** (max(0, len(str(value.denominator)) - len(str(value.numerator))) // 2 + 4)
    return Fraction(math.isqrt(math.ceil(value * scale * scale)) + 1, scale)
