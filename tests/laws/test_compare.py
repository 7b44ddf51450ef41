"""Laws of the comparison: empty on itself, mirrored, blind to layout and order, and causes that add up."""

from __future__ import annotations

from fractions import Fraction
from itertools import permutations
from math import factorial

import pytest
from hypothesis import example as with_example
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from capwright.base.address import Renaming
from capwright.base.source import Source
from capwright.comparison.causes import averaged, exact_parts, sampled_orders, shapley
from capwright.comparison.compare import compare
from capwright.comparison.options import Alternatives, compare_options
from capwright.document.diffdoc import DiffDoc, Difference
from capwright.document.plandoc import PlanDoc
from capwright.document.withholding import withheld
from capwright.syntax.format import format_source
from tests.support.compared import EDITS, EXAMPLE, document, edited, example

FEW = settings(max_examples=6, deadline=None)
subsets = st.sets(st.sampled_from(sorted(EDITS)), max_size=5).map(lambda names: tuple(sorted(names)))


def differences(diff: DiffDoc) -> list[Difference]:
    return [each.change for each in (*diff.quantities, *diff.verdicts, *diff.answers)]


def test_a_document_does_not_differ_from_itself():
    diff = compare(edited(), edited())
    assert diff.empty
    assert (diff.unchanged_verdicts, diff.unchanged_answers) == (4, 16)
    assert diff.unchanged_quantities > 100


@FEW
@given(subsets)
def test_causes_add_up_to_the_difference_exactly(names):
    diff = compare(edited(), edited(*names))
    for change in differences(diff):
        if change.causes:
            assert sum(Fraction(cause.share) for cause in change.causes) == Fraction(change.difference)
        else:
            assert change.difference in (None, "0")


@FEW
@given(subsets)
@with_example(("cache", "device", "element", "letters", "prefix"))
def test_the_other_way_round_is_the_mirror(names):
    one, two = edited(), edited(*names)
    there, back = compare(one, two), compare(two, one)
    assert {q.address for q in there.quantities} == {q.address for q in back.quantities}
    opposite = {q.address: q.change for q in back.quantities}
    for quantity in there.quantities:
        mirror = opposite[quantity.address]
        if quantity.change.difference is not None:
            assert Fraction(quantity.change.difference) == -Fraction(mirror.difference)
        assert causes(quantity.change, there) == {k: -v for k, v in causes(mirror, back).items()}
    assert {e.address for e in there.added} == {e.address for e in back.removed}
    assert len(there.verdicts) == len(back.verdicts)
    answers = {(a.option, a.after.id): a for a in back.answers}
    assert {(a.option, a.after.id) for a in there.answers} == set(answers)
    for answer in there.answers:
        mirror_answer = answers[answer.option, answer.after.id]
        assert (answer.before, answer.after) == (mirror_answer.after, mirror_answer.before)
        if answer.change.difference is not None:
            assert Fraction(answer.change.difference) == -Fraction(mirror_answer.change.difference)
    assert there.unchanged_quantities == back.unchanged_quantities


COPIES = """\
entity layer {{ width : number }}
layer fat {{ width = 9 }}
layer thin {{ width = 2 }}
entity device {{ layer : layer; load : number = layer.width * 2 }}
{things}
report one.load, two.load, three.load
"""
layers = st.sampled_from(["fat", "thin"])


@st.composite
def copied_things(draw: st.DrawFn) -> str:
    """Three things in any order, each written out or made from one that stands before it."""
    lines: list[str] = []
    names: list[str] = []
    for name in draw(st.permutations(["one", "two", "three"])):
        origin = draw(st.sampled_from([None, *names]))
        own = f"layer = {draw(layers)}" if origin is None or draw(st.booleans()) else ""
        lines.append(f"device {name}{f' from {origin}' if origin else ''} {{ {own} }}")
        names.append(name)
    return COPIES.format(things="\n".join(lines))


@settings(max_examples=30, deadline=None)
@given(copied_things(), copied_things())
def test_the_mirror_of_what_became_a_copy(before, after):
    """What is told and what is blamed has the same names whichever side is a copy of which."""
    one, two = (document(text, "copies.plan") for text in (before, after))
    there, back = compare(one, two), compare(two, one)
    mirrored = {q.address: {k: -v for k, v in causes(q.change, back).items()} for q in back.quantities}
    assert {q.address: causes(q.change, there) for q in there.quantities} == mirrored
    assert {d.address: d.sort for d in there.declarations} == {d.address: d.sort for d in back.declarations}


def causes(change: Difference, diff: DiffDoc) -> dict[tuple[str, ...], Fraction]:
    named = {d.id: d.address for d in diff.declarations}
    return {tuple(named[i] for i in cause.declarations): Fraction(cause.share) for cause in change.causes}


@FEW
@given(subsets)
def test_every_cause_is_a_declaration_that_was_edited(names):
    """Nothing derived is ever a cause: every declaration is said differently on the two sides."""
    for declaration in compare(edited(), edited(*names)).declarations:
        assert declaration.before != declaration.after
        assert declaration.origin == "plan edit"


def test_layout_does_not_count():
    text = example()
    loose = text.replace(" = ", "   =  ").replace("\n\n", "\n\n# a comment\n\n")
    assert compare(edited(), document(loose)).empty
    assert compare(edited(), document(format_source(Source(EXAMPLE, loose))[0])).empty


def test_order_does_not_count():
    blocks = example().split("\n\n")
    head, middle, tail = blocks[0], blocks[1:-1], blocks[-1]
    turned = "\n\n".join([head, *reversed(middle), tail])
    assert turned != example()
    assert compare(edited(), document(turned)).empty


def test_classes_in_another_order_do_not_count():
    lines = example().splitlines()
    at = next(i for i, line in enumerate(lines) if "class summary" in line)
    lines[at], lines[at + 1] = lines[at + 1], lines[at]
    assert compare(edited(), document("\n".join(lines) + "\n")).empty


@pytest.mark.parametrize("option", ["prod@tp8", "prod@h200", "prod@mi300x", "prod@fp8_cache"])
def test_an_option_is_the_plan_with_its_edit(option):
    """An option compared with its base says what the edited plan compared with the plan says."""
    edit = {"prod@tp8": "tensor", "prod@mi300x": "device", "prod@fp8_cache": "cache"}.get(option)
    given_ = Alternatives(edited())
    diff = compare_options(given_, "prod", "prod", option)
    assert compare_options(given_, "prod", option, option).empty
    assert all(d.change.method == "exact" for d in diff.quantities if d.change.causes)
    if edit is None:
        return
    whole = compare(edited(), edited(edit))
    mine = {q.address: (q.before, replace(q.after, binds=None)) for q in diff.quantities}
    theirs = {q.address: (q.before, replace(q.after, binds=None)) for q in whole.quantities}
    assert mine == theirs


values = st.lists(st.fractions(-50, 50, max_denominator=9), min_size=8, max_size=8)


@given(values)
def test_the_exact_parts_are_averages_over_all_orders(numbers):
    """The definition, order by order, against the formula."""
    expected = [Fraction(0)] * 3
    for order in permutations(range(3)):
        coalition = 0
        for player in order:
            joined = coalition | 1 << player
            expected[player] += Fraction(numbers[joined] - numbers[coalition]) / factorial(3)
            coalition = joined
    assert [Fraction(part) for part in shapley(numbers)] == expected


@given(values)
def test_sampled_parts_add_up_and_know_their_error(numbers):
    """Each sampled order with its reverse, and over many of them no further off than a few standard errors."""
    few, many = (averaged([added(order, numbers) for order in sampled_orders(3, n)]) for n in (6, 600))
    exact = exact_parts(3, lambda coalition: numbers[coalition])
    assert exact is not None
    for sampled in (few, many):
        assert sum(map(Fraction, sampled.shares)) == numbers[7] - numbers[0]
        assert all(error is not None and error >= 0 for error in sampled.errors)
    for part, share, error in zip(exact.shares, many.shares, many.errors, strict=True):
        assert abs(part - share) <= 6 * error


def added(order: list[int], numbers: list[Fraction]) -> list[Fraction]:
    """What each of three players adds where they join in an order."""
    row, coalition = [Fraction(0)] * 3, 0
    for player in order:
        joined = coalition | 1 << player
        row[player] = numbers[joined] - numbers[coalition]
        coalition = joined
    return row


def test_orders_come_with_their_reverses_and_are_the_same_for_every_reader():
    orders = list(sampled_orders(12, 64))
    assert orders == list(sampled_orders(12, 64))
    assert all(sorted(order) == list(range(12)) for order in orders)
    assert all(other == order[::-1] for order, other in zip(orders[::2], orders[1::2], strict=True))
    assert len({tuple(order) for order in orders}) == 64


def test_a_coalition_without_a_value_gives_no_parts():
    assert exact_parts(2, lambda coalition: None if coalition == 1 else coalition) is None


names = ["a", "b"]
numbers = st.integers(1, 60)


@st.composite
def small_plans(draw: st.DrawFn) -> tuple[str, str]:
    """Two plans of one shape: stated numbers, an assumption, a choice of formulas, and bounds of them."""
    texts = []
    shape = draw(
        st.sampled_from(["p * q + r", "max(p, q) * r / (p + r)", "(p - q) * (r + 1)", "min(p * q, r * r)"])
    )
    for _ in range(2):
        lines = ["unit byte symbol B", *(f"{n} = {draw(numbers)}" for n in names)]
        low, span = draw(numbers), draw(numbers)
        lines.append(f'assume c = {low + span // 2} in {low} .. {low + span} because "so"')
        other = draw(st.booleans())
        body = shape.replace("p", "a").replace("q", "b").replace("r", "c") if not other else "a + b * c"
        lines += [
            f"total : signed number = {body}",
            "floor_of : signed number >= total - a",
            "report total, floor_of",
        ]
        lines.append(f"require total <= {draw(numbers) * 10}")
        texts.append("\n".join(lines) + "\n")
    return texts[0], texts[1]


@settings(max_examples=30, deadline=None)
@given(small_plans())
def test_small_plans_obey_the_laws(texts):
    one, two = (document(text, "small.plan") for text in texts)
    diff, back = compare(one, two), compare(two, one)
    assert compare(one, one).empty
    assert diff.empty == (back.empty)
    for change in differences(diff):
        if change.causes:
            assert sum(Fraction(cause.share) for cause in change.causes) == Fraction(change.difference)
    mirrored = {q.address: q.change.difference for q in back.quantities}
    for quantity in diff.quantities:
        if quantity.change.difference is not None:
            assert Fraction(quantity.change.difference) == -Fraction(mirrored[quantity.address])


operands = st.sampled_from(["u", "v", "w", "1", "2"])


@st.composite
def ranged_lines(draw: st.DrawFn) -> tuple[list[str], list[list[str]]]:
    """Lines that stay, and three lines that one plan has as the first of two, and another as the second."""
    low, span = draw(st.integers(1, 4)), draw(st.integers(1, 5))
    held = [f'assume u = {low + 1} in {low} .. {low + 1 + span} because "so"']
    held.append(draw(st.sampled_from(["v : number in 0 .. 3 <= 2", "v : number = 3", "v : number >= 1"])))
    lines = []
    for name, known in (("w", "uv"), ("x", "uvw"), ("y", "uvwx")):
        both = []
        for _ in range(2):
            one, two, three = (draw(st.sampled_from([*known, "2"])) for _ in range(3))
            body = draw(
                st.sampled_from(["{} * {} - {}", "max({}, {}) + {}", "{} - {} * {}", "min({}, {}) * {}"])
            )
            both.append(f"{name} : signed number = {body.format(one, two, three)}")
        lines.append(both)
    return held, lines


def told_apart(lines: tuple[list[str], list[list[str]]]) -> bool | None:
    """Whether the edits of a number are told apart, as they must be by the plans between; None where there is nothing to tell."""
    held, edits = lines

    def plan(coalition: int) -> PlanDoc:
        chosen = [both[coalition >> at & 1] for at, both in enumerate(edits)]
        return document("\n".join([*held, *chosen, "report y"]) + "\n", "ranged.plan")

    plans = [plan(coalition) for coalition in range(8)]
    diff = compare(plans[0], plans[7])
    named = {each.id: each.address for each in diff.declarations}
    change = next((one.change for one in diff.quantities if one.address == "y" and one.change.causes), None)
    found = [next(q for q in doc.quantities if q.address == "y") for doc in plans]
    if change is None or any(q.loose for q in found):  # how near the search came says nothing of the number
        return None
    numbers = [{"low": q.low, "nominal": q.nominal, "high": q.high}[change.part or "low"] for q in found]
    if None in numbers:  # some plan between the two does not have it
        assert len(change.causes) == 1
        return None
    if any(len(cause.declarations) > 1 for cause in change.causes):
        [cause] = change.causes
        assert Fraction(cause.share or 0) == Fraction(numbers[7] or 0) - Fraction(numbers[0] or 0)
        return False
    parts = shapley([Fraction(number or 0) for number in numbers])
    expected = {name: str(part) for name, part in zip("wxy", parts, strict=True) if part}
    assert {named[cause.declarations[0]]: cause.share for cause in change.causes} == expected
    return True


@settings(max_examples=60, deadline=None)
@given(ranged_lines())
def test_parts_of_an_end_are_those_of_the_plans_between(lines):
    """Every plan that has some of the lines of one side and the rest of the other, compiled: the parts are made of its
    numbers. Where a state between two documents is not searched as far as a plan is, the edits are told together."""
    told_apart(lines)


def test_few_edits_of_an_end_are_told_together():
    """Of the same plans each time: were all told together, the law above would hold of them."""
    found: list[bool] = []

    @settings(max_examples=100, deadline=None, derandomize=True, database=None)
    @given(ranged_lines())
    def each(lines):
        apart = told_apart(lines)
        if apart is not None:
            found.append(apart)

    each()
    assert len(found) > 30
    assert sum(found) > 0.85 * len(found), f"{sum(found)} of {len(found)}"


ROOM = """\
use std
kind pace : s for time context load, site "time between tokens"
entity room {{ w : number; card : number default 2; site : text default "west"
  speed : 1/s default {speed} / 1 s; {time} : s kind pace >= 1 / speed
  cost : number = w * card; wide : number = max(w * 3, card)
  parts {{ inner : number = cost + 1 }} }}
room {thing} {{ w = {w}{site} }}
option {option} of {thing} {{ w = {wide}; speed = 45 / 1 s }}
option deep of {thing}@{option} {{ card = 5 }}
{number} : number = {thing}.cost + {thing}.parts.inner
measure {thing}.{time} = {measured} ms as night {{ load = "one"; site = "west" }}
twice : s = {thing}.{time} * 2
require twice <= 1 s "fast"
require {number} <= {limit} "small"
{asked}report {thing}, {number}, twice, {thing}@{option}
"""
PLAIN = {"thing": "r", "option": "o", "number": "total", "time": "step", "w": "3", "wide": "5", "site": "",
         "speed": "50", "measured": "31.9", "limit": "20", "asked": ""}  # fmt: skip
NAMES = {"thing": "s", "option": "q", "number": "amount", "time": "wait"}
CHANGED = {
    "w": "4",
    "wide": "8",
    "site": '; site = "east"',
    "speed": "40",
    "measured": "29",
    "limit": "13",
    "asked": 'require {thing}.wide <= 13 "not wide"\nrequire {thing}.w >= 4 "at least four"\n',
}


def room(edits: frozenset[str], renames: frozenset[str] = frozenset()) -> PlanDoc:
    """The plan with some of its values changed and some of its names, which it says were moved."""
    said = PLAIN | {name: CHANGED[name] for name in edits}
    now = said | {name: NAMES[name] for name in renames}
    now["asked"] = now["asked"].format(**now)
    told = "".join(f"moved {old} to {new}\n" for old, new in moves(renames).items())
    return document(ROOM.format(**now) + told, "room.plan")


def moves(renames: frozenset[str]) -> dict[str, str]:
    """What is renamed to what, where the plan is given some of its other names."""
    path = {"option": "{thing}@{option}", "time": "{thing}.{time}"}
    now = PLAIN | {name: NAMES[name] for name in renames}
    texts = {name: path.get(name, f"{{{name}}}") for name in sorted(renames)}
    return {text.format(**PLAIN): text.format(**now) for text in texts.values()}


some_edits = st.frozensets(st.sampled_from(sorted(CHANGED)), max_size=3)
some_renames = st.frozensets(st.sampled_from(sorted(NAMES)))


@settings(max_examples=16, deadline=None)
@given(some_edits, some_renames)
def test_renames_alone_are_no_difference(edits, renames):
    """Options, what is worked out for them, and measurements go with the name of what they are of."""
    for diff in (
        compare(room(edits), room(edits, renames)),
        compare(room(edits, renames), room(edits)),
    ):
        assert {move.old != move.new for move in diff.moved} <= {True}
        assert bool(diff.moved) == bool(renames)
        assert replace(diff, moved=()).empty


@settings(max_examples=24, deadline=None)
@given(some_edits, some_edits, some_renames)
def test_a_renamed_plan_differs_as_the_plan_does(before, after, renames):
    """Whatever else changed is told, and blamed on what is to blame, by the new names."""
    plain = compare(room(before), room(after))
    moved = compare(room(before), room(after, renames))
    assert told_of(moved) == told_of(plain, renames)
    assert told_of(compare(room(after, renames), room(before))) == told_of(compare(room(after), room(before)))


@settings(max_examples=24, deadline=None)
@given(some_edits, some_edits, some_renames)
def test_the_mirror_of_what_comes_is_what_goes(before, after, renames):
    """Requirements too, with what each option comes to."""
    one, two = room(before), room(after, renames)
    back = {"added": "removed", "removed": "added"}

    def told(diff: DiffDoc, *, mirrored: bool) -> object:
        asked = [*(("", v) for v in diff.verdicts), *((a.option.count("@"), a) for a in diff.answers)]
        sides = [
            (option, each.before and each.before.status, each.after and each.after.status, each.what)
            for option, each in asked
        ]
        flipped = [(o, y, x, back.get(what, what)) for o, x, y, what in sides]
        return sorted(map(repr, flipped if mirrored else sides))

    assert told(compare(one, two), mirrored=False) == told(compare(two, one), mirrored=True)


def told_of(diff: DiffDoc, renames: frozenset[str] = frozenset()) -> object:
    """What a comparison tells but for places and texts, by the names that the plan has after some renames."""
    renamed = Renaming(moves(renames), ["r@o", "r@o@deep"])
    named = {each.id: renamed(each.address) for each in diff.declarations}

    def changed(change: Difference) -> object:
        parts = {(tuple(named[i] for i in c.declarations), c.share) for c in change.causes}
        ends = (change.part, change.difference, change.ratio, change.separated, change.why)
        return *ends, parts, *(frozenset(map(renamed, each)) for each in (change.lost, change.won))

    asked = [*(("", v) for v in diff.verdicts), *((renamed(a.option), a) for a in diff.answers)]
    return (
        sorted((renamed(q.address), repr(changed(q.change))) for q in diff.quantities),
        sorted((option, each.what, each.label, repr(changed(each.change))) for option, each in asked),
        sorted((named[each.id], each.sort) for each in diff.declarations),
        sorted(renamed(e.address) for e in (*diff.added, *diff.removed, *diff.options)),
        sorted((one.sort, one.what, renamed(one.name)) for one in diff.remarks),
        (diff.unchanged_quantities, diff.unchanged_verdicts, diff.unchanged_answers),
    )


def test_more_than_ten_declarations_are_sampled_and_say_so():
    lines = [f"x{n} = {n}" for n in range(1, 13)]
    product = " * ".join(f"(1 + x{n})" for n in range(1, 13))
    one = document("\n".join([*lines, f"total = {product}", "report total"]) + "\n", "many.plan")
    more = [f"x{n} = {n + 1}" for n in range(1, 13)]
    two = document("\n".join([*more, f"total = {product}", "report total"]) + "\n", "many.plan")
    [quantity] = compare(one, two).quantities
    change = quantity.change
    assert change.method == "sampled"
    assert change.orders >= 2
    assert len(change.causes) == 12
    assert sum(Fraction(cause.share) for cause in change.causes) == Fraction(change.difference)
    assert all(cause.error is not None for cause in change.causes)


BUDGETED = """\
unit dollar, dollars symbol $
price : dollar = 7 $ confidential
moved {moved}
{bill} : dollar = price * 3
open_ : dollar = 4 $
spare : dollar = {bill} / 2 + open_
base : dollar = open_
option dear of plan {{ extra = 90 $ }}
entity budget {{ extra : dollar; whole : dollar = extra + price }}
budget plan {{ extra = 2 $ }}
{asked}
report {bill}, spare, plan
"""
ASKED = (
    'require {bill} <= 30 $ "the bill stays in the budget"',
    'require {bill} <= 1 $ "dirt cheap"',
    "require spare <= 2 $",
    "require spare >= 2 $",
    "require plan.whole <= 50 $",
    'require open_ <= 5 $ "what anybody may see"',
    "require spare <= 40 $",
)


def budgeted(order: tuple[str, ...], bill: str) -> PlanDoc:
    asked = "\n".join(order).format(bill=bill)
    moved = "total to bill" if bill == "bill" else "bill to total"
    return document(BUDGETED.format(asked=asked, bill=bill, moved=moved), "budgeted.plan")


@settings(max_examples=30, deadline=None)
@given(st.permutations(ASKED), st.permutations(ASKED), st.booleans(), st.sets(st.sampled_from(ASKED)))
def test_the_order_of_requirements_does_not_count_for_others_either(order, other, renamed, left_out):
    """Of what is withheld each requirement is still taken for itself, by what it says; what is gone is gone alone."""
    for seen in (lambda doc: doc, withheld):
        one = seen(budgeted(tuple(order), "bill"))
        two = seen(budgeted(tuple(other), "total" if renamed else "bill"))
        assert replace(compare(one, two), moved=()).empty
        rest = tuple(each for each in other if each not in left_out)
        less = compare(one, seen(budgeted(rest, "bill")))
        assert {v.what for v in less.verdicts} <= {"removed"}
        assert {v.before.written for v in less.verdicts} == {
            each.removeprefix("require ").partition(' "')[0].format(bill="bill") for each in left_out
        }


WORDS = """\
unit byte, bytes symbol B
{q} : byte = 5 B confidential
{k} = 2
{moved}
require sum(k * 1 byte for k in range(3)) + {q} <= 70 byte
"""


@pytest.mark.parametrize("name", ["k", "q"])
def test_a_word_that_is_no_name_of_the_plan_is_not_renamed_with_one(name):
    """A variable of a sum in a requirement that nobody edited, whatever else is called so and moved."""
    names = {"q": "q", "k": "k"}
    moved = names | {name: f"{name}_now"}
    one = document(WORDS.format(moved="", **names), "words.plan")
    two = document(WORDS.format(moved=f"moved {name} to {name}_now", **moved), "words.plan")
    for seen in (lambda doc: doc, withheld):
        for before, after in ((one, two), (two, one)):
            assert replace(compare(seen(before), seen(after)), moved=()).empty


BETWEEN = [
    ("u : number in 0 .. 1 <= 1", "v : number = 2", "w : number = u * v"),
    ("u : number in 0 .. 1 <= 1", "v : number = 1 - u", "w : number = u * 4"),
]


def test_an_end_is_shared_out_by_tight_ends_in_between_too():
    """At both ends of the comparison plain arithmetic does; with one edit alone, `u * (1 - u)` is no more than a quarter."""
    one, two = (document("\n".join([*lines, "report w"]) + "\n", "between.plan") for lines in BETWEEN)
    [change] = [q.change for q in compare(one, two).quantities]
    assert (change.part, change.method) == ("high", "exact")
    assert [cause.share for cause in change.causes] == ["23/8", "-7/8"]
