"""Library files are read once for all plans, and never older than they are."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from capwright.base.source import Source
from capwright.loading import load
from capwright.loading.loaded import Loaded


@pytest.fixture
def library(tmp_path: Path) -> Path:
    folder = tmp_path / "library"
    folder.mkdir()
    (folder / "std.plan").write_text('use "units.plan"\nuse "more.plan"\n')
    (folder / "units.plan").write_text("unit s\n")
    (folder / "more.plan").write_text('use "units.plan"\ntwo : s = 2 s\n')
    return folder


@pytest.fixture
def read(tmp_path: Path, library: Path) -> Callable[..., Loaded]:
    (tmp_path / "project").mkdir()

    def with_text(text: str, **texts: str) -> Loaded:
        plan = tmp_path / "project" / "a.plan"
        plan.write_text(text)
        return load(
            str(plan), library=library, texts={f"std/{name}.plan": each for name, each in texts.items()}
        )

    return with_text


def texts(sources: dict[str, Source]) -> dict[str, str]:
    return {key: source.text for key, source in sources.items()}


def test_a_second_plan_has_the_same_library_as_the_first(read: Callable[..., Loaded]) -> None:
    first, second = read("use std\na : s = two\n"), read("use std\nb : s = two\n")
    assert set(first.modules) == {"a.plan", "std/std.plan", "std/units.plan", "std/more.plan"}
    for key in first.library:
        assert second.modules[key] is first.modules[key]
    assert (first.library, first.library_sha256, first.uses, first.inputs[1:]) == (
        second.library,
        second.library_sha256,
        second.uses,
        second.inputs[1:],
    )
    assert first.diagnostics == second.diagnostics == ()


def test_a_file_that_changes_between_two_plans_is_read_anew(
    read: Callable[..., Loaded], library: Path
) -> None:
    first = read("use std\n")
    (library / "more.plan").write_text('use "units.plan"\ntwo : s = 3 s\nsix : s = 6 s\n')
    second = read("use std\n")
    assert "6 s" in texts(second.sources)["std/more.plan"]
    assert first.library_sha256 != second.library_sha256
    (library / "more.plan").unlink()
    third = read("use std\n")
    assert [(one.code, one.span.file) for one in third.diagnostics] == [("CW0150", "std/std.plan")]
    assert "std/more.plan" not in third.modules


def test_a_library_with_a_mistake_is_told_to_every_plan(read: Callable[..., Loaded], library: Path) -> None:
    (library / "more.plan").write_text("two : s = \n")
    told = [[one.code for one in read("use std\n").diagnostics] for _ in range(2)]
    assert told[0] == told[1] != []


def test_one_library_file_brings_what_it_uses_and_no_more(read: Callable[..., Loaded]) -> None:
    read("use std\n")
    assert set(read('use "std/units.plan"\n').modules) == {"a.plan", "std/units.plan"}
    assert set(read('use "std/more.plan"\nuse "std/units.plan"\n').modules) == {
        "a.plan",
        "std/more.plan",
        "std/units.plan",
    }


def test_texts_of_an_editor_stand_in_for_library_files(read: Callable[..., Loaded]) -> None:
    read("use std\n")
    edited = read("use std\n", more="two : s = 5 s\n")
    assert texts(edited.sources)["std/more.plan"] == "two : s = 5 s\n"
    assert "5 s" not in texts(read("use std\n").sources)["std/more.plan"]
