"""Which files plans use, from a look at their text: for whoever must know that before anything is loaded."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from capwright.loading.files import PLAN_CAP, ReadProblem, project_root, read_bytes
from capwright.loading.project import read_project

_USE: Final = re.compile(rb'(?:^|;)[ \t]*use[ \t]+(?:"((?:[^"\\\n]|\\.)+)"|(\w+))', re.MULTILINE)
_ESCAPE: Final = re.compile(r"\\(.)")


def used_files(paths: Iterable[str]) -> set[str]:
    """The real paths of all files that these plans use, directly or not, less what each uses of itself."""
    waiting = [os.path.realpath(path) for path in paths]
    seen: set[str] = set()
    used: set[str] = set()
    catalogues: dict[Path, dict[str, str]] = {}
    while waiting:
        path = waiting.pop()
        if path not in seen:
            seen.add(path)
            found = {target for target in _uses(path, catalogues) if target != path}
            used |= found
            waiting.extend(found)
    return used


def _uses(path: str, catalogues: dict[Path, dict[str, str]]) -> Iterator[str]:
    try:
        data = read_bytes(Path(path), path, PLAN_CAP)
    except ReadProblem:
        return
    for quoted, name in _USE.findall(data):
        if quoted:
            text = _ESCAPE.sub(r"\1", quoted.decode("utf-8", "replace"))
            yield os.path.realpath(os.path.join(os.path.dirname(path), text))
            continue
        root = project_root(Path(path))
        known = catalogues.get(root)
        if known is None:
            known = catalogues[root] = dict(read_project(root).catalogues)
        target = known.get(name.decode("utf-8", "replace"))
        if target is not None:
            yield os.path.realpath(root / target)
