"""What an instance repeats: a mistake that a copy only takes over is told of the thing that it is a copy of."""

from __future__ import annotations

from collections.abc import Iterator

from capwright.graph.context import Context
from capwright.graph.values import Inst


def likenesses(ctx: Context, inst: Inst) -> Iterator[Inst]:
    """What an instance is a copy of, and what stands at the same place in what its whole is a copy of: `card` and
    `rack.slot` for `rack@wide.slot`, where that says `slot = card { … }`."""
    if inst.base is not None:
        yield inst.base
    whole = inst.home or inst.parent
    if whole is None or not inst.address.startswith(f"{whole.address}."):
        return
    for other in likenesses(ctx, whole):
        found = ctx.instances.get(other.address + inst.address[len(whole.address) :])
        if (
            found is not None and found is not inst
        ):  # what reaches inside a copy stands at the address of that copy
            yield found
