"""No stage prints, reads a clock, or touches the disk, the network or the environment."""

from __future__ import annotations

import ast
import builtins
import io
import os
from pathlib import Path

import pytest

from capwright.compiling import compile_plan
from capwright.loading import load
from tests.repo.sources import PACKAGE, modules, room

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
OUTER = ("__main__", "building", "cli", "commands", "forge", "loading", "codes")
"""The rooms that face the disk, the terminal and a forge."""
LOADS = ("api",)
"""Rooms that are pure but for calling what loads a plan: others take what was loaded."""


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
            case ast.ImportFrom(module=str(module), names=names) if module.startswith("capwright.loading"):
                used = {alias.name for alias in names if alias.name[0].islower()}
                found += [f"{shown}:{node.lineno}: reads the disk by {name}" for name in used]
            case ast.ImportFrom(module=str(module)) if module.partition(".")[0] in modules:
                found.append(f"{shown}:{node.lineno}: imports {module}")
            case _:
                pass
    return found


@pytest.mark.parametrize("path", modules(without=OUTER), ids=lambda p: str(p.relative_to(PACKAGE)))
def test_a_stage_is_pure(path):
    found = impurities(path)
    assert [each for each in found if room(path) not in LOADS or "reads the disk" not in each] == []


def test_what_is_loaded_is_compiled_without_a_look_at_the_disk(monkeypatch):
    """Also a plan that forgot the library, of which a message tells."""
    text = "a : byte = bf16 + output_cost(1)\nmodel m { }\n"
    loaded = load("p.plan", root=".", texts={"p.plan": text})

    def refused(*_args: object, **_options: object) -> None:
        raise AssertionError("a stage opened a file")

    for module in (builtins, io, os):
        monkeypatch.setattr(module, "open", refused)
    found = compile_plan(loaded).diagnostics
    monkeypatch.undo()
    assert [one.code for one in found if "the library declares it" in one.help] == ["CW0303"]


def test_only_the_command_line_prints():
    for path in modules("loading", "codes"):
        assert not [found for found in impurities(path) if "print" in found or "input" in found]


def test_an_impure_module_is_noticed(tmp_path, monkeypatch):
    monkeypatch.setattr("tests.repo.test_purity.PACKAGE", tmp_path)
    (tmp_path / "a.py").write_text(
        "import os.path\nfrom time import time\nprint(open('x'))\nimport sys\nsys.exit(1)\n"
        "from capwright.loading import Loaded, load\n"
    )
    assert len(impurities(tmp_path / "a.py")) == 6
