"""Comments stand on the line of what they are about, or above it."""

from __future__ import annotations

import re

import pytest

from tests.repo.sources import modules

BEHIND_A_BRACKET = re.compile(r"^ *[])}]+,? +#(?! fmt: | noqa| type: )", re.MULTILINE)
"""A comment that stands behind nothing but a closing bracket: the line that it was written on was broken for length."""


@pytest.mark.parametrize("module", modules(), ids=str)
def test_no_comment_stands_behind_a_closing_bracket(module):
    assert not BEHIND_A_BRACKET.findall(module.read_text(encoding="utf-8"))


@pytest.mark.parametrize("line", ["x = (\n    1\n)  # one", "    ],  # several"])
def test_the_rule_finds_what_it_is_about(line):
    assert BEHIND_A_BRACKET.search(line)
    assert not BEHIND_A_BRACKET.search(line.replace("#", "# fmt: skip #"))
    assert not BEHIND_A_BRACKET.search("x = f(1)  # one")
