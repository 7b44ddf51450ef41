"""Which changed declaration a difference between two formulas comes from.

A declaration is something that somebody wrote: what a field refers to, a number, a formula of the library. A
derived number is never one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cached_property
from typing import Final

from capwright.base.address import formula_of, owner_of, under
from capwright.base.spelling import unspaced
from capwright.comparison.blamed import Blamed
from capwright.comparison.pairs import LETTERS, Choice, Letter, Pairs
from capwright.comparison.shapes import Shapes, names_of, shared
from capwright.comparison.sides import LIBRARY, Side, plainness, values
from capwright.document.plandoc import FormulaDoc, MeasurementDoc, Quantity, SettingDoc, Tree
from capwright.document.retape import parts_of

Called = tuple[Letter, str, str]
"""A formula of one side, by its name and the place where it is declared: a line may declare several."""

_CALLED: Final = re.compile(r"([^\W\d]\w*)\(")


class Blame:
    """Finds the declaration of a choice. `found` are the declarations so far, in order."""

    def __init__(self, pairs: Pairs) -> None:
        self.pairs = pairs
        self.a = pairs.a
        self.b = pairs.b
        self.other_library = self.a.doc.library_sha256 != self.b.doc.library_sha256
        self.scopes = pairs.scopes
        self.settings = self.scopes.settings
        self.rebindings = self.scopes.rebindings
        self.shapes = Shapes(pairs)
        self.found: dict[tuple[str, str], Blamed] = {}
        self._edits = _edits(self.a, self.b)
        self._texts = {
            (letter, each.name, each.place): each.text
            for letter, side in zip(LETTERS, (self.a, self.b), strict=True)
            for each in side.doc.formulas
        }

    def of(self, choice: Choice) -> tuple[Blamed, ...]:
        """The declarations that a choice is blamed on: one, or several that made it together."""
        found = {(each.address, each.sort): each for each in self._of(choice)}
        return tuple(self.found.setdefault(key, found[key]) for key in sorted(found))

    def kept(self, blamed: Blamed) -> Blamed:
        """The declaration as it was found first."""
        return self.found.setdefault((blamed.address, blamed.sort), blamed)

    def declared(self, choice: Choice) -> tuple[Blamed, ...]:
        """For a number that is stated otherwise: the declaration of it."""
        return (self.kept(self.alone(choice) or self._value(choice)),)

    def edited(self, letter: Letter, quantity: Quantity) -> Blamed | None:
        """For a call, on one side, of a formula that was edited: the formula."""
        return self._edits.get(_called_at(letter, quantity)) if quantity.internal else None

    def _of(self, choice: Choice) -> list[Blamed]:
        matched = self.matched(choice)
        if matched:
            return matched
        single = self.alone(choice)
        if single is not None:
            return [single]
        return self._shaped(choice) or [self._formula(choice) or self._value(choice)]

    def _lone(self, choice: Choice) -> Blamed:
        """For a number that is stated otherwise: its own declaration, whatever shaped what it is stated as."""
        return self.alone(choice) or self._formula(choice) or self._value(choice)

    def alone(self, choice: Choice) -> Blamed | None:
        """The one declaration of a choice that no shape has a part in."""
        found = self._measured(choice) or self._edited(choice) or self._swapped(choice)
        if found is not None:
            return found
        one, two = choice.before_tree, choice.after_tree
        if one is not None and two is not None and one["op"] == two["op"] == "ref":
            rebound = self._rebound(choice, one["address"], two["address"])
            if rebound is not None:
                return rebound
        made = self._made(choice)
        if made is not None and not _stated_once(choice):
            return made
        if self._written_alike(choice) or _derived_by_library(choice) or self._by_formulas(choice):
            return None
        return self._value(choice)

    def _by_formulas(self, choice: Choice) -> bool:
        """Whether two calls that stand in one place are of two formulas, or of one that says the same on both sides."""
        if _two_formulas(choice):
            return True
        if not (choice.before.internal and choice.after.internal):
            return False
        ours = self._texts.get(_called_at("a", choice.before))
        return ours is not None and ours == self._texts.get(_called_at("b", choice.after))

    def _edited(self, choice: Choice) -> Blamed | None:
        """For two calls of one formula that says something else on the two sides: the formula."""
        if choice.before.internal and choice.after.internal:
            before, after = self.edited("a", choice.before), self.edited("b", choice.after)
            return before if before is after else None
        return None

    def _measured(self, choice: Choice) -> Blamed | None:
        """For a quantity that is read together with a measurement: the measurement, which one side may lack."""
        if not choice.measured:
            return None
        before = _measurement(self.a, choice.before_tree)
        after = _measurement(self.b, choice.after_tree)
        name = after or before
        if name is None:
            return None
        one = None if before is None else self.a.measurements[before]
        two = None if after is None else self.b.measurements[after]
        return Blamed(name, "measurement", one, two)

    def matched(self, choice: Choice) -> list[Blamed]:
        """For a measurement that nobody changed and that counts on one side only: what it was compared with there and
        is another now. Nothing where something else is the matter, or the documents do not say."""
        name = _measurement(self.a, choice.before_tree) or _measurement(self.b, choice.after_tree)
        if not choice.measured or name is None:
            return []
        one, two = self.a.measurements.get(name), self.b.measurements.get(name)
        if one is None or two is None or not _states_the_same(one, two):
            return []
        return self._changed(self.shapes.among(one.compared, two.compared, choice.whose))

    def _shaped(self, choice: Choice) -> list[Blamed]:
        """For two formulas of different shapes: the settings and the numbers that somebody changed."""
        return self._changed(self.shapes.blamed(choice))

    def _changed(self, shaping: Iterable[Blamed | Choice]) -> list[Blamed]:
        return [each if isinstance(each, Blamed) else self._lone(each) for each in shaping]

    def _swapped(self, choice: Choice) -> Blamed | None:
        """For what stands at one place in two things that took each other's place: the reference that was rebound.

        Nobody edited it there, whatever it says on the two sides.
        """
        ours, theirs = names_of(self.a, choice.before.address), names_of(self.b, choice.after.address)
        found = [
            each.blamed
            for each in self.rebindings
            if self.scopes.counts(choice.whose, each.blamed.address)
            and {r for n in ours if (r := under(n, each.before))}
            & {r for n in theirs if (r := under(n, each.after))}
        ]
        return max(found, key=lambda blamed: shared(blamed.address, choice.before.address), default=None)

    def _rebound(self, choice: Choice, before: str, after: str) -> Blamed | None:
        ours, theirs = names_of(self.a, before), names_of(self.b, after)
        found = [
            each.blamed
            for each in self.rebindings
            if self.scopes.counts(choice.whose, each.blamed.address)
            and {r for n in ours if (r := under(n, each.before)) is not None}
            & {r for n in theirs if (r := under(n, each.after)) is not None}
        ]
        return max(found, key=lambda blamed: shared(blamed.address, choice.before.address), default=None)

    def _copied(self, choice: Choice) -> Blamed | None:
        """For a number that a field's own copy has from what it copies: the field, where that is another thing."""
        ours, theirs = names_of(self.a, choice.before.address), names_of(self.b, choice.after.address)
        for blamed in self.scopes.copies:
            before, after = blamed.tops
            if not self.scopes.counts(choice.whose, blamed.address):
                continue
            if any(under(n, str(before)) for n in ours) and any(under(n, str(after)) for n in theirs):
                return blamed
        return None

    def overlaid(self, choice: Choice) -> tuple[Blamed, ...]:
        """For a field that a plan sets on one side only, of a thing that is another copy or variant: the field and that,
        where the other thing may have another default. What stands there with only one of the two edits, no document says."""
        if not _stated_once(choice):
            return ()
        one, two = choice.before, choice.after
        stated, other = (one, two) if _stated(one) else (two, one)
        made = self._made(choice)
        if made is None or (stated.provenance.declared == other.provenance.place and not self.other_library):
            return ()
        return (self._value(choice), made)

    def _made(self, choice: Choice) -> Blamed | None:
        """For a number that came with what its thing is made from: what was made from another thing."""
        return self._copied(choice) or self._origin(choice)

    def _origin(self, choice: Choice) -> Blamed | None:
        """For a number that an instance did not set itself: the changed copy or variant that it came with."""
        if not (_from_library(choice.before) or _from_library(choice.after)):
            return None
        names = self.a.names.get(choice.before.address, ())
        found = [
            s
            for s in self.settings
            if isinstance(s.after, SettingDoc)
            and s.after.sort == "origin"
            and any(under(name, s.address) for name in names)
            and (s.tops == (None, None) or self.scopes.counts(choice.whose, s.address))
        ]
        return max(found, key=lambda s: len(s.address), default=None)

    def _written_alike(self, choice: Choice) -> bool:
        one, two = choice.before, choice.after
        ranged = one.relation == "assume" or two.relation == "assume"  # its range stands on the line only
        lines = unspaced(one.provenance.line) == unspaced(two.provenance.line)
        return unspaced(one.written) == unspaced(two.written) and (lines or not ranged)

    def _formula(self, choice: Choice) -> Blamed | None:
        """A formula of the library, where the two libraries differ."""
        before, after = choice.before, choice.after
        if not self.other_library or not (_from_library(before) and _from_library(after)):
            return None
        if before.internal and after.internal:
            name = formula_of(after.address)
            return Blamed(_called(self.b, name, after.provenance.line), "formula", before, after)
        return Blamed(self.a.own_name(before), "formula", before, after)

    def _value(self, choice: Choice) -> Blamed:
        before, after = choice.before, choice.after
        if choice.asked:
            same = unspaced(before.written) == unspaced(after.written)
            called = self._called_in(after.written) if same else None
            return called or Blamed(after.address, "requirement", before, after)
        if before.internal:
            owner = owner_of(before.address)
            held = self.a.found.get(owner)
            return Blamed(self.a.own_name(held) if held else owner, "formula", before, after)
        source = _read_from(before)
        if source is not None and source == _read_from(after):
            # Nothing else may be read from an entry whose number is as before, or under the name that both have for it.
            before, after = self._read.get(source, (before, after))
        return Blamed(self._common_name(before, after), "value", before, after)

    @cached_property
    def _read(self) -> dict[tuple[str, str], tuple[Quantity, Quantity]]:
        """By the file and its entry what is read from that and is another number now: who edits the entry edits all of it,
        and it is one declaration, told of the plainest."""
        found: dict[tuple[str, str], tuple[Quantity, Quantity]] = {}
        order = {name: plainness(self.a, self.b, name) for name in self.pairs.matched}
        for name in sorted(order, key=order.__getitem__):
            one, two = self.a.public[name], self.b.public[name]
            source = _read_from(one)
            if source is not None and source == _read_from(two) and values(one) != values(two):
                found.setdefault(source, (one, two))
        return found

    def _called_in(self, text: str) -> Blamed | None:
        """The first edited formula that a text calls, itself or by others: what only a requirement calls is written out
        in it, and has no call of its own."""
        texts: dict[str, list[str]] = {}
        for each in self.b.doc.formulas:
            texts.setdefault(each.name, []).append(each.text)
        edits = {one.after.name: one for one in self._edits.values() if isinstance(one.after, FormulaDoc)}
        waiting, seen = [text], set[str]()
        while waiting:
            for name in _CALLED.findall(waiting.pop(0)):
                if name in edits:
                    return edits[name]
                if name in texts and name not in seen:
                    seen.add(name)
                    waiting += texts[name]
        return None

    def _common_name(self, before: Quantity, after: Quantity) -> str:
        """The plainest of the names that both sides have for it: equal numbers of other things may share one quantity."""
        theirs = names_of(self.b, after.address)
        both = [n for n in names_of(self.a, before.address) if n in theirs and not self.b.inner(n)]
        if both:
            return min(both, key=lambda name: plainness(self.a, self.b, name))
        ours, other = self.a.own_name(before), self.b.own_name(after)
        copied = any(
            under(ours, one) is not None and under(other, two) is not None for one, two in self.pairs.aligned
        )
        return max(ours, other, key=lambda name: (name.count("."), name)) if copied else other


def _called_at(letter: Letter, call: Quantity) -> Called:
    return letter, formula_of(call.address), call.provenance.place


def _edits(a: Side, b: Side) -> dict[Called, Blamed]:
    """The formulas that say something else on the two sides, by name and place."""
    ours = {(each.name, unspaced(each.head)): each for each in a.doc.formulas}
    found: dict[Called, Blamed] = {}
    for each in b.doc.formulas:
        before = ours.get((each.name, unspaced(each.head)))
        if before is not None and before.text != each.text:
            blamed = Blamed(_called(b, each.name, each.head), "formula", before, each)
            found["a", each.name, before.place] = found["b", each.name, each.place] = blamed
    return found


def _called(side: Side, name: str, head: str) -> str:
    """What a formula goes by: its name, and where others share it, its parameters."""
    if sum(each.name == name for each in side.doc.formulas) < 2:
        return f"{name}(…)"
    parameters = head.partition("(")[2].rpartition(")")[0]
    return f"{name}({' '.join(parameters.split())})"


def _read_from(quantity: Quantity) -> tuple[str, str] | None:
    """The file and the entry that a number was read from; None for one that has no entry of its own."""
    said = quantity.provenance
    return (said.place.rpartition(":")[0], said.text) if said.sort == "imported" and said.text else None


def _from_library(quantity: Quantity) -> bool:
    return quantity.provenance.place.startswith(LIBRARY)


def _stated_once(choice: Choice) -> bool:
    """Whether a plan sets on one side what has its default, or what the library sets, on the other."""
    return _stated(choice.before) != _stated(choice.after)


def _stated(quantity: Quantity) -> bool:
    return not _from_library(quantity) and quantity.provenance.declared is not None


def _two_formulas(choice: Choice) -> bool:
    """Whether two calls that stand in one place are of formulas for other arguments: one was chosen over the other."""
    heads = {unspaced(each.provenance.line.partition("=")[0]) for each in (choice.before, choice.after)}
    return choice.before.internal and choice.after.internal and len(heads) > 1


def _derived_by_library(choice: Choice) -> bool:
    """Whether neither side's formula is written in a plan."""
    return (
        _from_library(choice.before)
        and _from_library(choice.after)
        and choice.before.provenance.sort
        in (
            "derived",
            "default",
        )
    )


def _states_the_same(one: MeasurementDoc, two: MeasurementDoc) -> bool:
    """Whether a measurement says the same on both sides, whatever the plans have."""
    return (one.low, one.nominal, one.high, one.context) == (two.low, two.nominal, two.high, two.context)


def _measurement(side: Side, tree: Tree | None) -> str | None:
    """The measurement that a tree holds the value of, by the name that the comparison has for it."""
    waiting = [tree] if tree is not None else []
    while waiting:
        node = waiting.pop()
        name = side.renamed(str(node.get("source")))
        if name in side.measurements:
            return name
        waiting.extend(parts_of(node))
    return None
