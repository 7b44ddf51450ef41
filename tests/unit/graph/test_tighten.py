"""Repeated sources: the trap examples, steps and kinks, and what a quantity leans on."""

from __future__ import annotations

from fractions import Fraction

import pytest

from capwright.base.interval import Range
from capwright.graph.reach import sources_below
from capwright.graph.slopes import Sweep
from capwright.graph.tighten import bounds_of, tighten
from tests.support.pace import within
from tests.support.programs import compiled
from tests.support.tapes import Writer


@pytest.fixture
def w():
    return Writer()


def tight(w, node):
    evaluation = w.evaluate()
    assert evaluation.faults == []
    return tighten(w.tape, evaluation, node)


def ends(found):
    return (found.value.low, found.value.high)


def plain(w, node):
    value = w.evaluate().values[node]
    return (value.low, value.high)


def test_a_point_is_itself(w):
    found = tight(w, w.const(7))
    assert found.value == Range(7, 7, 7)
    assert not found.loose
    assert found.leans_on == ()


def test_a_node_without_a_value_is_open(w):
    node = w.op("div", "1", "0")
    assert tighten(w.tape, w.evaluate(), node).value == Range(None, None, None)


def test_a_share_of_a_sum(w):
    a, b = w.assume("a", 2, 1, 2), w.assume("b", 1, Fraction(1, 2), 1)
    node = w.op("div", a, w.op("add", a, b))
    assert plain(w, node) == (Fraction(1, 3), Fraction(4, 3))
    found = tight(w, node)
    assert ends(found) == (Fraction(1, 2), Fraction(4, 5))
    assert not found.loose
    assert found.leans_on == ("a", "b")
    assert found.value.nominal == Fraction(2, 3)


def test_a_share_of_a_sum_that_only_cutting_certifies(w):
    a, b = w.assume("a", 2, 1, 2), w.assume("b", 1, Fraction(1, 2), 1)
    node = w.op("div", a, w.op("add", w.op("mul", b, "1"), w.op("mul", a, "1")))
    assert ends(tight(w, node)) == (Fraction(1, 2), Fraction(4, 5))
    assert not tight(w, node).loose


def test_a_part_of_a_maximum_never_exceeds_one(w):
    m, c = w.assume("m", 3, 1, 4), w.assume("c", 2, 2, 3)
    node = w.op("div", m, w.op("max", m, c))
    assert plain(w, node)[1] > 1
    found = tight(w, node)
    assert ends(found) == (Fraction(1, 3), 1)
    assert not found.loose


def test_a_minimum_over_its_part_never_exceeds_one(w):
    m = w.assume("m", 3, 1, 4)
    node = w.op("div", w.op("min", m, "2"), m)
    assert ends(tight(w, node)) == (Fraction(1, 2), 1)


def test_a_source_that_cancels_is_not_leaned_on(w):
    s = w.assume("s", Fraction(1, 2), Fraction(2, 5), Fraction(3, 5))
    v = w.const(80)
    node = w.op("add", w.op("mul", v, w.op("sub", "1", s)), w.op("mul", v, s))
    assert plain(w, node) == (64, 96)
    found = tight(w, node)
    assert ends(found) == (80, 80)
    assert not found.loose
    assert found.leans_on == ()


def test_a_source_that_cancels_at_every_value_of_another(w):
    s = w.assume("s", Fraction(1, 2), Fraction(2, 5), Fraction(3, 5))
    v = w.assume("v", 80, 70, 90)
    node = w.op("add", w.op("mul", v, w.op("sub", "1", s)), w.op("mul", v, s))
    found = tight(w, node)
    assert ends(found) == (70, 90)
    assert not found.loose
    assert found.leans_on == ("v",)


def test_a_difference_of_products(w):
    v, u, x = w.assume("v", 2, 1, 3), w.assume("u", 6, 5, 7), w.assume("x", 2, 1, 4)
    node = w.op("sub", w.op("mul", v, u), w.op("mul", v, x))
    assert plain(w, node) == (-7, 20)
    found = tight(w, node)
    assert ends(found) == (1, 18)
    assert not found.loose


def test_a_parabola_is_cut_until_it_is_certain(w):
    x = w.assume("x", 1, 0, 3)
    node = w.op("sub", w.op("mul", x, x), w.op("mul", "2", x))
    low, high = ends(tight(w, node))
    assert high == 3
    assert Fraction(-101, 100) < low <= -1


def test_steps_and_kinks(w):
    x = w.assume("x", 5, Fraction(1, 2), 9)
    up = w.op("sub", w.op("ceil", x, data=4), w.op("neg", x))
    assert ends(tight(w, up)) == (Fraction(9, 2), 21)
    down = w.op("sub", x, w.op("floor", x, data=4))
    low, high = ends(tight(w, down))
    assert low <= 0
    assert 4 <= high <= Fraction(9, 2)
    kinked = w.op("sub", w.op("max", x, "4"), x)
    assert ends(tight(w, kinked)) == (0, Fraction(7, 2))
    stepping = w.op("if", w.op("lt", "6", x), w.op("add", x, "10"), x)
    assert ends(tight(w, w.op("add", stepping, x))) == (1, 28)


def test_a_falling_branch_is_not_taken_for_a_rising_one(w):
    x = w.assume("x", 5, 0, 10)
    dropping = w.op("if", w.op("lt", x, "5"), w.op("add", x, "20"), x)
    low, high = ends(tight(w, w.op("add", dropping, x)))
    assert low <= 10
    assert 30 <= high < 32


def test_truth_leans_on_the_difference(w):
    x = w.assume("x", 5, 1, 9)
    doubled = w.op("add", x, x)
    same = w.op("le", w.op("add", x, "0"), doubled)
    assert ends(tight(w, same)) in ((0, 1), (1, 1))
    assert ends(tight(w, w.op("le", w.bind("y", x), x))) == (1, 1)


# ── bounds and estimates as sources ──────────────────────────────────────────────────────────────


def test_one_bound_in_two_places_is_one_source(w):
    x = w.bind("x", w.const(5), ">=")
    found = tight(w, w.op("sub", w.op("mul", "3", x), x))
    assert ends(found) == (10, None)
    assert not found.loose
    assert found.leans_on == ("x",)


def test_two_bounds_of_the_same_value_are_two_sources(w):
    x = w.bind("x", w.const(5), ">=")
    y = w.bind("y", w.const(5), ">=")
    assert ends(tight(w, w.op("sub", x, y))) == (None, None)
    assert ends(tight(w, w.op("sub", x, w.bind("z", x)))) == (0, 0)


def test_an_upper_bound_leans_on_itself_and_on_what_it_is_made_of(w):
    s = w.assume("s", 4, 2, 5)
    x = w.bind("x", w.op("mul", s, "10"), "<=")
    found = tight(w, w.op("add", x, w.op("mul", s, "2")))
    assert ends(found) == (4, 60)
    assert found.leans_on == ("s", "x")
    assert not found.loose


def test_a_lower_bound_below_a_declared_high_end(w):
    s = w.assume("s", 4, 2, 5)
    x = w.bind("x", s, ">=", domain=(0, 10))
    found = tight(w, w.op("sub", x, s))
    assert ends(found) == (0, 8)
    assert not found.loose


def test_an_estimate_hides_what_it_was_made_of(w):
    s = w.assume("s", 4, 2, 5)
    x = w.bind("x", s, "~")
    found = tight(w, w.op("sub", w.op("mul", "2", x), x))
    assert ends(found) == (0, None)
    assert found.leans_on == ("x",)


def test_a_share_is_clipped_and_still_moves(w):
    x = w.assume("x", Fraction(1, 2), 0, 2)
    share = w.bind("share", x, domain=(0, 1))
    assert ends(tight(w, w.op("sub", x, share))) == (0, 1)


def test_a_measurement_narrows_what_is_read(w):
    s = w.assume("s", 4, 2, 9)
    x = w.bind("x", w.op("mul", s, "10"))
    read = w.op("effective", x, w.measured(30, 35, 40), data="m")
    assert ends(tight(w, w.op("sub", read, w.op("mul", "0", read)))) == (30, 40)
    assert ends(tight(w, w.op("sub", read, x))) == (-50, 10)


def test_one_measured_range_in_two_places_is_one(w):
    m = w.measured(3, 4, 5)
    assert ends(tight(w, w.op("sub", w.op("mul", "3", m), m))) == (6, 10)


# ── leaning, pruning, budgets ────────────────────────────────────────────────────────────────────


def test_what_intervals_rule_out_is_not_leaned_on(w):
    a, b, c = w.assume("a", 2, 1, 3), w.assume("b", 9, 8, 10), w.assume("c", 5, 4, 6)
    assert tight(w, w.op("min", a, b)).leans_on == ("a",)
    assert tight(w, w.op("max", a, c, b)).leans_on == ("b",)
    assert tight(w, w.op("mul", w.op("sub", "2", "1"), w.op("if", w.op("lt", "1", "2"), c, b))).leans_on == (
        "c",
    )
    assert tight(w, w.op("if", w.op("lt", a, "2"), c, b)).leans_on == ("a", "b", "c")
    assert tight(w, w.op("mul", w.op("sub", "1", "1"), a)).leans_on == ()


def test_what_decides_is_leaned_on_though_it_moves_nothing(w):
    """Ten for as long as `a` stays below `b`: the condition is in the value no more, and the value rests on it."""
    a, b, c = w.assume("a", 2, 1, 3), w.assume("b", 9, 8, 10), w.assume("c", 5, 4, 6)
    below = w.op("lt", a, b)
    assert tight(w, w.op("if", below, c, b)).leans_on == ("a", "b", "c")
    ten = w.op("if", below, "10", c)
    assert ends(tight(w, ten)) == (10, 10)
    assert tight(w, ten).leans_on == ("a", "b")
    assert tight(w, w.op("add", ten, c)).leans_on == ("a", "b", "c")
    assert tight(w, w.op("floor", w.op("div", a, "10"), data=1)).leans_on == ("a",)
    assert tight(w, w.op("and", w.op("lt", "2", "1"), below)).leans_on == ()
    assert tight(w, w.op("or", below, w.op("lt", c, "0"))).leans_on == ("a", "b")


def test_a_quantity_used_once_is_exact_by_plain_arithmetic(w):
    a, b = w.assume("a", 2, 1, 3), w.assume("b", 9, 8, 10)
    found = tight(w, w.op("div", w.op("add", a, "1"), b))
    assert not found.loose
    assert found.leans_on == ("a", "b")
    assert ends(found) == (Fraction(1, 5), Fraction(1, 2))


def test_a_search_leans_on_what_its_condition_reads(w):
    cost = w.assume("cost", 2, 1, 3)
    node = w.search("largest", w.const(1), w.const(50), lambda n: w.op("le", w.op("mul", n, cost), "30"))
    found = tight(w, w.op("add", node, "1"))
    assert ends(found) == (11, 31)
    assert found.leans_on == ("cost",)
    assert not found.loose
    twice = w.search(
        "largest", w.const(1), w.const(50), lambda n: w.op("le", w.op("mul", n, cost), w.op("mul", cost, "9"))
    )
    assert tight(w, twice).loose


def test_what_the_budget_does_not_settle_is_marked_loose_and_stays_sound(w):
    x = w.assume("x", 1, 0, 3)
    node = w.op("sub", w.op("mul", x, x), w.op("mul", "2", x))
    assert plain(w, node) == (-6, 9)
    evaluation = w.evaluate()
    small, wide = (bounds_of(w.tape, evaluation, (node, None), budget) for budget in (2, 64))
    assert small.loose
    assert -6 <= small.between[0] <= -1
    assert small.moved == wide.moved
    assert wide.between[0] > small.between[0]


def test_what_is_compared_with_exact_numbers_is_searched_once(w, monkeypatch):
    runs = []

    def counted(self, nodes, original=Sweep.run):
        runs.append(original(self, nodes))
        return runs[-1]

    monkeypatch.setattr(Sweep, "run", counted)
    x = w.assume("x", 1, 0, 3)
    node = w.op("sub", w.op("mul", x, x), w.op("mul", "2", x))
    limits = [w.const(limit) for limit in range(5, 15)]
    evaluation = w.evaluate()
    alone = bounds_of(w.tape, evaluation, (node, None))
    once = len(runs)
    assert once > 2
    for limit in limits:
        by = evaluation.values[limit]
        room, excess = (
            bounds_of(w.tape, evaluation, pair).between for pair in ((limit, node), (node, limit))
        )
        assert room == (by - alone.between[1], by - alone.between[0])
        assert excess == (alone.between[0] - by, alone.between[1] - by)
    assert len(runs) == once


def test_tightening_takes_no_more_steps_than_it_may_whatever_is_asked(monkeypatch):
    """A node with many slopes costs more than one with few, and many requirements of one chain lean on all of it."""
    runs = []

    def counted(self, nodes, original=Sweep.run):
        before = sum(map(len, self.slopes.values()))
        steps = original(self, nodes)
        runs.append(sum(map(len, self.slopes.values())) - before)
        return steps

    monkeypatch.setattr(Sweep, "run", counted)
    count = 60
    lines = [f'assume a{n} = 2 in 1 .. 3 because "a test"' for n in range(count)]
    lines += ["y0 = a0", *(f"y{n} = y{n - 1} * a{n} / (1 + a{n})" for n in range(1, count))]
    lines += [f"require y{count - 1} * a{n % 50} * {n} >= {n}" for n in range(1, 150)]
    found = compiled("\n".join([*lines, ""]))
    assert len(found.verdicts) == 149
    # As many slopes as two for every step that a tape of this size may take, and the sweeps that were on their way.
    assert sum(runs) < 2 * (100_000 + 10 * len(found.judged.expansion.ctx.tape)) + 2 * max(runs)


def test_more_sources_than_can_be_cut_are_marked_loose(w):
    bumps = [w.assume(f"x{i}", 1, 0, 3) for i in range(8)]
    parts = [w.op("sub", w.op("mul", x, x), w.op("mul", "2", x)) for x in bumps]
    total = parts[0]
    for part in parts[1:]:
        total = w.op("add", total, part)
    found = tight(w, total)
    assert found.loose
    assert found.value.low <= -8
    assert found.value.high >= 24


def test_many_certain_sources_need_no_cutting(w):
    sources = [w.assume(f"x{i}", 2, 1, 3) for i in range(20)]
    total = sources[0]
    for x in sources[1:]:
        total = w.op("add", total, x)
    found = tight(w, w.op("sub", w.op("mul", "3", total), total))
    assert ends(found) == (40, 120)
    assert not found.loose
    assert len(found.leans_on) == 20


def test_growth_on_the_way_falls_back_to_plain_arithmetic(w):
    x = w.assume("x", 2, 1, 3)
    node = x
    for _ in range(11):
        node = w.op("mul", node, node)
    found = tight(w, w.op("sub", w.op("mul", "3", node), node))
    assert found.value.low is not None
    assert found.value.low <= 2


def test_a_long_chain_of_shared_quantities_is_quick(w):
    s = w.assume("s", Fraction(4, 5), Fraction(7, 10), Fraction(9, 10))
    node = s
    for i in range(3000):
        node = w.bind(f"q{i}", w.op("add", node, s))
    evaluation = w.evaluate()
    with within(0.5):
        found = tighten(w.tape, evaluation, node)
    assert ends(found) == (Fraction(21007, 10), Fraction(27009, 10))


def test_a_part_of_a_sum_is_no_share_where_a_sign_is_not_certain(w):
    a, b = w.assume("a", 2, 2, 3), w.assume("b", 0, -1, 1, domain=(None, None))
    assert ends(tight(w, w.op("div", a, w.op("add", a, b)))) == (Fraction(2, 3), 2)
    c, d = w.assume("c", -2, -3, -2, domain=(None, None)), w.assume("d", 0, 0, 1)
    low, high = ends(tight(w, w.op("div", c, w.op("add", c, d))))
    assert Fraction(9, 10) < low <= 1
    assert high == 2


def test_the_same_value_under_two_names_cancels(w):
    x = w.assume("x", 1, 0, 3)
    bent = w.op("sub", w.op("mul", x, x), w.op("mul", "2", x))
    found = tight(w, w.op("sub", bent, w.bind("again", bent, domain=(None, None))))
    assert ends(found) == (0, 0)
    assert not found.loose
    assert found.leans_on == ()


def test_an_end_that_is_only_approached_is_loose(w):
    x = w.bind("x", w.const(5), ">=")
    found = tight(w, w.op("div", x, w.op("add", x, "3")))
    assert ends(found) == (Fraction(5, 8), 1)
    assert found.loose


def test_an_end_that_a_zero_divisor_opens_is_truly_open(w):
    y = w.assume("y", 1, 0, 4)
    found = tight(w, w.op("sub", w.op("div", "1", y), y))
    assert ends(found) == (Fraction(-15, 4), None)
    assert not found.loose


def test_a_bound_with_a_closed_far_side_leans_less_on_its_value_there(w):
    s = w.assume("s", 4, 2, 5)
    x = w.bind("x", s, ">=", domain=(0, 10))
    assert ends(tight(w, w.op("sub", w.op("mul", "2", x), s)))[1] == 18


def test_an_upper_bound_of_a_signed_quantity_has_no_low_end(w):
    x = w.bind("x", w.const(5), "<=", domain=(None, None))
    found = tight(w, w.op("sub", w.op("mul", "3", x), x))
    assert ends(found) == (None, 10)
    assert not found.loose


def test_equality_is_no_step(w):
    x = w.assume("x", 2, 1, 9)
    spike = w.op("if", w.op("eq", x, "5"), "20", "10")
    assert ends(tight(w, w.op("sub", spike, x)))[1] >= 15


def test_asking_for_every_quantity_of_a_shared_chain_stays_affordable(w):
    s = w.assume("s", Fraction(4, 5), Fraction(7, 10), Fraction(9, 10))
    nodes = [s]
    for i in range(4000):
        nodes.append(w.bind(f"q{i}", w.op("add", nodes[-1], s)))
    evaluation = w.evaluate()
    with within(4):
        found = [tighten(w.tape, evaluation, node) for node in nodes]
    assert all(one.leans_on == ("s",) for one in found)
    assert not found[100].loose


def test_sources_of_a_quantity_that_leans_on_very_many(w):
    total = w.assume("x0", 2, 1, 3)
    for i in range(1, 600):
        total = w.op("add", total, w.assume(f"x{i}", 2, 1, 3))
    evaluation = w.evaluate()
    assert len(sources_below(w.tape, evaluation, total)) == 600
    assert len(tighten(w.tape, evaluation, total).leans_on) == 600
    assert sources_below(w.tape, evaluation, w.tape.args[total][1]) == ("x599",)


@pytest.mark.parametrize("rounding", ["ceil", "floor"])
def test_an_estimate_that_is_open_on_both_sides_stays_so_when_it_is_rounded(w, rounding):
    """Two open ends are no point: a rounded estimate was taken for the number at its nominal value."""
    a = w.assume("a", 1, 1, None)
    estimate = w.bind("e", w.const(0), "~", domain=(None, None))
    node = w.op("if", w.op("lt", a, a), a, w.op(rounding, estimate, data=1))
    found = tight(w, node)
    assert ends(found) == (None, None)
    assert found.leans_on == ("e",)
