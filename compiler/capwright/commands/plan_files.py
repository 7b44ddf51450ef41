"""The plan files that words on the command line stand for."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from msgspec import Struct

from capwright.commands.refusal import CannotRun
from capwright.loading import standalone


class Found(Struct, frozen=True):
    """A plan file, and whether the user named it himself or a folder that it lies in."""

    path: str
    named: bool


def plan_files(words: Iterable[str]) -> list[Found]:
    """Files as named, and in place of a folder every plan in and below it; each once, in order.

    Hidden folders and links in a folder are passed over. Raises `CannotRun` (CW0702) for a folder
    without plans.
    """
    found: dict[str, Found] = {}
    for word in words:
        if not os.path.isdir(word):
            found[word] = Found(word, named=True)
            continue
        inside = sorted(_below(Path(word)))
        if not inside:
            raise CannotRun("CW0702", f"there is no plan in `{word}`", "plans are files that end in `.plan`")
        for path in inside:
            found.setdefault(path, Found(path, named=False))
    return list(found.values())


def holds_plans(path: str) -> bool:
    """Whether there is a plan at `path`: a file, or a folder with one in or below it."""
    return any(_below(Path(path))) if os.path.isdir(path) else os.path.exists(path)


def plans_of(words: Iterable[str]) -> list[str]:
    """The plans to take by themselves: each that was named, and in folders those that are `standalone` there.

    Raises `CannotRun` as `plan_files` does.
    """
    found = plan_files(words)
    kept = set(standalone([one.path for one in found])) if any(not one.named for one in found) else set()
    return [one.path for one in found if one.named or one.path in kept]


def _below(folder: Path) -> Iterator[str]:
    for here, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith(".")]
        for name in names:
            path = Path(here, name)
            if name.endswith(".plan") and path.is_file() and not path.is_symlink():
                yield str(path)
