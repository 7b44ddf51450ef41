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


def test_the_long_context_example_shows_all_three_verdicts() -> None:
    path = ROOT / "plans" / "examples" / "llama-3.1-70b-long-context.plan"
    document = compile_plan(load(str(path), root=str(ROOT))).document
    assert document is not None
    found = {v.label: v for v in document.verdicts}
    memory = found["the worst mix is admitted without preemption"]
    assert memory.status == "holds"
    assert {"prod.engine.activations", "prod.engine.non_torch"} <= set(memory.leans_on)
    assert found["alone, tokens come at reading speed"].status == "not established"
    assert found["a dossier starts to answer within five seconds"].status == "violated"
    assert {o.address for o in document.options} == {"prod@tp8", "prod@h200", "prod@mi300x", "prod@fp8_cache"}
