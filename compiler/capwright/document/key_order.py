"""The order of keys in a document: an operation's name first, then by the alphabet."""

from __future__ import annotations

from functools import lru_cache
from typing import Any


@lru_cache(maxsize=4_096)
def ordered(keys: tuple[str, ...]) -> tuple[str, ...]:
    """These keys in the order of a document."""
    return tuple(sorted(keys, key=lambda key: (key != "op", key)))


def in_order(data: Any) -> Any:
    """Plain data with the keys of every object in the order of a document."""
    if isinstance(data, dict):
        return {key: in_order(data[key]) for key in ordered(tuple(data))}
    return [in_order(each) for each in data] if isinstance(data, list) else data
