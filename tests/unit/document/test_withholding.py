"""Documents for others: what a confidential fact has a part in is not in them, and nothing else is missing."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from capwright.comparison.compare import compare
from capwright.compiling import Compiled, compile_plan
from capwright.document.codec import from_json, to_json
from capwright.document.diffdoc import DiffDoc
from capwright.document.plandoc import DiagnosticDoc, PlanDoc, Quantity
from capwright.document.withholding import WITHHELD, evenly_withheld, is_withheld, withheld
from capwright.loading import load
from capwright.render.diff_html import diff_html
from capwright.render.diff_markdown import diff_markdown
from capwright.render.terminal.diff import diff_text

PLAN = """use std
entity contract {{ price : dollar/device/hour; fee : dollar/hour default 2 $/hour confidential }}
contract c {{ price = {price} $/device/hour confidential source "letter of {price}"; fee = {fee} $/hour }}
assume share = 0.{share} in 0.{share} .. 0.9 because "talks at {share}" confidential
count_of : whole device = 4 devices
power : dollar/hour = 7 $/hour
total : dollar/hour = c.price * count_of + power
half : dollar/hour = total / 2
same : number = total / total
double : dollar/hour = power * 2
used : dollar/hour = power * share
cheaper : dollar/hour = min(c.fee, power)
require total <= 1_000 $/hour "money"
require double <= 20 $/hour "power"
option more of c {{ price = 1{price} $/device/hour confidential }}
report total, half, double, used
"""
SECRET = {"c.price", "c.fee", "share", "total", "half", "same", "used", "cheaper"}
PUBLIC = {"count_of", "power", "double"}


def compiled(folder: Path, text: str) -> Compiled:
    path = folder / "a.plan"
    path.write_text(text, encoding="utf-8")
    made = compile_plan(load(str(path)))
    errors = [one.message for one in made.diagnostics if one.severity == "error"]
    assert errors == []
    return made


def own(made: Compiled) -> dict[str, Quantity]:
    return {q.address: q for q in withheld(made.sound).quantities}


@pytest.fixture
def made(tmp_path: Path) -> Compiled:
    return compiled(tmp_path, PLAN.format(price="1.87", fee=3, share=6))


def test_what_derives_from_a_confidential_fact_is_withheld(made):
    found = own(made)
    assert {name for name in SECRET | PUBLIC if is_withheld(found[name])} == SECRET
    assert all(found[name].low is found[name].nominal is found[name].high is None for name in SECRET)
    assert all(found[name].nominal is not None for name in PUBLIC)


def test_no_spelling_of_the_number_is_left(made):
    assert "1.87" not in to_json(withheld(made.sound))
    assert "1.87" in to_json(made.sound)


def test_a_verdict_keeps_its_status_and_the_limit_that_its_text_says_and_loses_all_else(made):
    """The limit of 1,000 dollars an hour stands in the requirement itself, which is told."""
    money, power = withheld(made.sound).verdicts
    assert money.written == "total <= 1_000 $/hour"
    assert (money.status, money.left.nominal, money.right.nominal, money.margin_nominal) == (
        "holds",
        None,
        "5/18",
        None,
    )
    assert (power.status, power.margin_nominal) == ("holds", "1/600")


def test_a_withheld_document_is_a_document(made):
    shown = withheld(made.sound)
    assert from_json(to_json(shown)) == (shown, ())
    assert withheld(shown) == shown


def test_a_document_without_secrets_stays_as_it_is(tmp_path):
    made = compiled(tmp_path, "a : number = 3\nb : number = a * 2\n")
    assert withheld(made.sound) is made.sound


@settings(max_examples=25, deadline=None)
@given(
    prices=st.tuples(st.integers(1, 99), st.integers(1, 99)),
    fees=st.tuples(st.integers(0, 99), st.integers(0, 99)),
    shares=st.tuples(st.integers(1, 8), st.integers(1, 8)),
)
def test_what_is_shown_does_not_depend_on_what_is_not(tmp_path_factory, prices, fees, shares):
    """Noninterference: with other secrets and the same verdicts, others see the same bytes."""
    folder = tmp_path_factory.mktemp("plan")
    shown = [
        to_json(withheld(compiled(folder, PLAN.format(price=price, fee=fee, share=share)).sound))
        for price, fee, share in zip(prices, fees, shares, strict=True)
    ]
    assert shown[0] == shown[1]


def test_a_difference_of_secrets_alone_is_none(tmp_path):
    """What is compared for others is what others may see: nothing of a changed secret shows."""
    one, two = (
        withheld(compiled(tmp_path, PLAN.format(price=price, fee=fee, share=share)).sound)
        for price, fee, share in (("1.87", 3, 6), ("2.91", 4, 7))
    )
    assert compare(one, two).empty


def test_a_public_difference_beside_a_secret_one_is_told(tmp_path):
    text = PLAN.format(price="1.87", fee=3, share=6)
    other = PLAN.format(price="2.91", fee=3, share=6).replace("= 7 $/hour", "= 8 $/hour")
    found = compare(withheld(compiled(tmp_path, text).sound), withheld(compiled(tmp_path, other).sound))
    assert {change.address for change in found.quantities} == {"double"}
    told = diff_markdown(found)
    assert "2.91" not in told
    assert "1.87" not in told


WHOLE = """unit device, devices counting
unit second, seconds symbol s
kind latency : s for time context engine
entity part {{ load : number default 4 }}
entity node {{
  price : number
  public_part : part
  watts : number default 700
  assume efficiency : number = 0.5 in 0.4 .. 0.6 because "the library's"
  cost : number = price * 3
  bill {{ hours : number default 24; total : number = hours * 2 }}
}}
entity deployment {{ node : node; other : number; sum_of : number = node.price + other; double : number = other * 2 }}
part plain {{ }}
node secret {{ price = {price}; public_part = plain; {given} }} confidential
node copied from secret {{ price = 9 }}
node open {{ price = 1; public_part = plain }}
deployment prod {{ node = secret; other = 2 }}
deployment free {{ node = open; other = 3 }}
option reached of prod {{ node.price = 11 }}
option copied_in of free {{ node = open {{ price = {price} }} confidential }}
formula rebate(n: number) : number confidential = n * {price}
after = rebate(2)
most : whole = largest n in 1 .. 100 where rebate(n) <= 50
tried : s kind latency = 2 s
measure tried = {price} s in 1 s .. 99 s as night {{ engine = "x@1" }} confidential
reads = tried * 2
require rebate(3) <= 1_000  "rebate"
require free.double <= 6  "public"
report prod, free, after, most, reads
"""


def whole(folder: Path, price: int, given: str = "") -> Compiled:
    return compiled(folder, WHOLE.format(price=price, given=given))


def shown_numbers(made: Compiled) -> set[str]:
    return {q.address for q in withheld(made.sound).quantities if not is_withheld(q)}


def test_a_confidential_instance_hides_its_numbers_in_all_its_copies_and_nothing_else(tmp_path):
    assert shown_numbers(whole(tmp_path, 7)) == {
        *("plain.load", "open.price", "open.watts", "open.efficiency", "open.cost"),
        *("open.bill.hours", "open.bill.total", "prod.other", "prod.double"),
        *("free.other", "free.sum_of", "free.double"),
    }


def test_a_confidential_formula_hides_every_use_of_it(tmp_path):
    doc = withheld(whole(tmp_path, 7).sound)
    found = {q.address: q for q in doc.quantities}
    assert all(is_withheld(found[name]) for name in ("after", "after/rebate", "most"))
    verdict = next(v for v in doc.verdicts if v.label == "rebate")
    assert (verdict.status, verdict.left.low, verdict.margin_low) == ("holds", None, None)


def test_a_confidential_measurement_is_withheld_with_what_it_narrows(tmp_path):
    doc = withheld(whole(tmp_path, 7).sound)
    assert {"tried", "reads"}.isdisjoint(shown_numbers(whole(tmp_path, 7)))
    assert [one.nominal for one in doc.measurements] == ["0"]


@pytest.mark.parametrize(
    "given",
    [
        "watts = 900",
        'assume efficiency = 0.7 in 0.6 .. 0.8 because "a letter of ours"',
        "bill.hours = 20",
        "watts = 800; bill.hours = 9",
    ],
)
def test_whether_a_confidential_instance_keeps_the_librarys_number_is_not_told(tmp_path, given):
    one, two = (to_json(withheld(whole(tmp_path, *how).sound)) for how in ((7,), (8, given)))
    assert one == two


def test_the_word_on_an_instance_leaves_others_files_alone(tmp_path):
    (tmp_path / "fleet.plan").write_text("unit dollar, dollars\nseen = 4 dollars\n", encoding="utf-8")
    made = compiled(
        tmp_path, 'use "fleet.plan"\nentity n { p : number }\nn a { p = 3 } confidential\nb = seen * 2\n'
    )
    doc = withheld(made.sound)
    seen = next(q for q in doc.quantities if q.address == "seen")
    assert seen.provenance.line == "seen = 4 dollars"
    assert {one.path: one.sha256 == "withheld" for one in doc.inputs} == {"a.plan": True, "fleet.plan": False}


@pytest.mark.parametrize("price", ["7", "1_234_567"])
def test_how_long_a_confidential_number_is_is_not_told_by_what_stands_behind_it(tmp_path, price):
    """In its own file no setting says where in its line it stands; elsewhere it does."""
    (tmp_path / "tags.plan").write_text(
        'entity tag { word : text }\ntag green { word = "g" }\n', encoding="utf-8"
    )
    made = compiled(
        tmp_path,
        'use "tags.plan"\nentity n { p : number; tag : tag }\n'
        f"n a {{ p = {price} confidential; tag = green }}\nb = a.p * 2\n",
    )
    found = {one.address: one.column for one in withheld(made.sound).settings}
    assert (found["a.tag"], found["green.word"]) == (0, 13)


def test_where_a_message_stands_does_not_tell_how_long_a_number_before_it_is(tmp_path):
    made = compiled(tmp_path, "p : number = 1.5 confidential\n")
    said = DiagnosticDoc("CW0201", "warning", "twice", "rename one", "a.plan:1", "p : number = 1.5", 42, ())
    elsewhere = replace(said, place="b.plan:1")
    told = withheld(replace(made.sound, diagnostics=(said, elsewhere))).diagnostics
    assert told == (replace(said, line=WITHHELD, column=0), elsewhere)


def test_a_withheld_whole_document_is_a_document(tmp_path):
    shown = withheld(whole(tmp_path, 7).sound)
    assert from_json(to_json(shown)) == (shown, ())
    assert withheld(shown) == shown


def test_a_check_that_is_not_met_does_not_tell_what_it_compares(tmp_path):
    path = tmp_path / "a.plan"
    text = 'entity n { p : number; check p < 4 "too dear" }\nn a { p = 7 } confidential\n'
    path.write_text(text, encoding="utf-8")
    made = compile_plan(load(str(path)))
    assert any("`p` is 7" in note for one in made.sound.diagnostics for note in one.notes)
    assert "is 7" not in to_json(withheld(made.sound))


PRICED = """unit dollar, dollars symbol $
moved old_fee to fee
price : dollar = {price} $ {mark}
fee : dollar = 2 $
public : dollar = {public} $
count_of = {count}
cost : dollar = price * count_of
formula rate(n: number) : number {formula} = n * {rate}
used = rate(2)
both : dollar = public + 1 $
require cost <= 9 $  "money"
require rate(3) <= 10  "rate"
require both <= 8 $  "open"
report cost, both, used
"""


def priced(folder: Path, **more: object) -> PlanDoc:
    given = {"price": "1.87", "mark": "", "public": 4, "count": 4, "formula": "", "rate": "3.25", **more}
    return compiled(folder, PRICED.format(**given)).sound


def told(before: PlanDoc, after: PlanDoc) -> tuple[DiffDoc, str]:
    found = compare(before, after)
    texts = (to_json(found), diff_markdown(found), diff_html(found), diff_text(found))
    return found, "\n".join(texts)


SECRETS = ("1.87", "187/100", "2.91", "7.48", "187/25", "3.25", "6.5", "13/2")


@pytest.mark.parametrize("swapped", [False, True])
def test_what_becomes_confidential_is_withheld_on_both_sides(tmp_path, swapped):
    sides = [
        withheld(priced(tmp_path)),
        withheld(priced(tmp_path, mark="confidential", formula="confidential", public=5, count=5)),
    ]
    found, text = told(*(reversed(sides) if swapped else sides))
    assert not any(secret in text for secret in SECRETS), [s for s in SECRETS if s in text]
    assert {change.address for change in (*found.quantities, *found.others)} == {"public", "both", "count_of"}


def test_a_flip_that_a_secret_made_is_told_by_its_status_alone(tmp_path):
    one, two = (withheld(priced(tmp_path, mark="confidential", price=price)) for price in ("1.87", "2.91"))
    three = withheld(priced(tmp_path, mark="confidential", price="2.91"))
    assert told(two, three)[0].empty
    found, _ = told(one, two)
    assert [(v.before.status, v.after.status) for v in found.verdicts if v.before and v.after] == [
        ("holds", "violated")
    ]


def test_a_renamed_secret_stays_one(tmp_path):
    before = compiled(tmp_path, "old_fee = 3.25\nreport old_fee\n").sound
    after = compiled(tmp_path, "fee = 3.25 confidential\nmoved old_fee to fee\nreport fee\n").sound
    text = told(withheld(before), withheld(after))[1]
    assert "3.25" not in text
    assert "13/4" not in text


def test_a_new_secret_is_new_and_withheld(tmp_path):
    before = compiled(tmp_path, "a = 1\nreport a\n").sound
    after = compiled(tmp_path, "a = 1\nfee = 3.25 confidential\nreport a, fee\n").sound
    found, text = told(withheld(before), withheld(after))
    assert [entry.address for entry in found.added] == ["fee"]
    assert "3.25" not in text


@settings(max_examples=25, deadline=None)
@given(
    prices=st.tuples(st.integers(1, 99), st.integers(1, 99)),
    rates=st.tuples(st.integers(4, 99), st.integers(4, 99)),
    marked=st.sampled_from(["before", "after", "both"]),
)
def test_a_comparison_for_others_does_not_depend_on_secrets(tmp_path_factory, prices, rates, marked):
    """Noninterference: whatever the secrets were and are, and whichever side says so, others read the same."""
    folder = tmp_path_factory.mktemp("plan")
    word = {side: "confidential" if marked in (side, "both") else "" for side in ("before", "after")}
    shown = []
    for price, rate in zip(prices, rates, strict=True):
        sides = [
            withheld(
                priced(
                    folder, price=f"9{price}", rate=rate, public=public, mark=word[side], formula=word[side]
                )
            )
            for side, public in (("before", 4), ("after", 6))
        ]
        shown.append(to_json(compare(*sides)))
    assert shown[0] == shown[1]


@pytest.mark.parametrize(("limits", "edit"), [((9, 90), "loosened"), ((90, 9), "tightened"), ((9, 9), "")])
def test_an_edited_limit_of_a_withheld_number_is_told_with_that_number(tmp_path, limits, edit):
    """Of two requirements without words of their own each is known by what it limits, as its text says it."""
    text = """unit dollar, dollars
price : dollar = 1 dollar confidential
one : dollar = price * 2
two : dollar = price * 3
{first}require two <= {limit} dollars
report one, two
"""
    before, after = (
        withheld(compiled(tmp_path, text.format(limit=limit, first=first)).sound)
        for limit, first in zip(limits, ("", "require one <= 1 dollar\n"), strict=True)
    )
    found = [(v.what, v.edit, (v.after or v.before).left.written) for v in compare(before, after).verdicts]
    assert sorted(found) == sorted([("added", "", "one"), *([("margin", edit, "two")] if edit else [])])


STATED = """
unit second, seconds symbol s prefixes decimal
unit request, requests counting
kind wait : s for time context load = n
kind seen : number for capacity context load = n
formula unchecked(n: number) : number
  caveat guessed for capacity "nobody has looked"
  = n
entity job {{ n : whole request; gap : s kind wait >= 1 ms; other : s >= 1 ms; part : number kind seen = unchecked(3) }}
job prod {{ n = {n} requests confidential }}
measure prod.gap = 20 ms as bench {{ load = "36 requests" }}
measure prod.other = 20 ms as elsewhere {{ load = "36 requests" }}
evidence looked of prod.part {{ load = "36 requests" }}
twice : s = 2 * prod.gap
require twice <= 60 ms "in time"
"""


def test_what_is_read_where_a_confidential_number_is_as_stated_is_withheld(tmp_path):
    """What is told of a plan with another number is what counts or not, and the status."""
    told = []
    for n in (36, 37):
        doc = withheld(compiled(tmp_path, STATED.format(n=n)).sound)
        assert {q.address for q in doc.quantities if is_withheld(q)} == {"prod.n", "prod.gap", "twice"}
        assert "the plan has" not in to_json(doc)
        assert [m.context == {"withheld": "withheld"} for m in doc.measurements] == [True, False]
        assert [e.context for e in doc.evidence] == [{"withheld": "withheld"}]
        told.append(doc)
    same, other = told
    assert [(q.address, q.low, q.high) for q in same.quantities] == [
        (q.address, q.low, q.high) for q in other.quantities
    ]
    assert [v.status for v in same.verdicts] == ["holds"]
    assert [v.status for v in other.verdicts] == ["not established"]
    assert [m.comparison for m in same.measurements] == ["gap closed", "gap closed"]
    assert [m.comparison for m in other.measurements] == ["does not count", "gap closed"]
    assert [e.counts for e in (*same.evidence, *other.evidence)] == [True, False]
    assert {e.reason for e in (*same.evidence, *other.evidence)} == {""}


LEANING = """use std
use "std/models/meta_llama_3_1_8b.plan"
workload w {{ concurrency = 6 requests; class c {{ input = 3_000 tokens; output = 500 tokens }} }}
deployment prod {{
  model = meta_llama_3_1_8b; cache = bf16_paged; device = nvidia.h100_sxm; workload = w
  engine = vllm_0_10_1 {{ max_model_len = 32_768 tokens; gpu_memory_utilization = 0.8371 {word} }}
}}
price : $/device/hour = 2.37 $/GPU-hour confidential
cost : $/Mtoken = output_cost(price, prod.sharding, prod.throughput.tokens)
report prod.memory, prod.decode, cost
"""


@pytest.mark.parametrize("swapped", [False, True])
def test_what_derives_from_what_becomes_confidential_was_not_edited(tmp_path, swapped):
    """The formulas of the library that lean on the number are what they were."""
    sides = [withheld(compiled(tmp_path, LEANING.format(word=word)).sound) for word in ("", "confidential")]
    found, text = told(*(reversed(sides) if swapped else sides))
    assert found.declarations == ()
    assert "0.8371" not in text
    assert found.withheld_quantities > 10


@pytest.mark.parametrize("now", ["price * 2", "5 confidential"])
@pytest.mark.parametrize("was", ["6.17", "base * 6.17"])
def test_what_a_number_was_that_is_withheld_now_is_not_told(tmp_path, now, was):
    (tmp_path / "private.plan").write_text("price = 3 confidential\n", encoding="utf-8")
    text = 'use "private.plan"\nbase = 1\ncost : number = {cost}\nreport cost\n'
    one, two = (withheld(compiled(tmp_path, text.format(cost=cost)).sound) for cost in (was, now))
    is_formula = (was, now) == ("base * 6.17", "price * 2")  # what both work out of others is no secret
    assert ("6.17" in to_json(evenly_withheld(one, two)[0])) is is_formula
    assert ("6.17" in to_json(evenly_withheld(two, one)[1])) is is_formula


def test_whether_a_confidential_number_is_a_bound_is_not_told_with_it(tmp_path):
    shown = [
        own(compiled(tmp_path, f"price : number {relation} 3 confidential\nreport price\n"))["price"]
        for relation in ("=", "<=", ">=")
    ]
    assert [one == shown[0] for one in shown] == [True, True, True]


OBJECTED = """unit second, seconds symbol s
unit token, tokens
kind wait : s for time context input = input
entity service {{ input : token; wait : s kind wait >= 2 s }}
service prod {{ input = {input} tokens confidential }}
measure prod.wait = 3 s {{ input = "5 tokens" }}
report prod
"""


def test_why_a_measurement_does_not_count_does_not_tell_the_number_that_it_disagrees_with(tmp_path):
    one, two = (compiled(tmp_path, OBJECTED.format(input=tokens)).sound for tokens in (2417, 3519))
    assert ["2,417" in each.objection for each in one.measurements] == [True]
    assert to_json(withheld(one)) == to_json(withheld(two))


CHOSEN = """
kind size : number for capacity "size"
kind speed : number for time "speed"
n : number = {n} confidential
formula crowded(x: number) : number
  caveat waits for capacity "more than it runs"
  excludes queue
  = x
formula queue(x: number) : number = x
formula cautious(x: number) : number
  caveat guessed for capacity "nobody has looked"
  = x
formula lasting(x: number) : number
  caveat forever permanent for capacity, time "no formula can tell"
  = x
formula shown(x: number) : number discharges waits = x
wide : number kind size = cautious(2)
fast : number kind speed = cautious(3)
a : number kind size = if n > 5 then cautious(crowded(2)) else cautious(1)
b : number kind size = max(crowded(4), n)
c : number kind size = crowded(3) + cautious(n)
bare : number = if n > 5 then wide else fast
lost : number kind size = if n > 5 then lasting(4) else 5
gone : number kind size = if n > 5 then shown(crowded(2)) else crowded(2)
made : number kind size = crowded(1) + (if n > 5 then queue(1) else 1)
other : number kind size = queue(3)
require a <= 4 "small"
require bare <= 9 "bare"
require lost <= 9 "lost"
"""


def test_a_caveat_of_which_a_confidential_number_decides_that_it_stands_is_told_as_one_that_may(tmp_path):
    """Whoever may read the plan is told what stands; others what may stand, whatever the number is: no caveat is lost."""
    few, many = (compiled(tmp_path, CHOSEN.format(n=n)).sound for n in (3, 8))

    def stand(doc: PlanDoc) -> dict[str, tuple[str, ...]]:
        found = {q.address: (*q.caveats_here, *q.caveats_inherited, *q.exclusions) for q in doc.quantities}
        asked = {one.label: (*one.caveats, *one.exclusions) for one in doc.verdicts}
        return {name: told for name, told in {**found, **asked}.items() if name in told_of}

    told_of = ("a", "b", "c", "bare", "lost", "gone", "made", "small")
    all_ = ("guessed", "waits", "queue")
    always = {"b": ("waits", "queue"), "c": all_}
    assert stand(few) == {
        **always,
        "a": ("guessed",),
        "small": ("guessed",),
        "bare": (),
        "lost": (),
        "gone": ("waits", "queue"),
        "made": ("waits", "queue"),
    }
    assert stand(many) == {
        **always,
        "a": all_,
        "small": all_,
        "bare": ("guessed",),
        "lost": ("forever",),
        "gone": ("queue",),
        "made": ("waits",),
    }
    for doc in (few, many):
        assert stand(withheld(doc)) == {
            **always,
            "a": all_,
            "small": all_,
            "bare": ("guessed",),
            "lost": ("forever",),
            "gone": ("waits", "queue"),
            "made": ("waits", "queue"),
        }
    assert to_json(withheld(few)) == to_json(withheld(many))
    assert [one.name for one in withheld(few).caveats if one.permanent] == ["forever"]
    assert [one.name for one in few.caveats if one.permanent] == []


EQUAL = """
entity box {{ width : number; price : number = width * 3 }}
box b {{ width = {width} confidential }}
option same of b {{ width = 4 }}
option word of b {{ width = 4 confidential }}
box open {{ width = 4 }}
option kept of open {{ width = 4 confidential }}
report b, open
"""


def test_whether_an_option_gives_the_confidential_number_of_its_base_is_not_told(tmp_path):
    one, two = (withheld(compiled(tmp_path, EQUAL.format(width=width)).sound) for width in (4, 5))
    assert to_json(one) == to_json(two)
    assert one.diagnostics == ()


def test_whether_a_confidential_number_is_exact_is_told_by_no_source(tmp_path):
    text = "price : number {relation} confidential\nreport price\n"
    shown = [
        withheld(compiled(tmp_path, text.format(relation=relation)).sound)
        for relation in ("= 3", ">= 3", "~ 3")
    ]
    assert [one.sources for one in shown] == [(), (), ()]
    assert len({to_json(one) for one in shown}) == 1


LEFT_OUT = """unit second, seconds symbol s
kind wait : s for time context engine, optional load = n, optional alone = solo
entity job {{ n : number; solo : bool = n == 1; wait : s kind wait >= 2 s }}
{n} confidential
job prod {{ n = held }}
measure prod.wait = 3 s as night {{ engine = "x" }}
report prod
"""


def test_whether_a_confidential_number_is_exact_is_not_told_by_what_a_measurement_leaves_out(tmp_path):
    held = ("held = 4", 'assume held = 4 in 1 .. 9 because "a guess"')
    one, two = (compiled(tmp_path, LEFT_OUT.format(n=n)).sound for n in held)
    assert [each.unstated for doc in (one, two) for each in withheld(doc).measurements] == [
        ("load", "alone")
    ] * 2


@pytest.mark.parametrize("n", ["= 4", ">= 4"])
def test_nor_by_the_code_of_a_refusal_to_lay_the_plan_out_by_it(tmp_path, n):
    path = tmp_path / "a.plan"
    path.write_text(f"n : number {n} confidential\ntotal = sum(x for x in split(12, n))\n", encoding="utf-8")
    assert [one.code for one in compile_plan(load(str(path))).diagnostics] == ["CW0242"]


def test_what_a_formula_hands_on_is_not_told_as_what_it_is(tmp_path):
    """The number that it is given is written elsewhere."""
    text = (
        "price = 3.25 confidential\nformula same(x: number) : number = x\ncost = same(price)\nreport cost\n"
    )
    doc = compiled(tmp_path, text).sound
    assert "3.25" not in to_json(withheld(doc))
    assert {q.address: q.written for q in doc.quantities}["cost/same"] == "x"


STATING = """
unit second, seconds symbol s prefixes decimal
unit request, requests counting
kind wait : s for time context load = n, optional alone = solo
kind seen : number for capacity context load = n, optional alone = solo
formula unchecked(n: number) : number
  caveat guessed for capacity "nobody has looked"
  = n
entity job {{ n : request; solo : bool = n == 1 request; gap : s kind wait >= 1 ms; part : number kind seen = unchecked(3) }}
job prod {{ n = 5 requests }}
secret : request = {n} requests confidential
twice : request = 2 * secret
{statement}
report prod
"""


@pytest.mark.parametrize("stated", ["secret", "twice / 2", "if secret > 4 requests then 5 else 4"])
@pytest.mark.parametrize("n", [4, 5])
@pytest.mark.parametrize("of", ["measure prod.gap = 20 ms as bench", "evidence looked of prod.part"])
def test_a_confidential_number_may_not_be_stated(tmp_path, of, n, stated):
    """Whether the statement counts is told, and the number that it agrees with may be anybody's to read."""
    path = tmp_path / "a.plan"
    path.write_text(STATING.format(n=n, statement=f"{of} {{ load = {stated} }}"), encoding="utf-8")
    made = compile_plan(load(str(path)))
    assert [one.code for one in made.diagnostics if one.severity == "error"] == ["CW0242"]
    doc = withheld(made.sound)
    assert (doc.measurements, doc.evidence) == ((), ())
    assert next(q.low for q in doc.quantities if q.address == "prod.gap") == "1/1000"


@pytest.mark.parametrize("of", ["measure prod.gap = 20 ms as bench", "evidence looked of prod.part"])
def test_nor_may_a_truth_that_a_confidential_number_decides(tmp_path, of):
    statement = f'{of} {{ load = "5"; alone = secret == 1 request }}'
    path = tmp_path / "a.plan"
    path.write_text(STATING.format(n=5, statement=statement), encoding="utf-8")
    found = compile_plan(load(str(path))).diagnostics
    assert [one.code for one in found if one.severity == "error"] == ["CW0242"]


NAMED = """
unit second, seconds symbol s prefixes decimal
unit request, requests counting
use "private.plan"
kind wait : s for time context load = n
kind seen : number for capacity context load = n
entity job { n : request; gap : s kind wait >= 1 ms; part : number kind seen = 3 }
job prod { n = secret }
tried : request = 36 requests
measure prod.gap = 20 ms as bench { load = tried }
evidence looked of prod.part { load = tried }
report prod
"""


@pytest.mark.parametrize("n", [36, 37])
def test_what_a_confidential_number_was_compared_with_is_not_told(tmp_path, n):
    """Whether it counts is told: with the number that was stated it would tell that the other is that."""
    (tmp_path / "private.plan").write_text(f"secret = {n} requests confidential\n", encoding="utf-8")
    doc = withheld(compiled(tmp_path, NAMED).sound)
    assert [(one.compared, one.line) for one in doc.measurements] == [((), "withheld")]
    assert [one.compared for one in doc.evidence] == [()]
    assert [one.comparison == "gap closed" for one in doc.measurements] == [n == 36]
