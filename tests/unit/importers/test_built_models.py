"""Models that a library builds from small or bare configs, one a line of `built_models.jsonl`: what its classes give, and
other sizes than that.

`parameters` and `text_parameters` (all but towers and what leads from them) are those of the model that transformers 5.24.0
builds from the config on the meta device, tied weights once; `cache_300` are the bytes that it caches for one sequence of 300
tokens at bf16.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from capwright.compiling import compile_plan
from capwright.importers import import_config
from capwright.importers.cache_question import Question, question
from capwright.loading import load
from tests.unit.library.imported import words

ROWS = [
    json.loads(line)
    for line in Path(__file__).with_name("built_models.jsonl").read_text(encoding="utf-8").splitlines()
]


@pytest.mark.no_cover  # as of published rows: hundreds go through the same lines
@pytest.mark.parametrize("row", [pytest.param(row, id=row["name"]) for row in ROWS])
def test_a_model_has_the_sizes_that_the_library_builds(row):
    text, found = import_config(row["config"], "config.json", "m")
    assert text is not None, found
    asked = question(text, 300, "bf16", "transformers", words())
    assert isinstance(asked, Question)
    compiled = compile_plan(load("/nowhere/asked.plan", texts={"asked.plan": asked.text}))
    assert not compiled.failed, compiled.diagnostics
    values = {each.address: each.nominal for each in compiled.document.quantities}
    got = {
        "parameters": values["m.parameters"],
        "text_parameters": values["m.text_parameters"],
        "cache_300": values["asked.total"],
    }
    assert {name: int(got[name]) for name in got if name in row} == {
        name: row[name] for name in got if name in row
    }


def test_a_name_is_given_to_one_row():
    assert len({row["name"] for row in ROWS}) == len(ROWS)
