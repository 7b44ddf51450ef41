"""Two documents to a DiffDoc: what changed, and which declarations changed it."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Final

from msgspec.structs import replace

from capwright.base.address import Renaming
from capwright.comparison.aligned import aligned, shared_on_one_side
from capwright.comparison.answers import Answered, Answers, answer_change
from capwright.comparison.blame import Blame
from capwright.comparison.confided import Confided
from capwright.comparison.declared import Declared
from capwright.comparison.differences import Pending, difference_of, pending_of, uncaused
from capwright.comparison.edits import Edits
from capwright.comparison.measured import asked_of, lone_measurements, resting
from capwright.comparison.mixture import Asked, Mixture
from capwright.comparison.moves import moves_of, unmoved
from capwright.comparison.pairs import Choice, Pairs
from capwright.comparison.sides import Plainness, Side, plainness
from capwright.comparison.unjudged import unjudged_changes
from capwright.comparison.verdicts import (
    Match,
    is_changed,
    is_silent,
    matched_verdicts,
    on_one_side,
    room,
    urgency,
    what_changed,
)
from capwright.comparison.words import confided_remarks, remarks
from capwright.document.diffdoc import (
    AnswerChange,
    DiffDoc,
    Difference,
    Edit,
    Edition,
    QuantityChange,
    QuantityEntry,
    RenameDoc,
    Unjudged,
    UnjudgedChange,
    ValueDoc,
    VerdictChange,
)
from capwright.document.outcome import FINDINGS, became_worse, gained_caveats, rank
from capwright.document.plandoc import (
    STATUSES,
    CaveatDoc,
    MovedDoc,
    PlanDoc,
    Provenance,
    Quantity,
    Tree,
    VerdictDoc,
)
from capwright.document.retape import Key, assemble
from capwright.document.withholding import evenly_withheld, is_withheld

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
        self.apart = apart or {}
        self.options = apart is not None
        self.hidden = hidden
        self.pairs = Pairs(self.a, self.b, aligned(self.a, self.b))
        self.matched = sorted(self.pairs.matched)
        self.reported = self.a.reported() | self.b.reported()
        self.canonical = self._canonical()
        self.moved = self._moved()
        self.lone = lone_measurements(self.a, self.b)
        self.edits = Edits(self.a, self.b, self.pairs.matched)
        self.called = _called(self.b.doc.verdicts)
        self.copied = dict(shared_on_one_side(self.a, self.b, self.pairs.aligned))
        """What is in things that a field shares on one side and has for itself on the other, by its name in the field."""

    def document(
        self, names: tuple[str, str], failed: tuple[bool, bool], unjudged: tuple[Unjudged, Unjudged]
    ) -> DiffDoc:
        keys = {name: self.pairs.key(name) for name in self.matched}
        changed = self._changed()
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
        trees = [self._margin_trees(m, option) for m, option in zip(told, behalf, strict=True)]
        self.pairs.build()
        blame = Blame(self.pairs)
        declared = Declared(blame, self.pairs)
        declared.settle(*self._unmatched())
        pending = [self._pending(keys[n], *changed[n], n) for n in changed if n in self.reported]
        margins = [self._margin(m, t) for m, t in zip(told, trees, strict=True)]
        differences = iter(self._attribute([*pending, *margins], declared))
        quantities = [
            self._change(name, *changed[name], next(differences), reported=True)
            for name in changed
            if name in self.reported
        ]
        copied = {name: pair for name, pair in self.copied.items() if _value(pair[0]) != _value(pair[1])}
        rest = {n: pair for n, pair in {**changed, **copied}.items() if n not in self.reported or n in copied}
        plain = [
            self._change(n, *pair, uncaused(pending_of(*pair)), reported=n in self.reported)
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
        added = () if failed[0] else self._only(self.b, self.a, options)
        removed = () if failed[1] else self._only(self.a, self.b, options)
        withheld = self._withheld(changed)
        return DiffDoc(
            _edition(self.a.doc, names[0], failed[0]),
            _edition(self.b.doc, names[1], failed[1]),
            declared.documents(failed),
            tuple(sorted(verdicts, key=urgency)),
            tuple(quantities),
            tuple(others),
            added,
            removed,
            self.moved,
            (
                *confided_remarks(self.hidden),
                *unmoved(self.a.doc, self.b.doc),
                *(
                    remark
                    for remark in remarks(
                        self.a, self.b, declared, self.reported, names if self.options else None
                    )
                    if not failed[remark.what == "lost"] or remark.what == "changed"
                ),
            ),
            len(self.canonical) - len(changed) - withheld,
            len(matches) - len(asked),
            self._caveats([*verdicts, *answers, *without]),
            {**self.a.doc.kinds, **self.b.doc.kinds},
            {**self.a.doc.scales, **self.b.doc.scales},
            withheld,
            tuple(sorted(answers, key=urgency)),
            tuple(entry for entry in options.entries(added, removed) if not failed[entry.what == "removed"]),
            len(answered) - len(turned) - silent,
            tuple(options.unsaid()),
            tuple(sorted(without, key=_rank_of)),
            self._renames(),
        )

    def _unmatched(self) -> tuple[set[str], set[str]]:
        """What the reported quantities lean on that the other side does not have."""
        ours = {name for name in self.reported if name not in self.b.public}
        theirs = {name for name in self.reported if name not in self.a.public}
        return self.a.needed(ours), self.b.needed(theirs)

    def _canonical(self) -> dict[tuple[str, str], str]:
        """One name for every pair of quantities, however many they share."""
        found: dict[tuple[str, str], str] = {}
        for name in self.matched:
            pair = (self.a.public[name].address, self.b.public[name].address)
            old = found.setdefault(pair, name)
            if self._rank(name) < self._rank(old):
                found[pair] = name
        return {pair: name for pair, name in found.items() if not self.b.inner(name)}

    def _withheld(self, changed: dict[str, tuple[Quantity, Quantity]]) -> int:
        """How many quantities are withheld on a side: nobody is told whether they changed."""
        kept = [name for name in self.canonical.values() if name not in changed]
        return sum(is_withheld(self.a.public[name]) or is_withheld(self.b.public[name]) for name in kept)

    def _rank(self, name: str) -> tuple[bool, Plainness]:
        return name not in self.reported, plainness(self.a, self.b, name)

    def _changed(self) -> dict[str, tuple[Quantity, Quantity]]:
        """Pairs whose value differs, by name, in the order of the second document."""
        held = {
            name: (self.a.public[name], self.b.public[name])
            for name in self.canonical.values()
            if _value(self.a.public[name]) != _value(self.b.public[name])
        }
        order = {q.address: i for i, q in enumerate(self.b.doc.quantities)}
        return dict(sorted(held.items(), key=lambda item: order[item[1][1].address]))

    def _pending(self, key: Key, before: Quantity, after: Quantity, name: str) -> Pending:
        held = pending_of(before, after)
        held.key = key
        held.separated = self.apart.get(name, held.separated)
        held.lost, held.won = resting(before, self.lone[0]), resting(after, self.lone[1])
        return held

    def _margin_trees(self, match: Match, option: str) -> tuple[Tree, Tree]:
        """The two sides of a requirement as one tree each over both documents; of one that is asked of an option, on its
        behalf."""
        before, after = match.before, match.after
        name = self.called[after.id]
        whose = self.pairs.scopes.asked(before, after, option)
        stand_in = Choice(_asked(before, name), _asked(after, name), None, None, asked=True, whose=whose)
        left = self.pairs.formula(before.left.formula, after.left.formula, stand_in)
        right = self.pairs.formula(before.right.formula, after.right.formula, stand_in)
        return (left, right) if before.comparison in (">=", ">") else (right, left)

    def _margin(self, match: Match, trees: tuple[Tree, Tree]) -> Pending:
        one = room(match.before)
        two = room(match.after)
        held = difference_of(one, two)
        held.trees = trees
        held.withheld = is_silent(match)
        held.lost = asked_of(match.before, self.a, self.lone[0])
        held.won = asked_of(match.after, self.b, self.lone[1])
        return held

    def _attribute(self, pending: list[Pending], declared: Declared) -> list[Difference]:
        """The differences with their causes, found on one mixed graph."""
        taped = assemble(self.pairs.definitions, balanced=True)
        nodes = [self._nodes(held, taped.node_of, taped.writer) for held in pending]
        mixture = Mixture(taped, list(declared.players))
        asked: list[Asked] = []
        where: list[int] = []
        circular = bool(taped.circular)
        results = [uncaused(held) for held in pending]
        for number, (held, found) in enumerate(zip(pending, nodes, strict=True)):
            if found is None or held.part is None or held.before is None or held.after is None or circular:
                continue
            if held.before != held.after:
                asked.append(Asked(found[0], found[1], held.part, held.before, held.after))
                where.append(number)
        for number, one, answer in zip(where, asked, mixture.answer(asked), strict=True):
            results[number] = declared.caused(results[number], one, answer, mixture)
        return results

    @staticmethod
    def _nodes(
        held: Pending, node_of: dict[Key, int], write: Callable[[Tree], int]
    ) -> tuple[int, int | None] | None:
        if held.trees is not None:
            return write(held.trees[0]), write(held.trees[1])
        return None if held.key is None else (node_of[held.key], None)

    def _change(
        self, name: str, before: Quantity, after: Quantity, change: Difference, *, reported: bool
    ) -> QuantityChange:
        old: str | None = self.a.original(name) if name in self.a.public else name
        return QuantityChange(
            name, old if old != name else None, after.label, after.unit, after.kind, reported,
            _value_doc(before, self.a), _value_doc(after, self.b), change,
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

    def _only(self, side: Side, other: Side, options: Answers) -> tuple[QuantityEntry, ...]:
        """Quantities that only this side has, none of whose names the other one knows."""
        return tuple(
            QuantityEntry(
                names[0],
                q.label,
                q.unit,
                q.kind,
                not self.reported.isdisjoint(names),
                _value_doc(q, side),
                options.owner(names[0], side),
                is_withheld(q),
            )
            for q in side.doc.quantities
            if not q.internal
            for names in (side.names[q.address],)
            if not any(name in other.public or name in self.copied for name in names)
            and not side.inner(names[0])
        )

    def _caveats(
        self, asked: Sequence[VerdictChange | AnswerChange | UnjudgedChange]
    ) -> tuple[CaveatDoc, ...]:
        """The caveats that nothing can take away, of either side, those of verdicts that changed, and those that others
        gained, each once."""
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
        return tuple(replace(found[name], used_by=()) for name in sorted(found))

    def _renames(self) -> tuple[RenameDoc, ...]:
        """What was renamed as a whole; what two of these renamed together, as an option and its base, stands for itself."""
        options = [option.address for option in self.a.doc.options]
        ways = [(old, new, Renaming({old: new}, options)) for old, new in self.moves.items()]
        found = Counter[tuple[str, str]]()
        for one in self.moved:
            whole = ((old, new) for old, new, renamed in ways if renamed(one.old) == one.new)
            found[next(whole, (one.old, one.new))] += 1
        return tuple(RenameDoc(old, new, count) for (old, new), count in sorted(found.items()))

    def _moved(self) -> tuple[MovedDoc, ...]:
        return tuple(
            MovedDoc(old, name)
            for name in sorted({*self.canonical.values()})
            if (old := self.a.original(name)) != name
        )


def _value_doc(quantity: Quantity, side: Side) -> ValueDoc:
    q = quantity
    binds = None if q.binds is None else side.renamed(q.binds)
    return ValueDoc(q.low, q.nominal, q.high, q.approximate, q.truth, binds)


def _value(quantity: Quantity) -> tuple[object, ...]:
    return (quantity.low, quantity.nominal, quantity.high, quantity.truth)


def _called(verdicts: Sequence[VerdictDoc]) -> dict[str, str]:
    """By id what each requirement is called among the declarations: by its label, beside what is written where several
    share that."""
    shared = Counter(verdict.label for verdict in verdicts)
    return {one.id: one.label if shared[one.label] < 2 else f"{one.label}, {one.written}" for one in verdicts}


def _asked(verdict: VerdictDoc, name: str) -> Quantity:
    """A requirement as the owner of a formula: it is written in the plan."""
    provenance = Provenance("choice", "", None, verdict.place, verdict.line)
    return Quantity(
        name, verdict.label, verdict.unit, None, "=", None, None, None, False, False, False, None,
        provenance, None, verdict.written, (), (), (), (), (),
    )  # fmt: skip


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
