"""A comparison in a browser: where the head of a table has no room, each number says which side it is of."""

from __future__ import annotations

from capwright.comparison.compare import compare
from capwright.render.diff_html import diff_html
from tests.support.compared import edited

HEADS = """[...document.querySelectorAll('.compared td')].map(
  each => getComputedStyle(each, '::before').content.replaceAll('"', ''))"""


def test_each_number_says_its_side_on_a_phone(browser, tmp_path):
    path = tmp_path / "diff.html"
    path.write_text(diff_html(compare(edited(), edited("cache", "share"))), encoding="utf-8")
    browser.size(390)
    browser.open(path)
    heads = browser.value(HEADS)
    assert heads
    assert set(heads[::2]) == {"Before"}
    assert set(heads[1::2]) == {"After"}
    assert browser.value("document.documentElement.scrollWidth") <= 390
    browser.size(1280)
    browser.open(path)
    assert set(browser.value(HEADS)) == {"none"}
