"""The example plans: their documents survive JSON, and every number of their reports has an address."""

import json
from pathlib import Path

import pytest

from capwright.compiling import compile_plan
from capwright.document.codec import from_json, schema_errors, to_json
from capwright.loading import load
from capwright.render.html import html
from capwright.render.markdown import markdown
from tests.support.numerals import of_html, of_markdown

ROOT = Path(__file__).parents[3]
PLANS = sorted((ROOT / "plans" / "examples").glob("*.plan"))


@pytest.fixture(scope="module", params=PLANS, ids=lambda path: path.stem)
def doc(request):
    compiled = compile_plan(load(str(request.param)))
    assert not compiled.failed
    return compiled.sound


def test_it_survives_json_and_follows_the_schema(doc):
    text = to_json(doc)
    assert from_json(text) == (doc, ())
    assert schema_errors(text, json.loads((ROOT / "grammar" / "plandoc.schema.json").read_text())) == ()


def test_every_number_of_its_reports_has_an_address(doc):
    found, other = of_html(html(doc), doc), of_markdown(markdown(doc), doc)
    print(f"HTML: {found}")
    print(f"Markdown: {other}")
    for one in (found, other):
        assert not one.mistakes
        assert not one.dead_links()
        assert one.checked > 20


def test_a_number_has_the_name_that_somebody_wrote(doc):
    """An expression's copies and a formula's calls are parts of the quantity that reads them; no one asks for them."""
    public = [name for q in doc.quantities if not q.internal for name in (q.address, *q.aliases)]
    assert not [name for name in public if "#" in name or "/" in name]
    assert not [q.address for q in doc.quantities if q.internal and "/" not in q.address]
    settings = {text for s in doc.settings for text in (s.address, s.refers or "")}
    assert not [text for text in settings if "#" in text or "/" in text]
    assert len(public) == len(set(public))
