"""The examples of the language's reference compile, and give the codes that they say."""

from __future__ import annotations

import json
import re
import tomllib

import pytest
from jsonschema import ValidationError

from capwright.cli import main
from capwright.loading import read_project
from tests.repo.sources import ROOT
from tests.spec.cases import blocks, cases
from tests.spec.running import run

PAGE = (ROOT / "grammar" / "reference.md").read_text(encoding="utf-8")
CASES = cases(PAGE)
ARCHITECTURES = (ROOT / "grammar" / "architectures.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
def test_an_example_is_so(case):
    run(case)


@pytest.mark.parametrize("case", cases(ARCHITECTURES), ids=lambda case: case.name)
def test_a_description_of_ones_own_is_so(case):
    run(case)


@pytest.mark.parametrize("page", [PAGE, ARCHITECTURES], ids=["reference", "architectures"])
def test_links_lead_to_files(page):
    for name in re.findall(r"\]\((?!https?:)([^)#]+)", page):
        assert (ROOT / "grammar" / name).exists(), name


def test_the_whole_of_a_projects_file_is_so(tmp_path):
    """The block has every setting, is read without a complaint, and `use` takes the catalogue that it names."""
    (block,) = [block for block in blocks(PAGE) if block.language == "toml"]
    (tmp_path / "capwright.toml").write_text(block.text, encoding="utf-8")
    project = read_project(tmp_path)
    assert project.diagnostics == ()
    assert set(tomllib.loads(block.text)) == {"plans", "reports", "catalogues", "strict"}
    (tmp_path / "private").mkdir()
    (tmp_path / project.catalogues["fleet"]).write_text("a = 3\n", encoding="utf-8")
    (tmp_path / "fleet.plan").write_text("use fleet\nb = fleet.a + 1\n", encoding="utf-8")
    assert main(["check", str(tmp_path / "fleet.plan")]) == 0
    (tmp_path / "capwright.toml").write_text(f"more = 1\n{block.text}", encoding="utf-8")
    assert [one.code for one in read_project(tmp_path).diagnostics] == ["CW0781"]


def test_what_a_projects_file_leaves_out_is_as_the_page_says(tmp_path):
    (tmp_path / "capwright.toml").write_text("", encoding="utf-8")
    project = read_project(tmp_path)
    said = (project.plans, project.reports, project.strict, project.catalogues)
    assert said == ((), "capwright-report", False, {})
    (block,) = [block for block in blocks(PAGE) if block.language == "toml"]
    for line, left_out in zip(
        block.text.splitlines()[:3], ["all of the project", '"capwright-report"', "false"], strict=True
    ):
        assert line.endswith(left_out)


def test_most_examples_are_run():
    assert len(CASES) >= len([block for block in blocks(PAGE) if not block.language]) / 2


def test_a_schema_that_takes_parts_of_others_is_used_as_the_page_says(tmp_path, monkeypatch, capsys):
    """The program on the page takes what `check` writes, and refuses it when a verdict, which another schema describes, is not one."""
    (program,) = [block.text for block in blocks(PAGE) if block.language == "python"]
    (tmp_path / "a.plan").write_text("a = 3\nb = 4\nrequire a <= b\n", encoding="utf-8")
    assert main(["check", "--format", "json", str(tmp_path / "a.plan")]) == 0
    written = json.loads(capsys.readouterr().out)
    (tmp_path / "grammar").symlink_to(ROOT / "grammar")
    monkeypatch.chdir(tmp_path)
    kept = tmp_path / "check.json"
    kept.write_text(json.dumps(written), encoding="utf-8")
    exec(program, {})
    (verdict,) = [verdict for plan in written["plans"] for verdict in plan["verdicts"]]
    verdict["status"] = "unheard of"
    kept.write_text(json.dumps(written), encoding="utf-8")
    with pytest.raises(ValidationError, match="unheard of"):
        exec(program, {})
    names = dict.fromkeys(re.findall(r'"\$ref": "(urn:[^"#]*)', _schemas()))
    assert {name.split(":")[2] for name in names} == {"plandoc", "diffdoc"}


def _schemas() -> str:
    return "".join(path.read_text(encoding="utf-8") for path in (ROOT / "grammar").glob("*.schema.json"))
