"""Addresses of formula calls."""

from __future__ import annotations

import re
from fractions import Fraction
from itertools import permutations

import pytest

from capwright.compiling import compile_plan
from capwright.loading import load

DECLARED = "formula twice(x: number) : number = x * 2\n"
FIRST = "a = twice(1) + twice(2) + twice(1)\n"
SECOND = "b = twice(2) + 1\n"


@pytest.mark.parametrize("text", [FIRST + SECOND, SECOND + FIRST])
def test_a_call_has_its_address_whatever_stands_before_it(text):
    document = compile_plan(load("a.plan", texts={"a.plan": DECLARED + text})).sound
    found = {q.address: Fraction(q.nominal) for q in document.quantities}
    assert found == {"a": 8, "a/twice": 2, "a/twice#2": 4, "b": 5}


COPIES = """\
entity part { n : number; b : number; t : number = n * b }
entity box { part : part; v : number; w : number }
formula made(x: part) : part = x { b = 3 }
formula total(x: part) : number = x.t + x.b
formula alone(x: part) : number = total(x { b = 1 })
part one { n = 2; b = 5 }
"""
LINES = ["v = alone(one)", "w = alone(one) + total(one { b = 7 }) + made(one).t", "part = made(one)"]
BOXES = [
    "box p { part = made(one); v = 1; w = 1 }",
    f"box q {{ {'; '.join(LINES)} }}",
    "require alone(one) <= 5",
]


def named(text: str) -> dict[str, tuple[tuple[str, ...], Fraction]]:
    compiled = compile_plan(load("a.plan", texts={"a.plan": text}))
    assert compiled.diagnostics == ()
    found = compiled.sound
    assert {s.address: s.value for s in found.settings if s.sort == "origin"} == {
        "one": "part", "p": "box", "p.part": "one", "q": "box", "q.part": "one",
    }  # fmt: skip
    return {q.address: (q.aliases, Fraction(q.nominal)) for q in found.quantities}


@pytest.mark.parametrize("boxes", list(permutations(BOXES)), ids=lambda _: "")
@pytest.mark.parametrize("lines", list(permutations(LINES)), ids=lambda _: "")
def test_a_copy_that_nobody_named_has_no_address_of_whoever_asks_first(lines, boxes):
    """By hand: v = 2·1 + 1 = 3, w = 3 + (2·7 + 7) + 2·3 = 30."""
    text = COPIES + "\n".join(boxes).replace("; ".join(LINES), "; ".join(lines))
    found = named(text + "\nreport q, p")
    values = {address: int(value) for address, (_, value) in found.items()}
    assert values == {
        "one.n": 2, "one.b": 5, "one.t": 10, "p.part.b": 3, "p.part.t": 6, "p.v": 1, "p.w": 1, "q.v": 3, "q.w": 30,
        "q.v/one.b": 1, "q.v/one.t": 2, "q.v/total": 3, "q.v/alone": 3,
        "q.w/one.b": 7, "q.w/one.t": 14, "q.w/total": 21,
    }  # fmt: skip
    assert found["p.part.b"][0] == ("q.part.b",)
    assert found["one.n"][0] == ("p.part.n", "q.part.n")


def test_what_lies_in_a_copy_without_a_name_is_no_public_quantity():
    text = COPIES + "x = total(one { b = 2 }) + total(one { b = 4 })\n"
    found = compile_plan(load("a.plan", texts={"a.plan": text})).sound.quantities
    assert {q.address for q in found if not q.internal} == {"one.n", "one.b", "one.t", "x"}
    assert {q.address for q in found if q.internal} >= {"x/one.b", "x/one.t", "x/one.b#2", "x/one.t#2"}


def test_what_only_a_requirement_reaches_has_an_address_if_it_is_no_exact_number():
    text = (
        'entity part { assume n : number = 2 in 1 .. 3 because "a guess"; b : number }\n'
        "formula least(x: part) : number >= x.n * x.b\npart one { b = 5 }\n"
        'require least(one { n = 3; b = 2 }) <= 5 "small"\n'
    )
    document = compile_plan(load("a.plan", texts={"a.plan": text})).sound
    known = {q.address for q in document.quantities}
    (verdict,) = document.verdicts
    assert verdict.status == "violated"
    references = re.findall(r"'address': '([^']+)'", str(verdict.left.formula))
    assert references == ["require/least"]
    assert set(references) <= known


def test_what_a_plan_declares_goes_by_its_own_name_before_that_of_any_option():
    """`a@o` comes before `b` in the alphabet, and takes no call or number from it."""
    text = DECLARED + (
        "entity box { n : number; m : number }\nbox a { n = 1; m = 2 }\nbox b { n = 7; m = twice(7) }\n"
        "option o of a { n = b.n; m = twice(7) }\n"
    )
    found = compile_plan(load("a.plan", texts={"a.plan": text})).sound
    held = {q.address: q.aliases for q in found.quantities}
    assert "b.m/twice" in held
    assert "a@o.m/twice" not in held


TWINS = """\
kind wait : number for time context engine
entity rack { size : number; heat : number = size * 2; time : number kind wait >= heat }
rack zeta { size = 3 }
rack alpha from zeta { }
rack beta from alpha { }
option big of zeta { size = 4 }
"""


def test_what_is_copied_is_called_before_its_copies():
    """However copies are called: what is alike of all is the number of what was declared first."""
    document = compile_plan(load("a.plan", texts={"a.plan": TWINS + "report zeta, alpha, beta\n"})).sound
    held = {name: q.address for q in document.quantities for name in (q.address, *q.aliases)}
    assert held["alpha.heat"] == held["beta.heat"] == "zeta.heat"
    assert held["zeta@big.heat"] == "zeta@big.heat"


@pytest.mark.parametrize("measured", ["alpha", "zeta", "zeta@same"])
def test_what_is_measured_of_one_is_of_no_other(measured):
    text = (
        TWINS
        + "option same of zeta { }\n"
        + f'measure {measured}.time = 9 as load {{ engine = "x@1" }}\n'
        + "".join(f"require {name}.time <= 8\n" for name in ("zeta", "alpha", "zeta@same"))
    )
    document = compile_plan(load("a.plan", texts={"a.plan": text})).sound
    of = {m.of for m in document.measurements}
    assert of == {f"{measured}.time"}
    leaning = {v.left.written: v.leans_on for v in document.verdicts}
    for name, sources in leaning.items():
        is_measured = name == f"{measured}.time"
        assert (f"{measured}.time!load" in sources) is is_measured, (name, sources)


SPARE = """\
use std
device ours from nvidia.h100_sxm
device a_spare from nvidia.h100_sxm
entity hall { device : device; seen : byte/device = device.process_total }
hall prod { device = ours }
option other of prod { device = a_spare }
require prod.seen <= 100 GiB/device
require prod@other.seen <= 100 GiB/device
"""


def test_what_a_plan_uses_is_not_called_by_what_only_an_option_uses():
    document = compile_plan(load("a.plan", texts={"a.plan": SPARE})).sound
    assert {name for v in document.verdicts for name in v.leans_on} == {"ours.process_total"}
