"""`capwright.toml`: what a project says of itself, and what is wrong with it."""

from __future__ import annotations

import os
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from capwright.compiling import compile_plan
from capwright.loading import load, read_project, standalone
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


def standalone_of(folder: Path, *names: str) -> list[str]:
    return [Path(one).name for one in standalone([str(folder / name) for name in names])]


def test_what_a_plan_uses_by_name_is_used(project):
    assert standalone_of(project, "private/fleet.plan", "plans/a.plan") == ["a.plan"]


def test_a_catalogue_that_asks_something_stands_for_itself(project):
    write(project, {"private/fleet.plan": FLEET + "require price <= 2\n"})
    assert standalone_of(project, "private/fleet.plan", "plans/a.plan") == ["fleet.plan", "a.plan"]


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
        # Under a name: what asks nothing is a catalogue, what asks something is judged nowhere else.
        ("a:b a:c", "a"),
        ("a:b a:c b!", "ab"),
        ("a:b b>c c!", "ab"),
        ("a:b b:c c!", "ac"),
        ("a:b c>b b!", "ac"),
        ("a:b c>b b! c!", "ac"),
        ("a:b b:a", "ac"),
        ("a:b b:a b!", "bc"),
        ("a>b b:a b!", "ac"),
        ("b>a a:b a!", "bc"),
        ("a:x x! b>c", "ab"),
        ("a:x x>b b! c!", "abc"),
    ],
)
def test_plans_that_stand_for_themselves(tmp_path, uses, kept):
    """`a>b`: a takes b in; `a:b`: a uses b under a name; `a!`: a asks something."""
    for name in "abcxy":
        own = [word for word in uses.split() if word[0] == name]
        write(tmp_path, {f"{name}.plan": "".join(map(_line, own))})
    assert standalone_of(tmp_path, "a.plan", "b.plan", "c.plan") == [f"{name}.plan" for name in kept]


def _line(word: str) -> str:
    if word[1] == "!":
        return "require 1 <= 2\n"
    return f'use "{word[2]}.plan"' + (f" as {word[2]}\n" if word[1] == ":" else "\n")


@pytest.mark.parametrize(
    "text, kept",
    [
        ('use "b.plan"\n', "a"),
        ('x : number = 2; use "b.plan"  # as b\n', "a"),
        ('use "b.plan"as b\n', "ab"),
        ('use "b.plan"\n  # under a name\n  as b\n', "ab"),
        ('use "b.plan"\nas : number = 3\n', "a"),
        ('use "b.plan"\nassume x = 3 in 2 .. 4  because "so"\n', "a"),
        ('# ; use "b.plan"\n', "ab"),
        ('# no longer\n#use "b.plan"\n', "ab"),
        ('source "; use b.plan"\n', "ab"),
    ],
)
def test_how_a_file_is_used_is_read_off_the_text(tmp_path, text, kept):
    write(tmp_path, {"a.plan": text, "b.plan": "require 1 <= 2\n"})
    assert standalone_of(tmp_path, "a.plan", "b.plan") == [f"{name}.plan" for name in kept]


@pytest.mark.parametrize(
    "text, asks",
    [
        ("require a <= 2\n", True),
        ("a : number = 1; expect a <= 2\n", True),
        ("  require(a) <= 2\n", True),
        ("measure a = 2 as load { }\n", True),
        ("# require a <= 2\n", False),
        ("# not yet; require a <= 2\n", False),
        ('a : number = 1  "one; require two"\n', False),
        ("required : number = 3\n", False),
        ("expect : number = 3\nmeasure = 4\n", False),
    ],
)
def test_whether_a_plan_asks_something_is_read_off_the_text(tmp_path, text, asks):
    write(tmp_path, {"a.plan": 'use "b.plan" as b\n', "b.plan": text})
    assert standalone_of(tmp_path, "a.plan", "b.plan") == ["a.plan", "b.plan"][: 1 + asks]


_FILES = st.integers(0, 6)
_EDGES = st.sets(st.tuples(_FILES, _FILES), max_size=14)


@given(_EDGES, _EDGES, st.sets(_FILES))
def test_every_plan_is_reached_and_all_that_is_asked_is_judged(taken, named, asking):
    with TemporaryDirectory() as name:
        folder = Path(name).resolve()
        paths = [str(folder / f"{at}.plan") for at in range(7)]
        for at, path in enumerate(paths):
            lines = [f'use "{to}.plan"\n' for by, to in sorted(taken) if by == at]
            lines += [f'use "{to}.plan" as f{to}\n' for by, to in sorted(named) if by == at]
            Path(path).write_text("".join(lines) + ("require 1 <= 2\n" if at in asking else ""))
        kept = standalone(paths)
        judged, reach = _reach(paths, taken), _reach(paths, taken | named)
        asked = {paths[at] for at in asking}
        assert set().union(*(reach[path] for path in kept)) == set(paths)
        assert set().union(*(judged[path] for path in kept)) >= asked
        assert not [(a, b) for a in kept for b in kept if a != b and b in judged[a]]
        assert not [(a, b) for a in kept for b in kept if a != b and b in reach[a] and not judged[b] & asked]


def _reach(paths: list[str], edges: set[tuple[int, int]]) -> dict[str, set[str]]:
    reach = {path: {path} for path in paths}
    for _ in paths:
        for by, to in edges:
            reach[paths[by]] |= reach[paths[to]]
    return reach


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
        ('[catalogues]\nif = "x.plan"\n', "CW0783", "if", "`if`"),
        ('[catalogues]\nnot = "x.plan"\n', "CW0783", "not", ""),
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


def test_a_file_that_is_no_plan(project):
    write(project, {"capwright.toml": 'plans = ["capwright.toml"]\n'})
    done = run("check", cwd=project)
    assert (done.code, "CW0782" in done.err, "`.plan`" in done.err) == (2, True, True)


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
