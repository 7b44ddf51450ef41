"""Trees as plain tuples: to save a parsed library, and to move a statement to another place in its file.

A node is `(class number, field, …)`; a span is `(start, end)`, the file being known from outside. What
is written holds only tuples, text, whole numbers and None, so `marshal` keeps it.
"""

from __future__ import annotations

import hashlib
import marshal
from collections.abc import Callable
from fractions import Fraction
from typing import Any, Final

from msgspec import Struct

from capwright.base.source import Span
from capwright.syntax import tree
from capwright.syntax.fingerprint import parser_sha256
from capwright.syntax.tree import Clauses, Module

_CLASSES: Final[tuple[type[Any], ...]] = tuple(
    found
    for found in vars(tree).values()
    if isinstance(found, type) and issubclass(found, Struct) and found is not Struct
)
_NUMBERS: Final = {made: number for number, made in enumerate(_CLASSES)}
_NO_CLAUSES: Final = Clauses()
_new_tuple: Final = tuple.__new__  # half the time of calling Span

Encoder = Callable[[Any], Any]
Decoder = Callable[[Any, str, int], Any]


def encode(node: Any) -> tuple[Any, ...]:
    """A node as plain tuples."""
    kind = type(node)
    return (
        _NUMBERS[kind],
        *[
            value if encoder is None or value is None else encoder(value)
            for encoder, value in ((encoder, getattr(node, name)) for name, encoder, _ in _SHAPES[kind])
        ],
    )


def decode(data: Any, file: str, shift: int = 0) -> Any:
    """The node that `encode` wrote, in `file`, `shift` characters further on."""
    kind, spans, parts = _DECODERS[data[0]]
    values = list(data)
    del values[0]
    for index in spans:
        pair = values[index]
        if pair is not None:
            values[index] = _new_tuple(Span, (file, pair[0] + shift, pair[1] + shift))
    for index, decoder in parts:
        value = values[index]
        if value is not None:
            values[index] = decoder(value, file, shift)
    return kind(*values)


def moved(node: Any, file: str, shift: int) -> Any:
    """The same node, `shift` characters further on."""
    return decode(encode(node), file, shift)


def content_key(text: str) -> str:
    """What a saved tree depends on: the file's text, the parser, the shape of the tree, and how `marshal` writes."""
    return hashlib.sha256(f"{_SHAPE_KEY}|{parser_sha256()}|{text}".encode()).hexdigest()


def dump(module: Module, text: str) -> bytes:
    """A parsed file as bytes for `load`; `text` is what it was parsed from."""
    return marshal.dumps((content_key(text), [encode(statement) for statement in module.statements]))


def load(data: bytes, path: str, text: str) -> Module | None:
    """The module that `dump` wrote for this text, or None if it is another's."""
    try:
        key, statements = marshal.loads(data)  # noqa: S302 - written by the build hook, inside the package
    except (EOFError, ValueError, TypeError):
        return None
    if key != content_key(text):
        return None
    return Module(path, tuple([decode(statement, path) for statement in statements]))


# ── one encoder and decoder a field, chosen by its annotation ────────────────────────────────────


def _encode_span(span: Span) -> tuple[int, int]:
    return span.start, span.end


def _decode_span(pair: tuple[int, int], file: str, shift: int) -> Span:
    return _new_tuple(Span, (file, pair[0] + shift, pair[1] + shift))


def _encode_number(value: int | Fraction) -> int | tuple[int, int]:
    return value if type(value) is int else (value.numerator, value.denominator)


def _decode_number(value: int | tuple[int, int], _file: str, _shift: int) -> int | Fraction:
    return value if type(value) is int else Fraction(*value)  # type: ignore[misc]


def _encode_nodes(nodes: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple([encode(node) for node in nodes])


def _decode_nodes(nodes: tuple[Any, ...], file: str, shift: int) -> tuple[Any, ...]:
    return tuple([decode(node, file, shift) for node in nodes])


def _encode_clauses(clauses: Clauses) -> tuple[Any, ...]:
    return () if clauses == _NO_CLAUSES else encode(clauses)


def _decode_clauses(data: tuple[Any, ...], file: str, shift: int) -> Any:
    return decode(data, file, shift) if data else _NO_CLAUSES


def _encode_paths(paths: tuple[tuple[tuple[str, ...], Span], ...]) -> tuple[Any, ...]:
    return tuple([(names, _encode_span(span)) for names, span in paths])


def _decode_paths(paths: tuple[Any, ...], file: str, shift: int) -> tuple[Any, ...]:
    return tuple([(names, _decode_span(span, file, shift)) for names, span in paths])


_PLAIN: Final = ("Literal", "tuple[str", "tuple[tuple[str", "tuple[tuple[tuple[str, ...], ...]")
"""How annotations begin of what is written as it is: texts, and tuples of them."""


def _codec(annotation: str) -> tuple[Encoder | None, Decoder | None]:
    bare = annotation.removesuffix(" | None")
    if bare == "Span":
        return _encode_span, _decode_span
    if bare == "Number":
        return _encode_number, _decode_number
    if bare == "Clauses":
        return _encode_clauses, _decode_clauses
    if bare == "tuple[tuple[tuple[str, ...], Span], ...]":
        return _encode_paths, _decode_paths
    if bare in {"str", "bool", "Relation"} or bare.startswith(_PLAIN):
        return None, None
    return (_encode_nodes, _decode_nodes) if bare.startswith("tuple[") else (encode, decode)


_SHAPES: Final = {
    kind: [(name, *_codec(kind.__annotations__[name])) for name in kind.__struct_fields__]
    for kind in _CLASSES
}
_DECODERS: Final = [
    (
        kind,
        [index for index, (_, _, decoder) in enumerate(shape) if decoder is _decode_span],
        [
            (index, decoder)
            for index, (_, _, decoder) in enumerate(shape)
            if decoder not in (None, _decode_span)
        ],
    )
    for kind, shape in _SHAPES.items()
]
"""By class number: the class, where its spans are (most of what is decoded), and its other parts."""
_SHAPE_KEY: Final = repr(
    [marshal.version, [(kind.__name__, list(kind.__annotations__.items())) for kind in _CLASSES]]
)
