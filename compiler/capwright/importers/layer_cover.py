"""Whether the groups of a description share out a model's layers: each keeps its cache or state in one of them."""

from __future__ import annotations

from capwright.importers.facts import Facts, Said

ALONGSIDE = "alongside"
"""The field of a group that is a second part of layers which another group has already."""


def check_cover(facts: Facts) -> None:
    """Refuse (CW0653) a layer that no group has, or two have; raises `Said` after the message.

    Lists of layers in a config that leave some out, or name some twice, come to this whatever they are called.
    """
    held: dict[int, list[str]] = {layer: [] for layer in range(facts.depth())}
    for group in facts.description.groups:
        beside = group.fields.get(ALONGSIDE)
        for layer in facts.layers(group.layers):
            if beside is None or not facts.value(beside, layer):
                held[layer].append(group.name)
    for layer, names in held.items():
        if len(names) != 1:
            groups = " and ".join(f"`{each}`" for each in names)
            told = f"in {groups} at once" if names else "in no group of layers that attend or keep a state"
            message = f"layer {layer} of {facts.depth()} would be {told}"
            help = "correct the keys that say which layer is which, or the description's groups"
            facts.config.say("CW0653", facts.config.decoder, message, help)
            raise Said("groups")
