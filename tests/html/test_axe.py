"""The rules of axe-core, on an example's report with everything open: light and dark, wide and on a phone."""

from importlib.resources import files
from pathlib import Path

import pytest

from capwright.compiling import compile_plan
from capwright.loading import load
from capwright.render.html import html

EXAMPLE = Path(__file__).parents[2] / "plans" / "examples" / "llama-3.1-70b-long-context.plan"
OPEN = "for (const fold of document.querySelectorAll('details')) fold.open = true"
VIOLATIONS = """
axe.run(document, { resultTypes: ["violations"] }).then((found) => found.violations.map(
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


def violations(browser, path, rules):
    browser.open(path)
    browser.value(OPEN)
    # The rules come in through the debugger, which the page's policy does not bind.
    browser.call("Runtime.evaluate", expression=rules)
    return browser.value(VIOLATIONS)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1200, 390])
def test_the_example_breaks_no_rule(browser, example, rules, scheme, width):
    browser.size(width)
    browser.media(prefers_color_scheme=scheme)
    assert violations(browser, example, rules) == []


def test_a_broken_page_does(browser, page, rules, tmp_path):
    path = tmp_path / "broken.html"
    broken = page.read_text(encoding="utf-8").replace(' lang="en"', "")
    path.write_text(broken, encoding="utf-8")
    assert [rule for rule, *_ in violations(browser, path, rules)] == ["html-has-lang"]
