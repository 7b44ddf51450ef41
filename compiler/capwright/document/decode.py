"""From JSON values to the frozen classes of a document, every value checked against its declared type."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import MISSING, Field, fields, is_dataclass
from functools import lru_cache
from types import NoneType, UnionType
from typing import Any, Final, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

T = TypeVar("T")
Reader = Callable[[Any, bool], Any]

NUMBER: Final = re.compile(r"-?[0-9]{1,2500}(/[1-9][0-9]{0,2499})?")
"""Exact text of a number in base units."""

_NUMERIC: Final = frozenset(
    {"low", "nominal", "high", "margin_low", "margin_nominal", "margin_high", "factor"}
)
"""The text fields that hold a number, in every class of a document."""

_CONTEXTUAL: Final = {
    "const": ("value",),
    "ref": ("address",),
    "var": ("name",),
    "pow": ("args", "exponent"),
    "ceil": ("args", "step"),
    "floor": ("args", "step"),
    "kernel": ("args", "function", "static"),
    "assume": ("args", "source", "low", "high"),
    "search": ("which", "variable", "low", "high", "condition", "step"),
}
_PLAIN: Final = frozenset(
    "add sub mul div neg min max mod divides sqrt log2 exp lt le eq ne and or not if effective".split()
)
_TREES: Final = frozenset({"low", "high", "condition"})
_EXACT: Final = frozenset({"value", "step"})
_OPTIONAL: Final = {"const": ("text", "place")}


class Mismatch(ValueError):
    """A value is not of the declared type; the text names the place and what is wrong."""


def decode(kind: type[T], raw: object, *, ignore_unknown: bool) -> T:
    """`raw` as a `kind`. Raises `Mismatch`; unknown keys are one too, unless they are to be ignored."""
    result: T = _reader(kind, "")(raw, ignore_unknown)
    return result


def _reader(hint: Any, name: str) -> Reader:
    if isinstance(hint, type) and is_dataclass(hint):
        return _record(hint)
    origin, args = get_origin(hint), get_args(hint)
    if origin in (Union, UnionType):
        return _optional(_reader(next(arg for arg in args if arg is not NoneType), name), name)
    if origin is tuple:
        return _list(_reader(args[0], name), name)
    if origin is Literal:
        return _choice(args, name)
    if origin is dict:
        return _tree_reader if args[1] is Any else _map(_reader(args[1], name), name)
    return _scalar(hint, name)


@lru_cache(maxsize=None)
def _record(kind: type) -> Reader:
    hints = get_type_hints(kind)
    # `Any` is only ever the value type of a formula tree.
    readers = {field.name: _reader(hints[field.name], field.name) for field in fields(kind)}
    required = frozenset(field.name for field in fields(kind) if _required(field))

    def read(raw: Any, ignore_unknown: bool) -> Any:
        if not isinstance(raw, dict):
            raise Mismatch(f"a {kind.__name__} should be an object")
        if not required <= raw.keys():
            raise Mismatch(f"`{min(required - raw.keys())}` is missing in a {kind.__name__}")
        given: dict[str, Any] = {}
        for key, value in raw.items():
            reader = readers.get(key)
            if reader is not None:
                given[key] = reader(value, ignore_unknown)
            elif not ignore_unknown:
                raise Mismatch(f"a {kind.__name__} has no `{key[:80]}`")
        return kind(**given)

    return read


def _required(field: Field[Any]) -> bool:
    return field.default is MISSING and field.default_factory is MISSING


def _optional(inner: Reader, name: str) -> Reader:
    return lambda raw, ignore_unknown: None if raw is None else inner(raw, ignore_unknown)


def _list(inner: Reader, name: str) -> Reader:
    def read(raw: Any, ignore_unknown: bool) -> Any:
        if not isinstance(raw, list):
            raise Mismatch(f"`{name}` should be a list")
        return tuple(inner(item, ignore_unknown) for item in raw)

    return read


def _map(inner: Reader, name: str) -> Reader:
    def read(raw: Any, ignore_unknown: bool) -> Any:
        if not isinstance(raw, dict):
            raise Mismatch(f"`{name}` should be an object")
        return {key: inner(value, ignore_unknown) for key, value in raw.items()}

    return read


def _choice(allowed: tuple[str, ...], name: str) -> Reader:
    def read(raw: Any, ignore_unknown: bool) -> Any:
        if not isinstance(raw, str) or raw not in allowed:
            raise Mismatch(f"`{name}` should be one of {', '.join(allowed)}")
        return raw

    return read


def _scalar(kind: type, name: str) -> Reader:
    exact = kind is str and name in _NUMERIC

    def read(raw: Any, ignore_unknown: bool) -> Any:
        if type(raw) is not kind:
            raise Mismatch(f"`{name}` should be a {_WORDS[kind]}")
        if exact and NUMBER.fullmatch(raw) is None:
            raise Mismatch(f"`{name}` should be an exact number such as `7/2`")
        return raw

    return read


_WORDS: Final[dict[type, str]] = {str: "text", int: "whole number", bool: "truth value"}


def _tree_reader(raw: Any, ignore_unknown: bool) -> Any:
    _check_tree(raw)
    return raw


def _check_tree(raw: Any) -> None:
    if not isinstance(raw, dict) or not isinstance(raw.get("op"), str):
        raise Mismatch("a formula should be an object with an `op`")
    op = raw["op"]
    needed = ("args",) if op in _PLAIN else _CONTEXTUAL.get(op)
    if needed is None:
        raise Mismatch(f"a formula has no op `{op[:80]}`")
    known = {"op", *needed, *_OPTIONAL.get(op, ())}
    missing, spare = set(needed) - raw.keys(), raw.keys() - known
    if missing or spare:
        raise Mismatch(f"in a formula, `{op}` should have {', '.join(f'`{key}`' for key in needed)}")
    for key in known & raw.keys():
        _check_member(op, key, raw[key])


def _check_member(op: str, key: str, value: Any) -> None:
    if key in _TREES:
        if value is not None or op != "assume":
            _check_tree(value)
    elif key == "args":
        if not isinstance(value, list):
            raise Mismatch("`args` should be a list")
        for item in value:
            _check_tree(item)
    elif key == "exponent":
        if type(value) is not int:
            raise Mismatch("`exponent` should be a whole number")
    elif key == "static":
        if not isinstance(value, list):
            raise Mismatch("`static` should be a list")
    elif key == "which":
        if value not in ("largest", "smallest"):
            raise Mismatch("`which` should be largest or smallest")
    elif not isinstance(value, str) or (key in _EXACT and NUMBER.fullmatch(value) is None):
        raise Mismatch(f"`{key}` of `{op}` is not as it should be")
