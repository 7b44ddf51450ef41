"""`capwright.toml`: what a project says of itself, and what is wrong with it."""

from __future__ import annotations

import os
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from capwright.compiling import compile_plan
from capwright.loading import load, read_project, unused
from tests.cli.running import run

FLEET = "use std\ndevice big from nvidia.h100_sxm { }\nprice : number = 3\n"
PLAN = "use std\nuse fleet\ntotal : number = fleet.price * 2\nreport total\n"
TOML = '[catalogues]\nfleet = "private/fleet.plan"\n'


def write(folder: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    return folder


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return write(tmp_path, {"capwright.toml": TOML, "private/fleet.plan": FLEET, "plans/a.plan": PLAN})


def test_a_catalogue_is_used_by_its_name(project):
    made = compile_plan(load(str(project / "plans/a.plan")))
    assert [one.message for one in made.diagnostics] == []
    assert next(q.nominal for q in made.sound.quantities if q.address == "total") == "6"
    assert {one.path for one in made.sound.inputs} == {"capwright.toml", "plans/a.plan", "private/fleet.plan"}


def test_another_alias_may_be_given(project):
    write(
        project,
        {"plans/a.plan": PLAN.replace("use fleet", "use fleet as f").replace("fleet.price", "f.price")},
    )
    assert compile_plan(load(str(project / "plans/a.plan"))).diagnostics == ()


def test_a_plan_without_the_catalogue_does_not_lean_on_the_file(project):
    write(project, {"plans/b.plan": "use std\na : number = 3\n"})
    assert [one.path for one in load(str(project / "plans/b.plan")).inputs] == ["plans/b.plan"]


def unused_of(folder: Path, *names: str) -> list[str]:
    return [Path(one).name for one in unused([str(folder / name) for name in names])]


def test_what_a_plan_uses_by_name_is_used(project):
    assert unused_of(project, "private/fleet.plan", "plans/a.plan") == ["a.plan"]


@pytest.mark.parametrize(
    "uses, kept",
    [
        ("a>b b>c", "a"),
        ("a>a b>b c>c", "abc"),
        ("a>b b>a", "ac"),
        ("a>b b>a c>b", "c"),
        ("b>a a>b a>c", "a"),
        ("a>b b>c c>a", "a"),
        ("c>b b>c b>a", "b"),
        ("c>x x>a b>a", "bc"),
        ("x>y y>x a>x", "abc"),
        ("", "abc"),
    ],
)
def test_plans_that_no_other_uses(tmp_path, uses, kept):
    pairs = [pair.split(">") for pair in uses.split()]
    for name in "abcxy":
        text = "".join(f'use "{to}.plan"\n' for by, to in pairs if by == name)
        write(tmp_path, {f"{name}.plan": text})
    assert unused_of(tmp_path, "a.plan", "b.plan", "c.plan") == [f"{name}.plan" for name in kept]


@given(st.sets(st.tuples(st.integers(0, 7), st.integers(0, 7)), max_size=24))
def test_every_plan_is_one_that_stands_by_itself_or_is_used_by_one(edges):
    with TemporaryDirectory() as name:
        folder = Path(name).resolve()
        paths = [str(folder / f"{at}.plan") for at in range(8)]
        for at, path in enumerate(paths):
            Path(path).write_text("".join(f'use "{to}.plan"\n' for by, to in sorted(edges) if by == at))
        kept = unused(paths)
        reach = {path: {path} for path in paths}
        for _ in paths:
            for by, to in edges:
                reach[paths[by]] |= reach[paths[to]]
        assert set().union(*(reach[path] for path in kept)) == set(paths)
        assert not [(a, b) for a in kept for b in kept if a != b and b in reach[a]]


@pytest.mark.parametrize(
    "text, code, place, words",
    [
        ('reprots = "x"\n', "CW0781", "reprots", "`reports`"),
        ("plans = [\n", "CW0780", None, ""),
        ("x = 1\nx = 2\n", "CW0780", None, ""),
        ('plans = "plans"\n', "CW0782", "plans", "list"),
        ('plans = ["../plans"]\n', "CW0782", "plans", ""),
        ('reports = "/etc"\n', "CW0782", "reports", ""),
        ("strict = 1\n", "CW0782", "strict", "true"),
        ('[catalogues]\nstd = "x.plan"\n', "CW0783", "std", "library"),
        ('[catalogues]\n"a b" = "x.plan"\n', "CW0783", "a b", ""),
        ("[catalogues]\nfleet = 3\n", "CW0782", "fleet", "private/fleet.plan"),
        ('[catalogues]\nfleet = "../../x.plan"\n', "CW0782", "fleet", ""),
        ('catalogues = "x"\n', "CW0782", "catalogues", "[catalogues]"),
        ('[catalogs]\nfleet = "x.plan"\n', "CW0781", "catalogs", "`catalogues`"),
    ],
)
def test_mistakes_have_a_code_a_place_and_a_way_out(tmp_path, text, code, place, words):
    write(tmp_path, {"capwright.toml": text, "a.plan": "a : number = 3\n"})
    found = load(str(tmp_path / "a.plan"))
    (one,) = found.diagnostics
    assert one.code == code
    assert words in f"{one.message} {one.help}"
    assert one.help
    if place is not None:
        assert found.sources["capwright.toml"].text[one.span.start : one.span.end] == place


def test_a_file_that_is_no_text(tmp_path):
    (tmp_path / "capwright.toml").write_bytes(b'reports = "\xff"\n')
    write(tmp_path, {"a.plan": "a : number = 3\n"})
    assert [one.code for one in load(str(tmp_path / "a.plan")).diagnostics] == ["CW0156"]


def test_a_project_file_that_is_none_is_said(tmp_path):
    plan = write(tmp_path, {"a.plan": "a : number = 3\n"}) / "a.plan"
    file = tmp_path / "capwright.toml"
    file.mkdir()
    assert [one.code for one in load(str(plan)).diagnostics] == ["CW0153"]
    file.rmdir()
    file.symlink_to("nowhere")
    assert [one.code for one in load(str(plan)).diagnostics] == ["CW0150"]
    file.unlink()
    os.mkfifo(file)
    assert [one.code for one in load(str(plan)).diagnostics] == ["CW0154"]
    for words in (("check", "a.plan"), ("build",), ("check",), ("weave", "a.md")):
        assert "Traceback" not in run(*words, cwd=tmp_path).err


def test_a_plan_that_does_not_use_a_catalogue_does_not_need_its_file(tmp_path):
    """A private file is not in every checkout, and a plan that says nothing of it means the same without it."""
    write(tmp_path, {"capwright.toml": TOML, "a.plan": "a : number = 3\n"})
    assert load(str(tmp_path / "a.plan")).diagnostics == ()


@given(st.text(max_size=60))
def test_no_text_breaks_it(tmp_path_factory, text):
    folder = tmp_path_factory.mktemp("toml")
    (folder / "capwright.toml").write_bytes(text.encode("utf-8", "surrogatepass"))
    assert all(one.help for one in read_project(folder).diagnostics)


def test_check_and_build_take_the_projects_folders(project):
    write(project, {"capwright.toml": f'plans = ["plans"]\nreports = "out"\nstrict = true\n{TOML}'})
    assert "checked plans/a.plan: clean" in run("check", cwd=project).out
    assert run("build", cwd=project / "plans").code == 0
    assert {path.name for path in (project / "out").iterdir()} == {
        "a.md",
        "a.html",
        "a.json",
        "index.md",
        "index.html",
    }
    assert run("build", "--check", cwd=project).code == 0
    write(project, {"plans/a.plan": PLAN.replace("* 2", "* 3")})
    stale = run("build", "--check", cwd=project)
    assert (stale.code, stale.out.count("is not what plans/a.plan gives")) == (1, 3)


def test_strict_makes_what_is_not_established_a_finding(project):
    plan = "use std\na : s >= 3 s\nrequire a <= 4 s\nreport a\n"
    write(project, {"plans/a.plan": plan})
    assert run("check", cwd=project).code == 0
    write(project, {"capwright.toml": f"strict = true\n{TOML}"})
    assert run("check", "plans/a.plan", cwd=project).code == 1


def test_a_folder_that_is_not_there(project):
    write(project, {"capwright.toml": 'plans = ["plan"]\n'})
    done = run("check", cwd=project)
    assert (done.code, "CW0784" in done.err) == (2, True)


def test_a_plan_called_index_has_no_place_in_a_folder(project):
    write(project, {"plans/index.plan": "a : number = 3\n"})
    done = run("build", "plans", "-o", "out", cwd=project)
    assert (done.code, "CW0785" in done.err, (project / "out").exists()) == (2, True, False)


def test_an_unwritable_folder_is_said(project):
    write(project, {"out": "a file\n"})
    done = run("build", "plans", "-o", "out", cwd=project)
    assert (done.code, "CW0701" in done.err) == (2, True)


USER = """\
use std
use fleet
device mine from fleet.h100 { memory = 90 GB/device source "ours" }
fleet.h100.memory = 80 GB/device
total : dollar/hour = fleet.h100.price * 2 devices
require fleet.h100.price <= 3 $/device/hour
report fleet.h100, total
"""


@pytest.mark.parametrize("use", ["use fleet", 'use "private/fleet.plan" as fleet'])
def test_a_catalogue_that_is_not_in_this_checkout_is_one_message(tmp_path, use):
    """In a fork or a job private files are missing: that is said once, not of every name in them."""
    write(tmp_path, {"capwright.toml": TOML, "a.plan": USER.replace("use fleet", use)})
    found = compile_plan(load(str(tmp_path / "a.plan"))).diagnostics
    assert [one.code for one in found] == ["CW0150"]
    assert "private/fleet.plan" in found[0].message
    if use == "use fleet":
        assert "`fleet`" in found[0].message
        assert "capwright.toml" in found[0].message
        assert "not in every checkout" in found[0].help
