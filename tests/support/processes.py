"""The surroundings of a `capwright` process that a test starts."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
_COMPILED = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)


def surroundings(**more: str) -> dict[str, str]:
    """The environment: the checkout's package, its modules compiled once as in any installation."""
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    compiled = {"PYTHONPATH": str(ROOT / "compiler"), "PYTHONPYCACHEPREFIX": _COMPILED.name}
    return {**kept, **compiled, **more}
