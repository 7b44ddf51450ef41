"""What every run says at its end."""

from __future__ import annotations

import pytest

from tests.unit.library.cases import DATA


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """A run without the published data is green without its hundreds of cases: it says so."""
    if not DATA.is_dir():
        terminalreporter.write_line(
            f"NOT TESTED: agreement with published data, which is not at {DATA}", red=True
        )
