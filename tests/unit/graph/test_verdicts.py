"""Requirements, expectations and measurements."""

from __future__ import annotations

from fractions import Fraction

import pytest

from capwright.base.interval import Range
from capwright.compiling import compile_plan
from capwright.graph.verdicts import compare_measurement, judge, judge_expected
from capwright.loading import load
from tests.support.tapes import Writer


@pytest.fixture
def w():
    return Writer()


def verdict(w, left, comparison, right):
    found = judge(w.tape, w.evaluate(), left, right, comparison)
    assert found is not None
    return found


def test_two_sides_that_share_a_source_are_judged_on_their_difference(w):
    s = w.assume("s", Fraction(7, 10), Fraction(6, 10), Fraction(8, 10))
    a, b = w.bind("a", w.op("mul", s, "10")), w.bind("b", w.op("mul", s, "10"))
    found = verdict(w, a, "<=", b)
    assert found.status == "holds"
    assert found.margin == Range(0, 0, 0)
    assert found.leans_on == ()
    assert verdict(w, a, "==", b).status == "holds"
    assert verdict(w, a, "!=", b).status == "violated"
    assert verdict(w, a, "<", b).status == "violated"


def test_a_bound_of_thirty_three_milliseconds(w):
    itl = w.bind("itl", w.const(Fraction(33, 1000)), ">=")
    open_one = verdict(w, itl, "<=", w.const(Fraction(40, 1000)))
    assert open_one.status == "not established"
    assert open_one.opened_by == itl
    assert open_one.margin == Range(None, None, Fraction(7, 1000))
    broken = verdict(w, itl, "<=", w.const(Fraction(30, 1000)))
    assert broken.status == "violated"
    assert broken.leans_on == ("itl",)
    assert broken.opened_by is None
    assert broken.margin.high == Fraction(-3, 1000)
    assert verdict(w, itl, ">=", w.const(Fraction(30, 1000))).status == "holds"


@pytest.mark.parametrize(
    ("comparison", "touching", "apart"),
    [
        ("<=", "holds", "holds"),
        ("<", "not established", "holds"),
        (">=", "not established", "violated"),
        (">", "violated", "violated"),
        ("==", "not established", "violated"),
        ("!=", "not established", "holds"),
    ],
)
def test_strict_and_lax_comparisons_differ_where_the_ends_touch(w, comparison, touching, apart):
    x = w.assume("x", 2, 1, 3)
    assert verdict(w, x, comparison, w.const(3)).status == touching
    assert verdict(w, x, comparison, w.const(4)).status == apart


def test_the_margin_is_the_room_whichever_way_it_is_written(w):
    x = w.assume("x", 2, 1, 3)
    assert verdict(w, x, "<=", w.const(5)).margin == Range(2, 3, 4)
    assert verdict(w, w.const(5), ">=", x).margin == Range(2, 3, 4)


def test_the_line_that_opens_the_end_is_the_bound_nearest_the_verdict(w):
    share = w.assume("share", Fraction(4, 5), Fraction(7, 10), Fraction(9, 10))
    traffic = w.bind("traffic", w.op("div", "10", share), ">=")
    step = w.bind("step", w.op("add", traffic, "1"), ">=")
    found = verdict(w, step, "<=", w.const(40))
    assert found.opened_by == step
    assert found.leans_on == ("share", "traffic", "step")


def test_a_bound_that_is_at_its_own_end_gives_way_to_an_assumption(w):
    demand = w.bind("demand", w.const(9), "<=")
    share = w.assume("share", Fraction(4, 5), Fraction(7, 10), Fraction(9, 10))
    pool = w.bind("pool", w.op("mul", share, "10"))
    found = verdict(w, demand, "<=", pool)
    assert found.status == "not established"
    assert found.leans_on == ("demand", "share")
    assert w.tape.data[found.opened_by].id == "share"
    assert verdict(w, demand, "<=", w.const(8)).opened_by == demand


def test_a_bound_that_opens_the_harmless_end_is_not_named(w):
    share = w.assume("share", Fraction(4, 5), Fraction(7, 10), Fraction(9, 10))
    slack = w.bind("slack", w.const(1), ">=")
    found = verdict(w, w.const(9), "<=", w.op("add", w.op("mul", share, "10"), slack))
    assert found.status == "not established"
    assert w.tape.data[found.opened_by].id == "share"


def test_an_estimate_is_named_before_a_wider_assumption_where_either_could_close_it(w):
    wide = w.assume("wide", 50, 10, 90)
    guess = w.bind("guess", w.const(Fraction(1, 2)), "~", domain=(0, 1))
    both = w.op("add", wide, guess)
    assert verdict(w, both, "<=", w.const(Fraction(181, 2))).opened_by == guess
    assert w.tape.data[verdict(w, both, "<=", w.const(52)).opened_by].id == "wide"


def test_what_cannot_close_it_alone_is_not_named_before_what_can(w):
    demand = w.bind("demand", w.const(20), "<=")
    share = w.assume("share", 5, 4, 6)
    found = verdict(w, demand, "<=", w.op("add", share, "10"))
    assert (found.status, found.opened_by, found.besides) == ("not established", demand, ())


def test_all_that_has_to_be_known_better_is_named(w):
    one, two, three = w.assume("one", 5, 4, 6), w.assume("two", 5, 4, 7), w.assume("three", 1, 0, 2)
    found = verdict(w, w.op("add", w.op("add", one, two), three), "<=", w.const(10))
    assert w.tape.data[found.opened_by].id == "two"
    assert [w.tape.data[node].id for node in found.besides] == ["three"]
    found = verdict(w, w.op("add", one, two), "<=", w.const(9))
    assert [w.tape.data[node].id for node in (found.opened_by, *found.besides)] == ["two", "one"]


def test_while_an_end_is_open_nobody_knows_what_else_has_to_be_known_better(w):
    one, two = w.bind("one", w.const(3), ">="), w.bind("two", w.const(4), ">=")
    guess = w.assume("guess", 2, 1, 3)
    found = verdict(w, w.op("add", w.op("add", one, two), guess), "<=", w.const(20))
    assert {found.opened_by, *found.besides} == {one, two}


@pytest.mark.parametrize(("comparison", "named"), [("<=", ["two"]), ("<", ["two", "one"])])
def test_what_would_only_touch_closes_nothing_that_is_strict(w, comparison, named):
    """With `two` known to be 0, the sum is 2 at most."""
    one, two = w.assume("one", 1, 0, 2), w.assume("two", 1, 0, 2)
    found = verdict(w, w.op("add", one, two), comparison, w.const(2))
    assert [w.tape.data[node].id for node in (found.opened_by, *found.besides)] == named


def test_of_two_assumptions_the_one_that_moves_the_room_farthest_is_named(w):
    small, large = w.assume("small", 2, 1, 3), w.assume("large", 50, 10, 90)
    found = verdict(w, w.op("add", small, large), "<=", w.const(52))
    assert found.status == "not established"
    assert w.tape.data[found.opened_by].id == "large"


def test_a_throughput_ceiling_cannot_promise_a_floor(w):
    ceiling = w.bind("ceiling", w.const(100), "<=")
    found = verdict(w, ceiling, ">=", w.const(50))
    assert found.status == "not established"
    assert found.opened_by == ceiling
    assert verdict(w, ceiling, ">=", w.const(101)).status == "violated"


def test_a_side_without_a_value_gives_no_verdict(w):
    bad = w.op("div", "1", "0")
    assert judge(w.tape, w.evaluate(), bad, w.const(1), "<=") is None


@pytest.mark.parametrize(
    ("comparison", "expected"),
    [("<=", True), ("<", False), (">=", True), (">", False), ("==", True), ("!=", False)],
)
def test_an_expectation_looks_at_nominal_values(w, comparison, expected):
    x, two = w.assume("x", 2, 1, 9), w.const(2)
    said = judge_expected(w.tape, w.evaluate(), x, two, comparison)
    assert said == ("expected" if expected else "not expected")


def test_an_expectation_on_a_bound_has_no_estimate(w):
    x, ten = w.bind("x", w.const(2), ">="), w.const(10)
    assert judge_expected(w.tape, w.evaluate(), x, ten, "<=") == "no estimate"
    assert judge_expected(w.tape, w.evaluate(), ten, x, "<=") == "no estimate"


def test_a_room_that_is_one_number_whatever_the_bounds_are_is_that_number(w):
    x = w.bind("x", w.const(3), ">=")
    more, two = w.op("add", x, "1"), w.const(2)
    one = w.op("sub", more, x)
    found = judge(w.tape, w.evaluate(), one, two, "<=")
    assert (found.margin.low, found.margin.nominal, found.margin.high) == (1, 1, 1)
    assert judge_expected(w.tape, w.evaluate(), one, two, "<=") == "expected"
    assert judge_expected(w.tape, w.evaluate(), x, more, ">=") == "not expected"


def measured_against(w, derived, low, nominal, high):
    node = w.measured(low, nominal, high)
    return compare_measurement(w.tape, w.evaluate(), derived, node, "m1")


def test_measurements_agree_contradict_or_close_a_gap(w):
    x = w.assume("x", 30, 20, 40)
    assert measured_against(w, x, 31, 32, 33) == "agreement"
    assert measured_against(w, x, 39, 41, 42) == "agreement"
    assert measured_against(w, x, 41, 42, 43) == "contradiction"
    bound = w.bind("b", w.const(33), ">=")
    assert measured_against(w, bound, 34, 35, 36) == "gap closed"
    assert measured_against(w, bound, 30, 31, 32) == "contradiction"
    ceiling = w.bind("c", w.const(33), "<=")
    assert measured_against(w, ceiling, 30, 31, 32) == "gap closed"


def test_an_agreement_that_leans_on_the_measurement_is_not_independent(w):
    share = w.assume("share", Fraction(4, 5), Fraction(7, 10), Fraction(9, 10), from_measure="m1")
    x = w.bind("x", w.op("mul", share, "40"))
    assert measured_against(w, x, 31, 32, 33) == "not independent"
    assert measured_against(w, x, 50, 51, 52) == "contradiction"
    node = w.measured(31, 32, 33)
    assert compare_measurement(w.tape, w.evaluate(), x, node, "another") == "agreement"


def test_a_bound_over_what_a_measurement_decides_leans_on_itself_too():
    text = (
        'use std\nassume s = 0.5 in 0.4 .. 0.6 because "x"\nt : s >= 10 ms / s\n'
        "measure t = 31 ms as run { }\ny : s >= t * 2\nz : s = y * 2\nreport z\n"
    )
    doc = compile_plan(load("p.plan", root=".", texts={"p.plan": text})).sound
    [z] = [q for q in doc.quantities if q.address == "z"]
    assert list(z.sources) == ["t!run", "y"]


def test_what_a_measurement_decides_leans_on_nothing_below_it():
    for measured, leans in (
        ("31 ms in 25 ms .. 35 ms", ["t!run"]),
        ("31 ms", ["t!run"]),
        ("31 ms in 15 ms .. 35 ms", ["s", "t", "t!run"]),
    ):
        text = (
            'use std\nassume s = 0.5 in 0.4 .. 0.6 because "x"\nt : s >= 10 ms / s\n'
            f'measure t = {measured} as run {{ }}\ny : s = t * 2\nrequire y <= 100 ms "y"\nreport y\n'
        )
        doc = compile_plan(load("p.plan", root=".", texts={"p.plan": text})).sound
        assert list(doc.verdicts[0].leans_on) == leans
        [y] = [q for q in doc.quantities if q.address == "y"]
        assert list(y.sources) == leans
        assert y.approximate
