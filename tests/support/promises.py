"""What the library promises about memory, and the tests that say they show it, as pytest collects them.

A test says so by `@pytest.mark.promise("M1")`, a case of a page by `<!-- shows M1 -->` below its heading.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Final

import pytest

from tests.support.processes import ROOT

PROMISES: Final = {
    "M1": "uniform KV",
    "M2": "latent KV",
    "M3": "layer groups",
    "M4": "recurrent state",
    "M5": "quantised KV",
    "M6": "paged allocation",
    "M7": "prefix sharing",
    "M8": "weights",
    "M9": "sharding",
    "E6": "import",
}
"""By the name that the design gives it."""
FOLDERS: Final = ("spec", "unit/importers", "unit/library", "unit/loading")
_TARGET: Final = "CAPWRIGHT_PROMISES"

Shown = Mapping[str, Mapping[str, int]]
"""By promise: how many cases of each test show it, by the test's file and title, in order."""


def pytest_collection_finish(session: pytest.Session) -> None:
    """As a plugin of a run that only collects: write down what was found."""
    found: dict[str, dict[str, int]] = {promise: {} for promise in PROMISES}
    for item in session.items:
        for mark in item.iter_markers("promise"):
            tests = found[mark.args[0]]
            title = _title(item)
            tests[title] = tests.get(title, 0) + (not _is_left_out(item))
    Path(os.environ[_TARGET]).write_text(json.dumps(found), encoding="utf-8")


def _title(item: pytest.Item) -> str:
    file = item.path.relative_to(ROOT / "tests").as_posix()
    case = getattr(item, "case", None)
    name = getattr(item, "originalname", None) or item.name
    return f"{file}::{case.heading if case is not None else name}"


def _is_left_out(item: pytest.Item) -> bool:
    """Whether it stands for data that is not at hand."""
    return next(item.iter_markers("skip"), None) is not None


@cache
def shown() -> Shown:
    """What a run of pytest that only collects finds. It is a process of its own: this one may be a test."""
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / "found.json"
        words = ["-p", "tests.support.promises", "--collect-only", "-qq", "-m", "promise", "-n0"]
        done = subprocess.run(
            [sys.executable, "-m", "pytest", *words, *(f"tests/{name}" for name in FOLDERS)],
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": f"{ROOT / 'compiler'}{os.pathsep}{ROOT}", _TARGET: str(target)},
            capture_output=True,
            text=True,
            check=False,
        )
        assert target.is_file(), done.stdout + done.stderr
        found: dict[str, dict[str, int]] = json.loads(target.read_text(encoding="utf-8"))
        return found
