"""Addresses on the command line."""

from __future__ import annotations

import os
from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from capwright.base.address import bases_of, depth_of, is_called, name_of, under
from capwright.base.diagnostic import listed, near_or, nearest, offered
from capwright.base.source import place_text
from capwright.check.declared import Scope
from capwright.commands.refusal import CannotRun
from capwright.document.plandoc import PlanDoc, Quantity, SettingDoc
from capwright.loading.files import LIBRARY_PREFIX
from capwright.render.escape import shell_path, shell_word
from capwright.render.terminal.show import as_reported


def unknown(address: str, document: PlanDoc, scope: Scope | None = None, path: str = "") -> CannotRun:
    """The refusal of an address that the plan does not have (CW0703). `scope` has the names that the plan sees, `path` is what
    the reader calls it, where that is not as in the document."""
    from capwright.document.declarations import declared_names

    caveats = [one.name for one in document.caveats]
    names = [*caveats, *([] if scope is None else declared_names(scope))]
    public = [quantity.address for quantity in document.quantities if not quantity.internal]
    message = f"the plan has no quantity `{address}`"
    path = path or document.path
    if _below(address, address, document):
        return CannotRun("CW0703", message, f"{_command('show', path, address)} has those below it")
    if any(measured.address == address for measured in document.measurements):
        help = f"it is a measurement: {_command('explain', path, address)} tells it, and a woven `value` shows it"
        return CannotRun("CW0703", message, help)
    setting = _set_at(address, document)
    if setting is not None:
        return CannotRun(
            "CW0703",
            f"`{address}` is no quantity: {_said(setting)}",
            _numbers_beside(setting, document, path),
        )
    if (there := behind(address, scope)) is not None:
        words = _command("show", beside(there.file, path, document.path), *filter(None, [there.rest]))
        return CannotRun("CW0703", message, f"{there.told}: ask for it there, {words}")
    if address in names:
        help = f"it is declared, and no number of the plan is made of it: {_command('explain', path, address)} tells what it is"
        return CannotRun("CW0703", message, help)
    if options := _options_meant(address, document):
        return CannotRun("CW0703", message, offered(options))
    if "." in address:
        return CannotRun("CW0703", message, near_or(address, public, _where_to_look(address, document, path)))
    if scope is not None and (of := _with_field(address, scope)):
        help = (
            f"it is a field of {listed(of[:1], len(of))}: {_command('explain', path, of[0])} tells what it is"
        )
        return CannotRun("CW0703", message, help)
    near = near_or(address, public, _where_to_look(address, document, path))
    return CannotRun("CW0703", message, near_or(address, names, near))


def _with_field(name: str, scope: Scope) -> list[str]:
    """The entities that declare a field of a name themselves."""
    entities = scope.entities.items()
    return [
        each
        for each, entity in entities
        if entity.has(name) and not (entity.parent and entity.parent.has(name))
    ]


def _command(name: str, path: str, *addresses: str) -> str:
    """A command that the reader is to run, in backquotes."""
    return f"`capwright {' '.join([name, shell_path(path), *map(shell_word, addresses)])}`"


def beside(file: str, path: str, key: str) -> str:
    """What a reader who calls a plan `path` calls another file of its project, shown as `file` as the plan is as `key`."""
    real = os.path.realpath(path)
    if not real.endswith(f"{os.sep}{key}"):
        return file
    return os.path.relpath(real.removesuffix(key) + file)


class Behind(Struct, frozen=True):
    """What an address means of a file that the plan uses under a name: the file, the address in it, and where to ask."""

    name: str
    file: str
    rest: str

    @property
    def told(self) -> str:
        """Why the plan itself does not have it."""
        return f"`{self.name}` is `{self.file}`, of which this plan has only the numbers that it reads"


def behind(address: str, scope: Scope | None) -> Behind | None:
    """What an address means of a file of one's own behind `as`; None where it leads into none."""
    found: Behind | None = None
    name, rest = "", address
    while scope is not None and rest:
        first, _, rest = rest.partition(".")
        scope = scope.spaces.get(first)
        name = f"{name}.{first}" if name else first
        if scope is not None and scope.file and not scope.file.startswith(LIBRARY_PREFIX):
            found = Behind(name, scope.file, rest)
    return found


def _where_to_look(address: str, document: PlanDoc, path: str) -> str:
    """How to see what there is: below as much of the address as is right, else all that is reported, and below a name."""
    parts = address.split(".")
    for count in range(len(parts) - 1, 0, -1):
        if _below(head := ".".join(parts[:count]), head, document):
            return f"{_command('show', path, head)} has all below `{head}`"
    reported = f"{_command('show', path)} has what the plan reports"
    things = (each for section in document.sections for each in section.addresses if "." in each)
    thing = next(things, "").partition(".")[0]
    return f"{reported}; {_command('show', path, thing)} all of `{thing}`" if thing else reported


def _options_meant(address: str, document: PlanDoc) -> list[str]:
    """The options that a word without a dot may stand for: by its name alone, or where a part of it is mistyped."""
    if "." in address:
        return []
    known = [one.address for one in document.options]
    if not depth_of(address):
        return [one for one in known if is_called(one, address)]
    close = nearest(name_of(address), map(name_of, known))
    meant = [one for one in known if name_of(one) in close]
    bases = nearest(bases_of(address)[-1], {bases_of(one)[-1] for one in meant})
    return [one for one in meant if bases_of(one)[-1] in bases] or meant


def _set_at(address: str, document: PlanDoc) -> SettingDoc | None:
    """The field that is no quantity at an address, behind references."""
    wanted = {address, followed(address, document)}
    found = (one for one in document.settings if one.address in wanted and one.sort != "origin")
    return next(found, None)


def _said(setting: SettingDoc) -> str:
    value = f'"{setting.value}"' if setting.sort == "text" else f"`{setting.value}`"
    verb = "it refers to" if setting.sort == "thing" else "it is set to"
    return f"{verb} {value}, {place_text(setting.place)}"


def _numbers_beside(setting: SettingDoc, document: PlanDoc, path: str) -> str:
    """Where numbers are that tell of a field which is none: those of its thing that are named after it, such as
    `mean_input` and `longest_input` of an `input`."""
    if setting.sort == "thing":
        return f"{_command('explain', path, setting.value)} tells what that is"
    parent, _, last = setting.address.rpartition(".")
    beside = [one.address for one in document.quantities if not one.internal and under(one.address, parent)]
    named = [one for one in beside if last in one.removeprefix(f"{parent}.").split("_")]
    if named:
        return f"ask for {' or '.join(f'`{name}`' for name in named)}"
    if beside:
        return f"{_command('show', path, parent)} has the numbers beside it"
    return f"{_command('explain', path, parent)} tells what it is a field of"


def has_quantity(address: str, document: PlanDoc) -> bool:
    """Whether a quantity or a measurement has this address or alias."""
    if any(measured.address == address for measured in document.measurements):
        return True
    wanted = {address, followed(address, document)}
    return any(one.address in wanted or wanted.intersection(one.aliases) for one in document.quantities)


def quantity_at(address: str, document: PlanDoc, scope: Scope | None = None, path: str = "") -> Quantity:
    """The quantity with this address or alias, followed through references; raises `CannotRun` (CW0703)."""
    wanted = {address, followed(address, document)}
    for quantity in document.quantities:
        if quantity.address in wanted or wanted.intersection(quantity.aliases):
            return quantity
    raise unknown(address, document, scope, path)


def named_at(
    addresses: Sequence[str], document: PlanDoc, scope: Scope | None = None, path: str = ""
) -> list[tuple[str, Quantity]]:
    """The quantities at or below each address, by the name that it has there; raises `CannotRun` (CW0703).

    What several names share has a row below each address that was asked for: `prod@alt.price` is no other quantity
    than `prod.price` where the option leaves it alone. Within calls, and in copies that nobody named, only what is
    asked for itself is found.
    """
    found: dict[str, Quantity] = {}
    for address in addresses:
        named = _below(address, address, document)
        if not named and (real := followed(address, document)) != address:
            # An option of what is referred to is no option of the reference.
            below = _below(real, address, document)
            named = {name: one for name, one in below.items() if not name.startswith(f"{address}@")}
        if not named:
            raise unknown(address, document, scope, path)
        found.update(named)
    return list(found.items())


def asked(
    addresses: Sequence[str], document: PlanDoc, scope: Scope | None = None, path: str = ""
) -> list[Quantity]:
    """The quantities at or below addresses, each by the name that it has there, those below one address in the order of
    the report; raises `CannotRun` (CW0703)."""
    found: dict[str, Quantity] = {}
    for address in addresses:
        named = [
            replace(one, address=name, aliases=(*one.aliases, one.address))
            for name, one in named_at([address], document, scope, path)
        ]
        found.update((one.address, one) for one in as_reported(document, named))
    return list(found.values())


def _below(address: str, said: str, document: PlanDoc) -> dict[str, Quantity]:
    """The quantities at or below an address by name, `said` instead of the address."""
    found: dict[str, Quantity] = {}
    for quantity in document.quantities:
        names = (quantity.address, *quantity.aliases)
        name = address if address in names else None
        if name is None and not quantity.internal:
            name = next((one for one in names if _is_below(one, address)), None)
        if name is not None:
            found[said + name[len(address) :]] = quantity
    return found


def _is_below(name: str, address: str) -> bool:
    return name.startswith((f"{address}.", f"{address}@")) and "#" not in name[len(address) :]


def followed(address: str, document: PlanDoc) -> str:
    """The address behind references: `prod.sharding.tensor` is `tp4.tensor` where `prod.sharding` refers to `tp4`."""
    refers = {each.address: each.refers for each in document.settings if each.sort == "thing" and each.refers}
    for _ in refers:
        parts = address.split(".")
        found = [i for i in range(len(parts), 0, -1) if ".".join(parts[:i]) in refers]
        if not found:
            break
        address = ".".join([refers[".".join(parts[: found[0]])] or "", *parts[found[0] :]])
    return address
