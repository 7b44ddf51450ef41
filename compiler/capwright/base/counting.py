"""How many of something, in words."""

from __future__ import annotations


def plural(number: int, one: str, many: str = "") -> str:
    """The word for `number` things: `one` for exactly one, else `many`, which is `one` with an `s` unless given."""
    return one if number == 1 else many or f"{one}s"


def counted(number: int, one: str, many: str = "") -> str:
    """The number and its word: `1 verdict`, `1,024 verdicts`."""
    return f"{number:,} {plural(number, one, many)}"


def with_article(noun: str) -> str:
    """A noun with its article, by the letter that it begins with: `a device`, `an engine`; a plural has none: `lengths`."""
    if noun.endswith("s") and not noun.endswith(("as", "is", "ss", "us")):
        return noun
    return f"{'an' if noun[:1].lower() in 'aeio' else 'a'} {noun}"
