"""Documents for others: what a confidential fact has a part in is not in them, and nothing else is missing."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from capwright.compiling import Compiled, compile_plan
from capwright.document.codec import from_json, to_json
from capwright.document.compare import compare
from capwright.document.plandoc import Quantity
from capwright.document.withholding import is_withheld, withheld
from capwright.loading import load
from capwright.render.diff_markdown import diff_markdown

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


def test_a_verdict_keeps_its_status_and_loses_both_sides(made):
    money, power = withheld(made.sound).verdicts
    assert (money.status, money.left.nominal, money.right.nominal, money.margin_nominal) == (
        "holds",
        None,
        None,
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
