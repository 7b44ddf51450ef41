"""A model's `config.json` as plan text: every field with the key it comes from, or the code that decides it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from capwright.base.source import Span
from capwright.importers.config_keys import Config, Fact, Key
from capwright.importers.contract import Diagnostics
from capwright.importers.families import FAMILIES, Family
from capwright.importers.json_places import Path, place
from capwright.importers.layer_patterns import MAX_LAYERS, windowed
from capwright.importers.model_text import Described, model_text
from capwright.importers.strict_json import read_json
from capwright.importers.words import quoted

_DTYPES: Final = {
    "bfloat16": "bf16",
    "float16": "fp16",
    "half": "fp16",
    "float32": "fp32",
    "float": "fp32",
    "float64": "fp64",
    "float8_e4m3fn": "fp8_e4m3",
    "float8_e5m2": "fp8_e5m2",
}
_BY_ARCHITECTURE: Final = {family.architecture: family for family in FAMILIES}
_BY_TYPE: Final = {family.model_type: family for family in FAMILIES}
_HEAD_WIDTH: Final = Key("head_dim")
_DECLARE: Final = (
    "declare the model in a plan: `model NAME { hidden_size, vocabulary, max_context, dtype; "
    "group NAME : grouped_query { layers, q_heads, kv_heads, key_dim }; tensor NAME { part, parameters, copies } }`"
)


def read_config(data: bytes, shown_path: str, name: str) -> tuple[str | None, Diagnostics]:
    """Plan text of the bytes of a `config.json`; spans are places in the file."""
    value, found = read_json(data, shown_path)
    if any(each.severity == "error" for each in found):
        return None, found
    if not isinstance(value, dict):
        config = Config({}, shown_path, lambda path: Span(shown_path, 0, 0))
        config.say("CW0619", (), "the file holds no object of keys", "name a model's `config.json`")
        return None, tuple(config.diagnostics)
    text = data.decode("utf-8")
    plan, more = import_config(value, shown_path, name, lambda path: place(shown_path, text, path))
    places = {each.span for each in more}
    return plan, (*(each for each in found if each.span not in places), *more)


def import_config(
    data: Mapping[str, Any],
    shown_path: str,
    name: str,
    locate: Callable[[Path], Span] | None = None,
) -> tuple[str | None, Diagnostics]:
    """Plan text that declares `model NAME` as the config describes it, or None with the reasons; never raises.

    Every field carries `key "PATH#/pointer"`, or `source "…"` where the model's code decides. `locate` finds the
    span of a value by its path in the file; without it every message stands at the file's start.
    """
    config = Config(data, shown_path, locate or (lambda path: Span(shown_path, 0, 0)))
    family = _family(config)
    described = _described(config, family) if family is not None else None
    if described is None or any(each.severity == "error" for each in config.diagnostics):
        return None, tuple(config.diagnostics)
    return model_text(described, config, name), tuple(config.diagnostics)


def _family(config: Config) -> Family | None:
    """The description of the architecture that the config names; None with a message."""
    names, kind = config.data.get("architectures"), config.data.get("model_type")
    if names is not None and not (isinstance(names, list) and all(isinstance(each, str) for each in names)):
        config.say(
            "CW0622",
            "architectures",
            "/architectures must be a list of names",
            "give it as the model ships it",
        )
        return None
    if not names and not isinstance(kind, str):
        config.say("CW0620", (), "the config names no architecture", "give `architectures`, or " + _DECLARE)
        return None
    found = [_BY_ARCHITECTURE[each] for each in names or () if each in _BY_ARCHITECTURE]
    if names and not found:
        known = ", ".join(_BY_ARCHITECTURE)
        message = f"the architecture {quoted(names[0])} is not known here (known: {known})"
        config.say("CW0620", "architectures", message, _DECLARE)
        return None
    family = found[0] if found else _BY_TYPE.get(str(kind))
    if family is None:
        config.say("CW0620", "model_type", f"the model type {quoted(kind)} is not known here", _DECLARE)
        return None
    if kind is not None and kind != family.model_type:
        message = f"/architectures says {quoted(family.architecture)} and /model_type {quoted(kind)}"
        config.say(
            "CW0628", "model_type", message, f"a {family.architecture} has the type `{family.model_type}`"
        )
        return None
    config.code = family.code
    return family


def _described(config: Config, family: Family) -> Described | None:
    """All facts of the model; None with messages where some are missing."""
    facts: dict[str, Fact] = {}
    for fact, key in family.keys.items():
        if fact != "KV heads" or "query heads" in facts:
            found = config.read(key, facts)
            if found is not None:
                facts[fact] = found
    for fact in sorted(family.fixed):
        facts[fact] = Fact(value=True, clause=config.coded(f"it has {fact}"))
    _check_heads(config, facts)
    width = _head_width(config, family, facts)
    dtype = _dtype(config)
    _warn_of_quantisation(config, dtype)
    layers = facts.get("layers")
    if layers is not None and layers.value > MAX_LAYERS:
        message = f"/num_hidden_layers is {layers.value:_}, and no model here may have over {MAX_LAYERS:_}"
        config.say("CW0623", "num_hidden_layers", message, "give the number of layers that the model has")
        return None
    if layers is None or width is None or dtype is None:
        return None
    flags, window = windowed(config, family, layers.value)
    return Described(family, {**facts, "head_width": width, "dtype": dtype}, flags, window)


def _check_heads(config: Config, facts: Mapping[str, Fact]) -> None:
    queries, shared = facts.get("query heads"), facts.get("KV heads")
    if queries is None or shared is None or queries.value % shared.value == 0:
        return
    message = f"{queries.value} query heads cannot share {shared.value} KV heads evenly"
    help = "`num_attention_heads` is a multiple of `num_key_value_heads`; correct the one that is wrong"
    config.say("CW0624", "num_key_value_heads", message, help)


def _head_width(config: Config, family: Family, facts: Mapping[str, Fact]) -> Fact | None:
    """`head_dim`, or what the code makes of the other sizes without it."""
    if config.has("head_dim"):
        return config.read(_HEAD_WIDTH, facts)
    if family.head_width is not None and "head_dim" not in config.data:
        return Fact(family.head_width, config.coded(f"head_dim is {family.head_width} where it is left out"))
    if "hidden_size" not in facts or "query heads" not in facts:
        return None
    hidden, heads = facts["hidden_size"].value, facts["query heads"].value
    if hidden % heads:
        message = f"there is no `head_dim`, and {heads} heads do not divide the hidden size of {hidden:_}"
        config.say("CW0625", "num_attention_heads", message, "give `head_dim`, or correct the other two")
        return None
    return Fact(hidden // heads, config.coded("without head_dim, hidden_size / num_attention_heads"))


def _dtype(config: Config) -> Fact | None:
    """The number format of the weights, by either of the two keys; float32 where neither says it."""
    keys = [key for key in ("dtype", "torch_dtype") if config.has(key)]
    if not keys:
        help = "say which it is: `model NAME from config(…) { dtype = bf16 }`"
        message = "the config names no dtype, so the model loads as float32"
        config.say("CW0631", (), message, help, severity="warning")
        return Fact("fp32", 'source "transformers: a config without a dtype loads as float32"')
    names = {key: str(config.data[key]).removeprefix("torch.") for key in keys}
    if len(set(names.values())) > 1:
        message = f"/dtype says {quoted(names['dtype'])} and /torch_dtype {quoted(names['torch_dtype'])}"
        config.say("CW0626", "torch_dtype", message, "leave the one that is right")
        return None
    if names[keys[0]] not in _DTYPES:
        message = f"/{keys[0]} is {quoted(names[keys[0]])}, which is no number format known here"
        config.say("CW0627", keys[0], message, f"known: {', '.join(_DTYPES)}")
        return None
    return Fact(_DTYPES[names[keys[0]]], config.keyed(keys[0]))


def _warn_of_quantisation(config: Config, dtype: Fact | None) -> None:
    if config.has("quantization_config") and dtype is not None:
        message = f"weights are stored quantised; what is imported counts them as {dtype.value}"
        help = "give the dtype of the tensors that are: `tensors.gate_up.dtype = fp8_e4m3`, and their scales as tensors"
        config.say("CW0630", "quantization_config", message, help, severity="warning")
