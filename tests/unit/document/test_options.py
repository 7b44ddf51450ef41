"""Options asked what their base is asked, also by way of what the plan derives from the base."""

from __future__ import annotations

import pytest

from capwright.comparison.compare import compare
from capwright.comparison.options import Alternatives, compare_options, projected
from capwright.compiling import compile_plan
from capwright.document.plandoc import PlanDoc
from capwright.graph import expansion
from capwright.loading import load
from tests.support.compared import document

PLAN = """\
unit dollar, dollars symbol $
unit hour, hours
entity dev { price : $/hour; kind : one of fast, slow }
dev g { price = 1 $/hour; kind = fast }
dev t { price = 2 $/hour; kind = slow }
entity dep { d : dev; n : whole; cost : $/hour = d.price * n }
dep prod { d = g; n = 3 }
option alt of prod { d = t }
option two of prod { n = 6 }
twice : $/hour = prod.cost * 2
more : $/hour = twice + prod.cost
chosen : $/hour = if prod.d.kind == fast then prod.cost else 5 * prod.cost
assume extra = 1 $/hour in 0 $/hour .. 2 $/hour because "a guess"
with_extra : $/hour = twice + extra
require twice <= 7 $/hour "twice"
require prod.cost + twice <= 10 $/hour "sum"
require more <= 20 $/hour "more"
require chosen <= 4 $/hour "chosen"
require with_extra <= 9 $/hour "extra"
require prod.d.price <= 1 $/hour "device"
report prod, twice, more
"""


def of(option: str) -> PlanDoc:
    return projected(Alternatives(document(PLAN)), "prod", option)


def statuses(option: str) -> dict[str, str]:
    return {str(v.label): v.status for v in of(option).verdicts}


def test_what_the_plan_derives_from_the_base_is_worked_out_for_the_option():
    """By hand: two has cost 6, twice 12, their sum 18, and with it 18; the base has 3, 6, 9."""
    assert statuses("prod") == {
        "twice": "holds", "sum": "holds", "more": "holds", "chosen": "holds", "extra": "holds",
        "device": "holds",
    }  # fmt: skip
    assert statuses("prod@two") == {
        "twice": "violated", "sum": "violated", "more": "holds", "chosen": "violated", "extra": "violated",
        "device": "holds",
    }  # fmt: skip
    values = {q.address: (q.low, q.high) for q in of("prod@two").quantities}
    assert values["twice"] == ("12", "12")
    assert values["more"] == ("18", "18")
    assert values["with_extra"] == ("12", "14")


def test_what_the_option_decides_otherwise_has_the_formula_for_it():
    """A slow device costs five times as much: 5 × 2 $/hour × 3."""
    assert statuses("prod@alt")["chosen"] == "violated"
    assert {q.address: q.low for q in of("prod@alt").quantities}["chosen"] == "30"


def test_a_reference_of_the_base_is_the_options_own():
    assert statuses("prod") | {"device": "holds"} == statuses("prod")
    assert statuses("prod@alt")["device"] == "violated"


def test_what_is_another_number_has_an_address_and_what_is_not_has_none():
    addresses = {q.address for q in document(PLAN).quantities}
    assert {"twice@prod@two", "more@prod@alt", "chosen@prod@alt"} <= addresses
    assert not {a for a in addresses if a.startswith("extra@")}


@pytest.mark.parametrize("slow", ["prod.cost * 1 hour", "broken(prod.d)"])
def test_a_mistake_that_only_an_option_meets_is_a_mistake_of_the_plan(slow):
    """The base never comes to that branch, and a formula that only an option calls is checked like any other."""
    made = "formula broken(d: dev) : $/hour = d.price * 1 hour\n"
    text = PLAN.replace("5 * prod.cost", slow).replace("twice :", f"{made}twice :")
    found = compile_plan(load("options.plan", root=".", texts={"options.plan": text})).diagnostics
    assert {d.code for d in found if d.severity == "error"} == {"CW0301"}


def test_a_circle_that_only_an_option_closes_is_told():
    text = PLAN.replace("5 * prod.cost", "round_about").replace(
        "report prod", "round_about : $/hour = chosen + prod.cost\nreport prod"
    )
    found = compile_plan(load("options.plan", root=".", texts={"options.plan": text})).diagnostics
    assert [d.code for d in found if d.severity == "error"] == ["CW0401"]


def test_a_long_chain_below_an_option_is_no_matter(monkeypatch):
    """However many names: the frames it may take are too few for one name after the other."""
    monkeypatch.setattr(expansion, "DEEPEST", 2_000)
    chain = "".join(f"x{at} = x{at + 1} + prod.cost\n" for at in range(1_000))
    text = PLAN.replace("report prod", f"{chain}x1000 = prod.cost\nreport prod")
    found = compile_plan(load("options.plan", root=".", texts={"options.plan": text})).diagnostics
    assert [d.code for d in found if d.severity == "error"] == []


def test_an_option_that_is_called_like_another_thing_is_that_options():
    """`other@prod` is an option of `other`, and no name of the plan under an option of `prod`."""
    text = PLAN + "dep other { d = t; n = 1 }\noption prod of other { n = 2 }\n"
    kept = projected(Alternatives(document(text)), "prod", "prod@two").quantities
    assert {q.address: q.low for q in kept}["other@prod.cost"] == "4"


def test_options_of_an_option_and_a_formula_of_the_plan():
    """By hand: `both` has the slow device six times, 12, and the plan's own formula adds what the plan derives."""
    plan = PLAN.replace(
        "twice : $/hour",
        "option both of prod@two { d = t }\nformula plus(x: $/hour) : $/hour = x + twice\ntwice : $/hour",
    ).replace("report prod", "sum3 : $/hour = plus(prod.cost)\nreport prod")
    found = {q.address: q.low for q in document(plan).quantities}
    assert (found["sum3"], found["sum3@prod@two"], found["sum3@prod@alt"]) == ("9", "18", "18")
    assert found["prod@two@both.cost"] == "12"


def test_the_difference_is_the_options_own_and_nothing_is_added():
    diff = compare_options(Alternatives(document(PLAN)), "prod", "prod", "prod@two")
    assert [(d.address, d.before, d.after) for d in diff.declarations] == [("prod.n", "3", "6")]
    assert (diff.added, diff.removed) == ((), ())
    changed = {q.address: q.change.difference for q in diff.quantities}
    assert changed == {
        "prod.n": "3", "prod.cost": "3", "twice": "6", "more": "9", "chosen": "3", "with_extra": "6",
    }  # fmt: skip


LACKING = """\
unit dollar, dollars symbol $
entity dev { speed : number default 1 }
entity dep { d : dev; n : whole }
dev priced { price : $ = 2 $ }
dev bare { speed = 3 }
dep prod { d = priced; n = 3; own : $ = d.price * n; fast : number = d.speed * 2 }
bill : $ = prod.d.price * prod.n
option other of prod { d = bare }
require bill <= 7 $ "bill"
require prod.own <= 5 $ "own"
require prod.fast >= 3 "fast"
report prod, bill
"""


def test_what_an_options_thing_lacks_is_named_and_nothing_is_taken_over():
    compiled = compile_plan(load("p.plan", root=".", texts={"p.plan": LACKING}))
    said = [(d.code, d.severity, d.message) for d in compiled.diagnostics]
    message = "option `prod@other` has no value here: dev `bare` has no `price`, as others of its sort have"
    assert said == [("CW0243", "warning", message)]
    doc = compiled.document
    assert doc is not None
    assert [verdict.status for verdict in doc.verdicts] == ["holds", "violated", "violated"]
    known = {name for q in doc.quantities for name in (q.address, *q.aliases)}
    assert {"prod@other.fast", "prod@other.d.speed"} & known
    assert not {"prod@other.own", "bill@prod@other"} & known
    given = Alternatives(doc)
    assert [v.label for v in projected(given, "prod", "prod@other").verdicts] == ["fast"]
    diff = compare_options(given, "prod", "prod", "prod@other")
    [declaration] = diff.declarations
    [fact] = [fact for fact in declaration.facts if fact.name == "price"]
    assert fact.after is None


def test_a_misspelt_name_in_an_option_is_a_mistake():
    text = LACKING.replace("{ d = bare }", "{ d = bare; more : $ = d.prise * 2 }")
    compiled = compile_plan(load("p.plan", root=".", texts={"p.plan": text}))
    assert [d.code for d in compiled.diagnostics if d.severity == "error"] == ["CW0204"]


def test_what_an_option_and_the_plan_both_lack_is_a_mistake():
    text = LACKING + "later : $ = bare.price\n"
    for told in (text, text.replace("report", "first : $ = bare.price\nreport")):
        compiled = compile_plan(load("p.plan", root=".", texts={"p.plan": told}))
        assert "CW0204" in [d.code for d in compiled.diagnostics if d.severity == "error"]


def test_every_option_that_lacks_something_is_told():
    text = LACKING.replace(
        "report",
        "dep other_prod { d = priced; n = 2; own : $ = d.price * n }\noption too of other_prod { d = bare }\nreport",
    )
    compiled = compile_plan(load("p.plan", root=".", texts={"p.plan": text}))
    named = {d.message.split("`")[1] for d in compiled.diagnostics if d.code == "CW0243"}
    assert named == {"prod@other", "other_prod@too"}


BY_FORMULA = """\
entity box { width : number }
box b { width = 2; price : number = 3 }
box c { width = 4 }
formula f(x: box) : number = x.price
entity room { box : box; cost : number = f(box); more : number = f(box) * 2 }
room r { box = b }
option o of r { box = c }
option p of r { box = c }
"""


def test_each_option_and_each_of_its_fields_lacks_what_a_formula_of_both_reads():
    """Equal calls are worked out once, and what they lack is lacking to all who call."""
    text = BY_FORMULA + "one : number = r@o.cost\ntwo : number = r@o.more\nthree : number = r@p.more\n"
    compiled = compile_plan(load("p.plan", root=".", texts={"p.plan": text}))
    told = {d.message.split("`")[1] for d in compiled.diagnostics if d.code == "CW0243"}
    assert told == {"r@o", "r@p", "r@o.cost", "r@o.more", "r@p.more"}


@pytest.mark.parametrize("asked", ['require prod@other.own <= 9 $ "named"', "twice : $ = prod@other.own * 2"])
def test_what_a_plan_asks_by_name_of_an_option_that_lacks_it_is_a_mistake(asked):
    compiled = compile_plan(load("p.plan", root=".", texts={"p.plan": f"{LACKING}{asked}\n"}))
    assert [d.code for d in compiled.diagnostics if d.severity == "error"] == ["CW0243"]


def test_what_an_option_lacks_in_its_own_words_is_a_mistake():
    text = LACKING.replace("{ d = bare }", "{ override own = bare.price }")
    compiled = compile_plan(load("p.plan", root=".", texts={"p.plan": text}))
    assert [d.code for d in compiled.diagnostics if d.severity == "error"] == ["CW0204"]


def test_what_can_be_asked_of_an_option_on_one_side_only_is_told():
    lacking, whole = LACKING, LACKING.replace("{ speed = 3 }", "{ speed = 3; price : $ = 4 $ }")
    for before, after, statuses in (
        (lacking, whole, {("bill", None, "violated"), ("own", None, "violated")}),
        (whole, lacking, {("bill", "violated", None), ("own", "violated", None)}),
    ):
        docs = [
            compile_plan(load("p.plan", root=".", texts={"p.plan": each})).sound for each in (before, after)
        ]
        found = {
            (a.label, a.before and a.before.status, a.after and a.after.status)
            for a in compare(docs[0], docs[1]).answers
        }
        assert found == statuses


def test_a_requirement_that_decides_by_the_options_own_number_is_answered_for_it() -> None:
    """Both come to the same branch, each under the assumption of its own."""
    doc = document(
        """\
assume u = 5 in 4 .. 6 because "logs"
assume v = 5 in 4 .. 6 because "logs"
entity box { size : number; room : number = floor(size / 10) }
box b { size = u }
option other of b { size = v }
require (if b.room == 0 then 1 else 2) <= 1  "decided"
"""
    )
    [verdict], [answer] = doc.verdicts, doc.answers
    assert verdict.leans_on == ("u",)
    assert answer.verdict is not None
    assert (answer.verdict.status, answer.verdict.leans_on) == ("holds", ("v",))
