"""One page a diagnostic code: what it means, the way out, and a plan that gives it, which is its test."""

from __future__ import annotations

import re
from importlib import resources


def page(code: str) -> str | None:
    """The Markdown page of a code such as `CW0301`, or None where there is no such code."""
    if re.fullmatch(r"CW\d{4}", code) is None:
        return None
    file = resources.files(__name__) / f"{code}.md"
    return file.read_text(encoding="utf-8") if file.is_file() else None


def known() -> tuple[str, ...]:
    """All codes that have a page, in order."""
    names = (file.name for file in resources.files(__name__).iterdir())
    return tuple(sorted(name.removesuffix(".md") for name in names if name.startswith("CW")))
