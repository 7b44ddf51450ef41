"""The whole document of a judged plan: its quantities, as tight as they are known, and all that tells of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from msgspec.structs import replace

from capwright.base.address import owner_of
from capwright.base.interval import Range, as_range
from capwright.base.source import Span
from capwright.document.brief import Origin
from capwright.document.caveat_docs import caveat_docs, possible_caveats
from capwright.document.deciders import Deciding
from capwright.document.formulas import formula_docs
from capwright.document.judged import Judged
from capwright.document.naming import REQUIRE, Names
from capwright.document.options import counterparts
from capwright.document.outline import option_docs, section_docs, view_docs
from capwright.document.plandoc import (
    DiagnosticDoc,
    EvidenceDoc,
    MovedDoc,
    PlanDoc,
    Quantity,
    Side,
    VerdictDoc,
)
from capwright.document.quantities import Quantities, end
from capwright.document.scales import scale_docs
from capwright.document.settings import setting_docs
from capwright.document.sources import source_docs
from capwright.graph.context import Context
from capwright.graph.evaluation import Evaluation
from capwright.graph.expansion import Expansion
from capwright.graph.one_way import one_way
from capwright.graph.reach import is_rough, sources_below
from capwright.graph.tighten import tighten


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
    caveats = caveat_docs(marks, quantities)
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
        possible_caveats(marks, quantities, judged.all_verdicts, caveats),
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
            e.judgement.within,
        )
        for e in expansion.evidence
    )


def _tightened(
    ctx: Context, evaluation: Evaluation, names: Names, wanted: set[str], sources: dict[str, str]
) -> tuple[dict[int, tuple[Range, bool]], dict[int, tuple[str, ...]]]:
    """Tight intervals of what a plan names, whatever of it is reported; for all ranged quantities, the sources they lean on.

    Where there is not enough work for all, what is reported goes first, and what is left over is marked loose. So is a part
    of what is named, which is not tightened, but where plain arithmetic has its ends exactly."""
    tight: dict[int, tuple[Range, bool]] = {}
    leaning: dict[int, tuple[str, ...]] = {}
    plain: set[int] | None = None
    for address in sorted(names.node_of, key=lambda each: each not in wanted):
        node = names.node_of[address]
        value = evaluation.values[node]
        if type(value) is not Range:
            ids = sources_below(ctx.tape, evaluation, node)
            if ids:
                leaning[node] = _by_address(ids, sources)
            continue
        if address in wanted or owner_of(address) == address:
            found = tighten(ctx.tape, evaluation, node)
            tight[node] = (found.value, found.loose)
            ids = found.leans_on
        else:
            if plain is None:
                plain = one_way(ctx.tape, evaluation.values, range(len(ctx.tape)))
            if node not in tight:
                tight[node] = (value, node not in plain or is_rough(ctx.tape, evaluation, node))
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
