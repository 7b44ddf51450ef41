"""Files appear whole or not at all."""

from __future__ import annotations

import os
import stat

import pytest

from capwright.commands.failing import CannotRun
from capwright.commands.writing import write_all, write_one


def test_all_files_are_written_and_nothing_else(tmp_path):
    written = write_all(tmp_path / "deep" / "report", {"a.md": b"a", "a.json": b"{}"})
    assert [path.read_bytes() for path in written] == [b"a", b"{}"]
    assert sorted(os.listdir(tmp_path / "deep" / "report")) == ["a.json", "a.md"]


def test_one_refused_file_leaves_all_as_it_was(tmp_path):
    (tmp_path / "a.md").write_text("old")
    (tmp_path / "b.md").mkdir()
    with pytest.raises(CannotRun) as caught:
        write_all(tmp_path, {"a.md": b"new", "b.md": b"new"})
    assert caught.value.code == "CW0701"
    assert (tmp_path / "a.md").read_text() == "old"
    assert sorted(os.listdir(tmp_path)) == ["a.md", "b.md"]


def test_a_file_in_the_folders_place(tmp_path):
    (tmp_path / "report").write_text("x")
    with pytest.raises(CannotRun, match="cannot write"):
        write_all(tmp_path / "report", {"a.md": b"a"})


def test_a_folder_made_for_nothing_goes_away(tmp_path, monkeypatch):
    def full(source: object, target: object) -> None:
        raise OSError(28, "no space")

    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(CannotRun, match="no space"):
        write_all(tmp_path / "report", {"a.md": b"a"})
    assert not (tmp_path / "report").exists()


def test_the_rights_of_a_replaced_file_stay(tmp_path):
    path = tmp_path / "a.plan"
    path.write_text("x")
    path.chmod(0o640)
    write_one(path, b"y")
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert path.read_bytes() == b"y"
