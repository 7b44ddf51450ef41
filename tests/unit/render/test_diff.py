"""A comparison as people see it: what comes first, what fits, what foreign text may not do."""

from __future__ import annotations

import re
from fractions import Fraction

import pytest
from hypothesis import example, given, settings
from msgspec.structs import replace

from capwright.comparison.compare import compare
from capwright.comparison.options import alternatives, compare_options
from capwright.document.diffdoc import DiffDoc, ValueDoc
from capwright.render.diff import comparison
from capwright.render.diff_html import diff_html
from capwright.render.diff_markdown import SECTIONS, diff_markdown
from capwright.render.pieces import plain
from capwright.render.terminal.diff import diff_text
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
    text = diff_text(diff)
    assert "the ranges overlap: not separated" in text
    rows = {q.address: q for q in comparison(diff).quantities}
    assert rows["prod.memory.advertised"].notes == ()
    assert "not separated" in " ".join(plain(note) for note in rows["prod.decode.step"].notes)


def test_a_shared_source_separates_what_overlaps():
    """Two options lean on one assumption; their ranges overlap, and their difference does not hold zero."""
    doc = edited()
    given = alternatives(doc)
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
    assert "quantities and 4 verdicts are unchanged" in diff_text(same)


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
