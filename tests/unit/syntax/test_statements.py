"""Every statement, member and clause of the reference, and the tree it makes."""

from __future__ import annotations

import pytest

from capwright.syntax import tree
from tests.support.spelling import expression_text
from tests.support.trees import member, one, parsed, placeless, value


def test_use():
    assert placeless(one("use std")) == ("Use", None, "std", False, None)
    assert placeless(one('use "models/a.plan"')) == ("Use", None, "models/a.plan", True, None)
    assert placeless(one('use "private/fleet.plan" as fleet')) == (
        "Use", None, "private/fleet.plan", True, "fleet"
    )  # fmt: skip


def test_units():
    byte = one("unit byte, bytes symbol B prefixes decimal binary")
    assert (byte.names, byte.symbol, byte.prefixes, byte.counting) == (
        ("byte", "bytes"), "B", ("decimal", "binary"), False,
    )  # fmt: skip
    token = one("unit token, tokens counting")
    assert token.counting
    assert token.value is None
    assert expression_text(one("unit minute, minutes = 60 s").value) == "60 s"
    assert one("unit percent symbol % = 0.01").symbol == "%"


def test_kinds():
    kind = one(
        'kind itl : s for time meets slo context engine, optional arrival = w.arrival or w.other and w.rate else w, load = "a" or "b c", optional optional refuses a, b because "no" "gap"'
    )
    assert (kind.name, kind.unit, kind.scope, kind.meets) == ("itl", "s", "time", ("slo",))
    said = [
        (key.name, [(term.paths, term.instead) for term in key.terms], key.words, key.optional)
        for key in kind.context
    ]
    assert said == [
        ("engine", [], (), False),
        (
            "arrival",
            [((("w", "arrival"), ("w", "other")), None), ((("w", "rate"),), ("w",))],
            (),
            True,
        ),
        ("load", [], ("a", "b c"), False),
        ("optional", [], (), True),
    ]
    assert (kind.refuses, kind.because, kind.label) == (("a", "b"), "no", "gap")


def test_entities():
    paged = one(
        """entity paged : cache {
             element : dtype
             block : whole token/block default 16 tokens/block   # a comment
             scale : byte = 0 byte
             kv { a : number in 0 .. 1 }
             check block >= 1 token/block  "holds a token"
             absent x, y because "of reasons"
             inherits a, b from other
             inherits all from other
             view bars of sizes : a, b
             assume share = 0.7 in 0.6 .. 0.8 because "seen"
           }"""
    )
    assert (paged.name, paged.parent) == ("paged", "cache")
    kinds = [type(found).__name__ for found in paged.members]
    assert kinds == [
        "Field", "Field", "Field", "Block", "Check", "Absent", "Inherits", "Inherits", "View", "Assume",
    ]  # fmt: skip
    element, block, scale, kv, check, absent, inherits, inherits_all, view, assume = paged.members
    assert placeless(element.type) == placeless(tree.TypeRef(element.type.span, "dtype"))
    assert block.type.whole
    assert block.type.spelling == "token/block"
    assert expression_text(block.default) == "16 tokens/block"
    assert (scale.relation, expression_text(scale.value)) == ("=", "0 byte")
    assert expression_text(kv.body[0].type.high) == "1"
    assert (expression_text(check.condition), check.message) == ("block >= 1 token/block", "holds a token")
    assert (absent.names, absent.because) == (("x", "y"), "of reasons")
    assert (inherits.families, inherits.variant) == (("a", "b"), "other")
    assert (inherits_all.families, inherits_all.variant) == ((), "other")
    assert (view.chart, view.name, view.title, len(view.operands)) == ("bars", "sizes", "", 2)
    assert assume.clauses.because == "seen"


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("byte/device", {"spelling": "byte/device"}),
        ("whole device", {"spelling": "device", "whole": True}),
        ("whole", {"spelling": "number", "whole": True}),
        ("static whole device", {"spelling": "device", "whole": True, "static": True}),
        ("signed s", {"spelling": "s", "signed": True}),
        ("one of a, b, c", {"spelling": "", "choices": ("a", "b", "c")}),
        ("text", {"spelling": "text"}),
        ("fleet.paged", {"spelling": "fleet.paged"}),
        ("1/s", {"spelling": "1/s"}),
        ("$/GPU-hour", {"spelling": "$/GPU-hour"}),
        ("token^2", {"spelling": "token^2"}),
        ("list of part", {"spelling": "part", "list_of": True}),
        ("list of part named piece", {"spelling": "part", "list_of": True, "element_word": "piece"}),
    ],
)
def test_types(text, wanted):
    found = member(f"f : {text}").type
    given = {name: getattr(found, name) for name in found.__slots__ if name != "span"}
    empty = {"whole": False, "static": False, "signed": False, "list_of": False, "element_word": None}
    assert given == {**empty, "choices": (), "low": None, "high": None, **wanted}


def test_fields_take_domain_kind_default_and_clauses():
    field = member('f : number in 0 .. 1 kind share default 0.5 key "a#/b" flag "--f" source "card" "words"')
    assert (field.kind, expression_text(field.default)) == ("share", "0.5")
    assert (expression_text(field.type.low), expression_text(field.type.high)) == ("0", "1")
    clauses = field.clauses
    assert (clauses.key, clauses.flag, clauses.source, clauses.label) == ("a#/b", "--f", "card", "words")


def test_formulas():
    formula = one(
        """formula per_token(g: grouped, c: cache kind k, m: (one of a, b)) : byte/token
             over layer, part  each token
             = g.layers * c.element
             excludes scales, "kernel overhead"
             caveat rough for capacity "give or take"
             caveat forever permanent for time
             discharges old"""
    )  # fmt: skip
    assert [(p.name, p.type.spelling, p.kind, p.type.choices) for p in formula.parameters] == [
        ("g", "grouped", None, ()),
        ("c", "cache", "k", ()),
        ("m", "", None, ("a", "b")),
    ]
    clauses = formula.clauses
    assert (clauses.over, clauses.each, clauses.discharges) == (("layer", "part"), ("token",), ("old",))
    assert [(entry.name, entry.quoted) for entry in clauses.excludes] == [
        ("scales", False),
        ("kernel overhead", True),
    ]
    assert [(c.name, c.scopes, c.text, c.permanent) for c in clauses.caveats] == [
        ("rough", ("capacity",), "give or take", False),
        ("forever", ("time",), "", True),
    ]
    assert expression_text(formula.body) == "g.layers * c.element"


def test_a_formula_without_a_body_and_one_that_is_a_default():
    bare = one('formula pairs(g: group, n: token) : token^2 kind work "pairs"')
    assert (bare.body, bare.default, bare.kind, bare.clauses.label) == (None, False, "work", "pairs")
    default = one("formula pairs(g: group) : token^2 default = 4 token^2")
    assert default.default
    assert one("formula none() : s >= 4 s").parameters == ()
    assert one("formula none() : s >= 4 s").relation == ">="


@pytest.mark.parametrize("relation", ["=", ">=", "<=", "~"])
def test_bindings(relation):
    binding = one(f'prod.kv.slack : byte/device kind margin {relation} a - b  "room"')
    assert type(binding) is tree.Binding
    assert (binding.path, binding.relation, binding.kind) == (("prod", "kv", "slack"), relation, "margin")
    assert binding.clauses.label == "room"
    assert one(f"x {relation} 3").relation == relation


def test_other_spellings_of_signs():
    assert one("x ≥ 3").relation == ">="
    assert one("x ≤ 3").relation == "<="
    assert expression_text(value("a × b · c")) == "a * b * c"
    assert expression_text(value("a ≤ b")) == "a <= b"


def test_a_typed_name_is_a_field_in_a_body_and_a_binding_outside():
    assert type(one("x : byte = 3 bytes")) is tree.Binding
    (field,) = one("thing a { x : byte = 3 bytes }").body
    assert type(field) is tree.Field
    (dotted,) = one("thing a { x.y : byte = 3 bytes }").body
    assert type(dotted) is tree.Binding
    assert one("override x.y : byte = 3 bytes").override


def test_instances():
    fp8 = one("cache fp8 : paged { element = e4m3; block = 16 tokens/block }")
    assert (fp8.type_name, fp8.name, fp8.variant, len(fp8.body)) == ("cache", "fp8", "paged", 2)
    h100 = one('device h100 from nvidia.h100_sxm { assume share = 0.8 in 0.7 .. 0.9 because "seen" }')
    assert expression_text(h100.base) == "nvidia.h100_sxm"
    config = one('model m from config("config.json")')
    assert (expression_text(config.base), config.body) == ('config("config.json")', ())
    older = one('engine v2 from v1 because "nothing changed"')
    assert older.clauses.because == "nothing changed"
    mask = one("mask streaming = causal and (window(4_096 tokens) or sinks(4 tokens))")
    assert expression_text(mask.value) == "causal and (window(4_096 tokens) or sinks(4 tokens))"
    assert one("fleet.device d { a = 1 }").type_name == "fleet.device"
    assert one("model m { group full : grouped { a = 1 } }").body[0].variant == "grouped"


def test_derived_copies_in_expressions():
    prod = one('deployment prod { engine = v1 { len = 3 tokens; share = 0.9 } "pinned"; cache = fp8 }')
    engine, cache = prod.body
    assert type(engine.value) is tree.Derive
    assert [inner.path for inner in engine.value.body] == [("len",), ("share",)]
    assert engine.clauses.label == "pinned"
    assert cache.path == ("cache",)
    nested = one("a = f(b { c = d { e = 1 } }, g)").value
    assert type(nested.arguments[0].value.body[0].value) is tree.Derive


def test_assume():
    plain = one("assume x = 3 bytes")
    assert (plain.low, plain.high, plain.type) == (None, None, None)
    full = one('assume d.share : number = 0.8 in 0.7 .. 0.9 because "bench" review 2027-03 from measure m')
    assert (full.path, full.type.spelling) == (("d", "share"), "number")
    assert expression_text(full.high) == "0.9"
    clauses = full.clauses
    assert (clauses.because, clauses.review, clauses.from_measure) == ("bench", "2027-03", "m")
    assert one("assume s : number in 0 .. 1 = 0.7 in 0.6 .. 0.8").type.high.value == 1
    assert expression_text(one("assume x = a + b * 2 in a .. b * 3").high) == "b * 3"


def test_measure_and_evidence():
    measure = one('measure prod.itl = 31.9 ms in 30 ms .. 33 ms as load { engine = "v1"; input = 3 tokens }')
    assert (measure.path, measure.name, len(measure.context)) == (("prod", "itl"), "load", 2)
    assert expression_text(measure.low) == "30 ms"
    assert one("measure x = (a + b) { }").context == ()
    assert one('measure x = log("f.log") as l { }').name == "l"
    assert expression_text(one("measure x = -3 s").value) == "-3 s"
    evidence = one('evidence e of prod.cache { task = "needle" } discharges unshown')
    assert (evidence.name, evidence.path, evidence.clauses.discharges) == (
        "e", ("prod", "cache"), ("unshown",),
    )  # fmt: skip


def test_requirements():
    require = one('require prod.peak <= prod.pool "fits"')
    assert (require.verb, require.label, require.established) == ("require", "fits", False)
    assert one("require established a <= b").established
    assert one("expect a <= b").verb == "expect"


def test_options_reports_views_moves():
    option = one('option tp8 of prod { sharding.tensor = 8 devices } "eight"')
    assert (option.name, expression_text(option.base), option.label) == ("tp8", "prod", "eight")
    assert option.body[0].path == ("sharding", "tensor")
    report = one('report prod.memory, prod@tp8.kv "the plan"')
    assert [names for names, _ in report.paths] == [("prod", "memory"), ("prod@tp8", "kv")]
    assert report.title == "the plan"
    view = one('view waterfall of memory "Memory" : a, b.c, d')
    assert (view.chart, view.name, view.title) == ("waterfall", "memory", "Memory")
    moved = one("moved old.path to new.path")
    assert (moved.old, moved.new) == (("old", "path"), ("new", "path"))


WORDS = [
    "over", "each", "excludes", "caveat", "discharges", "because", "review", "source", "key", "label", "flag",
    "meets", "context", "refuses", "for", "of", "to", "unit", "kind", "entity", "view", "report", "option",
    "measure", "evidence", "check", "absent", "inherits", "count", "filter", "largest", "all", "one", "list",
    "named", "symbol", "counting", "static", "whole", "signed", "permanent", "established", "optional", "group", "sum",
]  # fmt: skip


@pytest.mark.parametrize("word", WORDS)
def test_words_are_names_where_a_name_may_stand(word):
    assert one(f"thing a {{ {word} = 1 }}").body[0].path == (word,)
    assert member(f"{word} : whole").name == word
    assert expression_text(value(f"g.{word} + 1")) == f"g.{word} + 1"
    assert one(f"f = g({word}: 1)" if word != "to" else "f = g(a: 1)").value.arguments[0].name
    assert one(f"prod.{word} = 1").path == ("prod", word)


@pytest.mark.parametrize("word", sorted({*WORDS} - {"to"}))
def test_words_are_values_where_a_value_may_stand(word):
    assert expression_text(value(f"2 * {word} + 1")) == f"2 * {word} + 1"


@pytest.mark.parametrize(
    "text",
    [
        "x = a\n  + b",
        "x\n  = a + b",
        "x = a\n  # why\n\n  + b",
        "x = (a\n  + b\n)",
        "x = a + b ; ",
        "x = a # one\n  + b # two",
        "\ufeffx = a + b",
        "x = a\r\n  + b\r\n",
    ],
)
def test_lines_that_go_on(text):
    assert expression_text(one(text).value) == "a + b"


def test_clause_words_at_line_start_continue_unless_they_are_bound():
    source = 'entity e {\n  a : whole\n    source "card"\n  source : text\n  key = 3\n  over.x = 4\n  each { b = 1 }\n}'
    members = one(source).members
    assert [type(found).__name__ for found in members] == ["Field", "Field", "Binding", "Binding", "Block"]
    assert members[0].clauses.source == "card"


def test_a_statement_ends_at_a_line_end_or_a_semicolon():
    assert len(parsed("a = 1\nb = 2; c = 3;; d = 4\n\n;e = 5")) == 5


def test_braces_may_open_on_a_line_of_their_own():
    assert len(one("thing a\n{\n  b = 1\n  c = 2\n}").body) == 2


def test_lists_after_a_comma_go_on():
    assert len(one("report a.b,\n  c,  # and\n  d").paths) == 3


def test_caveats_and_a_label_are_told_apart():
    clauses = one('x = 3 caveat a for time "text" "label"').clauses
    assert (clauses.caveats[0].text, clauses.label) == ("text", "label")
    clauses = one('x = 3 caveat a for time label "label"').clauses
    assert (clauses.caveats[0].text, clauses.label) == ("", "label")


def test_escapes():
    assert one(r'use "a\"b\\c\n\t"').target == 'a"b\\c\n\t'
