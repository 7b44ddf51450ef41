"""The values of mixed documents: a graph with switches, of which only what a switch moves is computed again."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cached_property
from typing import Final

from msgspec import Struct

from capwright.base.exact import Number, norm
from capwright.base.interval import Range, as_range, ends_of
from capwright.comparison.causes import EXACT, Parts, averaged, exact_parts, sampled_orders
from capwright.document.diffdoc import Part
from capwright.document.retape import Taped
from capwright.graph.evaluate import Machine
from capwright.graph.evaluation import Evaluation
from capwright.graph.kernel_value import KernelWithin
from capwright.graph.one_way import one_way
from capwright.graph.reach import only_of
from capwright.graph.tape import SearchBody, arguments
from capwright.graph.tighten import bounds_of, nominal_difference, steps_of, tighten
from capwright.graph.verdicts import all_below

_WORK: Final = 200_000
"""Nodes that all sampled questions of one comparison may compute together, beyond the fewest orders of each."""
_TIMES: Final = 4
"""How many plans' worth of counting all states of one comparison may take together."""
_MOST_STEPS: Final = 4_000_000
"""Steps of searches and of tightening that all states may take together; a number that is asked for after that has no
parts."""
_FEWEST: Final = 2
_MOST: Final = 200


class Asked(Struct, frozen=True):
    """A number of the graph: one part of a node, or of the difference of two.

    `before` and `after` are what the two documents say of it. A document tightens the interval of whatever a plan
    names, so what is asked between the two is tightened too, unless neither document did.
    """

    plus: int
    minus: int | None
    part: Part
    before: Number
    after: Number


class Answer(Struct, frozen=True):
    """The players that reach a number, those together that move it and share a declaration; their parts (None where a
    mixed document has no such number), and what it is with all switches off and on."""

    players: tuple[tuple[int, ...], ...]
    parts: Parts | None
    ends: tuple[Number, Number] | None


Found = tuple[Number | None, bool]
"""A number, and whether it is an end that the search for it did not reach."""


class Mixture:
    """A graph with switches. `reach` has, for each node, the players it depends on as a bit mask; `declarations` are
    those of each player, by its number."""

    def __init__(self, taped: Taped, declarations: Sequence[Collection[int]]) -> None:
        self.taped = taped
        self.declarations = declarations
        self.tape = taped.tape
        self.machine = Machine(self.tape, KernelWithin(self.tape, _TIMES))
        self.spent = 0
        self.players = sorted(taped.switches)
        self.reach = self._reached()
        self._inside = {n for data in self.tape.data if isinstance(data, SearchBody) for n in data.nodes}
        self._beneath: dict[frozenset[tuple[int, int | None]], list[int]] = {}
        self.on = 0
        for switch in taped.switches.values():
            self.machine.values[switch] = 0
        self._switches = set(taped.switches.values())
        self.run(n for n in range(len(self.tape)) if n not in self._switches)

    @cached_property
    def plain(self) -> set[int]:
        """The nodes whose ends plain arithmetic gives exactly in every state: looked at once, with every switch both ways."""
        machine = Machine(self.tape, KernelWithin(self.tape))
        for switch in self._switches:
            machine.values[switch] = Range(0, None, 1)
        nodes = [n for n in range(len(self.tape)) if n not in self._switches and n not in self._inside]
        machine.run(nodes)
        return one_way(self.tape, machine.values, sorted((*nodes, *self._switches)))

    def _reached(self) -> list[int]:
        bit = {player: at for at, player in enumerate(self.players)}
        return self.spread({s: 1 << bit[player] for player, s in self.taped.switches.items()})

    def spread(self, starts: Mapping[int, int]) -> list[int]:
        """Bit masks of every node: its own in `starts` and those of all that it depends on."""
        masks = [0] * len(self.tape)
        for node in range(len(self.tape)):
            mask = starts.get(node, 0)
            for arg in arguments(self.tape, node):
                if arg >= 0:
                    mask |= masks[arg]
            masks[node] = mask
        return masks

    def run(self, nodes: Iterable[int]) -> None:
        """Compute nodes, in tape order, as the switches are now."""
        if self.spent > _MOST_STEPS:
            return
        self.machine.spent = self.machine.narrowing.spent = 0
        self.machine.faults.clear()
        self.machine.run(nodes)
        self.spent += self.machine.spent + self.machine.narrowing.spent

    def below(self, nodes: Iterable[int]) -> list[int]:
        """What nodes depend on that some player moves, in tape order."""
        found: set[int] = set()
        waiting = list(nodes)
        while waiting:
            node = waiting.pop()
            if node >= 0 and node not in found and self.reach[node]:
                found.add(node)
                waiting.extend(arguments(self.tape, node))
        return sorted(found - self._inside - self._switches)

    def answer(self, questions: Sequence[Asked]) -> list[Answer]:
        """The parts of every number. Those that the same players reach are worked out together."""
        groups: dict[int, list[int]] = {}
        for number, asked in enumerate(questions):
            mask = self.reach[asked.plus] | (self.reach[asked.minus] if asked.minus is not None else 0)
            groups.setdefault(mask, []).append(number)
        found: dict[int, Answer] = {}
        work = _WORK // max(1, sum(mask.bit_count() > EXACT for mask in groups))
        for mask, numbers in groups.items():
            bits = [at for at in range(len(self.players)) if mask >> at & 1]
            together = _Together(self, [questions[n] for n in numbers], bits, work)
            found.update(zip(numbers, together.answers(), strict=True))
        return [found[number] for number in range(len(questions))]

    def switch(self, bits: int, cones: Mapping[int, list[int]]) -> None:
        """Set the switches as `bits` says, and compute what moves in the given cones."""
        changed = self.on ^ bits
        if not changed:
            return
        self.on = bits
        moved: list[int] = []
        many = changed & (changed - 1)
        for at in range(changed.bit_length()):
            if changed >> at & 1:
                self.machine.values[self.taped.switches[self.players[at]]] = bits >> at & 1
                moved += cones.get(at, ())
        self.run(sorted(set(moved)) if many else moved)

    def turn_on(self, bit: int, cones: Mapping[int, list[int]]) -> None:
        """Turn one more switch on."""
        self.on |= 1 << bit
        self.machine.values[self.taped.switches[self.players[bit]]] = 1
        self.run(cones[bit])

    def values(self, questions: Sequence[Asked], tight: Sequence[bool]) -> list[Found]:
        """The asked numbers as the switches are now. Those that need more than plain arithmetic look at the graph once."""
        if self.spent > _MOST_STEPS:
            return [(None, False)] * len(questions)
        ranged = [self._is_ranged(*both) for both in zip(questions, tight, strict=True)]
        evaluation = Evaluation(self.machine.values, [], self.machine.narrowing.upon)
        if any(ranged):
            asked = [one for one, looked_at in zip(questions, ranged, strict=True) if looked_at]
            only_of(self.tape, evaluation, self._under(frozenset((one.plus, one.minus) for one in asked)))
        found = [
            self._tightened(one, evaluation) if looked_at else (self._plain(one), False)
            for one, looked_at in zip(questions, ranged, strict=True)
        ]
        self.spent += steps_of(self.tape, evaluation)
        return found

    def _is_ranged(self, asked: Asked, tight: bool) -> bool:
        """Whether plain arithmetic may not do for a number: for a difference, and for an interval that is to be tight."""
        held = [self.machine.values[n] for n in (asked.plus, asked.minus) if n is not None]
        if any(value is None for value in held):
            return False
        if asked.part == "nominal":
            # One may be known all the same: of what comes to one number whatever is below it.
            return tight and any(as_range(value).nominal is None for value in held if value is not None)
        return asked.minus is not None or (
            tight and isinstance(held[0], Range) and asked.plus not in self.plain
        )

    def _plain(self, asked: Asked) -> Number | None:
        held = [self.machine.values[n] for n in (asked.plus, asked.minus) if n is not None]
        if any(value is None for value in held):
            return None
        if asked.part == "nominal":
            nominal = [as_range(value).nominal for value in held if value is not None]
            if any(n is None for n in nominal):
                return None
            return nominal[0] if len(nominal) == 1 else nominal[0] - nominal[1]  # type: ignore[operator]  # neither is None
        return ends_of(held[0])[0 if asked.part == "low" else 1]  # type: ignore[arg-type]  # a value that is missing was answered above

    def _tightened(self, asked: Asked, evaluation: Evaluation) -> Found:
        if asked.minus is not None and asked.part == "nominal":
            return nominal_difference(self.tape, evaluation, asked.plus, asked.minus), False
        if asked.minus is not None:
            bounds = bounds_of(self.tape, evaluation, (asked.plus, asked.minus))
            return bounds.between[0 if asked.part == "low" else 1], bounds.loose
        tight = tighten(self.tape, evaluation, asked.plus)
        return getattr(tight.value, asked.part), tight.loose and asked.part != "nominal"

    def _under(self, targets: frozenset[tuple[int, int | None]]) -> list[int]:
        """What some numbers are made of, in tape order: a small part of a graph that is asked in many states."""
        if targets not in self._beneath:
            below = [all_below(self.tape, node) for target in targets for node in target if node is not None]
            self._beneath[targets] = sorted(set().union(*below))
        return self._beneath[targets]

    def joined(self, bits: Iterable[int]) -> list[tuple[int, ...]]:
        """Switches in groups that share no declaration."""
        found: list[tuple[tuple[int, ...], set[int]]] = []
        for bit in bits:
            own = set(self.declarations[self.players[bit]])
            meeting = [group for group in found if not own.isdisjoint(group[1])]
            found = [group for group in found if own.isdisjoint(group[1])]
            members = (*(each for group, _ in meeting for each in group), bit)
            found.append((members, own.union(*(held for _, held in meeting))))
        return [members for members, _ in found]


class _Together:
    """Numbers asked of a mixture, for every coalition of the players that reach them all."""

    def __init__(self, mixture: Mixture, asked: list[Asked], bits: list[int], work: int) -> None:
        self.mixture = mixture
        self.asked = asked
        self.cone = mixture.below(n for each in asked for n in (each.plus, each.minus) if n is not None)
        self.cones = {at: [n for n in self.cone if mixture.reach[n] >> at & 1] for at in bits}
        # In the order in which coalitions are visited the first switch moves most often: the one that moves least.
        self.order = sorted(bits, key=lambda at: len(self.cones[at]))
        self.shared = len(mixture.joined(bits)) < len(bits)
        self.tight = [True] * len(asked)
        self.sure = [False] * len(asked)
        self.work = work
        self._known: dict[int, list[Found]] = {}
        mixture.switch(0, {})
        mixture.run(self.cone)

    def answers(self) -> list[Answer]:
        """The answer to each."""
        full = (1 << len(self.order)) - 1
        said = [(asked.before, asked.after) for asked in self.asked]
        found = list(zip(self._at(0), self._at(full), strict=True))
        if found != said:
            # Where there was too much for a document to tighten, or an older one did not, it has what plain arithmetic gives.
            self.tight = [False] * len(self.asked)
            self._known.clear()
            plain = list(zip(self._at(0), self._at(full), strict=True))
            self.tight = [
                one == two or other != two for one, other, two in zip(found, plain, said, strict=True)
            ]
            self._known.clear()
        first, last = self._at(0), self._at(full)
        sampled = self._sampled() if len(self.order) > EXACT else None
        if sampled is None:
            # Parts of ends that are reached are no matter of how far a search came in the states between them.
            ends = zip(self._known[0], self._known[full], strict=True)
            self.sure = [not (one[1] or two[1]) for one, two in ends]
        alone: list[tuple[int, ...]] = [(place,) for place in range(len(self.order))]
        answers: list[Answer] = []
        for at, (low, high) in enumerate(zip(first, last, strict=True)):
            if low is None or high is None:
                answers.append(Answer(self._players(alone), None, None))
                continue
            parts = self._alone(at) if sampled is None else sampled[at]
            groups = self._groups(at, parts) if self.shared and parts is not None else alone
            if len(groups) < len(alone) and parts is not None:
                parts = self._grouped(at, groups) if sampled is None else _added(parts, groups)
            answers.append(Answer(self._players(groups), parts, (low, high)))
        return answers

    def _players(self, groups: Iterable[tuple[int, ...]]) -> tuple[tuple[int, ...], ...]:
        return tuple(tuple(self.mixture.players[self.order[place]] for place in group) for group in groups)

    def _alone(self, at: int) -> Parts | None:
        return exact_parts(len(self.order), lambda coalition: self._at(coalition)[at])

    def _groups(self, at: int, parts: Parts) -> list[tuple[int, ...]]:
        """The places of players that move a number, those together that share a declaration: one that is told alone and
        with another would else be on two sides at once."""
        places = range(len(self.order))
        if parts.orders:
            moving = [place for place in places if parts.shares[place] or parts.errors[place]]
        else:
            every = range(1 << len(self.order))
            moving = [p for p in places if any(self._at(c)[at] != self._at(c ^ 1 << p)[at] for c in every)]
        place_of = {bit: place for place, bit in enumerate(self.order)}
        groups = self.mixture.joined(self.order[place] for place in moving)
        return [tuple(place_of[bit] for bit in group) for group in groups]

    def _grouped(self, at: int, groups: list[tuple[int, ...]]) -> Parts | None:
        def value(coalition: int) -> Number | None:
            return self._at(sum(1 << p for i, g in enumerate(groups) if coalition >> i & 1 for p in g))[at]

        return exact_parts(len(groups), value)

    def _sampled(self) -> list[Parts | None]:
        """Parts of all of them, from the same sampled orders."""
        tightened = any(
            tight and one.minus is None and one.part != "nominal" and one.plus not in self.mixture.plain
            for one, tight in zip(self.asked, self.tight, strict=True)
        )
        cost = (sum(map(len, self.cones.values())) + 1) * (50 if tightened else 1)
        orders = max(_FEWEST, min(_MOST, self.work // cost) // 2 * 2)
        rows: list[list[list[Number]] | None] = [[] for _ in self.asked]
        for order in sampled_orders(len(self.order), orders):
            self._walk(order, rows)
        return [None if row is None else averaged(row) for row in rows]

    def _walk(self, order: list[int], rows: list[list[list[Number]] | None]) -> None:
        """Let players join in one order, and note what each of them adds."""
        mixture = self.mixture
        mixture.switch(0, self.cones)
        added: list[list[Number] | None] = [[0] * len(order) for _ in self.asked]
        before = self._read()
        for player in order:
            mixture.turn_on(self.order[player], self.cones)
            after = self._read()
            for at, (one, two) in enumerate(zip(before, after, strict=True)):
                row = added[at]
                if row is None or one is None or two is None:
                    added[at] = None
                elif one is not two:
                    row[player] = two - one
            before = after
        for at, row in enumerate(added):
            held = rows[at]
            if row is None or held is None:
                rows[at] = None
            else:
                held.append(row)

    def _at(self, coalition: int) -> list[Number | None]:
        known = self._known.get(coalition)
        if known is None:
            bits = sum(1 << at for i, at in enumerate(self.order) if coalition >> i & 1)
            self.mixture.switch(bits, self.cones)
            known = self._known[coalition] = self.mixture.values(self.asked, self.tight)
        return [
            None if sure and loose else number for sure, (number, loose) in zip(self.sure, known, strict=True)
        ]

    def _read(self) -> list[Number | None]:
        return [number for number, _ in self.mixture.values(self.asked, self.tight)]


def _added(parts: Parts, groups: list[tuple[int, ...]]) -> Parts:
    """Sampled parts of groups: what their members have together, and no more than their errors together."""
    shares = tuple(norm(sum(parts.shares[place] for place in group)) for group in groups)
    errors = tuple(norm(sum(parts.errors[place] or 0 for place in group)) for group in groups)
    return Parts(shares, errors, parts.orders)
