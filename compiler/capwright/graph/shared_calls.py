"""Calls that an option shares with its base: a formula that reads nothing which the option changed.

What a formula gave for the base, it gives for an option of that as well if all that it read on the way, in the order in
which it did, is the same of the option: then it takes the same way, and no part of it is worked out again. A part or
an element of the option is then as good as the one at the same place in its base, and as nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from msgspec import Struct, field

from capwright.graph.comparisons import origin
from capwright.graph.context import Called, Context, Key, Trail
from capwright.graph.values import Decider, Inst, Items, Poison, Q, Value


class _Pairs(Struct, eq=False):
    """Which thing of the option stands for which of the base in one call: each for one, as comparisons tell things apart."""

    ctx: Context
    theirs: dict[Inst, Inst] = field(default_factory=dict)
    ours: dict[Inst, Inst] = field(default_factory=dict)
    origins: dict[Inst, Inst] = field(default_factory=dict)
    of_origins: dict[Inst, Inst] = field(default_factory=dict)

    def joins(self, base: Inst, other: Inst) -> bool:
        """Whether `other` may stand for `base` beside all that stand for something already."""
        joined = self.theirs.get(base)
        if joined is not None:
            return joined is other
        if base is not other and twin(self.ctx, other) is not base:
            return False
        if self.ours.setdefault(other, base) is not base:
            return False
        self.theirs[base] = other
        first, second = origin(base), origin(other)
        return (
            self.origins.setdefault(first, second) is second
            and self.of_origins.setdefault(second, first) is first
        )

    def key(self, base: Key) -> Key:
        """The field of the option that stands for one of the base."""
        holder, name = base
        return (self.theirs.get(holder, holder) if isinstance(holder, Inst) else holder, name)

    def same(self, base: Value, other: Value) -> bool:
        """Whether a value of the option is as the base's."""
        if type(base) is Inst and type(other) is Inst:
            return self.joins(base, other)
        if type(base) is Items and type(other) is Items:
            return (
                len(base.items) == len(other.items)
                and base.open == other.open
                and all(
                    a == b and self.same(one, two)
                    for (a, one), (b, two) in zip(base.items, other.items, strict=True)
                )
            )
        if type(base) is Q and type(other) is Q:
            nodes = self.ctx.tape.same
            return nodes[base.node] == nodes[other.node] and base.type == other.type
        return not isinstance(base, Poison) and type(base) is type(other) and base == other


def twin(ctx: Context, inst: Inst) -> Inst | None:
    """What stands in an option's base where `inst` stands in the option; None for what is of no option."""
    if not inst.option:
        return None
    holder = inst.home or inst.parent
    if holder is None:
        return inst.base
    if inst.unnamed or (whole := twin(ctx, holder)) is None:
        return None
    value = ctx.demand.known.get((whole, inst.address[len(holder.address) + 1 :].partition(".")[0]))
    if inst.element is not None and isinstance(value, Items):
        value = next((each for name, each in value.items if name == inst.element), None)
    if isinstance(value, Inst) and value.entity is inst.entity and value.element == inst.element:
        return value
    return None


def shared(
    ctx: Context, given: tuple[Value, ...], known_by: Callable[[Sequence[Value]], tuple[object, ...]]
) -> Called | None:
    """What a formula gave for the base of an option, if it must give the same for these arguments of the option.

    `known_by` makes of arguments what the call is known by.
    """
    if not any(type(value) is Inst and value.option for value in given):
        return None
    pairs = _Pairs(ctx)
    bases: list[Value] = []
    for value in given:
        base = value
        if type(value) is Inst and value.option:
            found = twin(ctx, value)
            if found is None:
                return None
            base = found
        if type(base) is Inst and type(value) is Inst and not pairs.joins(base, value):
            return None
        bases.append(base)
    known = ctx.calls.get(known_by(bases))
    if known is None or not known.trail.fixed or isinstance(known.value, Inst | Items):
        return None  # a thing that a formula found is the base's own
    trail = Trail()
    for key, base in known.trail.found.items():
        holder, name = key
        if not isinstance(
            holder, Inst
        ):  # a name of a file is the same of all, and so is the thing that has it
            if not pairs.same(base, base):
                return None
            trail.found[key] = base
            continue
        other = pairs.theirs.get(holder, holder)
        if not pairs.joins(holder, other):
            return None
        theirs = base if other is holder else ctx.demand.get((other, name))
        if not pairs.same(base, theirs):
            return None
        trail.found[other, name] = theirs
    return Called(
        known.value,
        {each: None for one in known.deciders for each in _of_option(one, pairs)},
        {pairs.key(each): None for each in known.reads},
        trail,
    )


def _of_option(decider: Decider, pairs: _Pairs) -> Iterator[Decider]:
    """What decides in the option where this decides in its base; a thing also by what it is a copy of."""
    if isinstance(decider, int):
        yield decider
    elif isinstance(decider, Inst):
        thing: Inst | None = pairs.theirs.get(decider, decider)
        while thing is not None:
            yield thing
            thing = thing.base
    else:
        yield pairs.key(decider)
