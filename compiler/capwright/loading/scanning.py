"""Which files plans use, from a look at their text: for whoever must know that before anything is loaded."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from capwright.loading.files import PLAN_CAP, ReadProblem, is_path, project_root, read_bytes
from capwright.loading.project import read_project

_USE: Final = re.compile(rb'(?:^|;)[ \t]*use[ \t]+(?:"((?:[^"\\\n]|\\.)+)"|(\w+))', re.MULTILINE)
_ESCAPE: Final = re.compile(r"\\(.)")


def unused(paths: Sequence[str]) -> list[str]:
    """Those of the plans that no other plan uses, directly or not: between them they hold all that is there.

    Of plans that use each other, and that none besides them uses, the first one stands for all.
    """
    real: dict[str, str] = {}
    for path in paths:
        real.setdefault(os.path.realpath(path), path)
    uses = _Uses()
    # What was reached last is used by nothing that was reached before, unless the two use each other.
    seen: set[str] = set()
    order = [path for start in real for path in uses.reached(start, seen)]
    kept: set[str] = set()
    seen.clear()
    for path in reversed(order):
        if uses.reached(path, seen):
            kept.add(path)
    return [shown for path, shown in real.items() if path in kept]


class _Uses:
    """Which files each plan uses; a file is looked into once, when it is asked for."""

    def __init__(self) -> None:
        self.known: dict[str, list[str]] = {}
        self.catalogues: dict[Path, dict[str, str]] = {}

    def reached(self, start: str, seen: set[str]) -> list[str]:
        """`start` and all it uses, directly or not, but for what is in `seen`: each after what it uses itself.

        What is given is in `seen` from then on.
        """
        found: list[str] = []
        waiting = [] if start in seen else [self._entered(start, seen)]
        while waiting:
            path, rest = waiting[-1]
            target = next((one for one in rest if one not in seen), None)
            if target is None:
                found.append(path)
                waiting.pop()
            else:
                waiting.append(self._entered(target, seen))
        return found

    def _entered(self, path: str, seen: set[str]) -> tuple[str, Iterator[str]]:
        seen.add(path)
        if path not in self.known:
            self.known[path] = list(_uses(path, self.catalogues))
        return path, iter(self.known[path])


def _uses(path: str, catalogues: dict[Path, dict[str, str]]) -> Iterator[str]:
    try:
        data = read_bytes(Path(path), path, PLAN_CAP)
    except ReadProblem:
        return
    for quoted, name in _USE.findall(data):
        if quoted:
            text = _ESCAPE.sub(r"\1", quoted.decode("utf-8", "replace"))
            if is_path(text):
                yield os.path.realpath(os.path.join(os.path.dirname(path), text))
            continue
        root = project_root(Path(path))
        known = catalogues.get(root)
        if known is None:
            known = catalogues[root] = dict(read_project(root).catalogues)
        target = known.get(name.decode("utf-8", "replace"))
        if target is not None:
            yield os.path.realpath(root / target)
