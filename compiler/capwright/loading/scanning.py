"""Which plans stand for themselves, from a look at their text: for whoever must know that before anything is loaded."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from pathlib import Path
from typing import Final

from msgspec import Struct

from capwright.loading.files import PLAN_CAP, ReadProblem, is_path, project_root, read_bytes
from capwright.loading.project import read_project

_SAID: Final = re.compile(
    # Texts and comments come first, so that nothing in them is taken for a statement.
    rb"""
      "(?:[^"\\\n]|\\.)*" | \#[^\n]*
    | (?:^|;)[ \t]*(?:
        (?P<asks>require|expect|measure)(?![\w\x80-\xff])(?![ \t]*[=:.{~])
      | use[ \t]+(?:"(?P<path>(?:[^"\\\n]|\\.)+)"|(?P<name>[\w\x80-\xff]+)(?![\w\x80-\xff]))
        (?P<alias>(?:\s|\#[^\n]*\n)*as[ \t]+[\w\x80-\xff])?
      )
    """,
    re.MULTILINE | re.VERBOSE,
)
_ESCAPE: Final = re.compile(r"\\(.)")


def standalone(paths: Sequence[str]) -> list[str]:
    """Those of the plans that stand for themselves: between them they hold all that is there, and judge all of it.

    A plan that no other uses, directly or not, does; of plans that use each other, and that none besides them uses, the
    first one. So does a plan that others use under a name alone, where it requires, expects or measures something, or what it
    takes in does: under a name only numbers are read of it, and what it asks is asked nowhere else.
    """
    real: dict[str, str] = {}
    for path in paths:
        real.setdefault(os.path.realpath(path), path)
    uses = _Uses()
    kept = {path for path in uses.tops(real, named=False) if uses.asks(path)}
    seen: set[str] = set()
    for path in kept:
        uses.reached(path, seen)
    kept.update(uses.tops(real, seen))
    return [shown for path, shown in real.items() if path in kept]


class _Said(Struct, frozen=True):
    """What a plan says by itself: the files that it takes in, those that it uses under a name, and whether it requires,
    expects or measures something."""

    taken: tuple[str, ...] = ()
    named: tuple[str, ...] = ()
    asks: bool = False


class _Uses:
    """What plans use; a file is looked into once, when it is asked for."""

    def __init__(self) -> None:
        self.known: dict[str, _Said] = {}
        self.catalogues: dict[Path, dict[str, str]] = {}

    def tops(
        self, starts: Iterable[str], seen: AbstractSet[str] = frozenset(), *, named: bool = True
    ) -> list[str]:
        """The fewest files that reach all that `starts` do, but for what is in `seen`. `named` says whether what is used
        under a name is reached."""
        done = set(seen)
        order = [path for start in starts for path in self.reached(start, done, named=named)]
        done = set(seen)
        # What was reached last is used by nothing that was reached before, unless the two use each other.
        return [path for path in reversed(order) if self.reached(path, done, named=named)]

    def asks(self, path: str) -> bool:
        """Whether a plan, or what it takes in, requires, expects or measures something."""
        return any(self.said(one).asks for one in self.reached(path, set(), named=False))

    def reached(self, start: str, seen: set[str], *, named: bool = True) -> list[str]:
        """`start` and all it uses, directly or not, but for what is in `seen`: each after what it uses itself.

        What is given is in `seen` from then on.
        """
        found: list[str] = []
        waiting = [] if start in seen else [self._entered(start, seen, named)]
        while waiting:
            path, rest = waiting[-1]
            target = next((one for one in rest if one not in seen), None)
            if target is None:
                found.append(path)
                waiting.pop()
            else:
                waiting.append(self._entered(target, seen, named))
        return found

    def _entered(self, path: str, seen: set[str], named: bool) -> tuple[str, Iterator[str]]:
        seen.add(path)
        said = self.said(path)
        return path, iter(said.taken + said.named if named else said.taken)

    def said(self, path: str) -> _Said:
        if path not in self.known:
            self.known[path] = _said(path, self.catalogues)
        return self.known[path]


def _said(path: str, catalogues: dict[Path, dict[str, str]]) -> _Said:
    try:
        data = read_bytes(Path(path), path, PLAN_CAP)
    except ReadProblem:
        return _Said()
    taken: list[str] = []
    named: list[str] = []
    asks = False
    for found in _SAID.finditer(data):
        asks = asks or found["asks"] is not None
        if found["path"] is not None:
            text = _ESCAPE.sub(r"\1", found["path"].decode("utf-8", "replace"))
            if is_path(text):
                target = os.path.realpath(os.path.join(os.path.dirname(path), text))
                (taken if found["alias"] is None else named).append(target)
        elif found["name"] is not None:
            target = _catalogue(path, found["name"].decode("utf-8", "replace"), catalogues)
            named += [target] if target else []
    return _Said(tuple(taken), tuple(named), asks)


def _catalogue(path: str, name: str, catalogues: dict[Path, dict[str, str]]) -> str:
    """The file of the catalogue that a plan uses; "" for the library, whose files are nobody's plans."""
    root = project_root(Path(path))
    known = catalogues.get(root)
    if known is None:
        known = catalogues[root] = dict(read_project(root).catalogues)
    return os.path.realpath(root / known[name]) if name in known else ""
