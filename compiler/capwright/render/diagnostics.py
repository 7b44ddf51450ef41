"""Messages for people, for a forge's annotations, and for programs."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Any, Final

from capwright.base.diagnostic import Diagnostic, Note
from capwright.base.source import Source, Span
from capwright.render.escape import annotation_data, annotation_property, json_for_a_log, terminal_text
from capwright.render.terminal.style import PLAIN, Style, fitted, width

ANNOTATIONS: Final = 10
"""What a forge shows of one kind in one step."""
WINDOW: Final = 100
"""Characters of a longer source line that are shown around the mistake."""

MARKED: Final = 20
"""Characters of a source line that are shown on the narrowest terminal."""

_TONES: Final = {"error": "bad", "warning": "open", "hint": "link"}
_COMMANDS: Final = {"error": "error", "warning": "warning", "hint": "notice"}
_PLURALS: Final = {"error": "errors", "warning": "warnings", "hint": "hints"}


def human(
    diagnostics: Iterable[Diagnostic],
    sources: Mapping[str, Source],
    style: Style = PLAIN,
    *,
    wide: int | None = None,
    secret: AbstractSet[str] = frozenset(),
) -> str:
    """The messages with their source lines, a blank line between them, in lines of at most `wide` columns. Of the files
    `secret`, and of what is withheld, no line is shown, nor where in its line something stands, which tells how long a
    number before it is."""
    return "\n".join("\n".join(_human(one, sources, style, wide, secret)) + "\n" for one in diagnostics)


def tally(diagnostics: Iterable[Diagnostic]) -> str:
    """`2 errors, 1 warning`; empty where there are none."""
    found = Counter[str](one.severity for one in diagnostics)
    return ", ".join(
        f"{found[kind]} {kind if found[kind] == 1 else plural}"
        for kind, plural in _PLURALS.items()
        if found[kind]
    )


def _human(
    one: Diagnostic, sources: Mapping[str, Source], style: Style, wide: int | None, secret: AbstractSet[str]
) -> Iterable[str]:
    tone = _TONES[one.severity]
    yield from fitted(
        f"{style.paint(tone, f'{one.severity}[{one.code}]')}: {style.paint('bold', one.message)}", wide
    )
    source = sources.get(one.span.file)
    gutter = 1
    if source is not None:
        number, _ = _position(source, one.span.start)
        gutter = len(str(number))
        if _is_lineless(one, secret):
            yield f"{' ' * gutter}--> {terminal_text(source.path)}:{number}"
        else:
            yield from _excerpt(source, one.span, style, tone, wide)
    elif one.span.file:
        yield f"{' ' * gutter}--> {terminal_text(one.span.file)}"
    hang = " " * (gutter + len(" = note: "))
    for note in one.notes:
        yield from fitted(f"{' ' * gutter} = note: {terminal_text(_note(note, sources, secret))}", wide, hang)
    if one.help:
        first, *more = one.help.split("\n")
        yield from fitted(
            f"{' ' * gutter} = {style.paint('good', 'help')}: {terminal_text(first)}", wide, hang
        )
        for line in more:
            yield from fitted(f"{hang}{terminal_text(line)}", wide)


def _is_lineless(one: Diagnostic, secret: AbstractSet[str]) -> bool:
    return one.withheld or one.span.file in secret


def _note(note: Note, sources: Mapping[str, Source], secret: AbstractSet[str]) -> str:
    source = sources.get(note.span.file) if note.span is not None else None
    if source is None or note.span is None:
        return note.text
    line, column = _position(source, note.span.start)
    within = "" if note.span.file in secret else f":{column}"
    return f"{note.text} ({source.path}:{line}{within})"


def _excerpt(source: Source, span: Span, style: Style, tone: str, wide: int | None) -> Iterable[str]:
    line, column = _position(source, span.start)
    text = source.line(line)
    start = min(column - 1, len(text))
    end = min(max(start + 1, start + (span.end - span.start)), max(len(text), start + 1))
    around = len(f"{line} | ……")
    window = WINDOW if wide is None else min(WINDOW, max(MARKED, wide - around))
    left = max(0, start - window // 2) if len(text) > window else 0
    right = left + window
    before, marked = terminal_text(text[left:start]), terminal_text(text[start : min(end, right)])
    gutter = " " * len(str(line))
    lead, tail = "…" if left else "", "…" if right < len(text) else ""
    yield f"{gutter}--> {terminal_text(source.path)}:{line}:{column}"
    yield f"{gutter} |"
    yield f"{line} | {lead}{before}{marked}{terminal_text(text[min(end, right) : right])}{tail}".rstrip()
    carets = "^" * max(1, width(marked))
    yield f"{gutter} | {' ' * (len(lead) + width(before))}{style.paint(tone, carets)}"


def _position(source: Source, offset: int) -> tuple[int, int]:
    return source.line_column(min(max(offset, 0), len(source.text)))


def github(
    diagnostics: Sequence[Diagnostic], sources: Mapping[str, Source], secret: AbstractSet[str] = frozenset()
) -> str:
    """Workflow commands, at most ten of a kind, and a line that counts the rest; of the files `secret`, and of what is
    withheld, as in `human`."""
    lines: list[str] = []
    for kind, plural in _PLURALS.items():
        found = [one for one in diagnostics if one.severity == kind]
        lines += [_annotation(one, sources, secret) for one in found[:ANNOTATIONS]]
        if len(found) > ANNOTATIONS:
            lines.append(f"and {len(found) - ANNOTATIONS} more {plural}, which are not annotated")
    return "".join(f"{line}\n" for line in lines)


def _annotation(one: Diagnostic, sources: Mapping[str, Source], secret: AbstractSet[str]) -> str:
    source = sources.get(one.span.file)
    properties = {"file": annotation_property(source.path if source is not None else one.span.file)}
    if source is not None:
        line, column = _position(source, one.span.start)
        end_line, end_column = _position(source, max(one.span.end, one.span.start))
        properties |= {"line": str(line), "endLine": str(end_line)}
        # A forge takes columns only where both are on one line.
        if end_line == line and not _is_lineless(one, secret):
            properties |= {"col": str(column), "endColumn": str(end_column)}
    properties["title"] = annotation_property(one.code)
    given = ",".join(f"{name}={value}" for name, value in properties.items() if value)
    text = "\n".join(
        [
            one.message,
            *(_note(note, sources, secret) for note in one.notes),
            *([one.help] if one.help else []),
        ]
    )
    return f"::{_COMMANDS[one.severity]} {given}::{annotation_data(text)}"


def as_json(diagnostics: Iterable[Diagnostic], sources: Mapping[str, Source]) -> str:
    """A JSON list of objects; lines and columns count from one and are null where there is no source."""
    records = [_record(one, sources) for one in diagnostics]
    return json_for_a_log(json.dumps(records, indent=2)) + "\n"


def _record(one: Diagnostic, sources: Mapping[str, Source]) -> dict[str, Any]:
    return {
        "code": one.code,
        "severity": one.severity,
        "message": one.message,
        "help": one.help,
        **_place(one.span, sources),
        "notes": [
            {"text": note.text, **(_place(note.span, sources) if note.span is not None else {})}
            for note in one.notes
        ],
    }


def _place(span: Span, sources: Mapping[str, Source]) -> dict[str, Any]:
    source = sources.get(span.file)
    if source is None:
        return {"file": span.file, "line": None, "column": None, "end_line": None, "end_column": None}
    line, column = _position(source, span.start)
    end_line, end_column = _position(source, max(span.end, span.start))
    return {
        "file": source.path, "line": line, "column": column, "end_line": end_line, "end_column": end_column,
    }  # fmt: skip
