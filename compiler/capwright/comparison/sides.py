"""One side of a comparison: its quantities by every name, its settings, and what a formula comes down to."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Final

from msgspec.structs import replace

from capwright.base.address import Renaming, thing_of
from capwright.base.exact import from_text
from capwright.base.spelling import unspaced
from capwright.document.plandoc import MeasurementDoc, PlanDoc, Quantity, SettingDoc, Tree
from capwright.document.retape import parts_of, references

Triple = tuple[str | None, str | None, str | None]
"""The low end, nominal value and high end of a quantity, as a document writes them."""

LIBRARY = "std/"
"""What stands before the place of whatever the library says."""

PATH: Final = re.compile(r"[^\W\d][\w.@]*")
"""A name in a text, or a path of names."""


class Side:
    """One document. Public names are as the comparison calls them, after renaming."""

    def __init__(self, doc: PlanDoc, moves: Mapping[str, str], interned: dict[object, int]) -> None:
        self.doc = doc
        self.renamed = Renaming(moves, [option.address for option in doc.options])
        self._interned = interned
        self._signatures: dict[str, int] = {}
        """What a reference comes down to, by its address."""
        self._known: dict[int, tuple[int, Tree]] = {}
        """What a tree comes down to, by its identity, which is its own while it is held here."""
        self.found: dict[str, Quantity] = {}
        """By address in the document."""
        self.public: dict[str, Quantity] = {}
        self._below: dict[str, tuple[Quantity, ...]] = {}
        """What each quantity refers to, by its address."""
        self._copies: dict[str, int] = {}
        """How many times over what lies in a thing was copied, by the thing's name."""
        self._within: dict[str, bool] = {}
        """Whether what lies in a thing lies below a quantity, by the thing's name."""
        self.names: dict[str, tuple[str, ...]] = {}
        """The public names of a quantity by its address in the document."""
        self.sources: dict[str, str] = {}
        """Id of a source in formulas to the name of the quantity that first holds it."""
        self.measurements: dict[str, MeasurementDoc] = {self.renamed(m.address): m for m in doc.measurements}
        """By the name that the comparison has for each."""
        for quantity in doc.quantities:
            self._add(quantity)
        self.settings: dict[tuple[str, bool], SettingDoc] = {
            (self.renamed(s.address), s.sort == "origin"): self._setting(s) for s in doc.settings
        }

    def _setting(self, setting: SettingDoc) -> SettingDoc:
        if setting.refers is None:
            return setting
        refers = self.renamed(setting.refers)
        return setting if refers == setting.refers else replace(setting, refers=refers, value=refers)

    def _add(self, quantity: Quantity) -> None:
        self.found[quantity.address] = quantity
        if not quantity.internal:
            own = (quantity.address, *quantity.aliases)
            names = tuple(sorted(self.renamed.all(own)))
            self.names[quantity.address] = names
            self.public.update(dict.fromkeys(names, quantity))
            self.found.update(dict.fromkeys(quantity.aliases, quantity))
        if quantity.formula is not None and quantity.formula["op"] == "assume":
            self.sources.setdefault(quantity.formula["source"], quantity.address)

    @cached_property
    def read(self) -> frozenset[str]:
        """The addresses of the quantities that others are worked out from, or were decided by."""
        read = {address for quantity in self.doc.quantities for address in quantity.decided_by}
        decided = {self.found[address].address for address in read if address in self.found}
        return frozenset(decided.union(b.address for q in self.doc.quantities for b in self.below(q)))

    def below(self, quantity: Quantity) -> tuple[Quantity, ...]:
        """What the formula of a quantity of the document refers to, each once."""
        found = self._below.get(quantity.address)
        if found is None:
            addresses = references(quantity.formula) if quantity.formula is not None else ()
            held = (self.found.get(str(address)) for address in dict.fromkeys(addresses))
            found = self._below[quantity.address] = tuple(each for each in held if each is not None)
        return found

    @cached_property
    def stems(self) -> frozenset[str]:
        """The addresses that the document itself has for numbers, fields and things, and all that lie on the way there."""
        found = set[str]()
        for address in (*self.found, *(setting.address for setting in self.doc.settings)):
            stem = address
            while stem and stem not in found:
                found.add(stem)
                stem = stem.rpartition(".")[0]
        return frozenset(found)

    def own_name(self, quantity: Quantity) -> str:
        """The plainest name of a quantity."""
        return self.plainest(self.names.get(quantity.address, (quantity.address,)))

    def plainest(self, names: Iterable[str]) -> str:
        """The one with the fewest steps, and none of a copy that a formula makes, where there is another; of a thing and
        its copy that of the thing, where it was written."""
        return min(names, key=lambda name: (self.inner(name), name.count("."), self.copied(name), name))

    def copied(self, name: str) -> int:
        """How many times over what has this name was copied from what something else has: each thing on the way to it may
        be made from another, which may be a copy itself."""
        owner = name.rpartition(".")[0]
        if not owner:
            return 0
        known = self._copies.get(owner)
        if known is None:
            known = self._copies[owner] = self.copied(owner) + self._made_from(owner)
        return known

    def _made_from(self, thing: str) -> int:
        """How many things stand before one that is copied: what it is made from, what that is made from, and so on."""
        made, seen = self.settings.get((thing, True)), set[str]()
        while made is not None and made.refers is not None and made.refers not in seen:
            seen.add(made.refers)
            made = self.settings.get((made.refers, True))
        return len(seen)

    def inner(self, name: str) -> bool:
        """Whether a name belongs to a copy that a formula makes for itself: it lies below another quantity."""
        owner = name.rpartition(".")[0]
        if not owner:
            return False
        known = self._within.get(owner)
        if known is None:
            known = self._within[owner] = thing_of(owner) in self.public or self.inner(owner)
        return known

    def original(self, name: str) -> str:
        """The address that the document itself has for a public name."""
        for address in (self.public[name].address, *self.public[name].aliases):
            if self.renamed(address) == name:
                return address
        return name

    def needed(self, names: Iterable[str]) -> set[str]:
        """The addresses of the quantities that some lean on, their own among them."""
        waiting = [self.public[name] for name in names if name in self.public]
        found: set[str] = set()
        while waiting:
            quantity = waiting.pop()
            if quantity.address not in found:
                found.add(quantity.address)
                waiting += self.below(quantity)
        return found

    def reported(self) -> set[str]:
        """The public names of what the report and the verdicts show."""
        doc = self.doc
        found = {address for section in doc.sections for address in section.addresses}
        found |= {
            side.address for v in doc.verdicts for side in (v.left, v.right) if side.address is not None
        }
        return set(self.renamed.all(found))

    def signature(self, tree: Tree, matched: Mapping[str, object]) -> int:
        """A number that trees with one meaning share, on both sides. Where anything is written does not count."""
        op = tree["op"]
        if op == "ref":
            return self._referred(tree["address"], matched)
        known = self._known.get(id(tree))
        if known is not None:
            return known[0]
        parts = [self.signature(part, matched) for part in parts_of(tree)]
        if op in ("add", "mul", "min", "max", "and", "or"):
            parts.sort()
        own: object = None
        match op:
            case "const":
                own = tree["value"]
            case "var":
                own = tree["name"]
            case "pow" | "ceil" | "floor":
                own = tree.get("exponent", tree.get("step"))
            case "kernel":
                own = (tree["function"], *(str(bare(each)) for each in tree["static"]))
            case "search":
                own = (tree["which"], tree["variable"], tree["step"])
            case "assume":
                own = (self.source(tree["source"]), tree["low"] is None, tree["high"] is None)
        made = self._interned.setdefault((op, own, *parts), len(self._interned))
        self._known[id(tree)] = made, tree
        return made

    def words(self, text: str) -> str:
        """What a text says, by the names that the comparison has, however it is spaced."""
        return unspaced(PATH.sub(lambda found: self.renamed(found[0]), text))

    def source(self, id: str) -> str:
        """The name of a source, which does not move with its line."""
        address = self.sources.get(id, id)
        return self.names.get(address, (self.renamed(address),))[0]

    def _referred(self, address: str, matched: Mapping[str, object]) -> int:
        known = self._signatures.get(address)
        if known is not None:
            return known
        quantity = self.found.get(address)
        if quantity is not None and quantity.internal:
            self._signatures[address] = -1  # stands for itself in a circle, which only an edited document has
            made = self.defined(quantity, matched)
        else:
            names = self.names.get(quantity.address, ()) if quantity is not None else ()
            name = next((n for n in names if n in matched), names[0] if names else address)
            made = self._interned.setdefault(("ref", name), len(self._interned))
        self._signatures[address] = made
        return made

    def defined(self, quantity: Quantity, matched: Mapping[str, object]) -> int:
        """The signature of all that makes a quantity's value."""
        formula = (
            self.signature(quantity.formula, matched) if quantity.formula is not None else values(quantity)
        )
        relation = "=" if quantity.relation == "assume" else quantity.relation
        key = ("bind", relation, quantity.domain_low, quantity.domain_high, quantity.whole, formula)
        return self._interned.setdefault(key, len(self._interned))


Plainness = tuple[bool, int, int, str]
"""What orders the names that both sides have: the plainest first."""


def plainness(a: Side, b: Side, name: str) -> Plainness:
    """How plain a name is that both sides have. Neither side counts for more: of two things each of which is a copy of the
    other on one side, the comparison tells the same one whichever side it begins with."""
    return a.inner(name) or b.inner(name), name.count("."), a.copied(name) + b.copied(name), name


def values(quantity: Quantity) -> Triple:
    """The three parts of a quantity's value."""
    return quantity.low, quantity.nominal, quantity.high


def is_apart(before: Triple, after: Triple) -> bool:
    """Whether one range lies wholly above the other."""
    above = before[2] is not None and after[0] is not None and from_text(before[2]) < from_text(after[0])
    below = after[2] is not None and before[0] is not None and from_text(after[2]) < from_text(before[0])
    return above or below


def bare(static: object) -> object:
    """A static argument without the words for it."""
    return {k: v for k, v in sorted(static.items()) if k != "text"} if isinstance(static, dict) else static


def follows(one: Quantity, two: Quantity) -> bool:
    """Whether a number is another one on the two sides only as what it is worked out from is: nobody states it otherwise.
    Such is what one text derives, or gives as a default, or works out of other numbers; what is read from a file, and the
    range of an assumption, is in no text."""
    if one.written != two.written:
        return False
    sorts = {one.provenance.sort, two.provenance.sort}
    if "derived" in sorts or sorts == {"default"}:
        return True
    return "assume" not in (one.relation, two.relation) and all(
        q.formula is not None and any(True for _ in references(q.formula)) for q in (one, two)
    )
