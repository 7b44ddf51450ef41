"""What a path in a plan may lead to, and each refusal's code."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest

from capwright.loading.files import (
    Folder,
    ReadProblem,
    decode,
    project_root,
    read_bytes,
    read_typed,
    resolve,
)


def refusal(path: Path, cap: int = 1 << 20) -> ReadProblem:
    with pytest.raises(ReadProblem) as caught:
        read_bytes(path, path.name, cap)
    return caught.value


def refused_path(text: str, beside: Path, root: Path) -> str:
    with pytest.raises(ReadProblem) as caught:
        resolve(text, beside, Folder(root))
    return caught.value.code


def test_the_root_is_the_nearest_marked_folder(tmp_path):
    deep = tmp_path / "project" / "plans" / "deep"
    deep.mkdir(parents=True)
    plan = deep / "a.plan"
    (tmp_path / "project" / ".git").mkdir()
    assert project_root(plan) == tmp_path / "project"
    (tmp_path / "project" / "plans" / "capwright.toml").touch()
    assert project_root(plan) == tmp_path / "project" / "plans"


def test_a_path_may_go_up_inside_the_root(tmp_path):
    (tmp_path / "a").mkdir()
    assert resolve("../b.plan", tmp_path / "a", Folder(tmp_path)) == tmp_path / "b.plan"


@pytest.mark.parametrize(
    "text",
    [
        "../b.plan",
        "/etc/hostname",
        "a/../../b.plan",
        "../../../../../etc/hostname",
        ".git/b.plan",
        "a/.git/hooks/b.svg",
    ],
)
def test_a_path_may_not_leave_the_root(tmp_path, text):
    root = tmp_path / "root"
    root.mkdir()
    assert refused_path(text, root, root) == "CW0151"


def test_a_sibling_whose_name_begins_alike_is_outside(tmp_path):
    (tmp_path / "root").mkdir()
    (tmp_path / "root-2").mkdir()
    assert refused_path("../root-2/a.plan", tmp_path / "root", tmp_path / "root") == "CW0151"


def test_an_absolute_path_into_the_root_is_refused_too(tmp_path):
    assert refused_path(str(tmp_path / "a.plan"), tmp_path, tmp_path) == "CW0151"


def test_a_link_out_is_refused_and_a_link_inside_followed(tmp_path):
    root = tmp_path / "root"
    root.mkdir()
    (tmp_path / "secret").write_text("x")
    (root / "out.plan").symlink_to(tmp_path / "secret")
    (root / "folder").symlink_to(tmp_path)
    (root / "real.plan").write_text("x")
    (root / "in.plan").symlink_to("real.plan")
    (root / ".git").mkdir()
    (root / ".git" / "kept").write_text("x")
    (root / "kept.plan").symlink_to(".git/kept")
    (root / "kept").symlink_to(".git")
    assert refused_path("kept.plan", root, root) == "CW0151"
    assert refused_path("kept/kept", root, root) == "CW0151"
    assert refused_path("out.plan", root, root) == "CW0152"
    assert refused_path("folder/secret", root, root) == "CW0152"
    assert resolve("in.plan", root, Folder(root)) == root / "real.plan"


@pytest.mark.parametrize("text", ["", "a\\b", "a\0b", "a\nb", "\x1b[31m"])
def test_what_is_no_path(tmp_path, text):
    assert refused_path(text, tmp_path, tmp_path) == "CW0160"


def test_a_folder_a_pipe_a_socket_and_a_device(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(tmp_path / "socket"))
        assert refusal(tmp_path / "socket").code == "CW0154"
    assert refusal(tmp_path).code == "CW0153"
    assert refusal(tmp_path / "pipe").code == "CW0154"
    assert refusal(Path("/dev/zero")).code == "CW0154"


def test_a_missing_file_offers_the_nearest_name(tmp_path):
    (tmp_path / "llama.plan").touch()
    found = refusal(tmp_path / "lama.plan")
    assert (found.code, found.help) == ("CW0150", "did you mean `llama.plan`?")
    assert refusal(tmp_path / "no" / "such.plan").code == "CW0150"
    assert refusal(tmp_path / "llama.plan" / "x").code == "CW0150"


@pytest.mark.parametrize(
    ("there", "asked", "help"),
    [
        ("c.plan", "nosuch.plan", "check the path"),
        ("x.plan", "gone.plan", "check the path"),
        ("nemo.plan", "gemma.plan", "check the path"),
        ("fleet.md", "fleet.plan", "check the path"),
        ("fleet.plan fleet.md fleet.json", "flete.plan", "did you mean `fleet.plan`?"),
        ("config.json config.toml", "config.jsn", "did you mean `config.json`?"),
        ("qwen3_32b.plan", "qwen3_32B.plan", "did you mean `qwen3_32b.plan`?"),
        ("llama-3.1-70b.plan", "llama-3.1.plan", "did you mean `llama-3.1-70b.plan`?"),
        ("fleet.plan", "fleet", "did you mean `fleet.plan`?"),
    ],
)
def test_what_two_names_share_behind_the_dot_makes_neither_a_slip_for_the_other(tmp_path, there, asked, help):
    for name in there.split():
        (tmp_path / name).touch()
    assert refusal(tmp_path / asked).help.startswith(help)


def test_a_missing_file_says_what_its_path_is_relative_to(tmp_path):
    assert refusal(tmp_path / "x").help == "check the path: it is relative to the file that names it"
    with pytest.raises(ReadProblem) as caught:
        read_typed(str(tmp_path / "x"))
    assert caught.value.help == "check the path: it is relative to the folder that you are in"


def test_a_ring_of_links_is_unreadable(tmp_path):
    (tmp_path / "a").symlink_to("b")
    (tmp_path / "b").symlink_to("a")
    assert refusal(tmp_path / "a").code == "CW0155"


@pytest.mark.skipif(os.geteuid() == 0, reason="the superuser may read everything")
def test_a_file_without_rights(tmp_path):
    (tmp_path / "a").write_text("x")
    (tmp_path / "a").chmod(0)
    assert refusal(tmp_path / "a").code == "CW0155"


def test_the_cap_is_a_cap(tmp_path):
    (tmp_path / "a").write_bytes(b"x" * 100)
    assert read_bytes(tmp_path / "a", "a", 100) == b"x" * 100
    assert refusal(tmp_path / "a", 99).code == "CW0157"


def test_text_is_utf8_with_one_line_end():
    assert decode(b"\xef\xbb\xbfa\r\nb\n", "a") == "a\nb\n"
    with pytest.raises(ReadProblem) as caught:
        decode("é\r\nü".encode() + b"\xff!", "a")
    assert (caught.value.code, caught.value.offset) == ("CW0156", 3)
    assert caught.value.partial == "é\nü\ufffd!"
    assert "0xff" in caught.value.message
    with pytest.raises(ReadProblem) as caught:
        decode(b"\xef\xbb\xbfab\xff!", "a")  # the mark is bytes of the file, and no text of it
    assert "byte 5 is 0xff" in caught.value.message
    assert (caught.value.partial, caught.value.offset) == ("ab\ufffd!", 2)


def test_a_typed_path_is_the_users_own(tmp_path):
    (tmp_path / "a.plan").write_text("x")
    (tmp_path / "link.plan").symlink_to(tmp_path / "a.plan")
    assert read_typed(str(tmp_path / "link.plan")) == (tmp_path / "a.plan", b"x")
