"""The expressions of descriptions: what they can say, and that they cannot do anything."""

from __future__ import annotations

from contextlib import suppress
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from capwright.importers.formulas import MAX_LENGTH, Unfit, arithmetic, evaluate, parse, substituted

NAMES = {"a": 6, "b": 4, "kinds": ["x", "y", "x"], "marks": "M-M*", "none": None, "table": {"k": 3}}


def value(text: str, **more: object) -> object:
    return evaluate(parse(text), lambda name: {**NAMES, **more}[name])


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("a + 2 * b", 14),
        ("a / b", Fraction(3, 2)),
        ("a / 3", 2),
        ("a % b", 2),
        ("-a", -6),
        ("ceil(a / b)", 2),
        ("ceil(8192 + 1, 256)", 8448),
        ("floor(2 * 12288 / 3)", 8192),
        ("floor(-1 / 2)", -1),
        ("2.625 * 8", 21),
        ("min(a, b) + max(a, b)", 10),
        ("kinds[1] == 'y'", True),
        ("kinds[-1]", "x"),
        ("marks[3] == '*'", True),
        ("'-' in marks", True),
        ("7 not in [1, 2]", True),
        ("len(kinds)", 3),
        ("sum([1, 2, 3])", 6),
        ("repeat('LLG', 5)[4] == 'L'", True),
        ("last(kinds, 'x')", 2),
        ("last(kinds, 'z')", -1),
        ("each(kinds, 1)", "y"),
        ("each(a, 1)", 6),
        ("table['k']", 3),
        ("table['gone'] == None", True),
        ("1 < b < a", True),
        ("1 if none == None else 2", 1),
        ("not (a > b and b > a)", True),
    ],
)
def test_what_expressions_say(text, wanted):
    assert value(text) == wanted


@pytest.mark.parametrize(
    "text",
    [
        "", "a +", "__import__('os')", "a.b", "lambda: 1", "[x for x in kinds]", "a ** 99", "a // b", "f(a)", "open('x')",
        "a if b", "a := 1", "{1: 2}", "f'{a}'", "*a", "given(a)", "count('x', 'y')", "ceil(x=1)", "a; b", "~a", "a is b",
        "(" * 300 + "a" + ")" * 300, "a" * (MAX_LENGTH + 1), "\0",
    ],
)  # fmt: skip
def test_what_is_no_expression(text):
    with pytest.raises(Unfit):
        parse(text)


@pytest.mark.parametrize(
    "text",
    [
        "a / 0", "a % 0", "kinds[9]", "kinds['x']", "a[0]", "a + 'x'", "kinds + kinds", "'x' * 9", "True + 1", "a < 'x'",
        "a in a", "len(a)", "sum(a)", "repeat(kinds, 1001)", "repeat([], 2)", "ceil('x')", "ceil(a, 0)", "floor(a, -1)", "min()", "1" + "0" * 100,
    ],
)  # fmt: skip
def test_what_has_no_value(text):
    with pytest.raises(Unfit):
        value(f"({text}) * 1")


def test_what_is_asked_of_the_config_is_asked_by_name():
    asked = []
    evaluate(parse("given('a.b') and count('routed') > 0"), lambda name: asked.append(name) or 1)
    assert asked == ["given a.b", "count routed"]


@pytest.mark.parametrize(
    ("text", "said"),
    [("2 * (a + b)", True), ("ceil(a / 128)", True), ("a % b", False), ("a if b else 1", False), ("kinds[0]", False),
     ("ceil(a, 2)", False), ("a - b", True), ("1.5 * a", False), ("a == b", False), ("max(a, b)", False)],
)  # fmt: skip
def test_what_a_plan_can_say_itself(text, said):
    assert arithmetic(parse(text)) is said


def test_names_may_be_put_in_as_numbers():
    assert substituted(parse("2 * a * (b + c)"), {"b": 14_336}) == "2 * a * (14_336 + c)"


@given(st.text(max_size=40))
def test_any_text_is_an_expression_or_unfit(text):
    with suppress(Unfit):
        evaluate(parse(text), lambda name: 3)


@given(st.integers(-(10**9), 10**9), st.integers(1, 10**6))
def test_rounding_up_is_the_least_multiple_that_is_no_less(number, step):
    made = evaluate(parse("ceil(n, s)"), lambda name: {"n": number, "s": step}[name])
    assert made % step == 0
    assert number <= made < number + step
