"""Settings that somebody changed: fields that refer to another thing, copy another one for themselves or say another word,
and what each puts in the place of what."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msgspec.structs import replace

from capwright.base.address import bases_of, top_of, under
from capwright.comparison.blamed import Blamed, Rebinding
from capwright.comparison.sides import PATH, Plainness, Side, plainness
from capwright.document.plandoc import SettingDoc


def changed_settings(a: Side, b: Side, aligned: tuple[tuple[str, str], ...]) -> list[Blamed]:
    """The settings that somebody changed. A copy's or an option's own is its base's, where both are written in one
    place; what the library derives from another setting is no declaration."""
    found: dict[Statement, Blamed] = {}
    derived: list[Blamed] = []
    same_library = a.doc.library_sha256 == b.doc.library_sha256
    both = [(key, a.settings[key], b.settings[key]) for key in a.settings.keys() & b.settings.keys()]
    both += _in_own_copies(a, b, aligned)

    def order(each: tuple[tuple[str, bool], SettingDoc, SettingDoc]) -> tuple[Plainness, bool]:
        address, is_origin = each[0]
        return plainness(a, b, address), is_origin

    for (address, _), before, after in sorted(both, key=order):
        tops = (before.refers, after.refers)
        if (before.sort, before.value) == (after.sort, after.value) or tops in aligned:
            continue
        if before.sort == "thing" and before.refers == address:
            continue
        blamed = Blamed(address, "setting", before, after, tops)
        if not before.given and not after.given and (same_library or _inside(address, found.values())):
            derived.append(blamed)
            continue
        if tops != (None, None) and any(_is_its(each, blamed) for each in found.values()):
            continue
        found.setdefault(statement_of(address, before, after), blamed)
    known = {blamed.tops for blamed in found.values()}
    left = [
        d
        for d in derived
        if d.tops not in known and d.tops != (None, None) and not _inside(d.address, found.values())
    ]
    return [*found.values(), *left]


Saying = tuple[str, str, int, str]
"""What tells one statement of one side from another: the field it sets, its line and where in that, and what it says."""
Statement = tuple[Saying, Saying]


def saying_of(address: str, said: SettingDoc) -> Saying:
    """The statement of one side that sets a field; one may set the fields of many copies."""
    return (address.rpartition(".")[2], said.place, said.column, said.value)


def statement_of(address: str, before: object, after: object) -> Statement:
    """The statement that sets a field, before and after."""
    assert isinstance(before, SettingDoc)
    assert isinstance(after, SettingDoc)
    return saying_of(address, before), saying_of(address, after)


def _is_its(base: Blamed, blamed: Blamed) -> bool:
    """Whether what an option refers to is its base's to say. An option that names a thing of its own before and after is
    edited by itself, whatever its base comes to."""
    if base.tops != blamed.tops or not is_base(base.address, blamed.address):
        return False
    both = ((base.before, blamed.before), (base.after, blamed.after))
    return not all(
        isinstance(mine, SettingDoc)
        and isinstance(theirs, SettingDoc)
        and (mine.place, mine.column) != (theirs.place, theirs.column)
        and theirs.value in PATH.findall(theirs.line)
        for mine, theirs in both
    )


def is_base(address: str, other: str) -> bool:
    """Whether the second address is what an option has in the place of the first, and copies."""
    top = top_of(other)
    return any(address == base + other[len(top) :] for base in bases_of(top))


def _in_own_copies(
    a: Side, b: Side, aligned: tuple[tuple[str, str], ...]
) -> Iterator[tuple[tuple[str, bool], SettingDoc, SettingDoc]]:
    """Settings of a thing on one side, and of a field's own copy of it on the other."""
    fields: dict[str, list[str]] = {}
    for address, origin in a.settings:
        if not origin:
            owner, _, name = address.rpartition(".")
            fields.setdefault(owner, []).append(name)
    for before, after in aligned:
        owner = max(before, after, key=lambda address: address.count("."))
        for name in fields.get(before, ()) if before != after else ():
            setting = b.settings.get((f"{after}.{name}", False))
            if setting is not None:
                yield (f"{owner}.{name}", False), a.settings[f"{before}.{name}", False], setting


def changed_copies(a: Side, b: Side, aligned: tuple[tuple[str, str], ...]) -> Iterator[Blamed]:
    """Fields that refer to one thing on one side, and on the other copy another one for themselves."""
    for key in sorted(a.settings.keys() & b.settings.keys()):
        before, after = a.settings[key], b.settings[key]
        if (
            key[1]
            or (before.refers, after.refers) not in aligned
            or key[0] not in (before.refers, after.refers)
        ):
            continue
        one, two = _origin_of(a, before), _origin_of(b, after)
        if one.refers != two.refers and None not in (one.refers, two.refers):
            yield Blamed(key[0], "setting", one, two, (one.refers, two.refers))


def _origin_of(side: Side, setting: SettingDoc) -> SettingDoc:
    """What a field refers to, or what its own copy is made from."""
    made = side.settings.get((setting.address, True)) if setting.refers == setting.address else None
    if made is None or made.refers is None:
        return setting
    return replace(setting, value=made.refers, refers=made.refers)


def _inside(address: str, changed: Iterable[Blamed]) -> bool:
    """Whether an address lies in a thing that was changed as a whole."""
    return any(under(address, each.address) for each in changed)


def rebindings(a: Side, b: Side, blamed: Blamed) -> Iterator[Rebinding]:
    """What a changed reference puts in the place of what, down through the things that it refers to."""
    waiting = [(*blamed.tops, "")]
    seen = set[tuple[str | None, str | None]]()
    while waiting:
        before, after, path = waiting.pop()
        if (before, after) in seen or before is None or after is None or before == after:
            continue
        seen.add((before, after))
        yield Rebinding(before, after, blamed, path)
        waiting += _below(a, b, before, after, path)


def _below(
    a: Side, b: Side, before: str, after: str, path: str
) -> Iterator[tuple[str | None, str | None, str]]:
    for (address, origin), setting in a.settings.items():
        rest = under(address, before)
        if rest and not origin and setting.refers is not None:
            other = b.settings.get((f"{after}.{rest}", False))
            if other is not None:
                yield setting.refers, other.refers, f"{path}{rest}."
