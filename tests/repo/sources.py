"""The project's own files, as its tests of form see them."""

from __future__ import annotations

import subprocess
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
PACKAGE = ROOT / "compiler" / "capwright"


def tracked() -> list[Path]:
    """Every file under version control, or about to be."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    return [ROOT / name for name in listed.split("\0") if name and (ROOT / name).is_file()]


def modules(*rooms: str, without: tuple[str, ...] = ()) -> list[Path]:
    """The package's Python files in these rooms (all rooms when none is named), less `without`."""
    found = sorted(PACKAGE.rglob("*.py"))
    picked = [path for path in found if not rooms or room(path) in rooms]
    return [path for path in picked if room(path) not in without]


def room(path: Path) -> str:
    """The first part of a module's path inside the package: `graph`, `cli`."""
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")
