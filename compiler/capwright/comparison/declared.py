"""The changed declarations as a document lists them, and the causes of a difference among them."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from functools import cached_property
from itertools import chain

from msgspec.structs import replace

from capwright.base.address import under
from capwright.base.exact import Number, norm, to_text
from capwright.comparison.blame import Blame
from capwright.comparison.blamed import Blamed
from capwright.comparison.mixed import Mixed
from capwright.comparison.mixture import Answer, Asked, Mixture
from capwright.comparison.origins import Origins, place_of, told_apart
from capwright.comparison.pairs import Pairs
from capwright.comparison.sides import Side
from capwright.document.diffdoc import Cause, DeclarationChange, Difference, FactChange, ValueDoc
from capwright.document.plandoc import Quantity, SettingDoc, Tree
from capwright.document.quantities import end
from capwright.document.retape import Key

TOOL = "tool"
"""The id of the tool, where two documents were written by different ones."""


class Declared:
    """Declarations, and the players of the attribution: one declaration, or several that made something together."""

    def __init__(self, blame: Blame, pairs: Pairs) -> None:
        self.blame = blame
        self.pairs = pairs
        self.places: dict[tuple[str, str], int] = {}
        """The place in `blamed` of each declaration, by address and sort."""
        self.blamed: list[Blamed] = []
        self.players: dict[tuple[int, ...], int] = {}
        """The number of each player: a declaration's place, or the places of those that work together."""
        self._chosen = 0
        """How many choices have their players."""
        self.tool = False
        self._caused: set[str] = set()
        self._origins = Origins(pairs.a.doc, pairs.b.doc)
        self._facts: list[tuple[FactChange, ...]] = []
        self._fact_masks: tuple[Mixture, list[int], list[tuple[int, str]]] | None = None

    def settle(self, ours: set[str], theirs: set[str]) -> None:
        """Give every choice its player. `ours` and `theirs` are what the reported numbers lean on, by address."""
        for blamed in self.blame.settings:
            self._player((blamed,))
        mixed = Mixed(self.pairs, self.blame)
        sure = set[Key]()
        while True:
            self._choose(mixed)
            merged = {key: choice for key, choice in self.pairs.merged.items() if key not in sure}
            astray = [key for key, choice in merged.items() if mixed.strays(choice)]
            if not astray:
                break
            sure.update(merged)
            for key in astray:
                self.pairs.part(key)
            self.pairs.build()
        self._facts = [_facts(self.pairs, self._tops(blamed), ours | theirs) for blamed in self.blamed]

    def _choose(self, mixed: Mixed) -> None:
        """Give the choices that have none yet their players."""
        while self._chosen < len(self.pairs.choices):  # more come while formulas of mixed states are made
            choice, tree = self.pairs.choices[self._chosen]
            self._chosen += 1
            found = mixed.players(choice, tree)
            if found is None:
                tree["player"] = self._player(self.blame.of(choice))
                continue
            blocks, leaves = found
            players = [self._player(map(self.blame.kept, block)) for block in blocks]
            made = _switched(players, leaves)
            if made is not tree:
                tree.clear()
                tree.update(made)
            self.pairs.build()

    def _tops(self, blamed: Blamed) -> list[tuple[str, str, str]]:
        """What a declaration puts in the place of what, and the path that leads there."""
        if blamed.sort != "setting":
            return []
        if isinstance(blamed.after, SettingDoc) and blamed.after.sort == "origin":
            return [(blamed.address, blamed.address, "")]
        return [(r.before, r.after, r.path) for r in self.blame.rebindings if r.blamed is blamed]

    def _player(self, together: Iterable[Blamed]) -> int:
        places = tuple(self._placed(blamed) for blamed in together)
        return self.players.setdefault(places, len(self.players))

    def _placed(self, blamed: Blamed) -> int:
        key = (blamed.address, blamed.sort)
        if key not in self.places:
            self.places[key] = len(self.blamed)
            self.blamed.append(blamed)
        return self.places[key]

    @cached_property
    def _places_of(self) -> list[tuple[int, ...]]:
        return list(self.players)

    def id(self, place: int) -> str:
        """The id of a declaration."""
        return f"c{place + 1}"

    def ids(self, players: Iterable[int]) -> tuple[str, ...]:
        """The ids of the declarations of players, each once, in their order."""
        ids = tuple(map(self.id, sorted({place for player in players for place in self._places_of[player]})))
        self._caused.update(ids)
        return ids

    def id_of(self, blamed: Blamed) -> str | None:
        """The id of a blamed declaration, where it is one."""
        return self.id_at(blamed.address, blamed.sort)

    def id_at(self, address: str, sort: str) -> str | None:
        """The id of the declaration of one sort at an address, where there is one."""
        place = self.places.get((address, sort))
        return None if place is None else self.id(place)

    def caused(self, plain: Difference, asked: Asked, answer: Answer, mixture: Mixture) -> Difference:
        """The difference with its causes. They add up to it exactly, whatever could be told apart."""
        whole = norm(Fraction(asked.after) - asked.before)
        if answer.ends is None or answer.parts is None:
            if not answer.players:
                return replace(plain, why="no changed declaration reaches it")
            return replace(plain, method="exact", causes=self._together(answer, whole))
        parts = answer.parts
        causes = [
            Cause(self.ids(together), to_text(share), self._leaves(together, asked, mixture), end(error))
            for together, share, error in zip(answer.players, parts.shares, parts.errors, strict=True)
            if share or error
        ]
        first, last = answer.ends
        rest = norm(Fraction(whole) - (last - first))
        if rest and not self._other_tool():  # one tool's two documents differ by their declarations only
            return replace(plain, method="exact", causes=self._together(answer, whole))
        if rest:
            self.tool = True
            causes.append(Cause((TOOL,), to_text(rest)))
        causes.sort(key=lambda cause: (-abs(Fraction(cause.share)), cause.declarations))
        return replace(
            plain, method="sampled" if parts.orders else "exact", orders=parts.orders, causes=tuple(causes)
        )

    def _together(self, answer: Answer, whole: Number) -> tuple[Cause, ...]:
        """One cause of all the declarations that reach a number, where their parts cannot be told apart."""
        return (Cause(self.ids(chain(*answer.players)), to_text(whole)),)

    def _other_tool(self) -> bool:
        a, b = self.pairs.a.doc, self.pairs.b.doc
        return (a.tool_version, a.tool_sha256) != (b.tool_version, b.tool_sha256)

    def _leaves(self, players: Iterable[int], asked: Asked, mixture: Mixture) -> tuple[str, ...]:
        """The facts of declarations that a number depends on."""
        places = [place for player in players for place in self._places_of[player]]
        if not any(self._facts[place] for place in places):
            return ()
        _, masks, bits = self._masked(mixture)
        reached = masks[asked.plus] | (masks[asked.minus] if asked.minus is not None else 0)
        return tuple(
            dict.fromkeys(
                name for at, (owner, name) in enumerate(bits) if owner in places and reached >> at & 1
            )
        )

    def _masked(self, mixture: Mixture) -> tuple[Mixture, list[int], list[tuple[int, str]]]:
        """For every node the facts below it, as a bit mask."""
        if self._fact_masks is None or self._fact_masks[0] is not mixture:
            bits: list[tuple[int, str]] = []
            starts: dict[int, int] = {}
            for place, facts in enumerate(self._facts):
                for fact in facts:
                    for node in self._nodes_of(fact, mixture):
                        starts[node] = starts.get(node, 0) | 1 << len(bits)
                        bits.append((place, fact.name))
            self._fact_masks = (mixture, mixture.spread(starts), bits)
        return self._fact_masks

    def _nodes_of(self, fact: FactChange, mixture: Mixture) -> Iterable[int]:
        a, b, node_of = self.pairs.a, self.pairs.b, mixture.taped.node_of
        for letter, side, address in (("a", a, fact.before_address), ("b", b, fact.after_address)):
            quantity = side.found.get(address) if address is not None else None
            if quantity is not None:
                keys = [
                    (letter, quantity.address, ""),
                    *(("=", name) for name in side.names[quantity.address]),
                ]
                yield from (node_of[key] for key in keys if key in node_of)

    def documents(self, failed: tuple[bool, bool]) -> tuple[DeclarationChange, ...]:
        """The declarations as a document lists them: those that moved a number, or say something else than before. With
        errors on a side (`failed`), what refers to what is missing there looks edited, and says the same; what could not be
        read there did not come or go."""
        found = [
            said
            for place, (blamed, facts) in enumerate(zip(self.blamed, self._facts, strict=True))
            for said in [_document(self.id(place), blamed, facts, self._origins)]
            if said.facts or said.before != said.after or said.id in self._caused
            if said.id in self._caused or not _is_unread(said, failed)
        ]
        if self.tool:
            said = self.pairs.a.doc.tool_version, self.pairs.b.doc.tool_version
            found.append(DeclarationChange(TOOL, "capwright", "tool", "tool", *said, "", "", ()))
        return tuple(found)


def _is_unread(said: DeclarationChange, failed: tuple[bool, bool]) -> bool:
    return (failed[0] and said.before is None) or (failed[1] and said.after is None)


def _switched(players: list[int], leaves: list[Tree]) -> Tree:
    """One formula of those for every state of some players: that of the first of them changes last."""
    if not players:
        return leaves[0]
    half = len(leaves) // 2
    before, after = _switched(players[1:], leaves[:half]), _switched(players[1:], leaves[half:])
    return before if before == after else {"op": "select", "player": players[0], "args": [before, after]}


def _document(id: str, blamed: Blamed, facts: tuple[FactChange, ...], origins: Origins) -> DeclarationChange:
    said = told_apart(blamed.before, blamed.after, origins.families)
    places = ["" if each is None else place_of(each) for each in (blamed.before, blamed.after)]
    return DeclarationChange(
        id,
        blamed.address,
        blamed.sort,
        origins.of(blamed, places),
        said[0],
        said[1],
        places[0],
        places[1],
        facts,
    )


def _facts(pairs: Pairs, tops: list[tuple[str, str, str]], needed: set[str]) -> tuple[FactChange, ...]:
    """The leaf facts below what a setting refers to that differ, and those that are needed where one side lacks them."""
    ours: dict[str, tuple[str, Quantity]] = {}
    theirs: dict[str, tuple[str, Quantity]] = {}
    for before, after, path in tops:
        ours.update(_below(pairs.a, before, path))
        theirs.update(_below(pairs.b, after, path))
    return tuple(
        FactChange(
            name, one[0] if one else None, two[0] if two else None, (two or one)[1].unit,  # type: ignore[index]  # a name stands on one side at least
            _value(one), _value(two),
        )
        for name in sorted({**ours, **theirs})
        for one, two in [(ours.get(name), theirs.get(name))]
        if _value(one) != _value(two) and all(h is None or other is not None or h[1].address in needed
                                              for h, other in ((one, two), (two, one)))
    )  # fmt: skip


def _below(side: Side, top: str, path: str) -> dict[str, tuple[str, Quantity]]:
    """The facts below a path: what is not derived from others, by its name there."""
    return {
        path + rest: (name, quantity)
        for name, quantity in side.public.items()
        if (rest := under(name, top)) and quantity.provenance.sort != "derived"
    }


def _value(held: tuple[str, Quantity] | None) -> ValueDoc | None:
    if held is None:
        return None
    q = held[1]
    return ValueDoc(q.low, q.nominal, q.high, q.approximate, q.truth, None)
