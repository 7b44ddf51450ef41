"""What the package defines, it uses: code that only tests call is theirs."""

from __future__ import annotations

import ast
import re
from collections import Counter

from capwright.cli import COMMANDS
from tests.repo.sources import PACKAGE, ROOT

CALLED_BY_OTHERS = {
    # Of the API, by its users.
    "api.py",
    # By the interpreter, or by a library whose hook it is.
    "redirect_request",
    "get_cache_key",
    "load_bytecode",
    "dump_bytecode",
    "_fill_text",
    # By the hook that builds a wheel.
    "write_built",
}


def test_everything_that_is_defined_is_used():
    files = sorted(PACKAGE.rglob("*.py"))
    texts = {path: path.read_text(encoding="utf-8") for path in files}
    templates = [path.read_text(encoding="utf-8") for path in (ROOT / "reports" / "templates").iterdir()]
    words = Counter(word for text in (*texts.values(), *templates) for word in re.findall(r"\w+", text))
    unused = [
        f"{path.relative_to(PACKAGE)}:{node.lineno} {node.name}"
        for path, text in texts.items()
        if path.name not in CALLED_BY_OTHERS
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and not node.name.startswith("__")
        if words[node.name] < 2 and node.name not in CALLED_BY_OTHERS
    ]
    assert unused == []


def test_every_module_is_imported_by_another():
    commands = {f"{name}_command.py" for name in COMMANDS}
    others = {"__init__.py", "__main__.py", "cli.py", "api.py", *commands}
    files = {path for path in PACKAGE.rglob("*.py") if path.name not in others}
    text = "\n".join(path.read_text(encoding="utf-8") for path in PACKAGE.rglob("*.py"))
    text += "\n".join(f"from . import {name}" for name in re.findall(r"_of\(\"(\w+)\"", text))
    alone = [
        path.relative_to(PACKAGE).as_posix()
        for path in sorted(files)
        if not re.search(
            rf"(?:import|from)\b[^\n]*(?:\.|import |, ){path.stem}\b|^ +{path.stem},$", text, re.MULTILINE
        )
    ]
    assert alone == []
