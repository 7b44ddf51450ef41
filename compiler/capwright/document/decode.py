"""From JSON values to the frozen classes of a document, every value checked against its declared type."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from types import NoneType, UnionType
from typing import Any, Final, Literal, TypeVar, Union, get_args, get_origin

from msgspec import Struct
from msgspec.structs import fields

from capwright.base.exact import NUMBER
from capwright.document.decode_tree import SIZE, Mismatch, check_tree
from capwright.document.impossible import check_range, ranges_of

__all__ = ["Mismatch", "decode"]

T = TypeVar("T")
Reader = Callable[[Any], Any]

_NUMERIC: Final = frozenset(
    {
        *(
            "low",
            "nominal",
            "high",
            "margin_low",
            "margin_nominal",
            "margin_high",
            "domain_low",
            "domain_high",
        ),
        *("difference", "ratio", "share", "error"),
    }
)
"""The text fields that hold a number, in every class of a document."""
_WORDS: Final[dict[type, str]] = {str: "text", int: "whole number", bool: "truth value"}


def decode(kind: type[T], raw: object, *, ignore_unknown: bool) -> T:
    """`raw` as a `kind`. Raises `Mismatch`; unknown keys are one too, unless they are to be ignored."""
    result: T = _reader(kind, "", ignore_unknown)(raw)
    return result


def _reader(hint: Any, name: str, ignore_unknown: bool) -> Reader:
    if isinstance(hint, type) and issubclass(hint, Struct):
        return _record(hint, ignore_unknown)
    origin, args = get_origin(hint), get_args(hint)
    if origin in (Union, UnionType):
        return _optional(_reader(next(arg for arg in args if arg is not NoneType), name, ignore_unknown))
    if origin is tuple:
        return _list(_reader(args[0], name, ignore_unknown), name)
    if origin is Literal:
        return _choice(args, name)
    if origin is dict:
        # `Any` is only ever the value type of a formula tree.
        return _tree if args[1] is Any else _map(_reader(args[1], name, ignore_unknown), name)
    return _scalar(hint, name)


@cache
def _record(kind: type[Struct], ignore_unknown: bool) -> Reader:
    parts = fields(kind)
    readers = {part.name: _reader(part.type, part.name, ignore_unknown) for part in parts}
    required = frozenset(part.name for part in parts if part.required)
    ranges = ranges_of(readers)

    def read(raw: Any) -> Any:
        if not isinstance(raw, dict):
            raise Mismatch(f"a {kind.__name__} should be an object")
        if not required <= raw.keys():
            raise Mismatch(f"`{min(required - raw.keys())}` is missing in a {kind.__name__}")
        if not ignore_unknown and not raw.keys() <= readers.keys():
            raise Mismatch(f"a {kind.__name__} has no `{min(raw.keys() - readers.keys())[:80]}`")
        record = kind(**{key: readers[key](value) for key, value in raw.items() if key in readers})
        for ends in ranges:
            check_range(record, ends)
        return record

    return read


def _optional(inner: Reader) -> Reader:
    return lambda raw: None if raw is None else inner(raw)


def _list(inner: Reader, name: str) -> Reader:
    def read(raw: Any) -> Any:
        if not isinstance(raw, list):
            raise Mismatch(f"`{name}` should be a list")
        return tuple(inner(item) for item in raw)

    return read


def _map(inner: Reader, name: str) -> Reader:
    def read(raw: Any) -> Any:
        if not isinstance(raw, dict):
            raise Mismatch(f"`{name}` should be an object")
        return {key: inner(raw[key]) for key in sorted(raw)}

    return read


def _choice(allowed: tuple[str, ...], name: str) -> Reader:
    def read(raw: Any) -> Any:
        if not isinstance(raw, str) or raw not in allowed:
            raise Mismatch(f"`{name}` should be one of {', '.join(allowed)}")
        return raw

    return read


def _scalar(kind: type, name: str) -> Reader:
    pattern = SIZE if name == "factor" else NUMBER if kind is str and name in _NUMERIC else None

    def read(raw: Any) -> Any:
        if type(raw) is not kind:
            raise Mismatch(f"`{name}` should be a {_WORDS[kind]}")
        if pattern is not None and not pattern.fullmatch(str(raw)):
            raise Mismatch(f"`{name}` should be an exact number such as `7/2`")
        return raw

    return read


def _tree(raw: Any) -> Any:
    check_tree(raw)
    return raw
