"""The rules of axe-core, on an example's report with everything open: light and dark, wide and on a phone."""

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
COLOURS = '{ type: "rule", values: ["color-contrast", "link-in-text-block"] }'
"""All rules but these say the same whichever colours a page is drawn in (axe-core `doc/rule-descriptions.md`, `cat.color`)."""
VIOLATIONS = """
axe.run(document, { resultTypes: ["violations"], runOnly: RULES }).then((found) => found.violations.map(
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


def violations(browser, path, rules, only="undefined", before=OPEN):
    browser.open(path)
    browser.value(before)
    # The rules come in through the debugger, which the page's policy does not bind.
    browser.call("Runtime.evaluate", expression=rules)
    return browser.value(VIOLATIONS.replace("RULES", only))


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
    assert violations(browser, path, rules, COLOURS) == []


@pytest.mark.parametrize(("width", "scheme"), [(1200, "light"), (390, "light"), (390, "dark")])
def test_the_example_breaks_no_rule(browser, example, rules, width, scheme):
    """By all rules wide and on a phone, and there by its colours in the dark, as the other pages."""
    browser.size(width)
    browser.media(prefers_color_scheme=scheme)
    assert violations(browser, example, rules, "undefined" if scheme == "light" else COLOURS) == []


def test_the_rules_on_colours_are_these(browser, page, rules):
    browser.open(page)
    browser.call("Runtime.evaluate", expression=rules)
    on_colours = browser.value('axe.getRules(["cat.color"]).map((rule) => [rule.ruleId, rule.tags])')
    assert {name for name, tags in on_colours if "wcag2aaa" not in tags} <= {
        name for name in COLOURS.split('"') if "-" in name
    }


def test_colours_that_are_hard_to_tell_apart_break_one(browser, page, rules):
    pale = "element.style.color = '#bbb'; element.style.background = '#fff'"
    drawn = f"for (const element of document.querySelectorAll('main *')) {{ {pale} }}"
    assert [rule for rule, *_ in violations(browser, page, rules, COLOURS, drawn)] == ["color-contrast"]


def test_a_broken_page_does(browser, page, rules, tmp_path):
    path = tmp_path / "broken.html"
    broken = page.read_text(encoding="utf-8").replace(' lang="en"', "")
    path.write_text(broken, encoding="utf-8")
    assert [rule for rule, *_ in violations(browser, path, rules)] == ["html-has-lang"]
