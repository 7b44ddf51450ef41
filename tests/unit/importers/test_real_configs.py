"""Published configs of the Llama family, against parameters counted on the models that they build."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from capwright.compiling import compile_plan
from capwright.importers import READERS
from capwright.loading import load

DATA = Path(__file__).resolve().parents[4] / "shared" / "data"
FAMILY = {"LlamaForCausalLM", "MistralForCausalLM", "Qwen2ForCausalLM", "Qwen3ForCausalLM"}


def rows() -> list[pytest.ParameterSet]:
    """Each counted model of the family; those in the clothes of another architecture are left to it."""
    table = DATA / "param_counts.tsv"
    if not table.is_file():
        return []
    with table.open(encoding="utf-8", newline="") as file:
        read = csv.DictReader(file, delimiter="\t")
        return [
            pytest.param(row, id=row["config"])
            for row in read
            if row["model_class"] in FAMILY and _as_published(row["config"])
        ]


def _as_published(name: str) -> bool:
    return any(f'"{each}"' in _bytes(name).decode() for each in FAMILY)


def _bytes(name: str) -> bytes:
    return (DATA / "hf_configs" / f"{name}.json").read_bytes()


@pytest.mark.parametrize("row", rows())
def test_parameters_are_those_of_the_model(row, tmp_path):
    text, _ = READERS["config"].to_plan_text(_bytes(row["config"]), "config.json", "m")
    plan = tmp_path / "m.plan"
    plan.write_text(text, encoding="utf-8")
    compiled = compile_plan(load(str(plan)))
    assert not compiled.failed, compiled.diagnostics
    values = {each.address: each.nominal for each in compiled.document.quantities}
    assert values["m.parameters"] == row["total_params"]


@pytest.mark.skipif(not DATA.is_dir(), reason="the shared data is not at hand")
def test_every_config_is_text_or_a_message():
    for path in sorted((DATA / "hf_configs").glob("*.json")):
        text, found = READERS["config"].to_plan_text(path.read_bytes(), path.name, "m")
        errors = [each for each in found if each.severity == "error"]
        assert (text is None) == bool(errors), path.name
        assert all(each.help for each in found), path.name
