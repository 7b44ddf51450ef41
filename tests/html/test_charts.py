"""Charts in a browser, on a phone and on a wide screen: no text lies on another one, and none is cut off."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from capwright.compiling import compile_plan
from capwright.document.plandoc import ViewDoc
from capwright.loading import load
from capwright.render.html import html
from tests.support.sample import sample

EXAMPLES = sorted((Path(__file__).parents[2] / "plans" / "examples").glob("*.plan"))
FAULTS = """
(() => {
  // Folds without a chart stay closed: to lay out a derivation of each number takes longer than all else here.
  for (const fold of document.querySelectorAll("details:has(svg.chart)")) fold.open = true;
  const found = [];
  for (const chart of document.querySelectorAll("svg.chart")) {
    const frame = chart.getBoundingClientRect();
    const texts = [...chart.querySelectorAll("text")].map((text) => [text.textContent, text.getBoundingClientRect()]);
    texts.forEach(([text, a], at) => {
      // A pixel is what the rounding of a font's height may come to.
      if (a.left < frame.left - 1 || a.right > frame.right + 1 || a.top < frame.top - 1 || a.bottom > frame.bottom + 1)
        found.push(["cut off", text]);
      for (const [other, b] of texts.slice(at + 1)) {
        const across = Math.min(a.right, b.right) - Math.max(a.left, b.left);
        const down = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
        if (across > 1 && down > 1) found.push(["one on the other", text, other]);
      }
    });
  }
  return found;
})()
"""
CHARTS = "document.querySelectorAll('svg.chart').length"
WIDTHS = [320, 390, 768, 1280]


def faults(browser, path):
    """By the width of the screen. It changes under the page, as when a phone is turned: no script of the page asks for it."""
    browser.open(path)
    found = {}
    for width in WIDTHS:
        browser.size(width)
        assert browser.value("innerWidth") == width
        if told := browser.value(FAULTS):
            found[width] = told
    return found


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_texts_keep_apart_and_are_whole(browser, tmp_path, example):
    path = tmp_path / "example.html"
    path.write_text(html(compile_plan(load(str(example))).sound), encoding="utf-8")
    assert faults(browser, path) == {}
    assert browser.value(CHARTS) >= 2


LONG = "a name of very many words, as somebody who explains each quantity in its label may well choose to give it"


def written(folder, *, label=None, factor=1):
    """The sample with a line, a scatter and a ceiling of many points, its labels and its numbers longer."""
    doc = sample()
    points = (
        "lab.intensity",
        "lab.attainable",
        "lab.intensity",
        "lab.peak",
        "lab.intensity",
        "lab.attainable",
    )
    views = [
        ViewDoc(chart, chart, f"Many points, {chart}", "lab", addresses)
        for chart, addresses in (
            ("line", points),
            ("scatter", points),
            ("ceiling", doc.views[2].addresses[:2] + points),
        )
    ]
    quantities = [
        replace(
            quantity,
            label=label if label is not None and quantity.label else quantity.label,
            **{
                part: str(int(value) * factor)
                for part in ("low", "nominal", "high")
                if quantity.address.startswith("lab.") and (value := getattr(quantity, part)) is not None
            },
        )
        for quantity in doc.quantities
    ]
    path = folder / "charts.html"
    path.write_text(
        html(replace(doc, quantities=tuple(quantities), views=(*doc.views, *views))), encoding="utf-8"
    )
    return path


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"label": LONG},
        {"label": "a_name_without_a_blank_" * 6},
        {"label": "WIDE @ MWM " * 9},
        {"factor": 10**7},
    ],
    ids=["as it is", "long", "unbroken", "wide", "large"],
)
def test_so_do_long_names_large_numbers_and_many_points(browser, tmp_path, given):
    assert faults(browser, written(tmp_path, **given)) == {}
    assert browser.value(CHARTS) == 6


@pytest.mark.parametrize(
    "change, fault",
    [
        ("text.setAttribute('x', '99%'); text.setAttribute('text-anchor', 'start')", "cut off"),
        ("chart.append(text.cloneNode(true))", "one on the other"),
    ],
)
def test_texts_in_each_others_way_are_seen(browser, page, change, fault):
    browser.open(page)
    browser.value(
        f"{{ const chart = document.querySelector('svg.chart'), text = chart.querySelector('g text'); {change} }}"
    )
    assert fault in [kind for kind, *_ in browser.value(FAULTS)]
