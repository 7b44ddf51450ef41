"""Where the library is, and the parsed form of its files that was built with the package."""

from __future__ import annotations

from pathlib import Path


def library_root() -> Path:
    """The folder of the library: inside an installed package, or `plans/std` of a checkout."""
    package = Path(__file__).parent.parent
    packaged = package / "_std"
    return packaged if packaged.is_dir() else package.parent.parent / "plans" / "std"


def entry(name: str) -> str:
    """The path, in the library's folder, of the file that `use NAME` means."""
    return f"{name}.plan"
