"""Expressions: what binds how, what a literal is, and printing that parses back."""

from __future__ import annotations

from fractions import Fraction

import pytest

from capwright.syntax import tree
from tests.support.spelling import expression_text
from tests.support.trees import one, placeless, problems, value


def bracketed(node) -> str:
    """An expression with every operator in parentheses."""
    match node:
        case tree.Binary(operator=sign, left=left, right=right):
            return f"({bracketed(left)} {sign} {bracketed(right)})"
        case tree.Unary(operator=sign, operand=operand):
            return f"({sign} {bracketed(operand)})"
        case tree.InUnit(operand=operand, unit=unit):
            return f"({bracketed(operand)} in {unit})"
        case tree.Is(operand=operand, type_name=name, negated=negated):
            return f"({bracketed(operand)} is {'not ' if negated else ''}{name})"
    return expression_text(node)


@pytest.mark.parametrize(
    ("text", "tight"),
    [
        ("a + b * c", "(a + (b * c))"),
        ("a - b - c", "((a - b) - c)"),
        ("a / b * c", "((a / b) * c)"),
        ("-a^2", "(- (a ^ 2))"),
        ("a^-2", "(a ^ (- 2))"),
        ("-a * b", "((- a) * b)"),
        ("a * -b", "(a * (- b))"),
        ("not a and b or c", "(((not a) and b) or c)"),
        ("a + b <= c and d", "(((a + b) <= c) and d)"),
        ("not a == b", "(not (a == b))"),
        ("a + b in kv", "((a + b) in kv)"),
        ("i + 1 == s.n in stage", "((i + 1) == (s.n in stage))"),
        ("g is not full and a", "((g is not full) and a)"),
    ],
)
def test_binding(text, tight):
    assert bracketed(value(text)) == tight


@pytest.mark.parametrize(
    ("text", "number", "unit"),
    [
        ("131_072", 131_072, ""),
        ("0.90", Fraction(9, 10), ""),
        ("2.5e9", 2_500_000_000, ""),
        ("128k", 128_000, ""),
        ("128k tokens", 128_000, "tokens"),
        ("1M", 1_000_000, ""),
        ("2kB", 2, "kB"),
        ("16 tokens/block", 16, "tokens/block"),
        ("3.35 TB/s", Fraction(67, 20), "TB/s"),
        ("35%", 35, "%"),
        ("2.20 $/GPU-hour", Fraction(11, 5), "$/GPU-hour"),
        ("4 token^2", 4, "token^2"),
        ("1 B/s/device", 1, "B/s/device"),
        ("3 kg*m/s^2", 3, "kg*m/s^2"),
    ],
)
def test_literals(text, number, unit):
    found = value(text)
    assert type(found) is tree.Quantity
    assert (found.value, found.unit, found.text) == (number, unit, text)


def test_a_blank_before_a_slash_divides():
    assert type(value("16 GiB/device")) is tree.Quantity
    divided = value("16 GiB / device")
    assert (divided.operator, divided.left.unit) == ("/", "GiB")
    assert value("16 GiB - month").operator == "-"
    assert value("16 GiB-x").operator == "-"
    assert value("2 * x").operator == "*"


@pytest.mark.parametrize("word", ["in", "to", "then", "else", "and", "or", "is", "as", "where", "for"])
def test_words_are_no_units(word):
    text = {
        "in": "2 in u", "to": "f(2, to 3)", "then": "if 2 then 3 else 4", "else": "if a then 2 else 3",
        "and": "2 and 3", "or": "2 or 3", "is": "2 is v", "as": "2 as k",
        "where": "sum(2 for x in [2] where 3)", "for": "sum(2 for x in y)",
    }[word]  # fmt: skip
    assert expression_text(value(text)) == text


@pytest.mark.parametrize(
    "text",
    [
        "if a then b else c",
        "(if a then b else c) + 1",
        "if a then if b then c else d else e",
        "min(a, b, 3 s)",
        "ceil(x, to 16 bytes)",
        "lognormal(median: 1_800 tokens, p95: 9_000 tokens)",
        "sum(g.n * 2 for g in m.groups where g is full)",
        "count(g in m.groups where g is not full)",
        "filter(g in m.groups)",
        "first(filter(g in m.groups)).n",
        "list(g.n for g in m.groups)",
        "[1, 2 s, [a]]",
        "[]",
        "now()",
        "c(1).b.c",
        "x as pool",
        "(x as pool) + y",
        "(kv in head) * 2",
        "a - (b - c)",
        "a / (b * c)",
        "(a + b) * c",
        "(-a)^2",
        "(a^2)^3",
        "-(a + b)",
        "not (a or b)",
        "largest n in 1 token .. m.longest where bytes(n) <= pool",
        "smallest n in 1 .. 10 where n > 3 and a",
        "prod@tp8.kv.pool",
        '"a \\"quoted\\" word"',
    ],
)
def test_printing_parses_back(text):
    found = value(text)
    assert expression_text(found) == text
    assert placeless(value(expression_text(found))) == placeless(found)


def test_a_search_stands_alone():
    search = one("longest : token = largest n in 1 token .. e.len\n  where bytes(n) <= available").value
    assert (search.which, search.variable) == ("largest", "n")
    assert problems("x = 1 + largest n in 1 .. 2 where n > 1")


def test_spans_are_exact():
    text = "total : byte = (alpha + 3 bytes) * beta.gamma  # words"
    binding = one(text)
    product = binding.value
    assert text[product.span.start : product.span.end] == "(alpha + 3 bytes) * beta.gamma"
    assert text[product.left.left.span.start :].startswith("alpha +")
    assert text[product.right.name_span.start : product.right.name_span.end] == "gamma"
    assert text[binding.path_span.start : binding.path_span.end] == "total"
    assert text[binding.span.start : binding.span.end] == text.partition("  #")[0]
