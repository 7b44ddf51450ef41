"""What each rule of evaluation gives, by hand."""

from fractions import Fraction

import pytest

from capwright.base.dimension import PURE
from capwright.base.interval import Range
from capwright.base.source import NOWHERE
from capwright.graph.tape import KernelCall
from capwright.kernel.refusal import KernelRefusal
from tests.support.pace import within
from tests.support.tapes import Writer

OPEN_UP = (0, None)


@pytest.fixture
def w():
    return Writer()


def value(w, node, **options):
    evaluation = w.evaluate(**options)
    assert evaluation.faults == []
    return evaluation.values[node]


def fault(w, **options):
    [found] = w.evaluate(**options).faults
    assert found.message
    assert found.help
    return found


def test_points_stay_bare_numbers(w):
    third = w.op("div", "1", "3")
    whole = w.op("mul", third, "3")
    evaluation = w.evaluate()
    assert evaluation.values[third] == Fraction(1, 3)
    assert type(evaluation.values[whole]) is int
    assert evaluation.values[whole] == 1


@pytest.mark.parametrize(
    ("op", "args", "expected"),
    [
        ("add", "23", 5),
        ("sub", "23", -1),
        ("mul", "23", 6),
        ("div", "63", 2),
        ("mod", "73", 1),
        ("neg", "2", -2),
        ("min", "352", 2),
        ("max", "352", 5),
        ("lt", "23", 1),
        ("lt", "33", 0),
        ("le", "33", 1),
        ("eq", "33", 1),
        ("ne", "33", 0),
        ("divides", "36", 1),
        ("divides", "46", 0),
        ("divides", "06", 0),
        ("divides", "00", 1),
        ("and", "110", 0),
        ("or", "010", 1),
        ("not", "1", 0),
        ("if", "123", 2),
        ("if", "023", 3),
    ],
)
def test_operations_on_points(w, op, args, expected):
    assert value(w, w.op(op, *args)) == expected


def test_rounding_goes_to_multiples_of_the_step(w):
    assert value(w, w.op("ceil", Fraction(5, 2), data=1)) == 3
    assert value(w, w.op("floor", Fraction(5, 2), data=1)) == 2
    assert value(w, w.op("ceil", Fraction(17), data=16)) == 32
    x = w.assume("x", Fraction(5, 2), 1, Fraction(7, 2))
    assert value(w, w.op("ceil", x, data=1)) == Range(1, 3, 4)
    assert value(w, w.op("floor", x, data=2)) == Range(0, 2, 2)


def test_powers_know_even_from_odd(w):
    x = w.assume("x", 1, -2, 3, domain=(None, None))
    assert value(w, w.op("pow", x, data=2)) == Range(0, 1, 9)
    assert value(w, w.op("pow", x, data=3)) == Range(-8, 1, 27)
    y = w.assume("y", -1, -2, -1, domain=(None, None))
    assert value(w, w.op("pow", y, data=2)) == Range(1, 1, 4)
    assert value(w, w.op("pow", y, data=-2)) == Range(Fraction(1, 4), 1, 1)
    assert value(w, w.op("pow", x, data=0)) == 1


def test_an_assumption_is_its_range(w):
    x = w.assume("x", Fraction(8, 10), Fraction(7, 10), Fraction(9, 10))
    assert value(w, x) == Range(Fraction(7, 10), Fraction(8, 10), Fraction(9, 10))
    assert value(w, w.assume("y", 3, 3, 3)) == 3


def test_an_assumption_that_is_open_ends_at_its_domain(w):
    assert value(w, w.assume("x", 5, None, 9)) == Range(0, 5, 9)
    assert value(w, w.assume("y", 5, 2, None)) == Range(2, 5, None)
    share = w.assume("s", Fraction(1, 2), None, None, domain=(0, 1))
    assert value(w, share) == Range(0, Fraction(1, 2), 1)
    assert value(w, w.assume("z", 5, None, None, domain=(None, None))) == Range(None, 5, None)


def test_an_assumption_outside_its_range_or_its_domain_is_refused(w):
    w.assume("x", 5, 6, 9)
    assert fault(w).code == "CW0425"
    w = Writer()
    w.assume("x", 5, 9, 6)
    assert fault(w).code == "CW0425"
    w = Writer()
    w.assume("x", 5, -1, 9)
    assert fault(w).code == "CW0424"


def test_relations_establish_one_end_or_none(w):
    x = w.assume("x", 5, 4, 8)
    assert value(w, w.bind("a", x)) == Range(4, 5, 8)
    assert value(w, w.bind("b", x, ">=")) == Range(4, None, None)
    assert value(w, w.bind("c", x, "<=")) == Range(0, None, 8)
    assert value(w, w.bind("d", x, "~")) == Range(0, 5, None)
    assert value(w, w.bind("e", w.const(5), ">=")) == Range(5, None, None)
    assert value(w, w.call("f", w.const(5), "<=")) == Range(0, None, 5)
    assert value(w, w.call("g", w.const(5), "~")) == Range(0, 5, None)


def test_relations_on_a_declared_domain(w):
    x = w.assume("x", 5, 4, 8)
    assert value(w, w.bind("a", x, ">=", domain=(0, 10))) == Range(4, None, 10)
    assert value(w, w.bind("b", x, "<=", domain=(2, 7))) == Range(2, None, 7)
    assert value(w, w.bind("c", x, "~", domain=(2, 7))) == Range(2, 5, 7)
    assert value(w, w.bind("d", x, "<=", domain=(None, None))) == Range(None, None, 8)


def test_a_declared_domain_clips_and_the_default_one_does_not(w):
    x = w.assume("x", Fraction(1, 2), 0, 2)
    share = w.op("sub", "1", x)
    assert value(w, w.bind("share", share, domain=(0, 1))) == Range(0, Fraction(1, 2), 1)
    assert value(w, w.bind("pool", share)) == Range(-1, Fraction(1, 2), 1)


@pytest.mark.parametrize(("exact", "domain"), [(2, (0, 1)), (-1, (0, 1)), (3, (4, None))])
def test_an_exact_value_outside_its_declared_domain_is_refused(w, exact, domain):
    w.bind("share", w.const(exact), domain=domain)
    found = fault(w)
    assert found.code == "CW0424"
    assert f"`share` is {exact}, outside its domain " in found.message


def test_a_range_or_a_nominal_outside_a_declared_domain_is_refused(w):
    x = w.assume("x", 2, 0, 3)
    w.bind("share", x, domain=(0, 1))
    assert fault(w).code == "CW0424"
    w = Writer()
    w.bind("share", w.assume("x", 3, 2, None), domain=(0, 1))
    assert fault(w).code == "CW0424"


def test_a_negative_value_in_the_default_domain_is_kept(w):
    assert value(w, w.bind("pool", w.const(-3))) == -3
    assert value(w, w.bind("pool", w.const(-3), "<=")) == Range(None, None, -3)


def test_whole_refuses_a_fraction_and_leaves_a_range(w):
    x = w.assume("x", 2, Fraction(3, 2), 3)
    assert value(w, w.bind("n", x, whole=True)) == Range(Fraction(3, 2), 2, 3)
    assert value(w, w.bind("n", w.op("div", "6", "3"), whole=True)) == 2
    w.bind("bytes", w.op("div", "4096", "3"), whole=True)
    found = fault(w)
    assert found.code == "CW0423"
    assert "but is 1,365.3" in found.message
    assert "`bytes`" in found.message


def test_whole_refuses_a_nominal_value_that_is_a_fraction(w):
    w.bind("n", w.assume("x", Fraction(5, 2), 2, 3), whole=True)
    found = fault(w)
    assert found.code == "CW0423"
    assert found.message == "the nominal value of `n` must be a whole number, but is 2.5"


# ── zero, open ends, branches ────────────────────────────────────────────────────────────────────


def test_the_reciprocal_of_a_lower_bound_is_an_upper_bound(w):
    x = w.bind("x", w.const(2), ">=")
    assert value(w, w.op("div", "1", x)) == Range(0, None, Fraction(1, 2))


def test_zero_at_an_end_of_a_divisor_opens_it(w):
    x = w.bind("x", w.const(4), "<=")
    assert value(w, w.op("div", "1", x)) == Range(Fraction(1, 4), None, None)
    y = w.assume("y", 0, 0, 4)
    assert value(w, w.op("div", "1", y)) == Range(Fraction(1, 4), None, None)
    assert value(w, w.op("div", "0", y)) == 0
    below = w.assume("below", -1, -4, 0, domain=(None, None))
    assert value(w, w.op("div", "1", below)) == Range(None, -1, Fraction(-1, 4))


def test_zero_inside_a_divisor_is_refused(w):
    x = w.assume("x", 1, -1, 2, domain=(None, None))
    w.op("div", "1", x)
    found = fault(w)
    assert found.code == "CW0421"
    assert "-1 .. 2" in found.message


def test_exactly_zero_is_refused_and_what_leans_on_it_says_nothing_more(w):
    bad = w.op("div", "1", w.op("sub", "2", "2"))
    above = w.bind("x", w.op("add", bad, "1"))
    evaluation = w.evaluate()
    assert [(f.node, f.code) for f in evaluation.faults] == [(bad, "CW0420")]
    assert evaluation.values[bad] is None
    assert evaluation.values[above] is None


def test_zero_times_open_is_zero(w):
    x = w.bind("x", w.const(2), ">=")
    assert value(w, w.op("mul", "0", x)) == 0
    y = w.assume("y", 1, 0, 2)
    assert value(w, w.op("mul", y, x)) == Range(0, None, None)
    z = w.assume("z", 1, -1, 2, domain=(None, None))
    assert value(w, w.op("mul", z, x)) == Range(None, None, None)
    below = w.assume("below", -1, -1, 0, domain=(None, None))
    assert value(w, w.op("mul", below, x)) == Range(None, None, 0)


def test_min_and_max_of_open_ends(w):
    x = w.bind("x", w.const(3), ">=")
    assert value(w, w.op("min", x, "10")) == Range(3, None, 10)
    assert value(w, w.op("max", x, "10")) == Range(10, None, None)


def test_min_needs_no_nominal_of_what_is_ruled_out(w):
    bound = w.bind("x", w.const(20), ">=")
    y = w.assume("y", 5, 4, 6)
    assert value(w, w.op("min", bound, y)) == Range(4, 5, 6)
    assert value(w, w.op("min", w.bind("touching", w.const(6), ">="), y)) == Range(4, 5, 6)
    assert value(w, w.op("min", y, "5")) == Range(4, 5, 5)
    assert value(w, w.op("max", y, "5")) == Range(5, 5, 6)


def test_a_decided_branch_hides_the_other_and_its_faults(w):
    n = w.const(0)
    safe = w.op("if", w.op("lt", "0", n), w.op("div", "1", n), "7")
    assert value(w, w.bind("x", safe)) == 7


def test_a_decided_junction_hides_what_it_does_not_need(w):
    n = w.const(0)
    many = w.op("lt", "1", w.op("div", "1", n))
    assert value(w, w.bind("x", w.op("and", w.op("lt", "0", n), many))) == 0
    assert value(w, w.bind("y", w.op("or", w.op("eq", "0", n), many))) == 1
    w.bind("z", w.op("and", w.op("eq", "0", n), many))
    assert fault(w).code == "CW0420"


def test_a_named_quantity_is_needed_even_in_a_branch_that_is_not_taken(w):
    bad = w.bind("per", w.op("div", "1", "0"))
    w.op("if", "0", bad, "7")
    assert fault(w).code == "CW0420"
    assert w.evaluate(roots=[len(w.tape) - 1]).faults == []


def test_an_undecided_branch_is_the_hull_with_the_likely_nominal(w):
    x = w.assume("x", 5, 1, 9)
    small = w.op("lt", x, "6")
    assert value(w, small) == Range(0, 1, 1)
    assert value(w, w.op("if", small, "10", "20")) == Range(10, 10, 20)
    assert value(w, w.op("if", w.op("not", small), "10", "20")) == Range(10, 20, 20)
    bound = w.bind("b", w.const(3), ">=")
    assert value(w, w.op("if", w.op("lt", bound, "4"), "10", "20")) == Range(10, None, 20)
    assert value(w, w.op("if", w.op("lt", bound, "4"), "10", "10")) == 10


def test_truth_has_three_values(w):
    x = w.assume("x", 5, 1, 9)
    maybe, likely = w.op("lt", x, "5"), w.op("le", x, "5")
    assert value(w, maybe) == Range(0, 0, 1)
    assert value(w, likely) == Range(0, 1, 1)
    assert value(w, w.op("and", maybe, likely)) == Range(0, 0, 1)
    assert value(w, w.op("or", maybe, likely)) == Range(0, 1, 1)
    assert value(w, w.op("and", maybe, "0")) == 0
    assert value(w, w.op("or", maybe, "1")) == 1
    assert value(w, w.op("lt", x, "1")) == 0
    assert value(w, w.op("le", x, "1")) == Range(0, 0, 1)
    assert value(w, w.op("le", x, "9")) == 1
    assert value(w, w.op("eq", x, "10")) == 0
    assert value(w, w.op("ne", x, "10")) == 1
    assert value(w, w.op("eq", x, "5")) == Range(0, 1, 1)


def test_mod_and_divides_over_ranges_say_what_they_can(w):
    x = w.assume("x", 7, 4, 8)
    assert value(w, w.op("mod", x, "3")) == Range(0, 1, 3)
    assert value(w, w.op("mod", x, "9")) == Range(4, 7, 8)
    assert value(w, w.op("divides", "7", x)) == Range(0, 1, 1)


# ── irrational functions, growth, primitives ─────────────────────────────────────────────────────


def test_roots_and_logarithms_are_exact_where_they_can_be(w):
    assert value(w, w.op("sqrt", Fraction(9, 4))) == Fraction(3, 2)
    assert value(w, w.op("log2", "8")) == 3
    assert value(w, w.op("log2", Fraction(1, 8))) == -3
    assert value(w, w.op("exp", "0")) == 1


def test_irrational_values_are_rounded_outward_and_marked(w):
    root = value(w, w.op("sqrt", "2"))
    assert root.approximate
    assert root.low**2 < 2 < root.high**2
    assert root.high - root.low < Fraction(1, 10**25)
    x = w.assume("x", 4, 4, 9)
    assert value(w, w.op("sqrt", x)) == Range(2, 2, 3)
    assert value(w, w.op("mul", w.op("sqrt", "2"), "0")) == 0


def test_logarithm_near_zero_and_below(w):
    x = w.assume("x", 1, 0, 4)
    assert value(w, w.op("log2", x)) == Range(None, 0, 2)
    w.op("log2", "0")
    assert fault(w).code == "CW0426"
    w = Writer()
    w.op("sqrt", w.assume("x", 1, -1, 4, domain=(None, None)))
    assert fault(w).code == "CW0426"


def test_twenty_six_squarings_fail_at_once(w):
    node = w.const(3)
    for _ in range(26):
        node = w.op("mul", node, node)
    with within(0.05):
        found = fault(w)
    assert found.code == "CW0422"


@pytest.mark.parametrize("op", ["add", "pow", "exp"])
def test_other_growth_fails_too(w, op):
    node = w.const(3)
    for _ in range(9000 if op == "add" else 8):
        node = w.op("add", node, node) if op == "add" else w.op(op, node, data=9 if op == "pow" else None)
    assert fault(w).code == "CW0422"


def test_growth_of_ranges_fails_too(w):
    node = w.assume("x", 3, 2, 5)
    for _ in range(26):
        node = w.op("mul", node, node)
    assert fault(w).code == "CW0422"


def test_a_kernel_gets_its_call_and_values_and_may_refuse(w):
    call = KernelCall("double", ())
    node = w.tape.emit("kernel", (w.const(4),), PURE, NOWHERE, call)

    def kernel(asked, arguments):
        if arguments == [4]:
            return 2 * arguments[0]
        raise KernelRefusal("CW0699", "no", "give another number")

    assert value(w, node, kernel=kernel) == 8
    w.tape.emit("kernel", (w.const(5),), PURE, NOWHERE, call)
    found = fault(w, kernel=kernel)
    assert (found.code, found.message, found.help) == ("CW0699", "no", "give another number")


def test_a_measured_quantity_reads_what_both_allow(w):
    x = w.bind("x", w.const(20), ">=")
    near = w.measured(30, 32, 34)
    assert value(w, w.op("effective", x, near, data="m")) == Range(30, 32, 34, approximate=True)
    wide = w.measured(10, 22, 34)
    assert value(w, w.op("effective", x, wide, data="m")) == Range(20, 22, 34, approximate=True)
    apart = w.measured(5, 6, 7)
    assert value(w, w.op("effective", x, apart, data="m")) == Range(20, None, None)


def test_three_hundred_thousand_operations_take_well_under_half_a_second(w):
    a, b = w.const(3), w.const(5)
    for op in ("mul", "add", "sub") * 100_000:
        for column, entry in zip(
            (w.tape.ops, w.tape.args, w.tape.data, w.tape.dims, w.tape.spans),
            (op, (a, b), None, PURE, NOWHERE),
            strict=True,
        ):
            column.append(entry)
    with within(0.25):
        evaluation = w.evaluate()
    assert evaluation.values[-3:] == [15, 8, -2]
