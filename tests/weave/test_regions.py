"""Markers of Markdown files: where they are markers, where they are text, and what is wrong with them."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from capwright.weave.regions import find_regions
from tests.support.pace import within

OPEN = "<!-- capwright: value a.plan x{} -->"
CLOSE = "<!-- /capwright -->"


def found(text: str) -> list[str]:
    regions, mistakes = find_regions(text)
    assert mistakes == ()
    return [" ".join(region.words) for region in regions]


def codes(text: str) -> list[str]:
    return [one.code for one in find_regions(text)[1]]


def region(name: object, content: str = "") -> str:
    return f"{OPEN.format(name)}{content}{CLOSE}"


@pytest.mark.parametrize(
    "text",
    [
        f"```\n{region(1)}\n```\n",
        f"~~~ md\n{region(1)}\n```\n~~~\n",
        f"````\n```\n{region(1)}\n```\n````\n",
        f"> ```\n> {region(1)}\n> ```\n",
        f"- item\n\n  ```\n  {region(1)}\n  ```\n",
        f"para\n\n    {region(1)}\n",
        f"\t{region(1)}\n",
        f"say `{region(1)}` so\n",
        f"say ``{region(1)} ` `` so\n",
        f"say `over\nlines {region(1)} and` so\n",
        f"<!-- a comment {OPEN.format(1)}\n",
        f"\\{region(1)}",
        f"```\r\n{region(1)}\r\n```\r\n",
        f"```\n{region(1)}",
        f"***\n    {region(1)}\n",
        f"- - -\n    {region(1)}\n",
        f"a\n---\n    {region(1)}\n",
        f"- a\n\n      {region(1)}\n",
        f"<!-- a -->\n    {region(1)}\n",
        f"\u00ef\u00bb\u00bf```\n{region(1)}\n```\n",
        f"```\n    ```\n{region(1)}\n```\n",
        f"- ```\n      ```\n  {region(1)}\n  ```\n",
    ],
)
def test_in_code_and_comments_a_marker_is_text(text):
    assert found(text.replace(CLOSE, "")) == []


@pytest.mark.parametrize(
    "text",
    [
        region(1),
        f"say `over\n{region(1)} lines` so\n",
        f"\u00ef\u00bb\u00bf{region(1)}",
        f"> {region(1)}\n",
        f"- {region(1)}\n",
        f"> ```\n{region(1)}\n",
        f"- a\n\n  ```\n{region(1)}\n",
        f"para\n    {region(1)}\n",
        f"a ` tick {region(1)}\n",
        f"a ``` tick {region(1)}\n",
        f"`a` {region(1)} `b`\n",
        f"| a | {region(1)} |\n",
        f"1. a\n\n    {region(1)}\n",
        f"``` a`b\n{region(1)}\n",
        f"{OPEN.format(1)}\r\nx\r\n{CLOSE}\r\n",
        f"- a\n  - b\n\n  para\n\n    {region(1)}\n",
        f"1. a\n   - b\n\n   c\n\n     {region(1)}\n",
        f"-\ta\n\n\t{region(1)}\n",
        f"> - a\n>\n>   {region(1)}\n",
        f"a ` tick\n\n{region(1)} `\n",
        f"a <!-- no end\n\n{region(1)}\n",
        f"<div>\n`{region(1)}`\n",
        f"<!-->\n{region(1)}\n",
        f"a\r{region(1)}\r",
        "> " * 60 + region(1),
    ],
)
def test_elsewhere_it_is_a_marker(text):
    assert found(text) == ["value a.plan x1"]


def test_several_on_a_line_and_after_each_other():
    assert found(f"{region(1)} and {region(2)}\n{region(3)}\n```\n{region(4)}\n```\n{region(5)}") == [
        f"value a.plan x{at}" for at in (1, 2, 3, 5)
    ]


def test_what_fills_a_region_may_hold_code():
    text = f"{OPEN.format(1)}\n```mermaid\nx `` ```` \n```\n{CLOSE}\n```\n{region(2)}\n```\n{region(3)}"
    assert found(text) == ["value a.plan x1", "value a.plan x3"]


def test_quoted_words():
    regions, _ = find_regions(f'<!-- capwright: table "a b.plan"  x y -->{CLOSE}')
    assert regions[0].words == ("table", "a b.plan", "x", "y")


@pytest.mark.parametrize(
    "text, expected",
    [
        (OPEN.format(1), ["CW0801"]),
        (f"{OPEN.format(1)} {region(2)}", ["CW0802"]),
        (f"{OPEN.format(1)} {region(2)} {CLOSE}", ["CW0802"]),
        (f"{OPEN.format(1)} {region(2)} {CLOSE} {CLOSE}", ["CW0802", "CW0803"]),
        (CLOSE, ["CW0803"]),
        ("<!-- capwright: value\na.plan x -->", ["CW0800"]),
        (f"{CLOSE}\n{OPEN.format(1)}", ["CW0803", "CW0801"]),
    ],
)
def test_mistakes(text, expected):
    assert codes(text) == expected


SHOWN_CLOSED = (
    f"```\n{CLOSE}\n```\n",
    f"~~~ md\n{CLOSE}\n~~~\n",
    f"> ```\n> {CLOSE}\n> ```\n",
    f"- item\n\n  ```\n  {CLOSE}\n  ```\n",
    f"    {CLOSE}\n",
    f"it ends with `{CLOSE}`\n",
    f"<!-- see {CLOSE}\n",
    f"\\{CLOSE}\n",
    f"```\n{region(2)}\n```\n",
)


@pytest.mark.parametrize("shown", SHOWN_CLOSED)
def test_a_region_does_not_end_in_code(shown):
    text = f"{OPEN.format(1)}x\n\nImportant text\n\n{shown}tail\n"
    assert codes(text) == ["CW0801"]
    assert find_regions(text)[1][0].help.endswith("in code or in another comment it is text")
    regions, mistakes = find_regions(f"{text}{CLOSE}\nmore\n")
    assert mistakes == ()
    assert (regions[0].end, len(regions)) == (len(text), 1)


def test_a_region_in_a_list_may_hold_code():
    inside = f"1. a\n\n   {OPEN.format(1)}\n   ```text\n   x\n   ```\n\n   > y\n   {CLOSE}\n"
    assert found(f"{inside}\n   {region(2)}\n") == ["value a.plan x1", "value a.plan x2"]


PIECES = st.sampled_from(
    [
        "word", " ", "  ", "\n", "\n\n", "```\n", "~~~\n", "````md\n", "> ", "- ", "1. ", "    ", "`", "``", "\\", "\n> ", "\n- ",
        "{}", "{}", "{}", "\n{}\n", "*", "# ", "|", "\n    ", "\n\n    ", "<!-- c -->", "<b>",
    ]
)  # fmt: skip


@settings(max_examples=400, deadline=None)
@given(st.lists(PIECES, max_size=14))
def test_nothing_raises_and_regions_are_where_they_say(pieces):
    text = "".join(piece.replace("{}", region(at, "old")) for at, piece in enumerate(pieces))
    regions, _ = find_regions(text)
    for one in regions:
        assert text[one.start : one.end] == "old"
        assert text[: one.start].endswith(f"{' '.join(one.words)} -->")
        assert text[one.end :].startswith(CLOSE)
    assert [one.start for one in regions] == sorted(one.start for one in regions)


ENDS = st.sampled_from(
    [
        "word\n",
        "\n",
        "```\n",
        "~~~\n",
        "{open}\n",
        "{close}\n",
        "`{close}`\n",
        "> {close}\n",
        "> ```\n",
        "    {close}\n",
    ]
)


@settings(max_examples=400, deadline=None)
@given(st.lists(ENDS, max_size=10))
def test_a_region_ends_where_a_markdown_parser_sees_html(pieces):
    """An independent reading of the end of the first region, where its beginning is a marker by itself."""
    text = (
        OPEN.format(0)
        + "\n"
        + "".join(
            piece.format(open=OPEN.format(at), close=f"<!-- /capwright --><!--{at}-->")
            for at, piece in enumerate(pieces)
        )
    )
    html: list[str] = []
    for token in MarkdownIt("commonmark").parse(text):
        if token.type == "html_block":
            html.append(token.content)
        html += [child.content for child in token.children or () if child.type == "html_inline"]
    after = re.findall(r"<!-- /capwright -->(?:<!--(\d+)-->)?|<!-- (capwright):", "".join(html))[1:]
    regions, mistakes = find_regions(text)
    if after and not after[0][1]:
        assert text[regions[0].end :].startswith(f"<!-- /capwright --><!--{after[0][0]}-->")
    else:
        assert mistakes[0].code == ("CW0802" if after else "CW0801")


LINES = st.builds(
    str.__add__,
    st.lists(
        st.sampled_from(["", "", " ", "  ", "   ", "    ", "\t", "> ", ">", "- ", "-\t", "1. ", "10) ", "*     "]), max_size=4
    ).map("".join),
    st.sampled_from(
        [
            "word\n",
            "\n",
            "```\n",
            "~~~\r\n",
            "````\n",
            "{}\n",
            "{}\r",
            "say {} so\n",
            "`{}`\n",
            "`` {} ``\n",
            "say ` so\n",
            "***\n",
            "- - -\n",
            "---\n",
            "===\n",
            "# {}\n",
            "<pre>\n",
            "</pre>\n",
            "<!-- a\n",
            "-->\n",
            "\\{}\n",
        ]
    ),
)  # fmt: skip

COMMENT = re.compile(r"<!--(?:>|.*?-->|.*\Z)", re.DOTALL)


@settings(max_examples=1000, deadline=None)
@given(st.lists(LINES, max_size=12))
def test_markers_are_where_a_markdown_parser_sees_html(pieces):
    """What CommonMark takes for HTML is a marker, what it takes for code is text: the whole reader, inline parts
    and all, against our own reading of the lines that it calls prose."""
    text = "".join(
        piece.replace("{}", f"<!-- capwright: value a.plan x{at} --><!-- /capwright -->")
        for at, piece in enumerate(pieces)
    )
    html: list[list[str]] = []
    for token in MarkdownIt("commonmark", {"maxNesting": 100}).parse(text):
        if token.type == "html_block":
            html.append([token.content])
        html.append([child.content for child in token.children or () if child.type == "html_inline"])
    comments = [one for block in html for one in COMMENT.findall("\n".join(block))]
    seen = [found[1] for one in comments if (found := re.match(r"<!-- capwright: value a\.plan (x\d+)", one))]
    regions, mistakes = find_regions(text)
    assert [one.code for one in mistakes if one.code != "CW0803"] == []
    assert [one.words[2] for one in regions] == seen


@pytest.mark.parametrize(
    ("hostile", "mistakes"),
    [
        ("a " + "<!--x " * 20_000, 0),
        ("a " + "<!-- capwright: " * 20_000, 20_000),
        ("<!-- capwright: " + '"a\\' * 20_000 + f" -->x{CLOSE}", 0),
    ],
    ids=["comments", "markers", "quotes"],
)
def test_what_has_no_end_is_looked_for_once(hostile, mistakes):
    with within(1.5):  # a minute and more, were it looked for anew from each
        regions, found = find_regions(f"{hostile}\n\n{region(1)}")
    assert regions[-1].words == ("value", "a.plan", "x1")
    assert [one.code for one in found] == ["CW0800"] * mistakes


def test_all_behind_a_quote_that_does_not_end_is_one_word():
    regions, found = find_regions(f'<!-- capwright: value "a.plan x y -->old{CLOSE}')
    assert ([one.words for one in regions], found) == ([("value", '"a.plan x y')], ())
