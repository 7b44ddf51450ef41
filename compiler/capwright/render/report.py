"""What a report says, before any format: the one thing that Markdown and HTML are templates of."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct
from msgspec.structs import replace

from capwright.base.address import bases_of, depth_of, top_of
from capwright.document.outcome import unfit
from capwright.document.plandoc import (
    CaveatDoc,
    DiagnosticDoc,
    EvidenceDoc,
    InputDoc,
    MeasurementDoc,
    MovedDoc,
    Quantity,
    SectionDoc,
    SourceDoc,
    ViewDoc,
)
from capwright.render.derivations import LISTED, Derivation, derivations, listing
from capwright.render.figures import (
    established,
    in_full,
    measurement_ends,
    numerals,
    quantity_ends,
    source_ends,
)
from capwright.render.formulas import short_name, truth_or_value
from capwright.render.index import Index, drawn
from capwright.render.measured import MEASURED, measurement_pieces, measurements_of
from capwright.render.options import Options, beside, options_of
from capwright.render.pieces import Numeral, Pieces, Quoted, Reference, Words
from capwright.render.stated import stated
from capwright.render.verdicts import VerdictView, counts, discharged, name_of, verdict_views
from capwright.render.words import CONFIDENTIAL, RANGE, SOURCE, Tone


class Row(Struct, frozen=True):
    """One quantity in a section's table. `marks` are what a reader must know beside the number."""

    address: str
    name: str
    label: str
    value: Pieces
    established: Pieces
    kind: str
    marks: tuple[Pieces, ...]


class Section(Struct, frozen=True):
    """A section of the report. `caveats` hold for every row of it and are not repeated there."""

    path: str
    title: str
    views: tuple[ViewDoc, ...]
    rows: tuple[Row, ...]
    caveats: tuple[str, ...]


class Assumption(Struct, frozen=True):
    """A source of uncertainty, and the reported numbers it touches."""

    id: str
    sort: str
    value: Pieces
    because: str
    review: str
    replaces: str
    place: str
    line: str
    used_by: Pieces


class Caveat(Struct, frozen=True):
    """A caveat and the reported numbers it stands on."""

    name: str
    scope: str
    text: str
    permanent: bool
    used_by: Pieces


class Measured(Struct, frozen=True):
    """A measurement: value, stated context, and how it compares with what was derived."""

    address: str
    of: Pieces
    value: Pieces
    comparison: str
    context: tuple[tuple[str, str], ...]
    place: str
    line: str


class Report(Struct, frozen=True):
    """Everything a page shows, in order. `elsewhere` are assumptions that no number of the page leans on.

    A brief one leaves derivations to the full page.
    """

    title: str
    path: str
    counts: tuple[tuple[Tone, Pieces], ...]
    unfit: tuple[DiagnosticDoc, ...]
    permanent: tuple[Caveat, ...]
    verdicts: tuple[VerdictView, ...]
    options: tuple[Options, ...]
    sections: tuple[Section, ...]
    assumptions: tuple[Assumption, ...]
    bounds: tuple[Assumption, ...]
    elsewhere: Pieces
    caveats: tuple[Caveat, ...]
    exclusions: tuple[tuple[str, Pieces], ...]
    discharged: tuple[Pieces, ...]
    measurements: tuple[Measured, ...]
    evidence: tuple[EvidenceDoc, ...]
    derivations: tuple[Derivation, ...]
    is_brief: bool
    diagnostics: tuple[DiagnosticDoc, ...]
    moved: tuple[MovedDoc, ...]
    inputs: tuple[InputDoc, ...]
    tool_version: str
    tool_sha256: str
    library_sha256: str


def report(of: Index) -> Report:
    """The report of a document."""
    doc = of.doc
    reported = {address for section in doc.sections for address in section.addresses}
    leant_on = _leant_on(of)
    shown = _told(leant_on, of)
    caveats = tuple(_caveat(caveat, of, reported) for caveat in doc.caveats)
    return Report(
        title=doc.title,
        path=doc.path,
        counts=counts(of),
        unfit=unfit(doc.diagnostics),
        permanent=tuple(caveat for caveat in caveats if caveat.permanent),
        verdicts=verdict_views(of),
        options=options_of(of),
        sections=_sections(of),
        assumptions=tuple(_assumption(source, of, reported) for source in shown if source.sort != "bound"),
        bounds=tuple(_assumption(source, of, reported) for source in shown if source.sort == "bound"),
        elsewhere=_elsewhere([source for source in doc.sources if source not in leant_on], of),
        caveats=caveats,
        exclusions=_exclusions(of, reported),
        discharged=discharged(doc),
        measurements=tuple(_measured(measured, of) for measured in doc.measurements),
        evidence=tuple(replace(one, context=dict(stated(one))) for one in doc.evidence),
        derivations=derivations(of),
        is_brief=bool(of.folded),
        diagnostics=doc.diagnostics,
        moved=doc.moved,
        inputs=doc.inputs,
        tool_version=doc.tool_version,
        tool_sha256=doc.tool_sha256,
        library_sha256=doc.library_sha256,
    )


def _leant_on(of: Index) -> list[SourceDoc]:
    """What the page leans on: its verdicts and its numbers, those of options among them."""
    doc = of.doc
    asked = [*doc.verdicts, *(one.verdict for one in doc.answers if one.verdict is not None)]
    leaning = {name for verdict in asked for name in verdict.leans_on}
    numbers = of.derived | beside(of)
    return [
        source for source in doc.sources if source.id in leaning or not numbers.isdisjoint(source.used_by)
    ]


def _told(sources: list[SourceDoc], of: Index) -> list[SourceDoc]:
    """Those that are told each by itself: a bound or an estimate that an option has by the very line by which its base has one
    stands in the table of options, and is told of the base."""
    leant_on = {source.id: source for source in sources}

    def is_told_of_base(source: SourceDoc) -> bool:
        option = top_of(source.id)
        if source.sort == "assume" or depth_of(option) == 0:
            return False
        rest = source.id[len(option) :]
        of_bases = (leant_on.get(of.target(base + rest) or "") for base in bases_of(option))
        return any(
            one is not None and (one.sort, one.place) == (source.sort, source.place) for one in of_bases
        )

    return [source for source in sources if not is_told_of_base(source)]


def _sections(of: Index) -> tuple[Section, ...]:
    """The sections that the plan names, each with its pictures, and then the pictures that the plan itself draws."""
    pictures = drawn(of.doc)
    sections = [_section(section, tuple(pictures.get(section.path, ())), of) for section in of.doc.sections]
    own = tuple(pictures.get("", ()))
    return (*sections, Section("", "Pictures", own, (), ())) if own else tuple(sections)


def _section(section: SectionDoc, views: tuple[ViewDoc, ...], of: Index) -> Section:
    found = [of.quantities[address] for address in section.addresses if address in of.quantities]
    shared = [set(q.caveats_here) | set(q.caveats_inherited) for q in found]
    common = set.intersection(*shared) if shared else set()
    return Section(
        path=section.path,
        title=section.title,
        views=views,
        rows=tuple(_row(q, section.path, common, of) for q in found),
        caveats=tuple(sorted(common)),
    )


def _row(q: Quantity, path: str, common: set[str], of: Index) -> Row:
    ends = quantity_ends(q)
    parts = numerals(ends)
    return Row(
        address=q.address,
        name=short_name(q.address, f"{path}."),
        label=q.label or "",
        value=truth_or_value(q),
        established=established(ends, parts) if q.truth is None else (Words("exact"),),
        kind=kind if (kind := kind_words(q, of)) != q.label else "",
        marks=tuple(_marks(q, common, of)),
    )


def kind_words(q: Quantity, of: Index) -> str:
    """The words for the kind of a quantity; empty where it has none."""
    return of.doc.kinds.get(q.kind, q.kind) if q.kind else ""


def _marks(q: Quantity, common: set[str], of: Index) -> Iterable[Pieces]:
    if q.address in of.confidential.quantities:
        yield (Words(CONFIDENTIAL),)
    for one in measurements_of(q, of.measured):
        yield (
            Words(MEASURED),
            *measurement_pieces(one, Reference(one.address, f"measurement:{one.address}")),
        )
    for name in q.caveats_here:
        if name not in common:
            yield (Reference(name, f"caveat:{name}"),)
    inherited = [name for name in q.caveats_inherited if name not in common]
    if inherited:
        many = len(q.caveats_inherited)
        count = Numeral(f"+{many}", q.address, "caveats_inherited.count", q.address)
        yield (count, Words(" inherited caveat" if many == 1 else " inherited caveats"))
    if q.exclusions:
        names = [Quoted(name) for name in q.exclusions]
        listed = listing(names, len(names), q.address, "exclusions")
        yield (Words("excludes "), *listed)
    if q.binds:
        yield (Words("bound by "), Quoted(q.binds))
    if q.loose:
        yield (Words("range may be wider than need be"),)


def _touched(addresses: Iterable[str], of: Index, reported: set[str], owner: str) -> Pieces:
    """The reported ones of `addresses`, else the first of all of them."""
    every = list(addresses)
    shown = [address for address in every if address in reported] or every
    return listing([name_of(address, of) for address in shown], len(every), owner, "used_by")


def _assumption(source: SourceDoc, of: Index, reported: set[str]) -> Assumption:
    target = of.target(source.id)
    own = f"source:{source.id}"
    ends = source_ends(source, target if target is not None and target in of.listed else own)
    return Assumption(
        id=source.id,
        sort=SOURCE[source.sort],
        value=in_full(ends, word=RANGE[source.sort]),
        because=source.because,
        review=source.review or "",
        replaces=source.replaces or "",
        place=source.place,
        line=source.line,
        used_by=_touched(source.used_by, of, reported, f"source:{source.id}"),
    )


def _elsewhere(sources: list[SourceDoc], of: Index) -> Pieces:
    names = [name_of(source.id, of) for source in sources[:LISTED]]
    more: Pieces = (Words(" …"),) if len(sources) > LISTED else ()
    return (*listing(names, len(names), "document", "sources"), *more)


def _caveat(caveat: CaveatDoc, of: Index, reported: set[str]) -> Caveat:
    touched = _touched(caveat.used_by, of, reported, f"caveat:{caveat.name}")
    return Caveat(caveat.name, caveat.scope, caveat.text, caveat.permanent, touched)


def _exclusions(of: Index, reported: set[str]) -> tuple[tuple[str, Pieces], ...]:
    found: dict[str, list[Quantity]] = {}
    for quantity in of.doc.quantities:
        for name in quantity.exclusions if not quantity.internal else ():
            found.setdefault(name, []).append(quantity)
    return tuple(
        (name, _touched([q.address for q in found[name]], of, reported, f"exclusion:{name}"))
        for name in sorted(found)
    )


def _measured(measured: MeasurementDoc, of: Index) -> Measured:
    silent = measured.address in of.confidential.measurements
    mark: Pieces = (Words(f" ({CONFIDENTIAL})"),) if silent else ()
    return Measured(
        address=measured.address,
        of=(name_of(measured.of, of),),
        value=(*in_full(measurement_ends(measured), word="range"), *mark),
        comparison=measured.comparison,
        context=stated(measured),
        place=measured.place,
        line=measured.line,
    )
