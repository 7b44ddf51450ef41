"""A document survives JSON, and what is no document is refused with a reason."""

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import fields, replace

from capwright.compiling import compile_plan
from capwright.document import codec, plandoc
from capwright.document.codec import from_json, schema_errors, to_json
from capwright.loading import load
from tests.support.sample import sample

DOC = sample()
TEXT = to_json(DOC)
SCHEMA = json.loads((Path(__file__).parents[3] / "grammar" / "plandoc.schema.json").read_text())


def test_round_trip():
    assert from_json(TEXT) == (DOC, ())


def turned(data: object) -> object:
    """The same JSON with the keys of every object the other way round."""
    if isinstance(data, dict):
        return {key: turned(data[key]) for key in reversed(data)}
    return [turned(each) for each in data] if isinstance(data, list) else data


def test_the_text_is_the_same_whatever_the_order_of_keys():
    other, wrong = from_json(json.dumps(turned(json.loads(TEXT))))
    assert wrong == ()
    assert other is not None
    assert to_json(other) == TEXT
    assert to_json(replace(DOC, kinds=dict(reversed(DOC.kinds.items())))) == TEXT


@pytest.mark.parametrize(
    "plan", sorted((Path(__file__).parents[3] / "plans/examples").glob("*.plan")), ids=lambda path: path.stem
)
def test_a_compiled_quantity_has_its_keys_in_order(plan):
    """Quantities are encoded as they are."""
    for quantity in compile_plan(load(str(plan))).sound.quantities:
        assert codec._line(quantity) == json.dumps(codec.plain(quantity), ensure_ascii=False)


def test_one_quantity_a_line():
    assert sum(line.startswith('{"address": "prod.') for line in TEXT.splitlines()) >= len(DOC.quantities) - 4


def test_it_agrees_with_the_schema():
    assert schema_errors(TEXT, SCHEMA) == ()


def test_the_schema_has_every_field_of_every_class():
    for name, rule in SCHEMA["$defs"].items():
        kind = getattr(plandoc, name, None)
        if isinstance(kind, type):
            assert list(rule["properties"]) == [field.name for field in fields(kind)]
            needed = [part.name for part in fields(kind) if part.required]
            assert rule["required"] == needed
            assert rule["additionalProperties"] is False
    assert list(SCHEMA["properties"])[2:] == [field.name for field in fields(plandoc.PlanDoc)]


def refused(text):
    doc, (found,) = from_json(text, "x.json")
    assert doc is None
    assert found.help
    return found


def changed(**members):
    return json.dumps({**json.loads(TEXT), **members})


def test_no_json():
    found = refused('{"format": ')
    assert found.code == "CW0720"
    assert found.span.file == "x.json"
    assert refused("[" * 100_000).code == "CW0720"
    assert refused('{"format": NaN}').code == "CW0720"


def test_another_document():
    assert refused("[]").code == "CW0721"
    assert refused('{"format": "other", "version": "1.0"}').code == "CW0721"


@pytest.mark.parametrize("version", ["2.0", "0.9", "", None, "1", "1.0.0", "v1.0", {"x": 1}])
def test_another_major_version(version):
    assert refused(changed(version=version)).code == "CW0722"


def test_a_newer_minor_version_is_read_without_its_additions():
    doc, (found,) = from_json(changed(version="1.99", invented=[1]))
    assert (found.code, found.severity) == ("CW0723", "hint")
    assert doc == DOC


def test_an_older_minor_version_is_read_with_defaults(monkeypatch):
    monkeypatch.setattr(codec, "VERSION", "1.99")
    older = json.loads(TEXT)
    del older["scales"], older["kinds"]
    for quantity in older["quantities"]:
        del quantity["binds"], quantity["aliases"]
    doc, found = from_json(json.dumps(older))
    assert found == ()
    assert doc is not None
    assert doc.kinds == {}
    assert doc.quantities[0].aliases == ()


def test_what_1_7_wrote_is_read():
    """It has none of what 1.8 tells beside it."""
    setting = plandoc.SettingDoc(
        "p.mode", "choice", "fast", None, given=True, place="a.plan:2", line="mode = fast", column=3
    )
    raw = {**json.loads(to_json(replace(DOC, settings=(setting,)))), "version": "1.7"}
    for holder, name in (
        ("measurements", "within"),
        ("evidence", "within"),
        ("settings", "column"),
        ("caveats", "library"),
    ):
        assert raw[holder]
        for each in raw[holder]:
            del each[name]
    doc, found = from_json(json.dumps(raw))
    assert found == ()
    assert doc is not None
    assert all(each.within == {} for each in (*doc.measurements, *doc.evidence))
    assert {each.column for each in doc.settings} == {0}


def test_what_1_6_wrote_is_read():
    """It has none of what 1.7 tells beside it."""
    older = changed(version="1.6")
    raw = json.loads(older)
    for holder, names in (
        ("quantities", ["possible"]),
        ("verdicts", ["possible"]),
        ("measurements", ["idle", "unstated", "named"]),
        ("evidence", ["idle", "unstated", "compared", "named"]),
    ):
        assert raw[holder]
        for each in raw[holder]:
            for name in names:
                del each[name]
    doc, found = from_json(json.dumps(raw))
    assert found == ()
    assert doc is not None
    assert {each.possible for each in (*doc.quantities, *doc.verdicts)} == {None}
    assert {(each.idle, each.unstated, each.compared) for each in doc.evidence} == {((), (), ())}


@pytest.mark.parametrize(
    ("members", "words"),
    [
        ({"invented": 1}, "`invented`"),
        ({"quantities": {}}, "`quantities`"),
        ({"quantities": [{}]}, "missing"),
        ({"title": 3}, "`title`"),
        ({"title": True}, "`title`"),
    ],
)
def test_a_broken_document_says_where(members, words):
    found = refused(changed(**members))
    assert found.code == "CW0724"
    assert words in found.message


def with_quantity(**members):
    raw = json.loads(TEXT)
    raw["quantities"][0] |= members
    return json.dumps(raw)


@pytest.mark.parametrize(
    ("members", "words"),
    [
        ({"low": "3", "nominal": None, "high": "5/2"}, "`low` is above its `high`"),
        ({"low": "3", "nominal": "2", "high": None}, "`nominal` is below its `low`"),
        ({"low": None, "nominal": "2", "high": "-2"}, "`nominal` is above its `high`"),
        ({"domain_low": "1", "domain_high": "0"}, "`domain_low` is above its `domain_high`"),
    ],
)
def test_a_range_that_cannot_be_is_refused(members, words):
    found = refused(with_quantity(**members))
    assert found.code == "CW0725"
    assert DOC.quantities[0].address in found.message
    assert words in found.message


def test_a_margin_that_cannot_be_is_refused():
    raw = json.loads(TEXT)
    raw["verdicts"][0] |= {"margin_low": "1", "margin_nominal": None, "margin_high": "0"}
    found = refused(json.dumps(raw))
    assert (found.code, "`margin_low` is above its `margin_high`" in found.message) == ("CW0725", True)


@pytest.mark.parametrize(
    "holder", ["quantities", "sources", "verdicts", "measurements", "evidence", "options", "caveats"]
)
def test_two_things_of_one_name_are_refused(holder):
    raw = json.loads(TEXT)
    assert raw[holder]
    raw[holder].append(raw[holder][0])
    found = refused(json.dumps(raw))
    assert (found.code, f"two of its `{holder}` are called" in found.message) == ("CW0725", True)


def with_formula(formula):
    raw = json.loads(TEXT)
    raw["quantities"][0]["formula"] = formula
    return json.dumps(raw)


@pytest.mark.parametrize(
    "formula",
    [
        {"op": "import", "args": []},
        {"op": "add"},
        {"op": "add", "args": []},
        {"op": "add", "args": [3]},
        {"op": "sub", "args": [{"op": "var", "name": "n"}]},
        {"op": "if", "args": [{"op": "var", "name": "n"}]},
        {"op": "const", "value": "1e5"},
        {"op": "const", "value": "1/0"},
        {"op": "const", "value": "٣"},
        {"op": "const", "value": 3},
        {"op": "ref", "address": "a", "spare": 1},
        {"op": "pow", "args": [{"op": "var", "name": "n"}], "exponent": "2"},
        {"op": "pow", "args": [{"op": "var", "name": "n"}], "exponent": True},
        {
            "op": "search",
            "which": "any",
            "variable": "n",
            "low": {},
            "high": {},
            "condition": {},
            "step": "1",
        },
        [],
    ],
)
def test_a_broken_formula(formula):
    text = with_formula(formula)
    assert refused(text).code == "CW0724"
    assert schema_errors(text, SCHEMA)


CAUSAL = {"sort": "mask", "text": "causal", "is": "causal", "with": {}}
SIZED = {"sort": "mask", "text": "x", "is": "window", "with": {"size": 4}}
UNIFORM = {"sort": "lengths", "text": "x", "is": "uniform", "low": 3, "high": 5}
LAW = {
    "sort": "lengths",
    "text": "x",
    "is": "lognormal",
    "median": "9",
    "p95": "20",
    "at_most": None,
    "at_least": "1",
}
SEEN = {"sort": "lengths", "text": "x", "is": "empirical", "counts": [[3, 1], [5, 2]]}
ONE = {"op": "const", "value": "1"}


def call(function, static, *args):
    return {"op": "kernel", "function": function, "static": list(static), "args": list(args)}


@pytest.mark.parametrize(
    "formula",
    [
        call("pairs", [CAUSAL], ONE, ONE),
        call("pairs", [{"sort": "mask", "text": "x", "is": "and", "of": [CAUSAL, SIZED]}], ONE, ONE),
        call("prompt_pairs", [SIZED], ONE),
        call("mean", [UNIFORM]),
        call("quantile", [LAW], ONE),
        call("longest", [SEEN]),
    ],
)
def test_a_primitive_with_what_it_takes(formula):
    document, found = from_json(with_formula(formula))
    assert (document is not None, found) == (True, ())


@pytest.mark.parametrize(
    "formula",
    [
        call("unheard_of", [CAUSAL]),
        call([], [CAUSAL]),
        call("pairs", []),
        call("pairs", [CAUSAL]),
        call("pairs", [], ONE, ONE),
        call("pairs", [CAUSAL], ONE, ONE, ONE),
        call("pairs", [CAUSAL, CAUSAL], ONE, ONE),
        call("pairs", [UNIFORM], ONE, ONE),
        call("mean", [CAUSAL]),
        call("mean", [UNIFORM], ONE),
        call("quantile", [UNIFORM]),
        *(call("pairs", [static], ONE, ONE) for static in (3, {}, None, "causal", [CAUSAL])),
        *(call("pairs", [{**SIZED, **more}], ONE, ONE) for more in (
            {"is": "unheard_of"}, {"is": "uniform"}, {"is": 3}, {"with": {}}, {"with": {"size": 0}}, {"with": {"size": "4"}},
            {"with": {"size": True}}, {"with": {"size": [4]}}, {"with": {"size": 4, "spare": 1}}, {"text": 3}, {"sort": "lengths"},
            {"spare": 1}, {"with": None},
        )),
        *(call("mean", [{**UNIFORM, **more}]) for more in (
            {"low": 9}, {"low": -1}, {"low": None}, {"high": "5"}, {"high": 1.5}, {"is": "fixed"}, {"sort": "mask"}, {"spare": 1},
            {"high": 10**4000},
        )),
        *(call("mean", [{**LAW, **more}]) for more in (
            {"median": "0"}, {"p95": "9"}, {"median": "1e9"}, {"median": 9}, {"at_most": "10"}, {"at_least": "-1"}, {"at_least": None},
        )),
        *(call("mean", [{**SEEN, "counts": counts}]) for counts in (
            [], None, [3], [[3]], [[3, 0]], [[5, 1], [3, 1]], [[3, 1], [3, 1]], [[3, "1"]], [[-3, 1]], {"3": 1},
        )),
        call("pairs", [{"sort": "mask", "text": "x", "is": "not", "of": [CAUSAL, CAUSAL]}], ONE, ONE),
        call("pairs", [{"sort": "mask", "text": "x", "is": "and", "of": []}], ONE, ONE),
        call("pairs", [{"sort": "mask", "text": "x", "is": "xor", "of": [CAUSAL, CAUSAL]}], ONE, ONE),
        call("pairs", [{"sort": "mask", "text": "x", "is": [], "of": [CAUSAL, CAUSAL]}], ONE, ONE),
    ],
)  # fmt: skip
def test_a_primitive_without_what_it_takes(formula):
    assert refused(with_formula(formula)).code == "CW0724"


def test_a_tower_of_masks_is_refused():
    tower = CAUSAL
    for at in range(400):
        tower = {
            "sort": "mask",
            "text": "x",
            "is": ("and", "or")[at % 2],
            "of": [tower, {**SIZED, "with": {"size": at + 1}}],
        }
    assert refused(with_formula(call("pairs", [tower], ONE, ONE))).code == "CW0724"


def test_a_tower_of_formulas_is_refused_and_not_walked_to_the_end():
    mark = '{"op": "var", "name": "n"}'
    for depth in (151, 1_000, 100_000):
        tower = '{"op": "neg", "args": [' * depth + mark + "]}" * depth
        found = refused(with_formula(json.loads(mark)).replace(mark, tower))
        assert found.code in {"CW0720", "CW0724"}


JUNK = st.one_of(
    st.none(), st.booleans(), st.integers(), st.text(max_size=3), st.just([]), st.just({}), st.just("1/2")
)


def places(value, path=()):
    yield path
    if isinstance(value, dict):
        for key in value:
            yield from places(value[key], (*path, key))
    elif isinstance(value, list) and value:
        yield from places(value[0], (*path, 0))


SMALL = replace(
    DOC, quantities=(DOC.quantities[-1], DOC.quantities[7]), sources=DOC.sources[:1], views=DOC.views[:1]
)
SMALL_TEXT = to_json(SMALL)
PLACES = [path for path in places(json.loads(SMALL_TEXT)) if path and path[0] not in {"format", "version"}]


@settings(max_examples=250, deadline=None)
@given(st.sampled_from(PLACES), JUNK, st.sampled_from(["put", "drop", "add"]))
def test_reading_accepts_what_the_schema_accepts(path, junk, deed):
    raw = json.loads(SMALL_TEXT)
    holder = raw
    for key in path[:-1]:
        holder = holder[key]
    if deed == "put":
        holder[path[-1]] = junk
    elif deed == "drop":
        del holder[path[-1]]
    elif isinstance(holder, dict):
        holder["invented"] = junk
    text = json.dumps(raw)
    doc, found = from_json(text)
    is_shaped = doc is not None or found[0].code == "CW0725"
    assert is_shaped == (not schema_errors(text, SCHEMA))
