"""Quantities below zero: one message for what goes there first, with all that only comes from it as notes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from capwright.base.diagnostic import Note
from capwright.base.exact import Number
from capwright.base.interval import as_range, collapse, ends_of, mul, nominal_of
from capwright.base.source import Span
from capwright.document.checks import Consequences
from capwright.document.saying import Saying
from capwright.document.slips import Written
from capwright.document.terms import Terms, terms_of
from capwright.graph.context import Bound, Context
from capwright.graph.evaluation import Evaluation
from capwright.graph.tape import BindInfo, Tape
from capwright.graph.tighten import tighten

_FEW: Final = 5
"""Quantities that are noted beside the one that they come from."""

_OR_SIGNED: Final = "or declare it `signed` if that is meant"
Certain = Mapping[int, bool]
"""Nodes that are (True) or may be (False) below zero."""


def warn_of_negative(ctx: Context, evaluation: Evaluation, consequences: Consequences) -> None:
    """Say of every quantity that starts at zero by default where it is, or may be, below: it is not clipped there,
    since that is how a pool is found to be short.

    What is below zero because another quantity is has no message of its own: it is a note of that one's. Nor has what
    comes of a mistake that is told already.
    """
    certain: dict[int, bool] = {}
    named: dict[int, Bound] = {}
    for bound in ctx.bound.values():
        node = bound.value.node
        below = _below(ctx.tape, evaluation, node)
        if below is not None and not consequences.explain(node):
            certain[node] = below
            named.setdefault(node, bound)
    if not certain:
        return
    following: dict[int, list[Bound]] = {node: [] for node in named}
    causes = _causes(ctx.tape, certain)
    for node, bound in named.items():
        if causes[node] != node:
            following[causes[node]].append(bound)
    teller = _Teller(ctx, evaluation)
    for node, bound in named.items():
        if causes[node] == node:
            teller.say(bound, following[node], certain=certain[node])


def _below(tape: Tape, evaluation: Evaluation, node: int) -> bool | None:
    """Whether a quantity that is not declared to go below zero is or may be there; None where it is not."""
    info, value = tape.data[node], evaluation.values[node]
    if not isinstance(info, BindInfo) or info.truth or info.low != 0 or value is None:
        return None
    low, high = ends_of(value)
    if low is not None and low < 0:  # perhaps only because a source was taken for two
        value = tighten(tape, evaluation, node).value
        low, high = ends_of(value)
    if high is not None and high < 0:
        return True
    least = nominal_of(value) if low is None else low
    return False if least is not None and least < 0 else None


def _causes(tape: Tape, certain: Certain) -> dict[int, int]:
    """For every node of `certain` the first on the tape, as sure as itself, that it comes from, or itself."""
    sure: list[int | None] = []
    perhaps: list[int | None] = []
    found: dict[int, int] = {}
    for node, arguments in enumerate(tape.args):
        for firsts in (sure, perhaps):
            firsts.append(min((f for a in arguments if (f := firsts[a]) is not None), default=None))
        if node not in certain:
            continue
        cause = sure[node] if certain[node] else perhaps[node]
        found[node] = node if cause is None else cause
        perhaps[node] = node if perhaps[node] is None else perhaps[node]
        if certain[node] and sure[node] is None:
            sure[node] = node
    return found


class _Teller:
    def __init__(self, ctx: Context, evaluation: Evaluation) -> None:
        self.ctx = ctx
        self.evaluation = evaluation
        self.saying = Saying(ctx.program.units)
        self.written: Written | None = None
        self.named: dict[int, Bound] = {}
        for each in ctx.bound.values():
            self.named.setdefault(each.value.node, each)

    def say(self, bound: Bound, following: Sequence[Bound], *, certain: bool) -> None:
        terms = terms_of(self.ctx.tape, bound.value.node, self.named)
        notes = [*self._said_terms(bound, terms)]
        notes += [Note(f"from it comes `{each.address}`: {self._said(each)}") for each in following[:_FEW]]
        if len(following) > _FEW:
            notes.append(Note(f"and {len(following) - _FEW:,} more that come from it"))
        message = f"`{bound.address}` {'is' if certain else 'may be'} below zero: {self._said(bound)}"
        info = self._info(bound)
        if certain and info.written:
            # Nobody computes it: there is nothing to look for, and what comes of it says nothing.
            way = "write zero or more" + ("" if info.foreign else f", {_OR_SIGNED}")
            self.ctx.report.say("CW0430", bound.expr.span, message, way)
            return
        of_plan = self._made_of(bound.value.node) if info.foreign else {}
        at = self._place(bound, of_plan)
        if at != bound.expr.span:
            notes.insert(0, Note(f"`{bound.address}` is worked out here", bound.expr.span))
        self.ctx.report.say(
            "CW0430" if certain else "CW0431",
            at,
            message,
            self._way_out(
                list(of_plan.values()), self._too_much(terms, foreign=info.foreign), foreign=info.foreign
            ),
            *notes,
            severity="warning" if certain else "hint",
            about=bound.address,
        )

    def _place(self, bound: Bound, of_plan: Mapping[Span, str]) -> Span:
        """Where to look for what the library works out: at what the thing itself is given last, else at the thing."""
        thing = bound.holder.top if bound.holder is not None else None
        if not bound.library or thing is None or thing.span.file in self.ctx.program.library:
            return bound.expr.span
        own = [span for span, address in of_plan.items() if address.startswith(f"`{thing.address}.")]
        return own[-1] if own else thing.span

    def _made_of(self, *nodes: int) -> dict[Span, str]:
        """What the plan itself says, and nodes come from: its address by where it stands."""
        if self.written is None:
            self.written = Written(self.ctx)
        made_of = frozenset[Span]().union(*map(self.written.of, nodes))
        first: dict[Span, str] = {}
        for each in self.ctx.bound.values():
            if (
                not each.library and each.value.node not in nodes and each.expr.span in made_of
            ):  # what copies have, they have from there
                first.setdefault(each.expr.span, f"`{each.address}`")
        return first

    def _said_terms(self, bound: Bound, terms: Terms) -> Iterator[Note]:
        """What there is and what is taken off it, the largest first; nothing of what is no difference."""
        if not terms.taken:
            return
        for words, nodes in (("there is", terms.added), ("from that goes", terms.taken)):
            sizes = {node: size for node, often in nodes.items() if (size := self._size(node, often)) != 0}
            largest = sorted(sizes, key=lambda node: -(sizes[node] or 0))
            said = [self._term(bound, node, nodes[node]) for node in largest[:_FEW]]
            more = [f"{len(largest) - _FEW:,} more"] if len(largest) > _FEW else []
            if said:
                yield Note(f"{words} {'; '.join([*said, *more])}")

    def _size(self, node: int, often: int) -> Number | None:
        """By which terms are put in order, each as often as it is one; None where nothing is known of it."""
        value = self.evaluation.values[node]
        if value is None:
            return None
        held = as_range(value)
        known = [each for each in (held.nominal, held.high, held.low) if each is not None]
        return often * max(known[0], -known[0]) if known else None

    def _term(self, bound: Bound, node: int, often: int) -> str:
        """What a term comes to: `take`: 4 GiB; 3 times `take`: 12 GiB."""
        named, value = self.named.get(node), self.evaluation.values[node]
        if often > 1 and value is not None:
            value = mul(often, value)
        said = self.saying.one(value, self._info(named or bound).unit, self.ctx.tape.dims[node])
        return f"{_times(often)}`{named.address}`: {said}" if named is not None else said

    def _too_much(self, terms: Terms, *, foreign: bool) -> str:
        """What takes more than there is by itself, whatever else is taken; of what the library declares, with what of the
        plan either comes from."""
        there_is = self._end(terms.added, high=True)
        for node, often in terms.taken.items():
            named, least = self.named.get(node), self._end({node: often}, high=False)
            if named is None or least is None or there_is is None or least <= there_is:
                continue
            sides = (("it ", self._made_of(node)), ("what there is ", self._made_of(*terms.added)))
            come = [
                f"{side}comes from {self._listed([*names.values()])}"
                for side, names in sides
                if names and foreign
            ]
            return f"{_times(often)}`{named.address}` alone is more than there is" + (
                f"; of this plan {', and '.join(come)}" if come else ""
            )
        return ""

    def _end(self, nodes: Mapping[int, int], *, high: bool) -> Number | None:
        """The sum of the high or the low ends of nodes, each as often as it is one; None where one is open."""
        values = ((self.evaluation.values[node], often) for node, often in nodes.items())
        ends = [(ends_of(value)[1 if high else 0], often) for value, often in values if value is not None]
        known = [end * often for end, often in ends if end is not None]
        return sum(known) if known and len(known) == len(nodes) else None

    def _way_out(self, names: Sequence[str], too_much: str, *, foreign: bool) -> str:
        """What a plan can change: of a field that the library declares, only what it makes that field of."""
        if not foreign:
            return f"{too_much or 'look for what takes too much'}, {_OR_SIGNED}"
        listed = f": of this plan it comes from {self._listed(names)}" if names else ""
        return too_much or f"look for what takes too much{listed}"

    def _listed(self, names: Sequence[str]) -> str:
        more = [f"{len(names) - _FEW:,} more"] if len(names) > _FEW else []
        return ", ".join([*names[:_FEW], *more])

    def _said(self, bound: Bound) -> str:
        node = bound.value.node
        value = tighten(self.ctx.tape, self.evaluation, node).value
        return self.saying.one(collapse(value), self._info(bound).unit, self.ctx.tape.dims[node])

    def _info(self, bound: Bound) -> BindInfo:
        info = self.ctx.tape.data[bound.value.node]
        assert isinstance(info, BindInfo)
        return info


def _times(often: int) -> str:
    return "" if often == 1 else f"{often:,} times "
