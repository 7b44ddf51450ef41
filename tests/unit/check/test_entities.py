"""What variants take over, and how much of it."""

from __future__ import annotations

from capwright.check import entities
from tests.support.programs import codes, compiled

FAMILY = """
entity root { a : number default 1; b : number default 2; block { c : number default 3 } }
entity left : root { d : number default 4 }
entity right : root { block { e : number default 5 } }
right thing { a = 7 }
x = thing.a + thing.block.e
"""


def test_variants_that_take_over_too_much_are_refused_once(monkeypatch):
    assert codes(compiled(FAMILY)) == []
    monkeypatch.setattr(entities, "MAX_INHERITED", 8)
    assert codes(compiled(FAMILY)) == []
    monkeypatch.setattr(entities, "MAX_INHERITED", 7)
    assert codes(compiled(FAMILY)) == ["CW0403"]
    monkeypatch.setattr(entities, "MAX_INHERITED", 3)
    [refused] = compiled(FAMILY).diagnostics
    assert "variants of this plan take over more than 3" in refused.message
