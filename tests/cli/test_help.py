"""Every example of every `--help`, run on the plan of the README's tour."""

from __future__ import annotations

import json
import re
import shlex
from importlib import import_module
from pathlib import Path

import pytest

from capwright import cli
from capwright.cli import COMMANDS, main
from tests.cli.test_ci import git, write
from tests.cli.test_import_checkpoint import checkpoint
from tests.repo.sources import ROOT
from tests.spec.cases import blocks

README = {
    name: block.text
    for block in blocks((ROOT / "README.md").read_text(encoding="utf-8"))
    if (name := block.get("file")) is not None
}
FLEET = f"{README['support.plan']}\noption two of prod {{ sharding.tensor = 2 devices }}\n"
CATALOGUE = """use std
device b200 { memory = 180 GB/device; bandwidth = 7_700 GB/s/device; peak = 2_250 TFLOP/s/device }
"""
DOCUMENT = "The pool: <!-- capwright: value ../fleet.plan prod.kv.pool --><!-- /capwright -->\n"


def examples() -> list[str]:
    pages = [cli.EPILOG, *(import_module(f"capwright.commands.{name}_command").EPILOG for name in COMMANDS)]
    lines = [line for page in pages for line in page.splitlines() if line.startswith("  capwright ")]
    return [re.split(r" {3,}", line.strip())[0] for line in lines]


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with two commits: all that the examples name."""
    git(tmp_path, "init", "-q", "-b", "main")
    plans = {"fleet.plan": FLEET, "config.json": README["config.json"]}
    write(tmp_path, plans | {f"plans/{name}": text for name, text in plans.items()})
    toml = 'plans = ["plans"]\nreports = "reports"\n[catalogues]\nfleet = "private/fleet.plan"\n'
    write(tmp_path, {"capwright.toml": toml, "private/fleet.plan": CATALOGUE})
    write(tmp_path, {"README.md": "x\n", "docs/design.md": DOCUMENT})
    write(tmp_path, {"hf_quant_config.json": json.dumps({"quantization": {"quant_algo": "FP8"}})})
    for word in ("one", "two"):
        write(tmp_path, {"notes.txt": word})
        git(tmp_path, "add", ".")
        git(tmp_path, "commit", "-q", "-m", word)
    git(tmp_path, "tag", "v1.2")
    checkpoint(tmp_path)  # large and sparse: nothing that git should look into
    monkeypatch.chdir(tmp_path)
    for name in ("GITHUB_TOKEN", "CAPWRIGHT_TOKEN", "GITHUB_EVENT_PATH"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


@pytest.mark.parametrize("columns", [80, 200])
@pytest.mark.parametrize("command", [*COMMANDS, ""])
def test_help_fits_the_terminal_and_loses_no_word(
    command: str, columns: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    with pytest.raises(SystemExit):
        main([command, "--help"] if command else ["--help"])
    told = capsys.readouterr().out
    page = import_module(f"capwright.commands.{command}_command").EPILOG if command else cli.EPILOG
    assert told.split()[-len(page.split()) :] == page.split()
    shown = {line for line in page.splitlines() if line.startswith("  ")}
    assert [line for line in told.splitlines() if len(line) > columns and line not in shown] == []


def test_there_are_examples_of_every_command():
    assert {example.split()[1] for example in examples()} == set(COMMANDS)


def _globbed(word: str, folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.glob(word)) if "*" in word else [word]


@pytest.mark.parametrize("example", examples())
def test_an_example_runs(example: str, project: Path, monkeypatch, capsys):
    words = [found for word in shlex.split(example)[1:] for found in _globbed(word, project)]
    if words == ["ci"]:  # in a workflow of a forge
        event = {"pull_request": {"number": 1, "base": {"sha": git(project, "rev-parse", "HEAD~1")}}}
        (project / "event.json").write_text(json.dumps(event))
        monkeypatch.setenv("GITHUB_EVENT_PATH", str(project / "event.json"))
    if words[0] == "new":
        (project / "fleet.plan").unlink()
    # Findings are none of the example's: the tour's plan has some, on purpose.
    assert main(words) in {0, 1}
    told = capsys.readouterr()
    assert "error[" not in told.out + told.err
    assert "does not depend" not in told.out
