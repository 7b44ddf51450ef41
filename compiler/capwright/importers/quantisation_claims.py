"""A name that says how a checkpoint is quantised, where no file says so: then the weights would be counted too large."""

from __future__ import annotations

import re
from typing import Final

from capwright.importers.config_keys import Config
from capwright.importers.quantisation import KEYS
from capwright.importers.words import quoted

_CLAIM: Final = re.compile(
    r"(?<![a-z0-9])(?:nvfp4(?:a16)?|mxfp[468]|fp[48]|int[48]|w[248]a(?:4|8|16)|[48]-?bit|awq|gptq|bnb|exl[23]|gguf)"
    r"(?![a-z0-9])",
    re.IGNORECASE,
)
_DENIAL: Final = re.compile(
    r"(?<![a-z0-9])(?:unquanti[sz]ed|dequanti[sz]ed|bf16|fp16)(?![a-z0-9])", re.IGNORECASE
)
_NARROW: Final = ("fp8", "fp4", "int")
_NAMES: Final = ("/_name_or_path", "_name_or_path")
_OF_MODELOPT: Final = frozenset(("nvfp4", "fp8", "fp4", "nvfp4a16", "w4a8"))


def warn_of_claim(config: Config, dtype: str, *, beside: bool) -> None:
    """Warn where the file's name, or the name in it, claims a quantisation that neither the config nor the file
    beside it (`beside`) states. `dtype` is what the weights are counted as."""
    if beside or dtype.startswith(_NARROW) or any(config.gives(key) for key in KEYS):
        return
    for name, where in _names(config):
        found = _CLAIM.search(name)
        if found is None or _DENIAL.search(name):
            continue
        message = (
            f"the name {quoted(name)} says {found[0]}, and no file says how the weights are quantised: they are counted "
            f"as {dtype}"
        )
        config.say("CW0697", where, message, _way_out(found[0].lower()), severity="warning")
        return


def _names(config: Config) -> list[tuple[str, str | tuple[str, ...]]]:
    """What the model is called, and where it says so."""
    names: list[tuple[str, str | tuple[str, ...]]] = [(config.path.removesuffix(".json"), ())]
    for key in _NAMES:
        given = config.at(key)
        if isinstance(given, str):
            names.append((given, config.path_of(key)))
    return names


def _way_out(claim: str) -> str:
    other = "or give the tensors their dtype in the plan: `tensors.gate_up.dtype = …`"
    if claim in _OF_MODELOPT:
        return (
            "put the checkpoint's `hf_quant_config.json` beside the config, or name it: "
            f'`config("…", quantisation: "hf_quant_config.json")`; {other}'
        )
    return (
        "take the config that the quantised checkpoint ships: its `quantization_config` says how (AWQ and GPTQ also ship "
        f"it as `quantize_config.json`, which goes under that key); {other}"
    )
