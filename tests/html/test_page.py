"""The HTML report in a browser: on a phone, in the dark, on paper, with a keyboard, without JavaScript."""

import json
from itertools import pairwise

import pytest
from msgspec.structs import replace

from capwright.render.html import html
from tests.support.hostile import TOKENS, poisoned
from tests.support.sample import sample

CONTRAST = """
(() => {
  const parse = (text) => text.match(/[\\d.]+/g).map(Number);
  const light = (rgb) => {
    const [r, g, b] = rgb.slice(0, 3).map((v) => { v /= 255; return v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4; });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const rgb = parse(getComputedStyle(at).backgroundColor);
      if (rgb.length === 3 || rgb[3] > 0) return rgb;
    }
    return [255, 255, 255];
  };
  const found = [];
  for (const fold of document.querySelectorAll("details")) fold.open = true;
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const element = walker.currentNode.parentElement;
    if (!walker.currentNode.data.trim() || element.closest("script, style")) continue;
    const style = getComputedStyle(element);
    const ink = element.closest("svg") ? style.fill : style.color;
    const [a, b] = [light(parse(ink)), light(behind(element))].sort((x, y) => y - x);
    const ratio = (a + 0.05) / (b + 0.05);
    if (ratio < 4.5) found.push([ratio.toFixed(2), walker.currentNode.data.trim().slice(0, 40)]);
  }
  return found;
})()
"""


def test_it_says_nothing_to_the_console_and_asks_for_nothing(browser, page):
    browser.open(page)
    assert browser.messages == []
    assert browser.requests == [page.as_uri()]


def test_a_script_that_is_not_ours_does_not_run(browser, page):
    browser.open(page)
    browser.value("""(() => {
        const made = document.createElement("script");
        made.textContent = "window.broken = true";
        document.body.append(made);
        document.body.insertAdjacentHTML("beforeend", "<p onclick='window.broken = true' id=p>x</p>");
        document.getElementById("p").click();
    })()""")
    assert browser.value("window.broken") is None
    assert any("Content Security Policy" in message for message in browser.messages)


@pytest.mark.parametrize(
    "token",
    [
        "<script>window.broken = 1</script>",
        "<img src=x onerror='window.broken = 1'>",
        '"><svg onload="window.broken=1">',
    ],
)
def test_hostile_text_does_nothing(browser, tmp_path, token):
    path = tmp_path / "hostile.html"
    path.write_text(html(poisoned(sample(), token)), encoding="utf-8")
    browser.open(path)
    assert browser.messages == []
    assert browser.requests == [path.as_uri()]
    assert browser.value("window.broken") is None
    assert token in browser.value("document.querySelector('h1').textContent")


@pytest.mark.parametrize("width", [320, 390, 768, 1400])
def test_it_is_no_wider_than_the_screen(browser, page, width):
    browser.size(width)
    browser.open(page)
    browser.value("for (const fold of document.querySelectorAll('details')) fold.open = true")
    assert browser.value("document.documentElement.scrollWidth") <= width


def test_long_names_wrap_on_a_phone(browser, tmp_path):
    path = tmp_path / "long.html"
    path.write_text(html(poisoned(sample(), "_and_a_very_long_name_indeed" * 4)), encoding="utf-8")
    browser.size(390)
    browser.open(path)
    assert browser.value("document.documentElement.scrollWidth") <= 390


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_can_be_read(browser, page, scheme):
    browser.media(prefers_color_scheme=scheme)
    browser.open(page)
    assert browser.value(CONTRAST) == []
    paper = browser.value("getComputedStyle(document.body).backgroundColor")
    bright = sum(map(int, paper.removeprefix("rgb(").removesuffix(")").split(",")))
    assert (bright < 200) == (scheme == "dark")


IS_SHOWN = "document.getElementById('d-prod.decode.step_time').checkVisibility()"


def test_a_number_opens_its_derivation(browser, page):
    browser.open(page)
    assert not browser.value(IS_SHOWN)
    browser.value("document.querySelector('td a[data-address=\"prod.decode.step_time\"]').click()")
    assert browser.value("new Promise((done) => setTimeout(() => done(" + IS_SHOWN + "), 50))")
    assert browser.value("document.activeElement.id") == "d-prod.decode.step_time"


def test_derivations_are_out_of_the_way_until_one_is_asked_for(browser, page):
    browser.open(page)
    in_sight = "[...document.querySelectorAll('.derivation')].filter(d => d.checkVisibility()).length"
    assert browser.value("document.querySelectorAll('.derivation').length") > 20
    assert browser.value(in_sight) == 0
    folds = browser.value("[...document.querySelectorAll('.derivations > summary')].map(s => s.innerText)")
    assert folds == ["Of the numbers above", "Of what those are made of"]


def test_a_second_click_opens_a_derivation_that_was_closed_again(browser, page):
    browser.open(page)
    click = "document.querySelector('td a[data-address=\"prod.decode.step_time\"]').click()"
    browser.value(click)
    browser.value("new Promise((done) => setTimeout(done, 50))")
    browser.value("document.getElementById('d-prod.decode.step_time').closest('details').open = false")
    browser.value(click)
    assert browser.value(IS_SHOWN)


def test_without_javascript_a_link_to_a_derivation_opens_it(browser, page):
    browser.call("Emulation.setScriptExecutionDisabled", value=True)
    browser.open(page, "#d-prod.decode.step_time")
    assert browser.value(IS_SHOWN)


def test_every_number_of_the_computed_part_leads_somewhere(browser, page):
    browser.open(page)
    assert (
        browser.value("""[...document.querySelectorAll('a[href^="#"]')]
        .filter((a) => !document.getElementById(decodeURIComponent(a.getAttribute('href').slice(1)))).length""")
        == 0
    )
    assert browser.value("document.querySelectorAll('a.n').length") > 100


def test_on_paper_derivations_are_open(browser, page):
    browser.open(page)
    browser.media("print")
    assert browser.value(IS_SHOWN)
    assert not browser.value("document.querySelector('nav').checkVisibility()")


def test_with_a_keyboard(browser, page):
    browser.open(page)
    browser.press("Tab", 9)
    assert browser.value("document.activeElement.textContent") == "Skip to the report"
    assert browser.value("document.activeElement.getBoundingClientRect().left") >= 0
    browser.value("document.querySelector('summary').focus()")
    browser.press("Enter", 13, "\r")
    assert browser.value("document.querySelector('details').open")
    outline = browser.value("getComputedStyle(document.activeElement).outlineStyle")
    assert outline != "none"


def test_landmarks_headings_and_tables_for_a_screen_reader(browser, page):
    browser.open(page)
    nodes = browser.call("Accessibility.getFullAXTree")["nodes"]
    roles = [node["role"]["value"] for node in nodes if not node["ignored"]]
    for landmark in ("banner", "main", "navigation", "contentinfo"):
        assert roles.count(landmark) == 1, landmark
    named = [
        node["role"]["value"]
        for node in nodes
        if not node["ignored"]
        and node["role"]["value"]
        in {"link", "table", "navigation", "region", "article", "figure", "group", "heading"}
        and not node["name"].get("value", "").strip()
    ]
    assert [role for role in named if role not in {"group", "figure", "article"}] == []
    levels = browser.value("[...document.querySelectorAll('h1,h2,h3')].map((h) => Number(h.tagName[1]))")
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))


@pytest.mark.parametrize("width", [390, 1000])
def test_tables_are_tables_at_every_width(browser, page, width):
    browser.size(width)
    browser.open(page)
    nodes = browser.call("Accessibility.getFullAXTree")["nodes"]
    roles = [node["role"]["value"] for node in nodes if not node["ignored"]]
    for role, drawn in (("table", "table"), ("rowheader", "tbody th"), ("cell", "td")):
        assert roles.count(role) == browser.value(f"document.querySelectorAll('{drawn}').length") > 0


def test_every_token_at_once(browser, tmp_path):
    path = tmp_path / "all.html"
    doc = poisoned(sample(), "".join(TOKENS))
    path.write_text(html(replace(doc, views=sample().views)), encoding="utf-8")
    browser.open(path)
    assert browser.messages == []
    assert len(browser.requests) == 1
    assert json.dumps(browser.value("document.title"))
