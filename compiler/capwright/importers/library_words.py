"""What the library calls number formats, cache layouts and engines: read off its declarations, so that a question may name
whatever a plan may."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from msgspec import Struct

from capwright.syntax.tree import Binding, EntityDecl, Instance, Member, Module, Text

_BETWEEN: Final = ","


class LibraryWords(Struct, frozen=True):
    """Each spelling with the name that a plan writes: of number formats with their other names, of layouts with and
    without the name of their file, and of engines by name and version, in small letters."""

    elements: Mapping[str, str]
    layouts: Mapping[str, str]
    engines: Mapping[str, Mapping[str, str]]


def library_words(
    main: str, modules: Mapping[str, Module], uses: Mapping[tuple[str, str], str]
) -> LibraryWords:
    """The words of all that the file `main` uses; `uses` has the file that a `use` of another means."""
    elements: dict[str, str] = {}
    layouts: dict[str, str] = {}
    engines: dict[str, dict[str, str]] = {}
    names: dict[str, str] = {}
    found = list(_instances(main, modules, uses))
    for module in modules.values():
        for entity in module.statements:
            if type(entity) is EntityDecl and (name := _text(entity.members, "name")) is not None:
                names[entity.name] = name
    for _, one in found:
        if one.type_name == "dtype":
            others = _text(one.body, "also") or ""
            elements |= {
                each.strip(): one.name for each in (one.name, *others.split(_BETWEEN)) if each.strip()
            }
    for prefix, one in found:
        if one.type_name == "cache":
            layouts[prefix + one.name] = prefix + one.name
            layouts.setdefault(one.name, prefix + one.name)
        elif one.type_name == "engine" and "@" in (name := names.get(one.variant or "", "")):
            of, _, version = name.partition("@")
            engines.setdefault(of.lower(), {})[version] = prefix + one.name
    return LibraryWords(elements, layouts, engines)


def _instances(
    main: str, modules: Mapping[str, Module], uses: Mapping[tuple[str, str], str]
) -> Iterator[tuple[str, Instance]]:
    """All things at the top of the files, each once, with what stands before its name in `main`."""
    waiting, seen = [("", main)], {main}
    while waiting:
        prefix, key = waiting.pop(0)
        for one in modules[key].statements:
            if type(one) is Instance:
                yield prefix, one
        for use in modules[key].uses:
            target = uses.get((key, use.target))
            if target is not None and target in modules and target not in seen:
                seen.add(target)
                waiting.append((prefix if use.alias is None else f"{prefix}{use.alias}.", target))


def _text(members: tuple[Member, ...], name: str) -> str | None:
    """The text that a body gives to a field, if it gives one."""
    values = (one.value for one in members if type(one) is Binding and one.path == (name,))
    return next((value.value for value in values if type(value) is Text), None)
