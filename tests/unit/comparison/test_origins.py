"""Where a change was made: in a plan, in a catalogue of the project's own, in a file that a plan reads, in a formula."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from capwright.comparison.compare import compare
from capwright.comparison.options import Alternatives, compare_options
from capwright.compiling import compile_plan
from capwright.document.diffdoc import DiffDoc
from capwright.document.plandoc import PlanDoc
from capwright.loading import load
from tests.support.compared import EXAMPLE, document, example

PROJECT = '[catalogues]\nacme = "parts/acme.plan"\n'
PARTS = 'use std\nuse "more.plan"\ndevice gpu from nvidia.h100_sxm { driver_total = 79 GiB/device }\n'
MORE = "fee : $/hour = 2 $/hour\n"
PLAN = """\
use std
use acme
share : number = 0.5
room : byte/device = acme.gpu.driver_total * share
long : token = mean(trace("lengths.csv", input: "n"))
bill : $ = acme.fee * 3 hours
report room, long, bill
"""


def compiled(folder: Path, **files: str) -> PlanDoc:
    texts = {
        "capwright.toml": PROJECT,
        "acme": PARTS,
        "more": MORE,
        "plan": PLAN,
        "lengths": "n\n100\n200\n",
    } | files
    names = {"acme": "parts/acme.plan", "more": "parts/more.plan", "plan": "p.plan", "lengths": "lengths.csv"}
    for name, text in texts.items():
        path = folder / names.get(name, name)
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    made = compile_plan(load(str(folder / "p.plan"), root=str(folder)))
    assert [d.message for d in made.diagnostics if d.severity == "error"] == []
    return made.sound


def origins(diff: DiffDoc) -> dict[str, str]:
    return {d.address: d.origin for d in diff.declarations}


@pytest.mark.parametrize(
    ("files", "found"),
    [
        ({"acme": PARTS.replace("79", "78")}, {"acme.gpu.driver_total": "catalogue"}),
        ({"plan": PLAN.replace("0.5", "0.6")}, {"share": "plan edit"}),
        ({"lengths": "n\n100\n200\n600\n"}, {"long": "trace"}),
        ({"more": MORE.replace("= 2", "= 3")}, {"acme.fee": "catalogue"}),
    ],
    ids=["catalogue", "plan", "trace", "file of a catalogue"],
)
def test_the_class_of_a_change_is_that_of_the_file_it_was_made_in(tmp_path, files, found):
    before = compiled(tmp_path)
    assert origins(compare(before, compiled(tmp_path, **files))) == found


FORMULAS = """\
unit byte, bytes symbol B
formula row(n: byte) : byte = n * 2
formula twice(n: byte) : byte = row(n) + row(n)
wide : byte = 3 bytes
held : byte = twice(wide)
kept : byte = row(wide) + 1 byte
report held, kept
"""


def test_an_edited_formula_is_the_declaration_and_not_the_numbers_that_it_makes():
    diff = compare(document(FORMULAS), document(FORMULAS.replace("n * 2", "n * 3")))
    assert [(d.address, d.before, d.after) for d in diff.declarations] == [
        ("row(…)", "byte = n * 2", "byte = n * 3")
    ]
    assert {q.address: len(q.change.causes) for q in diff.quantities} == {"held": 1, "kept": 1}


OPTIONS = """\
unit byte, bytes symbol B
entity box { v : byte; w : byte default 2 bytes; s : byte = v * 2; m : byte = max(s * 2, w) }
box prod { v = 4 bytes }
option large of prod { v = 40 bytes }
option wide of prod@large { w = 1_000 bytes }
x : byte >= prod.m * 2
require x >= 1_000 bytes "enough"
report prod, x
"""


def test_an_option_of_an_option_is_compared_with_it_and_with_what_that_is_an_option_of():
    """Asked of the wide one, the plan's own words are of it, as they are of the large one."""
    given = Alternatives(document(OPTIONS))
    inner = compare_options(given, "prod@large", "prod@large", "prod@large@wide")
    assert [(d.address, d.after) for d in inner.declarations] == [("prod@large.w", "1,000 bytes")]
    assert {q.address: q.change.difference for q in inner.quantities} == {
        "prod@large.w": "998", "prod@large.m": "840", "x": "1680",
    }  # fmt: skip
    assert [(v.what, v.after and v.after.status) for v in inner.verdicts] == [("status", "holds")]
    outer = compare_options(given, "prod", "prod", "prod@large@wide")
    assert {d.address for d in outer.declarations} == {"prod.v", "prod.w"}
    assert {q.address: q.change.difference for q in outer.quantities}["x"] == "1968"


def test_a_formula_that_only_one_side_calls_is_told_with_what_called_it():
    """The other document says what the formula is now, and has no number of it."""
    plan = FORMULAS.replace(
        "report", "once : static whole = 1\nmost : byte = if once == 1 then row(wide) else wide\nreport most,"
    )
    edited = plan.replace("n * 2", "n * 3").replace("whole = 1", "whole = 2")
    plans = [
        each.replace("kept : byte = row(wide) + 1 byte\n", "").replace(", held, kept", "")
        for each in (plan, edited)
    ]
    diff = compare(*(document(each.replace("held : byte = twice(wide)\n", "")) for each in plans))
    assert {d.address for d in diff.declarations} == {"once", "row(…)"}
    assert [len(cause.declarations) for q in diff.quantities for cause in q.change.causes] == [2]


def test_what_binds_is_a_name_of_the_plan_or_the_formula_that_is_called():
    plan = FORMULAS.replace(
        "report",
        "most : byte = max(row(wide), wide)\nleast : byte = min(row(wide), wide)\nreport most, least,",
    )
    found = {q.address: q.binds for q in document(plan).quantities}
    assert (found["most"], found["least"]) == ("row(…)", "wide")


MEASURED = """\
use std
kind pace : s for time context engine = machine.name, load "time between tokens"
entity machine { name : text; speed : 1/s }
entity site { machine : machine; time : s kind pace >= 1 / machine.speed }
machine old { name = "alpha"; speed = 50 / 1 s }
machine new { name = "beta"; speed = 50 / 1 s }
site prod { machine = old }
measure prod.time = 31.9 ms as night { engine = "alpha"; load = "one" }
twice : s = prod.time * 2
report twice
"""


@pytest.mark.parametrize(
    ("edit", "cause"),
    [
        (('"alpha"; speed', '"gamma"; speed'), ("old.name", "setting")),
        (("machine = old", "machine = new"), ("prod.machine", "setting")),
        (("31.9 ms", "33 ms"), ("prod.time!night", "measurement")),
        (('measure prod.time = 31.9 ms as night { engine = "alpha"; load = "one" }\n', ""), ("prod.time!night", "measurement")),
        (('engine = "alpha"', 'engine = "gamma"'), ("prod.time!night", "measurement")),
    ],
)  # fmt: skip
def test_a_measurement_that_stops_counting_is_blamed_on_what_it_was_compared_with(tmp_path, edit, cause):
    before = compiled(tmp_path, plan=MEASURED)
    after = compiled(tmp_path, plan=MEASURED.replace(*edit))
    assert before.measurements[0].compared == ("old.name", "prod", "prod.machine")
    for one, two in ((before, after), (after, before)):
        diff = compare(one, two)
        assert [(d.address, d.sort) for d in diff.declarations] == [cause]
        [changed] = [q for q in diff.quantities if q.address == "twice"]
        assert [diff.declarations[0].id] == [name for c in changed.change.causes for name in c.declarations]


SHAPED = """\
use std
entity layout { wide : bool default false; ways : whole default 2 }
entity site { layout : layout; cost : number = if layout.wide then 10 else sum([3, 4]); each : number = sum(n * 2 for n in range(layout.ways)) }
layout one { }
site prod { layout = one }
option wide of prod { layout.wide = true }
option ways of prod { layout.ways = 4 }
report prod
"""


@pytest.mark.parametrize(
    ("option", "declared", "moved"),
    [
        ("wide", ("prod.layout.wide", "false", "true"), "prod.cost"),
        ("ways", ("prod.layout.ways", "2", "4"), "prod.each"),
    ],
)
def test_what_an_option_sets_inside_and_decides_a_shape_is_the_declaration(tmp_path, option, declared, moved):
    given = Alternatives(compiled(tmp_path, plan=SHAPED))
    for before, after in (("prod", f"prod@{option}"), (f"prod@{option}", "prod")):
        diff = compare_options(given, "prod", before, after)
        [one] = diff.declarations
        said = (one.before, one.after) if before == "prod" else (one.after, one.before)
        assert (one.address, *said) == declared
        [change] = [q for q in diff.quantities if q.address == moved]
        assert [cause.declarations for cause in change.change.causes] == [(one.id,)]


ASSUMED = 'assume x = 1.4 GiB in 0.4 GiB .. 5.7 GiB because "a log"'
SAID = {
    ASSUMED: "1.4 GiB (assumed 0.4 GiB .. 5.7 GiB)",
    "x = 0.5 GiB": "0.5 GiB",
    "x = 1.4 GiB": "1.4 GiB",
    "x >= 1.4 GiB": "≥ 1.4 GiB",
    "x <= 2_048 MiB": "≤ 2,048 MiB",
    "x ~ 3000 MiB": "~ 3,000 MiB",
    "x = 12_345.5 MiB": "12,345.5 MiB",
    "x = 2 * 3000 MiB": "2 * 3000 MiB",
    'assume x = 1.4 GiB in 1 GiB .. 2 GiB because "a log"': "1.4 GiB (assumed 1 GiB .. 2 GiB)",
}


@pytest.mark.parametrize("before", SAID)
@pytest.mark.parametrize("after", SAID)
def test_a_declaration_tells_the_range_that_came_or_went(before, after):
    """What only the range of says something else is no smaller and no larger number."""
    if before == after:
        return
    one, two = (
        document(
            f"unit byte, bytes symbol B prefixes decimal binary\n{line}\nr = 2 * x\nreport r\n", "a.plan"
        )
        for line in (before, after)
    )
    [found] = [d for d in compare(one, two).declarations if d.address == "x"]
    exactly = [
        " exactly" if "(assumed" in SAID[other] and re.fullmatch(r"[\d.,]+ \w+", SAID[line]) else ""
        for line, other in ((before, after), (after, before))
    ]
    assert (found.before, found.after) == (SAID[before] + exactly[0], SAID[after] + exactly[1])


def test_numbers_of_a_declaration_are_written_as_all_others_are():
    one, two = (document(f"n : number = {n}\nreport n\n", "a.plan") for n in ("80", "8000"))
    [found] = compare(one, two).declarations
    assert (found.before, found.after) == ("80", "8,000")


SHARED = """\
unit byte, bytes symbol B
entity layout { ways : number default 1; spare : byte = 12 bytes / ways }
entity rack { layout : layout; left : byte = layout.spare }
layout one { }
rack prod { layout = one }
option two of prod { layout.ways = 2 }
report prod
"""


@pytest.mark.parametrize("plan", [SHARED, SHARED.replace("layout = one", "layout.ways = 1"),
                                  SHARED.replace("report prod", "report prod, prod.layout")])  # fmt: skip
@pytest.mark.parametrize(("before", "after"), [("prod", "prod@two"), ("prod@two", "prod")])
def test_what_an_option_has_for_itself_and_its_base_shares_is_changed_and_not_added(
    tmp_path, plan, before, after
):
    """By hand: 12 bytes over one way, and over two."""
    plan = plan.replace("layout : layout;", "layout : layout default one;")
    given = Alternatives(compiled(tmp_path, plan=plan))
    diff = compare_options(given, "prod", before, after)
    assert (diff.added, diff.removed) == ((), ())
    told = {one.address: (one.before.nominal, one.after.nominal) for one in (*diff.quantities, *diff.others)}
    order = 1 if after == "prod@two" else -1
    assert told["prod.layout.ways"] == ("1", "2")[::order]
    assert told["prod.layout.spare"] == ("12", "6")[::order]
    assert told["prod.left"] == ("12", "6")[::order]


ASKED = """\
assume z = 3 in 2 .. 4 because "x"
formula inner(x: number) : number = x * 2
formula outer(x: number) : number = inner(x) + 1
require {call}(z) <= 100 "small"
"""


@pytest.mark.parametrize("call", ["inner", "outer"])
def test_a_formula_that_only_a_requirement_calls_is_the_cause_and_not_the_requirement(call):
    """Nobody edited the requirement: it says the same words."""
    before = ASKED.format(call=call)
    found = compare(document(before, "r.plan"), document(before.replace("x * 2", "x * 30"), "r.plan"))
    assert [(each.sort, each.address) for each in found.declarations] == [("formula", "inner(…)")]
    (change,) = found.verdicts
    assert change.edit == ""


def test_what_is_read_from_one_entry_of_a_file_is_one_declaration(tmp_path):
    """KV heads are read off one entry for layers and for weights; each number of both has it for its whole cause."""
    config = (Path(EXAMPLE).parent / "configs" / "llama-3.1-70b.config.json").read_text(encoding="utf-8")
    text = example().replace("configs/llama-3.1-70b.config.json", "config.json")
    docs = []
    for name, heads in (("before", 8), ("after", 16)):
        here = tmp_path / name
        here.mkdir()
        edited_config = config.replace('"num_key_value_heads": 8', f'"num_key_value_heads": {heads}')
        (here / "config.json").write_text(edited_config, encoding="utf-8")
        (here / "a.plan").write_text(text, encoding="utf-8")
        docs.append(compile_plan(load(str(here / "a.plan"))).sound)
    diff = compare(*docs)
    named = {d.id: d for d in diff.declarations}
    causes = {id for one in diff.quantities for cause in one.change.causes for id in cause.declarations}
    assert {(named[id].address, named[id].before, named[id].after) for id in causes} == {
        ("llama_70b.key_value_heads", "8", "16")
    }


def test_an_option_that_reaches_inside_what_its_base_made_refers_to_no_copy_of_itself():
    plain = example()
    assert "option tp8 of prod {" in plain
    reaching = plain.replace(
        "option tp8 of prod {", "option tp8 of prod {\n  engine.gpu_memory_utilization = 0.7;", 1
    )
    diff = compare(document(plain), document(reaching))
    assert [(d.address, d.after) for d in diff.declarations] == [
        ("prod@tp8.engine.gpu_memory_utilization", "0.7")
    ]
