"""Kinds through arithmetic, and who may be compared with whom."""

from __future__ import annotations

import pytest

from capwright.base.dimension import PURE, dimension, times
from capwright.base.source import NOWHERE
from capwright.check.declared import Kind, Scope, Slot
from capwright.check.rules import Typed, combined, joined, meet, mismatch, partners, refused, swapped, taints
from capwright.syntax.tree import KindDecl

BYTE = dimension({"byte": 1})
SECOND = dimension({"second": 1})


def scope(*kinds: Kind) -> Scope:
    return Scope("", all_kinds={kind.name: kind for kind in kinds})


def kind(name: str, dim=BYTE, meets=(), refuses=(), purpose=None) -> Kind:
    decl = KindDecl(NOWHERE, name, NOWHERE, "", NOWHERE, purpose, meets, (), refuses)
    return Kind(name, dim, decl, meets)


NAMES = scope(
    kind("pool", purpose="capacity"),
    kind("demand", meets=("pool",), purpose="capacity"),
    kind("total", purpose="capacity"),
    kind("sketch", refuses=("time",)),
    kind("wait", SECOND, purpose="time"),
)
POOL = Typed(BYTE, "pool")
DEMAND = Typed(BYTE, "demand")
TOTAL = Typed(BYTE, "total")
LOST = Typed(BYTE, lost=True)
BARE = Typed(BYTE)
LITERAL = Typed(BYTE, literal=True)


@pytest.mark.parametrize(
    ("a", "b", "expected", "lost"),
    [
        (POOL, POOL, "pool", False),
        (POOL, LITERAL, "pool", False),
        (LITERAL, POOL, "pool", False),
        (POOL, DEMAND, None, True),
        (POOL, BARE, None, True),
        (BARE, BARE, None, False),
        (LOST, LOST, None, True),
        (LOST, BARE, None, True),
        (LOST, LITERAL, None, True),
        (LITERAL, LITERAL, None, False),
    ],
)
def test_a_sum_keeps_a_common_kind(a: Typed, b: Typed, expected: str | None, lost: bool) -> None:
    typed = joined(a, b)
    assert (typed.kind, typed.lost) == (expected, lost)
    assert (joined(b, a).kind, joined(b, a).lost) == (expected, lost)


def test_a_product_has_no_kind() -> None:
    assert combined(POOL, Typed(PURE, literal=True), BYTE).kind is None
    assert combined(POOL, Typed(PURE, literal=True), BYTE).lost
    assert combined(BARE, Typed(SECOND), times(BYTE, SECOND)) == Typed(times(BYTE, SECOND))


def test_a_taint_goes_through_everything() -> None:
    tainted = Typed(SECOND, "sketch", taint=taints("sketch", NAMES))
    assert tainted.taint == {"sketch"}
    assert joined(tainted, Typed(SECOND)).taint == {"sketch"}
    assert combined(tainted, BARE, times(SECOND, BYTE)).taint == {"sketch"}
    assert taints("pool", NAMES) == frozenset()


def test_a_tainted_value_fills_no_kind_of_the_refused_purpose() -> None:
    tainted = Typed(SECOND, taint=frozenset({"sketch"}))
    assert refused(tainted, Slot("quantity", SECOND, kind="wait"), NAMES) is NAMES.all_kinds["sketch"]
    assert refused(tainted, Slot("quantity", SECOND), NAMES) is NAMES.all_kinds["sketch"]
    assert refused(tainted, Slot("quantity", BYTE, kind="pool"), NAMES) is None
    assert refused(Typed(SECOND), Slot("quantity", SECOND, kind="wait"), NAMES) is None


@pytest.mark.parametrize(
    ("a", "b", "strict", "loose"),
    [
        (POOL, POOL, True, True),
        (POOL, DEMAND, True, True),
        (DEMAND, POOL, True, True),
        (POOL, TOTAL, False, False),
        (DEMAND, DEMAND, True, True),
        (POOL, LITERAL, True, True),
        (POOL, BARE, False, True),
        (POOL, LOST, False, True),
        (LOST, LOST, False, True),
        (LOST, BARE, False, True),
        (LOST, LITERAL, True, True),
        (BARE, BARE, True, True),
    ],
)
def test_who_may_be_compared(a: Typed, b: Typed, strict: bool, loose: bool) -> None:
    assert meet(a, b, NAMES, strict=True) is strict
    assert meet(b, a, NAMES, strict=True) is strict
    assert meet(a, b, NAMES, strict=False) is loose


def test_partners_are_found_from_both_sides() -> None:
    assert partners("pool", NAMES) == ["demand"]
    assert partners("demand", NAMES) == ["pool"]
    assert partners("total", NAMES) == []


def test_a_mismatch_says_by_what_it_is_off() -> None:
    large, small, token = (dimension({name: 1}) for name in ("large", "small", "token"))
    declared = times(BYTE, token)
    assert mismatch(declared, BYTE) == "expected byte*token, found byte (off by 1/token)"
    assert swapped(times(BYTE, small), times(BYTE, large)) == ("large", "small")
    assert swapped(declared, BYTE) is None
    assert swapped(declared, times(declared, times(large, small))) is None
