"""Which numbers are told of the elements that do not meet a check."""

from __future__ import annotations

import pytest

from capwright.compiling import compile_plan
from capwright.loading import load

PLAN = """\
entity board {{ width : whole; secret : number default 41 }}
entity floor {{ boards : list of board named board; row : number; check all({asked} for b in boards) "wrong" }}
formula fills(one: board, row: number) : bool = one.width <= row{clauses}
floor hall {{ row = 5; board a {{ width = 7 }} }}
"""


def noted(asked: str, clauses: str = "") -> list[str]:
    text = PLAN.format(asked=asked, clauses=clauses)
    compiled = compile_plan(load("a.plan", root=".", texts={"a.plan": text}))
    [found] = [one for one in compiled.diagnostics if one.code == "CW0219"]
    return [note.text for note in found.notes if "not met by" in note.text]


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ("fills(b, row)", "not met by `a`, where `one.width` is 7, `row` is 5"),
        ("b.width <= row", "not met by `a`, where `b.width` is 7"),
        ("fills(row: row, one: b)", "not met by `a`, where `one.width` is 7, `row` is 5"),
    ],
)
def test_the_numbers_that_names_stand_for_are_told(asked, said):
    assert noted(asked) == [said]


def test_nothing_of_a_confidential_formula_is_told():
    """Such a formula cannot decide a check at all (CW0242): it is refused before any number is told."""
    text = PLAN.format(asked="fills(b, row)", clauses=" confidential")
    compiled = compile_plan(load("a.plan", root=".", texts={"a.plan": text}))
    assert [one.code for one in compiled.diagnostics] == ["CW0242"]
