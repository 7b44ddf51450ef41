"""Options side by side in a browser: all of them in sight, and each number says which option it is of."""

from __future__ import annotations

import pytest

from capwright.render.html import html
from tests.support.compared import document

PLAN = """\
unit byte, bytes symbol B prefixes decimal binary
unit device, devices counting
entity box { size : byte/device; spent : byte/device = size / 3; left : byte/device = size - spent }
box fleet { size = 80 GiB/device }
"""
OPTION = "option of_the_year_203{at} of fleet {{ size = {size}.125 GiB/device }}\n"
ASKED = (
    'require fleet.left >= 60 GiB/device "there is room for the longest history of them all"\nreport fleet\n'
)
CELLS = "[...document.querySelectorAll('.matrix td')]"


@pytest.fixture(params=[2, 4, 5, 9])
def page(request, tmp_path):
    options = "".join(OPTION.format(at=at, size=70 + at * 10) for at in range(request.param))
    path = tmp_path / "options.html"
    path.write_text(html(document(PLAN + options + ASKED, "options.plan")), encoding="utf-8")
    return path


@pytest.mark.parametrize("width", [320, 390, 768, 1024, 1280])
def test_the_page_is_no_wider_for_it(browser, page, width):
    browser.size(width)
    browser.open(page)
    assert browser.value("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("page", [4], indirect=True)
def test_four_options_are_in_sight_on_a_small_screen(browser, page):
    browser.size(1280)
    browser.open(page)
    assert browser.value(
        "[...document.querySelectorAll('.matrix')].every(m => m.scrollWidth <= m.clientWidth)"
    )


def test_no_value_is_cut_off_on_a_phone(browser, page):
    browser.size(390)
    browser.open(page)
    assert browser.value(
        "[...document.querySelectorAll('.matrix')].every(m => m.scrollWidth <= m.clientWidth)"
    )
    assert browser.value(f"{CELLS}.every(c => c.getBoundingClientRect().right <= innerWidth)")


SCROLLED = """(() => {
  const matrix = document.querySelector('.matrix'), at = e => e.getBoundingClientRect();
  matrix.style.maxHeight = '8rem';
  matrix.scrollTo(matrix.scrollWidth, matrix.scrollHeight);
  const head = matrix.querySelector('thead'), names = [...matrix.querySelectorAll('tbody th')];
  const last = [...head.querySelectorAll('th')].at(-1), left = at(matrix).left;
  return {
    moved: matrix.scrollTop > 0,
    head: [...head.querySelectorAll('th')].every(h => Math.abs(at(h).top - at(matrix).top) < 1),
    names: names.every(n => Math.abs(at(n).left - left) < 1),
    last: at(last).right <= at(matrix).right + 1,
    focus: (matrix.focus(), document.activeElement === matrix),
  };
})()"""


@pytest.mark.parametrize("width", [768, 1280])
def test_a_row_is_one_row_and_head_and_names_stay_where_it_is_scrolled(browser, page, width):
    browser.size(width)
    browser.open(page)
    rows = browser.value(
        "[...document.querySelectorAll('.matrix tr')].map(r => new Set([...r.children]"
        ".map(c => Math.round(c.getBoundingClientRect().top))).size)"
    )
    assert len(rows) > 2
    assert set(rows) == {1}
    assert browser.value(SCROLLED) == dict.fromkeys(("moved", "head", "names", "last", "focus"), True)


CAUSED = """\
entity box { size : number default 9; heat : number default 1; left : number = size - 2 * heat }
box lone { }
option other of lone { size = 20; heat = 2 }
report lone
"""


def test_a_difference_is_in_sight_and_what_made_it_is_folded(browser, tmp_path):
    """By hand: 9 - 2 = 7 becomes 20 - 4 = 16; the size brings 11, the heat takes 2."""
    path = tmp_path / "caused.html"
    path.write_text(html(document(CAUSED, "caused.plan")), encoding="utf-8")
    browser.open(path)
    cell = "document.querySelector('.matrix tr:last-child td:last-child')"
    assert browser.value(f"{cell}.innerText.split('\\n')") == ["16", "+9 (×2.286)"]
    browser.value(f"{cell}.querySelector('details').open = true")
    opened = browser.value(f"{cell}.innerText")
    assert "+11" in opened
    assert "−2" in opened


LONG = """\
unit byte, bytes symbol B prefixes decimal binary
unit device, devices counting
unit block, blocks counting
entity box { size : byte/block/device; half : byte/block/device = size / 2 }
box fleet { size = 4_100_001 byte/block/device }
option smaller of fleet { size = 2_560_017 byte/block/device }
option smallest_of_all of fleet { size = 1_124_357 byte/block/device }
report fleet
"""
BROKEN = """[...document.querySelectorAll('.matrix [data-quoted]')].flatMap(e => {
  const range = document.createRange(), found = [];
  const signs = [...e.childNodes].filter(n => n.nodeType === 3).flatMap(n => [...n.data].map((_, at) => [n, at]));
  let top = null, before = "/";
  for (const [node, at] of signs) {
    range.setStart(node, at); range.setEnd(node, at + 1);
    const rect = range.getClientRects()[0];
    if (rect && top !== null && rect.top > top + 4 && before !== "/") found.push(e.textContent);
    top = rect ? rect.top : top; before = node.data[at];
  }
  return found;
})"""


@pytest.mark.parametrize("width", [320, 390, 768, 1280])
def test_a_unit_breaks_after_a_slash(browser, tmp_path, width):
    path = tmp_path / "long.html"
    path.write_text(html(document(LONG, "long.plan")), encoding="utf-8")
    browser.size(width)
    browser.open(path)
    assert browser.value(BROKEN) == []


SPLIT = """[...document.querySelectorAll('main [data-quoted]')].filter(e =>
  /^[A-Za-z]+\\/[A-Za-z]+$/.test(e.textContent) && e.textContent.length <= 12 && e.checkVisibility()
).map(e => [e.textContent, new Set([...e.getClientRects()].map(r => Math.round(r.top))).size])"""


@pytest.mark.parametrize("width", [320, 390, 768, 1280])
def test_a_short_unit_stays_on_one_line(browser, page, width):
    browser.size(width)
    browser.open(page)
    browser.value("for (const fold of document.querySelectorAll('details')) fold.open = true")
    found = browser.value(SPLIT)
    assert len(found) > 10
    assert [unit for unit, lines in found if lines != 1] == []


@pytest.mark.parametrize("width", [390, 768, 1280])
def test_each_number_says_which_option_it_is_of(browser, page, width):
    browser.size(width)
    browser.open(page)
    heads = browser.value(
        "[...document.querySelectorAll('.matrix th[scope=col]')].slice(1).map(h => h.textContent)"
    )
    rows = browser.value(
        "[...document.querySelectorAll('.matrix tbody tr')].map(r => [...r.querySelectorAll('td')]"
        ".map(c => getComputedStyle(c, '::before').content))"
    )
    in_sight = browser.value("getComputedStyle(document.querySelector('.matrix thead')).display") != "none"
    assert in_sight == (width > 640)
    wanted = ["none" if in_sight else f'"{head}"' for head in heads]
    assert all(row == wanted for row in rows)
