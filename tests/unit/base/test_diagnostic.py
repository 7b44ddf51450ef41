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


DEVICES = ("nvidia.h20", "nvidia.h200_sxm", "nvidia.h100_sxm", "nvidia.h100_pcie", "nvidia.l4", "nvidia.l40s")


@pytest.mark.parametrize(
    ("word", "names"),
    [
        ("h200", ("nvidia.h200_sxm",)),  # and not h20, a smaller device
        ("nvidia.h200", ("nvidia.h200_sxm",)),
        ("h100", ("nvidia.h100_sxm", "nvidia.h100_pcie")),
        ("H100", ("nvidia.h100_sxm", "nvidia.h100_pcie")),
        ("H100_SXM", ("nvidia.h100_sxm",)),
        ("nvidia.H20", ("nvidia.h20",)),
        ("l40", ("nvidia.l40s",)),
        ("h100_sxm_80gb", ("nvidia.h100_sxm",)),
        ("nvdia.h20", ("nvidia.h20",)),
        ("nvidia.l", ("nvidia.l4", "nvidia.l40s")),
        ("nvidia.zzz", ()),
        ("z", ()),
    ],
)
def test_a_name_that_begins_with_the_word_comes_before_a_near_one(word, names):
    assert set(nearest(word, DEVICES)) == set(names)


@given(st.lists(st.text("abc", min_size=1, max_size=5), min_size=1, max_size=12), st.data())
def test_all_names_that_a_word_begins_are_meant(names, data):
    word = data.draw(st.sampled_from(names))[:2]
    begun = {name for name in names if name.startswith(word)}
    assert set(nearest(word, names)) == ({word} if word in names or len(word) < 2 else begun)


def test_what_is_right_before_a_dot_makes_nothing_near():
    known = ("prod.kv.tokens", "prod.kv.pool", "prod.memory.weights", "other.nodes")
    assert nearest("prod.nope", known) == ()
    assert did_you_mean("prod.nope", known) == "`prod` has: `kv`, `memory`"
    assert did_you_mean("prod.kv.pol", known) == "did you mean `prod.kv.pool`?"
    assert did_you_mean("prod.weights", known) == "did you mean `prod.memory.weights`?"
    assert did_you_mean("prod.memroy.weights", known) == "did you mean `prod.memory.weights`?"


def test_of_many_that_a_word_begins_a_few_are_named():
    known = [f"cache_{n}" for n in range(11)]
    few = ", ".join(f"`cache_{n}`" for n in range(8))
    assert did_you_mean("cache", known) == f"did you mean {few} or one of 3 more?"


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


@pytest.mark.parametrize(
    ("unit", "meant"), [("GIB", "`GiB`"), ("gib", "`GiB`"), ("MS", "`ms`"), ("mj", "`mJ` or `MJ`")]
)
def test_a_unit_in_the_wrong_case_leads_to_the_unit(unit, meant):
    found = compiled(f"use std\nx = 1 {unit}\n").diagnostics
    assert [(one.code, one.help) for one in found] == [("CW0303", f"did you mean {meant}?")]
