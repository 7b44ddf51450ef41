"""Which changed references count for which thing: those of its own fields, and of the things that it leads to.

Several things may refer to one, and each may refer to another one now: what one of them refers to says nothing of the
numbers of the others, unless these are worked out from it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from functools import cached_property
from typing import Final

from msgspec.structs import replace

from capwright.base.address import is_option_of, under
from capwright.comparison.blamed import Rebinding
from capwright.comparison.settings import (
    changed_copies,
    changed_settings,
    is_base,
    rebindings,
    saying_of,
    statement_of,
)
from capwright.comparison.sides import LIBRARY, PATH, Side
from capwright.document.plandoc import Quantity, SettingDoc, VerdictDoc

_PUBLIC: Final = re.compile(r"[^!/#]*")
_PARAMETER: Final = re.compile(r"([^\W\d]\w*)\s*:")

Group = tuple[frozenset[str], tuple[Quantity, ...]]
"""Things that have some numbers in common, and these with the calls that they are worked out by."""


class Scopes:
    """The changed settings of two documents, and for what each of them counts. `aligned` are things that are one on the
    two sides.

    Whatever is asked is asked on behalf of something that the plan declares: `whose` is its name, or that of a number in
    it, and empty where it is of no single one."""

    def __init__(self, a: Side, b: Side, aligned: tuple[tuple[str, str], ...]) -> None:
        self.a = a
        self.b = b
        self.copies = list(changed_copies(a, b, aligned))
        self.settings = [*changed_settings(a, b, aligned), *self.copies]
        self.rebindings = [r for blamed in self.settings for r in rebindings(a, b, blamed)]
        self.contested = _is_contested(self.rebindings)
        """Whether several edits change a reference from, or to, one thing: where none do, none needs to be told apart."""
        docs = (a.doc, b.doc)
        said = [(s.address, s.sort == "origin") for doc in docs for s in doc.settings]
        self._things = {  # what has fields is one, whether or not it is said what it is made from
            address if origin else address.rpartition(".")[0]
            for address, origin in (*said, *a.settings, *b.settings)
        } - {""}
        self._tops: dict[str, str] = {}
        self._rebound = dict(self._fields())
        self._found: dict[str, frozenset[str]] = {}
        self._reached: dict[str, frozenset[str]] = {}
        self._torn: dict[str, bool] = {}
        self._seen: dict[tuple[bool, str, str], Quantity] = {}

    def top(self, name: str) -> str:
        """The thing that something lies in, as the plan declares it, an option where it is one's; a number of none itself."""
        found = self._tops.get(name)
        if found is None:
            match = _PUBLIC.match(name)
            steps = (match[0] if match is not None else name).split(".")
            starts = (".".join(steps[:at]) for at in range(1, len(steps)))
            whole = ".".join(steps)
            found = self._tops[name] = next((s for s in starts if "@" in s or s in self._things), whole)
        return found

    def whose(self, name: str) -> str:
        """On whose behalf a number is asked: that of the thing that has it. Where this one leads to several things that
        refer to one and change, each of its numbers speaks for itself: it may be of one of them alone."""
        if not self.contested:
            return ""
        top = self.top(name)
        return name if self._is_torn(top) else top

    def counts(self, whose: str, address: str) -> bool:
        """Whether a rebound field counts for what is asked on behalf of something."""
        return not whose or address in self.of(whose)

    def alike(self, one: str, other: str) -> bool:
        """Whether the same rebound fields count for both."""
        return one == other or self.of(one) == self.of(other)

    def asked(self, before: VerdictDoc, after: VerdictDoc, option: str) -> str:
        """On whose behalf a requirement is asked: that of the one thing or number named in it for which rebound fields count,
        or of the option that stands in its place."""
        if not self.contested:
            return ""
        tops: dict[str, None] = {}
        for side, verdict in ((self.a, before), (self.b, after)):
            for each in (verdict.left, verdict.right):
                for path in (*each.named, *PATH.findall(each.written)):
                    if path.partition(".")[0] in side.stems:
                        top = self.top(side.renamed(path))
                        tops[option if is_option_of(option, top) else top] = None
        found = [top for top in tops if self.of(top)] or list(tops)
        return found[0] if len(found) == 1 else ""

    def of(self, whose: str) -> frozenset[str]:
        """The declarations of the rebound fields that something leads to, by address."""
        found = self._found.get(whose)
        if found is None:
            met, fields = ({whose}, set[str]()) if whose == self.top(whose) else self._met(whose)
            reached = frozenset[str]().union(*map(self.reached, met))
            found = self._found[whose] = frozenset(
                declared
                for address, declared in self._rebound.items()
                if address in fields or self.top(address) in reached
            )
        return found

    def reached(self, top: str) -> frozenset[str]:
        """The things and numbers that one leads to, itself among them."""
        found = self._reached.get(top)
        if found is None:
            waiting, seen = [top], {top}
            while waiting:
                further = self._leads.get(waiting.pop(), set()) - seen
                seen |= further
                waiting += further
            found = self._reached[top] = frozenset(seen)
        return found

    def seen(self, side: Side, quantity: Quantity, whose: str) -> Quantity:
        """A number or a call on behalf of one of those that share it, or a part of it. Such a part goes by the first of
        them, or by several: what it says of those is said of the one."""
        if not self.settings or not whose:
            return quantity
        key = (side is self.b, quantity.address, self.top(whose))
        known = self._seen.get(key)
        if known is None:
            known = self._seen[key] = self._on_behalf(side, quantity, self.top(whose))
        return known

    def _on_behalf(self, side: Side, quantity: Quantity, whose: str) -> Quantity:
        mine = self._written[side is self.b].get(whose, whose)
        first = self.top(quantity.address)
        callers = self._callers[side is self.b].get(quantity.address, ())
        shared = quantity.internal and first != mine and whose in callers
        reached = self.reached(whose)

        def turned(name: str) -> str:
            other = mine + name[len(first) :]
            return other if shared and self.top(name) == first and other in side.stems else name

        def is_anothers(name: str, names: Collection[str]) -> bool:
            top = self.top(name)
            return top != mine and side.renamed(top) not in reached and mine + name[len(top) :] in names

        def own(names: Iterable[str]) -> tuple[str, ...]:
            found = dict.fromkeys(map(turned, names))
            return tuple(name for name in found if not is_anothers(name, found))

        decided, through = own(quantity.decided_by), own(quantity.through)
        given = tuple(None if name is None else turned(name) for name in quantity.given)
        if (decided, through, given) == (quantity.decided_by, quantity.through, quantity.given):
            return quantity
        return replace(quantity, decided_by=decided, through=through, given=given)

    @cached_property
    def _written(self) -> tuple[dict[str, str], dict[str, str]]:
        """What each document itself calls the things and numbers of it."""
        found = [{side.renamed(top): top for top in map(self.top, side.stems)} for side in (self.a, self.b)]
        return found[0], found[1]

    @cached_property
    def _worked(self) -> tuple[list[Group], list[Group]]:
        """The numbers of each document by the things that have them, and the calls that these are worked out by."""
        found: list[list[Group]] = []
        for side in (self.a, self.b):
            groups: dict[frozenset[str], list[Quantity]] = {}
            for quantity in side.doc.quantities:
                if not quantity.internal:
                    own = frozenset(map(self.top, side.names[quantity.address]))
                    groups.setdefault(own, []).append(quantity)
            found.append([(own, (*held, *calls_of(side, held))) for own, held in groups.items()])
        return found[0], found[1]

    @cached_property
    def _callers(self) -> tuple[dict[str, set[str]], dict[str, set[str]]]:
        """By the address of a call of each document the things and numbers that lead to it, itself or by other calls."""
        found: tuple[dict[str, set[str]], dict[str, set[str]]] = {}, {}
        for held, groups in zip(found, self._worked, strict=True):
            for own, quantities in groups:
                for quantity in quantities:
                    if quantity.internal:
                        held.setdefault(quantity.address, set()).update(own)
        return found

    def _fields(self) -> Iterator[tuple[str, str]]:
        """The rebound fields, and where each is declared: a copy's and an option's own may be where the original is."""
        rebound = {each.address: each for each in self.settings if each.tops != (None, None)}
        yield from ((address, address) for address in rebound)
        by_statement = {
            statement_of(each.address, each.before, each.after): address for address, each in rebound.items()
        }
        for letter, side, other in (("a", self.a, self.b), ("b", self.b, self.a)) if rebound else ():
            written = {
                saying_of(address, said): address
                for address, each in rebound.items()
                for said in (each.before if letter == "a" else each.after,)
                if isinstance(said, SettingDoc)
            }
            for (address, origin), said in side.settings.items():
                if (address, origin) not in other.settings and address not in rebound:
                    there = written.get(saying_of(address, said))
                    if there is not None:
                        yield address, there
        for key in self.a.settings.keys() & self.b.settings.keys() if rebound else ():
            address, one, two = key[0], self.a.settings[key], self.b.settings[key]
            tops = (one.refers, two.refers)
            if address in rebound or (one.sort, one.value) == (two.sort, two.value):
                continue
            same = by_statement.get(statement_of(address, one, two))
            bases = (each for each, held in rebound.items() if held.tops == tops and is_base(each, address))
            declared = same or next(bases, None)
            if declared is not None:
                yield address, declared

    @cached_property
    def _leads(self) -> dict[str, set[str]]:
        """What each thing and number leads to: by its fields, by what is written in its numbers, and by what these refer to
        where that has one name alone."""
        found: dict[str, set[str]] = {}
        for side, groups in zip((self.a, self.b), self._worked, strict=True):
            for (address, _), setting in side.settings.items():
                if setting.refers is not None:
                    found.setdefault(self.top(address), set()).add(self.top(setting.refers))
            for own, quantities in groups:
                further = set[str]()
                for held in quantities:
                    if not held.provenance.place.startswith(LIBRARY):  # which names nothing of a plan
                        further.update(map(self.top, self._named(side, held, self._spaces(held))))
                    for below in side.below(held):
                        tops = set(map(self.top, side.names.get(below.address, ())))
                        further |= tops if len(tops) == 1 else set()
                for top in own:
                    found.setdefault(top, set()).update(further - own)
        return found

    def _spaces(self, held: Quantity) -> list[str]:
        """What may stand before the names in the text of a number, or in that of a call's formula: the nearest first."""
        within = self.top(held.address) if held.internal else held.address
        return [*_holders(within), ""]

    def _named(self, side: Side, held: Quantity, spaces: Iterable[str]) -> Iterator[str]:
        """What the text of a number or of a call names, as the comparison calls it."""
        known = set(_PARAMETER.findall(held.provenance.line)) if held.internal else set[str]()
        for path in PATH.findall(held.written):
            first = path.partition(".")[0]
            space = next((each for each in spaces if f"{each}{first}" in side.stems), None)
            if first not in known and space is not None:
                yield side.renamed(f"{space}{path}")

    def _is_torn(self, top: str) -> bool:
        """Whether something leads to fields of several things that change from, or to, one and the same."""
        known = self._torn.get(top)
        if known is None:
            held = self.of(top)
            ends = {
                (at, end, self.top(each.address))
                for each in self.settings
                if each.address in held
                for at, end in enumerate(each.tops)
                if end is not None
            }
            known = self._torn[top] = len(ends) > len({(at, end) for at, end, _ in ends})
        return known

    def _met(self, name: str) -> tuple[set[str], set[str]]:
        """The things and the fields that a number is worked out from, by what is written in it."""
        tops, fields = set[str](), set[str]()
        for side in (self.a, self.b):
            quantity = side.public.get(name)
            held = () if quantity is None else (quantity, *calls_of(side, (quantity,)))
            for path in (path for each in held for path in self._named(side, each, self._spaces(each))):
                top = self.top(path)
                if top != self.top(name):
                    tops.add(top)
                    continue
                for (address, _), setting in side.settings.items():
                    if address != top and (
                        under(path, address) is not None or under(address, path) is not None
                    ):
                        fields.add(address)
                        if setting.refers is not None and self.top(setting.refers) != top:
                            tops.add(self.top(setting.refers))
        return tops, fields


def _is_contested(found: Iterable[Rebinding]) -> bool:
    seen: dict[tuple[str, str], str] = {}
    return any(
        seen.setdefault(end, each.blamed.address) != each.blamed.address
        for each in found
        for end in (("before", each.before), ("after", each.after))
    )


def calls_of(side: Side, quantities: Iterable[Quantity]) -> Iterator[Quantity]:
    """The calls that numbers are worked out by, themselves or by other calls."""
    waiting, seen = list(quantities), set[str]()
    while waiting:
        held = waiting.pop()
        for below in side.below(held):
            if below.internal and below.address not in seen:
                seen.add(below.address)
                waiting.append(below)
                yield below


def _holders(name: str) -> Iterator[str]:
    """What stands before the names of what lies beside a number: in the nearest thing first."""
    while "." in name:
        name = name.rpartition(".")[0]
        yield f"{name}."
