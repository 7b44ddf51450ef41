"""Answers that are kept for the object that was asked about last."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

K = TypeVar("K")
V = TypeVar("V")


class Latest(Generic[K, V]):
    """The answer for the latest object, by identity: the formats of one report ask for the same things."""

    def __init__(self) -> None:
        self._held: tuple[K, V] | None = None

    def get(self, key: K, make: Callable[[], V]) -> V:
        """The answer for `key`: the one that is kept, or what `make` gives."""
        if self._held is None or self._held[0] is not key:
            self._held = key, make()
        return self._held[1]
