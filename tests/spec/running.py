"""Running one case."""

from __future__ import annotations

import tempfile
from pathlib import Path

from tests.spec.cases import Case
from tests.spec.compiled import compile_case
from tests.spec.expectations import judge, judge_marks


def run(case: Case) -> None:
    """Compile a case and raise `AssertionError` where it does not come out as it says."""
    with tempfile.TemporaryDirectory() as folder:
        outcome = compile_case(case, Path(folder))
    if case.expect is None:
        judge_marks(outcome, case.plan)
    else:
        judge(outcome, case.expect)
