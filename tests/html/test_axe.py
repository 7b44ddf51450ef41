"""The rules of axe-core, on an example's report with everything open: light and dark, wide and on a phone."""

import json
from importlib.resources import files
from pathlib import Path

import pytest

from capwright.comparison.compare import compare
from capwright.compiling import compile_plan
from capwright.loading import load
from capwright.render.contents import contents_html, entry
from capwright.render.diff_html import diff_html
from capwright.render.html import html
from tests.support.compared import edited

EXAMPLE = Path(__file__).parents[2] / "plans" / "examples" / "llama-3.1-70b-long-context.plan"
OPEN = "for (const fold of document.querySelectorAll('details')) fold.open = true"
ON_COLOURS = ["color-contrast", "link-in-text-block"]
"""All rules but these say the same whichever colours a page is drawn in (axe-core `doc/rule-descriptions.md`, `cat.color`)."""
ALL = "{}"
COLOURS = json.dumps({"runOnly": {"type": "rule", "values": ON_COLOURS}})
OTHERS = json.dumps({"rules": {rule: {"enabled": False} for rule in ON_COLOURS}})
LOOKS = """(() => {
  const numbers = new Map(), looks = new Map([[null, 0]]);
  const look = (element) => {
    if (!looks.has(element)) {
      const style = getComputedStyle(element);
      const key = JSON.stringify([look(element.parentElement), style.color, style.fill, style.backgroundColor,
        style.backgroundImage, style.opacity, style.fontSize, style.fontWeight, style.textDecorationLine, style.textShadow]);
      numbers.has(key) || numbers.set(key, numbers.size + 1);
      looks.set(element, numbers.get(key));
    }
    return looks.get(element);
  };
  const texts = [...document.querySelectorAll("body *")].filter((element) =>
    element.checkVisibility() && [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim()));
  return [...new Map(texts.reverse().map((element) => [look(element), element])).values()];
})()"""
"""The first text of each look: its own colours and size, and those of all it stands in, which is what its contrast is
made of. An example has a hundred looks and twenty thousand texts, and axe takes a second for a thousand."""
VIOLATIONS = """
axe.run(PLACES, { resultTypes: ["violations"], ...RULES }).then((found) => found.violations.map(
  (rule) => [rule.id, rule.nodes.length, rule.nodes[0].html.slice(0, 200), rule.nodes[0].failureSummary]
))
"""


@pytest.fixture(scope="module")
def rules():
    return (files("axe_core_python") / "axe.min.js").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def example(tmp_path_factory):
    path = tmp_path_factory.mktemp("axe") / "example.html"
    path.write_text(html(compile_plan(load(str(EXAMPLE))).sound), encoding="utf-8")
    return path


def violations(browser, path, rules, only=ALL, before=OPEN, places="document"):
    browser.open(path)
    browser.value(before)
    # The rules come in through the debugger, which the page's policy does not bind.
    browser.call("Runtime.evaluate", expression=rules)
    return browser.value(VIOLATIONS.replace("RULES", only).replace("PLACES", places))


@pytest.fixture(scope="module")
def others(tmp_path_factory):
    """The page of a comparison, and the index of a folder of reports."""
    folder = tmp_path_factory.mktemp("others")
    before, after = edited(), edited("cache", "share")
    entries = [entry("plans/before", before), entry("plans/after", after)]
    pages = {"diff": diff_html(compare(before, after)), "index": contents_html(entries)}
    for name, text in pages.items():
        (folder / f"{name}.html").write_text(text, encoding="utf-8")
    return folder


@pytest.mark.parametrize("name", ["diff", "index"])
def test_the_other_pages_break_none(browser, others, rules, name):
    """On a phone in the light, and by its colours in the dark; what is wider has fewer things in each other's way."""
    path = others / f"{name}.html"
    browser.size(390)
    assert violations(browser, path, rules) == []
    browser.media(prefers_color_scheme="dark")
    assert violations(browser, path, rules, COLOURS, places=LOOKS) == []


def test_the_example_breaks_no_rule(browser, example, rules):
    """All that it says, on a phone in the light."""
    browser.size(390)
    assert violations(browser, example, rules) == []


@pytest.mark.parametrize(("width", "scheme"), [(1200, "light"), (390, "dark")])
def test_nor_do_its_colours_on_a_wide_screen_or_in_the_dark(browser, example, rules, width, scheme):
    browser.size(width)
    browser.media(prefers_color_scheme=scheme)
    assert violations(browser, example, rules, COLOURS, places=LOOKS) == []


def test_nor_does_the_rest_of_it_on_a_wide_screen(browser, example, rules):
    browser.size(1200)
    assert violations(browser, example, rules, OTHERS) == []


def test_the_rules_on_colours_are_these(browser, page, rules):
    browser.open(page)
    browser.call("Runtime.evaluate", expression=rules)
    on_colours = browser.value('axe.getRules(["cat.color"]).map((rule) => [rule.ruleId, rule.tags])')
    assert {name for name, tags in on_colours if "wcag2aaa" not in tags} <= set(ON_COLOURS)


@pytest.mark.parametrize(
    ("places", "drawn"),
    [("document", "main *"), (LOOKS, "main *"), (LOOKS, "svg.chart text")],
    ids=["of all texts", "of each look", "of a few texts"],
)
def test_colours_that_are_hard_to_tell_apart_break_one(browser, page, rules, drawn, places):
    pale = "element.style.color = element.style.fill = '#bbb'; element.style.background = '#fff'"
    before = f"{OPEN}; for (const element of document.querySelectorAll('{drawn}')) {{ {pale} }}"
    assert [rule for rule, *_ in violations(browser, page, rules, COLOURS, before, places)] == [
        "color-contrast"
    ]


def test_a_broken_page_does(browser, page, rules, tmp_path):
    path = tmp_path / "broken.html"
    broken = page.read_text(encoding="utf-8").replace(' lang="en"', "")
    path.write_text(broken, encoding="utf-8")
    assert [rule for rule, *_ in violations(browser, path, rules)] == ["html-has-lang"]
