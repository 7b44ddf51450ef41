"""What the library offers to a plan that does not use it: the names of each sort, for a message about a missing one.

They are listed when the package is built. A list belongs to the files that it was made from; of others, it is made anew.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from functools import cache
from pathlib import Path
from typing import Final

import msgspec

from capwright.check.collect import closure
from capwright.check.program import check
from capwright.kernel.registry import TYPES
from capwright.loading.files import LIBRARY_PREFIX
from capwright.loading.library import STD, entry
from capwright.loading.loaded import Loaded, Names
from capwright.syntax.fingerprint import parser_sha256
from capwright.syntax.grammar import BUILT
from capwright.syntax.tree import Module

WHOLE: Final = f"{LIBRARY_PREFIX}{entry(STD)}"
"""The file by which a plan uses all of the library."""
_SAVED: Final = BUILT.parent / "std.names"
_known: dict[str, Names] = {}
"""By the key of a library: what was read or made once is not read or made again."""


def forgoes(
    main: str, modules: Mapping[str, Module], uses: Mapping[tuple[str, str], str], library: AbstractSet[str]
) -> bool:
    """Whether a file of a plan, or one behind `as`, does not use all of the library."""
    behind = {
        target
        for key, module in modules.items()
        for use in module.uses
        if use.alias is not None
        if (target := uses.get((key, use.target))) is not None
    }
    starts = [each for each in (main, *behind) if each in modules and each not in library]
    return any(WHOLE not in closure(start, modules, uses) for start in starts)


def library_key(library: Path) -> str:
    """What a list of names depends on: the files of a library, and how they are read."""
    digest = hashlib.sha256(parser_sha256().encode())
    for path in sorted(library.rglob("*.plan")):
        content = hashlib.sha256(path.read_bytes()).hexdigest()
        digest.update(f"{path.relative_to(library).as_posix()} {content}\n".encode())
    return digest.hexdigest()


def known_names(key: str) -> Names | None:
    """The names of the library with this key, if they were saved or remembered."""
    if key not in _known:
        try:
            remember(*msgspec.json.decode(_SAVED.read_bytes(), type=tuple[str, Names]))
        except (OSError, msgspec.DecodeError):
            return None
    return _known.get(key)


def remember(key: str, names: Names) -> Names:
    """Keep the names of the library with this key as long as the process runs."""
    _known[key] = names
    return names


def save_names(key: str, names: Names) -> None:
    """Write them where `known_names` looks for them."""
    _SAVED.write_bytes(msgspec.json.encode((key, {sort: sorted(each) for sort, each in names.items()})))


def names_of(library: Loaded) -> Names:
    """What a file has from `use std`, by sort."""
    program, _ = check(library.main, library.modules, library.uses, library.library, TYPES)
    scope, units = program.main, program.units.by_name.keys()
    return {
        "entity": frozenset(scope.entities),
        "field": frozenset(name for entity in scope.entities.values() for name in entity.order),
        "formula": frozenset(scope.families),
        "kind": frozenset(scope.kinds),
        "type": frozenset(units | scope.entities.keys()),
        "unit": frozenset(units),
        "value": frozenset(scope.values.keys() | scope.spaces.keys()),
    }


@cache
def files_of(library: Path) -> tuple[str, ...]:
    """All files of a library, by the keys that plans have them by."""
    return tuple(
        sorted(f"{LIBRARY_PREFIX}{path.relative_to(library).as_posix()}" for path in library.rglob("*.plan"))
    )
