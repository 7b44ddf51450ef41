"""Foreign text, made harmless for each place it is printed in."""

import html
import re
import subprocess

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from capwright.render.escape import (
    JOINER,
    annotation_data,
    annotation_property,
    csv_text,
    html_text,
    in_quotes,
    json_for_a_log,
    markdown_code,
    markdown_text,
    one_line,
    shell_path,
    shell_word,
    terminal_text,
)
from capwright.render.markup import anchor
from tests.support.hostile import TOKENS
from tests.support.numerals import addressed, rendered


@pytest.mark.parametrize(
    ("text", "safe"),
    [
        ("plain", "plain"),
        ("a\nb\tc", "a b c"),
        ("\x1b[31m", "\\x1b[31m"),
        ("a\u202eb", "a\\u202eb"),
        ("\ud800", "\\ud800"),
        ("\U000e0041", "\\U000e0041"),
        ("é漢", "é漢"),
    ],
)
def test_one_line(text, safe):
    assert one_line(text) == safe


@pytest.mark.parametrize(
    ("path", "word"),
    [
        ("plans/fleet.plan", "plans/fleet.plan"),
        ("-rf.plan", "./-rf.plan"),
        ("my fleet.plan", "'my fleet.plan'"),
        ("it's.plan", """'it'"'"'s.plan'"""),
        ("$(x).plan", "'$(x).plan'"),
        ("a`b.plan", r"$'a\x60b.plan'"),
        ("a\nb.plan", r"$'a\x0ab.plan'"),
        ("##[error]x.plan", r"$'\x23\x23[error]x.plan'"),
        ("a::b's\\.plan", r"$'a\x3a\x3ab\'s\\.plan'"),
        ("\u202ex.plan", r"$'\xe2\x80\xaex.plan'"),
        ("\udcff.plan", r"$'\xff.plan'"),
        ("漢.plan", "'漢.plan'"),
    ],
)
def test_a_path_is_a_word_of_a_command(path, word):
    assert shell_path(path) == word


in_a_command = st.one_of(
    st.text(st.characters(codec="utf-8", exclude_characters="\0")),
    st.lists(st.sampled_from([one for one in TOKENS if "\0" not in one and "\ud800" not in one])).map(
        "".join
    ),
)


@settings(max_examples=20)
@given(st.lists(in_a_command, min_size=1, max_size=30))
def test_a_shell_reads_the_word_that_was_given(texts):
    """Also from a terminal, from an annotation, and in backquotes that a page takes for quotation marks."""
    command = " ".join(map(shell_word, texts))
    assert terminal_text(command) == command
    assert "`" not in command
    assert re.sub("%25", "%", annotation_data(command)) == command
    ended = subprocess.run(["bash", "-c", f"printf '%s\\0' {command}"], capture_output=True, check=True)
    assert ended.stdout.decode("utf-8", "surrogateescape").split("\0")[:-1] == texts


@given(st.text())
def test_html_shows_the_text_it_was_given(text):
    assert html.unescape(html_text(text)) == one_line(text)


@given(st.text(alphabet=st.characters(codec="ascii"), min_size=1).filter(str.strip))
def test_markdown_shows_the_text_it_was_given(text):
    page = rendered(f"x {markdown_text(text)} y")
    shown = html.unescape(page).replace(JOINER, "")
    # A page shows many blanks as one.
    assert " ".join(shown.split()) == " ".join(f"<p>x {one_line(text)} y</p>".split())


@given(st.text(alphabet="ab`|\\ <*_", min_size=1))
def test_code_in_a_cell_shows_the_text_it_was_given(text):
    page = rendered(f"| a | b |\n|--|--|\n| {markdown_code(text, cell=True)} | c |\n")
    assert page.count("<td>") == 2
    inside = page[page.index("<code>") + 6 : page.index("</code>")]
    assert html.unescape(inside).replace(JOINER, "").strip() == text.strip()


@given(st.text(alphabet="ab`|\\ <*_", min_size=1))
def test_code_shows_the_text_it_was_given(text):
    page = rendered(f"x {markdown_code(text)} y")
    inside = page[page.index("<code>") + 6 : page.index("</code>")]
    assert html.unescape(inside).strip() == text.strip()


def test_what_a_forge_would_link_is_broken_up():
    for text in ("@user", "#12", "gh-7", "http://e.example", "www.e.example", "mailto:a", ":tada:"):
        assert JOINER in markdown_text(text)
        assert markdown_text(text).replace(JOINER, "") == text


def test_names_read_well_in_the_source():
    assert markdown_text("prod.kv.bytes_per_token") == "prod.kv.bytes_per_token"
    assert markdown_text("_x_") == "&#95;x&#95;"


def test_terminal_and_annotations():
    assert terminal_text("::error::x") == f":{JOINER}:error::x"
    assert terminal_text("##[group]") == f"##{JOINER}[group]"
    assert annotation_data("50%\nx") == "50%25%0Ax"
    assert annotation_property("a:b,c") == "a%3Ab%2Cc"


def test_spreadsheets_and_logs():
    assert csv_text("=1+1") == "'=1+1"
    assert csv_text("plain") == "plain"
    assert json_for_a_log('"##[x]"') == '"#\\u0023[x]"'


@given(st.text(min_size=1))
def test_an_anchor_says_its_address(address):
    assert addressed(anchor(address)) == address
    assert re.fullmatch(r"d-[A-Za-z0-9_.-]*", anchor(address))


def test_a_word_at_the_end_makes_no_picture_with_a_colon_of_ours():
    assert markdown_text("x:tada") == f"x:{JOINER}tada"
    assert markdown_text("a.plan:12 is read") == "a.plan:12 is read"


def test_backticks_become_quotes_in_pairs():
    assert in_quotes("write `a = 1` or `b`") == "write ‘a = 1’ or ‘b’"
    assert in_quotes("one ` alone") == "one ` alone"
    assert in_quotes("`a` and `") == "‘a’ and `"
    assert in_quotes("") == ""
