"""One option of a plan as a plan of its own: called as its base is, judged as its base is.

So the comparison of two options is that of two documents. What both share is one source: their differences are
judged on the document they come from.
"""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from functools import cached_property
from itertools import count
from operator import is_
from typing import Final

from msgspec.structs import replace

from capwright.base import address as addresses
from capwright.base.address import is_option_of, option_address, option_of, thing_of, top_of, under
from capwright.base.ends import Ends
from capwright.comparison.compare import compare
from capwright.comparison.sides import is_apart, values
from capwright.document.diffdoc import DiffDoc
from capwright.document.plandoc import PlanDoc, Quantity, SettingDoc, Tree, VerdictDoc
from capwright.document.retape import Taped, evaluated, parts_of, references, retape, with_parts
from capwright.graph.evaluation import Evaluation
from capwright.graph.tighten import bounds_of

_SWEEPS: Final = 16
"""How hard a difference of two options is looked at: that of a verdict is looked at harder."""


class Alternatives:
    """A document with options, by all names of its quantities. It is evaluated again where two ranges overlap."""

    def __init__(self, doc: PlanDoc) -> None:
        self.doc = doc
        self.found = {name: q for q in doc.quantities for name in (q.address, *q.aliases)}

    def between(self, before: Quantity, after: Quantity) -> Ends:
        """The ends of the difference of two quantities, with what both lean on taken as one."""
        nodes = (self._taped.node_of[after.address], self._taped.node_of[before.address])
        return bounds_of(self._taped.tape, self._evaluation, nodes, _SWEEPS).between

    @cached_property
    def _taped(self) -> Taped:
        return retape(self.doc)

    @cached_property
    def _evaluation(self) -> Evaluation:
        return evaluated(self._taped)


def bases(doc: PlanDoc) -> dict[str, list[str]]:
    """The addresses of the options of each thing that has some."""
    found: dict[str, list[str]] = {}
    for option in doc.options:
        found.setdefault(option.base, []).append(option.address)
    return found


def bases_of(doc: PlanDoc, address: str) -> tuple[str, ...]:
    """The address, what it is an option of, what that is an option of; nothing where it is no option and has none."""
    known = {o.address: o.base for o in doc.options}
    found = [address] if address in known or address in known.values() else []
    while found and found[-1] in known:
        found.append(known[found[-1]])
    return tuple(found)


def compare_options(given: Alternatives, base: str, before: str, after: str) -> DiffDoc:
    """What changes from one option of `base` (or `base` itself) to another."""
    one, two = projected(given, base, before), projected(given, base, after)
    return compare(one, two, (before, after), apart=apart_of(given, base, before, after))


def apart_of(given: Alternatives, base: str, before: str, after: str) -> dict[str, bool]:
    """Which quantities of two options are apart though their ranges overlap, with what both lean on taken as one."""
    apart: dict[str, bool] = {}
    for section in given.doc.sections:
        for address in section.addresses:
            rest = under(address, base) or under(address, (base, *addresses.bases_of(base))[-1])
            one, two = (given.found.get(f"{top}.{rest}") if rest else None for top in (before, after))
            if one is not None and two is not None and _worth_judging(one, two):
                low, high = given.between(one, two)
                apart[f"{base}.{rest}"] = (low is not None and low > 0) or (high is not None and high < 0)
    return apart


def _worth_judging(before: Quantity, after: Quantity) -> bool:
    """Whether the difference may say more than the two ranges: they overlap and are not one, share a source, and it may
    have an end."""
    above, below = (after.low, before.high), (after.high, before.low)
    ended = None not in above or None not in below
    if not ended or set(before.sources).isdisjoint(after.sources):
        return False
    one, two = values(before), values(after)
    return one != two and not is_apart(one, two)


def projected(given: Alternatives, base: str, option: str) -> PlanDoc:
    """The document as if `option` stood where `base` does. Without options, pictures and what is measured of others."""
    return _Projection(given, base, option).document()


class _Projection:
    def __init__(self, given: Alternatives, base: str, option: str) -> None:
        self.given = given
        self.base = base
        self.option = option
        self.options = {o.address for o in given.doc.options}
        self.answers = {a.id: a.verdict for a in given.doc.answers if a.option == option}
        self._named: dict[str, str | None] = {}
        self.new = self._new_addresses()

    def name(self, address: str) -> str | None:
        """What an address is called in the projection; None for other options' things, and for what the option has
        another one in the place of."""
        if address not in self._named:
            self._named[address] = self._name(address)
        return self._named[address]

    def _name(self, address: str) -> str | None:
        top = top_of(address)
        rest = address[len(top) :]
        if top == self.option:
            return self.base + rest
        if top == self.base or is_option_of(top, self.base):
            return None
        whose = None if top in self.options else option_of(top, self.options)
        if whose is not None:
            return top.removesuffix(option_address("", whose)) + rest if whose == self.option else None
        return None if option_address(top, self.option) in self.given.found else address

    def _names(self, quantity: Quantity) -> list[str]:
        return sorted(n for a in (quantity.address, *quantity.aliases) if (n := self.name(a)) is not None)

    def _new_addresses(self) -> dict[str, str]:
        """Old to new addresses of all that the projection keeps: what has a name in it, and what that needs.

        A call of the base's that the option shares keeps its address; the option's own call may come to the same one,
        and is then counted on, as calls within one document are.
        """
        found: dict[str, str] = {}
        taken: set[str] = set()
        waiting: list[Quantity] = []
        for quantity in self.given.doc.quantities:
            names = [] if quantity.internal else self._names(quantity)
            if names:
                found[quantity.address] = names[0]
                taken.add(names[0])
                waiting.append(quantity)
        while waiting:
            quantity = waiting.pop()
            for address in references(quantity.formula) if quantity.formula is not None else ():
                held = self.given.found.get(str(address))
                if held is not None and held.address not in found:
                    found[held.address] = _untaken(self._needed(held, found), taken)
                    waiting.append(held)
        return found

    @staticmethod
    def _needed(quantity: Quantity, found: Mapping[str, str]) -> str:
        owner, slash, rest = quantity.address.partition("/")
        return found[owner] + slash + rest if slash and owner in found else quantity.address

    def document(self) -> PlanDoc:
        """The projection."""
        doc = self.given.doc
        kept = [q for q in doc.quantities if q.address in self.new]
        return replace(
            doc,
            quantities=tuple(self._quantity(q) for q in kept),
            sources=tuple(replace(s, id=self._id(s.id)) for s in doc.sources if self._keeps(s.id)),
            verdicts=self._verdicts(),
            measurements=tuple(m for m in doc.measurements if self.name(m.of) is not None),
            evidence=tuple(e for e in doc.evidence if self.name(e.of) is not None),
            sections=tuple(replace(s, addresses=tuple(map(self._shown, s.addresses))) for s in doc.sections),
            views=(),
            options=(),
            moved=(),
            settings=tuple(
                self._setting(s, name)
                for s in doc.settings
                if (name := self.name(s.address)) is not None
            ),
        )  # fmt: skip

    def _shown(self, address: str) -> str:
        """What a report shows in the place of what it shows of the first of a line of options."""
        top, dot, rest = address.partition(".")
        return self.base + dot + rest if is_option_of(self.base, top) else address

    def _keeps(self, source: str) -> bool:
        held = self.given.found.get(source)
        return held.address in self.new if held is not None else self.name(source) is not None

    def _setting(self, setting: SettingDoc, name: str) -> SettingDoc:
        if setting.refers is None:
            return replace(setting, address=name)
        refers = self.name(setting.refers) or setting.refers
        return replace(setting, address=name, refers=refers, value=refers)

    def _id(self, source: str) -> str:
        held = self.given.found.get(source)
        return self.new.get(held.address, source) if held is not None else self.name(source) or source

    def _quantity(self, quantity: Quantity) -> Quantity:
        address = self.new[quantity.address]
        names = self._names(quantity) if not quantity.internal else []
        return replace(
            quantity,
            address=address,
            aliases=tuple(name for name in names if name != address),
            formula=None if quantity.formula is None else self._tree(quantity.formula),
            sources=tuple(dict.fromkeys(self._id(s) for s in quantity.sources)),
            binds=None if quantity.binds is None else self._id(quantity.binds),
            decided_by=tuple(self.name(each) or each for each in quantity.decided_by),
            through=tuple(self.name(each) or each for each in quantity.through),
            given=tuple(None if each is None else self._given(each) for each in quantity.given),
        )

    def _given(self, address: str) -> str:
        held = self.given.found.get(address)
        return self.new.get(held.address, address) if held is not None else self.name(address) or address

    def _tree(self, tree: Tree) -> Tree:
        if tree["op"] == "ref":
            held = self.given.found.get(tree["address"])
            new = self.new.get(held.address, held.address) if held is not None else tree["address"]
            return tree if new == tree["address"] else {**tree, "address": new}
        parts = parts_of(tree)
        made = [self._tree(part) for part in parts]
        # Most formulas stay as they are, and are not made anew.
        return tree if all(map(is_, made, parts)) else with_parts(tree, made)

    def _verdicts(self) -> tuple[VerdictDoc, ...]:
        """The requirements that are asked of the option: its own, and those of the base that nobody wrote for it.

        What is asked of other options says nothing about this one. Where the plan asks the option just what it asks
        the base, that is one requirement: it goes by what the base is asked, with the verdict on the option.
        """
        doc = self.given.doc
        own = {v.id for v in doc.verdicts if self._subjects(v) & {self.option}}
        others = {v.id for v in doc.verdicts if v.id not in own and self._subjects(v) - {self.base, ""}}
        asked = [
            v for one in doc.verdicts if one.id not in others and (v := self._verdict(one, own)) is not None
        ]
        if self.option == self.base:
            return tuple(asked)
        answers = {_question(v): v for v in asked if v.id in own}
        bases = {_question(v) for v in asked if v.id not in own}
        merged = (_answered(v, answers.get(_question(v))) if v.id not in own else v for v in asked)
        return tuple(v for v in merged if v.id not in own or _question(v) not in bases)

    def _subjects(self, verdict: VerdictDoc) -> set[str]:
        """The base and options of it that a requirement names; empty text for everything else."""
        written = [name for side in (verdict.left, verdict.right) for name in side.named]
        named = written or [
            str(r) for side in (verdict.left, verdict.right) for r in references(side.formula)
        ]
        tops = {top_of(name) for name in named}
        return {top if top == self.base or is_option_of(top, self.base) else "" for top in tops}

    def _verdict(self, verdict: VerdictDoc, own: AbstractSet[str]) -> VerdictDoc | None:
        """A requirement as it is asked of the option; None where it cannot be."""
        if self.option not in self.options or verdict.id in own:
            return self._own(verdict)
        if verdict.id not in self.answers:
            return None
        return self._own(self.answers[verdict.id] or verdict)

    def _own(self, verdict: VerdictDoc) -> VerdictDoc:
        """The base's own verdict, by the names of the projection."""
        left, right = (
            replace(
                s, address=None if s.address is None else self._id(s.address), formula=self._tree(s.formula)
            )
            for s in (verdict.left, verdict.right)
        )
        leans = tuple(dict.fromkeys(map(self._id, verdict.leans_on)))
        opened = None if verdict.opened_by is None else self._id(verdict.opened_by)
        return replace(verdict, left=left, right=right, leans_on=leans, opened_by=opened)


def _question(verdict: VerdictDoc) -> str:
    """What a requirement asks, whatever it is called, wherever it is written, and whatever was measured."""
    sides = [_bare(side.formula) for side in (verdict.left, verdict.right)]
    return repr((verdict.verb, verdict.comparison, *sides))


def _bare(tree: Tree) -> Tree:
    if tree["op"] == "effective":
        return _bare(tree["args"][0])
    held = {key: value for key, value in tree.items() if key not in ("text", "place")}
    return with_parts(held, [_bare(part) for part in parts_of(held)])


def _answered(verdict: VerdictDoc, answer: VerdictDoc | None) -> VerdictDoc:
    """A requirement with the verdict that the plan's own words for the option come to."""
    if answer is None:
        return verdict
    return replace(
        answer,
        id=verdict.id,
        label=verdict.label,
        written=verdict.written,
        place=verdict.place,
        line=verdict.line,
    )


def _untaken(address: str, taken: set[str]) -> str:
    """The address, or the next one that its formula's calls leave; it is taken from now on."""
    formula = thing_of(address)
    free = (
        address if address not in taken else next(a for n in count(2) if (a := f"{formula}#{n}") not in taken)
    )
    taken.add(free)
    return free
