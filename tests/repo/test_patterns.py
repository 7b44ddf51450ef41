"""Regular expressions, on every version of Python that the package says it runs on."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

import pytest

from tests.repo.sources import modules

GROUP = re.compile(r"\)(?:[*+?]|\{\d*,?\d*\})\+")
"""A group that is repeated possessively: up to 3.11.4 it matches wrongly where its inside may go back. `(?>(?:…)*)`
says the same, and is right."""


def texts(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


@pytest.mark.parametrize("module", modules(), ids=str)
def test_no_group_is_repeated_possessively(module):
    tree = ast.parse(module.read_text(encoding="utf-8"))
    patterns = [text for text in texts(tree) if "(?" in text]
    assert not [text for text in patterns if GROUP.search(text)]


@pytest.mark.parametrize("pattern", [r"(?:a|,(?!\n))*+", r"(?:x)++", r"(?:x)?+", r"(?:x){2,}+"])
def test_the_rule_finds_what_it_is_about(pattern):
    assert GROUP.search(pattern)
    assert not GROUP.search(f"(?>{pattern[:-1]})")
