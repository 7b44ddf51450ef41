"""How a text of a plan is spelled, beside what it says."""

from __future__ import annotations


def unspaced(text: str) -> str:
    """A text without what separates its words: two spellings of one expression are spaced as their writers like."""
    return "".join(text.split())
