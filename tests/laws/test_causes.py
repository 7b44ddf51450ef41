"""Laws of causes: each is an edit that one side's plan leads to, never the tool, and they add up.

The plan has all that makes calls of formulas differ between sides: a shared prefix, lengths of a distribution, things
that options refer to in each other's place, and a measurement.
"""

from __future__ import annotations

from fractions import Fraction

import pytest

from capwright.base.address import under
from capwright.comparison.compare import compare
from capwright.comparison.options import Alternatives, compare_options
from capwright.document.diffdoc import DiffDoc, Difference
from capwright.document.plandoc import PlanDoc
from tests.support.compared import document

PLAN = """\
use std
use "std/models/qwen3_30b_a3b_instruct_2507.plan"

workload traffic {
  concurrency = 16 requests
  class chat { share = 75%; input = lognormal(median: 5_000 tokens, p95: 12_000 tokens, at_least: 3_000 tokens, at_most: 24_000 tokens); output = 400 tokens; shared_prefix = 2_500 tokens }
  class agent { share = 25%; input = 20_000 tokens; output = 1_000 tokens; shared_prefix = 8_000 tokens }
}
sharding piped { tensor = 4 devices; stages = 2 stages }
sharding spread { data = 8; expert_parallel = true }
sharding tensor { tensor = 4 devices }
device dear { memory = 180 GB/device source "a quote"; bandwidth = 7_700 GB/s/device source "a data sheet"; peak = 2_250 TFLOP/s/device source "a data sheet" }

deployment prod {
  model = qwen3_30b_a3b_instruct_2507; cache = bf16_paged; device = nvidia.h100_sxm; sharding = piped; workload = traffic
  engine = vllm_0_22_1 { max_model_len = 32_768 tokens }
}
option other of prod { device = dear; sharding = tensor }
option tp of prod { sharding = tensor }
option ep of prod { sharding = spread }
option wide of prod { sharding.tensor = 8 devices }
option eight_bit of prod { cache = fp8_paged }

measure prod.request.ttft = 2.1 s as load { engine = "vllm@0.22.1"; hardware = "8 H100 SXM"; arrival = "one request at a time"; input = "24,000 tokens"; output = "the mix"; statistic = "p95"; boundary = "server"; preemptions = "none"; cache_reuse = "2,496 tokens"; cache_dtype = "bf16"; model = "qwen3_30b_a3b_instruct_2507"; tensor_parallel = "4 devices" }
require prod.request.ttft <= 3 s "starts soon"
require prod.kv.peak_reserved <= prod.kv.pool "all are admitted"
report prod.memory, prod.weights, prod.kv, prod.prefill, prod.decode, prod.request, prod.roofline
"""
OPTIONS = ("wide", "other", "tp", "ep", "eight_bit")
EDITS = {
    "stages": ("stages = 2 stages", "stages = 4 stages"),
    "tensor": ("piped { tensor = 4 devices", "piped { tensor = 2 devices"),
    "copies": ("stages = 2 stages }", "stages = 2 stages; data = 2 }"),
    "prefix": ("shared_prefix = 2_500 tokens", "shared_prefix = 1_000 tokens"),
    "rebound": ("sharding = piped;", "sharding = tensor;"),
    "spread": ("sharding = piped;", "sharding = spread;"),
    "device": ("device = nvidia.h100_sxm;", "device = nvidia.h200_sxm;"),
    "measured": ("= 2.1 s as load", "= 2.4 s as load"),
}


def edited(*names: str) -> PlanDoc:
    text = PLAN
    for name in names:
        assert EDITS[name][0] in text
        text = text.replace(*EDITS[name])
    return document(text, "plans/causes.plan")


def option(before: str, after: str) -> DiffDoc:
    names = (f"prod@{each}" if each else "prod" for each in (before, after))
    return compare_options(Alternatives(edited()), "prod", *names)


def differences(diff: DiffDoc) -> list[Difference]:
    return [q.change for q in diff.quantities] + [v.change for v in diff.verdicts]


def causes(diff: DiffDoc, address: str) -> dict[tuple[str, ...], Fraction]:
    named = {d.id: d.address for d in diff.declarations}
    [change] = [q.change for q in diff.quantities if q.address == address]
    return {tuple(named[i] for i in cause.declarations): Fraction(cause.share) for cause in change.causes}


def led_to(doc: PlanDoc, start: str) -> set[str]:
    """The things that a thing leads to: by its fields, and theirs."""
    found, waiting = set[str](), [start]
    while waiting:
        thing = waiting.pop()
        if thing not in found:
            found.add(thing)
            waiting += [s.refers for s in doc.settings if s.refers and under(s.address, thing) is not None]
    return found


def obeys(diff: DiffDoc, one: PlanDoc, two: PlanDoc, tops: tuple[str, str]) -> None:
    reached = led_to(one, tops[0]) | led_to(two, tops[1])
    for declaration in diff.declarations:
        assert declaration.sort in ("setting", "value", "measurement"), declaration
        assert declaration.before != declaration.after, declaration
        places = [declaration.address.replace("prod.", f"{top}.", 1) for top in tops]
        assert any(under(place, thing) is not None for place in places for thing in reached), declaration
    for change in differences(diff):
        if change.causes:
            assert sum(Fraction(cause.share) for cause in change.causes) == Fraction(change.difference)
        else:
            assert change.difference in (None, "0"), change


PAIRS = [("", name) for name in OPTIONS] + [("other", "ep"), ("tp", "other"), ("ep", "")]


@pytest.mark.parametrize(("before", "after"), PAIRS)
def test_causes_between_options(before, after):
    tops = (f"prod@{before}" if before else "prod", f"prod@{after}" if after else "prod")
    obeys(option(before, after), edited(), edited(), tops)


EDITED = [(name,) for name in EDITS] + [
    ("device", "rebound"),
    ("stages", "prefix"),
    ("device", "tensor", "copies"),
]


@pytest.mark.parametrize("names", EDITED, ids="-".join)
def test_causes_between_editions(names):
    one, two = edited(), edited(*names)
    diff = compare(one, two)
    obeys(diff, one, two, ("prod", "prod"))
    # What was measured on other devices does not count any more: the edit of these is the cause, as of all else.
    assert len(diff.declarations) == len(names)


def test_a_rebound_reference_is_the_one_cause_of_all_that_it_brings():
    """Pipeline stages, tensor sizes and defaults of the two shardings took each other's place; nobody edited them."""
    diff = option("", "tp")
    assert [(d.address, d.before, d.after) for d in diff.declarations if d.sort != "measurement"] == [
        ("prod.sharding", "piped", "tensor")
    ]
    assert set(causes(diff, "prod.kv.bytes_per_token_device")) == {("prod.sharding",)}


def test_an_edit_goes_by_the_field_that_was_edited():
    """Formulas copy the sharding for themselves; nobody wrote those copies."""
    [declaration] = [d for d in option("", "wide").declarations if d.sort != "measurement"]
    assert (declaration.address, declaration.before, declaration.after) == (
        "prod.sharding.tensor",
        "4 devices",
        "8 devices",
    )


def test_a_device_has_no_part_in_what_it_does_not_touch():
    diff = option("", "other")
    for address in (
        "kv.bytes_per_token_device",
        "kv.block_bytes",
        "kv.peak_live",
        "kv.mean_live",
        "memory.weights",
    ):
        assert set(causes(diff, f"prod.{address}")) == {("prod.sharding",)}
    assert set(causes(diff, "prod.kv.blocks")) == {("prod.device",), ("prod.sharding",)}


def test_a_device_has_no_part_where_no_formula_names_the_sharding():
    """A latent that every device keeps whole: only the count of stages says who is right."""
    text = PLAN.replace("qwen3_30b_a3b_instruct_2507", "deepseek_v3").replace(
        "eight_bit of prod { cache = fp8_paged }", "eight_bit of prod { }"
    )
    diff = compare_options(Alternatives(document(text, "plans/latent.plan")), "prod", "prod", "prod@other")
    assert set(causes(diff, "prod.kv.bytes_per_token_device")) == {("prod.sharding",)}
    assert set(causes(diff, "prod.memory.weights")) == {("prod.sharding",)}


def test_calls_of_both_sides_do_not_run_together():
    """A call that an option shares with its base, and its own call of the same formula."""
    [mean] = [q for q in option("", "tp").quantities if q.address == "prod.kv.mean_live"]
    assert len(mean.change.causes) == 1
    assert mean.change.ratio == "2"


def test_a_measurement_that_was_lost_is_the_cause():
    """The measured 2.1 s closed what only a bound from below is known of; it belongs to one side."""
    diff = option("", "tp")
    [ttft] = [v for v in diff.verdicts if v.label == "starts soon"]
    assert (ttft.before.status, ttft.after.status) == ("holds", "not established")
    named = {d.id: d for d in diff.declarations}
    largest = named[ttft.change.causes[0].declarations[0]]
    assert (largest.address, largest.sort) == ("prod.request.ttft!load", "measurement")
    assert (largest.before, largest.after) == ("2.1 s", None)
    assert not [r for r in diff.remarks if r.sort == "measurement"]  # the declaration says it


def test_a_measurement_that_says_something_else_is_the_cause():
    diff = compare(edited(), edited("measured"))
    [declaration] = diff.declarations
    assert (declaration.address, declaration.before, declaration.after) == (
        "prod.request.ttft!load",
        "2.1 s",
        "2.4 s",
    )


SHAPED = """\
entity rack { mode : one of wide, deep; count : static whole; spare : number; size : number
  room : number = if mode == wide then size * 3 else size * 5
  rows : number = sum(size for i in range(count)) }
rack r { mode = wide; count = 2; spare = 1; size = 10 }
report r
"""


@pytest.mark.parametrize(
    ("edits", "causes_of_room", "causes_of_rows"),
    [
        ({"mode = wide": "mode = deep", "spare = 1": "spare = 2"}, {"r.mode": 20}, None),
        ({"count = 2": "count = 3", "mode = wide": "mode = deep"}, {"r.mode": 20}, {"r.count": 10}),
    ],
)
def test_what_decided_a_formula_is_the_cause(edits, causes_of_room, causes_of_rows):
    """By hand: 10 × 3 or 10 × 5; two rows of 10, or three."""
    text = SHAPED
    for before, after in edits.items():
        text = text.replace(before, after)
    diff = compare(document(SHAPED, "shaped.plan"), document(text, "shaped.plan"))
    assert causes(diff, "r.room") == {(name,): share for name, share in causes_of_room.items()}
    if causes_of_rows:
        assert causes(diff, "r.rows") == {(name,): share for name, share in causes_of_rows.items()}
