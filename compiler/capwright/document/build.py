"""Expansion and evaluation to a PlanDoc."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from msgspec import Struct
from msgspec.structs import replace

from capwright.base.address import depth_of, thing_of, top_of
from capwright.base.diagnostic import Diagnostic
from capwright.base.interval import Range, as_range
from capwright.base.source import Source, Span
from capwright.document.checks import Consequences, decide
from capwright.document.deciders import Deciding
from capwright.document.domains import warn_of_cut_domains
from capwright.document.formulas import formula_docs
from capwright.document.judging import Judge
from capwright.document.marks import Marks
from capwright.document.naming import REQUIRE, Names
from capwright.document.negatives import warn_of_negative
from capwright.document.options import counterparts, warn_of_idle_options
from capwright.document.outline import option_docs, section_docs, view_docs
from capwright.document.plandoc import (
    AnswerDoc,
    CaveatDoc,
    DiagnosticDoc,
    EvidenceDoc,
    InputDoc,
    MeasurementDoc,
    MovedDoc,
    PlanDoc,
    Quantity,
    Side,
    VerdictDoc,
)
from capwright.document.quantities import Quantities, end, line_of
from capwright.document.scales import scale_docs
from capwright.document.settings import setting_docs
from capwright.document.sources import source_addresses, source_docs
from capwright.document.trees import Trees
from capwright.graph.asking import Asked
from capwright.graph.context import Context
from capwright.graph.evaluate import Evaluation, evaluate
from capwright.graph.exactly import withheld_nodes
from capwright.graph.expansion import Expansion
from capwright.graph.kernel_value import KernelWithin
from capwright.graph.reach import measurement_decides, sources_below
from capwright.graph.tape import Tape
from capwright.graph.telling import tell
from capwright.graph.tighten import tighten
from capwright.graph.values import Inst


class Origin(Struct, frozen=True):
    """What a document says of where it comes from."""

    title: str
    path: str
    tool_version: str
    tool_sha256: str
    library_sha256: str
    inputs: tuple[InputDoc, ...]


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
    marks = Marks(ctx.tape, ctx.program.main, evaluation.values, read)
    hidden = withheld_nodes(ctx)
    possible = Marks(ctx.tape, ctx.program.main, evaluation.values, read, hidden) if hidden else marks
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


def write(judged: Judged, origin: Origin, diagnostics: tuple[DiagnosticDoc, ...]) -> PlanDoc:
    """Write a judged plan down."""
    ctx, names, marks = judged.expansion.ctx, judged.names, judged.marks
    evaluation, sources, place = judged.evaluation, judged.sources, judged.place
    sections = section_docs(judged.expansion)
    shown = {address for section in sections for address in section.addresses}
    wanted = (
        shown
        | counterparts(ctx, names, shown)
        | {side.address for v in judged.verdicts for side in (v.left, v.right) if side.address is not None}
    )
    tight, leaning = _tightened(ctx, evaluation, names, wanted, sources)
    writer = Quantities(ctx, names, marks, judged.trees, evaluation.values, tight, leaning)
    quantities = _quantities(writer, names)
    caveats = _caveats(marks, quantities)
    return PlanDoc(
        origin.title,
        origin.path,
        origin.tool_version,
        origin.tool_sha256,
        origin.library_sha256,
        origin.inputs,
        quantities,
        source_docs(ctx, evaluation, names, sources, quantities, place),
        caveats,
        tuple(_as_reported(verdict, names, evaluation, tight) for verdict in judged.verdicts),
        judged.measurements,
        _evidence(judged.expansion, names, place),
        sections,
        view_docs(judged.expansion, names),
        option_docs(ctx),
        tuple(MovedDoc(".".join(m.old), ".".join(m.new)) for m in ctx.program.orders.moved),
        diagnostics,
        {k.name: k.decl.label or k.name for k in ctx.program.main.all_kinds.values()},
        scale_docs(ctx.program.units),
        setting_docs(ctx, place),
        judged.answers,
        formula_docs(ctx, place),
        _possible_caveats(marks, quantities, _all_judged(judged), caveats),
    )


def _as_reported(
    verdict: VerdictDoc, names: Names, evaluation: Evaluation, tight: dict[int, tuple[Range, bool]]
) -> VerdictDoc:
    """The verdict with its sides as the report has them: as tight, where no measurement is read in their place."""

    def side(one: Side) -> Side:
        node = names.node_of.get(one.address or "")
        if node is None or node not in tight:
            return one
        plain = as_range(evaluation.values[node] or 0)
        if (end(plain.low), end(plain.high)) != (one.low, one.high):
            return one
        return replace(one, low=end(tight[node][0].low), high=end(tight[node][0].high))

    return replace(verdict, left=side(verdict.left), right=side(verdict.right))


def _all_judged(judged: Judged) -> list[VerdictDoc]:
    """The verdicts of the bases and of their options."""
    return [*judged.verdicts, *(one.verdict for one in judged.answers if one.verdict is not None)]


def brief(judged: Judged, origin: Origin) -> PlanDoc:
    """A document of verdicts and measurements alone, for whoever does not look at quantities."""
    told = {name for verdict in judged.verdicts for name in verdict.caveats}
    caveats = tuple(_caveat(judged.marks, name, ()) for name in sorted(told))
    main = judged.expansion.ctx.program
    return PlanDoc(
        origin.title, origin.path, origin.tool_version, origin.tool_sha256, origin.library_sha256, origin.inputs,
        (), (), caveats, judged.verdicts, judged.measurements, (), (), (), (), (), (), {}, scale_docs(main.units),
        (), judged.answers, possible_caveats=_possible_caveats(judged.marks, (), _all_judged(judged), caveats),
    )  # fmt: skip


def _evidence(expansion: Expansion, names: Names, place: Callable[[Span], str]) -> tuple[EvidenceDoc, ...]:
    return tuple(
        EvidenceDoc(
            e.statement.name,
            e.of,
            e.context,
            e.statement.clauses.discharges,
            e.counts,
            e.reason,
            place(e.statement.span),
            e.judgement.idle,
            e.judgement.unstated,
            Deciding(expansion.ctx, names).addresses(e.compared),
            e.judgement.named,
        )
        for e in expansion.evidence
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


def _tightened(
    ctx: Context, evaluation: Evaluation, names: Names, wanted: set[str], sources: dict[str, str]
) -> tuple[dict[int, tuple[Range, bool]], dict[int, tuple[str, ...]]]:
    """Tight intervals of what is reported; for all ranged quantities, the sources they lean on."""
    tight: dict[int, tuple[Range, bool]] = {}
    leaning: dict[int, tuple[str, ...]] = {}
    for address, node in names.node_of.items():
        value = evaluation.values[node]
        if type(value) is not Range:
            ids = sources_below(ctx.tape, evaluation, node)
            if ids:
                leaning[node] = _by_address(ids, sources)
            continue
        if address in wanted:
            found = tighten(ctx.tape, evaluation, node)
            tight[node] = (found.value, found.loose)
            ids = found.leans_on
        else:
            ids = sources_below(ctx.tape, evaluation, node)
        leaning[node] = _by_address(ids, sources)
    return tight, leaning


def _by_address(ids: Iterable[str], sources: dict[str, str]) -> tuple[str, ...]:
    return tuple(sorted({sources.get(each, each) for each in ids}))


def _quantities(writer: Quantities, names: Names) -> tuple[Quantity, ...]:
    found: list[Quantity | None] = []
    order = sorted(
        (b for b in writer.ctx.bound.values() if names.bound.get(b.address) is b),
        key=lambda b: b.order,
    )
    for held in order:
        found.append(writer.bound(held.address))
        found += map(writer.inside, names.calls.get(held.address, ()))
    found += map(writer.inside, names.calls.get(REQUIRE, ()))
    return tuple(q for q in found if q is not None)


def _caveats(marks: Marks, quantities: tuple[Quantity, ...]) -> tuple[CaveatDoc, ...]:
    users: dict[str, list[str]] = {}
    for q in quantities:
        for name in sorted({*q.caveats_here, *q.caveats_inherited}):
            users.setdefault(name, []).append(q.address)
    return tuple(_caveat(marks, name, tuple(users[name])) for name in sorted(users))


def _possible_caveats(
    marks: Marks,
    quantities: tuple[Quantity, ...],
    verdicts: Iterable[VerdictDoc],
    caveats: tuple[CaveatDoc, ...],
) -> tuple[CaveatDoc, ...]:
    """The caveats that may stand whatever the confidential numbers are, and are not among those that do."""
    may = [q.possible for q in quantities if q.possible is not None]
    named = {name for each in may for name in (*each.caveats_here, *each.caveats_inherited)}
    named |= {name for one in verdicts if one.possible is not None for name in one.possible.caveats}
    return tuple(_caveat(marks, name, ()) for name in sorted(named - {one.name for one in caveats}))


def _caveat(marks: Marks, name: str, users: tuple[str, ...]) -> CaveatDoc:
    caveat = marks.caveats[name]
    return CaveatDoc(name, ", ".join(caveat.scopes), caveat.text, caveat.permanent, users)


def diagnostic_docs(found: tuple[Diagnostic, ...], sources: dict[str, Source]) -> tuple[DiagnosticDoc, ...]:
    """Diagnostics as a document carries them."""
    docs: list[DiagnosticDoc] = []
    for d in found:
        source = sources.get(d.span.file)
        line, column = source.line_column(d.span.start) if source is not None else (0, 0)
        docs.append(
            DiagnosticDoc(
                d.code,
                d.severity,
                d.message,
                d.help,
                f"{d.span.file}:{line}",
                line_of(source, d.span) if source is not None else "",
                column,
                tuple(n.text for n in d.notes),
            )
        )
    return tuple(docs)
