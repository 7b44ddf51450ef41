"""The plan files that words on the command line stand for.

One rule for links, whatever command looks into a folder. A link to a file or a folder inside the project is followed, and
what several paths lead to is one plan, called by the path that is no link where there is one. A link to a file outside of
the project is refused; a folder behind such a link is no part of the project, and is passed over like a hidden one.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from msgspec import Struct

from capwright.commands.refusal import CannotRun
from capwright.loading import ReadProblem, project_root, standalone
from capwright.loading.files import Folder, demand_inside

_SUFFIX = ".plan"


class Found(Struct, frozen=True):
    """A plan file, and whether the user named it himself or a folder that it lies in."""

    path: str
    named: bool


def plan_files(words: Iterable[str]) -> list[Found]:
    """Files as named, and in place of a folder every plan in and below it; each once, in order.

    Hidden folders are passed over. Raises `CannotRun`: CW0702 for a folder without plans, and as `demand_inside` does
    for a link that leads where no plan is read.
    """
    found: dict[str, Found] = {}
    for word in words:
        if not os.path.isdir(word):
            found[word] = Found(word, named=True)
            continue
        inside = plans_below(word, root_of(word))
        if not inside:
            raise CannotRun("CW0702", f"there is no plan in `{word}`", "plans are files that end in `.plan`")
        for path in inside:
            found.setdefault(path, Found(path, named=False))
    return list(found.values())


def plans_of(words: Iterable[str]) -> list[str]:
    """The plans to take by themselves: each that was named, and in folders those that are `standalone` there.

    Raises `CannotRun` as `plan_files` does.
    """
    found = plan_files(words)
    kept = set(standalone([one.path for one in found])) if any(not one.named for one in found) else set()
    return [one.path for one in found if one.named or one.path in kept]


def root_of(folder: str) -> Path:
    """The root of the project that a folder lies in."""
    return project_root(Path(os.path.realpath(folder), "plan"))


def plans_below(folder: str, root: Path, *, demand: bool = True) -> list[str]:
    """The plans in and below a folder of the project at `root`, in order.

    Raises `CannotRun` for a link that leads where no plan is read; without `demand` it is passed over.
    """
    inside = Folder(root)
    found: dict[str, str] = {}
    for path in sorted(_below(folder, inside), key=lambda path: (os.path.islink(path), path)):
        real = Path(os.path.realpath(path))
        try:
            demand_inside(real, _shown(path, root), inside)
        except ReadProblem as problem:
            if demand:
                raise CannotRun(problem.code, problem.message, problem.help) from None
        else:
            found.setdefault(os.fspath(real), path)
    return sorted(found.values())


def is_among(path: str, folders: Sequence[str], root: Path) -> bool:
    """Whether there is a plan at `path` in or below one of the folders, or of the files, of the project at `root`.

    More paths than are listed are: several may lead to one plan.
    """
    if not (path.endswith(_SUFFIX) and (os.path.isfile(path) or os.path.islink(path))):
        return False
    if not any(_leads_to(folder, path) for folder in folders):
        return False
    try:
        demand_inside(Path(os.path.realpath(path)), path, Folder(root))
    except ReadProblem:
        return False
    return True


def _leads_to(folder: str, path: str) -> bool:
    if folder == path:
        return True
    way = Path(path).parts[len(Path(folder).parts) :]
    return Path(folder, *way) == Path(path) and not any(part.startswith(".") for part in way[:-1])


def _below(folder: str, root: Folder) -> Iterator[str]:
    """What is called a plan in and below a folder. A folder that several paths lead to is looked into once: behind a link
    where there is no other path."""
    waiting, seen = [folder], set()
    while waiting:
        for here, folders, names in os.walk(waiting.pop(0)):
            real = os.path.realpath(here)
            is_new = real not in seen and root.holds(Path(real))
            folders[:] = sorted(name for name in folders if is_new and not name.startswith("."))
            if not is_new:
                continue
            seen.add(real)
            # They are not walked into here: that waits until all that is behind no link was seen.
            waiting += [link for name in folders if os.path.islink(link := os.path.join(here, name))]
            for name in names:
                path = str(Path(here, name))
                # A link is a plan whether or not there is a file behind it: it is told what is wrong with it.
                if name.endswith(_SUFFIX) and (os.path.isfile(path) or os.path.islink(path)):
                    yield path


def _shown(path: str, root: Path) -> str:
    """A path as messages name it: the same for whoever stands where, and for a revision that lies somewhere for a while."""
    folder, name = os.path.split(path)
    return Path(os.path.relpath(os.path.join(os.path.realpath(folder), name), root)).as_posix()
