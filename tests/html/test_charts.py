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
  for (const fold of document.querySelectorAll("details")) fold.open = true;
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
WIDTHS = [320, 390, 768, 1280]


@pytest.fixture(scope="module", params=EXAMPLES, ids=lambda path: path.stem)
def example(request, tmp_path_factory):
    path = tmp_path_factory.mktemp("charts") / f"{request.param.stem}.html"
    path.write_text(html(compile_plan(load(str(request.param))).sound), encoding="utf-8")
    return path


@pytest.mark.parametrize("width", WIDTHS)
def test_texts_keep_apart_and_are_whole(browser, example, width):
    browser.size(width)
    browser.open(example)
    assert browser.value("document.querySelectorAll('svg.chart').length") >= 2
    assert browser.value(FAULTS) == []


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


@pytest.mark.parametrize("width", WIDTHS)
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
def test_so_do_long_names_large_numbers_and_many_points(browser, tmp_path, given, width):
    path = written(tmp_path, **given)
    browser.size(width)
    browser.open(path)
    assert browser.value("document.querySelectorAll('svg.chart').length") == 6
    assert browser.value(FAULTS) == []


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
