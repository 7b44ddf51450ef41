"""Pictures are drawn from what a view lists."""

import re
from fractions import Fraction
from itertools import pairwise

import pytest
from msgspec.structs import replace

from capwright.document.plandoc import UnitText, ViewDoc
from capwright.render.charts.bars import REST, roles, steps
from capwright.render.charts.blocks import WIDTH, blocks
from capwright.render.charts.letters import fitting, width
from capwright.render.charts.pictures import picture
from capwright.render.charts.scale import Linear, Logarithmic, linear, round_step
from capwright.render.charts.svg import ticks_across
from capwright.render.charts.units import on_axis, on_axis_text
from capwright.render.index import Index, index
from capwright.render.pieces import Numeral, Quoted, Words, plain
from capwright.render.woven import chart
from tests.support.sample import sample

DOC = sample()
OF = index(DOC)
WATERFALL, BARS, CEILING = DOC.views


def test_steps_that_a_later_one_subtracts_are_taken_off():
    quantities = [OF.quantities[address] for address in WATERFALL.addresses]
    assert roles(quantities, OF) == ["level", "level", "level", "taken", "taken", "taken", "level"]


def test_a_waterfall_ends_where_its_last_level_is():
    found = steps(WATERFALL, OF)
    assert found[-2].end == found[-1].end
    assert found[4].start == found[3].end


def test_a_range_is_drawn_at_the_end_of_its_bar():
    taken = steps(WATERFALL, OF)[4]
    assert taken.low is not None
    assert taken.high is not None
    assert taken.low < taken.end < taken.high


def _usable(value: str) -> Index:
    """The document with another nominal value of the last level."""
    return index(
        replace(
            DOC,
            quantities=tuple(
                replace(q, nominal=value) if q.address == "prod.memory.usable" else q for q in DOC.quantities
            ),
        )
    )


@pytest.mark.parametrize("more", [-(2 << 30), 2 << 30], ids=["less", "more"])
def test_a_level_that_is_not_where_the_steps_end_leaves_a_rest_that_is_said(more):
    (*_, before, last) = steps(WATERFALL, OF)
    of = _usable(str(last.end + more))
    *_, taken, rest, level = steps(WATERFALL, of)
    assert (taken.end, rest.role, rest.quantity) == (before.end, "rest", None)
    assert (rest.start, rest.end) == (taken.end, level.end)
    *lines, _, legend = blocks(WATERFALL, of).split("\n")
    assert lines[-2].endswith(f"  {REST}")
    assert "▓" in lines[-2]
    assert "▓ the rest" in legend
    svg = picture(WATERFALL, of)
    assert svg.count(f">{REST}</text>") == svg.count('class="bar rest"') == 1
    assert svg.count("data-address") == picture(WATERFALL, OF).count("data-address")


def test_what_rounding_leaves_is_no_rest():
    (*_, last) = steps(WATERFALL, OF)
    assert len(steps(WATERFALL, _usable(str(last.end + 1)))) == len(steps(WATERFALL, OF))


@pytest.mark.parametrize("view", DOC.views)
def test_each_view_has_a_picture_with_its_title(view):
    svg = picture(view, OF)
    assert f'aria-label="{view.title}"' in svg
    for x in re.findall(r' (?:x|x1|x2|cx)="([^"]*)"', svg):
        assert 0 <= float(x.removesuffix("%")) <= 100


@pytest.mark.parametrize("view", [WATERFALL, BARS], ids=lambda view: view.chart)
def test_an_axis_says_its_unit_which_is_that_of_every_value_beside_it(view):
    svg = picture(view, OF)
    units = set(re.findall(r'data-unit="([^"]*)"', svg))
    (unit,) = units
    texts = [re.sub(r"<[^>]*>", "", text) for text in re.findall(r"<text[^>]*>(.*?)</text>", svg)]
    assert texts.count(unit) == 1
    ticks = [float(t.replace(",", "")) for t in re.findall(r'data-axis="[^"]*">([\d.,]+)<', svg)]
    values = [float(v.replace(",", "")) for v in re.findall(r"<tspan data-address[^>]*>([\d.,]+)<", svg)]
    assert max(ticks) <= max(values) <= max(ticks) * 2


def test_a_value_that_reads_as_another_number_on_the_axis_is_told_as_tables_have_it():
    gb = UnitText("GB/device", str(10**9), {"byte": 1, "device": -1})
    quantity = replace(
        DOC.quantities[0], low="80000000000", nominal="80000000000", high="80000000000", unit=gb
    )
    gib, mib = (replace(gb, symbol=name, factor=str(size)) for name, size in (("GiB", 2**30), ("MiB", 2**20)))
    told = [plain(on_axis_text(quantity, on_axis(quantity, unit))) for unit in (gib, gb)]
    assert [text.replace("\xa0", " ") for text in told] == ["74.51 GiB (80 GB/device)", "80 GB/device"]
    binary = replace(quantity, unit=mib)
    assert "(" not in plain(on_axis_text(binary, on_axis(binary, gib)))


def test_a_woven_chart_is_in_the_unit_of_the_page():
    text = chart(WATERFALL, OF)
    (axis,) = re.findall(r'y-axis "([^"]*)"', text)
    assert axis == re.findall(r'data-unit="([^"]*)"', picture(WATERFALL, OF))[0]


@pytest.mark.parametrize("kind", ["line", "scatter"])
def test_pairs_are_points(kind):
    names = ("lab.intensity", "lab.attainable", "lab.bandwidth", "lab.peak")
    svg = picture(ViewDoc(kind, "v", "V", "lab", names), OF)
    assert svg.count('<circle class="dot"') == svg.count('<circle class="dot key"') == 2
    assert re.findall(r">([a-z]+)</text>", svg) == re.findall(r">([a-z]+): <", svg) == ["a", "b"]
    assert svg.count('class="curve"') == (1 if kind == "line" else 0)


def test_a_ceiling_is_flat_beyond_the_ridge():
    svg = picture(CEILING, OF)
    (rising, flat) = re.findall(r'<line class="curve"[^>]*y1="([\d.]+)"[^>]*y2="([\d.]+)"', svg)
    assert float(rising[0]) > float(rising[1])
    assert flat[0] == flat[1]


@pytest.mark.parametrize("chart", ["waterfall", "bars", "line", "scatter", "ceiling", "unheard_of"])
@pytest.mark.parametrize("addresses", [(), ("prod.nothing",), ("lab.peak",), ("prod.decode.step_time",) * 4])
def test_a_view_of_little_or_nothing_draws_little_or_nothing(chart, addresses):
    view = ViewDoc(chart, "v", "V", "lab", addresses)
    drawable = chart in {"waterfall", "bars"} and addresses and "prod.nothing" not in addresses
    assert bool(blocks(view, OF)) == bool(drawable)
    plane = chart in {"line", "scatter", "ceiling"} and len(addresses) == 4
    assert picture(view, OF)[:4] == ("<svg" if drawable or plane else "")


def test_a_quantity_without_a_number_is_left_out_and_lies_in_the_rest():
    lost = tuple(
        replace(q, low=None, nominal=None, high=None) if q.address == "prod.memory.weights" else q
        for q in DOC.quantities
    )
    drawn = [
        step.quantity and step.quantity.address
        for step in steps(WATERFALL, index(replace(DOC, quantities=lost)))
    ]
    kept = [address for address in WATERFALL.addresses if address != "prod.memory.weights"]
    assert drawn == [*kept[:-1], None, kept[-1]]


def test_a_pool_that_is_short_is_drawn_below_zero():
    short = tuple(
        replace(q, low="-10", nominal="-10", high="-10") if q.address == "prod.memory.usable" else q
        for q in DOC.quantities
    )
    assert "<svg" in picture(BARS, index(replace(DOC, quantities=short)))


def test_the_block_drawing_holds_no_number_and_starts_no_fence():
    *lines, blank, legend = blocks(WATERFALL, OF).split("\n")
    assert len(lines) == len(WATERFALL.addresses)
    assert all(re.fullmatch(rf"[ ░▒█]{{{WIDTH}}}  \D+", line) for line in lines)
    assert blank == ""
    assert legend == "█ an amount, ▒ what is taken off the level above; lengths are to scale"


def test_the_legend_of_a_block_drawing_has_the_signs_that_are_drawn():
    for view in (WATERFALL, BARS):
        drawn, legend = blocks(view, OF).rsplit("\n\n", 1)
        bars = "".join(line[:WIDTH] for line in drawn.split("\n"))
        assert {sign for sign in "█▒░" if sign in bars} == {sign for sign in "█▒░" if sign in legend}


def test_points_at_one_place_have_letters_apart():
    svg = picture(ViewDoc("scatter", "v", "V", "lab", ("lab.intensity", "lab.attainable") * 12), OF)
    heights = sorted(float(y) for y in re.findall(r'y="([\d.]+)" text-anchor="middle">[a-z]+</text>', svg))
    assert len(heights) == 12
    assert all(after - before >= 13.9 for before, after in pairwise(heights))


@pytest.mark.parametrize(
    "text",
    [
        "one",
        "a name of several words that has to be broken",
        "x" * 200,
        "a " + "é" * 90,
        "字" * 60,
        "",
        " a  b ",
    ],
)
def test_a_text_is_broken_to_the_room_and_loses_nothing(text):
    number = Numeral("1,234.5", "a.b", "nominal", "a.b")
    lines = fitting(
        (Quoted(text), Words(" "), number, Words("\N{NO-BREAK SPACE}"), Quoted("GiB/device")), 200
    )
    assert all(width(plain(found)) <= 200 for found in lines)
    assert all(plain(found) for found in lines)
    whole = "".join(map(plain, lines)).replace(" ", "")
    assert whole == text.replace(" ", "") + "1,234.5\N{NO-BREAK SPACE}GiB/device"
    assert plain(lines[-1]).endswith("1,234.5\N{NO-BREAK SPACE}GiB/device")


def test_a_number_is_never_broken():
    number = Numeral("1" * 90, "a.b", "nominal", "a.b")
    assert fitting((number,), 100) == [(number,)]


def test_numbers_below_an_axis_are_as_many_as_have_room():
    places = [(at / 10, "1,000,000") for at in range(11)]
    assert len(re.findall("<text", ticks_across(places, 0, "a"))) == 3
    assert len(re.findall("<text", ticks_across([(at / 10, "1") for at in range(11)], 0, "a"))) == 11


def test_axes():
    assert Linear(0, 80).ticks() == [0, 20, 40, 60, 80]
    assert linear([]).at(5) == 1.0
    assert linear([7, -3]).ticks() == [-2, 0, 2, 4, 6]
    assert Logarithmic(Fraction(1, 2), 200).ticks() == [1, 10, 100]
    assert Logarithmic(1, 100).at(10) == pytest.approx(0.5)
    assert Logarithmic(1, 100).at(0) == 0.0
    assert round_step(Fraction(17)) == 20
    assert round_step(Fraction(23, 10)) == Fraction(5, 2)
    assert len(Logarithmic(1, 10**90).ticks()) <= 14


def test_numbers_too_long_for_a_float_are_drawn():
    huge = str(7**2000)
    long = tuple(
        replace(q, low=huge, nominal=huge, high=huge) if q.address.startswith("lab.") else q
        for q in DOC.quantities
    )
    of = index(replace(DOC, quantities=long))
    for view in (CEILING, replace(CEILING, chart="bars"), replace(CEILING, chart="line")):
        assert "<svg" in picture(view, of)
