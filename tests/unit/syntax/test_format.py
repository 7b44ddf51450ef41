"""One layout: what changes, what stays, and that a text which does not parse is left alone."""

from __future__ import annotations

import pytest

from capwright.base.source import Source
from capwright.syntax.format import format_source
from tests.support.trees import parsed, placeless, plan_files


def formatted(text: str) -> str:
    made, problems = format_source(Source("t.plan", text))
    assert problems == ()
    return made


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("", ""),
        ("\n\n", ""),
        ("a=1", "a = 1\n"),
        ("  a  =  b+c*  - d ^ 2", "a = b + c * -d^2\n"),
        ("a = 2kB;b=35 %", "a = 2 kB; b = 35%\n"),
        ("a = x ≤ y × 2", "a = x <= y * 2\n"),
        ("a = f ( x ,to 16 bytes )", "a = f(x, to 16 bytes)\n"),
        ("a = [ 1,2 ]", "a = [1, 2]\n"),
        ("a = b . c", "a = b.c\n"),
        ("formula f(g :t,c: u):s = 1 s", "formula f(g: t, c: u) : s = 1 s\n"),
        ("entity e:f{a:whole}", "entity e : f { a : whole }\n"),
        ("entity e {}", "entity e { }\n"),
        ("entity e {\n}", "entity e { }\n"),
        ("entity e {\na:whole\n\n\n\n b : x\n\n}", "entity e {\n  a : whole\n\n  b : x\n}\n"),
        ("# top\n\n\n\na=1 # why\n#end", "# top\n\na = 1 # why\n# end\n".replace("# end", "#end")),
        ("a=1# why", "a = 1  # why\n"),
        ("x {a=1;b=2}\n".replace("x ", "t x "), "t x { a = 1; b = 2 }\n"),
        ("t x { # why\n a=1}", "t x {\n  # why\n  a = 1\n}\n"),
        ("t x {\na=1; b=2\n}", "t x {\n  a = 1; b = 2\n}\n"),
        ("t x\n{\na=1\n}", "t x {\n  a = 1\n}\n"),
        ("a = b\n+ c", "a = b\n  + c\n"),
        ("f = g(\na,\nb\n)", "f = g(\n  a,\n  b\n)\n"),
        ("formula f(g: t) : s\n= if g.a\nthen 1 s\nelse 2 s", "formula f(g: t) : s\n  = if g.a\n    then 1 s\n    else 2 s\n"),
        ('assume s = 1 in 0 .. 2\nbecause "x"   review 2027-03', 'assume s = 1 in 0 .. 2\n  because "x"   review 2027-03\n'),
        ("a = b # one\n# two\n+ c # three", "a = b # one\n  # two\n  + c # three\n"),
        ("t x { e = v { n = 1 }; f=2 }", "t x { e = v { n = 1 }; f = 2 }\n"),
        ("\ufeffa = 1\r\nb = 2\r\n", "a = 1\nb = 2\n"),
        ("a = 1;\nb = 2", "a = 1\nb = 2\n"),
        ("a = x - -y", "a = x - -y\n"),
        ("a = (-x)", "a = (-x)\n"),
        ("a = not(b)and(c)", "a = not (b) and (c)\n"),
    ],
)  # fmt: skip
def test_layout(text, wanted):
    assert formatted(text) == wanted
    assert formatted(wanted) == wanted
    assert placeless(parsed(wanted)) == placeless(parsed(text))


def test_columns_lined_up_by_hand_stay():
    text = 'entity e {\n  a : whole          "one"\n  bb : whole         "two"    # three\n}\n'
    assert formatted(text) == text


def test_a_text_that_does_not_parse_stays():
    text = "a=1\nb = = 2\n"
    made, problems = format_source(Source("t.plan", text))
    assert made == text
    assert [problem.code for problem in problems] == ["CW0100"]


@pytest.mark.parametrize("path", plan_files(), ids=lambda path: path.name)
def test_plans_of_the_project(path):
    text = path.read_text(encoding="utf-8")
    made = formatted(text)
    assert formatted(made) == made
    assert placeless(parsed(made)) == placeless(parsed(text))
    assert made.count("#") == text.count("#")
