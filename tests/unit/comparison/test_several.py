"""What is told where several things refer to one and change: of each its own edit, as compiling every coalition says it."""

from __future__ import annotations

from fractions import Fraction

import pytest

from capwright.comparison.compare import compare
from capwright.compiling import compile_plan
from capwright.document.diffdoc import DiffDoc, Difference
from capwright.loading import load
from tests.support.compared import SHAPES, Edit, document, made, told, true_parts

HEAD = (
    SHAPES
    + """\
entity box { of : shape; k : byte default 1 byte; n : static whole default 2
  plain : byte = of.v * 2
  held : byte = area(of) * 3 + k
  rows : byte = sum(area(of) for i in range(n)) }
entity pair { first : box; second : box
  left : byte = area(first.of); right : byte = within(second); both : byte = area(first.of) + area(second.of) }
formula within(b: box) : byte = area(b.of) + b.of.v
square tile { v = 4 bytes }
square slab { v = 40 bytes }
round disc { v = 400 bytes; edge = 100 bytes }
box one { of = tile }
box two { of  = tile }
box three { of   = tile }
box four from one { }
option restated of one { of    = tile }
option other of one { k = 3 bytes }
pair p { first = one; second = two }
total : byte = area(one.of) + area(two.of)
only : byte = area(two.of) * 5
require one.held <= 1_000 bytes  "one"
require two.held <= 1_000 bytes  "two"
require area(two.of) <= 1_000 bytes  "called"
require one.held + two.held <= 10_000 bytes  "both"
report one, two, three, four, p, total, only, one@restated, one@other
"""
)
ONE: Edit = ("one { of = tile", "one { of = slab")
NUMBERS = ("plain", "held", "rows")
OWNERS = {"one": "one.of", "two": "two.of", "four": "one.of", "one@other": "one.of"}


def second(thing: str) -> Edit:
    return ("two { of  = tile", f"two {{ of  = {thing}")


def shares(diff: DiffDoc, change: Difference) -> dict[tuple[str, ...], Fraction]:
    named = {d.id: d.address for d in diff.declarations}
    return {tuple(named[i] for i in c.declarations): Fraction(c.share) for c in change.causes}


def verdicts(diff: DiffDoc) -> dict[str, set[tuple[str, ...]]]:
    return {v.label: set(shares(diff, v.change)) for v in diff.verdicts}


@pytest.mark.parametrize("thing", ["slab", "disc"])
@pytest.mark.parametrize("turned", [1, -1])
def test_of_each_its_own_edit_whatever_the_others_come_to(thing, turned):
    docs = made(HEAD, (ONE, second(thing)))[::turned]
    diff = compare(docs[0], docs[-1])
    for owner, field in OWNERS.items():
        for name in NUMBERS:
            if f"{owner}.{name}" in {q.address for q in diff.quantities}:
                parts = dict(
                    zip((("one.of",), ("two.of",)), true_parts(docs, f"{owner}.{name}"), strict=True)
                )
                found = told(diff, f"{owner}.{name}")
                assert found == {by: part for by, part in parts.items() if part}, f"{owner}.{name}"
                assert set(found) == {(field,)}
    assert not [q for q in diff.quantities if q.address.startswith(("three.", "one@restated."))]
    assert set(told(diff, "p.left")) == {("one.of",)}
    assert set(told(diff, "only")) == set(told(diff, "p.right")) == {("two.of",)}
    said = verdicts(diff)
    assert (said["one"], said["two"], said["called"]) == ({("one.of",)}, {("two.of",)}, {("two.of",)})


@pytest.mark.parametrize("thing", ["slab", "disc"])
@pytest.mark.parametrize("turned", [1, -1])
def test_what_depends_on_both_has_both(thing, turned):
    docs = made(HEAD, (ONE, second(thing)))[::turned]
    diff = compare(docs[0], docs[-1])
    for address in ("p.both", "total"):
        found = told(diff, address)
        assert {name for block in found for name in block} == {"one.of", "two.of"}, address
        if len(found) > 1:
            one, two = true_parts(docs, address)
            assert found == {("one.of",): one, ("two.of",): two}, address
    assert {name for block in verdicts(diff)["both"] for name in block} == {"one.of", "two.of"}


def test_an_option_that_states_the_field_itself_has_its_own_edit():
    edits = (ONE, ("one { of    = tile", "one { of    = disc"))
    docs = made(HEAD, edits)
    diff = compare(docs[0], docs[-1])
    for name in NUMBERS:
        assert set(told(diff, f"one.{name}")) == {("one.of",)}
        assert set(told(diff, f"one@restated.{name}")) == {("one@restated.of",)}
    assert set(told(diff, "one@other.held")) == {("one.of",)}


def test_an_option_that_states_the_same_again_is_edited_as_its_base_is():
    edits = (ONE, ("one { of    = tile", "one { of    = slab"))
    docs = made(HEAD, edits)
    diff = compare(docs[0], docs[-1])
    assert {d.address for d in diff.declarations} == {"one.of", "one@restated.of"}
    assert set(told(diff, "one.held")) == {("one.of",)}


@pytest.mark.parametrize(
    "edit",
    [("two { of  = tile", "two { of  = tile; k = 9 bytes"), ("two { of  = tile", "two { of  = tile; n = 5")],
)
def test_a_thing_that_keeps_its_reference_has_no_part_in_the_edit_of_another(edit):
    docs = made(HEAD, (ONE, edit))
    for turned in (1, -1):
        ordered = docs[::turned]
        diff = compare(ordered[0], ordered[-1])
        for change in diff.quantities:
            owner = change.address.partition(".")[0]
            names = {name for block in told(diff, change.address) for name in block}
            if owner == "two":
                assert "one.of" not in names, change.address
            elif owner in OWNERS:
                assert names == {"one.of"}, change.address


ENGINES = """\
unit byte, bytes symbol B
entity engine { v : byte; w : byte; m : byte default 0 bytes }
entity old : engine { }
entity new : engine { }
formula cost(e: engine) : byte
formula cost(e: old) : byte = e.v + e.m
formula cost(e: new) : byte = e.v + 2 * e.m
formula wide(e: engine) : byte
formula wide(e: old) : byte = e.w * 2
formula wide(e: new) : byte = e.w * 3
entity run { on : engine; held : byte = cost(on) * 3 + on.w; plain : byte = on.w; far : byte = wide(on) + 1 byte }
old e1 { v = 4 bytes; w = 5 bytes }
new e2 { v = 40 bytes; w = 55 bytes }
old e3 { v = 41 bytes; w = 551 bytes }
run one { on = e1 { m = 1 byte } }
run two { on  = e1 { m = 1 byte } }
run three { on   = e1 { m = 1 byte } }
report one, two, three
"""


@pytest.mark.parametrize("first", ["e2", "e3"])
@pytest.mark.parametrize("then", ["e2", "e3"])
@pytest.mark.parametrize("turned", [1, -1])
def test_of_each_its_own_edit_where_each_has_its_own_copy(first, then, turned):
    edits = (("one { on = e1", f"one {{ on = {first}"), ("two { on  = e1", f"two {{ on  = {then}"))
    docs = made(ENGINES, edits)[::turned]
    diff = compare(docs[0], docs[-1])
    for address in ("one.held", "one.plain", "one.far", "two.held", "two.plain", "two.far"):
        parts = dict(zip((("one.on",), ("two.on",)), true_parts(docs, address), strict=True))
        assert told(diff, address) == {by: part for by, part in parts.items() if part}, address
    assert not [q for q in diff.quantities if q.address.startswith("three.")]


SERVED = """\
use std
use "std/models/meta_llama_3_1_8b.plan"
use "std/models/qwen3_8b_fp8.plan"
use "std/models/qwen3_32b.plan"
workload w { concurrency = 4 requests; class a { input = 8_000 tokens; output = 500 tokens } }
"""


def served(*models: str, edit: Edit = ("", "")) -> DiffDoc:
    """Deployments of one model each, and the same of another."""
    before, after = SERVED, SERVED
    for at, model in enumerate(models):
        made = """\
deployment d{at} {{ model = {model}; cache = bf16_paged; device = nvidia.h100_sxm; workload = w
  engine = vllm_0_10_1 {{ max_model_len = 32_768 tokens }} }}
require d{at}.kv.peak_reserved <= d{at}.kv.pool  "r{at}"
"""
        before += made.format(at=at, model="meta_llama_3_1_8b")
        after += made.format(at=at, model=model)
    after = after.replace(*edit) if edit[0] else after
    report = f"report {', '.join(f'd{at}' for at in range(len(models)))}\n"
    return compare(document(before + report), document(after + report))


@pytest.mark.parametrize(
    "models",
    [
        ("qwen3_8b_fp8", "qwen3_32b"),
        ("qwen3_8b_fp8", "qwen3_8b_fp8"),
        ("qwen3_8b_fp8", "meta_llama_3_1_8b", "qwen3_8b_fp8"),
    ],
)
def test_a_deployment_has_the_edit_of_its_own_model(models):
    diff = served(*models)
    changes = [(q.address, q.change) for q in diff.quantities] + [
        (v.before.written, v.change) for v in diff.verdicts if v.before is not None
    ]
    assert {address.partition(".")[0] for address, _ in changes} == {
        f"d{at}" for at, model in enumerate(models) if model != "meta_llama_3_1_8b"
    }
    for address, change in changes:
        owner = address.partition(".")[0]
        if change.difference not in (None, "0"):
            assert set(shares(diff, change)) == {(f"{owner}.model",)}, address


def test_engines_that_change_alike_are_each_the_cause_of_their_own():
    diff = served(
        "meta_llama_3_1_8b", "meta_llama_3_1_8b", edit=("engine = vllm_0_10_1 {", "engine = vllm_0_22_1 {")
    )
    for change in diff.quantities:
        owner = change.address.partition(".")[0]
        if change.change.difference not in (None, "0"):
            assert set(shares(diff, change.change)) == {(f"{owner}.engine",)}, change.address


SHARED = """\
unit byte, bytes symbol B
entity engine { w : byte; m : byte default 0 bytes }
entity run { on : engine; plain : byte = on.w; far : byte = on.w * 2 + on.m }
engine e1 { w = 5 bytes }
engine e2 { w = 55 bytes }
run one { on = e1 { m = 1 byte } }
run two { on  = e1 }
report one, two
"""


@pytest.mark.parametrize("turned", [1, -1])
def test_what_one_has_a_copy_of_and_another_refers_to(turned):
    edits = (("one { on = e1", "one { on = e2"), ("two { on  = e1", "two { on  = e2"))
    docs = made(SHARED, edits)[::turned]
    diff = compare(docs[0], docs[-1])
    for address in ("one.plain", "one.far", "two.plain", "two.far"):
        parts = dict(zip((("one.on",), ("two.on",)), true_parts(docs, address), strict=True))
        assert told(diff, address) == {by: part for by, part in parts.items() if part}, address


CHOSEN = """\
unit byte, bytes symbol B
entity shape { v : byte }
entity run { of : shape; n : static whole; mode : one of plain, rich
  rows : byte = sum(of.v for i in range(n)) + 1 byte
  taken : byte = if mode == plain then of.v else of.v * 2 }
shape tile { v = 4 bytes }
run one { of = tile; n = 1; mode = plain }
run two { of = tile; n = 1;  mode = plain }
report one, two
"""


@pytest.mark.parametrize("turned", [1, -1])
@pytest.mark.parametrize(
    ("edits", "fields"),
    [
        ((("n = 1; mode", "n = 2; mode"), ("n = 1;  mode", "n = 2;  mode")), ("one.n", "two.n")),
        (
            (("; mode = plain", "; mode = rich"), (";  mode = plain", ";  mode = rich")),
            ("one.mode", "two.mode"),
        ),
    ],
)
def test_of_each_its_own_number_and_word_where_they_change_alike(edits, fields, turned):
    docs = made(CHOSEN, edits)[::turned]
    diff = compare(docs[0], docs[-1])
    for address in ("one.rows", "one.taken", "two.rows", "two.taken"):
        if address in {q.address for q in diff.quantities}:
            parts = dict(zip(((fields[0],), (fields[1],)), true_parts(docs, address), strict=True))
            assert told(diff, address) == {by: part for by, part in parts.items() if part}, address


@pytest.mark.parametrize("turned", [1, -1])
def test_of_each_its_own_edit_where_one_was_renamed(turned):
    head = HEAD.partition("square tile")[0] + "square tile { v = 4 bytes }\nsquare slab { v = 40 bytes }\n"
    before = head + "box one { of = tile }\nbox two { of = tile }\nreport one, two\n"
    after = head + "box one { of = slab }\nbox new { of = slab }\nmoved two to new\nreport one, new\n"
    diff = compare(*(document(text) for text in (before, after)[::turned]))
    other = "new" if turned == 1 else "two"
    for owner in ("one", other):
        for name in NUMBERS:
            assert set(told(diff, f"{owner}.{name}")) == {(f"{owner}.of",)}


@pytest.mark.parametrize("things", [("slab", "slab"), ("slab", "disc")])
def test_of_each_its_own_edit_where_all_are_in_another_file(things):
    head = HEAD.partition("box one {")[0]
    docs = []
    for one, two in (("tile", "tile"), things):
        other = f"""{head}box one {{ of = {one} }}
box two {{ of = {two} }}
first : byte = area(one.of) + 1 byte
second : byte = area(two.of) + 1 byte
held : byte = two.held * 2
"""
        texts = {
            "plans/m.plan": other,
            "plans/x.plan": 'use "m.plan" as m\nreport m.first, m.second, m.held\n',
        }
        docs.append(compile_plan(load("plans/x.plan", root=".", texts=texts)).sound)
    for before, after in (docs, docs[::-1]):
        diff = compare(before, after)
        assert set(told(diff, "m.first")) == {("m.one.of",)}
        assert set(told(diff, "m.second")) == set(told(diff, "m.held")) == {("m.two.of",)}


@pytest.mark.parametrize("between", ["; ", "\n"])
def test_what_stands_on_one_line_is_edited_each_by_itself(between):
    """Two things whose fields are rebound alike, and two formulas: each has its own part, however the lines are broken."""
    lines = [
        "entity part { w : number }",
        "part small { w = 1 }",
        "part large { w = 2 }",
        "entity room { part : part; cost : number = part.w * 3 }",
        between.join(["room a { part = small }", "room b { part = small }"]),
        between.join(["formula f(x: number) : number = x * 2", "formula g(x: number) : number = x * 5"]),
        "c = a.cost + 10 * b.cost\nd = f(3)\ne = g(3)\nreport c, d, e\n",
    ]
    text = "\n".join(lines)
    before = document(text, "rooms.plan")
    after = document(
        text.replace("part = small", "part = large").replace("* 2", "* 3").replace("* 5", "* 7"), "rooms.plan"
    )
    diff = compare(before, after)
    assert told(diff, "c") == {("a.part",): 3, ("b.part",): 30}
    assert told(diff, "d") == {("f(…)",): 3}
    assert told(diff, "e") == {("g(…)",): 6}
