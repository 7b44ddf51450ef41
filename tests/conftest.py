"""What is traced of a run, and what it says at its end."""

from __future__ import annotations

import gc
import inspect
import types
from typing import Final

import pytest
from hypothesis import is_hypothesis_test

from tests.unit.library.cases import DATA

_CLOCKS: Final = frozenset({"process_time", "perf_counter", "monotonic", "within"})
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
        if is_hypothesis_test(getattr(item, "obj", None)) or _takes_time(function):
            item.add_marker(pytest.mark.no_cover)


def _nothing() -> None:
    """Stands for the function of an item that has none."""


def _takes_time(function: types.FunctionType) -> bool:
    """Whether a test, a function inside it, or one of its module that it calls, reads a clock."""
    named = _named(function.__code__)
    called = (function.__globals__.get(name) for name in named)
    mine = (
        each
        for each in called
        if isinstance(each, types.FunctionType) and each.__module__ == function.__module__
    )
    return not _CLOCKS.isdisjoint(named) or any(
        not _CLOCKS.isdisjoint(_named(each.__code__)) for each in mine
    )


def _named(code: types.CodeType) -> set[str]:
    """The names that a function and those inside it use."""
    inner = (each for each in code.co_consts if isinstance(each, types.CodeType))
    return set(code.co_names).union(*map(_named, inner))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """A run without the published data is green without its hundreds of cases: it says so."""
    if not DATA.is_dir():
        terminalreporter.write_line(
            f"NOT TESTED: agreement with published data, which is not at {DATA}", red=True
        )
