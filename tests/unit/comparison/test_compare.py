"""What a comparison says of one plan in two editions: declarations, where they stand, and changes in words."""

from __future__ import annotations

import json
import shutil
from fractions import Fraction
from pathlib import Path

import pytest
from msgspec.structs import replace

from capwright.comparison.compare import compare
from capwright.comparison.matrix import matrices
from capwright.compiling import compile_plan
from capwright.document.codec import diff_from_json, schema_errors, to_json
from capwright.document.diffdoc import DeclarationChange, DiffDoc, QuantityChange
from capwright.document.plandoc import PlanDoc
from capwright.loading import load
from capwright.render.terminal.diff import diff_text
from tests.support.compared import EXAMPLE, document, edited, example

SCHEMA = json.loads(Path("grammar/diffdoc.schema.json").read_text(encoding="utf-8"))


def changed(diff: DiffDoc, address: str) -> QuantityChange:
    return next(q for q in diff.quantities if q.address == address)


def said(diff: DiffDoc) -> list[tuple[str, str | None, str | None]]:
    return [(d.address, d.before, d.after) for d in diff.declarations]


def shares(diff: DiffDoc, address: str) -> dict[str, Fraction]:
    named = {d.id: d.address for d in diff.declarations}
    return {named[c.declarations[0]]: Fraction(c.share) for c in changed(diff, address).change.causes}


def test_a_rebound_field_is_one_declaration_that_carries_facts():
    diff = compare(edited(), edited("device"))
    assert said(diff) == [("prod.device", "h100", "amd.mi300x")]
    facts = {fact.name: fact for fact in diff.declarations[0].facts}
    assert facts["bandwidth"].before_address == "h100.bandwidth"
    assert facts["bandwidth"].after_address == "amd.mi300x.bandwidth"
    assert changed(diff, "prod.roofline.bandwidth").change.causes[0].facts == ("bandwidth",)
    assert shares(diff, "prod.memory.advertised") == {
        "prod.device": Fraction(206_158_430_208 - 80_000_000_000)
    }


def test_two_declarations_share_what_they_do_together():
    """By hand: 80 layers × 8 heads × 256 elements of 2 or 1 bytes, over 4 or 8 devices; half of the product term each."""
    diff = compare(edited(), edited("cache", "tensor"))
    assert shares(diff, "prod.kv.bytes_per_token_device") == {"prod.cache": -30_720, "tp4.tensor": -30_720}
    assert changed(diff, "prod.kv.bytes_per_token_device").change.ratio == "1/4"


@pytest.mark.parametrize(
    ("edit", "declared"),
    {
        "stages": {"tp4.stages"},
        "data": {"tp4.data"},
        "replicas": {"tp4.replicas"},
        "prefix": {"archive.classes.summary.shared_prefix"},
        "engine": {"prod.engine"},
        "eager": {"prod.engine.hybrid_kv_cache_manager"},
        "letters": {"archive.classes", "archive.classes.summary.share"},
    }.items(),
)
def test_an_edit_that_changes_formulas_is_the_only_declaration(edit, declared):
    """What an edit decides, which branch and which formula, is its doing, however far away it stands."""
    diff = compare(edited(), edited(edit))
    assert {d.address for d in diff.declarations} == declared
    assert {d.origin for d in diff.declarations} == {"plan edit"}
    assert all(q.change.causes for q in diff.quantities if q.change.difference not in (None, "0"))


@pytest.mark.parametrize(("turned", "before", "after"), [(1, "bf16", "fp8_e4m3"), (-1, "fp8_e4m3", "bf16")])
def test_an_edit_in_a_fields_own_copy_is_the_declaration(turned, before, after):
    own_copy = document(f"{example()}\nprod.cache.element = fp8_e4m3\n")
    diff = compare(*[edited(), own_copy][::turned])
    assert said(diff) == [("prod.cache.element", before, after)]
    moved = changed(diff, "prod.kv.bytes_per_token")
    assert {abs(share) for share in shares(diff, moved.address).values()} == {163_840}


def test_a_bound_is_attributed_on_its_established_end():
    change = changed(compare(edited(), edited("device")), "prod.decode.hard_step").change
    assert change.part == "low"
    assert change.method == "exact"
    assert not change.separated


def test_an_edit_of_a_number_an_origin_an_element_and_a_list():
    assert said(compare(edited(), edited("requests"))) == [
        ("archive.concurrency", "3 requests", "4 requests")
    ]
    assert said(compare(edited(), edited("origin"))) == [("h100", "nvidia.h100_sxm", "nvidia.h200_sxm")]
    assert said(compare(edited(), edited("element")))[0] == ("pages_bf16.element", "bf16", "fp8_e4m3")
    assert said(compare(edited(), edited("class"))) == [
        ("archive.classes", "dossier, summary", "dossier, letter, summary")
    ]


def test_equal_looking_pairs_are_never_printed():
    [declaration] = compare(edited(), edited("range")).declarations
    assert declaration.before == "0.80 (assumed 0.70 .. 0.90)"
    assert declaration.after == "0.80 (assumed 0.75 .. 0.85)"


COPIED = """\
unit byte symbol B
entity shelf { size : byte; share : number default 1 }
entity rack { shelf : shelf; count : number; room : byte = shelf.size * shelf.share * count }
shelf old { size = 8 byte }
shelf wide { size = 12 byte }
rack prod { shelf = old; count = 2 }
rack pair from prod { }
rack again from pair { }
report again, pair, prod
"""


@pytest.mark.parametrize(
    ("edit", "declared"),
    [(("shelf = old", "shelf = wide"), "prod.shelf"), (("count = 2", "count = 3"), "prod.count")],
)
def test_what_a_copy_has_from_what_it_copies_was_edited_there(edit, declared):
    """Of the names that sort before it none was written."""
    diff = compare(document(COPIED), document(COPIED.replace(*edit)))
    assert {one.address for one in diff.declarations} == {declared}
    assert "prod.room" in {q.address for q in diff.quantities}
    named = {one.id: one.address for one in diff.declarations}
    causes = {named[id] for q in diff.quantities for cause in q.change.causes for id in cause.declarations}
    assert causes == {declared}


def test_an_edit_in_a_copy_is_the_copys():
    mended = COPIED.replace("from prod { }", "from prod { count = 5 }")
    diff = compare(document(COPIED), document(mended))
    assert {one.address for one in diff.declarations} == {"pair.count"}
    assert "pair.room" in {q.address for q in diff.quantities}
    assert not any(q.address.startswith("prod.") for q in diff.quantities)


def test_a_lost_assumption_is_a_change_in_words():
    texts = [remark.text for remark in compare(edited(), edited("device")).remarks]
    assert "`prod.device` was rebound: assumption `bandwidth_share` no longer used" in " ".join(texts)
    assert all(remark.cause == "c1" for remark in compare(edited(), edited("device")).remarks)


def test_a_new_caveat_is_a_change_in_words():
    remarks = compare(edited(), edited("cache")).remarks
    assert [(r.sort, r.what, r.name) for r in remarks] == [
        ("caveat", "new", "narrow_attention"),
        ("caveat", "new", "quality_not_shown"),
    ]
    remark = remarks[1]
    assert {"prod.kv.saving", "prod.kv.peak_reserved", "prod.kv.blocks"} <= set(remark.addresses)
    assert "prod.kv.pool" not in remark.addresses


NOTED = "kind room : number for capacity\nkind span : number for time\na : number kind room = 3  caveat {}\nreport a\n"


@pytest.mark.parametrize(
    ("before", "after", "told"),
    [
        ('guess permanent for capacity "so"', 'guess for capacity "so"', "it is permanent no more"),
        ('guess for capacity "so"', 'guess permanent for capacity "so"', "nothing takes it away now"),
        ('guess for capacity "so"', 'guess for capacity, time "so"', "for capacity → for capacity, time"),
        ('guess for capacity "so"', 'guess for capacity "not so"', "it says now “not so”"),
        ('guess for capacity, time "so"', 'guess for time, capacity "so"', ""),
        ('guess for capacity "so it is"', 'guess for capacity "so  it is"', ""),
    ],
)
def test_a_caveat_that_says_something_else_is_a_change_in_words(before, after, told):
    diff = compare(document(NOTED.format(before)), document(NOTED.format(after)))
    assert [one.text for one in diff.remarks] == ([f"caveat `guess`: {told}"] if told else [])
    assert diff.empty == (not told)


def test_a_changed_reason_is_a_change_in_words():
    text = example().replace("stream benchmark on this fleet, 2026-09", "another benchmark")
    diff = compare(edited(), document(text))
    assert [r.text for r in diff.remarks] == [
        "assumption `h100.bandwidth_share`: the reason is now “another benchmark”"
    ]
    assert not diff.quantities


@pytest.mark.parametrize(
    ("before", "after", "told"),
    [
        ("assume x = 3 in 2 .. 5", "assume x = 4 in 2 .. 5", "another nominal value is assumed, in the same range"),
        ("assume x = 3 in 2 .. 5", "assume x = 3 in 2 .. 4", "another range is assumed"),
        ("assume x = 3 in 2 .. 5", "assume x = 4 in 3 .. 5", "another range is assumed"),
        ("x ~ 3", "x ~ 4", "another nominal value is assumed"),
        ("assume x = 3 in 2 .. 5", "assume x = 6/2 in 4/2 .. 5", None),
    ],
)  # fmt: skip
def test_another_range_is_said_only_of_another_range(before: str, after: str, told: str | None):
    plan = '{} because "a log"\ntwice = 2 * x\nexpect twice <= 9 "few"\nreport twice'
    diff = compare(document(plan.format(before)), document(plan.format(after)))
    found = [each.text for each in diff.remarks if each.sort == "assumption"]
    assert found == ([f"assumption `x`: {told}"] if told else [])


def test_a_verdict_that_flips_stands_first():
    diff = compare(edited(), edited("requests", "limit"))
    assert (diff.verdicts[0].before.status, diff.verdicts[0].after.status) == ("holds", "violated")
    assert [v.what for v in diff.verdicts] == ["status", "margin"]


def test_a_requirement_may_come_and_go():
    text = example().replace(
        'require prod.request.itl <= 40 ms              "alone, tokens come at reading speed"\n', ""
    )
    assert [(v.what, v.label) for v in compare(edited(), document(text)).verdicts] == [
        ("removed", "alone, tokens come at reading speed")
    ]
    assert [v.what for v in compare(document(text), edited()).verdicts] == ["added"]


def test_a_moved_name_is_no_difference_but_its_name():
    text = example().replace("h100 ", "hopper ").replace("= h100;", "= hopper;")
    diff = compare(edited(), document(f"{text}\nmoved h100 to hopper\n"))
    assert ("h100.memory", "hopper.memory") in {(m.old, m.new) for m in diff.moved}
    assert (diff.declarations, diff.quantities, diff.others) == ((), (), ())
    assert (diff.added, diff.removed, diff.verdicts) == ((), (), ())
    unsaid = compare(edited(), document(text))
    assert said(unsaid) == [("prod.device", "h100", "hopper")]


def small(*statements: str) -> PlanDoc:
    return document("\n".join(["use std", *statements, ""]), "a.plan")


X_AND_Y = ("x : byte = 3 bytes", "y : byte = 5 bytes", "z : byte = x * 2 + y", "report x, y, z")
SWAPPED = ("y : byte = 3 bytes", "x : byte = 5 bytes", "z : byte = y * 2 + x", "report y, x, z")
SWAP = ("moved x to y", "moved y to x")


@pytest.mark.parametrize("swap", [SWAP, SWAP[::-1]])
def test_names_may_change_places(swap):
    there = compare(small(*X_AND_Y), small(*SWAPPED, *swap))
    assert [(m.old, m.new) for m in there.moved] == [("y", "x"), ("x", "y")]
    assert (there.declarations, there.quantities, there.others, there.remarks) == ((), (), (), ())
    back = compare(small(*SWAPPED, *swap), small(*X_AND_Y))
    assert {(m.new, m.old) for m in back.moved} == {(m.old, m.new) for m in there.moved}
    assert (back.declarations, back.quantities, back.others, back.remarks) == ((), (), (), ())


def test_names_may_move_up_in_a_row():
    after = small(
        "y : byte = 3 bytes",
        "w : byte = 5 bytes",
        "z : byte = y * 2 + w",
        "report y, w, z",
        "moved x to y",
        "moved y to w",
    )
    diff = compare(small(*X_AND_Y), after)
    assert {(m.old, m.new) for m in diff.moved} == {("x", "y"), ("y", "w")}
    assert (diff.declarations, diff.quantities, diff.added, diff.removed) == ((), (), (), ())


def test_what_both_say_was_renamed_before_both():
    assert compare(small(*SWAPPED, *SWAP), small(*SWAPPED, *SWAP)).empty
    later = (SWAPPED[0].replace("3", "4"), *SWAPPED[1:], *SWAP)
    diff = compare(small(*SWAPPED, *SWAP), small(*later))
    assert (diff.moved, said(diff)) == ((), [("y", "3 bytes", "4 bytes")])


def test_a_name_that_is_taken_is_not_taken_over():
    """`y` was there before, and is gone: what is called so now was `x`, and nobody said so of a free name."""
    diff = compare(
        small(*X_AND_Y), small("y : byte = 3 bytes", "z : byte = y * 3", "report y, z", "moved x to y")
    )
    assert diff.moved == ()
    assert [e.address for e in diff.removed] == ["x"]


def test_a_name_that_never_was_is_said():
    before, after = small(*X_AND_Y), small(*X_AND_Y, "moved zzz to y")
    [there], [back] = compare(before, after).remarks, compare(after, before).remarks
    assert (there.sort, there.what, there.name) == ("moved", "new", "y")
    assert there.text == "`moved zzz to y`: there is no `zzz` to compare with"
    assert (back.sort, back.what, back.text) == ("moved", "lost", there.text)
    assert compare(after, after).empty


@pytest.fixture
def library(tmp_path):
    folder = tmp_path / "library"
    shutil.copytree("plans/std", folder)

    def edit(file: str, before: str, after: str) -> list[DeclarationChange]:
        path = folder / file
        text = path.read_text(encoding="utf-8")
        assert before in text
        path.write_text(text.replace(before, after, 1), encoding="utf-8")
        other = compile_plan(load(EXAMPLE, root=".", library=folder)).sound
        diff = compare(edited(), other)
        assert diff.quantities
        for quantity in diff.quantities:
            if quantity.change.causes:
                total = sum(Fraction(cause.share) for cause in quantity.change.causes)
                assert total == Fraction(quantity.change.difference)
        return list(diff.declarations)

    return edit


def test_a_changed_catalogue_fact_is_said_to_be_one(library):
    [found] = library("devices/nvidia.plan", "bandwidth = 3_350 GB/s/device", "bandwidth = 3_000 GB/s/device")
    assert (found.origin, found.address, found.sort) == ("catalogue", "h100.bandwidth", "value")
    assert (found.before, found.after) == ("3,350 GB/s/device", "3,000 GB/s/device")


def test_a_changed_formula_of_a_profile_is_said_to_be_one(library):
    old = "= share - weights - activations - other - graphs"
    [found] = library("engine/vllm_0_10_1.plan", old, old.replace("other", "2 * other"))
    assert (found.origin, found.sort, found.address) == ("engine profile", "formula", "usable_pool(…)")


def test_a_changed_formula_of_the_library_is_said_to_be_one(library):
    old = "= requests * decode_work(m, n + 1 token, prefix) / (s.tensor * s.context * (s.stages in stage))"
    [found] = library("decode.plan", old, old.replace("requests", "2 * requests"))
    assert (found.origin, found.sort, found.address) == ("library", "formula", "decode_flops(…)")


def test_another_tool_is_a_cause_of_its_own():
    """A document that an older tool wrote: what this tool makes of it differs from what it says."""
    old = edited()
    wrong = [
        replace(q, low="1", nominal="1", high="1") if q.address == "prod.kv.blocks" else q
        for q in old.quantities
    ]
    diff = compare(replace(old, tool_version="0.0.1", tool_sha256="a", quantities=tuple(wrong)), old)
    [quantity] = diff.quantities
    assert [c.declarations for c in quantity.change.causes] == [("tool",)]
    assert [(d.id, d.origin) for d in diff.declarations] == [("tool", "tool")]
    assert Fraction(quantity.change.causes[0].share) == Fraction(quantity.change.difference)


def test_a_plan_with_errors_differs_by_what_is_sound():
    text = example().replace(
        "require prod.request.itl", "nonsense = undefined_name\nrequire prod.request.itl"
    )
    compiled = compile_plan(
        load(EXAMPLE, root=".", texts={EXAMPLE: text.replace("concurrency = 3", "concurrency = 4")})
    )
    assert compiled.failed
    diff = compare(edited(), compiled.sound)
    assert diff.after.failed
    assert [m.code for m in diff.after.messages] == [
        d.code for d in compiled.diagnostics if d.severity == "error"
    ]
    assert said(diff) == [("archive.concurrency", "3 requests", "4 requests")]


def test_formulas_that_go_round_in_an_edited_document_do_no_harm():
    old = edited()
    ring = {"prod.kv.pool": "prod.memory.pool", "prod.memory.pool": "prod.kv.pool"}
    made = tuple(
        replace(q, formula={"op": "ref", "address": ring[q.address]}, nominal="7") if q.address in ring else q
        for q in old.quantities
    )
    diff = compare(old, replace(old, quantities=made))
    assert {q.address for q in diff.quantities} == set(ring)
    assert all(not q.change.causes for q in diff.quantities)


EDITIONS = [
    (),
    ("device",),
    ("cache", "tensor", "requests"),
    ("device", "tensor", "requests", "share", "limit", "class"),
]


@pytest.mark.parametrize("names", EDITIONS, ids=str)
def test_a_comparison_is_written_and_read(names):
    diff = compare(edited(), edited(*names))
    text = to_json(diff)
    assert schema_errors(text, SCHEMA) == ()
    assert diff_from_json(text) == (diff, ())


def test_the_matrix_has_every_option_and_its_difference():
    [matrix] = matrices(edited())
    assert [c.address for c in matrix.columns] == [
        "prod",
        "prod@tp8",
        "prod@h200",
        "prod@mi300x",
        "prod@fp8_cache",
    ]
    statuses = {c.address: [v.status for v in c.verdicts] for c in matrix.columns}
    assert statuses["prod"] == [v.status for v in edited().verdicts]
    assert statuses["prod@tp8"][2] == "not established"
    assert matrix.columns[0].diff is None
    for column in matrix.columns[1:]:
        assert column.diff is not None
        assert len(column.diff.declarations) == 1


ASKED = """\
entity rack { size : number; left : number = size - 10; heat : number = 2 * size }
rack r { size = 12 }
option big of r { size = 30 }
option huge of r { size = 90 }
require r@big.left >= 5 "room in the big one"
require r.left >= 5 "room"
require r@big.heat <= 100 "the big one stays cool"
require r@huge.heat <= 100 "the huge one stays cool"
report r
"""


def test_what_the_plan_asks_of_an_option_is_asked_once():
    """Options answer what their base is asked; what is written for one of them is asked of no other one."""
    matrix = matrices(document(ASKED, "asked.plan"))[0]
    assert [[(v.label, v.status) for v in column.verdicts] for column in matrix.columns] == [
        [("room", "violated")],
        [("room", "holds"), ("the big one stays cool", "holds")],
        [("room", "holds"), ("the huge one stays cool", "violated")],
    ]
    big = matrix.columns[1].diff
    assert big is not None
    assert [(v.what, v.label) for v in big.verdicts] == [
        ("status", "room"),
        ("added", "the big one stays cool"),
    ]


def test_what_was_renamed_as_a_whole_is_told_once_with_how_much_it_holds():
    text = "entity rack { size : number; load : number; spare : number = size - load }\n"
    before = (
        text
        + "rack r { size = 8; load = 3 }\noption big of r { size = 9 }\nfee : number = 2\nreport r, fee\n"
    )
    after = (
        before.replace("rack r", "rack s").replace("of r", "of s").replace("report r, fee", "report s, cost")
    )
    after = after.replace("fee :", "cost :") + "moved r to s\nmoved fee to cost\n"
    diff = compare(document(before, "a.plan"), document(after, "a.plan"))
    assert [(one.old, one.new) for one in diff.renames] == [("fee", "cost"), ("r", "s")]
    assert sum(one.quantities for one in diff.renames) == len(diff.moved) > 4
    text = diff_text(diff)
    assert "  fee → cost\n" in text
    assert f"  r → s, {len(diff.moved) - 1} quantities\n" in text
    assert "r.spare" not in text
    read, problems = diff_from_json(to_json(diff))
    assert (read, problems) == (diff, ())
    assert schema_errors(to_json(diff), SCHEMA) == ()


ASKS = """
assume u = 0.7 in 0.5 .. 0.8 because "an example"
a = u * 2
b = u * 3
require a <= 10 "memory fits"
require b <= 12 "time is kept"
"""


def test_requirements_that_exchange_their_words_are_told():
    """Whoever knows a requirement by its words would take one for the other."""
    other = (
        ASKS.replace("memory fits", "?").replace("time is kept", "memory fits").replace("?", "time is kept")
    )
    diff = compare(document(ASKS), document(other))
    assert [(v.label, v.before.label, v.edit, v.what) for v in diff.verdicts] == [
        ("time is kept", "memory fits", "edited", "margin"),
        ("memory fits", "time is kept", "edited", "margin"),
    ]
    assert "it was called memory fits and is called time is kept" in diff_text(diff)
    assert "No difference" not in diff_text(diff)


def test_words_that_no_other_requirement_had_are_no_change():
    diff = compare(document(ASKS), document(ASKS.replace("memory fits", "it fits")))
    assert (diff.verdicts, diff.unchanged_verdicts) == ((), 2)


def test_requirements_that_ask_the_same_may_change_places():
    first, second = 'require a <= 10 "one"', 'require a <= 10 "two"'
    texts = (f"a = 2\n{first}\n{second}\n", f"a = 2\n{second}\n{first}\n")
    assert compare(*map(document, texts)).verdicts == ()
