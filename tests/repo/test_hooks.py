"""The hooks, run by pre-commit itself in someone's repository; and what the action says."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from tests.cli.test_ci import git, write
from tests.repo.sources import ROOT, tracked
from tests.spec.cases import blocks

HOOKS = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
ACTION = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
README = {
    block.get("file"): yaml.safe_load(block.text)
    for block in blocks((ROOT / "README.md").read_text(encoding="utf-8"))
    if block.language == "yaml"
}
PLAN = "use std\npool : byte = 30 GiB\nrequire pool <= 40 GiB\nreport pool\n"
TRACED = """\
use std
workload mix {
  concurrency = 8 requests
  class chat { input = trace("seen.jsonl", input: "In"); output = 400 tokens }
}
pool : token = mix.classes.chat.longest_input
require pool <= 25 tokens
report pool
"""
DOC = "<!-- capwright: value plans/a.plan pool -->30\u00a0GiB<!-- /capwright -->\n"


@pytest.fixture(scope="module")
def hooks(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """This checkout as a repository of its own, as pre-commit clones it."""
    folder = tmp_path_factory.mktemp("capwright")
    for path in tracked():
        if path.is_file():
            target = folder / path.relative_to(ROOT)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(path, target)
    git(folder, "init", "-q")
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", "checkout")
    return folder


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    git(folder, "init", "-q")
    write(
        folder,
        {"capwright.toml": 'plans = ["plans"]\nreports = "reports"\n', "plans/a.plan": PLAN, "doc.md": DOC},
    )
    subprocess.run(
        [sys.executable, "-m", "capwright.cli", "build"], cwd=folder, check=True, env=environment(folder)
    )
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", "one")
    return folder


def environment(cache: Path) -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(ROOT / "compiler"), "PRE_COMMIT_HOME": str(cache)}


def run_hooks(hooks: Path, project: Path, cache: Path, *words: str) -> tuple[int, dict[str, str], str]:
    """The exit code, and the outcome of each hook by its id; without words, over all files. The set-up is the README's,
    but for where the hooks are."""
    (shown,) = README[".pre-commit-config.yaml"]["repos"]
    config = {"repos": [{**shown, "repo": str(hooks), "rev": git(hooks, "rev-parse", "HEAD")}]}
    (project / ".pre-commit-config.yaml").write_text(yaml.safe_dump(config))
    git(project, "add", "-A")
    inside = {name: value for name, value in environment(cache).items() if name != "PYTHONPATH"}
    done = subprocess.run(
        [sys.executable, "-m", "pre_commit", "run", *(words or ["--all-files"]), "--color=never"],
        cwd=project,
        env=inside,
        capture_output=True,
        text=True,
        check=False,
    )
    names = {one["name"]: one["id"] for one in HOOKS}
    found = re.findall(r"^(capwright .*?)\.{3,}(?:\(.*\))?(\w+)$", done.stdout, re.MULTILINE)
    return done.returncode, {names[name]: outcome for name, outcome in found}, done.stdout + done.stderr


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cache")


def test_a_project_in_order_passes(hooks, project, cache):
    code, found, told = run_hooks(hooks, project, cache)
    assert code == 0, told
    assert found == {one["id"]: "Passed" for one in HOOKS}


def test_each_hook_finds_its_own(hooks, project, cache):
    write(project, {"plans/a.plan": PLAN.replace("pool : byte = 30", "pool:byte=50")})
    code, found, told = run_hooks(hooks, project, cache)
    assert code == 1, told
    assert found == {one["id"]: "Failed" for one in HOOKS}, told
    assert "pool : byte = 50 GiB" in (project / "plans/a.plan").read_text(encoding="utf-8")
    assert "stale doc.md:1" in told
    assert "stale reports/a.md" in told


def test_a_commit_of_a_plan_alone_finds_the_document_that_it_makes_stale(hooks, project, cache):
    run_hooks(hooks, project, cache)
    git(project, "commit", "-q", "-m", "hooks")
    write(project, {"plans/a.plan": PLAN.replace("30", "31")})
    code, found, told = run_hooks(hooks, project, cache, "--hook-stage=pre-commit")
    assert (code, found["capwright-weave"]) == (1, "Failed"), told
    assert "stale doc.md:1" in told


def test_a_commit_of_what_a_plan_reads_alone_is_checked(hooks, project, cache):
    """Whatever it is called: here a trace, of which a document shows a number."""
    write(
        project,
        {
            "plans/a.plan": TRACED,
            "plans/seen.jsonl": '{"In": 20}\n',
            "doc.md": "<!-- capwright: value plans/a.plan pool -->20\u00a0tokens<!-- /capwright -->\n",
        },
    )
    subprocess.run(
        [sys.executable, "-m", "capwright.cli", "build"], cwd=project, check=True, env=environment(cache)
    )
    code, _, told = run_hooks(hooks, project, cache)
    assert code == 0, told
    git(project, "commit", "-q", "-m", "two")
    write(project, {"plans/seen.jsonl": '{"In": 30}\n'})
    code, found, told = run_hooks(hooks, project, cache, "--hook-stage=pre-commit")
    assert code == 1, told
    assert "violated  pool <= 25 tokens" in told
    assert [one for one, outcome in found.items() if outcome == "Failed"] == [
        "capwright-check",
        "capwright-reports",
        "capwright-weave",
    ], told


def test_a_commit_that_only_deletes_a_plan_leaves_no_report(hooks, project, cache):
    write(project, {"plans/b.plan": PLAN})
    subprocess.run(
        [sys.executable, "-m", "capwright.cli", "build"], cwd=project, check=True, env=environment(cache)
    )
    assert run_hooks(hooks, project, cache)[0] == 0
    git(project, "commit", "-q", "-m", "two")
    git(project, "rm", "-q", "plans/b.plan")
    code, found, told = run_hooks(hooks, project, cache, "--hook-stage=pre-commit")
    assert (code, found["capwright-reports"]) == (1, "Failed"), told
    assert "stale reports/b.md: no plan gives it any more" in told


def test_the_set_up_of_the_readme_has_all_hooks():
    (shown,) = README[".pre-commit-config.yaml"]["repos"]
    assert [one["id"] for one in shown["hooks"]] == [one["id"] for one in HOOKS]


def test_the_hook_of_reports_says_what_to_do_in_a_project_without_any(hooks, project, cache):
    git(project, "rm", "-rq", "reports")
    code, found, told = run_hooks(hooks, project, cache)
    assert (code, found["capwright-reports"]) == (1, "Failed"), told
    assert "stale reports/a: there is no report of plans/a.plan" in told
    assert (
        "`capwright build` writes them: keep what it wrote beside the plans, and commit it with them" in told
    )


def test_the_workflow_of_the_readme_gives_the_action_what_it_needs():
    """Its history, leave to comment, a Python, and inputs that there are."""
    shown = README[".github/workflows/plans.yml"]
    assert shown[True] == "pull_request"  # YAML reads `on` as a truth
    assert shown["permissions"] == {"contents": "read", "pull-requests": "write"}
    (job,) = shown["jobs"].values()
    steps = {step["uses"].partition("@")[0]: step.get("with", {}) for step in job["steps"]}
    assert list(steps) == ["actions/checkout", "actions/setup-python", "OWNER/capwright"]
    assert steps["actions/checkout"]["fetch-depth"] == 0
    assert tuple(map(int, steps["actions/setup-python"]["python-version"].split("."))) >= (3, 11)
    assert set(steps["OWNER/capwright"]) <= set(ACTION["inputs"])


def test_every_command_of_the_hooks_exists():
    for one in HOOKS:
        words = one["entry"].split()
        done = subprocess.run(
            [sys.executable, "-m", "capwright.cli", words[1], "--help"],
            env=environment(ROOT),
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0
        assert all(word in done.stdout for word in words[2:])


def test_the_action_puts_no_input_into_a_script():
    """What stands in `${{ }}` would be a part of the script: a title in it could run anything."""
    for step in ACTION["runs"]["steps"]:
        assert "${{" not in step["run"]
        assert subprocess.run(["bash", "-n", "-c", step["run"]], check=False).returncode == 0
    used = set(re.findall(r"inputs\.([\w-]+)", (ROOT / "action.yml").read_text(encoding="utf-8")))
    assert used == set(ACTION["inputs"])


def test_the_actions_step_runs(tmp_path):
    """The step of the action, with a stand-in that prints the words it was given."""
    tool = tmp_path / "capwright" / "bin" / "capwright"
    tool.parent.mkdir(parents=True)
    tool.write_text('#!/bin/sh\nprintf "%s\\n" "$@"\n')
    tool.chmod(0o755)
    given = {"BASE": "main; touch x", "NAME": "a b", "STRICT": "true", "COMMENT": "false", "TOKEN": "t"}
    done = subprocess.run(
        ["bash", "-e", "-c", ACTION["runs"]["steps"][1]["run"]],
        env={
            **os.environ,
            "RUNNER_TEMP": str(tmp_path),
            **{f"CAPWRIGHT_{name}": value for name, value in given.items()},
        },
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.splitlines() == [
        "ci",
        "--name",
        "a b",
        "--base",
        "main; touch x",
        "--strict",
        "--print",
    ]
    assert not (tmp_path / "x").exists()
