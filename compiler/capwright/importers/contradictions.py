"""Two statements of a config that cannot both be meant: the decoder's names, its keys at two levels, one key in two spellings."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any, Final

from capwright.importers.config_keys import Config, found
from capwright.importers.descriptions import Description, library, read_table
from capwright.importers.words import quoted

SPELLINGS: Final = (
    ("num_hidden_layers", "n_layer", "n_layers", "num_layers"),
    ("hidden_size", "n_embd", "d_model"),
    ("num_attention_heads", "n_head", "n_heads"),
    ("num_key_value_heads", "num_kv_heads", "n_head_kv"),
    ("intermediate_size", "ffn_hidden_size", "n_inner"),
    ("max_position_embeddings", "n_positions", "max_seq_len", "seq_length"),
)
"""Keys by which code of different origin calls one size."""
_ONE: Final = "leave the one that is right"


def check_contradictions(config: Config, description: Description) -> None:
    """Messages: CW0628 where the decoder's names are of another architecture, an error; CW0632 where a key that is read
    has another value at the other level or in another spelling, a warning that says which counts."""
    _check_names(config, description)
    read = {key for each in description.fields.values() for key in each.keys}
    if config.decoder:
        _check_levels(config, read)
    _check_spellings(config, read)


def _check_names(config: Config, description: Description) -> None:
    """The decoder's `model_type` and `architectures`, where they are those of a description."""
    decoder = found(config.data, config.decoder) if config.decoder else None
    if not isinstance(decoder, Mapping):
        return
    kind, names = decoder.get("model_type"), decoder.get("architectures")
    given = [
        ("model_type", kind),
        *(("architectures", each) for each in (names if isinstance(names, list) else ())),
    ]
    for key, name in given:
        family = _families(key).get(name) if isinstance(name, str) else None
        if family is not None and not _is_of(family, description):
            message = f"{config.pointer(key)} says {quoted(name)}, and the decoder is read as that of {description.title}"
            config.say("CW0628", config.path_of(key), message, _ONE)


@cache
def _families(key: str) -> dict[str, str]:
    """The descriptions of the library by the names that they have under a key."""
    list_name = "model_types" if key == "model_type" else key
    tables = {name: read_table(text) for name, text in library().items()}
    return {each: name for name, table in tables.items() for each in table.get(list_name, ())}


def _is_of(family: str, description: Description) -> bool:
    """Whether a description shares a family's names, or extends what the family's description does."""
    table = read_table(library()[family])
    if {*table.get("model_types", ())} & {*description.model_types}:
        return True
    own = {_families("architectures").get(each) for each in description.architectures} - {None}
    return not own or any(family in _extended(str(each)) for each in own)


def _extended(name: str) -> set[str]:
    """A description of the library and all that it extends."""
    below = read_table(library()[name]).get("extends", ())
    return {name}.union(*(_extended(each) for each in ([below] if isinstance(below, str) else below)))


def _check_levels(config: Config, read: set[str]) -> None:
    """Keys of the decoder that stand beside its object too, with another value."""
    for key in sorted(each for each in read if not each.startswith("/") and f"/{each}" not in read):
        inner, outer = config.at(key), config.at(f"/{key}")
        if None not in (inner, outer) and inner != outer and _is_size(outer):
            _say(config, key, f"/{key}")


def _check_spellings(config: Config, read: set[str]) -> None:
    """Keys that are read, beside another spelling that is not, with another value."""
    for names in SPELLINGS:
        counted = next((each for each in names if each in read and config.gives(each)), None)
        for other in names:
            if (
                counted
                and other not in read
                and _is_size(config.at(other))
                and config.at(other) != config.at(counted)
            ):
                _say(config, counted, other)


def _is_size(value: Any) -> bool:
    return isinstance(value, int | list) and not isinstance(value, bool)


def _say(config: Config, counted: str, other: str) -> None:
    message = (
        f"{config.pointer(counted)} is {quoted(config.at(counted))} and {config.pointer(other)} is "
        f"{quoted(config.at(other))}: the first counts"
    )
    config.say("CW0632", config.path_of(other), message, _ONE, severity="warning")
