"""What the command line prints of a document."""

import csv
import io
import json
import re
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from capwright import codes
from capwright.commands.addresses import asked
from capwright.commands.refusal import CannotRun
from capwright.comparison.compare import compare
from capwright.render.escape import terminal_text
from capwright.render.folding import folded
from capwright.render.formulas import truth_or_value
from capwright.render.scaling import readable
from capwright.render.terminal.code_page import code_page
from capwright.render.terminal.diff import diff_text
from capwright.render.terminal.explain import dependants, explain, why
from capwright.render.terminal.quantity_table import show_in_full, show_table
from capwright.render.terminal.show import asked_for, reported, show_csv, show_json
from capwright.render.terminal.style import COLOURED, PLAIN, columns, fitted, said, width
from capwright.render.terminal.summary import headlines, summary
from tests.support.compared import document, edited
from tests.support.pace import within
from tests.support.sample import CAVEAT, sample

DOC = sample()
PER_DEVICE = {"op": "ref", "address": "prod.kv.per_device"}
PEAK = next(quantity for quantity in DOC.quantities if quantity.address == "prod.kv.peak_reserved")
TWICE = replace(
    PEAK,
    address="prod.kv.twice",
    formula={"op": "add", "args": [PER_DEVICE, {"op": "ref", "address": PEAK.address}]},
)
WITH_TWO_USERS = replace(DOC, quantities=(*DOC.quantities, TWICE))


def chosen(*addresses, doc=DOC):
    readable_doc = readable(doc)
    return asked(addresses, readable_doc) if addresses else reported(readable_doc)


def test_without_addresses_the_reported_quantities_are_shown():
    found = chosen()
    assert [q.address for q in found] == [a for section in DOC.sections for a in section.addresses]


def test_an_address_selects_what_is_below_it():
    found = chosen("prod.kv", "prod.kv.bytes_per_token/kv_bytes[full]")
    assert [q.address.rpartition(".")[2] for q in found] == [
        "bytes_per_token", "per_device", "blocks", "peak_reserved", "bytes_per_token/kv_bytes[full]",
    ]  # fmt: skip
    for address in ("prod.nothing", "prod.k"):
        with pytest.raises(CannotRun):
            chosen("prod.kv", address)


def test_a_table_has_a_line_a_quantity_and_the_caveats_in_words():
    text = show_table(DOC, chosen("prod.kv"), exact=True)
    head, *lines = text.splitlines()
    assert head.split() == [
        "quantity",
        "value",
        "established",
        "exact",
        "value",
        "kind",
        "origin",
        "caveats",
        "excludes",
    ]
    assert lines[3].split()[:5] == ["prod.kv.peak_reserved", "30", "GiB/device", "exact", "32,212,254,720"]
    assert text.endswith("not a fit guarantee: validate with this workload on this serving configuration\n")
    assert show_table(DOC, []) == "nothing to show\n"


def test_exact_values_are_in_a_table_that_nobody_looks_at_only_where_they_are_asked_for():
    text = show_table(DOC, chosen("prod.kv"))
    assert "exact value" not in text.splitlines()[0]
    assert text.splitlines()[-1] == "column left out: exact value (`--exact`, `--format json` or `csv`)"


@pytest.mark.parametrize("wide", [300, 160, 100, 80, 60, 40, 20])
@pytest.mark.parametrize("exact", [True, False])
def test_a_table_fits_the_terminal(wide, exact):
    found = chosen()
    text = show_table(DOC, found, wide=wide, exact=exact)
    assert max(map(width, text.splitlines())) <= wide
    flat = "".join(text.split())
    for quantity in found:
        assert quantity.address in flat
    assert ("32,212,254,720" in flat) == (exact or wide == 360)
    assert "validatewiththisworkload" in flat


def test_what_has_no_room_is_named_and_a_caveat_names_its_numbers():
    text = show_table(DOC, chosen("prod.kv"), wide=65)
    head, *_ = text.splitlines()
    assert head.split() == ["quantity", "value", "established"]
    flat = " ".join(text.split())
    assert "columns left out: exact value, kind, origin (`--exact`, one address alone" in flat
    assert "serving configuration. On prod.kv." in flat.replace("configuration On", "configuration. On")


def test_what_a_number_leaves_out_stands_beside_it_or_below_the_table():
    head, *lines = show_table(DOC, chosen("prod.kv")).splitlines()
    assert head.split()[-1] == "excludes"
    assert [line.endswith("  scales") for line in lines[:4]] == [True, False, False, False]
    narrow = show_table(DOC, chosen("prod.kv"), wide=65)
    assert "excludes scales: prod.kv.bytes_per_token" in narrow.splitlines()
    assert "excludes" not in show_table(DOC, chosen("prod.kv.peak_reserved"))


def test_one_quantity_is_told_in_full():
    found = chosen("prod.decode.step_time")
    assert asked_for(found, ["prod.decode.step_time"])
    assert not asked_for(found, ["prod.decode"])
    assert not asked_for(found, [])
    text = show_in_full(DOC, found, wide=60).replace("\xa0", " ")
    assert text.startswith(
        "prod.decode.step_time  ≥ 22.38 ms\n    established: lower bound\n    exact value: "
    )
    flat = " ".join(text.split())
    for fact in (
        "1,054,517,312/47,109,375 ms",
        "kind: ",
        "origin: ",
        "leans on: ",
        "caveats: ",
        "validate with this workload",
    ):
        assert fact in flat, text


def test_the_fields_of_an_anonymous_copy_are_not_below_what_holds_it():
    hidden = replace(PEAK, address="prod.kv.peak_reserved#2.context")
    doc = replace(DOC, quantities=(*DOC.quantities, hidden))
    assert hidden.address not in [one.address for one in chosen("prod.kv", doc=doc)]
    assert [one.address for one in chosen("prod.kv.peak_reserved#2", doc=doc)] == [hidden.address]
    assert [one.address for one in chosen(hidden.address, doc=doc)] == [hidden.address]


def test_json_holds_the_exact_value_beside_the_displayed_one():
    (record,) = json.loads(show_json(DOC, chosen("prod.decode.step_time")))["quantities"]
    assert record["displayed"] == "≥ 22.38\xa0ms"
    assert record["exact_low"] == "1054517312/47109375"
    assert record["low"] == 1054517312 / 47109375
    assert (record["nominal"], record["high"]) == (None, None)
    assert record["inherited_caveats"][0].startswith(f"{CAVEAT}: not a fit guarantee")


def test_csv_has_the_same_fields_and_keeps_negative_numbers():
    rows = list(csv.DictReader(io.StringIO(show_csv(DOC, chosen("prod.decode")))))
    assert [row["address"] for row in rows] == [
        "prod.decode.step_time", "prod.decode.throughput", "prod.decode.rule_of_thumb",
    ]  # fmt: skip
    assert rows[1]["high"] == "40.0"
    assert "validate with this workload" in rows[0]["inherited_caveats"]


def test_explain_shows_each_quantity_once():
    text = explain(DOC, "prod.decode.step_time").replace("\xa0", " ")
    assert text.count("= 80 layers × 8 kv_heads") == 1
    assert "single_request: one request alone" in text
    assert "configs/llama-3.1-70b.json#/kv_heads" in text


def test_explain_stops_at_a_depth_and_says_so():
    text = explain(DOC, "prod.decode.step_time", 1)
    assert "├─ prod.kv.peak_reserved" in text
    assert "─ prod.kv.per_device" not in text
    assert text.count("ask for more depth") == 1
    assert "─ prod.kv.peak_reserved" not in explain(DOC, "prod.decode.step_time", 0)


def test_a_shared_part_is_named_again_but_not_told_again():
    text = explain(WITH_TWO_USERS, "prod.kv.twice")
    assert text.count("─ prod.kv.per_device") == 2
    assert text.count("(above)") == 1
    assert text.count("─ prod.kv.bytes_per_token  ") == 1


def test_what_is_reported_stands_in_the_order_of_the_report():
    (section, *_) = [one for one in DOC.sections if len(one.addresses) > 1]
    turned = replace(DOC, quantities=DOC.quantities[::-1])
    order = [one.address for one in chosen(doc=turned)]
    for address in (section.path, section.addresses[0].partition(".")[0]):
        among = [one.address for one in chosen(address, doc=turned) if one.address in order]
        assert among == [one for one in order if one in among]
        assert len(among) > 1


def test_dependants_are_in_the_units_that_show_has():
    lines = dependants(DOC, "prod.sharding.tensor").splitlines()
    told = dict(re.split(r"  +", line.lstrip(" ├│└─"), maxsplit=1) for line in lines if ": " not in line)
    shown = {one.address: said(truth_or_value(one)) for one in chosen(*told)}
    assert told == {address: shown[address] for address in told}
    assert len(told) == 4


def test_what_depends_on_a_quantity():
    text = dependants(DOC, "prod.sharding.tensor")
    lines = text.splitlines()
    tree = [line.lstrip(" └─").split()[0] for line in lines if not line.startswith("require ")]
    assert tree == [
        "prod.sharding.tensor", "prod.kv.per_device", "prod.kv.peak_reserved", "prod.decode.step_time",
    ]  # fmt: skip
    asked = [line.split(": ")[0].removeprefix("require ") for line in lines if line.startswith("require ")]
    users = {"prod.kv.per_device", "prod.kv.peak_reserved", "prod.decode.step_time"}
    assert asked == [v.label for v in DOC.verdicts if {v.left.address, v.right.address} & users]
    assert len(asked) == 3
    assert "nothing depends on it" in dependants(DOC, "lab.attainable")


def test_the_summary_puts_first_what_needs_attention():
    text = summary(DOC)
    assert (
        text.index("violated  snappy")
        < text.index("not established  interactive")
        < text.index("holds  the worst mix")
    )
    assert "holds under: prod.memory.activations, prod.memory.reserve" in text
    assert text.splitlines()[-1].startswith("not a fit guarantee")


def test_colours_only_if_asked_for():
    assert "\x1b" not in summary(DOC)
    assert "\x1b[1;31mviolated\x1b[0m" in summary(DOC, COLOURED)


@pytest.mark.parametrize(("text", "columns"), [("abc", 3), ("漢字", 4), ("e\u0301", 1), ("", 0)])
def test_width(text, columns):
    assert width(text) == columns


def test_columns_line_up():
    assert columns([["a", "漢", "x"], ["bb", "c", ""]], frozenset({0})) == [" a  漢  x", "bb  c"]


def test_a_verdict_says_what_it_was_read_off():
    text = summary(DOC).replace("\xa0", " ")
    told = [line for line in text.splitlines() if line.startswith("    measured: ")]
    assert told
    assert all("prod.decode.step_time!load_2026_09, ≈ 31.9 ms" in line for line in told)
    assert all("arrival: closed loop, 1 request" in line for line in told)


def test_a_check_names_what_the_sides_of_a_requirement_leave_out():
    doc = document(
        'formula walls(n: number) : number\n  excludes "paint"\n  = n * 2\n'
        'require walls(1) <= 5 "walls fit"\nrequire 1 <= 2 "nothing is left out"\n',
        "a.plan",
    )
    fits, rest = summary(doc).split("holds  nothing is left out")
    assert '    excludes "paint"\n' in fits
    assert "excludes" not in rest


WORDS = st.lists(
    st.sampled_from(["a", "of", "quantity", "数字", "prod.kv.peak_reserved", "::error", "x" * 30, ""])
)
BLANKED = re.compile(r"[ \u2060]")


@given(WORDS, st.integers(0, 8), st.integers(24, 90), st.sampled_from([None, "│  │    "]))
def test_a_fitted_line_is_the_line_within_its_columns(words, indent, wide, hang):
    line = " " * indent + " ".join(words).lstrip(" ")
    first, *rest = fitted(line, wide, hang)
    lead = " " * (indent + 2) if hang is None else hang
    assert max(map(width, (first, *rest))) <= wide
    assert all(each.startswith(lead) for each in rest)
    whole = first + "".join(each.removeprefix(lead) for each in rest)
    assert BLANKED.sub("", whole) == BLANKED.sub("", line)
    assert fitted(line, None) == [line]


def test_a_long_word_is_cut_in_one_walk():
    """Prose in a script without blanks is one word; each cut once tried every place for itself."""
    with within(1):
        lines = fitted("量" * 20_000, 80)
    assert [len(line.strip()) for line in lines] == [40, *[39] * 511, 31]


def test_a_line_that_is_indented_by_most_of_the_columns_keeps_half_of_them_for_its_text():
    assert fitted(" " * 20 + "one two three", 24) == [" " * 20 + "one two", " " * 22 + "three"]


@given(WORDS, WORDS, st.integers(24, 60))
def test_a_dressed_line_breaks_where_a_bare_one_does_and_keeps_its_codes(one, two, wide):
    bad, good = COLOURED.paint("bad", " ".join(one)), COLOURED.paint("good", " ".join(two))
    line = f"  {bad} between {good}"
    bare = f"  {terminal_text(' '.join(one))} between {terminal_text(' '.join(two))}"
    found = fitted(line, wide)
    assert [re.sub(r"\x1b\[[0-9;]*m", "", each) for each in found] == fitted(bare, wide)
    codes = re.compile(r"\x1b\[[0-9;]*m")
    assert codes.findall("".join(found)) == codes.findall(line)


@pytest.mark.parametrize("wide", [40, 80, 120])
@pytest.mark.parametrize("style", [PLAIN, COLOURED])
def test_prose_fits_the_terminal_and_is_whole_without_one(wide, style):
    """All that `check`, `build`, `diff` and `explain` say of the example that is compared elsewhere."""
    before, after = edited(), edited("cache", "share")
    pool, weights = "prod.memory.pool", "prod.memory.weights"
    tellers = (
        lambda columns: summary(before, style, wide=columns),
        lambda columns: headlines(before, style, columns),
        lambda columns: diff_text(compare(before, after), style, opened=True, wide=columns),
        lambda columns: explain(before, pool, 2, style, columns),
        lambda columns: dependants(before, weights, 2, style, columns),
        lambda columns: why(before, pool, weights, None, style, columns),
    )
    for tell in tellers:
        bare = re.sub(r"\x1b\[[0-9;]*m", "", tell(wide))
        assert max(map(width, bare.splitlines())) <= wide
        whole = re.sub(r"\x1b\[[0-9;]*m", "", tell(None))
        assert re.sub(r"[\s│├└─]", "", bare) == re.sub(r"[\s│├└─]", "", whole)


SHARED = """\
entity box { one : number = 2; two : number = one + 1; three : number = two * 2; same : number = three * 1; all : number = same + two }
box b { }
report b
"""


def test_what_stood_too_deep_is_told_where_it_stands_nearer():
    """`b.two` lies three levels down through `b.same`, and one level down by itself."""
    lines = explain(document(SHARED, "shared.plan"), "b.all", 3).splitlines()
    deep = next(at for at, line in enumerate(lines) if line.startswith("│") and "─ b.two" in line)
    near = next(at for at, line in enumerate(lines) if line.startswith("└─ b.two"))
    assert deep < near
    assert any("deeper" in line for line in lines[deep:near])
    assert any(line.startswith("   └─ b.one") for line in lines[near:])
    every = explain(document(SHARED, "shared.plan"), "b.all").splitlines()
    assert [line for line in every if "(above)" in line] == ["└─ b.two  3 (above)"]


NAMED = """\
kind guess : number for guesses "a guess"
entity box {
  one : number = 2
  stated : number = one
  two : number kind guess = one + 1 caveat guessed for guesses "nobody has looked"
  marked : number = two
  sum : number = two * 3
  named : number = sum
  again : number = named
  over : number >= again
}
box b { }
report b
"""


def told_of(address, depth=0):
    lines = explain(document(NAMED, "named.plan"), address, depth).splitlines()
    return [line.lstrip("│ ") for line in lines]


def test_steps_that_only_name_another_number_stand_in_one_line_and_are_no_level():
    lines = told_of("b.again")
    assert lines[:4] == ["b.again  9", "= named = sum", "= two × 3", "= 3 × 3"]
    assert lines[4] == "derived, named.plan:9, named.plan:8, named.plan:7"
    assert any(line.endswith("─ b.two  3") for line in told_of("b.again", 1))


def test_a_step_of_which_there_is_more_to_tell_than_a_name_stays_one():
    """A number that was stated says where; one with a caveat says it; a bound is read off another number than it is."""
    assert told_of("b.stated")[:2] == ["b.stated  2", "= one"]
    assert told_of("b.marked")[:2] == ["b.marked  3", "= two"]
    assert told_of("b.over")[:2] == ["b.over  ≥ 9", "= again"]
    assert any(line.endswith("─ b.again  9") for line in told_of("b.over", 1))


def test_every_number_that_one_comes_from_is_named_with_all_levels():
    doc = document(NAMED, "named.plan")
    text = explain(doc, "b.over")
    assert {q.address for q in doc.quantities if q.address[2:] in text} >= {
        "b.one",
        "b.two",
        "b.sum",
        "b.named",
    }


def test_names_that_go_in_circles_end():
    """As a document that was not written here may have them."""
    (again, named) = (
        next(q for q in document(NAMED, "named.plan").quantities if q.address == f"b.{name}")
        for name in ("again", "named")
    )
    turned = replace(named, formula={"op": "ref", "address": "b.again"})
    found = folded(again, {"b.again": again, "b.named": turned})
    assert [one.address for one in found.names] == ["b.named"]


@pytest.mark.parametrize("wide", [40, 80, 160])
def test_the_page_of_a_code_is_laid_out_anew_for_a_terminal(wide):
    for code in codes.known():
        page = codes.page(code)
        lines = code_page(page, PLAIN, wide).splitlines()
        assert max(map(width, lines)) <= wide
        assert "".join(" ".join(lines).split()) == "".join(code_page(page, PLAIN).split())
    # A paragraph is filled: the first word of a line had no room on the one before, unless that ends something.
    lines = code_page(codes.page("CW0301"), PLAIN, wide).splitlines()
    body = lines[2 : lines.index("", 2)]
    assert all(width(f"{one} {two.split()[0]}") > wide for one, two in pairwise(body))
