"""Messages for people, forges and programs."""

import json

import pytest

from capwright.base.diagnostic import Diagnostic, Note
from capwright.base.source import NOWHERE, Source, Span
from capwright.render.diagnostics import ANNOTATIONS, as_json, github, human, tally
from capwright.render.terminal.style import COLOURED, width

SOURCE = Source("plans/a.plan", "x = 1 GiB\n\ty = zz * 漢 + qq\n")
SOURCES = {"a": SOURCE}
Y = SOURCE.text.index("zz")
ONE = Diagnostic(
    "CW0201",
    Span("a", Y, Y + 2),
    "unknown name `zz`",
    "did you mean `x`?",
    notes=(Note("declared here", Span("a", 0, 1)),),
)


def test_for_people():
    assert human([ONE], SOURCES) == (
        "error[CW0201]: unknown name `zz`\n"
        " --> plans/a.plan:2:6\n"
        "  |\n"
        "2 |  y = zz * 漢 + qq\n"
        "  |      ^^\n"
        "  = note: declared here (plans/a.plan:1:1)\n"
        "  = help: did you mean `x`?\n"
    )


def test_carets_stand_under_what_is_meant_after_wide_characters():
    at = SOURCE.text.index("qq")
    lines = human([Diagnostic("CW0201", Span("a", at, at + 2), "m", "h")], SOURCES).splitlines()
    assert width(lines[3][: lines[3].index("qq")]) == lines[4].index("^")
    assert lines[4].count("^") == 2


def test_an_empty_span_at_the_end_of_a_file_has_one_caret():
    end = len(SOURCE.text)
    lines = human([Diagnostic("CW0101", Span("a", end, end), "m", "h")], SOURCES).splitlines()
    assert lines[1].endswith(":3:1")
    assert lines[4] == "  | ^"


def test_a_span_over_several_lines_is_underlined_to_the_end_of_its_first():
    lines = human([Diagnostic("CW0101", Span("a", 4, Y + 2), "m", "h")], SOURCES).splitlines()
    assert lines[3] == "1 | x = 1 GiB"
    assert lines[4] == "  |     ^^^^^"


def test_a_long_line_is_cut_around_the_mistake():
    source = Source("a.plan", "a" * 5_000 + "zz" + "b" * 5_000)
    lines = human([Diagnostic("CW0201", Span("a", 5_000, 5_002), "m", "h")], {"a": source}).splitlines()
    assert len(lines[3]) < 120
    assert lines[3][lines[4].index("^") :].startswith("zzbb")


def test_without_a_source_the_file_is_named():
    assert (
        human([Diagnostic("CW0001", Span("gone.plan", 0, 0), "m", "h")], {}).splitlines()[1]
        == " --> gone.plan"
    )
    assert human([Diagnostic("CW0001", NOWHERE, "m", "h")], {}) == "error[CW0001]: m\n  = help: h\n"


def test_colours_only_if_asked_for():
    assert "\x1b" not in human([ONE], SOURCES)
    assert human([ONE], SOURCES, COLOURED).startswith("\x1b[1;31merror[CW0201]\x1b[0m")


def test_annotations():
    many = Diagnostic("CW0202", Span("a", 0, Y), "100% of\nx: y, z", "way\nout", "warning")
    assert github([ONE, many], SOURCES) == (
        "::error file=plans/a.plan,line=2,endLine=2,col=6,endColumn=8,title=CW0201::"
        "unknown name `zz`%0Adeclared here (plans/a.plan:1:1)%0Adid you mean `x`?\n"
        "::warning file=plans/a.plan,line=1,endLine=2,title=CW0202::100%25 of%0Ax: y, z%0Away%0Aout\n"
    )


def test_at_most_ten_annotations_of_a_kind_and_the_rest_counted():
    hint = Diagnostic("CW0001", Span("a", 0, 1), "m", "h", "hint")
    lines = github([ONE] * 13 + [hint] * 2, SOURCES).splitlines()
    assert sum(line.startswith("::error ") for line in lines) == ANNOTATIONS == 10
    assert sum(line.startswith("::notice ") for line in lines) == 2
    assert lines[10] == "and 3 more errors, which are not annotated"


def test_for_programs():
    (record,) = json.loads(as_json([ONE], SOURCES))
    assert record["code"] == "CW0201"
    assert (record["file"], record["line"], record["column"], record["end_column"]) == (
        "plans/a.plan",
        2,
        6,
        8,
    )
    assert record["notes"][0] == {
        "text": "declared here", "file": "plans/a.plan", "line": 1, "column": 1, "end_line": 1, "end_column": 2,
    }  # fmt: skip
    (lost,) = json.loads(as_json([Diagnostic("CW0001", NOWHERE, "m", "h")], {}))
    assert lost["line"] is None


def test_a_tally():
    warning = Diagnostic("CW0001", NOWHERE, "m", "h", "warning")
    assert tally([ONE, ONE, warning]) == "2 errors, 1 warning"
    assert tally([]) == ""


@pytest.mark.parametrize("wide", [40, 60, 80, 140])
def test_a_message_fits_the_terminal(wide):
    """Prose hangs under itself; of a source line what stands around the mistake is shown, the caret under it."""
    text = "left = " + "a + " * 40 + "zz" + " + b" * 40
    at = text.index("zz")
    help = "write a quantity that the plan declares, or declare this one\nbefore the line that needs it, in whole words"
    note = Note("every operand of a sum is of one dimension, whichever line declares it", Span("a", 0, 1))
    one = Diagnostic(
        "CW0201", Span("a", at, at + 2), f"unknown name {'of a thing ' * 9}", help, notes=(note,)
    )
    sources = {"a": Source("a.plan", text)}
    lines = human([one], sources, wide=wide).splitlines()
    assert max(map(width, lines)) <= wide
    source = next(line for line in lines if line.startswith("1 | "))
    caret = next(line for line in lines if "^^" in line)
    assert source[caret.index("^") :].startswith("zz")
    assert "…" in source
    told = lines.index(next(line for line in lines if "= note: " in line))
    if wide < 80:
        assert lines[told + 1].startswith(" " * len("  = note: ") + lines[told + 1].strip()[0])
    squeezed = "".join("".join(lines).split())
    assert "".join(help.split()) in squeezed
