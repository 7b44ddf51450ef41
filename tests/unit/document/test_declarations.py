"""What is told of a declaration: fields with types, values and remarks, and the formulas that a variant must write."""

from __future__ import annotations

import pytest

from capwright.document.declarations import EntityText, FamilyText, KindText, declared, declared_names
from capwright.document.declared_things import ThingText
from capwright.render.terminal.declarations import told
from tests.support.programs import compiled

PLAN = """\
unit byte, bytes symbol B prefixes binary
unit token, tokens counting
unit block, blocks counting
kind row : byte for capacity "a row"

# How rows lie in memory: "# no comment" is one.
entity layout {
  scalar : byte                                        # of an element; "quoted" too
  block : whole token/block default 16 tokens/block    "tokens in a block # not a comment"  flag "--block"
  # Above its field.
  row : byte kind row = scalar * 128
  mode : one of near, far default near
  assume share : number = 0.8 in 0.7 .. 0.9  because "a log"
}
entity packed : layout { scale : byte; row = scalar * 128 + scale }
layout plain { scalar = 2 bytes }
layout small : packed { scalar = 0.5 bytes; scale = 4 bytes }
layout smaller from small { scale = 1 byte }

# Bytes of a block, and what is lost of it.
formula held(l: layout) : byte
formula lost(l: layout, n: whole token) : byte kind row
formula held(l: packed) : byte = l.scale * 2
formula kept(l: layout) : byte default = 2 byte
"""


def only(name: str, made):
    """The one thing that a name is declared as."""
    (found,) = declared(name, made.judged.expansion.ctx.program.main, made.sources, {})
    return found


def named(name: str):
    return only(name, compiled(PLAN))


def test_fields_have_type_value_and_remark():
    found = named("layout")
    assert isinstance(found, EntityText)
    assert found.comment == 'How rows lie in memory: "# no comment" is one.'
    said = {f.name: (f.type, f.kind, f.given, f.value, f.words, f.comment, f.flag) for f in found.fields}
    assert said == {
        "scalar": ("byte", "", "required", "", "", 'of an element; "quoted" too', ""),
        "block": (
            "whole token/block", "", "default", "16 tokens/block", "tokens in a block # not a comment", "", "--block",
        ),
        "row": ("byte", "row", "derived", "scalar * 128", "", "Above its field.", ""),
        "mode": ("one of near, far", "", "default", "near", "", "", ""),
        "share": ("number", "", "assumed", "0.8 in 0.7 .. 0.9", "", "", ""),
    }  # fmt: skip
    assert (found.variants, found.things) == (("packed",), ("plain", "small", "smaller"))


def test_formulas_without_a_body_for_it_must_be_written():
    found = named("layout")
    assert isinstance(found, EntityText)
    assert {one.name: one.signature for one in found.unanswered} == {
        "held": "held(l: layout) : byte",
        "lost": "lost(l: layout, n: whole token) : byte kind row",
    }
    assert {one.comment for one in found.unanswered} == {"Bytes of a block, and what is lost of it."}
    packed = named("packed")
    assert isinstance(packed, EntityText)
    assert [one.name for one in packed.unanswered] == ["lost"]
    assert {f.name: (f.owner, f.value) for f in packed.fields}["row"] == ("packed", "scalar * 128 + scale")
    assert {f.name: f.owner for f in packed.fields}["block"] == "layout"


def test_formulas_that_only_the_variants_have_must_be_written_too():
    """A formula for some other arguments, whatever the variant, leaves those for which only the variants have one."""
    text = PLAN + (
        "entity load { n : number }\nentity light : load { }\nentity heavy : load { }\n"
        "formula taken(g: load, l: layout) : byte\n"
        "formula taken(g: light, l: layout) : byte default = 0 byte\n"
        "formula taken(g: heavy, l: packed) : byte = l.scale\n"
        "formula spared(g: load, l: layout) : byte\n"
        "formula spared(g: load, l: layout) : byte default = 0 byte\n"
        "formula spared(g: heavy, l: packed) : byte = l.scale\n"
    )
    layout, packed = (only(name, compiled(text)) for name in ("layout", "packed"))
    assert [one.name for one in layout.unanswered] == ["held", "lost", "taken"]
    assert [one.name for one in packed.unanswered] == ["lost"]


def test_a_new_cache_layout_is_told_all_that_it_is_asked_for():
    asked = {one.name for one in only("cache", compiled("use std\n")).unanswered}
    assert {"row_bytes", "block_tokens", "memory_saving", "kept_bytes", "residual_room"} <= asked


def test_a_name_is_told_as_all_that_it_is():
    """A formula hides no kind of its name, an entity no thing, but for one that says nothing of its own."""
    text = PLAN + (
        "formula row(l: layout) : byte default = l.scalar\n"
        "layout packed : packed { scalar = 1 byte; scale = 1 byte }\nentity bare { n : number default 1 }\nbare bare { }\n"
    )
    made = compiled(text)
    scope = made.judged.expansion.ctx.program.main
    found = {name: declared(name, scope, made.sources, {}) for name in ("row", "packed", "bare")}
    assert [type(one) for one in found["row"]] == [FamilyText, KindText]
    assert [type(one) for one in found["packed"]] == [EntityText, ThingText]
    assert [type(one) for one in found["bare"]] == [EntityText]


def test_a_thing_has_what_it_and_its_bases_give():
    found = named("smaller")
    assert isinstance(found, ThingText)
    assert (found.entity, found.base) == ("packed", "small")
    said = {f.name: (f.given, f.value) for f in found.fields}
    assert said["scalar"] == ("given", "0.5 bytes")
    assert said["scale"] == ("given", "1 byte")
    assert said["block"] == ("default", "16 tokens/block")


def test_a_family_has_its_bodies():
    found = named("held")
    assert isinstance(found, FamilyText)
    assert [signature for signature, _ in found.overloads] == ["held(l: packed) : byte"]
    scope = compiled(PLAN).judged.expansion.ctx.program.main
    assert declared("nothing", scope, {}, {}) == declared("no.such", scope, {}, {}) == ()


def test_a_kind_says_what_a_measurement_must_state_and_what_that_is_compared_with():
    made = compiled("use std\n")
    scope = made.judged.expansion.ctx.program.main
    (found,) = declared("loaded_ttft", scope, made.sources, {})
    assert isinstance(found, KindText)
    entries = {name: compared for name, compared, _, _ in found.entries}
    assert entries["tensor_parallel"] == ("sharding.tensor",)
    assert entries["cache_reuse"] == ("loaded.cached (else workload)",)
    assert entries["arrival"] == ()
    text = told(found)
    assert "a measurement or evidence of it must state\n" in text
    must, may = text.split("it may state, and then agrees with the plan or does not count\n")
    assert "  tensor_parallel: compared with sharding.tensor of the plan\n" in must
    assert "  cache_reuse: compared with loaded.cached (else workload) of the plan\n" in must
    assert "  max_num_seqs: compared with kv.step_requests of the plan\n" in may
    (bare,) = declared("row", compiled(PLAN).judged.expansion.ctx.program.main, {}, {})
    assert isinstance(bare, KindText)
    assert "need not state anything" in told(bare)


def test_every_name_is_told_within_its_columns():
    made = compiled("use std\n")
    scope = made.judged.expansion.ctx.program.main
    names = declared_names(scope)
    assert {"engine", "nvidia.h200_sxm", "row_bytes", "bf16_paged", "loaded_ttft"} <= set(names)
    for name in names:
        found = declared(name, scope, made.sources, {})
        assert found
        assert all(len(line) <= 60 for one in found for line in told(one, wide=60).splitlines()), name


@pytest.mark.parametrize("name", ["a", "b"])
def test_things_in_a_circle_are_told(name):
    """Such a plan has errors, and is told of all the same."""
    made = compiled("entity x { n : number }\nx a from b { }\nx b from a { }\n")
    found = only(name, made)
    assert isinstance(found, ThingText)
    assert found.entity == "x"


NESTED = """\
entity part { size : number }
entity row { part : part }
entity layout {
  block { n : number; deep { m : number default 2 }; twice = n * 2 }
  rows : list of row named row
  sizes : list of number
  inner : part
}
part one { size = 1 }
layout plain { block { n = 3 }; assume extra : number = 2 in 1 .. 3 because "a log"; row first { part = one }; inner = one }
layout also from plain { block.deep.m >= 4; row second { part = one }; rows.first.part.size = 5; inner.odd = 6 }
plain.block.n = 7
"""


def told_of(name: str, text: str = NESTED) -> dict[str, tuple[str, str, str]]:
    made = compiled(text)
    found = only(name, made)
    assert isinstance(found, ThingText)
    return {f.name: (f.type, f.given, f.value) for f in found.fields}


def test_a_thing_has_what_blocks_elements_assumptions_and_statements_with_a_dot_state():
    assert told_of("plain") == {
        "block.n": ("number", "given", "7"),
        "block.deep.m": ("number", "default", "2"),
        "rows": ("list of row named row", "given", "row first"),
        "sizes": ("list of number", "listed", ""),
        "inner": ("part", "given", "one"),
        "extra": ("number", "assumed", "2 in 1 .. 3"),
    }
    also = told_of("also")
    assert also["block.n"] == ("number", "given", "7")
    assert also["block.deep.m"] == ("number", "given", ">= 4")
    assert also["rows"] == ("list of row named row", "given", "row first, row second")
    assert also["rows.first.part.size"] == ("number", "given", "5")
    assert also["inner.odd"] == ("", "given", "6")


def test_blocks_within_blocks_are_told_and_a_list_may_be_empty():
    made = compiled(NESTED)
    text = told(only("layout", made))
    assert "block.n : number  (must be given)" in text
    assert "block.deep.m : number  (default 2)" in text
    assert "sizes : list of number  (empty unless given)" in text
    assert "inner.odd  (given 6)" in told(only("also", made))


def test_an_option_is_told_by_what_it_states_otherwise():
    """And an option of an option, whose fields are those of the thing at the bottom."""
    made = compiled(
        PLAN
        + "entity holder { layout : layout; n : whole default 1 }\nholder all { layout = plain }\n"
        + '# Half as wide.\noption narrow of all { layout = small } "in half"\noption many of all@narrow { n = 3 }\n'
    )
    scope = made.judged.expansion.ctx.program.main
    assert {"all@narrow", "all@narrow@many"} <= set(declared_names(scope))
    text = told(only("all@narrow@many", made))
    assert text.splitlines() == [
        "option all@narrow@many  case.plan:29",
        "  of all@narrow, with",
        "  n : whole  (given 3)",
        "all else is as in all@narrow; `diff PLAN all@narrow all@narrow@many` tells what comes of it",
    ]
    assert "  in half\n  of all, with\n  layout : layout  (given small)\n" in told(only("all@narrow", made))
