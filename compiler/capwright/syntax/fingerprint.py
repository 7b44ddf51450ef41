"""Which parser this is: what it made of a text belongs to it alone."""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path


@cache
def parser_sha256() -> str:
    """The hash of the modules that make tables of a grammar, and trees of texts."""
    digest = hashlib.sha256()
    for path in sorted(Path(__file__).parent.rglob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()
