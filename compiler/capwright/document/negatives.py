"""Quantities below zero: one message for what goes there first, with all that only comes from it as notes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from capwright.base.diagnostic import Note
from capwright.base.interval import ends_of
from capwright.base.source import Span
from capwright.document.checks import Consequences
from capwright.document.saying import Saying
from capwright.document.slips import Written
from capwright.graph.context import Bound, Context
from capwright.graph.evaluate import Evaluation
from capwright.graph.tape import BindInfo, Tape

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
    return None if low is None or low >= 0 else high is not None and high < 0


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

    def say(self, bound: Bound, following: Sequence[Bound], *, certain: bool) -> None:
        notes = [Note(f"from it comes `{each.address}`: {self._said(each)}") for each in following[:_FEW]]
        if len(following) > _FEW:
            notes.append(Note(f"and {len(following) - _FEW:,} more that come from it"))
        message = f"`{bound.address}` {'is' if certain else 'may be'} below zero: {self._said(bound)}"
        info = self._info(bound)
        if certain and info.written:
            # Nobody computes it: there is nothing to look for, and what comes of it says nothing.
            way = "write zero or more" + ("" if info.foreign else f", {_OR_SIGNED}")
            self.ctx.report.say("CW0430", bound.expr.span, message, way)
            return
        of_plan = self._made_of(bound) if info.foreign else {}
        at = self._place(bound, of_plan)
        if at != bound.expr.span:
            notes.insert(0, Note(f"`{bound.address}` is worked out here", bound.expr.span))
        self.ctx.report.say(
            "CW0430" if certain else "CW0431",
            at,
            message,
            self._way_out(list(of_plan.values()), foreign=info.foreign),
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

    def _made_of(self, bound: Bound) -> dict[Span, str]:
        """What the plan itself says, and a quantity comes from: its address by where it stands."""
        if self.written is None:
            self.written = Written(self.ctx)
        made_of = self.written.of(bound.value.node)
        first: dict[Span, str] = {}
        for each in self.ctx.bound.values():
            if (
                not each.library and each is not bound and each.expr.span in made_of
            ):  # what copies have, they have from there
                first.setdefault(each.expr.span, f"`{each.address}`")
        return first

    def _way_out(self, names: Sequence[str], *, foreign: bool) -> str:
        """What a plan can change: of a field that the library declares, only what it makes that field of."""
        if not foreign:
            return f"look for what takes too much, {_OR_SIGNED}"
        more = [f"{len(names) - _FEW:,} more"] if len(names) > _FEW else []
        listed = f": of this plan it comes from {', '.join([*names[:_FEW], *more])}" if names else ""
        return f"look for what takes too much{listed}"

    def _said(self, bound: Bound) -> str:
        node = bound.value.node
        return self.saying.one(self.evaluation.values[node], self._info(bound).unit, self.ctx.tape.dims[node])

    def _info(self, bound: Bound) -> BindInfo:
        info = self.ctx.tape.data[bound.value.node]
        assert isinstance(info, BindInfo)
        return info
