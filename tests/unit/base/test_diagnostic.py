"""Which spelling is offered for a name that nobody declared."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from capwright.base.diagnostic import did_you_mean, nearest
from tests.support.programs import compiled

UNITS = ("GB", "GiB", "Gbit", "Gibit", "MB", "MiB", "ms", "Ms", "s", "byte")


@pytest.mark.parametrize(
    ("word", "names"),
    [
        ("GIB", ("GiB",)),  # and not GB, which is one slip away and 7 % less
        ("gib", ("GiB",)),
        ("mib", ("MiB",)),
        ("MS", ("Ms", "ms")),
        ("bite", ("byte",)),
        ("furlong", ()),
    ],
)
def test_a_name_but_for_its_case_comes_before_all_others(word, names):
    assert nearest(word, UNITS) == names


@given(st.lists(st.text("abcAB", min_size=1, max_size=4), min_size=1, max_size=12), st.data())
def test_all_names_that_agree_but_for_case_are_meant(names, data):
    word = data.draw(st.sampled_from(names)).swapcase()
    assert set(nearest(word, names)) == {name for name in names if name.casefold() == word.casefold()}


def test_several_are_offered_in_one_question():
    assert did_you_mean("MS", UNITS) == "did you mean `Ms` or `ms`?"
    assert did_you_mean("AB", ("ab", "aB", "Ab")) == "did you mean `Ab`, `aB` or `ab`?"


def test_what_there_is_is_listed_up_to_a_length():
    assert did_you_mean("xyz", "abc") == "known here: `a`, `b`, `c`"
    assert did_you_mean("xyz", "abc", most=2) == "known here: `a`, `b` and 1 more"


@pytest.mark.parametrize(("unit", "meant"), [("GIB", "`GiB`"), ("gib", "`GiB`"), ("MS", "`Ms` or `ms`")])
def test_a_unit_in_the_wrong_case_leads_to_the_unit(unit, meant):
    found = compiled(f"use std\nx = 1 {unit}\n").diagnostics
    assert [(one.code, one.help) for one in found] == [("CW0303", f"did you mean {meant}?")]
