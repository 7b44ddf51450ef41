"""What a compiled plan answers, by address, as exact numbers."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

from capwright.compiling import compile_plan
from capwright.document.plandoc import PlanDoc
from capwright.loading import load


def compiled(text: str, folder: Path) -> PlanDoc:
    """The document of a plan, which must compile without errors."""
    path = folder / "case.plan"
    path.write_text(text, encoding="utf-8")
    result = compile_plan(load(str(path), root=str(folder)))
    errors = [f"{d.code} {d.message}" for d in result.diagnostics if d.severity == "error"]
    assert not errors, "\n".join([*errors, text])
    assert result.document is not None
    return result.document


class Answers:
    """Exact answers, whose ends must agree, and ranges, which have both."""

    def __init__(self, document: PlanDoc) -> None:
        self._by_address = {name: q for q in document.quantities for name in (q.address, *q.aliases)}

    def number(self, address: str) -> Fraction:
        quantity = self._by_address[address]
        assert quantity.low is not None
        assert quantity.low == quantity.nominal == quantity.high
        return Fraction(quantity.low)

    def ends(self, address: str) -> tuple[Fraction, Fraction]:
        """The two ends of a range, or of an exact answer."""
        quantity = self._by_address[address]
        assert quantity.low is not None
        assert quantity.high is not None
        return Fraction(quantity.low), Fraction(quantity.high)
