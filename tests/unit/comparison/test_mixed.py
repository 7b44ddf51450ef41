"""What the changed declarations have in a difference where some of them change which formula there is: by hand, and by
compiling the plan under every coalition of the edits."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest
from msgspec.structs import replace

from capwright.comparison.causes import shapley
from capwright.comparison.compare import compare
from capwright.document.diffdoc import QuantityChange
from capwright.document.plandoc import PlanDoc
from tests.support.compared import SHAPES, document, edited, told

HEAD = (
    SHAPES
    + """\
formula plain(s: shape) : byte default = area(s)
formula many(s: shape, n: static whole) : byte default = sum(area(s) for i in range(n)) + 1 byte
entity box {
  of : shape; n : static whole
  fast : bool default true
  held : byte = if n == 1 then plain(of) else many(of, n)
  kept : byte = if n == 1 then of.v else if fast then of.v * 2 else of.v * 3
}
square tile { v = 4 bytes }
square slab { v = 40 bytes }
round disc { v = 4 bytes; edge = 100 bytes }
report one
"""
)


def box(of: str, n: int, fast: str = "true") -> PlanDoc:
    return document(HEAD + f"box one {{ of = {of}; n = {n}; fast = {fast} }}\n")


def test_one_edit_chooses_the_formula_and_another_what_stands_in_it():
    """By hand: 4 and 40 of one, 3×4+1 and 3×40+1 of three. Neither 40 nor 13 is a number of the two documents."""
    diff = compare(box("tile", 1), box("slab", 3))
    assert told(diff, "one.held") == {
        ("one.of",): Fraction((40 - 4) + (121 - 13), 2),
        ("one.n",): Fraction((13 - 4) + (121 - 40), 2),
    }


def test_a_call_that_one_document_has_stands_in_the_formula_of_the_other():
    """By hand: 104 and 4 of one, 313 and 13 of three; the areas of the two are of different formulas."""
    diff = compare(box("disc", 1), box("tile", 3))
    assert told(diff, "one.held") == {
        ("one.of",): Fraction((4 - 104) + (13 - 313), 2),
        ("one.n",): Fraction((313 - 104) + (13 - 4), 2),
    }


def test_what_neither_document_has_a_formula_for_is_told_together():
    """Three fast ones take twice as much: no document has three fast ones. What stands there is told apart."""
    diff = compare(box("tile", 1), box("slab", 3, "false"))
    assert told(diff, "one.kept") == {
        ("one.fast", "one.n"): Fraction((12 - 4) + (120 - 40), 2),
        ("one.of",): Fraction((40 - 4) + (120 - 12), 2),
    }


def by_compiling(blocks: tuple[tuple[str, ...], ...], change: QuantityChange) -> tuple[Fraction, ...]:
    """The parts of a difference from the plan compiled under every coalition of blocks of edits, by block."""
    part = change.change.part
    assert part is not None
    values = []
    for coalition in range(1 << len(blocks)):
        doc = edited(*(edit for at, block in enumerate(blocks) if coalition >> at & 1 for edit in block))
        held = next(q for q in doc.quantities if change.address in (q.address, *q.aliases))
        values.append(Fraction(getattr(held, part)))
    return tuple(map(Fraction, shapley(values)))


DECLARED = {
    "stages": "tp4.stages", "data": "tp4.data", "replicas": "tp4.replicas", "cache": "prod.cache",
    "prefix": "archive.classes.summary.shared_prefix", "element": "pages_bf16.element", "device": "prod.device",
    "engine": "prod.engine",
}  # fmt: skip


@pytest.mark.parametrize(
    "edits",
    [
        ("cache", "stages"), ("cache", "data"), ("cache", "prefix"), ("element", "stages"), ("cache", "device"),
        ("element", "engine"), ("prefix", "stages"), ("cache", "replicas"), ("cache", "prefix", "device"),
    ],
    ids="+".join,
)  # fmt: skip
def test_parts_are_those_of_the_plan_compiled_under_every_coalition(edits):
    """Declarations that are told together are made together, or none of them."""
    diff = compare(edited(), edited(*edits))
    names = {DECLARED[edit]: edit for edit in edits}
    for change in diff.quantities:
        if change.change.part is None:
            continue
        found = told(diff, change.address)
        joined = {name for block in found if len(block) > 1 for name in block}
        blocks = (*(block for block in found if len(block) > 1), *((n,) for n in names if n not in joined))
        assert sum(map(len, blocks)) == len(edits), change.address
        true = by_compiling(tuple(tuple(names[name] for name in block) for block in blocks), change)
        assert {block: found.get(block, Fraction(0)) for block in blocks} == dict(
            zip(blocks, true, strict=True)
        ), change.address
        single = by_compiling(tuple((edit,) for edit in edits), change)
        for name, part in zip(names, single, strict=True):
            assert part or name not in joined, f"{change.address}: {name}"


@pytest.mark.parametrize(
    "edits", [("cache", "device"), ("stages", "device"), ("prefix", "device"), ("cache", "stages")]
)
def test_what_two_documents_say_together_tells_these_apart(edits):
    diff = compare(edited(), edited(*edits))
    causes = [cause for change in diff.quantities for cause in change.change.causes]
    assert [cause for cause in causes if len(cause.declarations) > 1] == []


@pytest.mark.parametrize("edits", [("cache", "prefix")])
def test_what_is_found_of_a_prefix_is_told_with_the_cache_that_finds_it(edits):
    """How the reads of a mix grow turns on what of a prefix is found, and that on the cache: with the one edit and without
    the other no document says it. Nothing else is told together."""
    diff = compare(edited(), edited(*edits))
    together = {
        change.address
        for change in diff.quantities
        if any(len(cause.declarations) > 1 for cause in change.change.causes)
    }
    assert "prod.throughput.traffic" in together
    assert {address.rpartition(".")[0] for address in together} == {"prod.throughput"}


def test_of_older_documents_what_another_formula_brings_along_is_told_together_with_it():
    """They do not say which things a formula went through."""
    older = []
    for doc in (edited(), edited("stages", "cache")):
        quantities = tuple(replace(q, through=(), given=()) for q in doc.quantities)
        older.append(replace(doc, quantities=quantities, formulas=()))
    found = told(compare(*older), "prod.kv.bytes_per_token_device")
    assert ("prod.cache", "tp4.stages") in found
    assert sum(found.values()) == -61_440


THRICE = """\
formula checked_bytes(e: vllm_0_10_1_int4, m: model, c: grouped_int4, s: sharding, n: token, i: static whole) : byte/device kind pool_demand
  = block_bytes(e, m, c, s, i) * request_blocks(e, m, c, s, n) + 3 * stage_residual_room(e, m, c, s, i)
"""


def test_an_edited_formula_and_a_rebound_engine_have_each_their_part():
    """One engine bills the newest rows three times, the other once: by compiling the plan four times."""
    path = "plans/examples/own-layout.plan"
    text = f"{Path(path).read_text(encoding='utf-8')}\n{THRICE}"
    edits = [
        ("* fp16.bytes\n\n# Of all tokens", "* fp32.bytes\n\n# Of all tokens"),
        (
            "engine = int4_engine",
            "engine = vllm_0_10_1 { max_model_len = 32_768 tokens; max_num_batched_tokens = 2_048 tokens }",
        ),
    ]
    docs = []
    for coalition in range(4):
        made = text
        for at, (before, after) in enumerate(edits):
            assert before in made
            made = made.replace(before, after) if coalition >> at & 1 else made
        docs.append(document(made, path))
    values = [
        Fraction(next(q for q in doc.quantities if q.address == "study.kv.request_bytes").nominal or 0)
        for doc in docs
    ]
    formula, engine = map(Fraction, shapley(values))
    assert formula
    assert told(compare(docs[0], docs[3]), "study.kv.request_bytes") == {
        ("newest_bytes(…)",): formula, ("study.engine",): engine,
    }  # fmt: skip


ENGINES = """\
entity engine { wide : bool default true; depth : byte default 1 byte; least : byte default 0 bytes }
engine old { depth = 2 bytes }
engine new { depth = 3 bytes }
entity run {
  on : engine
  held : byte = if on.wide then 10 bytes else 4 bytes
  deep : byte = on.depth * 5
}
report one
"""


def test_a_flag_that_is_set_while_its_engine_is_rebound_is_a_declaration_of_its_own():
    """Both engines have the field's one default, so the flag alone turns it."""
    head = HEAD.replace("report one", "") + ENGINES
    copies = ("old { least = 7 bytes }", "new { least = 7 bytes; wide = false }")
    diff = compare(*(document(head + f"run one {{ on = {copy} }}\n") for copy in copies))
    assert {d.address for d in diff.declarations} == {"one.on", "one.on.wide"}
    assert told(diff, "one.held") == {("one.on.wide",): Fraction(-6)}
    assert told(diff, "one.deep") == {("one.on",): Fraction(5)}
