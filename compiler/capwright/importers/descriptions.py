"""Descriptions of architectures: what a config's keys mean, which layers there are, which tensors they hold.

A description is a TOML file; the folder `architectures` holds the library's, and a plan may name its own. This module
turns its text into checked data; nothing here knows any architecture.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, Final, Literal

from msgspec import Struct, field

from capwright.importers.formulas import Expression, Unfit, parse

MAX_PARTS: Final = 16
TYPES: Final = {"any", "whole", "each", "number", "bool", "text", "list", "table"}
"""`each` is a whole number, or a list of them: one for each layer, or for each side."""

Texts = Mapping[str, str]
"""Descriptions by name, as texts."""


class Malformed(Exception):
    """A description that cannot be used; its text says where and why."""


class Field(Struct, frozen=True):
    """One fact of a model: read at the first of `keys` that is given (from the decoder's object, or from the
    whole file where it begins with `/`), else `default`, else the value of `otherwise`. `null` is what a key
    given as `null` means, where that is something else. The entries of a list are among `choices`, or the numbers of layers
    from `start` on, each once, below `start + within`; `spelled` are other spellings of choices. `code` is what decides where the config is silent, if not the
    description's."""

    name: str
    keys: tuple[str, ...] = ()
    type: str = "whole"
    default: Any = None
    otherwise: Expression | None = None
    null: Expression | None = None
    least: int = 1
    length: Expression | None = None
    spare: Expression | None = None
    choices: tuple[Any, ...] = ()
    spelled: Mapping[str, str] = field(default_factory=dict)
    within: Expression | None = None
    start: int = 0
    label: str = ""
    code: str = ""


class Group(Struct, frozen=True):
    """Layers of one attention kind: an entity's variant, the layers it has, and its fields."""

    name: str
    kind: str
    layers: Expression
    stored: Expression | None
    fields: Mapping[str, Expression]


class Tensor(Struct, frozen=True):
    """Equal weight tensors: `count` matrices (or vectors) of a shape in each of some layers, or once in a place. What is
    `absorbed` makes keys and values of a latent, and a step that decodes takes it into queries and outputs. What is
    `beside_experts` is a shared expert's though its part is another: that of a layer that drafts."""

    name: str
    part: str
    shape: tuple[Expression, ...]
    count: Expression | None = None
    layers: Expression | None = None
    copies: Expression | None = None
    when: Expression | None = None
    stage: Literal["layers", "first", "last"] = "layers"
    parallel: str = "split"
    heads: Expression | None = None
    experts: Expression | None = None
    active: Expression | None = None
    tied: Expression | None = None
    modules: tuple[str, ...] = ()
    packed: bool = True
    dtype: str = ""
    cut: Literal["outputs", "inputs", "none"] = "outputs"
    absorbed: bool = False
    beside_experts: bool = False


class Draft(Struct, frozen=True):
    """Layers that only draft tokens: `count` of them, each with the tensors of the model's layer `like`, stored as a
    quantisation says of them. Checkpoints name them as the layers after the last, or behind `prefixes`, numbered from 0."""

    count: Expression
    like: Expression
    prefixes: tuple[str, ...] = ()


class Refusal(Struct, frozen=True):
    """A condition under which nothing is imported, or something is left out with a warning."""

    when: Expression
    message: str
    help: str
    code: str = "CW0634"
    at: str = ""
    warning: bool = False


class Description(Struct, frozen=True):
    """A checked description. `decoders` are the places of the decoder's keys, `wraps` says that another description,
    found by the decoder's own names, gives the decoder; `block_scales` is how its checkpoints store power-of-two scales
    of blocks, if not in four bytes; `left_out` are the modules that published checkpoints in blocks of eight-bit floats leave
    out, for copies of their configs that have lost the list."""

    name: str
    title: str
    code: str
    architectures: tuple[str, ...]
    model_types: tuple[str, ...]
    decoders: tuple[str, ...]
    wraps: bool
    fields: Mapping[str, Field]
    sets: Mapping[str, Expression]
    by_layer: Mapping[str, Expression]
    groups: tuple[Group, ...]
    tensors: tuple[Tensor, ...]
    draft: Draft | None
    refusals: tuple[Refusal, ...]
    unread: tuple[str, ...]
    ignored: tuple[str, ...]
    prefixes: tuple[str, ...] = field(default=())
    block_scales: str = ""
    left_out: tuple[str, ...] = ()


@cache
def library() -> Texts:
    """The descriptions that come with the compiler."""
    folder = Path(__file__).with_name("architectures")
    return {file.stem: file.read_text(encoding="utf-8") for file in sorted(folder.glob("*.toml"))}


@lru_cache(maxsize=512)
def read_table(text: str) -> dict[str, Any]:
    """The TOML of a description; raises `Malformed`."""
    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise Malformed(f"it is no TOML: {error}") from None


def merged(table: Mapping[str, Any], texts: Texts, depth: int = 0) -> dict[str, Any]:
    """A description with what it extends, later parts over earlier ones; `false` takes an entry out."""
    if depth > MAX_PARTS:
        raise Malformed("it extends descriptions that extend each other")
    whole: dict[str, Any] = {}
    for part in _texts(table, "extends"):
        if part not in texts:
            raise Malformed(f"it extends `{part}`, which is no description")
        base = merged(read_table(texts[part]), texts, depth + 1)
        _lay_over(whole, {key: value for key, value in base.items() if key not in _OWN})
    _lay_over(whole, {key: value for key, value in table.items() if key != "extends"})
    return whole


_OWN: Final = {"title", "architectures", "model_types", "built_as", "inside"}
"""What a description does not take over from those it extends."""
_SECTIONS: Final = {"fields", "layers", "by_layer", "groups", "tensors"}
"""Tables whose entries `false` takes out."""
_JOINED: Final = {"refuse", "unread", "ignored"}
"""Lists that a description adds to."""


def _lay_over(below: dict[str, Any], above: Mapping[str, Any], section: str = "") -> None:
    """Tables are laid over each other; a fact, an expression or a list stands for itself whatever lay below."""
    for key, value in above.items():
        lower = below.get(key)
        if value is False and section in _SECTIONS:
            below.pop(key, None)
        elif isinstance(value, dict) and isinstance(lower, dict) and section != "fields":
            below[key] = dict(lower)
            _lay_over(below[key], value, key)
        elif key in _JOINED and isinstance(value, list):
            below[key] = [*(lower or []), *value]
        else:
            below[key] = dict(value) if isinstance(value, dict) else value


def described(name: str, table: Mapping[str, Any]) -> Description:
    """The checked data of a merged table; raises `Malformed`."""
    _known(table, _TOP, "a description")
    return Description(
        name=name,
        title=_text(table, "title", name),
        code=_text(table, "code", name),
        architectures=_texts(table, "architectures"),
        model_types=_texts(table, "model_types"),
        decoders=_texts(table, "decoder") or ("",),
        wraps=bool(table.get("wraps", False)),
        fields={key: _field(key, value) for key, value in _table(table, "fields").items()},
        sets={key: _expression(value, f"layers.{key}") for key, value in _table(table, "layers").items()},
        by_layer={
            key: _expression(value, f"by_layer.{key}") for key, value in _table(table, "by_layer").items()
        },
        groups=tuple(_group(key, value) for key, value in _table(table, "groups").items()),
        tensors=tuple(_tensor(key, value) for key, value in _table(table, "tensors").items()),
        draft=_draft(table["draft"]) if table.get("draft") else None,
        refusals=tuple(_refusal(each) for each in table.get("refuse", ())),
        unread=_texts(table, "unread"),
        ignored=_texts(table, "ignored"),
        prefixes=_texts(table, "prefixes"),
        block_scales=_text(table, "block_scales", ""),
        left_out=_texts(table, "left_out"),
    )


_TOP: Final = {
    "title", "code", "architectures", "model_types", "decoder", "wraps", "extends", "fields", "layers", "by_layer",
    "groups", "tensors", "draft", "refuse", "unread", "ignored", "prefixes", "block_scales", "left_out", "inside", "built_as",
}  # fmt: skip
_FIELD: Final = {
    "key", "type", "default", "else", "null", "least", "length", "spare", "choices", "spelled", "within", "start", "label", "code",
}  # fmt: skip
_GROUP: Final = {"kind", "layers", "stored"}
_DRAFT: Final = {"count", "like", "prefixes"}
_TENSOR: Final = {
    "part", "shape", "count", "layers", "copies", "when", "stage", "parallel", "heads", "experts", "active", "tied",
    "modules", "packed", "dtype", "cut", "absorbed", "beside_experts",
}  # fmt: skip


def _field(name: str, value: Any) -> Field:
    where = f"fields.{name}"
    if isinstance(value, str):
        return Field(name, type="any", otherwise=_expression(value, where))
    if isinstance(value, int):
        return Field(name, type="any", default=value)
    if not isinstance(value, dict):
        raise Malformed(f"`{where}` is an expression, or a table with `key`")
    _known(value, _FIELD, f"`{where}`")
    kind = value.get("type", "whole")
    if kind not in TYPES:
        raise Malformed(f"`{where}` has the type `{kind}`, and must be one of {', '.join(sorted(TYPES))}")
    return Field(
        name,
        keys=_texts(value, "key"),
        type=kind,
        default=value.get("default"),
        otherwise=_optional(value, "else", where),
        null=_optional(value, "null", where),
        least=_whole(value, "least", 1),
        length=_optional(value, "length", where),
        spare=_optional(value, "spare", where),
        choices=tuple(value.get("choices", ())),
        spelled=_table(value, "spelled"),
        within=_optional(value, "within", where),
        start=_whole(value, "start", 0),
        label=_text(value, "label", ""),
        code=_text(value, "code", ""),
    )


def _group(name: str, value: Any) -> Group:
    where = f"groups.{name}"
    if not isinstance(value, dict) or not isinstance(value.get("kind"), str):
        raise Malformed(f"`{where}` is a table with `kind`, `layers` and the fields of that kind")
    return Group(
        name,
        value["kind"],
        _expression(value.get("layers", "True"), where),
        _optional(value, "stored", where),
        {key: _expression(each, f"{where}.{key}") for key, each in value.items() if key not in _GROUP},
    )


def _tensor(name: str, value: Any) -> Tensor:
    where = f"tensors.{name}"
    if not isinstance(value, dict) or "part" not in value or not value.get("shape"):
        raise Malformed(f"`{where}` is a table with `part` and `shape`")
    _known(value, _TENSOR, f"`{where}`")
    shape = value["shape"] if isinstance(value["shape"], list) else [value["shape"]]
    stage, cut = value.get("stage", "layers"), value.get("cut", "outputs")
    if stage not in ("layers", "first", "last"):
        raise Malformed(f"`{where}` has the stage `{stage}`, and must have `layers`, `first` or `last`")
    if cut not in ("outputs", "inputs", "none"):
        raise Malformed(f"`{where}` has the cut `{cut}`, and must have `outputs`, `inputs` or `none`")
    return Tensor(
        name,
        _text(value, "part", ""),
        tuple(_expression(each, where) for each in shape),
        count=_optional(value, "count", where),
        layers=_optional(value, "layers", where),
        copies=_optional(value, "copies", where),
        when=_optional(value, "when", where),
        stage=stage,
        parallel=_text(value, "parallel", "split"),
        heads=_optional(value, "heads", where),
        experts=_optional(value, "experts", where),
        active=_optional(value, "active", where),
        tied=_optional(value, "tied", where),
        modules=_texts(value, "modules"),
        packed=bool(value.get("packed", True)),
        dtype=_text(value, "dtype", ""),
        cut=cut,
        absorbed=bool(value.get("absorbed", False)),
        beside_experts=bool(value.get("beside_experts", False)),
    )


def _draft(value: Any) -> Draft:
    if not isinstance(value, dict) or not {"count", "like"} <= set(value):
        raise Malformed("`draft` is a table with `count` and `like`")
    _known(value, _DRAFT, "`draft`")
    count, like = _expression(value["count"], "draft.count"), _expression(value["like"], "draft.like")
    return Draft(count, like, _texts(value, "prefixes"))


def _refusal(value: Any) -> Refusal:
    if not isinstance(value, dict) or not {"when", "message", "help"} <= set(value):
        raise Malformed("each `refuse` has `when`, `message` and `help`")
    return Refusal(
        _expression(value["when"], "refuse"),
        str(value["message"]),
        str(value["help"]),
        str(value.get("code", "CW0634")),
        str(value.get("at", "")),
        bool(value.get("warning", False)),
    )


def _known(table: Mapping[str, Any], known: set[str], what: str) -> None:
    for key in table:
        if key not in known:
            raise Malformed(f"{what} has no `{key}` (it may have {', '.join(sorted(known))})")


def _table(table: Mapping[str, Any], key: str) -> dict[str, Any]:
    value = table.get(key, {})
    if not isinstance(value, dict):
        raise Malformed(f"`{key}` must be a table")
    return value


def _texts(table: Mapping[str, Any], key: str) -> tuple[str, ...]:
    value = table.get(key, ())
    found = (
        (value,) if isinstance(value, str) else tuple(value) if isinstance(value, list | tuple) else (None,)
    )
    if not all(isinstance(each, str) for each in found):
        raise Malformed(f"`{key}` must be a text or a list of texts")
    return found


def _text(table: Mapping[str, Any], key: str, default: str) -> str:
    value = table.get(key, default)
    if not isinstance(value, str):
        raise Malformed(f"`{key}` must be a text")
    return value


def _whole(table: Mapping[str, Any], key: str, default: int) -> int:
    value = table.get(key, default)
    if type(value) is not int:
        raise Malformed(f"`{key}` must be a whole number")
    return value


def _optional(table: Mapping[str, Any], key: str, where: str) -> Expression | None:
    return _expression(table[key], f"{where}.{key}") if key in table else None


def _expression(value: Any, where: str) -> Expression:
    text = str(value) if isinstance(value, bool | int | str) else ""
    try:
        return parse(text)
    except Unfit as unfit:
        raise Malformed(f"`{where}`: {unfit}") from None
