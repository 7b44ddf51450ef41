"""The grammar by itself: unambiguous, and read by our walk exactly as by Lark's own parser."""

from __future__ import annotations

import marshal
import re

import pytest
from lark import Lark

from capwright.syntax import grammar, tables
from capwright.syntax.actions import ACTIONS
from capwright.syntax.tables import STARTS
from tests.support.trees import ROOT, plan_files, problems
from tests.support.wholes import GRAMMAR, accepted

TEXT = GRAMMAR.read_text(encoding="utf-8")


def test_the_grammar_is_unambiguous():
    """Strict: Lark resolves a shift/reduce conflict in silence otherwise, always as a shift."""
    Lark(TEXT, parser="lalr", lexer="contextual", start=list(STARTS), strict=True)


def test_a_conflict_would_be_noticed():
    with pytest.raises(Exception, match="conflict"):
        Lark('start: start "+" start | "a"', parser="lalr", lexer="contextual", strict=True)


def test_every_rule_that_makes_something_has_an_action():
    made = {name for _, _, name, _, _ in tables.build(TEXT).rules}
    assert made - {"", "+", "module", "leading"} == set(ACTIONS)


@pytest.mark.parametrize("path", plan_files(), ids=lambda path: path.name)
def test_lark_reads_the_plans_of_the_project(path):
    assert accepted(path.read_text(encoding="utf-8"))


def _pages() -> list[str]:
    page = (ROOT / "grammar" / "reference.md").read_text(encoding="utf-8")
    found = re.findall(r"^```(\w*)[^\n]*\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    return [text for language, text in found if language == "plan"]


@pytest.mark.parametrize("text", [page for page in _pages() if "…" not in page])
def test_the_blocks_of_the_reference_parse(text):
    assert problems(text) == ()
    assert accepted(text)


def test_tables_survive_saving():
    made = tables.build(TEXT)
    assert tables.load(tables.dump(TEXT), TEXT) == made


@pytest.mark.parametrize(
    "data",
    [b"", b"x", marshal.dumps(3), marshal.dumps(("key", ())), marshal.dumps((tables.key("other"), ()))],
)
def test_saved_tables_of_another_grammar_are_not_used(data):
    assert tables.load(data, TEXT) is None


def test_tables_are_built_where_none_are_saved(monkeypatch, tmp_path):
    monkeypatch.setattr(grammar, "BUILT", tmp_path / "plan.tables")
    assert grammar.tables() == tables.build(TEXT)
    (tmp_path / "plan.tables").write_bytes(b"of another version")
    assert grammar.tables() == tables.build(TEXT)
    (tmp_path / "plan.tables").write_bytes(tables.dump(TEXT))
    assert grammar.tables() == tables.build(TEXT)
