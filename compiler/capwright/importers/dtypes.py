"""The number format of a model, by either of the keys that name it."""

from __future__ import annotations

from typing import Final

from capwright.importers.config_keys import Config
from capwright.importers.facts import Fact, Said
from capwright.importers.words import quoted

DTYPES: Final = {
    "bfloat16": "bf16",
    "float16": "fp16",
    "half": "fp16",
    "float32": "fp32",
    "float": "fp32",
    "float64": "fp64",
    "float8_e4m3fn": "fp8_e4m3",
    "float8_e5m2": "fp8_e5m2",
}
_KEYS: Final = ("dtype", "torch_dtype")


def model_dtype(config: Config) -> Fact:
    """The number format of what is stored unquantised: what the whole file says goes before what the decoder's object
    says (as transformers loads it), with a warning where they differ; bfloat16, with a warning, where neither does.
    Raises `Said` after a message."""
    stated = [
        [key for key in keys if config.gives(key)] for keys in (tuple(f"/{key}" for key in _KEYS), _KEYS)
    ]
    outer, inner = (_read(config, given) if given else None for given in stated)
    if outer is not None and inner is not None and outer.value != inner.value:
        first, second = stated[0][0], stated[1][0]
        message = (
            f"{config.pointer(first)} says {quoted(config.at(first))} and {config.pointer(second)} "
            f"{quoted(config.at(second))}: the first counts"
        )
        config.say(
            "CW0626", config.path_of(second), message, "leave the one that is right", severity="warning"
        )
    found = outer or inner
    if found is not None:
        return found
    help = "say which it is: `model NAME from config(…) { dtype = bf16 }`"
    message = (
        "the config names no dtype; the weights are counted as bfloat16, and the checkpoint may hold others"
    )
    config.say("CW0631", (), message, help, severity="warning")
    return Fact("bf16", 'source "no key: the checkpoint decides, and bfloat16 is taken here"')


def _read(config: Config, given: list[str]) -> Fact:
    names = {key: str(config.at(key)).removeprefix("torch.") for key in given}
    if len(set(names.values())) > 1:
        first, second = given
        message = (
            f"{config.pointer(first)} says {quoted(names[first])} and "
            f"{config.pointer(second)} {quoted(names[second])}"
        )
        config.say("CW0626", config.path_of(second), message, "leave the one that is right")
        raise Said("dtype")
    name = names[given[0]]
    if name not in DTYPES:
        message = f"{config.pointer(given[0])} is {quoted(name)}, which is no number format known here"
        config.say("CW0627", config.path_of(given[0]), message, f"known: {', '.join(DTYPES)}")
        raise Said("dtype")
    return Fact(DTYPES[name], config.keyed(given[0]))
