"""One option of a plan as a plan of its own: called as its base is, judged as its base is.

So the comparison of two options is that of two documents. What both share is one source: their differences are
judged on the document they come from.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from itertools import count
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from capwright.base.interval import Range, as_range
from capwright.document.compare import compare
from capwright.document.compare_sides import under
from capwright.document.diffdoc import DiffDoc
from capwright.document.plandoc import PlanDoc, Quantity, SettingDoc, Side, Tree, VerdictDoc
from capwright.document.quantities import end
from capwright.document.retape import Taped, evaluated, references, retape
from capwright.graph.evaluate import Evaluation
from capwright.graph.reach import sources_below
from capwright.graph.tighten import bounds_of
from capwright.graph.verdicts import judge, judge_expected

_SWEEPS: Final = 16
"""How hard a difference of two options is looked at: that of a verdict is looked at harder."""


class Alternatives(Struct, frozen=True):
    """A document evaluated again, so that options can be asked what their base was asked."""

    doc: PlanDoc
    taped: Taped
    evaluation: Evaluation
    found: dict[str, Quantity]


def alternatives(doc: PlanDoc) -> Alternatives:
    """Prepare a document with options."""
    taped = retape(doc)
    found = {name: q for q in doc.quantities for name in (q.address, *q.aliases)}
    return Alternatives(doc, taped, evaluated(taped), found)


def bases(doc: PlanDoc) -> dict[str, list[str]]:
    """The addresses of the options of each thing that has some."""
    found: dict[str, list[str]] = {}
    for option in doc.options:
        found.setdefault(option.base, []).append(option.address)
    return found


def base_of(doc: PlanDoc, address: str) -> str | None:
    """What an address is an option of, or the address itself where it has options."""
    return next((o.base for o in doc.options if address in (o.address, o.base)), None)


def compare_options(given: Alternatives, base: str, before: str, after: str) -> DiffDoc:
    """What changes from one option of `base` (or `base` itself) to another."""
    one, two = projected(given, base, before), projected(given, base, after)
    return compare(one, two, (before, after), apart=apart_of(given, base, before, after))


def apart_of(given: Alternatives, base: str, before: str, after: str) -> dict[str, bool]:
    """Which quantities of two options are apart, with what both lean on taken as one."""
    apart: dict[str, bool] = {}
    for section in given.doc.sections:
        for address in section.addresses:
            rest = under(address, base)
            held = [given.found.get(f"{top}.{rest}") for top in (before, after)] if rest else []
            if len(held) == 2 and held[0] and held[1] and _worth_judging(held[0], held[1]):
                nodes = [given.taped.node_of[each.address] for each in held if each is not None]
                low, high = bounds_of(
                    given.taped.tape, given.evaluation, (nodes[1], nodes[0]), _SWEEPS
                ).between
                apart[address] = (low is not None and low > 0) or (high is not None and high < 0)
    return apart


def _worth_judging(before: Quantity, after: Quantity) -> bool:
    """Whether the difference may say more than the two ranges: they share a source, and it may have an end."""
    above, below = (after.low, before.high), (after.high, before.low)
    ended = None not in above or None not in below
    return ended and not set(before.sources).isdisjoint(after.sources)


def projected(given: Alternatives, base: str, option: str) -> PlanDoc:
    """The document as if `option` stood where `base` does. Without options, pictures and what is measured of others."""
    return _Projection(given, base, option).document()


class _Projection:
    def __init__(self, given: Alternatives, base: str, option: str) -> None:
        self.given = given
        self.base = base
        self.option = option
        self._again: dict[str, Tree | None] = {}
        self.beside = self._depending() if option != base else frozenset[str]()
        """What the plan derives from the base outside of it: its formulas are asked again, of the option."""
        self.new = self._new_addresses()

    def name(self, address: str) -> str | None:
        """What an address is called in the projection; None for other options' things, and the base's own."""
        top = address.partition(".")[0].partition("/")[0]
        if top == self.option:
            return self.base + address[len(top) :]
        return None if top == self.base or top.startswith(f"{self.base}@") else address

    def _is_of_base(self, address: str) -> bool:
        return address.partition(".")[0].partition("/")[0] == self.base

    def _depending(self) -> frozenset[str]:
        """The addresses of quantities that are neither the base's nor an option's, and lean on the base."""
        users: dict[str, list[str]] = {}
        for quantity in self.given.doc.quantities:
            for address in references(quantity.formula) if quantity.formula is not None else ():
                users.setdefault(str(address), []).append(quantity.address)
        found: set[str] = set()
        waiting = [
            a for q in self.given.doc.quantities for a in (q.address, *q.aliases) if self._is_of_base(a)
        ]
        while waiting:
            for user in users.get(waiting.pop(), ()):
                held = self.given.found[user]
                if user not in found and self._stands_beside(held):
                    found.add(user)
                    waiting += [user, *held.aliases]
        return frozenset(found)

    def _stands_beside(self, quantity: Quantity) -> bool:
        return all(self.name(a) == a for a in (quantity.address, *quantity.aliases))

    def _formula_again(self, quantity: Quantity) -> Tree | None:
        """The formula of what the plan derives from the base, with the option's quantities in their place; None where
        the base's decided it and the option's may not, or where it is more than its formula."""
        if quantity.address not in self._again:
            self._again[quantity.address] = (
                None  # stands for itself in a circle, which only an edited document has
            )
            if quantity.formula is not None and quantity.relation == "=" and self._decided_alike(quantity):
                self._again[quantity.address] = self._asked(quantity.formula, ())
        return self._again[quantity.address]

    def _decided_alike(self, quantity: Quantity) -> bool:
        """Whether what decided a formula is the same of the option as of the base."""
        return all(
            self._alike(address, two + rest)
            for address in quantity.decided_by
            for one, two in self._swapped
            if (rest := address.removeprefix(one)) != address and rest[:1] in (".", "")
        )

    @cached_property
    def _swapped(self) -> list[tuple[str, str]]:
        """What the option has in the place of what: itself, and what its fields refer to for what the base's do."""
        found = [(self.base, self.option)]
        for setting in self.given.doc.settings:
            rest = under(setting.address, self.base)
            other = self._settings.get(f"{self.option}.{rest}") if rest else None
            if setting.refers is not None and other is not None and other.refers is not None:
                found.append((setting.refers, other.refers))
        return [(one, two) for one, two in found if one != two]

    @cached_property
    def _settings(self) -> dict[str, SettingDoc]:
        return {s.address: s for s in self.given.doc.settings if s.sort != "origin"}

    def _alike(self, one: str, two: str) -> bool:
        ours, theirs = self.given.found.get(one), self.given.found.get(two)
        if ours is not None and theirs is not None:
            return (ours.low, ours.nominal, ours.high) == (theirs.low, theirs.nominal, theirs.high)
        said, other = self._settings.get(one), self._settings.get(two)
        return said is not None and other is not None and said.value == other.value

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
            if names and (quantity.address not in self.beside or self._formula_again(quantity) is not None):
                found[quantity.address] = names[0]
                taken.add(names[0])
                waiting.append(quantity)
        while waiting:
            quantity = waiting.pop()
            formula = self._again.get(quantity.address, quantity.formula)
            for address in references(formula) if formula is not None else ():
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
            views=(),
            options=(),
            moved=(),
            settings=tuple(
                self._setting(s, name)
                for s in doc.settings
                if (name := self.name(s.address)) is not None
            ),
        )  # fmt: skip

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

    def _asked_again(self, quantity: Quantity, tree: Tree) -> Quantity:
        """What the plan derives from the base, worked out for the option. Its formula goes on to name others such."""
        node = self._node(tree)
        named = self._asked(quantity.formula, (), apart=False) if quantity.formula is not None else None
        taped, value = self.given.taped, self.given.evaluation.values[node]
        held = as_range(value) if value is not None else Range(None, None, None)
        sources = tuple(
            taped.sources.get(s, s) for s in (sources_below(taped.tape, self.given.evaluation, node))
        )
        return replace(
            quantity, formula=named, low=end(held.low), nominal=end(held.nominal), high=end(held.high),
            approximate=held.approximate, sources=sources,
        )  # fmt: skip

    def _quantity(self, quantity: Quantity) -> Quantity:
        tree = self._again.get(quantity.address) if quantity.address in self.beside else None
        if tree is not None:
            quantity = self._asked_again(quantity, tree)
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
        )

    def _tree(self, tree: Tree) -> Tree:
        made = dict(tree)
        if tree["op"] == "ref":
            held = self.given.found.get(tree["address"])
            made["address"] = (
                self.new.get(held.address, held.address) if held is not None else tree["address"]
            )
        if "args" in tree:
            made["args"] = [self._tree(arg) for arg in tree["args"]]
        for part in ("low", "high", "condition"):
            if isinstance(tree.get(part), dict):
                made[part] = self._tree(tree[part])
        return made

    def _verdicts(self) -> tuple[VerdictDoc, ...]:
        """The requirements that are asked of the option: its own, and those of the base that nobody wrote for it.

        What is asked of other options says nothing about this one. Where the plan asks the option just what it asks
        the base, that is one requirement: it goes by what the base is asked, with the verdict on the option.
        """
        doc = self.given.doc
        own = {v.id for v in doc.verdicts if self._subjects(v) & {self.option}}
        others = {v.id for v in doc.verdicts if v.id not in own and self._subjects(v) - {self.base, ""}}
        asked = [v for one in doc.verdicts if one.id not in others and (v := self._verdict(one)) is not None]
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
        tops = {name.partition(".")[0].partition("/")[0] for name in named}
        return {top if top == self.base or top.startswith(f"{self.base}@") else "" for top in tops}

    def _verdict(self, verdict: VerdictDoc) -> VerdictDoc | None:
        """A requirement of the base asked of the option; None where it says something that only the base has."""
        sides = [self._asked(side.formula, side.named) for side in (verdict.left, verdict.right)]
        left, right = sides
        if left is None or right is None:
            return None
        if self.option == self.base:
            return self._own(verdict)
        nodes = (self._node(left), self._node(right))
        tape, evaluation = self.given.taped.tape, self.given.evaluation
        found = judge(tape, evaluation, *nodes, verdict.comparison)
        if found is None:
            return None
        status = (
            found.status
            if verdict.verb == "require"
            else judge_expected(evaluation, *nodes, verdict.comparison)
        )
        opened = found.opened_by if status == "not established" else None
        blocks = {node: address for address, node in self.given.taped.node_of.items()}
        leans = tuple(dict.fromkeys(self._id(self.given.taped.sources.get(s, s)) for s in found.leans_on))
        values = (evaluation.values[node] for node in nodes)
        lefts, rights = (as_range(v) if v is not None else Range(None, None, None) for v in values)
        return replace(
            verdict,
            status=verdict.status if status == "no estimate" else status,
            left=self._side(verdict.left, lefts),
            right=self._side(verdict.right, rights),
            margin_low=end(found.margin.low),
            margin_nominal=end(found.margin.nominal),
            margin_high=end(found.margin.high),
            leans_on=leans,
            opened_by=self._id(str(blocks[opened])) if opened in blocks else None,
            opened_line=None,
            closed_by=verdict.closed_by if status == verdict.status else None,
        )

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

    def _node(self, tree: Tree) -> int:
        """The node of a side: an option's quantities stand on the tape, and so does what combines them."""
        taped = self.given.taped
        node = taped.writer(tree)
        missing = len(taped.tape) - len(self.given.evaluation.values)
        if missing:
            self.given.evaluation.values[:] = evaluated(taped).values
            self.given.evaluation.memo.clear()
        return node

    def _side(self, side: Side, value: Range) -> Side:
        formula = self._asked(side.formula, side.named, apart=False) or side.formula
        ends = (end(value.low), end(value.nominal), end(value.high))
        address = formula["address"] if formula["op"] == "ref" else None
        held = self.given.found.get(address) if address is not None else None
        return replace(
            side, address=self.new.get(held.address) if held is not None else None, formula=self._tree(formula),
            low=ends[0], nominal=ends[1], high=ends[2],
        )  # fmt: skip

    def _asked(self, tree: Tree, named: tuple[str, ...], *, apart: bool = True) -> Tree | None:
        """A side of a requirement, in which `named` is written, with the option's quantities for the base's.

        What the plan derives from the base stands in it as its formula, where it is taken `apart`, or by its name.
        """
        made = dict(tree)
        if tree["op"] == "ref":
            held = self.given.found.get(tree["address"])
            if held is not None and held.address in self.beside:
                again = self._formula_again(held)
                return again if apart or again is None else tree
            address = self._counterpart(tree["address"], named)
            return None if address is None else {**tree, "address": address}
        if tree["op"] == "effective" and self.option != self.base:
            return self._asked(tree["args"][0], named, apart=apart)
        for part in ("low", "high", "condition"):
            if isinstance(tree.get(part), dict):
                made[part] = self._asked(tree[part], named, apart=apart)
                if made[part] is None:
                    return None
        if "args" in tree:
            args = [self._asked(arg, named, apart=apart) for arg in tree["args"]]
            if None in args:
                return None
            made["args"] = args
        return made

    def _counterpart(self, address: str, named: tuple[str, ...]) -> str | None:
        """The option's quantity for one of the base's; None where it has none. Another thing's stays itself, also
        where it is one number with the base's."""
        held = self.given.found.get(address)
        if held is None or self.option == self.base:
            return address
        if held.internal:
            return address if held.address.partition(".")[0] != self.base else None
        names = (held.address, *held.aliases)
        meant = [n for n in names if n in named] or names
        mine = [n for n in meant if under(n, self.base) is not None]
        for name in mine:
            rest = name[len(self.base) :]
            if f"{self.option}{rest}" in self.given.found:
                return self.given.found[f"{self.option}{rest}"].address
        return held.address if not mine else None


def _question(verdict: VerdictDoc) -> str:
    """What a requirement asks, whatever it is called, wherever it is written, and whatever was measured."""
    sides = [_bare(side.formula) for side in (verdict.left, verdict.right)]
    return repr((verdict.verb, verdict.comparison, *sides))


def _bare(tree: Tree) -> object:
    if tree["op"] == "effective":
        return _bare(tree["args"][0])
    held = {key: value for key, value in tree.items() if key not in ("text", "place")}
    for part in ("low", "high", "condition"):
        if isinstance(held.get(part), dict):
            held[part] = _bare(held[part])
    if "args" in held:
        held["args"] = [_bare(arg) for arg in held["args"]]
    return held


def _answered(verdict: VerdictDoc, answer: VerdictDoc | None) -> VerdictDoc:
    """A requirement with the verdict that the plan's own words for the option come to."""
    if answer is None:
        return verdict
    return replace(answer, id=verdict.id, label=verdict.label, written=verdict.written)


def _untaken(address: str, taken: set[str]) -> str:
    """The address, or the next one that its formula's calls leave; it is taken from now on."""
    formula = address.partition("#")[0]
    free = (
        address if address not in taken else next(a for n in count(2) if (a := f"{formula}#{n}") not in taken)
    )
    taken.add(free)
    return free
