"""Which layers of a model attend in which way, and how such a set of layers is written in a plan."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from capwright.importers.config_keys import Config, Fact, Key
from capwright.importers.families import Family
from capwright.importers.words import quoted

FULL: Final = "full_attention"
SLIDING: Final = "sliding_attention"
MAX_LAYERS: Final = 10_000

_WINDOW: Final = Key("sliding_window", default=4_096)
_USED: Final = Key("use_sliding_window", bool, default=False)
_FIRST: Final = Key("max_window_layers", default=28)


def windowed(config: Config, family: Family, layers: int) -> tuple[list[bool], Fact | None]:
    """For each layer whether a window bounds what it sees, and the window; None where no layer has one."""
    if family.windows == "none":
        return [False] * layers, None
    stated = config.has("layer_types") and family.windows == "upper layers"
    if family.windows == "every layer":
        flags = [config.has("sliding_window") or "sliding_window" not in config.data] * layers
    elif stated:
        flags = _stated(config, layers)
    else:
        flags = _upper(config, layers)
    if not any(flags):
        return flags, None
    return flags, config.read(_WINDOW, {})


def _upper(config: Config, layers: int) -> list[bool]:
    """Windows from layer `max_window_layers` on, if they are in use at all."""
    used, first = config.read(_USED, {}), config.read(_FIRST, {})
    null = "sliding_window" in config.data and not config.has("sliding_window")
    if used is None or first is None or not used.value or null:
        return [False] * layers
    return [layer >= first.value for layer in range(layers)]


def _stated(config: Config, layers: int) -> list[bool]:
    """Windows as `layer_types` lists them, one entry a layer."""
    kinds = config.data["layer_types"]
    if not isinstance(kinds, list):
        config.say("CW0622", "layer_types", "/layer_types must be a list", "list the kind of each layer")
        return [False] * layers
    if len(kinds) != layers:
        message = f"/layer_types lists {len(kinds)} layers, and num_hidden_layers is {layers}"
        config.say("CW0629", "layer_types", message, "correct the one that is wrong: one entry a layer")
    for index, kind in enumerate(kinds):
        if kind not in (FULL, SLIDING):
            message = f"/layer_types/{index} is {quoted(kind)}, which this architecture does not have"
            help = f"declare the model in a plan, or give `{FULL}` or `{SLIDING}`"
            config.say("CW0622", ("layer_types", index), message, help)
            break
    return [kind == SLIDING for kind in kinds]


def pattern(layers: Sequence[int], total: int) -> tuple[int, int, int] | None:
    """`(first, run, every)` such that these are `run` of every `every` layers from layer `first` on.

    None where no such pattern gives them. All layers of a model are `(0, 1, 1)`.
    """
    wanted, first = list(layers), layers[0]
    run = 1
    while first + run in set(wanted[: run + 1]):
        run += 1
    if run == total:
        return 0, 1, 1
    for every in range(run + 1, total + 1):
        made = [at for at in range(first, total) if (at - first) % every < run]
        if made == wanted:
            return first, run, every
    return None
