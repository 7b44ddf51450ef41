"""What is said of mistakes: the code, the place, the words; one message each and no echo."""

from __future__ import annotations

import re

import pytest

from capwright.base.source import Source
from capwright.syntax.limits import MAX_MESSAGES
from capwright.syntax.parse import parse
from tests.support.trees import problems

ONE = [
    ("a = ", "CW0100", 3, "expected a value, found the end of the statement"),
    ("b = 3 +", "CW0100", 7, "expected a value"),
    ("c = 3  tokens", "CW0100", 7, "`tokens` stands too far from its number"),
    ("d = 1 < 2 < 3", "CW0117", 10, "not chained"),
    ("require a = b", "CW0100", 10, "`=` binds a name"),
    ("e = 2 ^ 3 ^ 4", "CW0110", 10, "not chained"),
    ("e = 2 ^ n", "CW0110", 8, "`n` is not written out"),
    ("f = “x”", "CW0116", 4, "“"),
    ("f = a ? b", "CW0116", 6, "?"),
    ("g = 3 4", "CW0100", 6, "found `4`"),
    ("rate = 50 1/s", "CW0100", 10, "no unit starts with a number"),
    ("a = 1 // some words", "CW0100", 6, "`//` starts no comment"),
    ("// some words", "CW0100", 0, "`//` starts no comment"),
    ("  /* some words */", "CW0100", 2, "`/*` starts no comment"),
    ("a = 1 -- some words", "CW0100", 6, "`--` starts no comment"),
    ("entity e { x : number // some words\n}", "CW0100", 22, "`//` starts no comment"),
    ('require a <= 2 "a // b" c', "CW0100", 24, "found `c`"),
    ("a = 4//2", "CW0100", 6, "expected a value"),
    ("h = max(1, 2", "CW0101", 7, "never closed"),
    ("h = [1, 2", "CW0101", 4, "never closed"),
    ("h = max(1, 2]", "CW0102", 12, "should close"),
    ("h = 1)", "CW0102", 5, "closes nothing"),
    ("}", "CW0102", 0, "closes nothing"),
    ("thing a { b = 1", "CW0101", 8, "never closed"),
    ('k = "unterminated', "CW0103", 4, "no end"),
    ("k = 1e99999", "CW0108", 4, "out of bounds"),
    (r'k = "a\q"', "CW0109", 6, r"\q"),
    ("foo bar", "CW0100", 7, "expected `=`, `:` or `{`"),
    ("assume s in 3 .. 4", "CW0100", 9, "expected `=` or `:`"),
    ("assume s = 3 in 4", "CW0100", 17, "`..`"),
    ("x = if a then b", "CW0100", 15, "`else`"),
    ("kind x = 3", "CW0100", 7, "expected `:`"),
    ("x :", "CW0100", 3, "a type"),
    ("entity e { x : }", "CW0100", 14, "a type"),
    ("entity e { check x > 3 }", "CW0100", 22, "words in quotes"),
    ("entity e { use std }", "CW0115", 11, "top level"),
    ('check a "b"', "CW0115", 0, "inside an entity"),
    ("entity e { a.b : whole }", "CW0114", 11, "one word"),
    ("entity e { a.b { } }", "CW0114", 11, "one word"),
    ('x = 3 because "a" because "b"', "CW0111", 18, "twice"),
    ('x = 3 "a" label "b"', "CW0111", 10, "a label stands twice"),
    ("unit a counting counting", "CW0111", 16, "twice"),
    ("option x of y { } over a", "CW0112", 18, "takes no `over`"),
    ('entity x because "y" { }', "CW0112", 9, "takes no `because`"),
    ('assume a = 3 because "x" review 2027-13', "CW0113", 32, "no date"),
    ('assume a = 3 because "x" review 2027-02-30', "CW0113", 32, "no date"),
    ("measure x = y { }", "CW0100", 14, "`(`"),
    ("x = sum(a for b)", "CW0100", 15, "`in`"),
    ("x = (largest n in 1 .. 2 where n > 1)", "CW0100", 13, "found `n`"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "code", "at", "words"), ONE)
def test_a_mistake(text, code, at, words):
    (found,) = problems(text)
    assert (found.code, found.span.start) == (code, at), found
    assert words in found.message
    assert found.help
    assert 0 <= found.span.start <= found.span.end <= len(text)


@pytest.mark.parametrize(("text", "code", "at", "words"), ONE)
def test_a_mistake_between_good_statements_is_one_message(text, code, at, words):
    """And both neighbours are read, except where an open bracket hides what follows."""
    before, after = "first = 1\n", "\nlast = 2\nrequire last <= 3\n"
    module, found = parse(Source("t.plan", before + text + after))
    assert [(problem.code, problem.span.start) for problem in found] == [(code, at + len(before))]
    names = [getattr(statement, "path", ("?",))[0] for statement in module.statements]
    assert names[0] == "first"
    assert "last" in names or code == "CW0101"


@pytest.mark.parametrize(("text", "code", "at", "words"), ONE)
def test_messages_are_in_the_users_terms(text, code, at, words):
    (found,) = problems(text)
    outside_quotes = re.sub(r"`[^`]*`", "", found.message)
    assert not re.search(r"\b[A-Z]{2,}\b|__|lpar", outside_quotes), found.message
    assert not re.search(r"`[a-z]*par`|`[lr]sqb`|`__", found.message + found.help)


def test_one_over_a_unit_is_a_division():
    for text in ("rate = 50 1/s", "rate = 50 1 / s"):
        (found,) = problems(text)
        assert found.help == "write a division: `50 / 1 s`"


def test_ten_mistakes_give_ten_messages():
    texts = [text for text, code, _, _ in ONE if code not in {"CW0101", "CW0102", "CW0103"}]
    for start in range(0, len(texts) - 10, 5):
        ten = texts[start : start + 10]
        assert len(problems("\n".join(ten))) == 10


def test_ten_mistakes_in_one_body():
    text = "thing a {\n" + "\n".join(f"  m{n} = 3 +" for n in range(10)) + "\n  good = 1\n}"
    found = problems(text)
    assert [problem.code for problem in found] == ["CW0100"] * 10
    assert len({problem.span.start for problem in found}) == 10


def test_an_open_brace_says_one_thing_at_the_brace():
    text = "entity a {\n  x : whole\n\nformula f(a: a) : s = 1 s\nrequire 1 <= 2\nb = 3 +\n"
    found = problems(text)
    assert [(problem.code, text[problem.span.start]) for problem in found] == [
        ("CW0101", "{"),
        ("CW0100", "\n"),
    ]


def test_an_open_parenthesis_says_one_thing_and_the_next_line_is_read():
    module, found = parse(Source("t.plan", "a = max(1,\n  2\nb = 3\nc = ceil(4\n"))
    assert [problem.code for problem in found] == ["CW0101", "CW0101"]
    broken, read, last = module.statements
    assert (broken.paths, last.paths) == ((("a",),), (("c",),))
    assert read.path == ("b",)


def test_a_mistake_in_a_body_leaves_the_rest_of_it():
    module, found = parse(Source("t.plan", "thing a { b = 1; c = ; d = 2 }"))
    assert len(found) == 1
    first, broken, last = module.statements[0].body
    assert (first.path, broken.paths, last.path) == (("b",), (("c",),), ("d",))


DECLARED = [
    ("bw = 1 +* 2", ["bw"]),
    ("prod.kv.slack : byte = 1 +* 2", ["prod.kv.slack"]),
    ("override prod.kv.slack = = 2", ["prod.kv.slack"]),
    ("peak-rate = 3", ["peak", "rate"]),
    ("assume s in 3 .. 4", ["s"]),
    ("box b : : {", ["b"]),
    ("box b from {}", ["b"]),
    ("std.box b 3", ["std.box", "b"]),
    ("cache store", ["cache", "store"]),
    ("entity box : {}", ["box"]),
    ("formula area(b: ) : byte = 3", ["area"]),
    ("kind pool byte", ["pool", "byte"]),
    ("unit dollar, dollars symbol $ = = 3", ["dollar", "dollars", "$"]),
    ("option two of prod {", ["prod@two"]),
    ("option two {}", ["@two"]),
    ('use "a.plan as b', ["b"]),
    ("unit = 3 +* 2", ["unit"]),
    ("require a = b", []),
    ("report a b", []),
]


@pytest.mark.parametrize(("text", "paths"), DECLARED)
def test_what_does_not_parse_declares_its_names(text, paths):
    module, found = parse(Source("t.plan", text))
    (broken,) = module.statements
    assert found
    assert [".".join(path) for path in broken.paths] == paths
    assert not broken.rest


def test_what_a_forgotten_bracket_swallows_is_declared_too():
    module, found = parse(Source("t.plan", "a = [1, 2\nbox b { width = 1 }\nbox c {\n  width = 1\nd = 2\n"))
    assert {problem.code for problem in found} == {"CW0101"}
    names = {path for statement in module.statements for path in statement.paths}
    assert {("a",), ("b",), ("c",), ("d",)} <= names


def test_what_clauses_name_is_known():
    def words(text):
        return parse(Source("t.plan", text))[0].statements[0].words

    assert words("formula f(a: ) : byte = 3 caveat far for time") == ("far",)
    assert words("measure x = = 3 as night { }") == ("night",)
    assert words("kind wait : : s for time") == ("time",)


@pytest.mark.parametrize(
    "text",
    ["x\u200b = 3", "(" * 100, 'use "a.plan', "use std from", "= 3", "entity { x : byte }", "unit , bytes"],
    ids=["hidden", "deep", "path", "more", "value", "entity", "unit"],
)
def test_what_is_not_read_or_has_no_name_may_declare_anything(text):
    module, found = parse(Source("t.plan", text))
    assert len(found) == 1
    assert any(statement.rest for statement in module.statements)


def test_very_many_mistakes_are_cut_off():
    found = problems("a = = 3\n" * 10_000)
    assert len(found) == MAX_MESSAGES
    assert "not shown" in found[-1].help
    assert "not shown" not in found[-2].help


def test_messages_stand_in_the_order_of_the_text():
    found = problems('a = "x\nb = )\nc = = 3\nthing d { e = }\n')
    starts = [problem.span.start for problem in found]
    assert starts == sorted(starts)
    assert len(starts) == 4


@pytest.mark.parametrize("day", ["2028-02-29", "2000-02-29", "2027-12-31", "2027-04"])
def test_days_of_the_calendar(day):
    assert problems(f'assume a = 3 because "x" review {day}') == ()


@pytest.mark.parametrize(
    "day", ["2027-02-29", "1900-02-29", "2027-04-31", "2027-00", "0000-01", "2027-01-00"]
)
def test_days_that_are_none(day):
    assert [found.code for found in problems(f'assume a = 3 because "x" review {day}')] == ["CW0113"]
