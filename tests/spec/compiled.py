"""Compiling a case: its files in a folder of its own, and what came out, ready to be asked."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from capwright.base.diagnostic import Diagnostic
from capwright.base.dimension import Unit
from capwright.check.declared import Lost
from capwright.check.report import Report
from capwright.check.units import unit_table
from capwright.compiling import compile_plan
from capwright.document.plandoc import PlanDoc, Quantity
from capwright.loading import Loaded, load
from capwright.syntax.tree import UnitDecl
from tests.spec.cases import Case

PLAN = "case.plan"


@dataclass
class Outcome:
    """What became of a case. `document` is None where the plan has errors."""

    loaded: Loaded
    document: PlanDoc | None
    diagnostics: tuple[Diagnostic, ...]

    def unit(self, text: str) -> Unit:
        """The unit that `text` spells in this plan."""
        statements = (s for module in self.loaded.modules.values() for s in module.statements)
        declared = [statement for statement in statements if isinstance(statement, UnitDecl)]
        return unit_table(declared, Report(), Lost()).read(text)

    def quantity(self, address: str) -> Quantity:
        assert self.document is not None, "the plan has errors, so there is no document"
        for quantity in self.document.quantities:
            if address == quantity.address or address in quantity.aliases:
                return quantity
        known = ", ".join(q.address for q in self.document.quantities if not q.internal)
        raise AssertionError(f"no quantity `{address}`; there are: {known}")

    def place(self, diagnostic: Diagnostic) -> str:
        """`file:line` of a diagnostic."""
        source = self.loaded.sources.get(diagnostic.span.file)
        return source.place(diagnostic.span.start) if source else diagnostic.span.file

    def told(self) -> str:
        """All diagnostics, one a line, as a failing case shows them."""
        lines = [
            f"{d.severity} {d.code} at {self.place(d)}: {d.message}\n    {d.help}" for d in self.diagnostics
        ]
        return "\n".join(lines) or "no diagnostics"


def compile_case(case: Case, folder: Path, prefix: str = "") -> Outcome:
    """Write the case's files into `folder` and compile its plan, with `prefix` before it."""
    for name, text in {**case.files, PLAN: prefix + case.plan}.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    loaded = load(str(folder / PLAN), root=str(folder))
    compiled = compile_plan(loaded, case.overrides)
    return Outcome(loaded, compiled.document, compiled.diagnostics)


def exact(text: str | None) -> Fraction | None:
    """A document's exact number."""
    return None if text is None else Fraction(text)
