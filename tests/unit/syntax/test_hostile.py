"""Texts that mean harm: refused soon, with one message, or read in linear time."""

from __future__ import annotations

import time

import pytest

from capwright.base.source import Source
from capwright.syntax.limits import MAX_TEXT
from capwright.syntax.parse import parse
from tests.support.pace import within

REFUSED = {
    "parentheses": ("x = " + "(" * 1_000_000, "CW0104"),
    "braces": ("x " + "{ x " * 500_000, "CW0104"),
    "list": ("x = [" + "1," * 1_000_000 + "1]", "CW0105"),
    "list on lines": ("x = [" + "1,\n" * 1_000_000 + "1]", "CW0105"),
    "signs": ("x = " + "-" * 200_000 + "1", "CW0104"),
    "not": ("x = " + "not " * 60_000 + "a", "CW0104"),
    "branches": ("x = " + "if a then b else " * 10_000 + "c", "CW0104"),
    "sum": ("x = " + "+".join(["1"] * 10_000), "CW0104"),
    "path": ("x = a" + ".b" * 10_000, "CW0104"),
    "digits": ("x = " + "9" * 100_000, "CW0108"),
    "exponent": ("x = 1e999999999", "CW0108"),
    "powers": ("x = 10^10^10", "CW0110"),
    "statements": ("x=1\n" * 1_900_000, "CW0105"),
    "bodies": ("x " + "{}" * 3_900_000, "CW0105"),
    "calls": ("x " + "()" * 3_900_000, "CW0105"),
    "name": ("x." + "n" * 257 + " = 1", "CW0105"),
    "names": (("a" * 300 + " = 1\n") * 20_000, "CW0105"),
    "length": ("#" * (MAX_TEXT + 1), "CW0106"),
    "nul": ("x = 1 \0", "CW0107"),
    "escape": ('x = "\x1b[31m"', "CW0107"),
    "carriage return": ("x = 1 # a\rb", "CW0107"),
    "override": ("x = 1 # \u202e", "CW0107"),
    "isolate": ('x = "\u2066"', "CW0107"),
    "zero width": ("x\u200b = 1", "CW0107"),
    "letter of no width": ("x\u3164 = 1", "CW0107"),
    "separator": ("x = 1\u2028y = 2", "CW0107"),
    "surrogate": ("x = 1 # \ud800", "CW0107"),
    "second mark": ("x = 1 # \ufeff", "CW0107"),
}

PATIENCE = 2
"""Seconds of its own that a text may take."""


@pytest.mark.parametrize("name", REFUSED)
def test_refused_soon(name):
    text, code = REFUSED[name]
    with within(PATIENCE):
        _, found = parse(Source("t.plan", text))
    assert [problem.code for problem in found] == [code]
    assert len(found[0].message) < 200
    assert not any(ord(character) < 32 for character in found[0].message + found[0].help)


@pytest.mark.parametrize(
    "text",
    [
        "a" * 256 + " = 1",
        "x = 1  # " + "a" * 300,
        'use std "' + "a" * 300 + '"',
        'report x "\\"" # ' + "a" * 300,
    ],
)
def test_long_words_that_are_no_names_are_read(text):
    _, found = parse(Source("t.plan", text))
    assert all(problem.code != "CW0105" for problem in found)


@pytest.mark.parametrize(
    "text",
    [
        "\n" * 1_000_000,
        "#\n" * 500_000,
        ";" * 1_000_000,
        " " * 1_000_000,
        ",\n" * 100,
        "\\" * 1000,
        "\t;\n" * 300_000,
    ],
)
def test_texts_of_nothing_take_no_time(text):
    with within(PATIENCE):
        parse(Source("t.plan", text))


@pytest.mark.parametrize(
    "text",
    [
        "a {" + "x=1;" * 60_000,
        "a {\n" + "b c = 1 +* 2\n" * 60_000,
        "x = 1 +* 2;" * 60_000,
        "x = 1 B " + "a" * 200_000,
        "x = 1 B " + "a." * 100_000,
        "x { y = 1 B " + "a" * 200_000 + " }",
    ],
)
def test_the_names_of_what_does_not_parse_take_no_time(text):
    with within(PATIENCE):
        parse(Source("t.plan", text))


def test_nesting_up_to_the_limit_is_read():
    module, found = parse(Source("t.plan", "x = " + "(" * 60 + "1" + ")" * 60))
    assert found == ()
    assert len(module.statements) == 1
    deep = "a b { " + "c { " * 60 + "d = 1" + " }" * 61
    assert parse(Source("t.plan", deep))[1] == ()


def test_time_grows_with_the_text():
    def seconds(lines: int) -> float:
        text = "\n".join(f"q{n} = q{n // 2} * {n} bytes + 1 byte" for n in range(lines))
        begun = time.process_time()
        assert parse(Source(f"{lines}.plan", text))[1] == ()
        return time.process_time() - begun

    seconds(1_000)
    small = min(seconds(2_000), seconds(2_001))
    assert seconds(40_000) < 20 * small * 3
