"""What stands for a plan on the command line."""

from __future__ import annotations

import os

import pytest

from capwright.commands.plan_files import Found, is_among, plan_files, plans_of
from capwright.commands.refusal import CannotRun


def test_a_folder_stands_for_the_plans_below_it(tmp_path):
    for name in ("b.plan", "a.plan", "deep/c.plan", ".hidden/d.plan", "notes.md"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    os.mkfifo(tmp_path / "pipe.plan")
    found = [os.path.relpath(one.path, tmp_path) for one in plan_files([str(tmp_path)])]
    assert found == ["a.plan", "b.plan", "deep/c.plan"]


def test_a_file_is_taken_as_named_and_once(tmp_path):
    (tmp_path / "a.plan").touch()
    a = str(tmp_path / "a.plan")
    assert plan_files([a, str(tmp_path), a, "missing.plan"]) == [Found(a, True), Found("missing.plan", True)]


def test_a_folder_without_plans(tmp_path):
    with pytest.raises(CannotRun) as caught:
        plan_files([str(tmp_path)])
    assert caught.value.code == "CW0702"


def test_a_folder_stands_for_the_plans_that_stand_for_themselves(tmp_path, monkeypatch):
    for name, text in {"a": 'use "b.plan"\n', "b": "", "c": 'use "d.plan"\n', "d": 'use "c.plan"\n'}.items():
        (tmp_path / f"{name}.plan").write_text(text)
    monkeypatch.chdir(tmp_path)
    assert plans_of(["."]) == ["a.plan", "c.plan"]
    assert plans_of(["b.plan", "."]) == ["b.plan", "a.plan", "c.plan"]
    assert plans_of(["b.plan", "missing.plan"]) == ["b.plan", "missing.plan"]


@pytest.fixture
def linked(tmp_path):
    """A project with links of all sorts; it has `real.plan`, `kept/behind.plan`, and links to them."""
    root = tmp_path / "root"
    for name in ("plans/real.plan", "kept/behind.plan", "plans/deep/c.plan", ".git/kept.plan"):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).touch()
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "secret.plan").touch()
    for name, target in {
        "a.plan": "real.plan",
        "b.plan": "../kept/behind.plan",
        "folder": "../kept",
        "again": "deep",
        "up": "..",
        "lost.plan": "../nothing.plan",
        "loop.plan": "loop.plan",
        "far": "../../outside",
    }.items():
        (root / "plans" / name).symlink_to(target)
    return root


def test_links_inside_of_the_project_are_followed_and_a_plan_is_listed_once(linked):
    found = [os.path.relpath(one.path, linked) for one in plan_files([str(linked / "plans")])]
    # The file behind `b.plan` has a path without a link in its own name, behind the linked folder.
    listed = ["plans/deep/c.plan", "plans/folder/behind.plan", "plans/loop.plan", "plans/lost.plan"]
    assert found == [*listed, "plans/real.plan"]
    whole = [os.path.relpath(one.path, linked) for one in plan_files([str(linked)])]
    assert whole == [
        "kept/behind.plan",
        *(path for path in listed if "behind" not in path),
        "plans/real.plan",
    ]


@pytest.mark.parametrize(
    "target, code", [("outside/secret.plan", "CW0152"), ("root/.git/kept.plan", "CW0151")]
)
def test_a_link_that_leads_where_nothing_is_read_is_refused(linked, target, code):
    (linked / "plans" / "deep" / "out.plan").symlink_to(linked.parent / target)
    with pytest.raises(CannotRun) as caught:
        plan_files([str(linked / "plans")])
    assert caught.value.code == code
    assert "`plans/deep/out.plan`" in caught.value.message
    assert caught.value.help


def test_what_is_a_plan_of_folders_by_any_path(linked):
    (linked / "plans" / "out.plan").symlink_to(linked.parent / "outside" / "secret.plan")
    (linked / "plans" / ".hidden").mkdir()
    (linked / "plans" / ".hidden" / "d.plan").touch()
    places = [str(linked / "plans"), str(linked / "kept" / "behind.plan")]
    among = {
        "plans/real.plan": True,
        "plans/a.plan": True,
        "plans/folder/behind.plan": True,
        "plans/up/plans/deep/c.plan": True,
        "plans/lost.plan": True,
        "kept/behind.plan": True,
        "plans/out.plan": False,
        "plans/far/secret.plan": False,
        "plans/.hidden/d.plan": False,
        "plans/missing.plan": False,
        "plans/deep": False,
        ".git/kept.plan": False,
    }
    assert {path: is_among(str(linked / path), places, linked) for path in among} == among
