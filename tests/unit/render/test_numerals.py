"""The check of numerals finds what it is there to find."""

import pytest

from capwright.render.html import html
from capwright.render.markdown import markdown
from tests.support.numerals import of_html, of_markdown
from tests.support.sample import sample

DOC = sample()
HTML, MARKDOWN = html(DOC), markdown(DOC)


def test_a_whole_report_passes_and_says_what_is_exempt():
    found, other = of_html(HTML, DOC), of_markdown(MARKDOWN, DOC)
    print(f"HTML: {found}")
    print(f"Markdown: {other}")
    assert not found.mistakes
    assert not other.mistakes
    assert found.checked > 150
    assert other.checked > 150
    assert set(found.exempt) == {"quoted", "literal", "axis"}


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (">35.33<", ">35.34<"),
        (">327,680<", ">327,681<"),
        (">22.38<", ">22.39<"),
        ('data-address="prod.kv.per_device"', 'data-address="prod.kv.per_devices"'),
        ('data-part="low"', 'data-part="nominal"'),
        ('<h2 id="derivations">Derivations', '<h2 id="derivations">42 derivations'),
        (' data-axis="', ' data-axes="'),
        ('data-unit="ms"', 'data-unit="s"'),
    ],
)
def test_a_tampered_page_fails(old, new):
    assert old in HTML
    assert of_html(HTML.replace(old, new), DOC).mistakes


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("[35.33]", "[35.34]"),
        ("## Derivations", "## 42 derivations"),
        ('(#d-prod.kv.per_device "nominal', '(#d-prod.kv.per_devices "nominal'),
        ('"low in ms', '"nominal in ms'),
        (
            'title="prod.model.layers nominal in layers">80<',
            'title="prod.model.layers nominal in layers">81<',
        ),
        ('title="prod.model.layers nominal in layers"', 'title="prod.model.layer nominal in layers"'),
        ('title="prod.model.layers nominal in layers"', 'title="80"'),
    ],
)
def test_a_tampered_markdown_file_fails(old, new):
    assert old in MARKDOWN
    assert of_markdown(MARKDOWN.replace(old, new), DOC).mistakes


def test_a_title_is_no_excuse_where_the_derivation_is_on_the_page():
    link = '[327,680](#d-prod.kv.bytes_per_token "nominal in B/token")'
    titled = '<span title="prod.kv.bytes_per_token nominal in B/token">327,680</span>'
    assert link in MARKDOWN
    (mistake,) = of_markdown(MARKDOWN.replace(link, titled), DOC).mistakes
    assert "does not lead there" in mistake


def test_a_title_is_no_address_in_html():
    page = HTML.replace(
        '<h2 id="derivations">',
        '<h2 id="derivations"><span title="prod.model.layers nominal in layers">80</span>',
    )
    assert page != HTML
    assert of_html(page, DOC).mistakes


def test_a_dead_link_is_found():
    assert of_html(HTML.replace('id="d-prod.kv.blocks"', ""), DOC).dead_links() == {"d-prod.kv.blocks"}
