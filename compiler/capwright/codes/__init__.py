"""One page a diagnostic code: what it means, the way out, and a plan that gives it, which is its test."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

_FOLDER: Final = Path(__file__).parent


def page(code: str) -> str | None:
    """The Markdown page of a code such as `CW0301`, or None where there is no such code."""
    if re.fullmatch(r"CW\d{4}", code) is None:
        return None
    file = _FOLDER / f"{code}.md"
    return file.read_text(encoding="utf-8") if file.is_file() else None


def known() -> tuple[str, ...]:
    """All codes that have a page, in order."""
    return tuple(sorted(file.stem for file in _FOLDER.glob("CW*.md")))
