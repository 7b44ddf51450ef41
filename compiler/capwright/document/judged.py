"""A plan evaluated and judged: what each of its requirements, and each of its measurements, comes to."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from msgspec import Struct

from capwright.base.address import depth_of, thing_of, top_of
from capwright.base.source import Span
from capwright.document.checks import Consequences, decide
from capwright.document.domains import warn_of_cut_domains
from capwright.document.marks import Marks
from capwright.document.naming import Names
from capwright.document.negatives import warn_of_negative
from capwright.document.options import warn_of_idle_options
from capwright.document.outcome import is_counted
from capwright.document.plandoc import AnswerDoc, MeasurementDoc, VerdictDoc
from capwright.document.sources import source_addresses
from capwright.document.trees import Trees
from capwright.document.unread import warn_of_unread
from capwright.document.verdict_docs import Judge
from capwright.graph.asking import Asked
from capwright.graph.context import Context
from capwright.graph.evaluate import evaluate
from capwright.graph.evaluation import Evaluation
from capwright.graph.exactly import withheld_nodes
from capwright.graph.expansion import Expansion
from capwright.graph.kernel_value import KernelWithin
from capwright.graph.reach import measurement_decides
from capwright.graph.tape import Tape
from capwright.graph.telling import tell
from capwright.graph.values import Inst


class Judged(Struct, frozen=True):
    """An expansion evaluated, with its verdicts: all that a check needs, and all that a document is made of."""

    expansion: Expansion
    evaluation: Evaluation
    names: Names
    marks: Marks
    trees: Trees
    sources: dict[str, str]
    verdicts: tuple[VerdictDoc, ...]
    measurements: tuple[MeasurementDoc, ...]
    answers: tuple[AnswerDoc, ...]
    place: Callable[[Span], str]

    @property
    def all_verdicts(self) -> list[VerdictDoc]:
        """The verdicts of the bases and of their options."""
        return [*self.verdicts, *(one.verdict for one in self.answers if one.verdict is not None)]


def judge(expansion: Expansion) -> Judged:
    """Evaluate an expanded plan and judge what it asks. What goes wrong is added to the expansion's report."""
    ctx = expansion.ctx
    evaluation = evaluate(ctx.tape, KernelWithin(ctx.tape), _roots(expansion))
    consequences = decide(expansion, evaluation)
    _faults(ctx, evaluation, consequences)
    warn_of_idle_options(ctx, evaluation)
    warn_of_cut_domains(ctx, evaluation)
    warn_of_negative(ctx, evaluation, consequences)
    asked = [q.node for a in _all_asked(expansion) for q in (a.left, a.right)]
    names = Names(ctx.tape, ctx.bound, asked, _lying_aside(ctx))
    marks = _marks(expansion, evaluation)

    def place(span: Span) -> str:
        source = ctx.sources.get(span.file)
        return source.place(span.start) if source is not None else span.file

    sources = source_addresses(ctx, names)
    trees = Trees(ctx.tape, names, sources, place)
    bench = Judge(ctx, evaluation, names, marks, trees, sources, place)
    measurements = [m for one in expansion.measures if (m := bench.measurement(one)) is not None]
    counted = {one.address for one in measurements if is_counted(one)}
    warn_of_unread(ctx, names, [one for one in expansion.measures if one.address in counted], asked)
    verdicts = _verdicts(expansion, bench, measurements)
    answers = tuple(_answers(expansion, bench, verdicts))
    return Judged(
        expansion,
        evaluation,
        names,
        marks,
        trees,
        sources,
        tuple(verdicts),
        tuple(measurements),
        answers,
        place,
    )


def _all_asked(expansion: Expansion) -> list[Asked]:
    """What the plan asks, of the bases and of their options."""
    return [
        *expansion.asked,
        *(a for each in expansion.answers for a in each.asked.values() if a is not None),
    ]


def _roots(expansion: Expansion) -> list[int]:
    ctx = expansion.ctx
    roots = [b.value.node for b in ctx.bound.values()]
    roots += [c.node for c in expansion.conditions if c.node is not None]
    roots += [q.node for a in _all_asked(expansion) for q in (a.left, a.right)]
    roots += [measured.leaf for measured in expansion.measures]
    return roots


def _faults(ctx: Context, evaluation: Evaluation, consequences: Consequences) -> None:
    for fault in (*ctx.faulted, *evaluation.faults):
        if not consequences.explain(fault.node):
            tell(ctx, fault)


def _lying_aside(ctx: Context) -> Callable[[str], bool]:
    """Whether an address is of another file, behind `as`, or of a thing that no other refers to but in options: a plan does
    not speak of its own device by the name of a spare one."""
    files = ctx.program.main.spaces
    used = {
        thing_of(top_of(value.address))
        for (holder, _), value in ctx.demand.known.items()
        if type(value) is Inst and type(holder) is Inst and not depth_of(holder.address)
    }

    def is_aside(address: str) -> bool:
        top = top_of(address)
        return address.partition(".")[0] in files or top not in used

    return is_aside


def _marks(expansion: Expansion, evaluation: Evaluation) -> Marks:
    """Caveats and exclusions, with what evidence discharges; a permanent caveat cannot be discharged."""
    ctx = expansion.ctx
    read = _read_off(ctx.tape, evaluation)
    marks = Marks(ctx.tape, ctx.program.main, ctx.program.library, evaluation.values, read)
    hidden = withheld_nodes(ctx)
    possible = (
        Marks(ctx.tape, ctx.program.main, ctx.program.library, evaluation.values, read, hidden)
        if hidden
        else marks
    )
    for node, name in marks.refused:
        ctx.say(
            "CW0508",
            ctx.tape.spans[node],
            f"the caveat `{name}` is permanent and cannot be discharged",
            "remove `discharges`: the caveat says what no formula can take away",
        )
    shown = _discharged(expansion)
    for measured in expansion.measures:
        for node in read if measured.statement.clauses.discharges else ():
            if ctx.tape.args[node][1] == measured.leaf:
                shown.setdefault(node, set()).update(measured.statement.clauses.discharges)
    if possible is not marks:
        possible.discharge(
            {node: names for node, names in shown.items() if node not in read or node not in hidden}
        )
    marks.discharge(shown)
    marks.possible = possible
    return marks


def _read_off(tape: Tape, evaluation: Evaluation) -> frozenset[int]:
    """The nodes at which a quantity is read as it was measured, whatever was derived."""
    return frozenset(
        node
        for node, op in enumerate(tape.ops)
        if op == "effective" and measurement_decides(tape, evaluation.values, node)
    )


def _discharged(expansion: Expansion) -> dict[int, set[str]]:
    """The caveats that evidence takes away, by node: of what it speaks of, and of all that lies in what it counts for."""
    of: dict[str, set[str]] = {}
    within: dict[str, set[str]] = {}
    for shown in expansion.evidence:
        if shown.counts:
            names = shown.statement.clauses.discharges
            of.setdefault(shown.of, set()).update(names)
            for thing in shown.things:
                within.setdefault(thing, set()).update(names)
    found: dict[int, set[str]] = {}
    for address, held in expansion.ctx.bound.items() if of else ():
        names_here = set(of.get(address, ()))
        at = address.find(".")
        while at >= 0:
            names_here.update(within.get(address[:at], ()))
            at = address.find(".", at + 1)
        if names_here:
            found.setdefault(held.value.node, set()).update(names_here)
    return found


def _verdicts(expansion: Expansion, judge: Judge, measurements: list[MeasurementDoc]) -> list[VerdictDoc]:
    contradicted = frozenset(m.of for m in measurements if m.comparison == "contradiction")
    found = [
        judge.verdict(asked, number, contradicted) for number, asked in enumerate(expansion.asked, start=1)
    ]
    return [v for v in found if v is not None]


def _answers(expansion: Expansion, judge: Judge, verdicts: list[VerdictDoc]) -> Iterator[AnswerDoc]:
    """What comes of the requirements that have a verdict, of each option."""
    judged = {verdict.id for verdict in verdicts}
    numbered = [
        (number, name, base)
        for number, base in enumerate(expansion.asked, start=1)
        if (name := f"v{number}") in judged
    ]
    for each in expansion.answers:
        for number, name, base in numbered:
            asked = each.asked.get(number - 1, base)
            if asked is None:
                continue
            if (asked.left.node, asked.right.node, asked.decided) == (
                base.left.node,
                base.right.node,
                base.decided,
            ):
                yield AnswerDoc(each.option, name, None)
            elif (verdict := judge.verdict(asked, number, frozenset(), by_plan=False)) is not None:
                yield AnswerDoc(each.option, name, verdict)
