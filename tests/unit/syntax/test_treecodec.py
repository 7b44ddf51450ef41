"""Trees as plain tuples, and statements that are parsed once."""

from __future__ import annotations

import marshal

import pytest

from capwright.base.source import Source
from capwright.syntax import treecodec
from capwright.syntax.parse import parse
from tests.support.trees import nodes, parsed, placeless, plan_files


@pytest.mark.parametrize("path", plan_files(), ids=lambda path: path.name)
def test_a_library_file_survives_saving(path):
    text = path.read_text(encoding="utf-8")
    module, _ = parse(Source("std/x.plan", text))
    assert treecodec.load(treecodec.dump(module, text), "std/x.plan", text) == module


def test_every_class_of_the_tree_survives():
    text = """unit a = 0.5 b\nreport a.b, c "t"\nx = largest n in 1 .. 2 where n in u > 1 and g is not h
        y : number in 0 .. 1 kind k = 3 caveat c for time "t" excludes a, "b"\nz = -[1, "two"] as k
        w = if a then b { c = 1/3 } else sum(d.e for d in f where true)"""
    module, problems = parse(Source("t.plan", text))
    assert problems == ()
    again = treecodec.load(treecodec.dump(module, text), "t.plan", text)
    assert again == module
    assert [type(node) for node in nodes(again)] == [type(node) for node in nodes(module)]


@pytest.mark.parametrize(
    "data", [b"", b"x", marshal.dumps(None), marshal.dumps(("key", [])), marshal.dumps((1, 2, 3))]
)
def test_what_was_saved_for_another_text_is_not_used(data):
    assert treecodec.load(data, "t.plan", "a = 1") is None


def test_a_changed_text_is_not_served_from_what_was_saved():
    module, _ = parse(Source("t.plan", "a = 1"))
    assert treecodec.load(treecodec.dump(module, "a = 1"), "t.plan", "a = 2") is None


def test_what_another_parser_made_is_not_used(monkeypatch):
    module, _ = parse(Source("t.plan", "a = 1"))
    saved = treecodec.dump(module, "a = 1")
    monkeypatch.setattr(treecodec, "parser_sha256", lambda: "another")
    assert treecodec.load(saved, "t.plan", "a = 1") is None


def test_an_unchanged_statement_is_the_same_object():
    first = parsed("one = 1\ntwo = 2 + 3\n")
    second = parsed("one = 1\ntwo = 2 + 3\nthree = 4\n")
    assert second[0] is first[0]
    assert second[1] is first[1]


def test_a_statement_that_moved_has_its_new_place():
    text = 'thing m { a = 1 byte; b : whole = 2 kind k "w" }'
    (first,) = parsed(text, "moving.plan")
    (second,) = parsed("# a line\n" + text, "moving.plan")
    assert placeless(second) == placeless(first)
    moved = [node.span.start for node in nodes(second) if hasattr(node, "span")]
    assert moved == [node.span.start + 9 for node in nodes(first) if hasattr(node, "span")]
    assert second == treecodec.moved(first, "moving.plan", 9)


def test_a_statement_with_a_mistake_is_reported_every_time():
    text = 'a = 3 because "x" because "y"\nb = = 2'
    first, second = parse(Source("t.plan", text))[1], parse(Source("t.plan", text))[1]
    assert first == second
    assert len(first) == 2


def test_the_same_text_in_two_files_keeps_the_files_apart():
    (first,), (second,) = parsed("same = 1", "one.plan"), parsed("same = 1", "two.plan")
    assert (first.span.file, second.span.file) == ("one.plan", "two.plan")
