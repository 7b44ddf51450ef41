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
    "asyncio", "ctypes", "datetime", "glob", "multiprocessing", "os", "pathlib", "pickle", "random",
    "secrets", "shutil", "signal", "socket", "subprocess", "tempfile", "threading", "time", "urllib",
}  # fmt: skip
IMPURE_PARTS = {"stdout", "stderr", "stdin", "argv", "exit", "path", "environ"}
"""What `sys` must not be asked for."""
OWN_DATA = {
    "importers/descriptions.py": {"pathlib"},
    "render/templates.py": {"pathlib"},
    "syntax/fingerprint.py": {"pathlib"},
    "syntax/grammar.py": {"pathlib"},
}
"""Modules that read a file of the package itself, and how."""
OUTER = ("building", "cli", "commands", "forge", "loading", "codes")
"""The rooms that face the disk, the terminal and a forge."""


def impurities(path: Path) -> list[str]:
    shown = path.relative_to(PACKAGE).as_posix()
    modules = IMPURE_MODULES - OWN_DATA.get(shown, set())
    found = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        match node:
            case ast.Call(func=ast.Name(id=name)) if name in IMPURE_CALLS:
                found.append(f"{shown}:{node.lineno}: calls {name}")
            case ast.Attribute(value=ast.Name(id="sys"), attr=part) if part in IMPURE_PARTS:
                found.append(f"{shown}:{node.lineno}: uses sys.{part}")
            case ast.Import(names=names):
                used = {alias.name.partition(".")[0] for alias in names} & modules
                found += [f"{shown}:{node.lineno}: imports {name}" for name in used]
            case ast.ImportFrom(module="urllib.parse"):
                pass  # of the whole package, only this does nothing but take texts apart
            case ast.ImportFrom(module=str(module)) if module.partition(".")[0] in modules:
                found.append(f"{shown}:{node.lineno}: imports {module}")
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
    (tmp_path / "a.py").write_text(
        "import os.path\nfrom time import time\nprint(open('x'))\nimport sys\nsys.exit(1)\n"
    )
    assert len(impurities(tmp_path / "a.py")) == 5
