"""The wheel, installed by itself, checks the example: nothing of the checkout is needed."""

from __future__ import annotations

import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import pytest

from tests.repo.sources import ROOT

EXAMPLE = ROOT / "plans" / "examples" / "llama-3.1-70b-long-context.plan"


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    # Without isolation: the tools to build with are among the `dev` extra, so no network is asked.
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)],
        cwd=ROOT,
        check=True,
        capture_output=True,
    )
    return next(folder.glob("*.whl"))


def test_the_wheel_carries_what_it_needs(wheel):
    names = zipfile.ZipFile(wheel).namelist()
    for wanted in (
        "capwright/_grammar/plan.lark",
        "capwright/_std/std.plan",
        "capwright/codes/CW0150.md",
        "capwright/py.typed",
    ):
        assert wanted in names
    assert any(name.startswith("capwright/_templates/") for name in names)
    assert any(name.startswith("capwright/_built/") for name in names)
    assert not [name for name in names if name.startswith("tests")]


def test_an_installed_wheel_checks_the_example(wheel, tmp_path):
    venv.create(tmp_path / "venv", with_pip=False)
    python = tmp_path / "venv" / "bin" / "python"
    site = next((tmp_path / "venv" / "lib").glob("python*")) / "site-packages"
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(site)
    # Its dependencies come from the environment of the tests, but capwright itself must not.
    import jinja2

    (site / "dependencies.pth").write_text(str(Path(jinja2.__file__).parent.parent) + "\n")
    where = subprocess.run(
        [python, "-I", "-c", "import capwright; print(capwright.__file__)"],
        cwd=tmp_path,
        check=True,
        capture_output=True,
        text=True,
    )
    assert where.stdout.startswith(str(site))
    done = subprocess.run(
        [python, "-I", "-m", "capwright", "check", str(EXAMPLE)],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode in {0, 1}, done.stderr
    assert "Traceback" not in done.stderr
    built = subprocess.run(
        [python, "-I", "-m", "capwright.cli", "build", str(EXAMPLE), "-o", "report"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert built.returncode == done.returncode, built.stderr
    assert {path.suffix for path in (tmp_path / "report").iterdir()} == {".md", ".html", ".json"}
