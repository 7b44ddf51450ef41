"""Options side by side in a report: every number has its address, and nothing is inherited in silence."""

from __future__ import annotations

import re

import pytest

from capwright.render.html import html
from capwright.render.index import index
from capwright.render.markdown import markdown
from capwright.render.options import options_of
from capwright.render.pieces import plain
from capwright.render.terminal.options import options_table
from tests.support.compared import document, edited
from tests.support.numerals import of_html, of_markdown

SMALL = """\
entity box { size : number; heat : number default 1; left : number = size - 10 * heat }
entity rack { box : box; spare : number = min(box.left, 40); cost : number = box.size / 2 }
box small { size = 30 }
box large { size = 80 }
rack r { box = small }
option big of r { box = large }
option hot of r { box = large; box.heat = 2 } "hot and large"
require r.spare >= 25 "there is room"
report r
"""


@pytest.fixture(scope="module")
def small():
    return document(SMALL, "small.plan")


def test_every_number_of_the_example_has_its_address():
    for found in (of_html(html(edited()), edited()), of_markdown(markdown(edited()), edited())):
        assert found.mistakes == []
        assert found.dead_links() == set()


def test_verdicts_numbers_and_what_binds_stand_beside_each_other(small):
    [options] = options_of(index(small))
    assert [c.address for c in options.columns] == ["r", "r@big", "r@hot"]
    assert options.columns[2].label == "hot and large"
    [verdict] = options.verdicts
    assert [status for status, _ in verdict.statuses] == ["violated", "holds", "holds"]
    rows = {row.address: row.cells for row in options.rows}
    assert [plain(cell.value) for cell in rows["r.spare"]] == ["20", "40", "40"]
    assert [plain(cell.difference) for cell in rows["r.spare"]] == ["", "+20 (×2)", "+20 (×2)"]
    assert [plain(cell.value) for cell in rows["r.cost"]] == ["15", "40", "40"]


def test_a_copy_of_another_thing_with_an_edit_is_two_declarations(small):
    """By hand: 30 - 10 becomes 80 - 20. The box brings 50, the heat takes 10; the cap of 40 stands over both."""
    [options] = options_of(index(small))
    hot = options.columns[2].declarations
    assert [(d.address, d.before, d.after) for d in hot] == [
        ("r.box", "small", "large"),
        ("r.box.heat", "1", "2"),
    ]


def test_a_terminal_shows_the_same(small):
    table = options_table(small)
    assert "options of r" in table
    assert re.search(r"there is room +violated +holds +holds", table)
    assert "why: capwright diff PLAN r r@hot" in table


def test_a_plan_without_options_has_no_table():
    assert options_table(document("a = 1\nreport a\n", "plain.plan")) == ""
