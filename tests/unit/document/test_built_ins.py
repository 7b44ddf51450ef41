"""The functions of the language: told by `explain`, and all of them in the reference, as the kernel has them."""

from __future__ import annotations

from pathlib import Path

from capwright.document.built_ins import built_in, built_ins
from capwright.kernel.registry import CONSTRUCTORS, PRIMITIVES
from tests.cli.running import run
from tests.repo.sources import ROOT

REFERENCE = (ROOT / "grammar/reference.md").read_text(encoding="utf-8")


def test_the_reference_lists_each_with_its_arguments() -> None:
    rows = [line for line in REFERENCE.splitlines() if line.startswith("| `") and ") : " in line]
    assert rows == [f"| `{one.signature}` | {one.words} |" for one in built_ins()]
    assert len(rows) == len(CONSTRUCTORS) + len(PRIMITIVES)


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
