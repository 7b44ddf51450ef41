"""What is made once, when the package is built: the grammar's tables, the parsed library and a list of its names, the
templates' code."""

from __future__ import annotations

from pathlib import Path

from capwright.base.source import Source
from capwright.loading import load
from capwright.loading.files import LIBRARY_PREFIX
from capwright.loading.library import STD, entry, library_root, saved_tree
from capwright.loading.library_listing import library_key, names_of, save_names
from capwright.render.templates import compile_templates
from capwright.syntax import treecodec
from capwright.syntax.grammar import BUILT, grammar_text
from capwright.syntax.parse import parse
from capwright.syntax.tables import dump


def write_built() -> None:
    """Write tables, trees, names and templates into the package's `_built` folder, where later runs look for them.

    Each carries a key of what it was made from, so that a stale one is never used.
    """
    BUILT.parent.mkdir(exist_ok=True)
    BUILT.write_bytes(dump(grammar_text()))
    folder = library_root()
    for path in sorted(folder.rglob("*.plan")):
        _write_tree(path.relative_to(folder), path.read_text(encoding="utf-8"))
    save_names(library_key(folder), names_of(load(str(folder / entry(STD)))))
    compile_templates()


def _write_tree(inside: Path, text: str) -> None:
    module, problems = parse(Source(f"{LIBRARY_PREFIX}{inside.as_posix()}", text))
    if not problems:
        target = saved_tree(inside)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(treecodec.dump(module, text))
