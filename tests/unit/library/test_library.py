"""The library as a whole: every formula holds for stand-ins of its parameters, every example compiles."""

from __future__ import annotations

from pathlib import Path

import pytest

from capwright.compiling import compile_plan
from capwright.loading import load
from tests.unit.library.cases import ROOT

EXAMPLES = sorted((ROOT / "plans" / "examples").glob("*.plan"))


def test_every_formula_holds_for_stand_ins(tmp_path: Path) -> None:
    path = tmp_path / "all.plan"
    path.write_text("use std\n", encoding="utf-8")
    found = compile_plan(load(str(path), root=str(tmp_path)), verify_library=True)
    assert [f"{d.code} {d.message}" for d in found.diagnostics] == []


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_every_example_compiles(path: Path) -> None:
    found = compile_plan(load(str(path), root=str(ROOT)))
    assert [f"{d.code} {d.message}" for d in found.diagnostics if d.severity != "hint"] == []
    assert found.document is not None
    assert all(v.status != "contradicted" for v in found.document.verdicts)
