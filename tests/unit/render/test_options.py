"""Options side by side in a report: every number has its address, and nothing is inherited in silence."""

from __future__ import annotations

import re

import pytest

from capwright.render.html import html
from capwright.render.index import index
from capwright.render.markdown import markdown
from capwright.render.options import options_of
from capwright.render.pieces import plain
from capwright.render.report import report
from capwright.render.terminal.options import options_table
from capwright.render.terminal.style import width, wrapped
from capwright.render.terminal.summary import of_options, summary
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


RANGED = """\
entity box { assume share : number = 0.5 in 0.3 .. 0.8 because "a guess"; n : number default 1; used : number = share * n }
box x { }
option better of x { assume share = 0.5 in 0.4 .. 0.7 because "a log" }
option exact of x { share = 0.5 }
option least of x { n = 1.000000001 }
report x
"""


def test_values_that_are_not_the_same_are_told_apart_and_those_that_are_are_said_to_be():
    """By hand: three ranges, and a number, about one half; and one that differs in the tenth digit."""
    made = document(RANGED, "ranged.plan")
    [options] = options_of(index(made))
    cells = {row.address: row.cells for row in options.rows}["x.used"]
    told = [(plain(cell.value), plain(cell.established)) for cell in cells]
    assert len(set(told)) == len(told) == 4
    assert told[2][1] == "exact"
    row = next(line for line in markdown(made).splitlines() if line.startswith("| x.used"))
    assert [("exact" in cell, "as the base" in cell) for cell in row.split(" | ")[1:]] == [
        (False, False),
        (False, False),
        (True, False),
        (False, False),
    ]
    assert markdown(made).count("as the base") == html(made).count(">as the base<") == 3
    assert "(exact)" in options_table(made)


def test_a_plan_without_options_has_no_table():
    assert options_table(document("a = 1\nreport a\n", "plain.plan")) == ""


ALIKE = """\
entity part { size : number; assume share : number = 0.5 in 0.3 .. 0.8 because "a guess" }
entity box { part : part; n : number default 3; room : number = part.size * n; used : number = room * part.share }
entity lone { x : number; assume y : number = 0.5 in 0.3 .. 0.8 because "a guess"; z : number = x * y }
formula twice(n: number) : number = n * 2
part small { size = 10 }
part big { size = 20 }
box main { part = small }
box other { part = small }
lone alone { x = 3 }
option wide of main { part = big }
option deep of main { n = 5 }
require alone.z <= 2  "open, of another thing"
require alone.x <= 5  "holds, of another thing"
require main@wide.room <= 50  "of an option"
require main.room <= 50  "changes"
require other.room <= 40  "of a twin"
require main.room <= other.room  "of both"
require main.room + 10 <= 60  "of a sum"
require twice(main.room) <= 100  "of a formula"
require main.used <= 30  "stays"
require main.room <= 5  "never"
require main.used <= 20  "open in all"
require main.used >= 1  "always"
expect main.used <= 100  "expected in all"
report main, other, alone
"""


def test_verdicts_that_an_option_changes_or_that_do_not_hold_stand_in_its_matrix():
    [options] = options_of(index(document(ALIKE, "alike.plan")))
    found = {v.label: [status for status, _ in v.statuses] for v in options.verdicts}
    assert found == {
        "changes": ["holds", "violated", "holds"],
        "of both": ["holds", "violated", "violated"],
        "of a sum": ["holds", "violated", "holds"],
        "of a formula": ["holds", "violated", "holds"],
        "stays": ["holds", "not established", "not established"],
        "never": ["violated", "violated", "violated"],
        "open in all": ["not established", "not established", "not established"],
    }
    # Two of another thing and one of a twin; "of an option" asks the wide one what "changes" asks of it.
    assert plain(options.alike).startswith("7 of the verdicts and ")


def test_what_only_an_option_is_asked_stands_in_its_column():
    text = ALIKE + 'require main@deep.n <= 4 "not too deep"\n'
    [options] = options_of(index(document(text, "asked.plan")))
    statuses = {v.label: [status for status, _ in v.statuses] for v in options.verdicts}
    assert statuses["not too deep"] == ["not asked", "not asked", "violated"]


SPREAD = """\
kind room : number for capacity
formula spread(n: number) : number caveat even for capacity "Taken to spread evenly." = n / 2
entity rack { load : number; many : bool default false; used : number kind room = if many then spread(load) else load }
rack r { load = 9 }
option two of r { many = true }
require r.used <= 5 "it fits"
report r
"""


def test_a_verdict_of_an_option_carries_its_caveats():
    """Half of 9 fits, if it is spread evenly; the base, which does not fit, leans on nothing of that kind."""
    doc = document(SPREAD, "spread.plan")
    assert of_options(doc).splitlines() == [
        "r@two  violated → holds  it fits",
        "    4.5, required ≤ 5",
        "    margin: 0.5",
        "    caveat: even",
    ]
    assert "even: Taken to spread evenly." in summary(doc).splitlines()
    assert re.search(r"it fits +violated +holds \(even\)", options_table(doc))
    assert "**violated → holds**: it fits, with `even`" in markdown(doc)
    assert '<span class="small">with <code data-quoted>even</code></span>' in html(doc)


def test_options_without_a_change_are_named_in_one_line():
    names = "abcdefgh"
    same = "".join(f"option {name} of r {{ load = {8 - at / 10} }}\n" for at, name in enumerate(names))
    doc = document(SPREAD + same, "alike.plan")
    told = of_options(doc).splitlines()
    assert told[0] == "r@two  violated → holds  it fits"
    assert told[-1] == "every verdict as the base's: r@a, r@b, r@c, r@d, r@e, r@f and 2 more"
    unasked = document(SPREAD.replace("require r.used <= 5", "require 1 <= 5"), "unasked.plan")
    assert of_options(unasked) == "every verdict as the base's: r@two\n"
    assert of_options(document(SPREAD.replace('require r.used <= 5 "it fits"\n', ""), "none.plan")) == ""


def test_a_number_of_an_option_that_is_not_for_others_says_so():
    text = SPREAD.replace("many = true }", "many = true; load = 6 confidential }")
    told = of_options(document(text, "confided.plan")).splitlines()
    assert told[1] == "    3, required ≤ 5 (confidential: others are told the status alone)"
    assert "confidential" not in summary(document(text, "confided.plan"))


OPEN = """\
entity rack { load : number; known : bool default true; used : number = if known then load else guess }
assume guess = 4 in 1 .. 9 because "x"
rack r { load = 9 }
option other of r { known = false }
require r.used <= 5 "it fits"
report r
"""


def test_what_only_an_option_leaves_open_is_no_gain_of_it():
    doc = document(OPEN, "open.plan")
    words = "violated → not established, no longer shown to be violated"
    assert of_options(doc).splitlines()[0] == f"r@other  {words}  it fits"
    assert "**violated → not established**, no longer shown to be violated: it fits" in markdown(doc)
    assert f"{words}: it fits" in re.sub(r"<[^>]*>", "", html(doc))


def test_what_stays_is_counted():
    doc = document(ALIKE, "alike.plan")
    for text in (options_table(doc), markdown(doc), html(doc)):
        assert "of the verdicts" in text
    assert "of a twin" not in options_table(doc)
    for found in (of_html(html(doc), doc), of_markdown(markdown(doc), doc)):
        assert found.mistakes == []
        assert found.dead_links() == set()


@pytest.mark.parametrize("wide", [200, 100, 80, 50])
def test_a_table_fits_the_terminal(wide):
    text = options_table(edited(), wide=wide)
    assert max(map(width, text.splitlines())) <= wide
    values = [
        plain(cell.value)
        for o in options_of(index(edited()))
        for r in o.rows
        for cell in r.cells
        if cell.changed
    ]
    assert values
    assert all(value in text for value in values)
    assert wide > 80 or not any(line.endswith("·") for line in text.splitlines())


def test_a_name_that_fits_on_no_line_is_cut_and_loses_nothing():
    lines = wrapped("a" * 25 + " b", 10)
    assert "".join(lines).replace(" ", "") == "a" * 25 + "b"
    assert all(len(line) <= 10 for line in lines)
    assert wrapped("", 10) == [""]
    assert wrapped("one two three", 8) == ["one two", "three"]


LEANING = """\
unit second, seconds symbol s
entity card { assume rate : number = 5 in 4 .. 6 because "this card's log" }
entity rack { card : card; speed : number = card.rate * 2; gap : number >= 1 / card.rate }
card slow { }
card fast { rate = 20 }
card quick { assume rate = 15 in 11 .. 19 because "a quick card's log" }
card idle { assume rate = 9 in 8 .. 10 because "nobody has it" }
card asked { assume rate = 30 in 29 .. 31 because "only asked for" }
spare : number = idle.rate + 1
rack r { card = slow }
option swift of r { card = quick }
option other of r { card = asked }
require r.speed >= 3 "it is not slow"
report r.speed
"""


@pytest.mark.parametrize("brief", [False, True])
def test_what_numbers_of_options_lean_on_is_told_with_range_and_reason(brief):
    """The report speaks of no gap: nothing on the page leans on it."""
    doc = document(LEANING, "leaning.plan")
    found = report(index(doc, brief=brief))
    told = {each.id: (plain(each.value), each.because) for each in found.assumptions}
    assert told == {
        "slow.rate": ("5 (assumed: 4 .. 6)", "this card's log"),
        "quick.rate": ("15 (assumed: 11 .. 19)", "a quick card's log"),
        "asked.rate": ("30 (assumed: 29 .. 31)", "only asked for"),
    }
    assert not found.bounds
    assert plain(found.elsewhere) == "idle.rate, r.gap, r@other.gap, r@swift.gap"
    for page in (of_html(html(doc), doc), of_markdown(markdown(doc), doc)):
        assert page.mistakes == []
        assert page.dead_links() == set()


def test_a_bound_that_an_option_has_by_the_line_of_its_base_is_told_once():
    found = report(index(document(LEANING.replace("report r.speed", "report r"), "leaning.plan")))
    assert [each.id for each in found.bounds] == ["r.gap"]
    assert plain(found.elsewhere) == "idle.rate"


ENGINES = """\
entity engine { w : number = 8; t : number }
entity exact_engine : engine { t = w }
entity bounded_engine : engine { t >= w / 2 }
entity house { engine : engine; total : number = engine.t + 1 }
exact_engine e1 { }
bounded_engine e2 { }
house prod { engine = BASE { override w = 3 } }
house other { engine = e2 { override w = 5 } }
option big of prod { engine = e2 { override w = 20 } }
option huge of prod@big { engine = e2 { override w = 30 } }
require prod.total <= 100 "fits"
report other.total, prod.total
"""


@pytest.mark.parametrize(
    ("base", "told"),
    [
        ("e1", ["other.engine.t", "prod@big.engine.t"]),
        ("e2", ["other.engine.t", "prod.engine.t"]),
    ],
)
def test_a_bound_that_only_an_option_has_is_told_whatever_has_one_by_the_same_line(base, told):
    """Another house has it too, but of this option's number that says nothing."""
    found = report(index(document(ENGINES.replace("BASE", base), "engines.plan")))
    assert [each.id for each in found.bounds] == told
