"""What is traced of a run, and what it says at its end."""

from __future__ import annotations

import gc
import inspect
import types
from typing import Final

import pytest
from hypothesis import is_hypothesis_test

from tests.unit.library.cases import DATA

_CLOCKS: Final = frozenset({"process_time", "perf_counter", "monotonic"})
_BETWEEN_COLLECTIONS: Final = 1_000_000
"""Objects that are made and not freed. At Python's 700, a third of a run went into walking what the tests' plans are made
of, which lives on; this takes some 100 MB more."""


def pytest_collection_finish() -> None:
    """What there is now, the tests themselves, is there to the end: garbage is looked for among the rest, and seldom."""
    gc.freeze()
    gc.set_threshold(_BETWEEN_COLLECTIONS)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """No coverage is taken of tests that draw their values: a line that chance reached is not one that a test is about, and
    to trace hundreds of draws through the same lines takes twice as long again as to run them. Nor of tests that take the
    time, which would be the tracer's."""
    for item in items:
        function = inspect.unwrap(getattr(item, "function", _nothing))
        if is_hypothesis_test(getattr(item, "obj", None)) or _takes_time(function.__code__):
            item.add_marker(pytest.mark.no_cover)


def _nothing() -> None:
    """Stands for the function of an item that has none."""


def _takes_time(code: types.CodeType) -> bool:
    """Whether a function, or one inside it, reads a clock."""
    inner = (each for each in code.co_consts if isinstance(each, types.CodeType))
    return not _CLOCKS.isdisjoint(code.co_names) or any(map(_takes_time, inner))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """A run without the published data is green without its hundreds of cases: it says so."""
    if not DATA.is_dir():
        terminalreporter.write_line(
            f"NOT TESTED: agreement with published data, which is not at {DATA}", red=True
        )
