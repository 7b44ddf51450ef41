"""Files appear whole or not at all."""

from __future__ import annotations

import os
import socket
import stat
import threading
from pathlib import Path

import pytest

from capwright.commands.refusal import CannotRun
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


@pytest.mark.parametrize(
    ("place", "words"),
    [
        ("taken", "it is a file"),
        ("gone", "it is a link to nothing"),
        ("round", "it is a link to nothing"),
        ("pipe", "it is no folder"),
        ("taken/deep/er", "`taken` is a file"),
        ("gone/deep", "`gone` is a link to nothing"),
    ],
)
def test_what_stands_in_the_place_of_a_folder_is_named(tmp_path, monkeypatch, place, words):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "taken").touch()
    (tmp_path / "gone").symlink_to("nothing")
    (tmp_path / "round").symlink_to("round")
    os.mkfifo(tmp_path / "pipe")
    before = sorted(os.listdir(tmp_path))
    for write in (
        lambda: write_all(Path(place), {"a.md": b"a"}),
        lambda: write_one(Path(place, "a.md"), b"a"),
    ):
        with pytest.raises(CannotRun) as caught:
            write()
        assert caught.value.code == "CW0701"
        assert caught.value.message == f"cannot write to `{place}`, which is to be a folder: {words}"
        assert "`-o`" in caught.value.help
    assert sorted(os.listdir(tmp_path)) == before


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


@pytest.mark.parametrize("name", ["config.json", "./config.json", "link.json"])
def test_what_is_read_is_not_replaced_by_what_is_made_of_it(tmp_path, name):
    config = tmp_path / "config.json"
    config.write_text("{}")
    (tmp_path / "link.json").symlink_to(config)
    with pytest.raises(CannotRun, match="reads"):
        write_one(tmp_path / name, b"made", (config, tmp_path / "missing"))
    assert config.read_text() == "{}"
    assert write_one(tmp_path / "other.plan", b"made", (config,))


# ── what is no regular file, and links ───────────────────────────────────────────────────────────


def test_a_pipe_is_written_to_and_stays(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    read: list[bytes] = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_bytes()), daemon=True)
    reader.start()
    assert write_one(pipe, b"through")
    reader.join(10)
    assert read == [b"through"]
    assert stat.S_ISFIFO(pipe.stat().st_mode)


def device(path, minor):
    """A device of the memory driver in a folder of the test's own, which only the superuser may make."""
    try:
        os.mknod(path, stat.S_IFCHR | 0o666, os.makedev(1, minor))
        path.open("wb").close()
    except OSError:
        pytest.skip("no devices can be made here")
    return path


def test_a_device_is_written_to_and_stays(tmp_path):
    null = device(tmp_path / "null", 3)
    link = tmp_path / "link"
    link.symlink_to(null)
    for name in (null, link):
        assert write_one(name, b"gone")
    assert stat.S_ISCHR(null.stat().st_mode)
    assert link.is_symlink()
    assert sorted(os.listdir(tmp_path)) == ["link", "null"]


def test_a_device_that_is_full_refuses_and_stays(tmp_path):
    full = device(tmp_path / "full", 7)
    assert refusal(lambda: write_one(full, b"x")) == f"cannot write to `{full}`: no space left on device"
    assert stat.S_ISCHR(full.stat().st_mode)


def refusal(write) -> str:
    with pytest.raises(CannotRun) as caught:
        write()
    assert caught.value.code == "CW0701"
    return caught.value.message


def test_a_socket_is_refused_and_stays(tmp_path):
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(tmp_path / "socket"))
        assert "is a device, a pipe or a socket" in refusal(lambda: write_one(tmp_path / "socket", b"x"))
    assert stat.S_ISSOCK((tmp_path / "socket").stat().st_mode)
    assert os.listdir(tmp_path) == ["socket"]


@pytest.mark.parametrize("linked", [False, True])
def test_of_several_files_none_is_a_pipe(tmp_path, linked):
    os.mkfifo(tmp_path / "pipe")
    name = "link" if linked else "pipe"
    if linked:
        (tmp_path / "link").symlink_to("pipe")
    kept = sorted(os.listdir(tmp_path))
    assert "is a device, a pipe or a socket" in refusal(
        lambda: write_all(tmp_path, {"a.md": b"a", name: b"b"})
    )
    assert sorted(os.listdir(tmp_path)) == kept


def test_a_link_is_written_through(tmp_path):
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "real").write_bytes(b"old")
    (tmp_path / "one").symlink_to("deep/real")
    (tmp_path / "two").symlink_to("one")
    (tmp_path / "new").symlink_to("deep/made")
    write_one(tmp_path / "two", b"new")
    assert (tmp_path / "deep" / "real").read_bytes() == b"new"
    assert write_all(tmp_path, {"one": b"newer", "new": b"made"}) == [tmp_path / "one", tmp_path / "new"]
    assert (tmp_path / "deep" / "real").read_bytes() == b"newer"
    assert (tmp_path / "deep" / "made").read_bytes() == b"made"
    assert all((tmp_path / name).is_symlink() for name in ("one", "two", "new"))


def test_a_link_out_of_a_folder_of_files_is_refused_and_a_named_one_is_the_users_own(tmp_path):
    (tmp_path / "mine").write_bytes(b"old")
    folder = tmp_path / "reports"
    folder.mkdir()
    (folder / "a.md").symlink_to(tmp_path / "mine")
    (folder / "b.md").symlink_to(tmp_path / "made")
    for name in ("a.md", "b.md"):
        said = refusal(lambda name=name: write_all(folder, {"c.md": b"c", name: b"new"}))
        assert said.endswith(f"`{name}` is a link that leads out of the folder")
    assert (tmp_path / "mine").read_bytes() == b"old"
    assert sorted(os.listdir(folder)) == ["a.md", "b.md"]
    assert not (tmp_path / "made").exists()
    write_one(folder / "a.md", b"new")
    assert (tmp_path / "mine").read_bytes() == b"new"


def test_a_ring_of_links_and_a_folder_are_refused(tmp_path):
    (tmp_path / "a").symlink_to("b")
    (tmp_path / "b").symlink_to("a")
    assert "too many levels of symbolic links" in refusal(lambda: write_one(tmp_path / "a", b"x"))
    assert "is a folder" in refusal(lambda: write_one(tmp_path, b"x"))


def test_who_interrupts_leaves_nothing_half_written(tmp_path, monkeypatch):
    def interrupted(handle: int) -> None:
        raise KeyboardInterrupt

    (tmp_path / "a.md").write_text("old")
    monkeypatch.setattr(os, "fsync", interrupted)
    with pytest.raises(KeyboardInterrupt):
        write_all(tmp_path, {"a.md": b"new"})
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [("a.md", "old")]
