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


@pytest.mark.parametrize("width", [390, 768, 1024, 1280])
def test_no_column_is_cut_off(browser, page, width):
    browser.size(width)
    browser.open(page)
    assert browser.value(
        "[...document.querySelectorAll('.matrix')].every(m => m.scrollWidth <= m.clientWidth)"
    )
    assert browser.value(f"{CELLS}.every(c => c.getBoundingClientRect().right <= innerWidth)")
    assert browser.value("document.documentElement.scrollWidth") <= width


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


@pytest.mark.parametrize("width", [390, 1280])
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
    assert in_sight == (width > 1200 and len(heads) <= 4)
    wanted = ["none" if in_sight else f'"{head}"' for head in heads]
    assert all(row == wanted for row in rows)
