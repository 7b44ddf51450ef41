"""Whatever a command prints as JSON has a format, a version, and a schema that it follows."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from referencing import Registry, Resource

from capwright.cli import main
from capwright.commands import check_command
from capwright.document import diffdoc, plandoc
from capwright.render.terminal import show
from tests.cli.test_ci import edit, git, write
from tests.repo.sources import ROOT

CONFIG = ROOT / "plans" / "examples" / "configs" / "llama-3.1-70b.config.json"
PLAN = """use std
a : byte = 3 GiB
assume s = 0.80 in 0.70 .. 0.90 because "a trial"
require a * s <= 2.5 GiB "fits"
report a
"""
SCHEMAS = {
    path.name.partition(".")[0]: json.loads(path.read_text(encoding="utf-8"))
    for path in sorted((ROOT / "grammar").glob("*.schema.json"))
}
REGISTRY: Registry[Any] = Registry().with_resources(
    (schema["$id"], Resource.from_contents(schema)) for schema in SCHEMAS.values()
)


def departures(told: str) -> list[str]:
    document = json.loads(told)
    assert document["format"].startswith("capwright/")
    schema = SCHEMAS[document["format"].removeprefix("capwright/")]
    found = Draft202012Validator(schema, registry=REGISTRY).iter_errors(document)
    return [f"{error.json_path}: {error.message[:200]}" for error in found]


@pytest.fixture
def here(tmp_path, monkeypatch):
    git(tmp_path, "init", "-q", "-b", "main")
    wrong = "use std\nwrong : byte = 1 s\nalso = nothing\n"
    write(tmp_path, {"capwright.toml": "", "one/a.plan": PLAN, "one/b.plan": PLAN, "one/wrong.plan": wrong})
    write(tmp_path, {"two/a.plan": PLAN.replace("3 GiB", "4 GiB"), "two/c.plan": PLAN})
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-q", "-m", "one")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    "words, code",
    [
        (["check", "one", "missing.plan"], 2),
        (["check", "two", "--strict"], 1),
        (["affected", "HEAD"], 0),
        (["show", "one/a.plan"], 0),
        (["show", "one/a.plan", "s"], 0),
        (["diff", "one", "two"], 0),
        (["diff", "one/a.plan", "two/a.plan"], 0),
        (["import", str(CONFIG)], 0),
        (["import", str(CONFIG), "--tokens", "1000", "--engine", "transformers"], 0),
        (["import", str(CONFIG), "--tokens", "1000", "--cache-dtype", "q8_0"], 0),
        (["import", "odd.json"], 1),
    ],
    ids=lambda value: " ".join(value).replace(str(CONFIG), "CONFIG") if isinstance(value, list) else "",
)
def test_what_is_printed_follows_its_schema(here, capsys, words, code):
    write(here, {"odd.json": '{"architectures": ["Nothing"], "model_type": "nothing"}'})
    edit(here, "one/b.plan", "3 GiB", "5 GiB")
    git(here, "mv", "two/c.plan", "two/d.plan")
    assert main([*words, "--format", "json"]) == code
    assert departures(capsys.readouterr().out) == []


def test_a_schema_is_called_by_the_version_that_is_written():
    versions = {
        "plandoc": plandoc.VERSION,
        "diffdoc": diffdoc.VERSION,
        "show": show.VERSION,
        "check": check_command.VERSION,
    }
    for name, schema in SCHEMAS.items():
        assert schema["$id"] == f"urn:capwright:{name}:{versions.get(name, '1.0')}"
        Draft202012Validator.check_schema(schema)


def test_a_schema_refers_to_those_of_today():
    for schema in SCHEMAS.values():
        for named in re.findall(r"urn:capwright:[^\"#]+", json.dumps(schema)):
            assert named in REGISTRY
