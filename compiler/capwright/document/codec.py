"""A PlanDoc or a DiffDoc as JSON text and back.

The text is deterministic: fields in declaration order, keys of free-form objects sorted, one list item a
line, so that a committed document has readable diffs. Reading checks every value against its declared type;
`grammar/*.schema.json` say the same thing to others, and name further places when something is wrong.
"""

from __future__ import annotations

import json
import re
from typing import Any, Final, TypeVar, get_args, get_type_hints

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from capwright.base.address import option_of
from capwright.base.diagnostic import Diagnostic
from capwright.base.source import Span
from capwright.document import diffdoc
from capwright.document.decode import Mismatch, decode
from capwright.document.diffdoc import AnswerChange, DiffDoc, QuantityEntry, Remark, VerdictChange
from capwright.document.impossible import Impossible, check_names
from capwright.document.key_order import ordered
from capwright.document.outcome import became_worse
from capwright.document.plandoc import FORMAT, VERSION, PlanDoc, Quantity

T = TypeVar("T")

_LOOKED_THROUGH: Final = 1 << 18
"""Characters of a broken document that its schema is held against: a second's work."""
_DEPARTURES: Final = 3
_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_LEAVES: Final = frozenset({type(None), bool, int, str})
_ENCODER: Final = json.JSONEncoder(ensure_ascii=False)
_SHOWN: Final = 24
"""Signs that are told of a version that is none."""
_OUTRIGHT: Final = 4
"""The minor version of comparisons since which they say what is worse."""
_REMARKED: Final = 4
"""The last minor version of comparisons in which some remarks are of what was not compared."""
_SORTS: Final = frozenset(get_args(get_type_hints(Remark)["sort"]))
"""Of remarks, as this version knows them."""
_VERSION: Final = re.compile(r"(\d{1,4})\.(\d{1,4})")


def to_json(doc: PlanDoc | DiffDoc) -> str:
    """The document as JSON text that ends with a line end."""
    head = (diffdoc.FORMAT, diffdoc.VERSION) if isinstance(doc, DiffDoc) else (FORMAT, VERSION)
    parts = [f'"format": {_line(head[0])}', f'"version": {_line(head[1])}']
    parts += [f'"{name}": {_member(getattr(doc, name))}' for name in doc.__struct_fields__]
    return "{\n" + ",\n".join(parts) + "\n}\n"


def _member(value: object) -> str:
    if isinstance(value, tuple) and value:
        return "[\n" + ",\n".join(_line(item) for item in value) + "\n]"
    return _line(value)


def _line(value: object) -> str:
    # Quantities, which are nearly all of a document, have their keys in order from the first.
    made = value if type(value) is Quantity else plain(value)
    try:
        return msgspec.json.format(msgspec.json.encode(made), indent=0).decode()
    except UnicodeEncodeError:
        # A half of a surrogate pair cannot be written as UTF-8; a key in someone's config may hold one.
        return _SURROGATE.sub(lambda found: f"\\u{ord(found[0]):04x}", _ENCODER.encode(plain(value)))


def plain(value: object) -> Any:
    """Records and tuples as JSON objects and lists, keys in their stable order."""
    if type(value) in _LEAVES:
        return value
    # Of what is in it, most are leaves: these are not asked one by one.
    if isinstance(value, dict):
        keys = ordered(tuple(value))
        return {key: each if type(each := value[key]) in _LEAVES else plain(each) for key in keys}
    if isinstance(value, tuple | list):
        return [each if type(each) in _LEAVES else plain(each) for each in value]
    if isinstance(value, Struct):
        return {
            name: each if type(each := getattr(value, name)) in _LEAVES else plain(each)
            for name in value.__struct_fields__
        }
    raise TypeError(f"a document holds no {type(value).__name__}")


def from_json(text: str, path: str = "document") -> tuple[PlanDoc | None, tuple[Diagnostic, ...]]:
    """The plan's document that `text` holds, or None and what is wrong with it.

    An older minor version is read with its defaults, of a newer one the additions are left out, and another
    major version is refused. `path` names the file in messages.
    """
    return _read(text, path, PlanDoc, FORMAT, VERSION)


def diff_from_json(text: str, path: str = "document") -> tuple[DiffDoc | None, tuple[Diagnostic, ...]]:
    """The comparison that `text` holds, read as `from_json` reads a plan's document."""
    return _read(text, path, DiffDoc, diffdoc.FORMAT, diffdoc.VERSION)


def _read(
    text: str, path: str, kind: type[T], own_format: str, own_version: str
) -> tuple[T | None, tuple[Diagnostic, ...]]:
    try:
        raw = json.loads(text, parse_constant=_no_constant)
    except (ValueError, RecursionError) as mistake:
        return None, (_not_json(path, text, mistake),)
    if not isinstance(raw, dict) or raw.get("format") != own_format:
        return None, (_foreign(path, own_format),)
    version = str(raw.pop("version", ""))
    found = _VERSION.fullmatch(version)
    own_major, own_minor = (int(part) for part in own_version.split("."))
    if found is None or int(found[1]) != own_major:
        return None, (_other_version(path, version, own_version),)
    del raw["format"]
    minor = int(found[2])
    newer = minor > own_minor
    if newer and kind is DiffDoc:
        _leave_out_remarks(raw)
    if minor <= _REMARKED and kind is DiffDoc:
        _take_uncompared(raw)
    try:
        doc = decode(kind, raw, ignore_unknown=newer)
        if isinstance(doc, PlanDoc):
            check_names(doc)
        return _filled(doc, minor), _left_out(path, found[0], own_version) if newer else ()
    except (Mismatch, RecursionError) as mistake:
        return None, (_broken(path, str(mistake), _departures(text, own_format)),)
    except Impossible as mistake:
        return None, (_impossible(path, str(mistake)),)


def _leave_out_remarks(raw: dict[str, Any]) -> None:
    """Take the remarks out of a newer comparison that are of a sort which this version does not know."""
    remarks = raw.get("remarks")
    if isinstance(remarks, list):
        raw["remarks"] = [one for one in remarks if not _is_of_new_sort(one)]


def _is_of_new_sort(remark: object) -> bool:
    sort = remark.get("sort") if isinstance(remark, dict) else None
    return isinstance(sort, str) and sort not in _SORTS


def _take_uncompared(raw: dict[str, Any]) -> None:
    """Take the remarks of an older comparison that tell what was not compared of options to what tells that since."""
    remarks, told = raw.get("remarks"), raw.get("uncompared", [])
    if not isinstance(remarks, list) or not isinstance(told, list):
        return
    of_options = [one for one in remarks if isinstance(one, dict) and one.get("sort") == "option"]
    if of_options:
        raw["remarks"] = [one for one in remarks if one not in of_options]
        raw["uncompared"] = [*told, *(one.get("text") for one in of_options)]


def _filled(doc: T, minor: int) -> T:
    """A comparison of an older version with what newer ones say outright: what is worse, and whose a quantity is."""
    if not isinstance(doc, DiffDoc) or minor >= _OUTRIGHT:
        return doc
    moved = {option.address for option in doc.options}
    known = moved | {answer.option for answer in doc.answers}

    def owned(entry: QuantityEntry) -> QuantityEntry:
        option = option_of(entry.address, known)
        return replace(entry, option=option if option in moved else None)

    return replace(
        doc,
        verdicts=tuple(replace(one, worse=_is_worse(one)) for one in doc.verdicts),
        answers=tuple(replace(one, worse=_is_worse(one)) for one in doc.answers),
        added=tuple(map(owned, doc.added)),
        removed=tuple(map(owned, doc.removed)),
    )


def _is_worse(change: VerdictChange | AnswerChange) -> bool:
    return change.what != "margin" and became_worse(change.before, change.after)


def schema_errors(text: str, schema: dict[str, Any]) -> tuple[str, ...]:
    """Where a document departs from the schema: `place: what is wrong`, the most telling ones first."""
    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import relevance

    found = sorted(Draft202012Validator(schema).iter_errors(json.loads(text)), key=relevance, reverse=True)
    return tuple(f"{error.json_path}: {error.message[:200]}" for error in found)


def _departures(text: str, own_format: str) -> tuple[str, ...]:
    """The first departures of a broken document from its schema, where it is small enough to look for them all."""
    from capwright.syntax.grammar import beside_grammar

    if len(text) > _LOOKED_THROUGH:
        return ()
    schema = json.loads(beside_grammar(f"{own_format.rpartition('/')[2]}.schema.json"))
    try:
        return schema_errors(text, schema)[:_DEPARTURES]
    except RecursionError:
        return ()


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is no JSON number")


def _at(path: str, start: int = 0, end: int = 0) -> Span:
    return Span(path, start, end)


def _not_json(path: str, text: str, mistake: Exception) -> Diagnostic:
    place = min(mistake.pos, len(text)) if isinstance(mistake, json.JSONDecodeError) else 0
    reason = mistake.msg if isinstance(mistake, json.JSONDecodeError) else "it cannot be read as JSON"
    return Diagnostic(
        "CW0720",
        _at(path, place, min(place + 1, len(text))),
        f"this is no JSON document: {reason}",
        "give a document that `capwright build` wrote, or build the plan again",
    )


def _foreign(path: str, own_format: str) -> Diagnostic:
    return Diagnostic(
        "CW0721",
        _at(path),
        f"this JSON file is no capwright document: its `format` is not `{own_format}`",
        "give the .json file that `capwright build` wrote beside the report",
    )


def _other_version(path: str, version: str, own: str) -> Diagnostic:
    shown = f"{version[:_SHOWN]}…" if len(version) > _SHOWN else version
    return Diagnostic(
        "CW0722",
        _at(path),
        f"this document has {f'version {shown}' if shown else 'no version'}; this capwright reads {own.split('.', maxsplit=1)[0]}.x",
        "read it with the capwright that wrote it, or build the plan again with this one",
    )


def _left_out(path: str, version: str, own: str) -> tuple[Diagnostic, ...]:
    return (
        Diagnostic(
            "CW0723",
            _at(path),
            f"this document has version {version}; this capwright knows {own} and leaves the additions out",
            "upgrade capwright to see all of it",
            "hint",
        ),
    )


def _impossible(path: str, what: str) -> Diagnostic:
    return Diagnostic(
        "CW0725",
        _at(path),
        f"this document says what cannot be: {what}",
        "it was edited, or put together of several; build the plan again",
    )


def _broken(path: str, what: str, departures: tuple[str, ...]) -> Diagnostic:
    said = "".join(f"\n{one}" for one in departures)
    return Diagnostic(
        "CW0724",
        _at(path),
        f"this document does not have the shape of a capwright document: {what}",
        "it was edited or cut off; build the plan again" + (f". Its schema says:{said}" if said else ""),
    )
