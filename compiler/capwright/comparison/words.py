"""Changes that are no numbers: assumptions, caveats, exclusions, measurements and evidence gained, lost or changed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from capwright.base.address import under
from capwright.comparison.confided import Confided
from capwright.comparison.declared import Declared
from capwright.comparison.sides import LIBRARY, Side
from capwright.document.caveat_docs import on_verdicts
from capwright.document.diffdoc import Remark
from capwright.document.outcome import is_counted
from capwright.document.plandoc import EvidenceDoc, MeasurementDoc, Quantity, SourceDoc

Sort = Literal[
    "assumption", "bound", "caveat", "exclusion", "measurement", "evidence", "confidential", "moved"
]

Stating = MeasurementDoc | EvidenceDoc


def remarks(
    a: Side, b: Side, declared: Declared, reported: set[str], options: tuple[str, str] | None = None
) -> tuple[Remark, ...]:
    """What the reported numbers lean on and carry, where that changed, those first that requirements are on. `options` are the names of two options of one
    plan: what only one of them has is not gone from the plan."""
    required = {side.renamed(name) for side in (a, b) for name in _required(side)}
    both = sorted(
        (name for name in reported if name in a.public and name in b.public),
        key=lambda name: (name not in required, name),
    )
    found = [*_assumptions(a, b, declared, reported), *_carried(a, b, both), *_reworded(a, b, both)]
    return (*found, *_measurements(a, b, declared, options), *_evidence(a, b))


def _required(side: Side) -> Iterator[str]:
    """The addresses that requirements are on."""
    for verdict in side.doc.verdicts:
        for one in (verdict.left, verdict.right):
            yield from one.named if one.address is None else (*one.named, one.address)


def confided_remarks(hidden: Confided) -> Iterator[Remark]:
    """That confidential declarations changed, or are in use on one side only: their names, and nothing of what they say."""
    for name in hidden.names:
        yield _remark("confidential", "changed", name, f"`{name}` changed; what it says is confidential")
    for name in hidden.came:
        yield _remark("confidential", "new", name, f"`{name}` is used now; what it says is confidential")
    for name in hidden.went:
        yield _remark(
            "confidential", "lost", name, f"`{name}` is no longer used; what it says is confidential"
        )


def _assumptions(a: Side, b: Side, declared: Declared, reported: set[str]) -> Iterator[Remark]:
    ours, theirs = _used(a, reported), _used(b, reported)
    taken: set[str] = set()
    for name in ours:
        if name not in theirs:
            rebound = _rebound(name, declared, after=False)
            other = _in_its_place(name, theirs, rebound)
            taken |= {other} if other else set()
            # A copy that the setting makes has the assumption of what it copies: none is lost, and none is new.
            copied = rebound is not None and other != rebound[1] and theirs[other].place == ours[name].place
            if copied:
                if (what := _changed(ours[name], theirs[other])) is not None:
                    yield Remark("assumption", "changed", other, f"assumption `{other}`: {what}", None, ())
                continue
            yield _lost(name, b, theirs, other, rebound)
        elif (what := _changed(ours[name], theirs[name])) is not None:
            yield Remark("assumption", "changed", name, f"assumption `{name}`: {what}", None, ())
    for name in theirs:
        if name not in ours and name not in taken:
            rebound = _rebound(name, declared, after=True)
            lead = f"`{rebound[0]}` was rebound: " if rebound else ""
            text = f"{lead}assumption `{name}` is used now"
            yield Remark("assumption", "new", name, text, rebound[2] if rebound else None, ())


def _used(side: Side, reported: set[str]) -> dict[str, SourceDoc]:
    """The assumptions that reported quantities and verdicts lean on, by public name."""
    leaned = {s for name in reported if name in side.public for s in side.public[name].sources}
    leaned |= {s for verdict in side.doc.verdicts for s in verdict.leans_on}
    return {
        side.renamed(source.id): source
        for source in side.doc.sources
        if source.id in leaned and source.sort != "bound"
    }


Rebound = tuple[str, str, str | None]
"""The setting that was rebound, what now stands in the place of a name below it, and the setting's id."""


def _in_its_place(name: str, theirs: dict[str, SourceDoc], rebound: Rebound | None) -> str:
    """The assumption that stands where `name` did: of what the setting refers to now, or of the copy that the setting
    itself makes of that; empty where nothing was rebound."""
    if rebound is None:
        return ""
    setting, other, _ = rebound
    copied = f"{setting}.{name.rpartition('.')[2]}"
    return copied if other not in theirs and copied in theirs else other


def _lost(name: str, b: Side, theirs: dict[str, SourceDoc], other: str, rebound: Rebound | None) -> Remark:
    if rebound is None:
        text = f"assumption `{name}` no longer used"
        return Remark("assumption", "lost", name, text, None, ())
    setting, _, cause = rebound
    leaf = name.rpartition(".")[2]
    text = f"`{setting}` was rebound: assumption `{leaf}` no longer used"
    if other in theirs:
        text += f", `{other}` in its place"
    elif other not in b.public:
        text += f", and there is no `{other}`"
    return Remark("assumption", "lost", name, text, cause, ())


def _rebound(name: str, declared: Declared, *, after: bool) -> Rebound | None:
    """The setting whose rebinding took a name away or brought it, its counterpart, and the setting's id."""
    for each in declared.blame.rebindings:
        top, other = (each.after, each.before) if after else (each.before, each.after)
        rest = under(name, top)
        if rest:
            return each.blamed.address, f"{other}.{rest}", declared.id_of(each.blamed)
    return None


def _changed(before: SourceDoc, after: SourceDoc) -> str | None:
    """What is said of an assumption that both sides use, where that changed."""
    found = []
    if (before.low, before.high) != (after.low, after.high):
        found.append("another range is assumed")
    elif before.nominal != after.nominal:
        bounded = before.low is not None or before.high is not None
        found.append("another nominal value is assumed" + (", in the same range" if bounded else ""))
    if _squeezed(before.because) != _squeezed(after.because):
        reason = _quoted(after.because)
        found.append(f"the reason is now “{reason}”" if reason else "it has no reason any more")
    if before.review != after.review:
        found.append(f"review by {after.review}" if after.review else "it has no review date any more")
    return "; ".join(found) or None


def _quoted(text: str) -> str:
    """Words of a plan within ours, where a tick marks an address."""
    return text.replace("`", "'")


def _squeezed(text: str) -> str:
    return " ".join(text.split())


def _carried(a: Side, b: Side, names: list[str]) -> Iterator[Remark]:
    """Caveats and exclusions of reported quantities."""
    for sort, marks in (("caveat", _caveats), ("exclusion", _exclusions)):
        gained: dict[str, list[str]] = {}
        lost: dict[str, list[str]] = {}
        for name in names:
            one, two = marks(a.public[name]), marks(b.public[name])
            for mark in two - one:
                gained.setdefault(mark, []).append(name)
            for mark in one - two:
                lost.setdefault(mark, []).append(name)
        for what, held in (("new", gained), ("lost", lost)):
            for mark in sorted(held):
                yield _mark(sort, what, mark, held[mark])  # type: ignore[arg-type]  # `what` is one of two words


def _reworded(a: Side, b: Side, names: list[str]) -> Iterator[Remark]:
    """Caveats that stand on reported quantities or on requirements, on both sides, and say something else there."""
    ours, theirs = ({caveat.name: caveat for caveat in side.doc.caveats} for side in (a, b))
    standing = [
        {mark for name in names for mark in _caveats(side.public[name])} | on_verdicts(side.doc)
        for side in (a, b)
    ]
    for name in sorted(standing[0] & standing[1] & ours.keys() & theirs.keys()):
        one, two = ours[name], theirs[name]
        found = []
        if one.permanent != two.permanent:
            found.append("nothing takes it away now" if two.permanent else "it is permanent no more")
        if set(one.scope.split(", ")) != set(two.scope.split(", ")):
            found.append(f"for {one.scope} → for {two.scope}")
        if _squeezed(one.text) != _squeezed(two.text):
            found.append(f"it says now “{_quoted(two.text)}”")
        if found:
            yield _remark("caveat", "changed", name, f"caveat `{name}`: {'; '.join(found)}")


def _mark(sort: Sort, what: Literal["new", "lost"], mark: str, names: list[str]) -> Remark:
    bare = _quoted(mark.strip('"'))
    verb = "now stands on" if what == "new" else "no longer stands on"
    return Remark(sort, what, mark, f"{sort} `{bare}` {verb} {_listed(names)}", None, tuple(names))


def _listed(names: list[str]) -> str:
    shown = ", ".join(f"`{name}`" for name in names[:3])
    return shown if len(names) <= 3 else f"{shown} and others"


def _caveats(quantity: Quantity) -> set[str]:
    return {*quantity.caveats_here, *quantity.caveats_inherited}


def _exclusions(quantity: Quantity) -> set[str]:
    return set(quantity.exclusions)


def _measurements(a: Side, b: Side, declared: Declared, options: tuple[str, str] | None) -> Iterator[Remark]:
    asked = _asked(a) | _asked(b)
    for name, one in a.measurements.items():
        two = b.measurements.get(name)
        cause = declared.id_at(name, "measurement")
        leaned = name in asked
        if two is None:
            if cause is not None:
                continue  # the declaration says so
            where = f"belongs only to `{options[0]}`" if options else "is gone"
            yield _remark("measurement", "lost", name, f"measurement `{name}` {where}", cause, leaned=leaned)
        elif said := "; ".join([*_said_of(one, two, declared=cause is not None), *_named(a, b, (one, two))]):
            yield _remark(
                "measurement", "changed", name, f"measurement `{name}`: {said}", cause, leaned=leaned
            )
    for name, two in b.measurements.items():
        cause = declared.id_at(name, "measurement")
        if name not in a.measurements and (cause is None or not is_counted(two)):
            where = f"belongs only to `{options[1]}`" if options else "is new"
            text = f"measurement `{name}` {where}: {two.comparison}"
            yield _remark("measurement", "new", name, text, cause, leaned=name in asked)


def _asked(side: Side) -> set[str]:
    """What requirements lean on, by the names of the second document."""
    return {side.renamed(source) for verdict in side.doc.verdicts for source in verdict.leans_on}


def _said_of(one: MeasurementDoc, two: MeasurementDoc, *, declared: bool) -> Iterator[str]:
    """All that is said of a measurement that both sides have; another value where no declaration says so."""
    if is_counted(one) and not is_counted(two):
        why = two.objection if two.comparison == "does not count" else two.comparison
        yield f"no longer counts: {_quoted(why)}" if why else "no longer counts"
    elif is_counted(two) and not is_counted(one):
        yield f"counts now: {two.comparison}"
    elif one.comparison != two.comparison:
        yield f"{one.comparison} before, {two.comparison} now"
    if (one.low, one.nominal, one.high) != (two.low, two.nominal, two.high) and not declared:
        yield "another value"
    yield from _stated(one.context, two.context)


def _named(a: Side, b: Side, held: tuple[Stating, Stating]) -> Iterator[str]:
    """Of what counts on both sides and says the same: each thing that it states by its name alone, where what the plan says
    in that is another: what was measured or shown is of what it was."""
    if not all(map(_counts, held)) or _says(held[0]) != _says(held[1]):
        return
    before = {a.renamed(name): name for name in held[0].named}
    for name in held[1].named:
        public = b.renamed(name)
        if public not in before:
            continue
        changed = sorted(_written_below(a, public).items() ^ _written_below(b, public).items())
        others = list(dict.fromkeys(each for each, _ in changed))
        if others:
            more = f" and {len(others) - 1} more" if len(others) > 1 else ""
            yield f"it names `{public}`, and what is in that changed since: `{others[0]}`{more}"


def _says(one: Stating) -> object:
    values = (one.low, one.nominal, one.high) if isinstance(one, MeasurementDoc) else one.discharges
    return one.context, values


def _counts(one: Stating) -> bool:
    return one.counts if isinstance(one, EvidenceDoc) else is_counted(one)


def _written_below(side: Side, thing: str) -> dict[str, object]:
    """What a plan says below a thing, by name: no derived number, and nothing that the library says."""
    found: dict[str, object] = {
        name: (quantity.low, quantity.nominal, quantity.high, quantity.truth)
        for name, quantity in side.public.items()
        if under(name, thing)
        and quantity.provenance.sort != "derived"
        and not quantity.provenance.place.startswith(LIBRARY)
    }
    found.update(
        (name, (setting.sort, setting.value))
        for (name, _), setting in side.settings.items()
        if under(name, thing) and not setting.place.startswith(LIBRARY)
    )
    return found


def _evidence(a: Side, b: Side) -> Iterator[Remark]:
    ours = {e.name: e for e in a.doc.evidence}
    theirs = {e.name: e for e in b.doc.evidence}
    for name, one in ours.items():
        two = theirs.get(name)
        if two is None:
            yield _remark("evidence", "lost", name, f"evidence `{name}` is gone")
            continue
        found = list(_stated(one.context, two.context))
        if one.counts != two.counts:
            found.insert(0, "counts now" if two.counts else f"no longer counts: {_quoted(two.reason)}")
        found += _named(a, b, (one, two))
        if found:
            yield _remark("evidence", "changed", name, f"evidence `{name}`: {'; '.join(found)}")
    for name, two in theirs.items():
        if name not in ours:
            counts = "it counts" if two.counts else f"it does not count: {_quoted(two.reason)}"
            yield _remark("evidence", "new", name, f"evidence `{name}` is new: {counts}")


def _stated(one: dict[str, str], two: dict[str, str]) -> Iterator[str]:
    """What was stated and what is, of each entry of a context that changed."""
    for key in sorted({**one, **two}):
        before, after = (_quoted(context.get(key, "nothing")) for context in (one, two))
        if one.get(key) != two.get(key):
            yield f"{key}: {before} → {after}"


def _remark(
    sort: Sort,
    what: Literal["lost", "new", "changed"],
    name: str,
    text: str,
    cause: str | None = None,
    *,
    leaned: bool = False,
) -> Remark:
    return Remark(sort, what, name, text, cause, (), leaned)
