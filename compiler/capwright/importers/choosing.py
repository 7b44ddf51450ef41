"""Which description reads a config: by the names it gives, by those of its decoder, or by the plan's own word."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from capwright.base.source import Span
from capwright.importers.config_keys import Config, found
from capwright.importers.descriptions import Description, Malformed, Texts, described, merged, read_table
from capwright.importers.words import quoted

MAX_DESCRIPTION: Final = 200_000
DECLARE: Final = (
    'describe it in a file beside the plan, `config("config.json", architecture: "my.toml")`, or declare the model: '
    "`model NAME { hidden_size, vocabulary, max_context, dtype; "
    "group NAME : grouped_query { layers, q_heads, kv_heads, key_dim }; tensor NAME { part, parameters, copies } }`"
)


def choose(config: Config, texts: Texts, own: tuple[str, str] | None) -> Description | None:
    """The description of what the config describes, with `config.decoder` set; None with a message.

    `own` is a description that the plan names: where it is shown, and its text.
    """
    table = _own(config, texts, own) if own is not None else _by_names(config, texts)
    if table is None:
        return None
    try:
        found_at = described("own", table)
        _enter(config, found_at)
        if not config.decoder and _needs_a_decoder(config, found_at):
            say_without_decoder(config, found_at)
            return None
        if not found_at.wraps:
            return _nested(table) if config.decoder else found_at
        inner = _inner(config, texts)
        if inner is None:
            return None
        if inner.get("wraps"):
            message = (
                f"the decoder of {found_at.title} is {inner.get('title')}, which holds a decoder of its own"
            )
            help = "give the inner model's config by itself, or " + DECLARE
            config.say("CW0620", config.decoder, message, help)
            return None
        whole = merged({**inner, "extends": []}, texts)
        for part in ("tensors", "groups", "layers", "by_layer"):
            whole[part] = {**whole.get(part, {}), **table.get(part, {})}
        whole["inside"] = {**whole.get("inside", {}), **table.get("inside", {})}
        fields = {name: _by_code(value, found_at.code) for name, value in table.get("fields", {}).items()}
        whole["fields"] = {**_inside(whole), **fields}
        for part in ("refuse", "ignored", "unread"):
            whole[part] = [*whole.get(part, []), *table.get(part, [])]
        whole["prefixes"] = table.get("prefixes", whole.get("prefixes", []))
        return described("own", whole)
    except Malformed as fault:
        _faulty(config, own, str(fault))
        return None


def _by_code(value: Any, code: str) -> Any:
    """A field of a wrapper, whose defaults are its own code's and not the decoder's."""
    if isinstance(value, str):
        return {"type": "any", "else": value, "code": code}
    return {"code": code, **value} if isinstance(value, dict) else value


def _nested(table: dict[str, Any]) -> Description:
    """A description whose decoder's keys stand in an object of their own, which may leave out what the class gives."""
    return described("own", {**table, "fields": _inside(table)})


def _inside(inner: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a decoder in another model, whose config leaves out what its class gives."""
    fields = dict(inner.get("fields", {}))
    for name, default in inner.get("inside", {}).items():
        given = fields.get(name)
        if isinstance(given, dict) and "default" not in given:
            fields[name] = {
                **{key: value for key, value in given.items() if key != "else"},
                "default": default,
            }
    return fields


def _own(config: Config, texts: Texts, own: tuple[str, str]) -> dict[str, Any] | None:
    try:
        if len(own[1]) > MAX_DESCRIPTION:
            raise Malformed(f"it has over {MAX_DESCRIPTION:_} characters")
        return merged(read_table(own[1]), texts)
    except Malformed as fault:
        _faulty(config, own, str(fault))
        return None


def _faulty(config: Config, own: tuple[str, str] | None, words: str) -> None:
    file = own[0] if own is not None else "std/architectures"
    where = Span(file, 0, 0)
    config.say_at(
        "CW0650", where, f"the description of an architecture cannot be used: {words}", "correct it"
    )


def _enter(config: Config, description: Description) -> None:
    """Set where the decoder's keys stand."""
    for path in description.decoders:
        parts = tuple(path.split(".")) if path else ()
        if isinstance(found(config.data, parts), Mapping):
            config.decoder = parts
            return
    config.decoder = ()


def _by_names(config: Config, texts: Texts) -> dict[str, Any] | None:
    names, kind = config.data.get("architectures"), config.data.get("model_type")
    if names is not None and not (isinstance(names, list) and all(isinstance(each, str) for each in names)):
        help = "give it as the model ships it"
        config.say("CW0622", "architectures", "/architectures must be a list of names", help)
        return None
    if not names and not isinstance(kind, str):
        config.say("CW0620", (), "the config names no architecture", "give `architectures`, or " + DECLARE)
        return None
    table = _found(texts, "architectures", names) if names else _found(texts, "model_types", [kind])
    table = _of_another_class(texts, names, kind) or table
    if table is None:
        where, shown = ("architectures", names[0]) if names else ("model_type", kind)
        message = f"the architecture {quoted(shown)} is not known here"
        config.say("CW0620", where, message, DECLARE)
        return None
    if isinstance(kind, str) and kind not in table.get("model_types", ()):
        wanted = " or ".join(f"`{each}`" for each in table.get("model_types", ()))
        message = f"/architectures says {quoted((names or [''])[0])} and /model_type {quoted(kind)}"
        config.say("CW0628", "model_type", message, f"{table.get('title')} has the type {wanted}")
        return None
    return table


def _of_another_class(texts: Texts, names: list[str] | None, kind: Any) -> dict[str, Any] | None:
    """The description of a model type whose models are built by a class that another architecture has its name from."""
    table = _found(texts, "model_types", [kind]) if names and isinstance(kind, str) else None
    return table if table is not None and names and names[0] in table.get("built_as", ()) else None


def _inner(config: Config, texts: Texts) -> dict[str, Any] | None:
    """The description of a decoder in another model, by the decoder's own names."""
    decoder = found(config.data, config.decoder)
    names, kind = decoder.get("architectures"), decoder.get("model_type")
    names = [each for each in names if isinstance(each, str)] if isinstance(names, list) else []
    table = _found(texts, "model_types", [kind]) or _found(texts, "architectures", names)
    if table is None:
        shown = kind or (names[0] if names else "no name")
        message = f"the decoder's type {quoted(shown)} is not known here"
        config.say("CW0620", config.path_of("model_type"), message, DECLARE)
    return table


def _needs_a_decoder(config: Config, description: Description) -> bool:
    """Whether the decoder's keys can stand in an object of their own only, or something else stands in its place."""
    if description.wraps or "" not in description.decoders:
        return True
    return any(
        path and found(config.data, tuple(path.split("."))) is not None for path in description.decoders
    )


def say_without_decoder(config: Config, description: Description) -> None:
    """That the object is not there in which the decoder's keys stand."""
    name = description.decoders[0]
    here = tuple(name.split("."))
    given = found(config.data, here)
    lacking = "which the config does not have" if given is None else "which is no object in the config"
    config.say(
        "CW0621",
        () if given is None else here,
        f"{description.title} holds its decoder in `{name}`, {lacking}",
        f"give `{name}`, the object with the decoder's own keys",
    )


def _found(texts: Texts, list_name: str, names: list[Any] | None) -> dict[str, Any] | None:
    """The merged description that lists the first known of some names; raises `Malformed`."""
    for name in names or ():
        for text in texts.values():
            if f'"{name}"' in text:
                table = read_table(text)
                if name in table.get(list_name, ()):
                    return merged(table, texts)
    return None
