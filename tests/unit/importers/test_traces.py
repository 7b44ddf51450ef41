"""Traces as distributions of lengths: CSV and JSON lines, real ones where they are at hand."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

from capwright.importers import READERS, traces
from capwright.importers.traces import read_trace
from capwright.kernel.registry import call

TRACES = Path(__file__).resolve().parents[4] / "shared" / "data" / "traces"
BOTH = {"input": "Prompt", "output": "Output"}


def test_csv_columns_by_name():
    found, problems = read_trace(b"Time,Prompt,Output\r\n1,10,3\r\n2,20,5", "csv", BOTH)
    assert problems == ()
    assert {name: lengths.counts for name, lengths in found.items()} == {
        "input": ((10, 1), (20, 1)),
        "output": ((3, 1), (5, 1)),
    }


def test_json_lines_by_key():
    found, problems = read_trace(
        b'{"Prompt": 10, "Output": 3}\n\n{"Output": 3, "Prompt": 7}\n', "jsonl", BOTH
    )
    assert problems == ()
    assert found["input"].counts == ((7, 1), (10, 1))
    assert found["output"].counts == ((3, 2),)


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (b"Time,Prompt,Output\n1,10,3\n2,20,5\n3,2,40", "csv"),
        (
            b'{"Prompt": 10, "Output": 3}\n{"Prompt": 20, "Output": 5}\n{"Output": 40, "Prompt": 2}\n',
            "jsonl",
        ),
    ],
)
def test_columns_are_summed_row_by_row(data, kind):
    found, problems = read_trace(data, kind, {"total": "Prompt + Output", "input": "Prompt"})
    assert problems == ()
    assert found["total"].counts == ((13, 1), (25, 1), (42, 1))
    assert found["input"].counts == ((2, 1), (10, 1), (20, 1))


@pytest.mark.parametrize("column", ["Prompt + 800", "800+Prompt", "Prompt + 1_000", "Prompt + 500 + 300"])
def test_a_whole_number_is_added_to_each_row(column):
    found, problems = read_trace(
        b"Prompt,Output\n10,3\n20,5\n2,40\n", "csv", {"input": column, "total": f"{column} + Output"}
    )
    assert problems == ()
    more = 1_000 if "_" in column else 800
    assert found["input"].counts == ((more + 2, 1), (more + 10, 1), (more + 20, 1))
    assert found["total"].counts == ((more + 13, 1), (more + 25, 1), (more + 42, 1))


def test_a_column_that_is_called_like_a_number_is_that_column():
    found, problems = read_trace(b"Prompt,800\n10,3\n", "csv", {"input": "Prompt + 800", "alone": "800"})
    assert problems == ()
    assert (found["input"].counts, found["alone"].counts) == (((13, 1),), ((3, 1),))


@pytest.mark.parametrize(
    "column", ["800", "800 + 200", "Prompt + 8.5", "Prompt + -3", "Prompt + 8e2", "Prompt - 800"]
)
def test_what_is_no_whole_number_is_no_column(column):
    found, problems = read_trace(b"Prompt,Output\n10,3\n", "csv", {"input": column})
    assert found is None
    assert {each.code for each in problems} == {"CW0641"}


def test_a_column_that_is_called_like_a_sum_is_that_column():
    found, problems = read_trace(
        b"Prompt,Output,Prompt + Output\n10,3,99", "csv", {"total": "Prompt + Output"}
    )
    assert problems == ()
    assert found["total"].counts == ((99, 1),)


@pytest.mark.parametrize(
    ("data", "code", "words"),
    [
        (b"Prompt,Outputs\n1,2", "CW0641", "`Output`"),
        (b"Prompt,Output,Output\n1,2,3", "CW0645", "2 columns `Output`"),
        (b"Prompt,Output\n1,x", "CW0642", "line 2: `Output` is `x`"),
    ],
)
def test_a_sum_needs_each_of_its_columns(data, code, words):
    found, problems = read_trace(data, "csv", {"total": "Prompt + Output"})
    assert found is None
    assert [each.code for each in problems] == [code]
    assert words in problems[0].message


@pytest.mark.parametrize(
    ("data", "kind", "code", "words"),
    [
        (b"\xff", "csv", "CW0610", "not UTF-8"),
        (b"\xef\xbb\xbfPrompt,Output\n1,2", "csv", "CW0611", "byte-order mark"),
        (b"prompt,Output\n1,2", "csv", "CW0641", "`Prompt`"),
        (b'{"Output": 1}', "jsonl", "CW0641", "`Prompt`"),
        (b"Prompt,Output,Prompt\n1,2,3", "csv", "CW0645", "2 columns `Prompt`"),
        (b'{"Prompt": 1, "Output": 2, "Prompt": 3}', "jsonl", "CW0642", "line 1"),
        (b"Prompt,Output\n1,2\n3,x", "csv", "CW0642", "line 3: `Output` is `x`"),
        (b"Prompt,Output\n1,2\n3", "csv", "CW0642", "line 3: `Output` is nothing"),
        (b"Prompt,Output\n-1,2", "csv", "CW0642", "line 2: `Prompt` is `-1`"),
        (b"Prompt,Output\n1.5,2", "csv", "CW0642", "line 2: `Prompt` is `1.5`"),
        (b'{"Prompt": 1, "Output": 2}\n{"Prompt"', "jsonl", "CW0642", "line 2"),
        (b'{"Prompt": 1, "Output": true}', "jsonl", "CW0642", "`Output`"),
        (b"Prompt,Output\n", "csv", "CW0644", "no rows"),
        (b"", "jsonl", "CW0644", "no rows"),
    ],
)
def test_what_is_refused(data, kind, code, words):
    found, problems = read_trace(data, kind, BOTH, "requests.csv")
    assert found is None
    assert [each.code for each in problems] == [code]
    assert words in problems[0].message
    assert problems[0].help


def test_a_column_is_to_be_named():
    found, (problem,) = read_trace(b"Prompt\n1", "csv", {})
    assert found is None
    assert problem.code == "CW0640"


def test_the_place_of_a_bad_row_is_its_line():
    data = b"Prompt,Output\n1,2\n3,x\n4,5"
    _, (problem,) = read_trace(data, "csv", BOTH, "requests.csv")
    assert data[problem.span.start : problem.span.end] == b"3,x"


def test_a_million_rows_are_read_and_no_more():
    found, problems = read_trace(b"Prompt\n" + b"7\n" * 1_000_000, "csv", {"input": "Prompt"})
    assert not problems
    assert found["input"].counts == ((7, 1_000_000),)
    found, (problem,) = read_trace(b"Prompt\n" + b"7\n" * 1_000_001, "csv", {"input": "Prompt"})
    assert found is None
    assert problem.code == "CW0643"


def test_another_column_may_be_there_twice():
    found, problems = read_trace(b"Prompt,Time,Time\n7,1,2", "csv", {"input": "Prompt"})
    assert not problems
    assert found["input"].counts == ((7, 1),)


@pytest.mark.parametrize("kind", ["csv", "jsonl"])
def test_far_too_many_rows_are_refused_unread(kind, monkeypatch):
    row = b"7\n" if kind == "csv" else b'{"Prompt": 7}\n'
    monkeypatch.setattr(traces, "_gathered", None)
    found, (problem,) = read_trace(b"Prompt\n" + row * 1_000_001, kind, {"input": "Prompt"})
    assert found is None
    assert problem.code == "CW0643"


def test_lines_that_are_no_rows_do_not_count():
    data = b"Prompt\n" + b"7\n" * 1_000_000 + b"\n" * 1_000
    found, problems = read_trace(data, "csv", {"input": "Prompt"})
    assert not problems
    assert found["input"].counts == ((7, 1_000_000),)


AZURE = {"input": "ContextTokens", "output": "GeneratedTokens"}
REAL = [
    # File, columns, rows and the figures its description prints: mean, 99th percentile, longest input.
    ("AzureLLMInferenceTrace_code.csv", AZURE, 8_819, 2047.85, 7_436, 7_437),
    ("AzureLLMInferenceTrace_conv.csv", AZURE, 19_366, 1154.70, 4_142, 14_050),
    ("mooncake_conversation_trace.jsonl", {"input": "input_length"}, 12_031, 12_035, 85_401, 126_195),
]


@pytest.mark.skipif(not TRACES.is_dir(), reason="the shared data is not at hand")
@pytest.mark.parametrize(("name", "columns", "rows", "mean", "p99", "longest"), REAL)
def test_real_traces(name, columns, rows, mean, p99, longest):
    found, problems = READERS["trace"].to_lengths((TRACES / name).read_bytes(), name, columns)
    assert problems == ()
    inputs = found["input"]
    assert sum(times for _, times in inputs.counts) == rows
    assert float(call("mean", [inputs], [])) == pytest.approx(mean, abs=0.5)
    assert call("quantile", [inputs], [Fraction(99, 100)]) == p99
    assert call("longest", [inputs], []) == longest


@pytest.mark.parametrize(
    ("row", "words"),
    [("5,6,7", "3 cells, and 2 columns"), ("1,234,6", "3 cells, and 2 columns"), ("5,6,", "3 cells")],
)
def test_a_row_with_more_cells_than_columns_is_refused_by_its_line(row, words):
    found, said = read_trace(f"a,b\n1,2\n{row}\n".encode(), "csv", {"input": "a"}, "t.csv")
    assert found is None
    assert [(each.code, each.span.start) for each in said] == [("CW0642", 8)]
    assert "line 3" in said[0].message
    assert words in said[0].message
    assert "in double quotes" in said[0].message
    quoted, said = read_trace(b'a,b\n1,2\n5,"6,7"\n', "csv", {"input": "a"})
    assert quoted is not None, said


@pytest.mark.parametrize("column", ["a +", "+ a", "a + + b", "+"])
@pytest.mark.parametrize("data", [b",a,b\n0,1,2\n", b'{"": 0, "a": 1, "b": 2}\n'])
def test_a_sum_names_each_of_its_columns(column, data):
    found, said = read_trace(data, "csv" if data[:1] == b"," else "jsonl", {"total": column})
    assert found is None
    assert [each.code for each in said] == ["CW0641"]
    assert "one of them has no name" in said[0].message
    assert read_trace(b"a +,b\n1,2\n", "csv", {"total": "a +"})[0] is not None
