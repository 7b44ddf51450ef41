"""Which uncertainties reach which node.

A *coordinate* is one independent uncertainty: an assumed range, the slack of a bound, an estimate, a measured
range, or the value of an operation that is not looked into (a primitive, a search). Every ranged value is a
function of the coordinates that reach it. Where each reaches it once, plain interval arithmetic is exact.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from typing import Final, cast

from msgspec import Struct, field

from capwright.base import ends
from capwright.base.interval import Range, Value, contenders, ends_of
from capwright.graph.evaluation import Evaluation
from capwright.graph.tape import BindInfo, CallInfo, SearchBody, SourceInfo, Tape, decided_by, leaned_on

OPAQUE: Final = frozenset({"kernel", "search", "mod", "divides"})
"""Operations whose slopes are not followed."""

_DECIDING: Final = frozenset(
    {"if", "ceil", "floor", "mod", "divides", "lt", "le", "eq", "ne", "and", "or", "not", "search",
     "kernel", "bind", "call", "effective"}
)  # fmt: skip
"""Operations whose value a range may decide without moving it. A product with zero has nothing of the other factor, and
`min` and `max` nothing of what others rule out."""

_MANY: Final = 512
"""More coordinates than this are not listed beside a node; they are walked to when asked for."""


class Reach(Struct):
    """For each ranged node: the arguments that matter, the coordinates that reach it, and whether each does so
    once. A coordinate set is None where it is too long to keep. `rough` are opaque nodes that are not exact."""

    active: dict[int, tuple[int, ...]] = field(default_factory=dict)
    coordinates: dict[int, frozenset[int] | None] = field(default_factory=dict)
    once: set[int] = field(default_factory=set)
    rough: set[int] = field(default_factory=set)
    own: set[int] = field(default_factory=set)
    """Nodes that are coordinates themselves."""
    told: dict[int, frozenset[int] | None] = field(default_factory=dict)
    """For nodes above a quantity whose range a measurement decides: the coordinates without those below that alone."""
    settled: dict[int, frozenset[int] | None] = field(default_factory=dict)
    """For nodes whose value some ranges decide without moving it: the coordinates of these. `if u > 2 then 10 else 1` is
    10 for as long as `u` stays in its range. None where they are too many to keep."""
    settling: dict[int, tuple[tuple[int, ...], tuple[int, ...]]] = field(default_factory=dict)
    """For these nodes the ranged arguments that decide them, and what else they need that others decide. What only
    hands on another's has its entry."""


def reach_of(tape: Tape, evaluation: Evaluation) -> Reach:
    """The reach of every ranged node, worked out once for an evaluation."""
    found = evaluation.memo.get("reach")
    if found is None:
        found = evaluation.memo["reach"] = _explore(tape, evaluation.values, range(len(evaluation.values)))
    return cast("Reach", found)


def is_rough(tape: Tape, evaluation: Evaluation, node: int) -> bool:
    """Whether something of which only a wide range is known reaches a ranged node, or too much for that to be told."""
    reach = reach_of(tape, evaluation)
    coordinates = reach.coordinates[node]
    return coordinates is None or not reach.rough.isdisjoint(coordinates)


def only_of(tape: Tape, evaluation: Evaluation, nodes: Iterable[int]) -> None:
    """Say that of an evaluation only some nodes are ever asked for: these, in tape order, with all below them."""
    evaluation.memo["reach"] = _explore(tape, evaluation.values, nodes)


def _explore(tape: Tape, values: Sequence[Value | None], nodes: Iterable[int]) -> Reach:
    reach = Reach()
    ranged, settled = reach.active, reach.settled
    for node in nodes:
        if type(values[node]) is Range:
            _place(tape, values, reach, node)
        if not ranged:
            continue
        for arg in leaned_on(tape, node):
            if arg in ranged or arg in settled:
                _settle(tape, values, reach, node)
                break
    return reach


def _settle(tape: Tape, values: Sequence[Value | None], reach: Reach, node: int) -> None:
    decided = decided_by(tape, node)
    ranged, settled = reach.active, reach.settled
    needed = _needed(tape, values, node)
    absorbed: tuple[int, ...] = ()
    if tape.ops[node] in _DECIDING:
        active = ranged.get(node, ())
        absorbed = tuple(arg for arg in needed if arg in ranged and arg not in active)
    inner = tuple(dict.fromkeys(arg for arg in (*needed, *decided) if arg in settled))
    if not absorbed and len(inner) <= 1:
        for arg in inner:
            settled[node], reach.settling[node] = settled[arg], reach.settling[arg]
        return
    reach.settling[node] = (absorbed, inner)
    found = [_leaned_on(reach, arg) for arg in absorbed]
    found += [settled[arg] for arg in inner]
    known = [part for part in found if part is not None]
    union = frozenset[int]().union(*known)
    settled[node] = None if len(known) < len(found) or len(union) > _MANY else union


def _needed(tape: Tape, values: Sequence[Value | None], node: int) -> tuple[int, ...]:
    """The arguments without which a node would not have the value that it has: of an `if` the condition and the branch
    that is taken, of `and` the truth that is false, of a product the factor that is zero."""
    op, args, data = tape.ops[node], tape.args[node], tape.data[node]
    match op:
        case "if":
            condition = values[args[0]]
            if condition is not None and type(condition) is not Range:
                return (args[0], args[1] if condition else args[2])
        case "and" | "or" | "mul":
            decides = 1 if op == "or" else 0
            for arg in args:
                if type(values[arg]) is not Range and values[arg] == decides:
                    return (arg,)
        case "effective":
            if measurement_decides(tape, values, node):
                return args[1:]
        case "search":
            return (*args, *_outer_arguments(tape, cast("SearchBody", data)))
        case _:
            if isinstance(data, BindInfo | CallInfo) and data.relation == "~":
                return ()
    return tuple(arg for arg in args if arg >= 0)


def settling(tape: Tape, evaluation: Evaluation, nodes: Iterable[int]) -> frozenset[int]:
    """The coordinates whose ranges decide the values of some nodes without moving them."""
    reach = reach_of(tape, evaluation)
    if not reach.settled:
        return frozenset()
    listed = [reach.settled[node] for node in nodes if node in reach.settled]
    known = [each for each in listed if each is not None]
    if len(known) < len(listed):
        return frozenset(_walk_settling(reach, nodes))
    return frozenset[int]().union(*known)


def _walk_settling(reach: Reach, nodes: Iterable[int]) -> set[int]:
    found: set[int] = set()
    many: list[int] = []
    seen: set[int] = set()
    waiting = [node for node in nodes if node in reach.settled]
    while waiting:
        node = waiting.pop()
        if node in seen:
            continue
        seen.add(node)
        held = reach.settled[node]
        if held is not None:
            found |= held
            continue
        absorbed, inner = reach.settling[node]
        waiting += inner
        for arg in absorbed:
            part = _leaned_on(reach, arg)
            if part is None:
                many.append(arg)
            else:
                found |= part
    return found | walk_coordinates(reach, many) if many else found


def _place(tape: Tape, values: Sequence[Value | None], reach: Reach, node: int) -> None:
    op = tape.ops[node]
    active = active_arguments(tape, values, node)
    reach.active[node] = active
    if op in OPAQUE:
        _, once = _joined(reach, active)
        if op != "kernel" and not (op == "search" and once):
            reach.rough.add(node)
    if op in OPAQUE or op == "source" or not active:
        reach.own.add(node)
        reach.coordinates[node] = frozenset((node,))
        reach.once.add(node)
        return
    below, once = _joined(reach, active)
    if is_bound(tape, node):
        reach.own.add(node)
        below = None if below is None else below | {node}
    reach.coordinates[node] = below
    if once:
        reach.once.add(node)
    _tell(reach, node, _read_alone(tape, values, node, active))


def _leaned_on(reach: Reach, node: int) -> frozenset[int] | None:
    """The coordinates that a ranged node is told to lean on, None where they are too many to keep."""
    return reach.told.get(node, reach.coordinates[node])


def _tell(reach: Reach, node: int, read: tuple[int, ...]) -> None:
    if read == reach.active[node] and reach.told.keys().isdisjoint(read):
        return
    parts = [_leaned_on(reach, arg) for arg in read]
    known = [part for part in parts if part is not None]
    if len(known) < len(parts):
        reach.told[node] = None
        return
    own = frozenset((node,)) if node in reach.own else frozenset[int]()
    reach.told[node] = own.union(*known)


def _read_alone(
    tape: Tape, values: Sequence[Value | None], node: int, active: tuple[int, ...]
) -> tuple[int, ...]:
    """The active arguments; the measurement alone, where its range lies within what was derived."""
    if tape.ops[node] != "effective" or tape.args[node][1] not in active:
        return active
    return tape.args[node][1:] if measurement_decides(tape, values, node) else active


def measurement_decides(tape: Tape, values: Sequence[Value | None], node: int) -> bool:
    """Whether what is read at an `effective` node is what was measured, whatever was derived."""
    derived, measured = (values[each] for each in tape.args[node])
    if measured is None:
        return False
    return derived is None or ends.within(ends_of(measured), ends_of(derived))


def _joined(reach: Reach, active: tuple[int, ...]) -> tuple[frozenset[int] | None, bool]:
    parts = [reach.coordinates[arg] for arg in active]
    known = [part for part in parts if part is not None]
    if len(known) < len(parts):
        return None, False
    union = known[0].union(*known[1:]) if known else frozenset[int]()
    once = sum(map(len, known)) == len(union) and all(arg in reach.once for arg in active)
    return (union if len(union) <= _MANY else None), once


def is_bound(tape: Tape, node: int) -> bool:
    """Whether the node is a quantity written with `>=` or `<=`."""
    data = tape.data[node]
    return isinstance(data, BindInfo | CallInfo) and data.relation in (">=", "<=")


def active_arguments(tape: Tape, values: Sequence[Value | None], node: int) -> tuple[int, ...]:
    """The ranged arguments that the node's value depends on; a use in two places is listed twice.

    Left out are branches that are not taken, and arguments of `min` and `max` that others rule out.
    """
    op, args, data = tape.ops[node], tape.args[node], tape.data[node]
    if op == "if":
        condition = values[args[0]]
        if condition is not None and not isinstance(condition, Range):
            args = (args[1] if condition else args[2],)
    elif op in ("min", "max"):
        between = [ends_of(cast("Value", values[arg])) for arg in args]
        kept = contenders(between if op == "min" else [ends.neg(pair) for pair in between])
        args = tuple(dict.fromkeys(args[i] for i in kept))
    elif isinstance(data, BindInfo | CallInfo) and data.relation == "~":
        args = ()
    elif op == "effective":
        args = _read_of(args, values)
    elif isinstance(data, SearchBody):
        args = (*args, *_outer_arguments(tape, data))
    return tuple(arg for arg in args if arg >= 0 and type(values[arg]) is Range)


def _read_of(args: tuple[int, ...], values: Sequence[Value | None]) -> tuple[int, ...]:
    derived, measured = values[args[0]], values[args[1]]
    if derived is None:
        return args[1:]
    if measured is None or (
        type(measured) is Range and ends.meet(ends_of(derived), ends_of(measured)) is None
    ):
        return args[:1]
    return args


def _outer_arguments(tape: Tape, body: SearchBody) -> list[int]:
    inside = {*body.nodes, body.variable}
    return [arg for node in body.nodes for arg in tape.args[node] if arg not in inside]


def walk_coordinates(reach: Reach, nodes: Iterable[int]) -> set[int]:
    """All coordinates that reach any of `nodes`, with those beneath opaque ones."""
    found: set[int] = set()
    seen: set[int] = set()
    waiting = list(nodes)
    while waiting:
        node = waiting.pop()
        if node in seen:
            continue
        seen.add(node)
        if node in reach.own:
            found.add(node)
        waiting.extend(reach.active.get(node, ()))
    return found


def told(
    tape: Tape, evaluation: Evaluation, nodes: Iterable[int], moved: AbstractSet[int]
) -> AbstractSet[int]:
    """Those of the coordinates `moved` that the ranges of `nodes` lean on: none that stand only below a quantity whose
    range is that of its measurement, whatever was derived."""
    reach = reach_of(tape, evaluation)
    if not reach.told:
        return moved
    listed = [reach.told.get(node, reach.coordinates.get(node, frozenset())) for node in nodes]
    known = [each for each in listed if each is not None]
    return moved if len(known) < len(listed) else moved & frozenset[int]().union(*known)


def sources_below(tape: Tape, evaluation: Evaluation, node: int) -> tuple[str, ...]:
    """Addresses of the named sources that reach a node, as plain interval arithmetic sees it."""
    reach = reach_of(tape, evaluation)
    listed = reach.coordinates.get(node, frozenset())
    known = walk_coordinates(reach, [node]) if listed is None else listed
    return source_ids(tape, reach, told(tape, evaluation, [node], known) | settling(tape, evaluation, [node]))


def source_of(tape: Tape, coordinate: int) -> SourceInfo | None:
    """The named source that a coordinate is, None for a measurement and for an opaque operation."""
    data = tape.data[coordinate]
    if isinstance(data, BindInfo | CallInfo):
        return data.source
    return data if isinstance(data, SourceInfo) else None


def source_ids(tape: Tape, reach: Reach, coordinates: Iterable[int]) -> tuple[str, ...]:
    """Addresses of the named sources among coordinates and beneath opaque ones, each once, in tape order."""
    waiting = list(coordinates)
    opaque = [arg for node in waiting if tape.ops[node] in OPAQUE for arg in reach.active[node]]
    below = walk_coordinates(reach, opaque)
    infos = [source_of(tape, node) for node in sorted({*waiting, *below})]
    return tuple(dict.fromkeys(info.id for info in infos if info is not None))
