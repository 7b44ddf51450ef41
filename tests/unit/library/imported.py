"""Published configs, as plan text of the importer, with what the data says about each."""

from __future__ import annotations

import csv
from fractions import Fraction
from functools import cache

from capwright.compiling import Compiled, compile_plan
from capwright.importers import READERS
from capwright.importers.library_words import LibraryWords, library_words
from capwright.loading import load
from tests.unit.library.cases import DATA

CONFIGS = DATA / "hf_configs"


def table(name: str) -> list[dict[str, str]]:
    """The rows of a table of the data, none where it is not at hand; lines that begin with # are no rows."""
    path = DATA / name
    if not path.is_file():
        return []
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader((line for line in file if not line.startswith("#")), delimiter="\t"))


@cache
def plan_text(config: str) -> tuple[str | None, tuple[str, ...]]:
    """Plan text of a published config as `model m`, or None with the messages that refuse it."""
    data = (CONFIGS / f"{config}.json").read_bytes()
    reader = READERS["config"]
    assert reader.to_plan_text is not None
    text, found = reader.to_plan_text(data, f"{config}.json", "m")
    return text, tuple(f"{each.code} {each.message}" for each in found if each.severity == "error")


@cache
def words() -> LibraryWords:
    """What the library calls number formats, layouts and engines."""
    library = load("/nowhere/asked.plan", texts={"asked.plan": "use std\n"})
    return library_words(library.main, library.modules, library.uses)


def compiled_text(text: str) -> Compiled:
    """A plan that stands in no file, compiled."""
    return compile_plan(load("/nowhere/asked.plan", texts={"asked.plan": text}))


def numbers(text: str) -> dict[str, Fraction | None]:
    """The exact nominal values of a plan by address; the plan must have no errors."""
    result = compiled_text(text)
    assert not result.failed, [f"{d.code} {d.message}" for d in result.diagnostics]
    document = result.document
    assert document is not None
    return {
        name: None if q.nominal is None else Fraction(q.nominal)
        for q in document.quantities
        for name in (q.address, *q.aliases)
    }
