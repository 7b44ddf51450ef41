"""The functions of the language: told by `explain`, and all of them in the reference, as the kernel has them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from capwright.document.built_ins import built_in, built_ins, word, words
from capwright.graph.builtins import FUNCTIONS
from capwright.importers import READERS
from capwright.kernel.registry import CONSTRUCTORS, PRIMITIVES
from tests.cli.running import run
from tests.repo.sources import ROOT

JOINING = ("all", "any", "count", "filter", "list")
"""What goes over lists, beside the functions."""
OPERATORS = ("and", "as", "if", "in", "is", "largest", "not", "or", "smallest")
REFERENCE = (ROOT / "grammar/reference.md").read_text(encoding="utf-8")


def test_the_reference_lists_each_with_its_arguments() -> None:
    rows = [line for line in REFERENCE.splitlines() if line.startswith("| `") and ") : " in line]
    assert rows == [f"| `{one.signature}` | {one.words} |" for one in built_ins()]
    assert len(rows) == len(CONSTRUCTORS) + len(PRIMITIVES)


def test_the_reference_lists_each_word_of_an_expression_and_each_reader() -> None:
    table = REFERENCE.partition("| written | is, or does |\n|:--|:--|\n")[2].partition("\n\n")[0]
    assert table.splitlines() == [f"| `{one.written}` | {one.says} |" for one in words()]


@pytest.mark.parametrize("name", sorted({*FUNCTIONS, *JOINING, *OPERATORS, *READERS}))
def test_each_word_of_an_expression_and_each_reader_is_told(name: str, tmp_path: Path) -> None:
    """With the form of a call, and the section that tells of it: as of a statement, with a plan and without."""
    form = word(name)
    assert form is not None
    assert form.written.startswith(name)
    section = REFERENCE.partition(f"\n## {form.section}. ")[2].partition("\n## ")[0]
    assert re.search(rf"\b{name}\b", section)
    (tmp_path / "a.plan").write_text("x = 3\n", encoding="utf-8")
    alone = run("explain", name, cwd=tmp_path)
    assert (alone.code, alone.err) == (0, "")
    assert alone.out.startswith(f"{form.written}\n")
    assert run("explain", "a.plan", name, cwd=tmp_path).out == alone.out


def test_a_function_is_told_with_units_and_defaults() -> None:
    found = built_in("window")
    assert found is not None
    assert found.signature == "window(size : token, ahead : token default 0) : mask"
    assert built_in("documents").signature == "documents(lengths : [token]) : mask"  # type: ignore[union-attr]
    assert built_in("nothing_of_the_sort") is None


def test_explain_tells_a_function_with_a_plan_and_without(tmp_path: Path) -> None:
    (tmp_path / "a.plan").write_text("x = 3\n", encoding="utf-8")
    alone = run("explain", "block_sparse", cwd=tmp_path)
    assert (alone.code, alone.err) == (0, "")
    assert alone.out.startswith(
        "function block_sparse(block : token, local : number, stride : number) : mask\n"
    )
    assert run("explain", "a.plan", "block_sparse", cwd=tmp_path).out == alone.out
