"""Bounded search: against brute force, over intervals, and what it refuses."""

import math
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from capwright.base.interval import Range, as_range
from tests.support.tapes import Assignment, Writer


@pytest.fixture
def w():
    return Writer()


def fault(w):
    [found] = w.evaluate().faults
    assert found.help
    return found.code


@settings(deadline=None)
@given(
    st.sampled_from(["largest", "smallest"]),
    st.integers(-20, 40),
    st.integers(-5, 60),
    st.integers(-30, 90),
    st.sampled_from([1, 3, Fraction(1, 2)]),
)
def test_search_equals_brute_force(which, low, width, limit, step):
    w = Writer()
    condition = {
        "largest": lambda n: w.op("le", n, w.const(limit)),
        "smallest": lambda n: w.op("lt", w.const(limit), n),
    }
    node = w.search(which, w.const(low), w.const(low + width), condition[which], step)
    expected = Assignment(w.tape, {}).values()[node]
    evaluation = w.evaluate()
    assert evaluation.faults == []
    if expected is None and which == "largest":
        expected = Range(None, None, (math.ceil(low / Fraction(step)) - 1) * Fraction(step))
    elif expected is None:
        beyond = max(math.ceil(low / Fraction(step)), math.floor((low + width) / Fraction(step)) + 1)
        expected = Range(beyond * Fraction(step), None, None)
    assert evaluation.values[node] == expected


shares = st.sampled_from([Fraction(n, 6) for n in range(7)])


@settings(deadline=None)
@given(
    st.sampled_from(["largest", "smallest"]),
    st.tuples(st.integers(0, 30), st.integers(0, 20)),
    st.tuples(st.integers(1, 4), st.integers(0, 3)),
    st.tuples(st.integers(10, 40), st.integers(0, 10)),
    st.lists(st.tuples(shares, shares, shares), min_size=5, max_size=10),
)
def test_search_over_intervals_holds_every_sample(which, pool, cost, top, chosen):
    w = Writer()
    have = w.assume("pool", pool[0] + Fraction(pool[1], 2), pool[0], pool[0] + pool[1])
    each = w.assume("cost", cost[0] + Fraction(cost[1], 3), cost[0], cost[0] + cost[1])
    high = w.assume("top", top[0], top[0], top[0] + top[1])

    def condition(n):
        needs = w.op("mul", n, each)
        return w.op("le", needs, have) if which == "largest" else w.op("lt", have, needs)

    node = w.search(which, w.const(1), high, condition)
    evaluation = w.evaluate()
    assert evaluation.faults == []
    found = as_range(evaluation.values[node])
    sources = [i for i, op in enumerate(w.tape.ops) if op == "source"]
    for assignment in chosen:
        value = Assignment(w.tape, dict(zip(sources, assignment, strict=True))).values()[node]
        if value is None:
            assert found.high is None
        else:
            assert found.low <= value
            assert found.high is None or value <= found.high
    at = {
        source: Fraction(v.nominal - v.low, 1) / (v.high - v.low) if isinstance(v, Range) else Fraction(0)
        for source in sources
        for v in [evaluation.values[source]]
    }
    assert found.nominal == Assignment(w.tape, at).values()[node]


def test_what_is_established_and_what_is_possible(w):
    each = w.assume("cost", 2, 1, 3)
    node = w.search("largest", w.const(1), w.const(100), lambda n: w.op("le", w.op("mul", n, each), "30"))
    assert w.evaluate().values[node] == Range(10, 15, 30)


def test_an_open_end_leaves_nothing_established(w):
    each = w.bind("cost", w.const(2), ">=")
    node = w.search("largest", w.const(1), w.const(100), lambda n: w.op("le", w.op("mul", n, each), "30"))
    assert w.evaluate().values[node] == Range(0, None, 15)


def test_the_largest_of_none_is_zero_and_the_smallest_lies_beyond(w):
    node = w.search("largest", w.const(5), w.const(9), lambda n: w.op("lt", n, "5"))
    other = w.search("smallest", w.const(5), w.const(9), lambda n: w.op("lt", "9", n))
    empty = w.search("smallest", w.const(9), w.const(5), lambda n: w.op("lt", "0", n))
    values = w.evaluate().values
    assert values[node] == 0
    assert values[other] == Range(10, None, None)
    assert values[empty] == Range(9, None, None)


def test_perhaps_none_is_open_above(w):
    each = w.assume("cost", 2, 1, 3)
    node = w.search("smallest", w.const(1), w.const(10), lambda n: w.op("le", "15", w.op("mul", n, each)))
    assert w.evaluate().values[node] == Range(5, 8, None)


@pytest.mark.parametrize("which", ["largest", "smallest"])
def test_a_condition_that_turns_twice_is_refused_where_it_is_seen(w, which):
    w.search(which, w.const(1), w.const(10), lambda n: w.op("eq", n, "5"))
    assert fault(w) == "CW0428"
    w = Writer()
    w.search(which, w.const(1), w.const(10**9), lambda n: w.op("eq", w.op("mod", n, "2"), "1"))
    assert fault(w) == "CW0428"


def test_the_body_has_no_value_outside_the_search(w):
    node = w.search("largest", w.const(1), w.const(9), lambda n: w.op("le", w.op("mul", n, n), "30"))
    values = w.evaluate().values
    assert values[node] == 5
    assert all(values[inner] is None for inner in w.tape.data[node].nodes)


def test_a_search_within_a_search(w):
    def outer(n):
        inner = w.search("largest", w.const(1), w.const(20), lambda m: w.op("le", w.op("mul", m, n), "20"))
        return w.op("le", "4", inner)

    node = w.search("largest", w.const(1), w.const(20), outer)
    assert w.evaluate().values[node] == 5


def test_a_condition_that_turns_the_other_way_is_refused(w):
    w.search("largest", w.const(1), w.const(9), lambda n: w.op("lt", "5", n))
    assert fault(w) == "CW0428"
    w = Writer()
    w.search("smallest", w.const(1), w.const(9), lambda n: w.op("lt", n, "5"))
    assert fault(w) == "CW0428"


def test_an_open_bound_is_refused(w):
    high = w.bind("high", w.const(9), ">=")
    w.search("largest", w.const(1), high, lambda n: w.op("lt", n, "5"))
    assert fault(w) == "CW0427"


def test_a_fault_in_the_body_is_reported_once_and_where_it_is(w):
    node = w.search(
        "largest", w.const(0), w.const(9), lambda n: w.op("lt", w.op("div", "1", w.op("mul", n, "0")), "5")
    )
    evaluation = w.evaluate()
    assert [found.code for found in evaluation.faults] == ["CW0420"]
    assert w.tape.ops[evaluation.faults[0].node] == "div"
    assert evaluation.values[node] is None


def test_a_guarded_fault_in_the_body_is_none(w):
    def condition(n):
        guarded = w.op("if", w.op("lt", "0", n), w.op("div", "12", n), "99")
        return w.op("le", "3", guarded)

    node = w.search("largest", w.const(0), w.const(9), condition)
    evaluation = w.evaluate()
    assert evaluation.faults == []
    assert evaluation.values[node] == 4


def test_a_search_that_takes_too_long_is_refused(w):
    def condition(n):
        for _ in range(9000):
            n = w.op("add", n, "1")
        return w.op("lt", n, w.const(2**150))

    w.search("largest", w.const(1), w.const(2**200), condition)
    assert fault(w) == "CW0429"


def test_many_small_searches_do_not_share_one_budget(w):
    nodes = [
        w.search("largest", w.const(1), w.const(2**60), lambda n, i=i: w.op("le", n, w.const(i)))
        for i in range(1, 300)
    ]
    evaluation = w.evaluate()
    assert evaluation.faults == []
    assert [evaluation.values[node] for node in nodes] == list(range(1, 300))
