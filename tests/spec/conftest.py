"""Collects every page of this folder as literate cases."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.spec.cases import Case, cases


class Page(pytest.File):
    """One page; its items are its cases."""

    def collect(self) -> Iterator[Spec]:
        for case in cases(self.path.read_text(encoding="utf-8")):
            made = Spec.from_parent(self, name=case.name, case=case)
            for promise in case.shows:
                made.add_marker(pytest.mark.promise(promise))
            yield made


class Spec(pytest.Item):
    """One case. It asks for no fixture, which other folders' hooks may look at."""

    fixturenames: tuple[str, ...] = ()

    def __init__(self, *, case: Case, **rest: object) -> None:
        super().__init__(**rest)  # type: ignore[arg-type]
        self.case = case

    def runtest(self) -> None:
        from tests.spec.running import run

        run(self.case)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException]) -> str:  # type: ignore[override]
        if isinstance(excinfo.value, AssertionError):
            return f"{self.path}:{self.case.line}\n{excinfo.value}"
        return str(super().repr_failure(excinfo))

    def reportinfo(self) -> tuple[Path, int, str]:
        return self.path, self.case.line, f"{self.path.stem}: {self.case.name}"


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> Page | None:
    if file_path.suffix == ".md" and file_path.name != "README.md":
        return Page.from_parent(parent, path=file_path)
    return None
