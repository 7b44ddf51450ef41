"""No hostile name or text gets out of Markdown, HTML, a terminal or an annotation."""

import csv
import io
import json
import unicodedata
from typing import get_args

from hypothesis import example, given, settings

from capwright.base.diagnostic import Diagnostic, Note
from capwright.base.source import Source, Span
from capwright.document.codec import from_json, to_json
from capwright.render import diagnostics
from capwright.render.html import html
from capwright.render.markdown import markdown
from capwright.render.terminal.explain import dependants, explain
from capwright.render.terminal.quantity_table import show_in_full, show_table
from capwright.render.terminal.show import show_csv, show_json
from capwright.render.terminal.summary import summary
from capwright.syntax.tree import Relation
from tests.support.hostile import harmless, lively, poisoned, shape, words
from tests.support.numerals import of_html, of_markdown, rendered
from tests.support.sample import sample

DOC = sample()
few = settings(max_examples=40, deadline=None)


def unaddressed(found):
    # Addresses are printed with their control characters written out, so hostile ones do not resolve.
    return [mistake for mistake in found.mistakes if mistake.startswith("no address")]


def unwrapped(page):
    """The elements of a page, but for the lines that the words of a chart take: longer words take more of them."""
    return [element for element in shape(page) if element[0].removeprefix("/") not in {"text", "tspan"}]


@few
@given(words)
@example("</span><script>alert(1)</script>")
@example("\x1b[31m\u202e")
def test_html_has_the_same_elements_whatever_the_text_says(text):
    page = html(poisoned(DOC, text))
    assert unwrapped(page) == unwrapped(html(poisoned(DOC, harmless(text))))
    assert not unaddressed(of_html(page, poisoned(DOC, text)))


@few
@given(words)
@example("|\\|`")
@example("\n\n<details>\n\n# x")
def test_markdown_has_the_same_elements_whatever_the_text_says(text):
    text = f"x{text}1"  # quoted words with a digit get a mark of their own
    written = markdown(poisoned(DOC, text))
    page = rendered(written)
    assert shape(page) == shape(rendered(markdown(poisoned(DOC, harmless(text)[:-1] + "1"))))
    assert not lively(page)
    assert not unaddressed(of_markdown(written, poisoned(DOC, text)))


def is_quiet(printed):
    return not any(
        unicodedata.category(sign) in {"Cc", "Cs"} or sign in "\u2028\u2029\u202e\u2066"
        for sign in printed.replace("\n", "")
    )


def commands(printed):
    return [line for line in printed.split("\n") if line.lstrip().startswith("::") or "##[" in line]


@few
@given(words)
@example("::error::x")
def test_a_terminal_gets_neither_control_characters_nor_commands(text):
    def printed(doc):
        address = doc.sections[3].addresses[0]
        return [
            summary(doc),
            show_table(doc, doc.quantities),
            explain(doc, address),
            dependants(doc, doc.quantities[0].address),
            show_json(doc, doc.quantities),
            show_csv(doc, doc.quantities),
        ]

    for found, plain in zip(
        printed(poisoned(DOC, text)), printed(poisoned(DOC, harmless(text))), strict=True
    ):
        assert is_quiet(found)
        assert not commands(found)
        assert found.count("\n") == plain.count("\n")


@few
@given(words)
@example("::error::x")
@example("a ::error::x " * 9)
def test_lines_that_are_broken_to_fit_stay_quiet(text):
    doc = poisoned(DOC, text)
    for printed in (
        show_table(doc, doc.quantities, wide=200),
        show_table(doc, doc.quantities, wide=60, exact=True),
        show_in_full(doc, doc.quantities, wide=60),
    ):
        assert is_quiet(printed)
        assert not commands(printed)


@few
@given(words)
def test_a_table_for_programs_keeps_its_cells(text):
    doc = poisoned(DOC, text)
    rows = list(csv.reader(io.StringIO(show_csv(doc, doc.quantities))))
    assert {len(row) for row in rows} == {len(rows[0])}
    assert len(rows) == 1 + len(doc.quantities)
    assert not any(
        cell[:1] in {"=", "+", "@"} for row in rows for cell in row if cell not in get_args(Relation)
    )
    assert len(json.loads(show_json(doc, doc.quantities))["quantities"]) == len(doc.quantities)


def understood(line):
    """What GitHub's runner reads of an annotation."""
    head, _, data = line[2:].partition("::")
    name, _, properties = head.partition(" ")
    pairs = dict(pair.split("=", 1) for pair in properties.split(","))
    return name, {key: unescaped(value) for key, value in pairs.items()}, data


def unescaped(value):
    for code, sign in (("%2C", ","), ("%3A", ":"), ("%0A", "\n"), ("%0D", "\r"), ("%25", "%")):
        value = value.replace(code, sign)
    return value


@few
@given(words, words, words)
def test_an_annotation_is_one_line_with_its_own_properties(path, message, line):
    source = Source(f"a{path}", f"x = {line}")
    one = Diagnostic("CW0001", Span("key", 0, 1), f"m{message}", f"h{message}", notes=(Note(f"n{message}"),))
    printed = diagnostics.github([one], {"key": source})
    assert printed.count("\n") == 1
    assert is_quiet(printed)
    assert "##[" not in printed
    name, pairs, _ = understood(printed[:-1])
    assert name == "error"
    assert list(pairs) == ["file", "line", "endLine", "col", "endColumn", "title"]
    assert (pairs["line"], pairs["col"], pairs["title"]) == ("1", "1", "CW0001")


@few
@given(words, words, words)
def test_a_message_for_people_keeps_its_lines(path, message, line):
    source = Source(f"a{path}", line)
    one = Diagnostic(
        "CW0001", Span("key", 0, len(line)), f"m{message}", f"h{message}", notes=(Note(f"n{message}"),)
    )
    printed = diagnostics.human([one], {"key": source})
    assert is_quiet(printed)
    assert not commands(printed)
    assert printed.count("\n") == 7 + one.help.count("\n")


@few
@given(words)
def test_a_hostile_document_survives_json(text):
    doc = poisoned(DOC, text)
    written = to_json(doc)
    assert written.encode("utf-8")
    assert from_json(written) == (doc, ())
