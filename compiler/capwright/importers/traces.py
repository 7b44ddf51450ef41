"""Tables of requests, CSV or JSON lines, as distributions of lengths by column name, or by names whose sum is asked for."""

from __future__ import annotations

import csv
import re
from collections.abc import Container, Iterator, Mapping
from typing import Any, Final, Literal

from capwright.base.diagnostic import Diagnostic, did_you_mean
from capwright.base.source import Span
from capwright.importers.contract import MAX_TRACE, Diagnostics
from capwright.importers.decoding import decoded
from capwright.importers.strict_json import read_json
from capwright.importers.words import quoted
from capwright.kernel.lengths import Empirical, empirical

Kind = Literal["csv", "jsonl"]
Row = tuple[int, Mapping[str, Any] | str]
"""A row's line in the file, and its fields; or what is wrong with it, such as that it is no object."""
_WHOLE: Final = re.compile(r"[0-9]{1,12}|[0-9]{1,3}(?:_[0-9]{3}){1,3}")
"""A number of tokens in a sum of columns, as a plan writes it."""

MAX_ROWS: Final = 1_000_000
MAX_LENGTH: Final = 10**12
MAX_MESSAGES: Final = 10


def read_lengths(
    data: bytes, shown_path: str, columns: Mapping[str, str]
) -> tuple[Mapping[str, Empirical] | None, Diagnostics]:
    """`read_trace` with the kind told by the file's name, else by its first character."""
    by_name: dict[str, Kind] = {"csv": "csv", "jsonl": "jsonl", "ndjson": "jsonl"}
    kind = by_name.get(shown_path.rpartition(".")[2].lower())
    return read_trace(data, kind or ("jsonl" if data.lstrip()[:1] == b"{" else "csv"), columns, shown_path)


def read_trace(
    data: bytes, kind: Kind, columns: Mapping[str, str], shown_path: str = ""
) -> tuple[Mapping[str, Empirical] | None, Diagnostics]:
    """For each name in `columns` the distribution of that column's lengths, or None with what is wrong.

    A CSV file has its column names in its first line; a JSON-lines file has an object a line. Every row counts
    once. Several columns joined by `+` are summed row by row, where no column is called so, and a whole number among them
    is added to each row: `ContextTokens + 800`. Refused: a column that is there twice, or a sum with a name left out; rows with more cells than there are columns, or without a whole number of
    tokens in a column, by their line; over `MAX_ROWS` rows.
    """
    if len(data) <= MAX_TRACE and _are_surely_too_many(data, kind):
        return None, (_too_many(Span(shown_path, 0, 0)),)
    text, refusal = decoded(data, shown_path, MAX_TRACE)
    if refusal is None and not columns:
        help = 'name them: `trace("file.csv", input: "ContextTokens", output: "GeneratedTokens")`'
        refusal = Diagnostic("CW0640", Span(shown_path, 0, 0), "no column of the trace is asked for", help)
    if refusal is not None:
        return None, (refusal,)
    lines = _Lines(shown_path, text)
    twice = _twice(text, columns, lines.span(1)) if kind == "csv" else ()
    if twice:
        return None, twice
    return _gathered(_csv_rows(text) if kind == "csv" else _json_rows(text), columns, lines)


def _are_surely_too_many(data: bytes, kind: Kind) -> bool:
    """Whether there are over `MAX_ROWS` rows, as far as that shows without reading them: where every line is one."""
    lines = data.count(b"\n") - (kind == "csv")
    if lines <= MAX_ROWS:
        return False
    no_rows = (b"\n\n", b"\n\r", b"\n ", b"\n\t", *((b'"',) if kind == "csv" else ()))
    return not any(sign in data for sign in no_rows)


def _too_many(here: Span) -> Diagnostic:
    return Diagnostic("CW0643", here, f"the trace has over {MAX_ROWS:_} rows", "take a sample of its rows")


def _nameless(columns: Mapping[str, str], names: Container[str], here: Span) -> Diagnostics:
    """Sums that leave the name of a column out, such as `A +`, where no column is called so."""
    return tuple(
        Diagnostic(
            "CW0641",
            here,
            f"{quoted(column)} sums columns of the trace, and one of them has no name",
            "write the name of a column on both sides of each `+`",
        )
        for column in columns.values()
        if "+" in column and not all(_parts(column, names))
    )


def _twice(text: str, columns: Mapping[str, str], here: Span) -> Diagnostics:
    """Columns that are asked for by a name that two of them have."""
    names = next(_cells(text), (1, []))[1]
    return tuple(
        Diagnostic(
            "CW0645",
            here,
            f"the trace has {names.count(column)} columns {quoted(column)}",
            "give the columns of the file names of their own",
        )
        for column in _called(columns, names)
        if names.count(column) > 1
    )


def _called(columns: Mapping[str, str], names: Container[str]) -> list[str]:
    """The columns that are asked for, alone or in a sum, each once."""
    return list(dict.fromkeys(part for column in columns.values() for part in _summed(column, names)[0]))


def _parts(column: str, names: Container[str]) -> tuple[str, ...]:
    """What is summed for `column`: it alone, where one is called so."""
    return (column,) if column in names else tuple(part.strip() for part in column.split("+"))


def _summed(column: str, names: Container[str]) -> tuple[tuple[str, ...], int]:
    """The columns whose lengths are summed for `column`, and what is added to each sum."""
    parts = _parts(column, names)
    called = tuple(part for part in parts if part in names or _WHOLE.fullmatch(part) is None)
    if not called:
        return parts, 0  # numbers alone are the name of no column
    return called, sum(int(part) for part in parts if part not in called)


class _Lines:
    """The spans of lines in a file, found when a message needs one."""

    def __init__(self, shown_path: str, text: str) -> None:
        self._path = shown_path
        self._text = text

    def span(self, line: int) -> Span:
        """The span of line `line`, counted from one."""
        start = 0
        for _ in range(line - 1):
            start = self._text.find("\n", start) + 1
        end = self._text.find("\n", start)
        return Span(self._path, start, len(self._text) if end < 0 else end)


def _gathered(
    rows: Iterator[Row], columns: Mapping[str, str], lines: _Lines
) -> tuple[Mapping[str, Empirical] | None, Diagnostics]:
    found: dict[str, list[int]] = {name: [] for name in columns}
    summed: dict[str, tuple[tuple[str, ...], int]] = {}
    wrong: list[Diagnostic] = []
    count = 0
    for line, row in rows:
        count += 1
        if count > MAX_ROWS:
            return None, (_too_many(lines.span(line)),)
        if count == 1 and not isinstance(row, str):
            missing = _nameless(columns, row, lines.span(1)) or _missing(row, columns, lines.span(1))
            if missing:
                return None, missing
        if not isinstance(row, str) and not summed:
            summed = {name: _summed(column, row) for name, column in columns.items()}
        problem = _take(row, summed, found)
        if problem is not None:
            help = "mend the row or leave it out: a length is a whole number of tokens"
            wrong.append(Diagnostic("CW0642", lines.span(line), f"line {line:_}: {problem}", help))
            if len(wrong) == MAX_MESSAGES:
                break
    if count == 0:
        wrong.append(
            Diagnostic("CW0644", lines.span(1), "the trace has no rows", "name a file with requests in it")
        )
    if wrong:
        return None, tuple(wrong)
    return {name: empirical(lengths) for name, lengths in found.items()}, ()


def _missing(row: Mapping[str, Any], columns: Mapping[str, str], here: Span) -> Diagnostics:
    return tuple(
        Diagnostic(
            "CW0641", here, f"the trace has no column {quoted(column)}", did_you_mean(column, _names(row))
        )
        for column in _called(columns, row)
        if column not in row
    )


def _names(row: Mapping[str, Any]) -> list[str]:
    return [quoted(name).strip("`") for name in row if name is not None]


def _take(
    row: Mapping[str, Any] | str,
    summed: Mapping[str, tuple[tuple[str, ...], int]],
    found: dict[str, list[int]],
) -> str | None:
    """Add the lengths of one row, or say what is wrong with it."""
    if isinstance(row, str):
        return row
    for name, (columns, more) in summed.items():
        total = more
        for column in columns:
            length = _length(row.get(column))
            if length is None:
                given = "nothing" if row.get(column) is None else quoted(row[column])
                return f"{quoted(column)} is {given}"
            total += length
        found[name].append(total)
    return None


def _length(value: Any) -> int | None:
    """A whole number of tokens, as JSON gives it or as CSV spells it."""
    if isinstance(value, str) and value.strip().isascii() and value.strip().isdigit() and len(value) < 20:
        value = int(value)
    return value if type(value) is int and 0 <= value <= MAX_LENGTH else None


def _csv_rows(text: str) -> Iterator[Row]:
    cells = _cells(text)
    _, names = next(cells, (1, []))
    for line, row in cells:
        if len(row) > len(names):
            # A comma within a cell moves all that follow: which one belongs to which column is not known.
            counted = f"there are {len(row)} cells, and {len(names)} column{'s' if len(names) != 1 else ''}"
            yield line, f"{counted}: a cell with a comma in it stands in double quotes"
        elif row:
            # A cell too few is nothing.
            yield line, dict(zip(names, row, strict=False))


def _cells(text: str) -> Iterator[tuple[int, list[str]]]:
    """The rows of a CSV file with the line on which each ends; what cannot be read ends it with a row of nothing."""
    reader = csv.reader(f"{line}\n" for line in _lines(text))
    try:
        for row in reader:
            yield reader.line_num, row
    except csv.Error:
        yield reader.line_num, [""]


def _lines(text: str) -> Iterator[str]:
    start = 0
    while (end := text.find("\n", start)) >= 0:
        yield text[start:end]
        start = end + 1
    if start < len(text):
        yield text[start:]


def _json_rows(text: str) -> Iterator[Row]:
    for line, written in enumerate(_lines(text), 1):
        if written.strip():
            value, _ = read_json(written.encode())
            yield line, value if isinstance(value, dict) else "this is not one JSON object"
