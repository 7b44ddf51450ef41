"""Where a plan wrote the number that its checks do not accept: one mistake, however many checks it fails and whatever
else comes of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable
from typing import Final

from msgspec import Struct

from capwright.base.source import Span
from capwright.check.declared import Scope
from capwright.graph.context import Bound, Context, Key
from capwright.graph.making_fields import entry_of
from capwright.graph.tape import KernelCall, leaned_on
from capwright.graph.values import Deciders, Static
from capwright.syntax import tree


class _Held(Struct, frozen=True):
    """A value of the kernel: equal ones are one on the tape, so several places may have written it."""

    value: object


_Leaf = Span | _Held
"""Where a quantity is written, or what it is read off."""
_NONE: Final[frozenset[_Leaf]] = frozenset()


class Written:
    """What the numbers of a tape come from, as far as files of the plan write it and not the library, nor what was made
    of a file: the innermost declarations, by where their values stand."""

    def __init__(self, ctx: Context) -> None:
        self.ctx = ctx
        self._bound = {
            bound.value.node: place for bound in ctx.bound.values() if (place := _place(bound)) is not None
        }
        self._static: dict[_Held, set[Span]] = {}
        for key, value in ctx.demand.known.items():
            if isinstance(value, Static) and (span := _entry(key)) is not None:
                self._static.setdefault(_Held(value.value), set()).add(span)
        self._known: dict[int, frozenset[_Leaf]] = {}

    def behind(self, node: int | None, deciders: Deciders) -> frozenset[Span]:
        """What a condition goes by: the numbers in it and those that decided what it is. Where there are none, the
        choices and texts that did."""
        nodes = [*([] if node is None else [node]), *(each for each in deciders if isinstance(each, int))]
        fields = {
            key: span for key in deciders if isinstance(key, tuple) and (span := _entry(key)) is not None
        }
        known = self.ctx.demand.known
        read: dict[_Leaf, Span] = {
            _Held(held.value): span
            for key, span in fields.items()
            if isinstance(held := known.get(key), Static)
        }
        leaves = _NONE.union(*map(self._leaves, nodes))
        return self._spans(leaves - read.keys()).union(read.values()) or frozenset(fields.values())

    def of(self, node: int) -> frozenset[Span]:
        """What a node comes from."""
        return self._spans(self._leaves(node))

    def _spans(self, leaves: Iterable[_Leaf]) -> frozenset[Span]:
        return frozenset(
            span for leaf in leaves for span in (self._static[leaf] if isinstance(leaf, _Held) else (leaf,))
        )

    def _leaves(self, node: int) -> frozenset[_Leaf]:
        known, tape = self._known, self.ctx.tape
        waiting = [node]
        while waiting:
            top = waiting[-1]
            below = [each for each in leaned_on(tape, top) if each >= 0]
            unknown = [each for each in below if each not in known]
            if unknown:
                waiting += unknown
                continue
            waiting.pop()
            data = tape.data[top]
            statics = map(_Held, data.static) if isinstance(data, KernelCall) else ()
            found = _NONE.union(
                *(known[each] for each in below), (held for held in statics if held in self._static)
            )
            own = self._bound.get(top)
            known[top] = found if found or own is None else frozenset((own,))
        return known[node]


def _place(bound: Bound) -> Span | None:
    """Where a plan says a number: its value, or the thing that leaves a field as its entity has it."""
    if not bound.library:
        return bound.expr.span
    holder, field = bound.holder, bound.field
    if holder is None or field is None or field.role != "default":
        return None
    return None if all(layer.body.library for layer in holder.layers) else holder.span


def _entry(key: Key) -> Span | None:
    """Where a plan gives a field its value, or a name at the top of a file; None where it does not."""
    holder, name = key
    statement: object
    if isinstance(holder, Scope):
        named = holder.values.get(name)
        statement = named.statement if named is not None and not named.library else None
    else:
        statement = entry_of(holder, name)
    return statement.value.span if isinstance(statement, tree.Binding | tree.Assume) else None


def slips(written: Iterable[Collection[Span]]) -> list[Span | None]:
    """Of checks that are not met, each with what it goes by, where the mistake is; None where more than one could be.

    What alone could be it for one check is it for all that go by it. So is what several go by, where there is nothing
    else that as many do.
    """
    checks = list(written)
    found = {span for spans in checks if len(spans) == 1 for span in spans}
    while shared := Counter(
        span for spans in checks if found.isdisjoint(spans) for span in spans
    ).most_common(2):
        (first, count), *others = shared
        if count < 2 or any(other == count for _, other in others):
            break
        found.add(first)
    return [min((span for span in spans if span in found), default=None) for spans in checks]
