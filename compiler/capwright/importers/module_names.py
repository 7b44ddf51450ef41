"""Names of modules and the patterns by which a quantisation leaves some of them out.

A pattern comes from a stranger's file, so it is never run as a regular expression of its own: it is read into the few
forms that real files use, whose matching cannot run away.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Final

from msgspec import Struct

MAX_PATTERN: Final = 300
MAX_STARS: Final = 4
MAX_CHOICES: Final = 64
PREFIXES: Final = (
    "model.layers.{i}.",
    "model.language_model.layers.{i}.",
    "language_model.model.layers.{i}.",
    "backbone.layers.{i}.",
    "transformer.h.{i}.",
    "layers.{i}.",
)
"""How checkpoints begin the names of a layer's modules."""
_PIECE: Final = re.compile(r"\.\*\??|\\d\+|\\\.|\\w\+|\(\??:?(?P<choice>[\w.\-|\\]+)\)|\.|[\w\-]|[\^$]")


class Unreadable(Exception):
    """A pattern that is none of the forms that are read."""


class Names(Struct, frozen=True):
    """Patterns, ready to be asked; `anywhere` takes a plain pattern for a part of a name, wherever it stands."""

    patterns: tuple[str, ...]
    anywhere: bool = False

    def hold(self, names: Iterable[str]) -> bool:
        """Whether any of the names is meant."""
        if not self.patterns:
            return False
        literal, others = _split(self.patterns)
        return any(
            _in(literal, name)
            or any(each.match(name) is not None for each in others)
            or (self.anywhere and any(each in name for each in literal))
            for name in names
        )


def full_names(prefixes: Iterable[str], modules: Iterable[str], layer: int | None) -> Iterator[str]:
    """The names a module may have in checkpoints of its model."""
    starts = (*prefixes, *PREFIXES)
    for module in modules:
        if layer is not None:
            yield from (start.format(i=layer) + module for start in starts)
        else:
            yield from (module, f"model.{module}", f"language_model.{module}", f"mtp.{module}")
            yield from (start.partition("layers.")[0] + module for start in starts)


def _in(literal: frozenset[str], name: str) -> bool:
    """Whether a plain pattern is the name, an outer module of it, or its end."""
    parts = name.split(".")
    return any(
        ".".join(parts[:end]) in literal or ".".join(parts[len(parts) - end :]) in literal
        for end in range(1, len(parts) + 1)
    )


@lru_cache(maxsize=64)
def _split(patterns: tuple[str, ...]) -> tuple[frozenset[str], tuple[re.Pattern[str], ...]]:
    """Plain patterns, and those with wildcards."""
    plain = frozenset(each for each in patterns if "*" not in each and not each.startswith("re:"))
    return plain, tuple(dict.fromkeys(readable(each) for each in patterns if each not in plain))


@lru_cache(maxsize=4_096)
def readable(pattern: str) -> re.Pattern[str]:
    """A pattern with `*`, or one behind `re:`, as a safe expression that matches from a name's start; raises
    `Unreadable`."""
    if len(pattern) > MAX_PATTERN:
        raise Unreadable
    if not pattern.startswith("re:"):
        if pattern.count("*") > MAX_STARS:
            raise Unreadable
        return re.compile(".*".join(map(re.escape, pattern.split("*"))) + r"(?:\..*)?\Z")
    return re.compile("".join(_pieces(pattern.removeprefix("re:"))))


def _pieces(text: str) -> Iterator[str]:
    """The pieces of an expression that real files use: letters, dots, `.*`, `\\d+`, and choices of plain words."""
    at, stars = 0, 0
    while at < len(text):
        found = _PIECE.match(text, at)
        if found is None or (found["choice"] or "").count("|") > MAX_CHOICES:
            raise Unreadable
        piece = found[0]
        stars += piece.startswith(".*") or piece in (r"\d+", r"\w+")
        if stars > MAX_STARS or text[found.end() : found.end() + 1] in tuple("*+?{"):
            raise Unreadable
        yield (
            "(?:" + "|".join(map(re.escape, found["choice"].replace("\\.", ".").split("|"))) + ")"
            if found["choice"]
            else piece
        )
        at = found.end()
