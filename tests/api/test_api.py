"""The Python API as a user of an installed package has it: his script runs, and is well typed."""

from __future__ import annotations

import io
import subprocess
import sys
import venv
import zipfile
from fractions import Fraction
from pathlib import Path

import pytest

from capwright import api
from capwright.document.codec import to_json
from tests.repo.sources import ROOT

PLAN = """use std
memory : byte = {memory} GiB
assume share = 0.5 in 0.4 .. 0.6 because "a test"
used : byte = memory * share
least : byte >= 3 GiB
fits : bool = memory <= 80 GiB
third : number = 1 / 3
require used <= 50 GiB "it fits"
report memory, used
"""
SCRIPT = """
from fractions import Fraction
from capwright import api


def total(report: api.Report, *addresses: str) -> Fraction:
    values = [report[address].exact for address in addresses]
    return sum((value for value in values if value is not None), Fraction(0))


plan = api.load("a.plan", {"memory": "64 GiB"})
assert [message.code for message in plan.messages] == []
assert api.check(plan) == "clean"
assert api.check(plan, strict=True) == "clean"
report = api.compile(plan)
used: api.Value = report["used"]
nearest: float = used.float
assert (used.exact, used.low, used.high) == (Fraction(32), Fraction(128, 5), Fraction(192, 5))
assert (nearest, used.unit) == (32.0, "GiB")
rows: list[api.Row] = report.rows("memory", "used")
assert [(row["address"], row["nominal"], row["exact_nominal"]) for row in rows] == [("memory", 64.0, "64"), ("used", 32.0, "32")]
assert total(report, "memory", "used") == 96
difference: api.DiffDoc = api.diff(api.compile(api.load("a.plan")), report)
change = next(one for one in difference.quantities if one.address == "used")
assert [cause.declarations for cause in change.change.causes]
statuses: list[str] = [verdict.status for verdict in plan.verdicts]
print(nearest, statuses, "used" in report, len(report))
"""


def load(folder: Path, text: str = PLAN, memory: int = 60, **overrides: str) -> api.Plan:
    path = folder / "a.plan"
    path.write_text(text.format(memory=memory), encoding="utf-8")
    return api.load(path, overrides)


def test_values_by_address(tmp_path):
    report = api.compile(load(tmp_path))
    assert report["used"].exact == 30
    assert report["third"].exact == Fraction(1, 3)
    assert report["third"].float == pytest.approx(1 / 3)
    assert report["least"].exact is None
    assert report["least"].low == 3
    assert report["fits"].truth is True
    assert list(report)[:3] == ["memory", "share", "used"]


def test_what_is_shown_at_a_glance(tmp_path):
    report = api.compile(load(tmp_path))
    assert repr(report["memory"]) == "Value('memory', 60 GiB)"
    assert repr(report["used"]) == "Value('used', 30 established 24 .. 36 GiB)"
    assert repr(report["least"]) == "Value('least', established 3 .. open GiB)"
    assert repr(report["fits"]) == "Value('fits', true)"
    assert dir(api) == sorted(api.__all__)


def test_a_bound_has_no_float(tmp_path):
    with pytest.raises(ValueError, match="least"):
        _ = api.compile(load(tmp_path))["least"].float


def test_an_unknown_address_offers_the_nearest(tmp_path):
    with pytest.raises(KeyError, match="did you mean `used`"):
        _ = api.compile(load(tmp_path))["usde"]


def test_mistakes_are_values_until_numbers_are_asked_for(tmp_path):
    plan = load(tmp_path, "use std\na : byte = nothing\n")
    assert [one.code for one in plan.messages] == ["CW0203"]
    assert api.check(plan) == "findings"
    with pytest.raises(api.PlanError, match="CW0203"):
        api.compile(plan)


def test_a_file_that_is_not_there(tmp_path):
    plan = api.load(tmp_path / "gone.plan")
    assert (plan.failed, [one.code for one in plan.messages]) == (True, ["CW0150"])
    with pytest.raises(api.PlanError, match="gone"):
        api.compile(plan)


@pytest.mark.parametrize("path", [None, b"a.plan", 3, ["a.plan"], io.BytesIO(b"a : number = 3")])
def test_what_is_no_path_is_said(path):
    with pytest.raises(TypeError, match=f"a plan's path is a text .* and no {type(path).__name__}"):
        api.load(path)


def test_a_path_of_bytes_is_no_text():
    class Bytes:
        def __fspath__(self):
            return b"a.plan"

    with pytest.raises(TypeError, match="no bytes"):
        api.load(Bytes())


@pytest.mark.parametrize("overrides", ["used=3", [("used", "3")], {"used": 3}, {3: "3"}, {"used": None}])
def test_overrides_are_texts_by_address(tmp_path, overrides):
    path = tmp_path / "a.plan"
    path.write_text("used : number = 3\n", encoding="utf-8")
    with pytest.raises(TypeError, match="overrid"):
        api.load(path, overrides)


def test_a_report_has_the_verdicts(tmp_path):
    loaded = load(tmp_path, memory=96)
    report = api.compile(loaded)
    assert [(one.status, one.label) for one in report.verdicts] == [("not established", "it fits")]
    assert report.verdicts == report.document.verdicts
    assert [one.status for one in loaded.verdicts] == ["not established"]


@pytest.mark.parametrize("asked", [api.compile, api.check, lambda given: api.diff(given, given)])
def test_a_path_where_a_plan_is_wanted_is_said(asked):
    with pytest.raises(TypeError, match=r"which `.*load\(path\).*` gives, and no str"):
        asked("a.plan")


def test_a_violated_requirement_is_a_finding(tmp_path):
    assert api.check(load(tmp_path, memory=200)) == "findings"


def test_rows_of_what_is_not_there_are_an_error(tmp_path):
    report = api.compile(load(tmp_path))
    with pytest.raises(KeyError, match="did you mean `memory`"):
        report.rows("used", "memry")


def test_rows_are_plain(tmp_path):
    row = api.compile(load(tmp_path)).rows("used")[0]
    assert row["low"] == pytest.approx(24.0)
    assert all(isinstance(value, str | float | bool | tuple | None) for value in row.values())
    assert set(row) == set(api.Row.__annotations__)


def test_no_difference_to_itself(tmp_path):
    report = api.compile(load(tmp_path))
    assert api.diff(report, report).empty


def test_a_contradicted_measurement_is_a_finding_and_hides_no_change(tmp_path):
    """Nothing of such a plan is missing: what it asks no more is gone, what it asks anew is new."""
    text = 'a = 5\nb : number = a * 2\nmeasure b = 7 in 6 .. 8 "read off"\nrequire {}\n'
    for name, asked in (("one", 'a <= 20 "one"'), ("two", 'b <= 30 "two"')):
        (tmp_path / f"{name}.plan").write_text(text.format(asked), encoding="utf-8")
    one, two = (api.compile(api.load(tmp_path / f"{name}.plan")) for name in ("one", "two"))
    assert {(v.what, v.label) for v in api.diff(one, two).verdicts} == {("removed", "one"), ("added", "two")}
    assert api.diff(one, one).alike


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A fresh environment with the wheel installed, and what it needs."""
    folder = tmp_path_factory.mktemp("installed")
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True)
    venv.create(folder / "venv", with_pip=False)
    site = next((folder / "venv" / "lib").glob("python*")) / "site-packages"
    with zipfile.ZipFile(next(folder.glob("*.whl"))) as archive:
        archive.extractall(site)
    import jinja2

    (site / "dependencies.pth").write_text(str(Path(jinja2.__file__).parent.parent) + "\n")
    return folder / "venv" / "bin" / "python"


def test_a_users_script_runs(python, tmp_path):
    load(tmp_path)
    (tmp_path / "script.py").write_text(SCRIPT)
    done = subprocess.run(
        [python, "-I", "script.py"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.stderr == ""
    assert done.stdout == "32.0 ['holds'] True 6\n"


def test_a_users_script_is_well_typed(python, tmp_path):
    (tmp_path / "script.py").write_text(SCRIPT)
    words = [
        "--strict",
        "--no-incremental",
        "--cache-dir",
        str(tmp_path / "cache"),
        "--python-executable",
        str(python),
    ]
    done = subprocess.run(
        [sys.executable, "-m", "mypy", *words, "script.py"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert "Success" in done.stdout, done.stdout


def test_kept_documents_are_read(tmp_path):
    (tmp_path / "a.plan").write_text(PLAN.format(memory=64))
    (tmp_path / "b.plan").write_text(PLAN.format(memory=80))
    one, two = (api.compile(api.load(str(tmp_path / name))) for name in ("a.plan", "b.plan"))
    kept = tmp_path / "a.json"
    kept.write_text(one.json(), encoding="utf-8")
    again = api.read_report(kept)
    assert again.document == one.document
    assert (again["memory"].exact, again["memory"].unit) == (64, "GiB")
    changed = api.diff(again, two)
    (tmp_path / "d.json").write_text(to_json(changed), encoding="utf-8")
    assert api.read_diff(str(tmp_path / "d.json")) == changed


@pytest.mark.parametrize(
    "text, code, words",
    [
        (None, "CW0150", ""),
        ("{", "CW0720", "JSON"),
        ("{}", "CW0721", "capwright/plandoc"),
        ('{"format": "capwright/plandoc", "version": "9.0"}', "CW0722", "9.0"),
        ('{"format": "capwright/plandoc", "version": "1.0"}', "CW0724", "'title' is a required property"),
    ],
)
def test_what_is_no_document_is_said(tmp_path, text, code, words):
    path = tmp_path / "x.json"
    if text is not None:
        path.write_text(text)
    with pytest.raises(api.PlanError) as caught:
        api.read_report(path)
    [message] = caught.value.messages
    assert message.code == code
    assert words in f"{message.message} {message.help}"
