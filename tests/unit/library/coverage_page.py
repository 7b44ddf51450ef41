"""The library's page of promises and of agreement. Run as a module, this writes it anew."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Final

from tests.support.promises import PROMISES, shown
from tests.unit.library.agreement import Source, sources
from tests.unit.library.cases import ROOT

PAGE: Final = ROOT / "plans" / "std" / "COVERAGE.md"


def page() -> str:
    """The whole page, worked out anew."""
    found = list(sources())
    return "\n".join([*_promises(), "", *_figures(found), "", *_others(found)]) + "\n"


def _promises() -> Iterator[str]:
    yield "# What the library promises about memory, and what shows it"
    yield ""
    yield "Written by `python -m tests.unit.library.coverage_page` from the tests: those that say which promise they show, as"
    yield "pytest collects them, and what they find in published data. A test says when it is stale. Paths are relative to"
    yield "`tests`."
    yield ""
    yield "| promise | shown by | cases |"
    yield "|---|---|--:|"
    for promise, tests in shown().items():
        name = f"{promise} {PROMISES[promise]}"
        for number, (test, cases) in enumerate(sorted(tests.items())):
            file, _, title = test.partition("::")
            words = title.replace("_", " ").removeprefix("test ")
            yield f"| {'' if number else name} | `{file}`: {words} | {cases} |"


def _figures(found: list[Source]) -> Iterator[str]:
    yield "## Agreement with systems that nobody here wrote"
    yield ""
    yield "| source | what is compared | equal | of |"
    yield "|---|---|--:|--:|"
    for source in found:
        yield f"| `{source.name}` | {source.what} | {source.equal} | {source.equal + len(source.others)} |"


def _others(found: list[Source]) -> Iterator[str]:
    yield "## Every row that is not equal, and why"
    for source in found:
        if source.others:
            yield from ("", f"### `{source.name}`", "")
            yield from (f"- {row}: {why}" for row, why in source.others)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
    sys.stdout.write("wrote the page of coverage\n")
