"""What the report says, in Markdown and HTML."""

import re

import pytest
from msgspec.structs import replace

from capwright.render.escape import JOINER
from capwright.render.html import html, policy
from capwright.render.index import index
from capwright.render.markdown import markdown
from capwright.render.pieces import Numeral, Reference, plain
from capwright.render.report import report
from capwright.render.templates import style, text
from capwright.render.terminal.summary import summary
from capwright.render.verdicts import place_of_line
from tests.support.compared import document, edited
from tests.support.numerals import of_html, of_markdown, rendered
from tests.support.sample import CAVEAT, sample

DOC = sample()
HTML, MARKDOWN = html(DOC), markdown(DOC)
FORBIDDEN = ("fits", "guaranteed", "optimal", "best", "recommended")


@pytest.mark.parametrize("page", [HTML, rendered(MARKDOWN)])
def test_what_needs_attention_comes_first(page):
    labels = ("snappy", "interactive", "the worst mix is admitted")
    assert page.index(labels[0]) < page.index(labels[1]) < page.index(labels[2])
    assert page.index("Verdicts") < page.index("Memory, down to the usable pool") < page.index("Derivations")


@pytest.mark.parametrize("page", [HTML, MARKDOWN])
def test_no_promise_is_made(page):
    words = re.sub(r"<style>.*?</style>|<script>.*?</script>", "", page, flags=re.DOTALL)
    assert not [word for word in FORBIDDEN if re.search(rf"\b{word}\b", words, re.IGNORECASE)]


@pytest.mark.parametrize("page", [HTML, MARKDOWN])
def test_the_permanent_caveat_stands_above_everything(page):
    body = page[page.index("<body>") :] if "<body>" in page else page
    assert body.index("not a fit guarantee: validate") < body.index(
        "Verdicts</h2>" if "<body>" in page else "## "
    )


def test_every_link_leads_somewhere():
    for found in (of_html(HTML, DOC), of_markdown(MARKDOWN, DOC)):
        assert not found.dead_links()
        assert not found.mistakes


def test_each_quantity_that_is_printed_has_a_derivation():
    of = index(DOC)
    shown = {derivation.address for derivation in report(of).derivations}
    assert shown == of.derived
    assert {address for section in DOC.sections for address in section.addresses} <= shown
    assert "prod.kv.bytes_per_token/kv_bytes[full]" in shown


def test_a_brief_report_derives_what_is_printed_and_the_calls_in_it():
    full, brief = index(DOC), index(DOC, brief=True)
    shown = {derivation.address for derivation in report(brief).derivations}
    assert shown == brief.listed < full.listed == brief.derived
    assert {address for section in DOC.sections for address in section.addresses} <= shown
    (told,) = [one for one in report(brief).derivations if one.address == "prod.kv.bytes_per_token"]
    assert plain(told.names) == "kv_bytes[full]"
    assert plain(told.symbols).startswith("model.layers × ")
    assert "prod.model.layers" in brief.folded


def test_a_folded_number_keeps_its_address_and_the_page_says_where_its_derivation_is():
    assert '<span title="prod.model.layers nominal in layers">80</span>' in MARKDOWN
    assert "#d-prod.model.layers" not in MARKDOWN
    assert "the HTML page and the JSON beside this file hold the rest" in MARKDOWN
    shallow = replace(DOC, sections=(replace(DOC.sections[0], addresses=("prod.model.layers",)),),
                      views=(), verdicts=(), measurements=())  # fmt: skip
    assert "hold the rest" not in markdown(shallow)


def test_the_operands_of_a_drawn_formula_are_listed_with_their_links():
    (found,) = (d for d in report(index(DOC)).derivations if d.address == "prod.kv.per_device")
    assert "<mfrac>" in found.symbols_math
    assert found.facts[0].term == "Where"
    assert plain(found.facts[0].pieces).replace("\xa0", " ") == (
        "bytes_per_token = 327,680 B/token, sharding.tensor = 4 devices"
    )
    targets = {piece.address for piece in found.facts[0].pieces if isinstance(piece, Reference | Numeral)}
    assert targets == {"prod.kv.bytes_per_token", "prod.sharding.tensor"}


def test_a_caveat_of_the_whole_section_is_said_once():
    section = DOC.sections[0]
    quantities = tuple(
        replace(q, caveats_here=(CAVEAT,)) if q.address in section.addresses else q for q in DOC.quantities
    )
    first = report(index(replace(DOC, quantities=quantities))).sections[0]
    assert first.caveats == (CAVEAT,)
    assert not any(row.marks for row in first.rows)


def test_inherited_caveats_are_counted_and_lead_to_their_names():
    kv = report(index(DOC)).sections[1]
    (mark,) = kv.rows[1].marks
    assert [piece.text for piece in mark] == ["+1", " inherited caveat"]


def test_an_empty_document_has_a_report():
    nothing = replace(
        DOC, quantities=(), sources=(), caveats=(), verdicts=(), measurements=(), evidence=(), sections=(),
        views=(), options=(), moved=(), diagnostics=(), inputs=(),
    )  # fmt: skip
    assert "Derivations" in html(nothing)
    assert "Derivations" in markdown(nothing)


def test_a_reference_to_nothing_is_printed_as_a_name():
    lost = replace(DOC, quantities=DOC.quantities[1:])
    assert "prod.model.layers" in html(lost)
    assert "prod.model.layers" in markdown(lost)


def test_a_document_that_refers_to_itself_has_a_report():
    loop = {"op": "ref", "address": "prod.kv.blocks"}
    turning = tuple(replace(q, formula=loop) if q.address == "prod.kv.blocks" else q for q in DOC.quantities)
    assert html(replace(DOC, quantities=turning))


def test_the_page_allows_its_own_style_and_script_and_nothing_else():
    allowed = policy(style(), text("report.js"))
    assert allowed.startswith("default-src 'none';")
    assert "unsafe" not in allowed
    assert not re.search(r"\son[a-z]+=|\sstyle=|javascript:", HTML)
    assert not re.search(r"(?:src|href)=\"(?!#|data:,)", HTML)
    assert allowed.replace("'", "&#39;") in HTML


def test_a_report_is_the_same_each_time():
    assert html(sample()) == HTML
    assert markdown(sample()) == MARKDOWN


def test_what_we_put_between_backticks_stands_in_quotes_on_a_page():
    plan = """\
assume a : number = 3 in 2 .. 5 because "an example"
b : number = a - 4
require b <= 0 "never"
"""
    doc = document(plan, "code.plan")
    assert "`a`" in (doc.verdicts[0].closed_by or "")
    assert "`b` may be" in doc.diagnostics[0].message
    page = re.sub(r"<style>.*?</style>|<script>.*?</script>", "", html(doc), flags=re.DOTALL)
    assert "`" not in page
    assert "a narrower range for ‘a’ (" in re.sub(r"<[^>]*>", "", page)
    assert "a narrower range for ‘a’ (" in markdown(doc)


def test_hashes_of_all_that_went_in():
    for page in (HTML, MARKDOWN):
        for digest in (DOC.tool_sha256, DOC.library_sha256, *(item.sha256 for item in DOC.inputs)):
            assert digest in page


@pytest.mark.parametrize("write", [markdown, html])
def test_that_something_is_below_zero_stands_before_every_verdict(write):
    """8 GiB less 9 GiB: what is asked of the pool is asked of something that cannot be built."""
    plan = 'use std\npool : byte = 8 GiB - 9 GiB\nrequire pool <= 1 GiB "it is small"\nreport pool\n'
    text = re.sub(r"<style>.*?</style>|<[^>]*>|[*`]", "", write(document(plan, "p.plan")), flags=re.DOTALL)
    said = "‘pool’ is below zero: −1\N{NO-BREAK SPACE}GiB"
    first = text.replace(" GiB", "\N{NO-BREAK SPACE}GiB").index(said)
    assert first < text.index("it is small")


def test_where_evidence_takes_a_caveat_away_what_it_found_stands():
    """An accuracy 45 points lower discharges the caveat as well as none: nobody may miss which it is."""
    plan = (
        "use std\nkind saved : number for quality context metric, difference\n"
        'saving : number kind saved = 0.5  caveat untested for quality "what it costs in answers is not shown"\n'
        'evidence ruler of saving { metric = "accuracy"; difference = "-45 points" } discharges untested\n'
        'require saving * 2 <= 2 "half"\nreport saving\n'
    )
    doc = document(plan, "p.plan")
    said = "untested discharged by ruler (metric: accuracy; difference: -45 points) of saving"
    assert said in summary(doc).splitlines()
    for write in (markdown, html):
        assert said in re.sub(r"<[^>]*>|[*`\\]", "", write(doc))


def test_a_name_or_a_place_can_be_copied_from_markdown():
    """What breaks up links in prose would stay in a copied path: names and places are code, where a forge makes none."""
    doc = edited()
    text = markdown(doc)
    assert f"The report of `{doc.path}`" in text
    opened = {place_of_line(verdict.opened_line) for verdict in doc.verdicts if verdict.opened_line}
    assert opened
    assert all(f"(`{place}`)" in text for place in opened)
    aliases = {name for quantity in doc.quantities for name in quantity.aliases if "@" in name}
    assert any(f"`{name}`" in text for name in aliases)
    assert all(f"@{JOINER}{name.split('@')[1]}" not in text for name in aliases)


def test_what_leaves_a_verdict_open_and_what_would_close_it_are_a_sentence_each():
    """The line of the library that declares it, with its padding, tells a reader nothing."""
    plan = """\
unit second, seconds symbol s
kind itl : s for time context engine, load
fast : s kind itl >= 3 s             "how fast"
assume part = 3 in 2 .. 8 because "logs"
assume other = 3 in 2 .. 9 because "logs"
require fast <= 10 s "speed"
require part + other <= 6 "both"
"""
    text = re.sub(r"\*\*|`|<[^>]*>|\u2060", "", markdown(document(plan, "open.plan")))
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text)
    assert "either is possible within what is known of fast (open.plan:3)" in text
    assert "a measurement of ‘fast’ at this workload (stating engine, load)" in text
    assert "either is possible within what is known of other (open.plan:5)" in text
    assert "(‘assume … in … from measure NAME’), together with a narrower range for ‘part’" in text


def test_what_is_measured_needs_nothing_below_it_to_be_known_better():
    plan = """\
kind rate : number for time context engine
assume share = 0.8 in 0.7 .. 0.9 because "logs"
assume other = 3 in 2 .. 9 because "logs"
rate : number kind rate <= 100 * share
require 6 * other / rate <= 1 "with another"
require 60 / rate <= 1 "alone"
"""
    found = {verdict.label: verdict.closed_by for verdict in document(plan, "open.plan").verdicts}
    assert (found["alone"] or "").startswith("a measurement of `rate`")
    assert "together" not in (found["alone"] or "")
    assert (found["with another"] or "").endswith("together with a narrower range for `other`")
