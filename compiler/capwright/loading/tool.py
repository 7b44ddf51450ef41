"""Which compiler this is."""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path

from capwright.syntax.grammar import grammar_text


@cache
def tool_sha256() -> str:
    """The hash of all modules of this package and of the grammar they read."""
    package = Path(__file__).parent.parent
    digest = hashlib.sha256(grammar_text().encode())
    for path in sorted(package.rglob("*.py")):
        content = hashlib.sha256(path.read_bytes()).hexdigest()
        digest.update(f"{path.relative_to(package).as_posix()} {content}\n".encode())
    return digest.hexdigest()
