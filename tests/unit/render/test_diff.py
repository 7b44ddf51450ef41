"""A comparison as people see it: what comes first, what fits, what foreign text may not do."""

from __future__ import annotations

import re
from fractions import Fraction

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from capwright.comparison.compare import compare
from capwright.comparison.options import Alternatives, compare_options
from capwright.document.diffdoc import DiffDoc, ValueDoc
from capwright.render.diff import comparison
from capwright.render.diff_headline import headline_of, tally, unmet_as_before
from capwright.render.diff_html import diff_html
from capwright.render.diff_markdown import SECTIONS, diff_markdown
from capwright.render.money_and_room import money
from capwright.render.pieces import plain
from capwright.render.terminal.diff import diff_text
from capwright.render.words import STATUS
from tests.support.compared import document, edited
from tests.support.hostile import harmless, lively, poisoned, shape, words
from tests.support.numerals import rendered

DETAILS = re.compile(r"<details>.*?</details>", re.DOTALL)


@pytest.fixture(scope="module")
def diff() -> DiffDoc:
    return compare(edited(), edited("device", "cache", "requests"), ("main", "work"))


def test_the_first_400_characters_carry_verdicts_and_memory(diff):
    head = diff_markdown(diff)[:400]
    for verdict in diff.verdicts:
        if verdict.what == "status":
            assert f"{verdict.label}: {verdict.before.status} → {verdict.after.status}" in head
    assert "GiB/device → " in head


def test_no_table_is_wider_than_three_columns_outside_a_fold(diff):
    text = DETAILS.sub("", diff_markdown(diff))
    borders = [line for line in text.splitlines() if re.fullmatch(r"\|[:|\-]+\|", line)]
    assert borders
    assert all(line.count("|") - 1 <= 3 for line in borders)


def test_whole_sections_are_dropped_and_named(diff):
    whole = diff_markdown(diff)
    assert "Left out" not in whole
    for budget in (12_000, 6_000, 3_000):
        text = diff_markdown(diff, budget)
        assert len(text.encode()) <= budget
        assert text.startswith(whole[:300])
        left = re.search(r"Left out for length: (.*)\.\*\*", text)[1].split(", ")
        assert set(left) <= {part for words in SECTIONS.values() for part in words.split(", ")}
        for heading in re.findall(r"^### (.*)$", text, re.MULTILINE):
            section = whole[whole.index(f"### {heading}") :]
            section = section[: section.find("\n### ", 5)] if "\n### " in section[5:] else section
            assert section[:200] in text
        assert "Not a fit guarantee" in text


def test_equal_looking_pairs_are_never_printed(diff):
    for quantity in comparison(diff).quantities:
        assert plain(quantity.before) != plain(quantity.after)
    one = diff.quantities[0]
    close = ValueDoc("80000000001", "80000000001", "80000000001")
    near = replace(one, before=ValueDoc("80000000000", "80000000000", "80000000000"), after=close)
    [row] = comparison(replace(diff, quantities=(near,))).quantities
    assert plain(row.before) != plain(row.after)


def test_the_printed_parts_add_up_to_the_printed_difference(diff):
    """To within the rounding of what is printed."""
    for quantity in diff.quantities:
        total = sum(Fraction(cause.share) for cause in quantity.change.causes)
        assert not quantity.change.causes or total == Fraction(quantity.change.difference)


def test_overlapping_ranges_are_not_separated(diff):
    shares = compare(edited(), edited("share"))
    assert "the ranges overlap: not separated" in diff_text(shares)
    rows = {q.address: q for q in comparison(shares).quantities}
    assert rows["prod.memory.pool"].overlaps
    apart = {q.address: q for q in comparison(diff).quantities}
    assert apart["prod.memory.advertised"].notes == ()
    # Two bounds of one direction never can be apart: it says nothing that they are not.
    assert plain(apart["prod.decode.step"].before).startswith("≥ ")
    assert apart["prod.decode.step"].notes == ()


def test_a_shared_source_separates_what_overlaps():
    """Two options lean on one assumption; their ranges overlap, and their difference does not hold zero."""
    doc = edited()
    given = Alternatives(doc)
    found = compare_options(given, "prod", "prod", "prod@tp8")
    pool = next(q for q in found.quantities if q.address == "prod.memory.pool")
    assert pool.change.separated


def test_the_page_is_one_file_with_a_policy_and_live_links(diff):
    page = diff_html(diff)
    assert "Content-Security-Policy" in page
    assert not re.search(r"""(?:src|href)=["']?(?:https?:)?//""", page)
    ids = re.findall(r'id="([^"]*)"', page)
    assert len(ids) == len(set(ids))
    assert set(re.findall(r'href="#([^"]*)"', page)) <= set(ids)
    assert "style=" not in page
    assert "onclick" not in page


def test_nothing_is_said_twice_where_nothing_changed():
    same = compare(edited(), edited(), ("a", "b"))
    assert diff_markdown(same).startswith("**No difference.**")
    assert "no difference" in diff_text(same)
    assert "quantities and 4 verdicts, and 16 verdicts of options, are unchanged" in diff_text(same)


@settings(max_examples=15, deadline=None)
@given(words)
@example("</span><script>alert(1)</script>")
@example("|\\|`")
def test_foreign_text_stays_text(text):
    text = f"x{text}"
    diff = compare(edited(), edited("device", "limit"), ("main", "work"))
    # The words of a remark are ours: a tick in them marks an address, and none gets in from a plan.
    remarks = poisoned(diff.remarks, text.replace("`", ""))
    hostile = replace(poisoned(diff, text), remarks=remarks)
    plain_ = replace(poisoned(diff, harmless(text)), remarks=poisoned(diff.remarks, harmless(text)))
    assert shape(diff_html(hostile)) == shape(diff_html(plain_))
    page = rendered(diff_markdown(hostile, 10**9))
    assert shape(page) == shape(rendered(diff_markdown(plain_, 10**9)))
    assert not lively(page)
    printed = diff_text(hostile)
    assert "\x1b" not in printed
    assert not [line for line in printed.split("\n") if line.lstrip().startswith("::")]


def test_approximate_values_are_rounded_as_all_others_are():
    before, after = (
        document(f"n = {n}\nr = sqrt(n)\ne = exp(n / 7)\nreport r, e\n", "a.plan") for n in (3, 5)
    )
    text = diff_markdown(compare(before, after))
    assert "≈ 1.732 → ≈ 2.236" in text.replace("\N{NO-BREAK SPACE}", " ")
    assert not re.search(r"\d\.\d{5}", text)


LOADED = """\
use std
model small {
  hidden_size = 4_096; vocabulary = 128_256; max_context = 131_072 tokens; dtype = bf16
  group full : grouped_query { layers = 32 layers; q_heads = 32 q_heads; kv_heads = 8 kv_heads; key_dim = 128 }
  tensor weights { part = feed_forward; parameters = 8_030_261_248 parameters }
}
workload chats { concurrency = 8 requests; class chat { input = 2_000 tokens; output = 400 tokens } }
deployment prod {
  model = small; cache = fp8_paged; device = nvidia.h100_sxm; workload = chats
  engine = vllm_0_10_1 { max_model_len = 32_768 tokens }
}
option h200 of prod { device = nvidia.h200_sxm }
measure prod.request.itl = 9.1 ms in 8.8 ms .. 9.6 ms as load {
  engine = "vLLM@0.10.1"; hardware = "1 H100 SXM"; arrival = "closed loop, one request"; input = "2,000 tokens"
  output = "400 tokens"; statistic = "median"; boundary = "server"; preemptions = "none"; cache_reuse = "off"
  cache_dtype = "fp8_e4m3"; model = "small"; tensor_parallel = "1 device"
}
require prod.request.itl <= 40 ms "interactive"
answer : s >= prod.request.ttft + prod.request.itl * 400
report prod.request, answer
"""
"""A latency that a measurement closes: by hand, the room is 40 - 9.1 = 30.9 ms, from 30.4 to 31.2."""


@pytest.fixture(scope="module")
def uncounted() -> DiffDoc:
    """The measurement does not count any more: it states another input than the plan has."""
    after = LOADED.replace("input = 2_000 tokens", "input = 2_100 tokens")
    return compare(document(LOADED, "a.plan"), document(after, "a.plan"))


def test_a_lost_end_is_said_in_words_and_its_side_is_shown_with_its_range(uncounted):
    [verdict] = comparison(uncounted).verdicts
    assert (verdict.before, verdict.after) == ("holds", "not established")
    assert plain(verdict.room.before).replace("\N{NO-BREAK SPACE}", " ") == "30.9 (30.4 .. 31.2) ms"
    assert plain(verdict.room.after).startswith("≤ ")
    assert [plain(note) for note in verdict.counting] == [
        "measurement prod.request.itl!load no longer counts"
    ]
    assert [plain(note) for note in verdict.notes] == [
        "no longer a value but an upper bound; its low end is open now"
    ]
    # The other way round it is won.
    [back] = comparison(compare(document(LOADED.replace("2_000 tokens;", "2_100 tokens;"), "a.plan"),
                                document(LOADED, "a.plan"))).verdicts  # fmt: skip
    assert plain(back.notes[0]) == "a value now, no longer an upper bound; its low end is established now"
    assert [plain(note) for note in back.counting] == ["measurement prod.request.itl!load counts now"]


@pytest.mark.parametrize("write", [diff_text, diff_markdown, diff_html])
def test_a_value_beside_a_bound_is_nowhere_without_word_of_it(write):
    """A cost by measurement, 7.468, and one that is at least 2.949: nothing became cheaper."""
    plan = "use std\nprice : $ {} {} $\nrest : $ = price * 2\nreport {}\n"
    for reported in ("price, rest", "rest"):
        before, after = plan.format("=", "7.468", reported), plan.format(">=", "2.949", reported)
        compared = compare(document(before, "a.plan"), document(after, "a.plan"))
        changed = comparison(compared).quantities[0]
        assert plain(changed.unlike) == "a value → a lower bound: not to be subtracted"
        text = re.sub(r"<[^>]*>|[*`]", "", write(compared)).replace("\N{NO-BREAK SPACE}", " ")
        assert "not to be subtracted" in text or "no longer a value but a lower bound" in text
    [money] = [text for each in headline_of(comparison(compared)).told if "rest: " in (text := plain(each))]
    assert money.endswith("(a value → a lower bound: not to be subtracted)")
    [row] = [line for line in diff_markdown(compared).splitlines() if line.startswith("| `price` |")]
    assert row.endswith("; a value → a lower bound: not to be subtracted |")


@pytest.mark.parametrize("write", [diff_text, diff_markdown, diff_html])
def test_a_violation_that_nothing_shows_any_more_is_told_as_that_and_why(write):
    failing = LOADED.replace("<= 40 ms", "<= 8 ms")
    after = failing.replace("input = 2_000 tokens", "input = 2_100 tokens")
    compared = compare(document(failing, "a.plan"), document(after, "a.plan"))
    [verdict] = compared.verdicts
    assert not verdict.worse
    text = re.sub(r"<[^>]*>|[*`]", "", write(compared)).replace("\N{NO-BREAK SPACE}", " ")
    assert "no longer shown to be violated" in text
    assert (
        "prod.request.itl!load: no longer counts: input is 2,000 tokens, and the plan has 2,100 tokens"
        in text
    )
    assert "better" not in text


@pytest.mark.parametrize("write", [diff_text, diff_markdown, diff_html])
def test_that_a_measurement_ceased_to_count_is_told_first_and_as_no_gain(uncounted, write):
    """The room was 30.9 ms measured and is at most 35.2 ms: no 4.2 ms were won."""
    [verdict] = comparison(uncounted).verdicts
    assert verdict.room.difference == ()
    assert [plain(share.said) for share in verdict.room.shares] == ["chats.classes.chat.input"]
    text = re.sub(r"<[^>]*>|[*`]", "", write(uncounted)).replace("\N{NO-BREAK SPACE}", " ")
    told = text.index("prod.request.itl!load no longer counts")
    assert (
        told < text.lower().index("room 30.9") if "room 30.9" in text.lower() else told < text.index("30.9")
    )
    assert "high end" not in text
    headline = [plain(sentence) for sentence in headline_of(comparison(uncounted)).sentences]
    assert headline[:2] == [
        "interactive: holds → not established",
        "measurement prod.request.itl!load: no longer counts: input is 2,000 tokens, and the plan has 2,100 tokens",
    ]


def test_what_a_measurement_states_is_told_before_and_after_where_a_requirement_leans_on_it():
    """It still counts, so nothing else changes: of another statistic, with other preemptions."""
    after = LOADED.replace('"median"', '"p50"').replace('preemptions = "none"', 'preemptions = "412"')
    diff = compare(document(LOADED, "a.plan"), document(after, "a.plan"))
    assert [(remark.text, remark.leaned) for remark in diff.remarks] == [
        ("measurement `prod.request.itl!load`: preemptions: none → 412; statistic: median → p50", True)
    ]
    assert [plain(sentence) for sentence in headline_of(comparison(diff)).sentences] == [
        "No verdict changed",
        "measurement prod.request.itl!load: preemptions: none → 412; statistic: median → p50",
    ]


def test_a_bound_that_rested_on_a_measurement_is_not_subtracted_from_one_that_does_not(uncounted):
    rows = {row.address: row for row in comparison(uncounted).quantities}
    answer = rows["answer"]
    assert plain(answer.before).startswith("≥ ")
    assert answer.difference == ()
    assert [plain(note) for note in answer.told] == ["measurement prod.request.itl!load no longer counts"]


def test_a_measurement_that_an_option_lacks_is_told_once_and_in_a_readable_unit():
    given_ = Alternatives(document(LOADED, "a.plan"))
    text = diff_text(compare_options(given_, "prod", "prod", "prod@h200"))
    assert "prod.request.itl!load: 9.1 (8.8 .. 9.6) ms → nothing" in text
    assert "belongs only to" not in text


def test_ten_times_as_much_is_told():
    before, after = (document(f"n : whole = {n}\nreport n\n", "a.plan") for n in (2, 20))
    [row] = comparison(compare(before, after)).quantities
    assert plain(row.difference) == "+18 (×10)"


def asked(*held: int) -> str:
    rows = "\n".join(f'require n{at} <= 10 "asked {at}"' for at in range(len(held)))
    numbers = "\n".join(f"n{at} = {number}" for at, number in enumerate(held))
    return f"{numbers}\n{rows}\n"


@settings(max_examples=25, deadline=None)
@given(st.lists(st.tuples(st.sampled_from((5, 20)), st.sampled_from((5, 20))), min_size=1, max_size=9))
def test_nothing_worse_is_left_out_beside_something_better(pairs):
    before, after = (asked(*(pair_[side] for pair_ in pairs)) for side in (0, 1))
    diff = compare(document(before, "a.plan"), document(after, "a.plan"))
    view = comparison(diff)
    worse = [v.worse for v in view.flips]
    assert worse == sorted(worse, reverse=True)
    assert [v.worse for v in view.verdicts if v.flips] == worse
    said = ". ".join(map(plain, headline_of(view).sentences))
    if "violated → holds" in said:
        assert said.count("holds → violated") == sum(worse)
    hidden = re.search(r"\d+ more verdicts? changed:(?: (\d+) now violated)?", said)
    told = said.count("holds → violated")
    assert told + int((hidden and hidden[1]) or 0) == sum(worse)


OPTIONS = """\
entity box { size : number }
entity rack { box : box; load : number default 5; spare : number = box.size - load }
box small { size = 30 }
box large { size = 80 }
rack r { box = small }
option big of r { box = large }
require r.spare >= 10 "there is room"
report r
"""


@pytest.mark.parametrize("write", [diff_text, diff_markdown, diff_html])
def test_options_are_told_in_every_format(write):
    new = "option large of r { load = 90 }\n"
    after = OPTIONS.replace("{ box = large }", "{ box = large; load = 75 }") + new
    text = write(compare(document(OPTIONS, "a.plan"), document(after, "a.plan")))
    bare = re.sub(r"<[^>]*>|[*`\u2060]", "", text)
    assert re.search(r"r@big, there is room: holds → violated|holds → violated\s+r@big,? there is room", bare)
    assert re.search(r"r@large\s+added", bare)
    assert "1 violated" in bare
    assert "r@large.spare" not in bare


def test_a_change_of_an_option_alone_is_no_unchanged_verdict():
    after = OPTIONS.replace("{ box = large }", "{ box = large; load = 75 }")
    head = headline_of(comparison(compare(document(OPTIONS, "a.plan"), document(after, "a.plan"))))
    assert plain(head.verdicts[0]) == "r@big, there is room: holds → violated"


def test_verdicts_are_counted_the_worst_first_whatever_stands_first(diff):
    order = ["not established", "contradicted", "violated"]
    [verdict, *_] = (v for v in diff.verdicts if v.after)
    [flip, *_] = comparison(diff).verdicts
    for statuses in (order, order[::-1]):
        [said] = unmet_as_before([replace(verdict.after, status=status) for status in statuses], 1, 40)
        assert plain(said).startswith("1 violated, 1 contradicted, 1 not established, as before: ")
        flips = [replace(flip, after=STATUS[status][0], worse=True) for status in statuses]
        assert tally(flips) == "1 now violated, 1 now contradicted, 1 now not established"


@pytest.mark.parametrize("swapped", [False, True])
def test_a_requirement_on_one_side_only_is_told_with_what_it_compares_and_its_room(swapped):
    plan = "unit byte, bytes symbol B\nfree : byte = 36 bytes\nreport free\n"
    sides = [document(plan), document(plan + 'require free >= 60 bytes "roomy"\n')]
    diff = compare(*(reversed(sides) if swapped else sides))
    for text in (diff_text(diff), diff_markdown(diff)):
        assert "36 bytes, required ≥ 60 bytes" in text.replace("\xa0", " ")
        assert "room −24 bytes" in text.replace("\xa0", " ")
    page = diff_html(diff)
    assert set(re.findall(r'href="#([^"]+)"', page)) <= set(re.findall(r'\bid="([^"]+)"', page))


BILLS = """\
unit byte, bytes symbol B
unit dollar symbol $
rate : $ = {rate} $
saved : $ = 12 $ - rate
fee : $ = rate * 2
small : byte = {small} bytes
large : byte = 90 bytes - small
require fee <= 9 $ "cheap"
require 10 bytes <= large "large"
require 10 bytes <= small "small"
report saved, rate
report fee, small, large
"""


def test_the_money_of_a_requirement_and_the_least_room_are_told_whatever_stands_first():
    before, after = (
        document(BILLS.format(rate=rate, small=small), "a.plan") for rate, small in ((2, 30), (3, 20))
    )
    told = [
        plain(each).replace("\N{NO-BREAK SPACE}", " ")
        for each in headline_of(comparison(compare(before, after))).told
    ]
    assert told[1:] == ["fee: 4 $ → 6 $, and 2 more sums of money", "room, small: 20 bytes → 10 bytes"]
    alone = money(after)
    assert alone is not None
    assert (alone.name, alone.more) == ("fee", 2)


def test_a_caveat_that_a_verdict_gained_stands_beside_its_room_though_the_verdict_stays():
    """A cache of half the width leaves three times the room, and nobody showed what answers are like."""
    diff = compare(edited(), edited("cache"))
    view = comparison(diff)
    assert not view.flips
    marks = [[plain(mark) for mark in verdict.marks] for verdict in view.verdicts]
    assert marks[0] == ["caveat: quality_not_shown"]
    assert [plain(mark) for mark in headline_of(view).marks] == marks[0]
    assert "quality_not_shown" in dict(view.told)
    for write in (diff_text, diff_markdown, diff_html):
        assert "quality_not_shown" in write(diff)
    back = comparison(compare(edited("cache"), edited()))
    assert [verdict.marks for verdict in back.verdicts] == [()] * len(back.verdicts)


def test_a_caveat_is_told_of_what_requirements_are_on_before_the_rest():
    diff = compare(edited(), edited("cache"))
    said = next(one.text for one in diff.remarks if one.name == "quality_not_shown")
    assert said.startswith("caveat `quality_not_shown` now stands on `prod.kv.peak_reserved`, ")


@pytest.mark.parametrize("write", [diff_text, diff_markdown, diff_html])
def test_what_a_new_option_does_not_meet_is_told_with_its_value_and_its_limit(write):
    """80 less 75 is 5, of at least 10."""
    new = "option full of r { box = large; load = 75 }\n"
    diff = compare(document(OPTIONS, "a.plan"), document(OPTIONS + new, "a.plan"))
    (full,) = comparison(diff).options
    assert [[plain(note) for note in one.notes] for one in full.unmet] == [["5, required ≥ 10", "room −5"]]
    bare = re.sub(r"<[^>]*>|[*`\u2060]", "", write(diff)).replace("&gt;", ">")
    assert "5, required ≥ 10" in bare.replace("\N{NO-BREAK SPACE}", " ")


MANY = """\
unit byte, bytes symbol B prefixes decimal binary
entity box { n : number; size : byte default 10 GiB; spent : byte = size * n; left : byte = 80 GiB - spent }
box fleet { n = 1 }
option two of fleet { n = 2 SIZE}
option three of fleet { n = 3 }
require fleet.left >= 1 GiB "there is room"
report fleet
"""


def test_the_numbers_of_options_are_told_as_such_with_the_least_room_that_they_leave():
    """A report shows what options come to beside their base; that an option alone was edited is to be seen."""
    before, after = (document(MANY.replace("SIZE", size), "many.plan") for size in ("", "; size = 20 GiB "))
    found = compare(before, after)
    view = comparison(found)
    assert not view.unreported
    assert {one.address for one in view.of_options} >= {"fleet@two.left", "fleet@two.spent"}
    for text in (diff_markdown(found), diff_html(found), diff_text(found)):
        assert "no report shows" not in text
        assert "unreported" not in text
        assert "quantities of options" in text.lower()
    told = plain(view.roomier).replace("\xa0", " ")
    assert told == (
        "1 verdict of options is as before, with another room; the least of memory: fleet@two, there is room,"
        " room 59 GiB → 39 GiB"
    )
