"""Formula trees as text and as MathML."""

import re
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from capwright.render import mathml
from capwright.render.formulas import FEW, MANY, numbers_put_in, short_name, symbols
from capwright.render.pieces import Literal, Numeral, Reference, plain
from tests.support.sample import sample

DOC = sample()
BY_ADDRESS = {quantity.address: quantity for quantity in DOC.quantities}
OWNER = BY_ADDRESS["prod.kv.per_device"]


def ref(name):
    return {"op": "ref", "address": f"prod.kv.{name}"}


def num(value):
    return {"op": "const", "value": str(value), "text": str(value), "place": "a.plan:1"}


def op(name, *args, **more):
    return {"op": name, "args": list(args), **more}


def said(tree):
    return plain(symbols(tree, OWNER))


A, B, C = ref("a"), ref("b"), ref("c")


@pytest.mark.parametrize(
    ("tree", "text"),
    [
        (op("add", A, op("mul", B, C)), "a + b × c"),
        (op("mul", A, op("add", B, C)), "a × (b + c)"),
        (op("sub", A, op("sub", B, C)), "a − (b − c)"),
        (op("sub", op("sub", A, B), C), "a − b − c"),
        (op("div", A, op("mul", B, C)), "a / (b × c)"),
        (op("div", op("mul", A, B), C), "a × b / c"),
        (op("mul", A, op("div", B, C)), "a × b / c"),
        (op("neg", op("add", A, B)), "−(a + b)"),
        (op("pow", op("add", A, B), exponent=2), "(a + b)^2"),
        (op("pow", A, exponent=-1), "a^-1"),
        (op("ceil", op("div", A, B), step="1"), "ceil(a / b)"),
        (op("floor", A, step="16"), "floor(a, to 16)"),
        (op("min", A, B, C), "min(a, b, c)"),
        (op("le", A, op("add", B, C)), "a ≤ b + c"),
        (op("not", op("and", A, B)), "not (a and b)"),
        (op("or", op("and", A, B), C), "a and b or c"),
        (op("if", op("lt", A, B), A, B), "if a < b then a else b"),
        (op("add", op("if", A, B, C), A), "(if a then b else c) + a"),
        (op("kernel", A, function="pairs", static=[{"text": "causal"}]), "pairs(causal, a)"),
        (
            {"op": "search", "which": "largest", "variable": "n", "low": num(1), "high": A, "step": "1",
             "condition": op("le", {"op": "var", "name": "n"}, B)},
            "largest n in 1 .. a where n ≤ b",
        ),
        ({"op": "assume", "source": "x", "args": [num(2)], "low": num(1), "high": None}, "2 in 1 .. open"),
    ],
)  # fmt: skip
def test_infix_with_the_parentheses_it_needs(tree, text):
    assert said(tree) == text
    drawn = mathml.symbols(tree, OWNER)
    assert drawn.startswith("<math")
    assert drawn.count("<mrow>") == drawn.count("</mrow>")
    assert "<a" not in drawn


def test_a_formula_is_drawn_where_the_drawing_says_more():
    assert mathml.gains(op("add", A, op("div", B, C)))
    assert mathml.gains(op("pow", A, exponent=2))
    assert not mathml.gains(op("mul", A, op("add", B, C)))


def test_names_are_said_from_where_one_stands():
    assert short_name("prod.kv.pool", "prod.kv.per_device") == "pool"
    assert short_name("prod.memory.pool", "prod.kv.per_device") == "memory.pool"
    assert short_name("lab.peak", "prod.kv.per_device") == "lab.peak"
    assert short_name("prod.kv.per_device/bytes[full]", "prod.kv.per_device") == "bytes[full]"
    assert short_name("prod.kv.pool/bytes", "prod.kv.per_device") == "pool›bytes"
    assert short_name("prod.kv.pool/bytes[a/b]", "lab.peak") == "prod.kv.pool›bytes[a/b]"


@given(
    st.lists(st.sampled_from(["prod.kv.pool", "prod.kv.pool/bytes[full]", "lab/profile.block"]), min_size=2),
    st.sampled_from(["add", "mul", "max"]),
)
def test_no_name_in_a_formula_reads_as_a_division(addresses, sort):
    """There is a slash in a formula where it divides alone, whatever its names are; each still leads to its address."""
    pieces = symbols(op(sort, *({"op": "ref", "address": one} for one in addresses)), OWNER)
    assert "/" not in plain(pieces)
    named = [piece.address for piece in pieces if isinstance(piece, Reference)]
    assert named == (addresses if len(addresses) <= MANY else addresses[:FEW])


def test_the_numbers_put_in():
    tree = OWNER.formula
    assert (
        plain(numbers_put_in(tree, OWNER, BY_ADDRESS)).replace("\xa0", " ") == "327,680 B/token / 4 devices"
    )
    addresses = [
        piece.address for piece in numbers_put_in(tree, OWNER, BY_ADDRESS) if isinstance(piece, Numeral)
    ]
    assert addresses == ["prod.kv.bytes_per_token", "prod.sharding.tensor"]


def test_a_bound_is_made_of_ranges():
    owner = BY_ADDRESS["prod.decode.step_time"]
    assert "(70 .. 90%)" in plain(numbers_put_in(owner.formula, owner, BY_ADDRESS))


def test_a_power_and_a_step_say_where_they_are_written():
    pieces = symbols(op("pow", op("floor", A, step="16"), exponent=3), OWNER)
    assert {piece.place for piece in pieces if isinstance(piece, Literal)} == {OWNER.provenance.place}


def test_a_long_sum_is_cut():
    assert said(op("add", *[A] * 100)) == "a + a + a + a + …"
    assert said(op("max", *[A] * 100)) == "max(a, a, a, a, …)"


trees = st.recursive(
    st.integers(0, 9).map(num),
    lambda inner: st.one_of(
        st.builds(op, st.sampled_from(["add", "mul"]), inner, inner, inner),
        st.builds(op, st.sampled_from(["sub", "div"]), inner, inner),
        st.builds(lambda a: op("neg", a), inner),
        st.builds(lambda a: op("pow", a, exponent=2), inner),
    ),
    max_leaves=12,
)


def worth(tree):
    if tree["op"] == "const":
        return Fraction(tree["value"])
    args = [worth(arg) for arg in tree["args"]]
    match tree["op"]:
        case "add":
            return sum(args)
        case "mul":
            return args[0] * args[1] * args[2]
        case "sub":
            return args[0] - args[1]
        case "div":
            return args[0] / args[1]
        case "neg":
            return -args[0]
    return args[0] ** 2


@settings(max_examples=300)
@given(trees)
def test_what_is_printed_means_what_the_tree_means(tree):
    try:
        value = worth(tree)
    except ZeroDivisionError:
        return
    text = said(tree).replace("×", "*").replace("−", "-").replace("^", "**")
    assert eval(re.sub(r"(\d+)", r"Fraction(\1)", text), {"Fraction": Fraction}) == value
