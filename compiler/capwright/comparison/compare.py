"""Two documents to a DiffDoc: what changed, and which declarations changed it."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Sequence
from typing import Final

from msgspec.structs import replace

from capwright.comparison.aligned import aligned, shared_on_one_side
from capwright.comparison.answers import Answered, Answers, answer_change
from capwright.comparison.attributing import Attributing
from capwright.comparison.blame import Blame
from capwright.comparison.confided import Confided
from capwright.comparison.declared import Declared
from capwright.comparison.differences import pending_of, uncaused
from capwright.comparison.edits import Edits
from capwright.comparison.moves import moves_of, unmoved
from capwright.comparison.pairs import Pairs
from capwright.comparison.quantities import Quantities, value_doc
from capwright.comparison.sides import Side
from capwright.comparison.unjudged import unjudged_changes
from capwright.comparison.verdicts import (
    Match,
    is_changed,
    is_silent,
    matched_verdicts,
    on_one_side,
    urgency,
    what_changed,
)
from capwright.comparison.words import confided_remarks, remarks
from capwright.document.caveat_docs import on_verdicts, place_of
from capwright.document.diffdoc import (
    AnswerChange,
    DiffDoc,
    Difference,
    Edit,
    Edition,
    QuantityChange,
    Unjudged,
    UnjudgedChange,
    VerdictChange,
)
from capwright.document.outcome import FINDINGS, became_worse, gained_caveats, rank
from capwright.document.plandoc import STATUSES, CaveatDoc, PlanDoc, Quantity, VerdictDoc
from capwright.document.withholding import evenly_withheld

DEEPEST: Final = 50_000
"""Frames that a comparison may take: formulas inside formulas, each of a bounded expression."""
Apart = dict[str, bool]
"""By address: whether two ranges are known to be apart, judged on their difference."""


def compare(
    a: PlanDoc,
    b: PlanDoc,
    names: tuple[str, str] = ("before", "after"),
    *,
    failed: tuple[bool, bool] | None = None,
    apart: Apart | None = None,
    hidden: Confided | None = None,
    unjudged: tuple[Unjudged, Unjudged] | None = None,
) -> DiffDoc:
    """What changed from `a` to `b`. `names` are what the reader calls them; `failed` says which of them has errors.

    `apart` is given for two options of one document. It overrides, by address, the finding that two overlapping ranges
    are not separated: where both stand in one document their difference says more. `hidden` is what changed of whole
    documents where `a` and `b` are those for others. `unjudged` is what the two ask and have no verdict on; where
    it is not given, nobody knows what else a side with errors asks.
    """
    a, b = evenly_withheld(a, b)
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(max(limit, DEEPEST))
    try:
        failed = failed or (_failed(a), _failed(b))
        unjudged = unjudged or (Unjudged(complete=not failed[0]), Unjudged(complete=not failed[1]))
        return _Comparison(a, b, apart, hidden or Confided()).document(names, failed, unjudged)
    finally:
        sys.setrecursionlimit(limit)


def _failed(doc: PlanDoc) -> bool:
    """Whether a document is of a plan with errors; what its numbers contradict is a finding, and all of it is there."""
    return any(d.severity == "error" and d.code not in FINDINGS for d in doc.diagnostics)


class _Comparison:
    """One comparison: the two sides, their pairs, and what was found so far."""

    def __init__(self, a: PlanDoc, b: PlanDoc, apart: Apart | None, hidden: Confided) -> None:
        interned: dict[object, int] = {}
        self.moves = moves_of(a, b)
        self.a = Side(a, self.moves, interned)
        self.b = Side(b, {}, interned)
        self.options = apart is not None
        self.hidden = hidden
        self.pairs = Pairs(self.a, self.b, aligned(self.a, self.b))
        self.matched = sorted(self.pairs.matched)
        copied = dict(shared_on_one_side(self.a, self.b, self.pairs.aligned))
        self.quantities = Quantities(self.a, self.b, self.matched, copied)
        self.attributing = Attributing(self.pairs, apart or {})
        self.edits = Edits(self.a, self.b, self.pairs.matched)
        self.called = _called(self.b.doc.verdicts)

    def document(
        self, names: tuple[str, str], failed: tuple[bool, bool], unjudged: tuple[Unjudged, Unjudged]
    ) -> DiffDoc:
        keys = {name: self.pairs.key(name) for name in self.matched}
        held, attributing = self.quantities, self.attributing
        changed, reported = held.changed, held.reported
        matches, new, gone = matched_verdicts(self.a, self.b, self.pairs.matched)
        without = unjudged_changes(gone, new, unjudged)
        # What is told as one that has no verdict on a side neither came nor went.
        known = {id(verdict) for one in without for verdict in (one.before, one.after)}
        new, gone = ([one for one in lone if id(one) not in known] for lone in (new, gone))
        asked = [
            m for m in matches if is_changed(m) or (self.hidden.moved and is_silent(m)) or self._is_edited(m)
        ]
        options = Answers(self.a, self.b)
        answered = options.matched(matches)
        turned = [one for one in answered if is_changed(one.match)]
        silent = sum(
            self.hidden.moved and is_silent(one.match) and not is_changed(one.match) for one in answered
        )
        told = [*asked, *(one.match for one in turned)]
        behalf = [*("" for _ in asked), *(one.option for one in turned)]
        trees = [
            attributing.margin_trees(m, self.called[m.after.id], option)
            for m, option in zip(told, behalf, strict=True)
        ]
        self.pairs.build()
        blame = Blame(self.pairs)
        declared = Declared(blame, self.pairs)
        declared.settle(*self._unmatched())
        pending = [attributing.quantity(n, keys[n], *changed[n]) for n in changed if n in reported]
        margins = [attributing.margin(m, t) for m, t in zip(told, trees, strict=True)]
        differences = iter(attributing.attributed([*pending, *margins], declared))
        quantities = [
            self._change(name, *changed[name], next(differences), reported=True)
            for name in changed
            if name in reported
        ]
        every = {**changed, **held.copied}
        rest = {n: pair for n, pair in every.items() if n not in reported or n in held.copied}
        plain = [
            self._change(n, *pair, uncaused(pending_of(*pair)), reported=n in reported)
            for n, pair in rest.items()
        ]
        quantities += [one for one in plain if one.reported]
        others = [one for one in plain if not one.reported]
        verdicts = [
            *(self._verdict(match, next(differences), declared) for match in asked),
            *(on_one_side(v, "added") for v in new),
            *(on_one_side(v, "removed") for v in gone),
        ]
        answers = [
            *(_answer(one, next(differences)) for one in turned),
            *options.asked_once(matches),
            *options.new(new),
            *options.gone(gone),
        ]
        added = () if failed[0] else held.only(self.b, self.a, options)
        removed = () if failed[1] else held.only(self.a, self.b, options)
        return DiffDoc(
            _edition(self.a.doc, names[0], failed[0]),
            _edition(self.b.doc, names[1], failed[1]),
            declared.documents(failed),
            tuple(sorted(verdicts, key=urgency)),
            tuple(quantities),
            tuple(others),
            added,
            removed,
            held.moved,
            (
                *confided_remarks(self.hidden),
                *unmoved(self.a.doc, self.b.doc),
                *(
                    remark
                    for remark in remarks(self.a, self.b, declared, reported, names if self.options else None)
                    if not failed[remark.what == "lost"] or remark.what == "changed"
                ),
            ),
            held.unchanged,
            len(matches) - len(asked),
            self._caveats([*verdicts, *answers, *without]),
            {**self.a.doc.kinds, **self.b.doc.kinds},
            {**self.a.doc.scales, **self.b.doc.scales},
            held.withheld,
            tuple(sorted(answers, key=urgency)),
            tuple(entry for entry in options.entries(added, removed) if not failed[entry.what == "removed"]),
            len(answered) - len(turned) - silent,
            tuple(options.unsaid()),
            tuple(sorted(without, key=_rank_of)),
            held.renames(self.moves),
        )

    def _unmatched(self) -> tuple[set[str], set[str]]:
        """What the reported quantities lean on that the other side does not have."""
        ours = {name for name in self.quantities.reported if name not in self.b.public}
        theirs = {name for name in self.quantities.reported if name not in self.a.public}
        return self.a.needed(ours), self.b.needed(theirs)

    def _change(
        self, name: str, before: Quantity, after: Quantity, change: Difference, *, reported: bool
    ) -> QuantityChange:
        old: str | None = self.a.original(name) if name in self.a.public else name
        return QuantityChange(
            name, old if old != name else None, after.label, after.unit, after.kind, reported,
            value_doc(before, self.a), value_doc(after, self.b), change,
        )  # fmt: skip

    def _is_edited(self, match: Match) -> bool:
        """Whether somebody edited a requirement; those of two options of one plan are the same, each of its own."""
        return not self.options and self.edits.is_edited(match)

    def _verdict(self, match: Match, change: Difference, declared: Declared) -> VerdictChange:
        what = what_changed(match)
        worse = what == "status" and became_worse(match.before, match.after)
        own = declared.id_at(self.called[match.after.id], "requirement")
        edit: Edit = "" if self.options else self.edits.edit(match, change.causes, own)
        return VerdictChange(what, match.after.label, match.before, match.after, change, worse, edit)

    def _caveats(
        self, asked: Sequence[VerdictChange | AnswerChange | UnjudgedChange]
    ) -> tuple[CaveatDoc, ...]:
        """The caveats that nothing can take away, of either side, those of verdicts that changed, and those that others
        gained, each once. The former stand as `place_of` says, as there may be room for some of them alone."""
        named: set[str] = set()
        for one in asked:
            if isinstance(one, UnjudgedChange) or one.what != "margin":
                named.update(
                    name for each in (one.before, one.after) if each is not None for name in each.caveats
                )
            else:
                named.update(gained_caveats(one.before, one.after))
        docs = (self.a.doc, self.b.doc)
        found = {c.name: c for doc in docs for c in doc.caveats if c.permanent or c.name in named}
        standing = on_verdicts(*docs)
        ordered = sorted(found.values(), key=lambda c: (place_of(c, standing) if c.permanent else (), c.name))
        return tuple(replace(caveat, used_by=()) for caveat in ordered)


def _called(verdicts: Sequence[VerdictDoc]) -> dict[str, str]:
    """By id what each requirement is called among the declarations: by its label, beside what is written where several
    share that."""
    shared = Counter(verdict.label for verdict in verdicts)
    return {one.id: one.label if shared[one.label] < 2 else f"{one.label}, {one.written}" for one in verdicts}


def _answer(one: Answered, change: Difference) -> AnswerChange:
    return answer_change(one.option, what_changed(one.match), one.match.before, one.match.after, change)


def _rank_of(change: UnjudgedChange) -> int:
    """What has a verdict now stands first, the worst of it before the rest."""
    return rank(change.after.status) if change.after is not None else len(STATUSES)


def _edition(doc: PlanDoc, name: str, failed: bool) -> Edition:
    return Edition(
        name, doc.title, doc.path, doc.tool_version, doc.tool_sha256, doc.library_sha256, doc.inputs, failed,
        tuple(d for d in doc.diagnostics if d.severity == "error"),
    )  # fmt: skip
