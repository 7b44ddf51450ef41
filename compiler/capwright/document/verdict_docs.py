"""Requirements to verdicts, measurements to comparisons: judged on the graph, written for the document."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from fractions import Fraction
from typing import cast

from capwright.base.address import owner_of, top_of
from capwright.base.exact import to_text
from capwright.base.interval import Range, as_range
from capwright.base.source import Span
from capwright.document.deciders import Deciding
from capwright.document.marks import Marks
from capwright.document.naming import Names
from capwright.document.plandoc import MeasurementDoc, Side, VerdictDoc, VerdictMarks
from capwright.document.quantities import end, line_of, unit_text
from capwright.document.rounded import point_of, range_of_rounding, rounded_off
from capwright.document.saying import Saying
from capwright.document.trees import Trees
from capwright.document.written import paths_in
from capwright.graph.asking import Asked
from capwright.graph.context import Context
from capwright.graph.evaluation import Evaluation
from capwright.graph.measuring import Measured, complete
from capwright.graph.tape import BindInfo, CallInfo, SourceInfo
from capwright.graph.tighten import tighten
from capwright.graph.values import Q
from capwright.graph.verdicts import Judgement, all_below, compare_measurement, judge, judge_expected
from capwright.syntax.tree import Comparison, Quantity

Place = Callable[[Span], str]


class Judge:
    """Writes verdicts. `sources` maps a source's id on the tape to its address."""

    def __init__(
        self,
        ctx: Context,
        evaluation: Evaluation,
        names: Names,
        marks: Marks,
        trees: Trees,
        sources: dict[str, str],
        place: Place,
    ) -> None:
        self.ctx = ctx
        self.evaluation = evaluation
        self.names = names
        self.marks = marks
        self.trees = trees
        self.sources = sources
        self.place = place

    def verdict(
        self, asked: Asked, number: int, contradicted: frozenset[str], *, by_plan: bool = True
    ) -> VerdictDoc | None:
        """The verdict on one requirement; None where a side has no value, or nothing to expect.

        What the plan expects of its own things must have a nominal value. Nobody expects it of an option by name: where
        that has a bound instead, for want of the base's measurement perhaps, it is not asked (`by_plan` is false).
        """
        statement, condition = asked.statement, asked.condition
        comparison = cast("Comparison", condition.operator)
        tape = self.ctx.tape
        found = judge(
            tape, self.evaluation, asked.left.node, asked.right.node, comparison, decided=asked.decided
        )
        if found is None:
            return None
        status: str = found.status
        if statement.verb == "expect":
            status = judge_expected(tape, self.evaluation, asked.left.node, asked.right.node, comparison)
            if status == "no estimate":
                if by_plan:
                    self._no_estimate(asked)
                return None
        unit = self._unit(asked)
        left, right = self._side(asked.left, asked, left=True), self._side(asked.right, asked, left=False)
        if {left.address, right.address} & contradicted:
            status = "contradicted"
        opened = self._opened(found, asked) if status == "not established" else (None, None, None)
        source = self.ctx.sources[statement.span.file]
        caveats, excluded = self._caveats(asked, self.marks), _excluded(self.marks, asked)
        return VerdictDoc(
            f"v{number}",
            statement.verb,
            statement.label or self.ctx.text(condition.span),
            self.ctx.text(condition.span),
            comparison,
            status,  # type: ignore[arg-type]  # the words of both judges are statuses
            left,
            right,
            unit_text(self.ctx.program.units, unit, dict(asked.left.type.dim.powers)),
            end(found.margin.low),
            end(found.margin.nominal),
            end(found.margin.high),
            tuple(sorted({self.sources.get(s, s) for s in found.leans_on})),
            *opened,
            statement.established,
            caveats,
            self.place(statement.span),
            line_of(source, statement.span),
            excluded,
            self._possible(asked, VerdictMarks(caveats, excluded)),
        )

    def _no_estimate(self, asked: Asked) -> None:
        values = self.evaluation.values
        side, expr = (
            (asked.left, asked.condition.left)
            if as_range(values[asked.left.node] or 0).nominal is None
            else (asked.right, asked.condition.right)
        )
        name = self.names.of_node.get(side.node, self.ctx.text(expr.span))
        self.ctx.say(
            "CW0510",
            expr.span,
            f"`{name}` is a bound, or comes from one: it has no nominal value to expect anything of",
            "use `require`, or give an estimate of its own with `~`, `assume` or `measure`",
        )

    def _unit(self, asked: Asked) -> str:
        """One unit for both sides: what the requirement itself writes a number in, else that of the left."""
        a, b = asked.left.type, asked.right.type
        written = [side.unit for side in (a, b) if side.literal and side.unit]
        return written[0] if written else a.unit or b.unit

    def _side(self, value: Q, asked: Asked, *, left: bool) -> Side:
        expr = asked.condition.left if left else asked.condition.right
        tape = self.ctx.tape
        held = tighten(tape, self.evaluation, value.node).value
        node = tape.args[value.node][0] if tape.ops[value.node] == "effective" else value.node
        address = self.names.of_node.get(node)
        return Side(
            self.ctx.text(expr.span),
            address,
            end(held.low),
            end(held.nominal),
            end(held.high),
            self.trees.below(value.node),
            self.trees.hides(value.node),
            tuple(dict.fromkeys(path for path in paths_in(expr) if path in self.ctx.bound)),
        )

    def _caveats(self, asked: Asked, marks: Marks) -> tuple[str, ...]:
        found: set[str] = set()
        for one, other in ((asked.left, asked.right), (asked.right, asked.left)):
            kind = one.type.kind or other.type.kind
            for node in (one.node, *asked.decided):
                found |= marks.shown(node, kind)
        return tuple(sorted(found))

    def _possible(self, asked: Asked, stand: VerdictMarks) -> VerdictMarks | None:
        """What may stand on its sides, where that is not what does."""
        possible = self.marks.possible
        if possible is self.marks:
            return None
        may = VerdictMarks(self._caveats(asked, possible), _excluded(possible, asked))
        return None if may == stand else may

    def _opened(self, found: Judgement, asked: Asked) -> tuple[str | None, str | None, str | None]:
        """Address and line of what opens the blocking end, and the evidence that would close it."""
        condition = asked.condition
        asked_for = [path for side in (condition.left, condition.right) for path in paths_in(side)]
        near = {top_of(path) for path in asked_for}
        node = found.opened_by
        if node is None:
            return None, None, "a narrower range for what it leans on"
        tape = self.ctx.tape
        address, info = self._named(node, near)
        span = info.span if isinstance(info, SourceInfo) else tape.spans[node]
        source = self.ctx.sources.get(span.file)
        line = f"{source.place(span.start)}: {line_of(source, span)}" if source is not None else None
        closing = self._closing(self._measurable(node, address, asked_for) or "it", info, tape.data[node])
        named = ((each, self._named(each, near)[0]) for each in found.besides)
        others = [f"`{self._measurable(each, name, asked_for)}`" for each, name in named if name is not None]
        if others:
            closing += f", together with {_narrower(others)}"
        return address, line, closing

    def _measurable(self, node: int, address: str | None, asked_for: Sequence[str]) -> str | None:
        """What can be measured of what stands at an address: within a formula the number that is asked for and made of it."""
        if address is None or owner_of(address) == address:
            return address
        bound, tape = self.ctx.bound, self.ctx.tape
        made = (
            path for path in asked_for if path in bound and node in all_below(tape, bound[path].value.node)
        )
        return next(made, owner_of(address))

    def _named(self, node: int, near: Collection[str]) -> tuple[str | None, object]:
        """The address of what keeps a room away, of several that of a thing in `near`, and what it is."""
        data = self.ctx.tape.data[node]
        info = data.source if isinstance(data, BindInfo | CallInfo) else data
        own = self.names.of_node.get(node)
        address = own
        if isinstance(info, SourceInfo):
            address = info.id if info.measured else self.sources.get(info.id, own)
        alike = (
            address,
            own,
            *self.names.aliases.get(address or "", ()),
            *self.names.aliases.get(own or "", ()),
        )
        return next((name for name in alike if name and top_of(name) in near), address), info

    def _closing(self, name: str, info: object, data: object) -> str:
        relation = info.relation if isinstance(info, SourceInfo) else "="
        if isinstance(info, SourceInfo) and info.measured:
            return f"a measurement with a narrower range than `{name}`"
        if relation == "assume":
            return f"a narrower range for `{name}` (`assume … in … from measure NAME`)"
        if relation == "~":
            return (
                f"a range for `{name}` (`assume {name} = … in LOW .. HIGH because …`) or a measurement of it"
            )
        kind = data.kind if isinstance(data, BindInfo | CallInfo) else None
        declared = self.ctx.program.main.all_kinds.get(kind or "")
        stated = (
            ", ".join(c.name for c in declared.decl.context if not c.optional) if declared is not None else ""
        )
        return f"a measurement of `{name}` at this workload" + (f" (stating {stated})" if stated else "")

    def measurement(self, measured: Measured) -> MeasurementDoc | None:
        """A measurement against what was derived; incomplete ones are reported and left out."""
        if not complete(self.ctx, measured):
            return None
        derived = self.ctx.bound[measured.of].value.node
        comparison = compare_measurement(
            self.ctx.tape, self.evaluation, derived, measured.leaf, measured.name
        )
        if comparison is not None and measured.objection:
            comparison = "does not count"
        held = self.evaluation.values[measured.leaf]
        if comparison is None or held is None:
            return None
        value = as_range(held)
        nominal = value.nominal if value.nominal is not None else 0
        if comparison == "contradiction":
            self._contradiction(measured, as_range(self.evaluation.values[derived] or 0), value)
        info = self.ctx.tape.data[derived]
        assert isinstance(info, BindInfo)
        source = self.ctx.sources[measured.statement.span.file]
        return MeasurementDoc(
            measured.address,
            measured.of,
            to_text(value.low if value.low is not None else nominal),
            to_text(nominal),
            to_text(value.high if value.high is not None else nominal),
            unit_text(self.ctx.program.units, info.unit, dict(self.ctx.tape.dims[derived].powers)),
            {**measured.context, **_origin(measured)},
            comparison,
            self.place(measured.statement.span),
            line_of(source, measured.statement.span),
            measured.statement.clauses.confidential,
            Deciding(self.ctx, self.names).addresses(measured.compared),
            measured.objection,
            measured.judgement.idle,
            measured.judgement.unstated,
            measured.judgement.named,
            measured.judgement.within,
        )

    def _contradiction(self, measured: Measured, derived: Range, value: Range) -> None:
        bound = self.ctx.bound[measured.of]
        written = measured.statement.value
        spelling = written.unit if isinstance(written, Quantity) else bound.value.type.unit
        told, expected = Saying(self.ctx.program.units).together(
            (value, derived), spelling, bound.value.type.dim
        )
        self.ctx.report.say(
            "CW0509",
            measured.statement.path_span,
            f"`{measured.address}` lies outside what is derived for `{measured.of}`: measured {told}, derived "
            f"{expected}",
            self._rounded(measured, derived, value)
            or "one of the two is wrong: the unit, the configuration measured, or the formula "
            f"`{self.ctx.text(bound.expr.span)}` at {self.place(bound.statement.span)}",
        )

    def _rounded(self, measured: Measured, derived: Range, value: Range) -> str:
        """The way out where no more than the digits that rounding left off lies between what was measured and what is
        derived, from other measurements perhaps; empty where more does. Nothing is taken for equal."""
        held, node = value.nominal, self.ctx.bound[measured.of].value.node
        if held is None or not value.low == held == value.high:
            return ""
        below = derived.low is not None and held < derived.low
        near = derived.low if below else derived.high
        if near is None:
            return ""
        gap = abs(Fraction(held) - Fraction(near))
        info, own = self.ctx.tape.data[node], point_of(measured.statement)
        told: list[str] = []
        slack = Fraction(0)
        if own is not None and (part := rounded_off(own)) and not (isinstance(info, BindInfo) and info.whole):
            slack = abs(Fraction(held) * part)
            told.append(range_of_rounding(measured.statement, own))
        if gap > slack:
            made_of = all_below(self.ctx.tape, node)
            for other in self.ctx.program.orders.measures:
                leaf, point = self.ctx.measured.get(".".join(other.path), (None, ""))[0], point_of(other)
                if leaf in made_of and point is not None and (part := rounded_off(point)):
                    slack += abs(Fraction(near) * part)
                    told.append(range_of_rounding(other, point))
        if gap > slack:
            return ""
        ranges = " and ".join(f"`measure {text} …`" for text in told)
        return f"rounding alone may make the difference: give the range that it leaves: {ranges}"


def _narrower(names: Sequence[str]) -> str:
    """`a narrower range for x`, `narrower ranges for x, y and z`."""
    *first, last = names
    return f"narrower ranges for {', '.join(first)} and {last}" if first else f"a narrower range for {last}"


def _excluded(marks: Marks, asked: Asked) -> tuple[str, ...]:
    return tuple(sorted(frozenset[str]().union(*(marks.excluded[each] for each in _leaned_on(asked)))))


def _leaned_on(asked: Asked) -> tuple[int, ...]:
    """Both sides of a requirement, and what decides in it what they are."""
    return (asked.left.node, asked.right.node, *asked.decided)


def _origin(measured: Measured) -> dict[str, str]:
    """Where a measurement is from, as its clauses say."""
    clauses = measured.statement.clauses
    said = {"source": clauses.source, "because": clauses.because}
    return {word: text for word, text in said.items() if text}
