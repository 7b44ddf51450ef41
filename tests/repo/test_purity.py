"""No stage prints, reads a clock, or touches the disk, the network or the environment."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from tests.repo.sources import PACKAGE, modules

IMPURE_CALLS = {
    "print",
    "open",
    "input",
    "exec",
    "eval",
    "compile",
    "__import__",
    "breakpoint",
    "exit",
    "quit",
}
IMPURE_MODULES = {
    "asyncio", "ctypes", "datetime", "glob", "io", "multiprocessing", "os", "pathlib", "pickle", "random",
    "secrets", "shutil", "signal", "socket", "subprocess", "sys", "tempfile", "threading", "time", "urllib",
}  # fmt: skip
OUTER = ("cli", "commands", "loading", "codes")
"""The rooms that face the disk and the terminal."""


def impurities(path: Path) -> list[str]:
    found = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        match node:
            case ast.Call(func=ast.Name(id=name)) if name in IMPURE_CALLS:
                found.append(f"{path.relative_to(PACKAGE)}:{node.lineno}: calls {name}")
            case ast.Import(names=names):
                used = {alias.name.partition(".")[0] for alias in names} & IMPURE_MODULES
                found += [f"{path.relative_to(PACKAGE)}:{node.lineno}: imports {name}" for name in used]
            case ast.ImportFrom(module=str(module)) if module.partition(".")[0] in IMPURE_MODULES:
                found.append(f"{path.relative_to(PACKAGE)}:{node.lineno}: imports {module}")
            case _:
                pass
    return found


@pytest.mark.parametrize("path", modules(without=OUTER), ids=lambda p: str(p.relative_to(PACKAGE)))
def test_a_stage_is_pure(path):
    assert impurities(path) == []


def test_only_the_command_line_prints():
    for path in modules("loading", "codes"):
        assert not [found for found in impurities(path) if "print" in found or "input" in found]


def test_an_impure_module_is_noticed(tmp_path, monkeypatch):
    monkeypatch.setattr("tests.repo.test_purity.PACKAGE", tmp_path)
    (tmp_path / "a.py").write_text("import os.path\nfrom time import time\nprint(open('x'))\n")
    assert len(impurities(tmp_path / "a.py")) == 4
