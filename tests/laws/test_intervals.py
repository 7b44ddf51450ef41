"""Laws of evaluation, tightening and verdicts, on random tapes against exact samples."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from capwright.base.interval import Range, as_range
from capwright.graph.one_way import one_way
from capwright.graph.reach import reach_of
from capwright.graph.slopes import Sweep
from capwright.graph.tape import OPEN, Tape
from capwright.graph.tighten import tighten
from capwright.graph.verdicts import judge
from tests.support.tapes import Assignment, Inadmissible, Writer

LAW = settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))

numbers = st.sampled_from([Fraction(n, d) for n in (0, 1, 2, 3, 5, 8, 13) for d in (1, 2, 3)])
signed = st.builds(lambda n, sign: n * sign, numbers, st.sampled_from([1, 1, 1, -1]))
shares = st.sampled_from([Fraction(n, 4) for n in range(5)])
SMOOTH = ["add", "sub", "mul", "div", "neg", "pow"]
STEPPED = ["min", "max", "ceil", "floor", "if", "mod"]
NAMED = ["=", "=", ">=", "<=", "~", "share", "effective"]


@dataclass
class Plan:
    tape: Tape
    sources: list[int]

    def sample(self, found) -> list[Fraction | None]:
        return Assignment(self.tape, dict(zip(self.sources, found, strict=False))).values()


def _uncertain(draw, writer: Writer, name: str) -> int:
    low, width, at = draw(signed), draw(numbers), draw(shares)
    domain = (None, None) if low < 0 else (0, None)
    if draw(st.integers(0, 5)) == 0:
        return writer.assume(name, low + at, low, None, domain=domain)
    return writer.assume(name, low + width * at, low, low + width, domain=domain)


def _named(draw, writer: Writer, root: int, name: str) -> int:
    relation = draw(st.sampled_from(NAMED))
    if relation == "share":
        return writer.bind(name, root, domain=(0, 1))
    if relation == "effective":
        low, width = draw(numbers), draw(numbers)
        measured = writer.measured(low, low + width / 2, low + width)
        return writer.op("effective", root, measured, data=name)
    domain = draw(st.sampled_from([(0, None), (0, None), (None, None), (0, 20)]))
    return writer.bind(name, root, relation, domain=domain)


def _operation(draw, writer: Writer, nodes: list[int], ops: list[str]) -> int:
    pick = st.sampled_from(nodes)
    op = draw(st.sampled_from(ops))
    a, b, c = draw(pick), draw(pick), draw(pick)
    if op == "pow":
        return writer.op("pow", a, data=draw(st.sampled_from([2, 3, -1, 1])))
    if op in ("ceil", "floor"):
        return writer.op(op, a, data=draw(st.sampled_from([1, 2, Fraction(1, 2)])))
    if op == "neg":
        return writer.op("neg", a)
    if op == "if":
        compare = writer.op(draw(st.sampled_from(["lt", "le", "eq", "ne"])), a, b)
        other = writer.op(draw(st.sampled_from(["lt", "le"])), b, c)
        joined = writer.op(draw(st.sampled_from(["and", "or"])), compare, other)
        condition = draw(st.sampled_from([compare, joined, writer.op("not", compare)]))
        return writer.op("if", condition, b, c)
    return writer.op(op, a, b)


@st.composite
def plans(draw, ops=tuple(SMOOTH + STEPPED), named=True):
    writer = Writer()
    nodes = [_uncertain(draw, writer, f"s{i}") for i in range(draw(st.integers(1, 3)))]
    nodes.append(writer.const(draw(signed)))
    for i in range(draw(st.integers(1, 9))):
        if named and draw(st.integers(0, 3)) == 0:
            nodes.append(_named(draw, writer, draw(st.sampled_from(nodes)), f"q{i}"))
        else:
            nodes.append(_operation(draw, writer, nodes, list(ops)))
    return Plan(writer.tape, [node for node in range(len(writer.tape)) if _is_free(writer.tape, node)])


def _is_free(tape: Tape, node: int) -> bool:
    data = tape.data[node]
    if tape.ops[node] == "const":
        return isinstance(data.value, Range)
    return tape.ops[node] == "source" or getattr(data, "relation", "=") in (">=", "<=", "~")


def samples(plan: Plan, chosen) -> list[list[Fraction | None]]:
    found = []
    for assignment in chosen:
        try:
            found.append(plan.sample(assignment))
        except Inadmissible:
            continue
    return found


def read(plan: Plan, values, evaluation) -> bool:
    """Whether a sample agrees with every measurement that is read (what contradicts it is no case)."""
    for node, op in enumerate(plan.tape.ops):
        if op == "effective" and evaluation.values[node] is not None:
            measured = evaluation.values[plan.tape.args[node][1]]
            derived = evaluation.values[plan.tape.args[node][0]]
            if derived is None and values[node] != values[plan.tape.args[node][1]]:
                return False  # the measurement alone is read
            if derived is not None and not _meets(derived, measured):
                continue
            if values[node] is not None and not holds(measured, values[node]):
                return False
    return True


def _meets(a, b) -> bool:
    a, b = as_range(a), as_range(b)
    return not (
        (a.high is not None and b.low is not None and a.high < b.low)
        or (b.high is not None and a.low is not None and b.high < a.low)
    )


def holds(value, number) -> bool:
    value = as_range(value)
    return (value.low is None or value.low <= number) and (value.high is None or number <= value.high)


assignments = st.lists(st.lists(shares, min_size=12, max_size=12), min_size=6, max_size=12)


@LAW
@given(plans())
def test_where_every_source_pulls_one_way_nothing_is_left_to_tighten(plan):
    """Tightening looks for as long as it may, and finds what plain arithmetic has."""
    evaluation = Writer(plan.tape).evaluate()
    for node in one_way(plan.tape, evaluation.values, range(len(plan.tape))):
        value = evaluation.values[node]
        if value is not None:
            found, held = tighten(plan.tape, evaluation, node).value, as_range(value)
            assert (found.low, found.high) == (held.low, held.high)


def test_a_source_that_pulls_both_ways_is_told_from_one_that_pulls_one_way():
    """Also below a product whose other factor may be below zero, where neither way is known."""
    writer = Writer()
    u, v = writer.assume("u", 2, 1, 3), writer.assume("v", 0, -1, 1, domain=(None, None))
    half = writer.op("div", u, 2)
    same = writer.op("max", writer.op("add", u, half), writer.op("mul", u, u))
    opposed = writer.op("sub", u, half)
    unknown = writer.op("add", writer.op("mul", u, v), u)
    found = one_way(writer.tape, writer.evaluate().values, range(len(writer.tape)))
    assert [node in found for node in (same, opposed, unknown)] == [True, False, False]


@LAW
@given(plans(), assignments)
def test_every_sample_lies_in_its_interval(plan, chosen):
    evaluation = evaluated(plan)
    for values in samples(plan, chosen):
        if not read(plan, values, evaluation):
            continue
        for node, value in enumerate(evaluation.values):
            if value is not None and values[node] is not None:
                assert holds(value, values[node]), (node, value, values[node])


@LAW
@given(plans(), assignments)
def test_tightened_is_inside_the_plain_interval_and_still_holds_every_sample(plan, chosen):
    evaluation = evaluated(plan)
    sampled = [values for values in samples(plan, chosen) if read(plan, values, evaluation)]
    for node, value in enumerate(evaluation.values):
        if isinstance(value, Range):
            tight = tighten(plan.tape, evaluation, node).value
            assert value.low is None or value.low <= tight.low
            assert value.high is None or value.high >= tight.high
            for values in sampled:
                assert values[node] is None or holds(tight, values[node]), (node, value, tight, values[node])


FOLLOWED = tuple(op for op in SMOOTH + STEPPED if op != "mod")


@LAW
@given(
    plans(ops=FOLLOWED),
    st.lists(st.lists(shares, min_size=12, max_size=12), min_size=3, max_size=3),
    st.data(),
)
def test_every_difference_quotient_lies_in_its_slope(plan, chosen, data):
    evaluation = evaluated(plan)
    reach = reach_of(plan.tape, evaluation)
    free = [node for node in plan.sources if node in reach.own]
    assume(free)
    moved = data.draw(st.sampled_from(free))
    first, second, base = (dict(zip(plan.sources, found, strict=False)) for found in chosen)
    low = {node: min(first[node], second[node], base[node]) for node in plan.sources}
    high = {node: max(first[node], second[node], base[node]) for node in plan.sources}
    one, other = base | {moved: low[moved]}, base | {moved: high[moved]}
    sampled = samples(plan, [[found[node] for node in plan.sources] for found in (one, other)])
    assume(len(sampled) == 2 and all(read(plan, values, evaluation) for values in sampled))
    sweep = Sweep(plan.tape, evaluation.values, {}, evaluation.narrowed)
    sweep.box = {
        node: tuple(coordinate_at(sweep, node, share) for share in (low[node], high[node])) for node in free
    }
    step = sweep.box[moved][1] - sweep.box[moved][0]
    assume(step != 0)
    sweep.run(reach.active)
    for node in reach.active:
        x, y = sampled[0][node], sampled[1][node]
        if x is not None and y is not None:
            quotient, slope = (y - x) / step, sweep.slopes[node].get(moved, (0, 0))
            assert holds(Range(slope[0], None, slope[1]), quotient), (node, plan.tape.ops[node])
            assert holds(Range(sweep.ends[node][0], None, sweep.ends[node][1]), x)


def coordinate_at(sweep: Sweep, node: int, share: Fraction) -> Fraction:
    low, high = sweep.full_interval(node)
    if getattr(sweep._tape.data[node], "relation", "") == "~":
        low = sweep._tape.data[
            node
        ].low  # an estimate below its domain has no low end, and is sampled within it
    low = Fraction(-10_000 if low is None else low)
    return low + share * (Fraction(low + 10_000 if high is None else high) - low)


@LAW
@given(plans(ops=("add", "sub", "mul", "min", "max"), named=False), assignments)
def test_an_end_that_is_not_loose_is_reached_at_a_corner_or_beyond_all_samples(plan, chosen):
    evaluation = evaluated(plan)
    node = len(plan.tape) - 1
    value = evaluation.values[node]
    assume(isinstance(value, Range) and value.low is not None and value.high is not None)
    tight = tighten(plan.tape, evaluation, node)
    assume(not tight.loose)
    corners = corner_values(plan, node)
    assume(corners is not None)
    # Bilinear pieces have their extremes at corners, squares and cuts may have them inside.
    fine = [values[node] for values in samples(plan, chosen)]
    assert tight.value.low <= min(corners + fine)
    assert tight.value.high >= max(corners + fine)
    if "mul" not in plan.tape.ops:
        assert_reached(plan, node, tight)


def corner_values(plan: Plan, node: int):
    if len(plan.sources) > 4:
        return None
    found = []
    for bits in range(2 ** len(plan.sources)):
        shares = [Fraction(bits >> i & 1) for i in range(len(plan.sources))]
        found.append(plan.sample(shares)[node])
    return found


def assert_reached(plan: Plan, node: int, tight) -> None:
    steps = 24 if len(plan.sources) == 1 else 12 if len(plan.sources) == 2 else 6
    grid = [[]]
    for _ in plan.sources:
        grid = [[*point, Fraction(i, steps)] for point in grid for i in range(steps + 1)]
    found = [plan.sample(point)[node] for point in grid]
    slack = (max(found) - min(found)) / 2 + 1
    assert min(found) - tight.value.low <= slack
    assert tight.value.high - max(found) <= slack


@LAW
@given(plans(), assignments, st.sampled_from(["<=", "<", ">=", ">", "==", "!="]))
def test_a_verdict_speaks_for_every_sample(plan, chosen, comparison):
    evaluation = evaluated(plan)
    left, right = len(plan.tape) - 1, len(plan.tape) - 2
    verdict = judge(plan.tape, evaluation, left, right, comparison)
    assume(verdict is not None and verdict.status != "not established")
    for values in samples(plan, chosen):
        if values[left] is None or values[right] is None or not read(plan, values, evaluation):
            continue
        met = {
            "<=": values[left] <= values[right],
            "<": values[left] < values[right],
            ">=": values[left] >= values[right],
            ">": values[left] > values[right],
            "==": values[left] == values[right],
            "!=": values[left] != values[right],
        }[comparison]
        assert met == (verdict.status == "holds")


@LAW
@given(plans())
def test_the_nominal_value_is_the_value_at_the_nominal_sources(plan):
    evaluation = evaluated(plan)
    at = [nominal_share(plan.tape, evaluation, node) for node in plan.sources]
    assume(None not in at)
    try:
        values = plan.sample(at)
    except Inadmissible:
        return
    if "effective" in plan.tape.ops or any(_relation(plan.tape, node) != "=" for node in plan.sources):
        return
    for node, value in enumerate(evaluation.values):
        if isinstance(value, Range) and value.nominal is not None:
            assert value.nominal == values[node]


@LAW
@given(plans())
def test_a_nominal_value_lies_in_its_interval(plan):
    evaluation = evaluated(plan)
    for node, value in enumerate(evaluation.values):
        if isinstance(value, Range) and value.nominal is not None:
            assert holds(value, value.nominal), (node, plan.tape.ops[node], value)


def _relation(tape: Tape, node: int) -> str:
    return getattr(tape.data[node], "relation", "=").replace("assume", "=")


def nominal_share(tape: Tape, evaluation, node: int):
    value = as_range(evaluation.values[node]) if evaluation.values[node] is not None else None
    if value is None or value.nominal is None or value.low is None:
        return None
    room = (value.low + 10_000 if value.high is None else value.high) - value.low
    return Fraction(0) if room == 0 else Fraction(value.nominal - value.low) / Fraction(room)


@LAW
@given(plans(), st.randoms(use_true_random=False))
def test_evaluation_does_not_depend_on_the_order_of_emission(plan, random):
    evaluation = evaluated(plan)
    order = reordered(plan.tape, random)
    moved = Tape()
    place: dict[int, int] = {}
    for node in order:
        tape = plan.tape
        args = tuple(arg if arg == OPEN else place[arg] for arg in tape.args[node])
        place[node] = moved.emit(tape.ops[node], args, tape.dims[node], tape.spans[node], tape.data[node])
    again = evaluated(Plan(moved, []))
    assert [again.values[place[node]] for node in range(len(plan.tape))] == evaluation.values
    assert {(place[f.node], f.code) for f in evaluation.faults} == {(f.node, f.code) for f in again.faults}


def reordered(tape: Tape, random) -> list[int]:
    """A random order in which arguments still come before their users."""
    waiting = {node: {arg for arg in tape.args[node] if arg != OPEN} for node in range(len(tape))}
    order: list[int] = []
    while waiting:
        node = random.choice(sorted(node for node, needs in waiting.items() if needs <= set(order)))
        order.append(node)
        del waiting[node]
    return order


def evaluated(plan: Plan):
    writer = Writer(plan.tape)
    return writer.evaluate()
