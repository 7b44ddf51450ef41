"""What each formula of a document says it was decided by."""

from __future__ import annotations

import pytest

from capwright.document.plandoc import PlanDoc
from tests.support.compared import SHAPES, document

HEAD = (
    SHAPES
    + """\
unit device, devices counting
formula plain(v: byte, twice: bool) : byte = if twice then 2 * v else v
formula mode_of(b: box) : bool = b.mode == red
entity box {
  fast : bool; mode : one of red, blue; label : text; n : static whole; v : byte; of : shape
  bright : bool = mode == red and fast
  size : byte = if fast then v * 2 else v * 3
  depth : byte = if bright then v * 5 else v * 7
  tall : byte = sum(v for i in range(n))
  wide : byte = area(of)
  long : byte = plain(v, fast) + plain(v, fast)
  deep : byte = if mode_of(self_) then v else 2 * v
  alone : byte = v * 11
  self_ : box
}
square tile { v = 4 bytes }
"""
)
PLAN = (
    HEAD
    + """\
box other { fast = true; mode = blue; label = "y"; n = 2; v = 1 byte; of = tile; self_ = other }
box one { fast = true; mode = red; label = "x"; n = 2 + 1; v = 8 bytes; of = tile; self_ = other }
report one
"""
)


@pytest.fixture(scope="module")
def doc() -> PlanDoc:
    return document(PLAN)


def decided(doc: PlanDoc, address: str) -> tuple[str, ...]:
    return next(q.decided_by for q in doc.quantities if address in (q.address, *q.aliases))


@pytest.mark.parametrize(
    ("address", "by"),
    [
        ("one.size", ("one.fast",)),
        ("one.depth", ("one.bright", "one.fast", "one.mode")),
        ("one.tall", ("one.n",)),
        ("one.wide", ()),
        ("one.wide/area", ("tile",)),
        ("one.long", ()),
        ("one.long/plain", ("one.fast",)),
        ("one.deep", ("other.mode",)),
        ("one.alone", ()),
    ],
)
def test_what_a_formula_was_decided_by(doc, address, by):
    """A text that nothing asks for decides nothing; a field that is derived brings what decided it."""
    assert decided(doc, address) == by


def test_elements_of_a_list_are_one(doc):
    listed = document(
        HEAD
        + """\
entity heap { parts : list of shape named part; kept : byte = sum(p.v for p in parts where p is round) }
heap all {
  part a : round { v = 1 byte; edge = 1 byte }
  part b : square { v = 2 bytes }
}
report all
"""
    )
    assert decided(listed, "all.kept") == ("all.parts", "all.parts.*")
