"""Where the library is, and where the trees of its files are that were parsed when the package was built."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from capwright.syntax.grammar import BUILT

STD: Final = "std"
"""`use std`: the name of the file that uses all the others."""


def library_root() -> Path:
    """The folder of the library: inside an installed package, or `plans/std` of a checkout."""
    package = Path(__file__).parent.parent
    packaged = package / "_std"
    return packaged if packaged.is_dir() else package.parent.parent / "plans" / "std"


def entry(name: str) -> str:
    """The path, in the library's folder, of the file that `use NAME` means."""
    return f"{name}.plan"


def saved_tree(inside: Path) -> Path:
    """Where the parsed form of the library file at `inside` (a path in the library's folder) is kept."""
    return BUILT.parent / "std" / inside.with_suffix(".tree")
