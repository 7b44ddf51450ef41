"""The library's models: as their published configs say, read only by plans that name them."""

from __future__ import annotations

from pathlib import Path

import pytest

from capwright.compiling import compile_plan
from capwright.loading import load
from tests.unit.importers.test_real_configs import DEFAULTS_COUNTED
from tests.unit.library.cases import published
from tests.unit.library.imported import CONFIGS, numbers, table
from tests.unit.library.published_models import CONFIG_NAMES, FOLDER, declaration, model_name, path_of

COUNTS = {row["config"]: row for row in table("param_counts.tsv")}
COUNTED = [each for each in CONFIG_NAMES if each in COUNTS]


def test_there_are_three_dozen_and_no_others() -> None:
    assert len(CONFIG_NAMES) >= 36
    assert {path.name for path in FOLDER.glob("*.plan")} == {path_of(each).name for each in CONFIG_NAMES}


@pytest.mark.promise("E6")
@pytest.mark.no_cover
@pytest.mark.skipif(not CONFIGS.is_dir(), reason="the published configs are not at hand")
@pytest.mark.parametrize("config", CONFIG_NAMES)
def test_a_model_is_what_its_config_says(config: str) -> None:
    assert path_of(config).read_text(encoding="utf-8") == declaration(config)


@pytest.mark.parametrize("config", published(COUNTED, str))
def test_a_plan_that_names_a_model_counts_its_parameters(config: str) -> None:
    name = model_name(config)
    got = numbers(
        f'use std\nuse "std/models/{name}.plan"\n'
        f"whole_model : parameter = {name}.parameters\nonly_text : parameter = {name}.text_parameters\n"
    )
    row, apart = COUNTS[config], DEFAULTS_COUNTED.get(config, 0)
    assert got["only_text"] == int(row["total_params"]) - int(row["vision_audio_params"] or 0) + apart
    if not apart:
        assert got["whole_model"] == int(row["multimodal_total"] or row["total_params"])


@pytest.mark.parametrize(
    ("said", "counts"),
    [("Qwen/Qwen3-32B", True), ("Qwen3-32B", True), ("qwen3_32b", True), ("Qwen/Qwen3-14B", False)],
)
def test_a_measurement_cites_a_model_by_the_name_it_was_published_under(
    said: str, counts: bool, tmp_path: Path
) -> None:
    (tmp_path / "a.plan").write_text(f"""use std
use "std/models/qwen3_32b.plan"
workload desk {{ concurrency = 1 request; class ask {{ input = 300 tokens; output = 40 tokens }} }}
deployment prod {{ model = qwen3_32b; cache = bf16_paged; device = nvidia.h100_sxm; workload = desk
  engine = vllm_0_10_1 {{ max_model_len = 8_192 tokens }} }}
measure prod.memory.weights = 61.1 GiB/device in 60 GiB/device .. 62 GiB/device as log {{ model = "{said}" }}
""")
    got = compile_plan(load(str(tmp_path / "a.plan"), root=str(tmp_path)))
    assert ("CW0511" not in {each.code for each in got.diagnostics}) is counts


def test_a_plan_that_names_none_reads_none() -> None:
    loaded = load("/nowhere/asked.plan", texts={"asked.plan": "use std\n"})
    assert not [path for path in loaded.modules if path.startswith("std/models/")]


def test_a_model_stands_behind_a_name(tmp_path: Path) -> None:
    (tmp_path / "a.plan").write_text(
        'use std\nuse "std/models/gpt_oss_120b.plan" as served\nn : layer = served.gpt_oss_120b.layers\n'
    )
    got = compile_plan(load(str(tmp_path / "a.plan"), root=str(tmp_path)))
    assert not got.failed, [each.message for each in got.diagnostics]


def test_a_folder_of_ones_own_is_told_apart(tmp_path: Path) -> None:
    (tmp_path / "std").mkdir()
    (tmp_path / "std" / "own.plan").write_text("x : number = 1\n")
    (tmp_path / "a.plan").write_text('use "./std/own.plan"\ny : number = x\n')
    assert not compile_plan(load(str(tmp_path / "a.plan"), root=str(tmp_path))).failed
    (tmp_path / "b.plan").write_text('use "std/own.plan"\n')
    assert [
        each.code for each in compile_plan(load(str(tmp_path / "b.plan"), root=str(tmp_path))).diagnostics
    ] == ["CW0150"]


def test_no_path_leads_out_of_the_library(tmp_path: Path) -> None:
    (tmp_path / "a.plan").write_text('use "std/../../README.md"\n')
    assert [
        each.code for each in compile_plan(load(str(tmp_path / "a.plan"), root=str(tmp_path))).diagnostics
    ] == ["CW0151"]
