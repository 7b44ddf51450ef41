"""What a copy has from what it copies: one number, which is read with what was measured of it there.

A deployment may run a copy of its engine, and a plan may copy a deployment. What such a copy has unchanged has the
formula, the arguments and the sources of what it copies. An option is a copy too, and is another plan: whether what was
measured of its base would be measured of it, nobody knows.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from capwright.base.address import is_option_of
from capwright.graph.context import Context, Key
from capwright.graph.tape import BindInfo
from capwright.graph.values import Inst, Items, Q, Value

Origin = tuple[Inst, tuple[str, ...]]
"""A thing, and the path in it of what something else is a copy of."""


def measured_alike(ctx: Context, holder: Inst, name: str, node: int, info: BindInfo) -> int | None:
    """The node at which a number that `holder` has from what it copies is read as measured there; None where it has none, or
    another number. `node` is its formula's, and `info` what is declared of it."""
    asker: Key = (holder, name)
    for thing, path in origins(ctx, holder):
        address = ".".join((thing.address, *path, name))
        if address not in ctx.measured:
            continue
        kept: Value | None = thing
        for part in path:
            kept = _part(ctx, asker, kept, part)
        found = _part(ctx, asker, kept, name)
        if not isinstance(found, Q) or not isinstance(kept, Inst) or ctx.tape.ops[found.node] != "effective":
            continue
        derived = ctx.tape.args[found.node][0]
        if ctx.tape.args[derived] != (node,) or not _is_one(ctx.tape.data[derived], info, holder, kept):
            continue
        if ctx.counts_for(address, f"{holder.address}.{name}", info.kind, derived):
            return found.node
    return None


def _part(ctx: Context, asker: Key, of: Value | None, name: str) -> Value | None:
    """What a thing or a list has by a name, where that does not need the number that is asked for."""
    if isinstance(of, Items):
        return next((value for label, value in of.items if label == name), None)
    return ctx.demand.by_the_way(asker, (of, name)) if isinstance(of, Inst) and of.knows(name) else None


def _is_one(held: object, info: BindInfo, holder: Inst, origin: Inst) -> bool:
    """Whether what is declared of two numbers of one formula is one declaration. What evidence speaks of has numbers of its
    own; two parts of one thing are spoken of together."""
    assert isinstance(held, BindInfo)
    of = held.of if holder.top is origin.top else info.of
    return held == replace(info, measured=True, of=of)


def origins(ctx: Context, inst: Inst) -> tuple[Origin, ...]:
    """All that an instance is a copy of, the nearest first, be it itself or as a part or a field of a copy."""
    found = ctx.origins.get(inst)
    if found is None:
        found = ctx.origins[inst] = tuple(dict.fromkeys(_origins(ctx, inst)))
    return found


def _origins(ctx: Context, inst: Inst) -> Iterator[Origin]:
    base, around = inst.base, inst.home or inst.parent
    if base is not None and not is_option_of(inst.address, base.address):
        yield base, ()
        yield from origins(ctx, base)
    if around is None or not inst.address.startswith(f"{around.address}."):
        return
    first, *rest = inst.address[len(around.address) + 1 :].split(".")
    for thing, path in origins(ctx, around):
        if path or not _gives(around, thing, first):
            yield thing, (*path, first, *rest)


def _gives(copy: Inst, origin: Inst, name: str) -> bool:
    """Whether a copy itself says what its field is, instead of having what it copies has."""
    own = copy.layers[: -len(origin.layers) or None]
    return any(entry.statement for layer in own for entry in layer.body.entries.get(name, ()))
