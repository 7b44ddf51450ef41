"""What is said of a statement that does not parse: what was found, what could stand there, a way out."""

from __future__ import annotations

import re
from typing import Final

from capwright.base.diagnostic import Diagnostic, offered
from capwright.base.source import Source, Span
from capwright.syntax.forms import STATEMENTS, meant
from capwright.syntax.lalr import END, TOO_DEEP, Failure
from capwright.syntax.limits import MAX_DEPTH
from capwright.syntax.split import TOP_WORDS, Item

_COMPARES: Final = frozenset({"SAME", "DIFFERS", "LESS", "AT_MOST", "MORE", "AT_LEAST"})
_OPERATORS: Final = _COMPARES | {"PLUS", "MINUS", "TIMES", "SLASH", "POWER", "AND", "OR", "IS", "IN", "AS"}
_MEMBER_WORDS: Final = frozenset({"check", "absent", "inherits"})
_FIRST_WORD: Final = re.compile(r"(\w+)[ \t]+(?![=:.{~]|[<>]=)")
_RATE: Final = re.compile(r"1[ \t]*/[ \t]*([^\W\d]\w*)")
"""`1/s`, which someone may take for a unit."""
_NUMBER: Final = re.compile(r"[0-9][^\s]*[0-9kM]|[0-9]")
"""A literal without a unit."""
_CAPITAL: Final = re.compile(r"[0-9][0-9_.]*K")
"""`2K`, for two thousand."""
_THOUSANDS: Final = re.compile(r"([0-9]{1,3})((?:,[0-9]{3})+)(?![0-9_])")
"""Digits parted as in a text, `24,000`."""
_COMMENT: Final = re.compile(r'"(?:[^"\\\n]|\\.)*"|(?<![^\s;{}])(//+|/\*|--+(?=\s))')
"""A string, or what starts a comment elsewhere: it stands at the start of a word, as no operator of two signs does, and two
minus signs before a blank."""
_COMMA: Final = re.compile(r",\s*[^\W\d][\w.]*\s*(?:[=:{~]|[<>]=)")
"""A comma before what opens another statement."""
_OTHER_NAME: Final = re.compile(r"[^\W\d]\w*+(?:[.-]\w++)+")
"""A name with hyphens and points, as things are called elsewhere: `Big-Box-3.1`."""
_LONGEST_NAME: Final = 200
"""Characters on either side of a sign that are looked through for the name that it is in."""
_PARTS_A_NAME: Final = re.compile("-|[.](?=[0-9])")
_THING: Final = re.compile(r"\w+[ \t]+[\w.-]+[ \t]*(?:\{|from\b)")
"""What opens a thing, `type name { … }`."""
_LOOKALIKE: Final = {
    "“": '"',
    "”": '"',
    "„": '"',
    "‘": '"',
    "’": '"',
    "'": '"',
    "−": "-",
    "–": "-",
    "÷": "/",
    "≠": "!=",
    "…": "..",
}


def explain(source: Source, item: Item, failure: Failure, *, in_body: bool) -> Diagnostic:
    """The message for the first place where `item` stops making sense."""
    if failure.kind == TOO_DEEP:
        return overdeep(source, item)
    return (
        _other_comment(source, item, failure)
        or _misplaced(source, item, in_body=in_body)
        or _strange(source, failure)
        or _special(source, item, failure)
        or _general(source, item, failure)
    )


def _other_comment(source: Source, item: Item, failure: Failure) -> Diagnostic | None:
    """A sign that starts a comment in other languages, on the line of the mistake and not behind it."""
    line = max(source.text.rfind("\n", 0, failure.start) + 1, item.start)
    end = min(failure.start + 1, item.end)
    for found in _COMMENT.finditer(source.text, line, item.end):
        if found.start() >= end:
            break
        if found[1]:
            span = Span(source.path, found.start(1), found.end(1))
            message = f"`{found[1]}` starts no comment here"
            return Diagnostic(
                "CW0100",
                span,
                message,
                "comments start with `#`; a division has one `/`"
                if found[1].startswith("//")
                else "comments start with `#`",
            )
    return None


def overdeep(source: Source, item: Item) -> Diagnostic:
    """An expression with more levels than anything after the parser should have to follow."""
    span = Span(source.path, item.start, min(item.start + 1, item.end))
    message = f"an expression of this statement is nested more than {MAX_DEPTH} levels deep"
    return Diagnostic(
        "CW0104", span, message, "give parts of it names, or sum a list with `sum(… for … in …)`"
    )


def _misplaced(source: Source, item: Item, *, in_body: bool) -> Diagnostic | None:
    match = _FIRST_WORD.match(source.text, item.start, item.end)
    if match is None:
        return None
    word = match[1]
    span = Span(source.path, item.start, item.start + len(word))
    if in_body and word in TOP_WORDS:
        message = f"`{word}` stands at top level, not inside `{{ }}`"
        return Diagnostic("CW0115", span, message, "move it out of the braces")
    if not in_body and word in _MEMBER_WORDS:
        message = f"`{word}` stands inside an entity, not at top level"
        return Diagnostic("CW0115", span, message, "move it into the braces of the entity it speaks of")
    return None


def _strange(source: Source, failure: Failure) -> Diagnostic | None:
    """A character that no plan holds outside a string or a comment."""
    if failure.kind:
        return None
    span = Span(source.path, failure.start, failure.end)
    found = source.text[failure.start : failure.end]
    meant = _LOOKALIKE.get(found)
    way_out = f"write `{meant}`" if meant else "delete it, or put the words it belongs to in quotes"
    return Diagnostic("CW0116", span, f"the character `{found}` has no meaning here", way_out)


def _special(source: Source, item: Item, failure: Failure) -> Diagnostic | None:
    """Mistakes that people make often enough for words of their own."""
    kind, accepted = failure.kind, failure.accepted
    found = source.text[failure.start : failure.end]
    before = source.text[item.start : failure.after]
    last = source.text[failure.last : failure.after]
    span = _place(source, failure)
    if kind in _COMPARES and "AND" in accepted and kind not in accepted:
        return Diagnostic(
            "CW0117",
            span,
            "comparisons are not chained",
            "write `a <= b and b <= c`, or in a `require` two lines: each comparison by itself",
        )
    turned = source.text[failure.start : failure.start + 2]
    if kind == "EQUAL" and turned in ("=<", "=>") and "SAME" in accepted:
        right = turned[::-1]
        return Diagnostic("CW0100", span, f"there is no sign `{turned}`", f"write `{right}`")
    if kind == "EQUAL" and "SAME" in accepted:
        return Diagnostic("CW0100", span, "`=` binds a name and does not compare", "write `==` to compare")
    if kind == "POWER" and "TIMES" in accepted:
        return Diagnostic("CW0110", span, "powers are not chained", "write the exponent as one whole number")
    if before.endswith("^") and kind != END:
        message = f"the exponent `{found}` is not written out"
        return Diagnostic("CW0110", span, message, "write a whole number: `x^2`, `x^-1`; a root is `sqrt(x)`")
    if found and "TIMES" not in accepted and (other := _other_name(source, item, failure.start)):
        place, name = other
        sign = "hyphen" if "-" in name else "point before a digit"
        way_out = f"names have letters, digits and `_`: `{_PARTS_A_NAME.sub('_', name)}`"
        return Diagnostic("CW0100", place, f"`{name}` is no name, for it has a {sign}", way_out)
    rate = _RATE.match(source.text, failure.start, item.end)
    if "TIMES" in accepted and rate is not None and _NUMBER.fullmatch(last):
        message = f"`{found}` stands behind a number: no unit starts with a number"
        return Diagnostic("CW0100", span, message, f"write a division: `{last} / 1 {rate[1]}`")
    if kind == "NAME" and "TIMES" in accepted and _CAPITAL.fullmatch(last):
        message = f"`{last}` is a number with the unit `K`"
        return Diagnostic("CW0100", span, message, f"for thousands write `{last[:-1]}k {found}`")
    digits = _THOUSANDS.match(source.text, failure.last, item.end)
    if found == "," and digits is not None and digits.end(1) == failure.after:
        way_out = f"part digits by `_`: `{digits[0].replace(',', '_')}`"
        return Diagnostic("CW0100", span, "a comma does not part the digits of a number", way_out)
    if kind == "STRING" and last == "from":
        message = f"{found} is a file, and `from` takes what reads one"
        return Diagnostic("CW0100", span, message, f"write `from config({found})`")
    if (
        kind == "NAME"
        and "TIMES" in accepted
        and _NUMBER.fullmatch(last)
        and re.fullmatch(r"[ \t]{2,}", source.text[failure.after : failure.start])
    ):
        way_out = f"write one blank before the unit, `{last} {found}`"
        return Diagnostic("CW0100", span, f"`{found}` stands too far from its number", way_out)
    return None


def _other_name(source: Source, item: Item, at: int) -> tuple[Span, str] | None:
    """The word that would be a name elsewhere, and that the sign which parts it stands in; None where there is none."""
    if _PARTS_A_NAME.match(source.text, at) is None:
        return None
    start, end = max(item.start, at - _LONGEST_NAME), min(item.end, at + _LONGEST_NAME)
    for word in _OTHER_NAME.finditer(source.text, start, end):
        if word.start() < at < word.end():
            return Span(source.path, *word.span()), word[0]
    return None


def _general(source: Source, item: Item, failure: Failure) -> Diagnostic:
    shown = "the end of the statement" if failure.kind == END else f"`{_shown(source, failure)}`"
    message = f"expected {_wanted(failure)}, found {shown}"
    return Diagnostic("CW0100", _place(source, failure), message, _way_out(source, item, failure))


def _place(source: Source, failure: Failure) -> Span:
    """The token found, if it stands on the line of the last good one; else just past that one."""
    if failure.kind != END and "\n" not in source.text[failure.after : failure.start]:
        return Span(source.path, failure.start, failure.end)
    end = min(failure.after + 1, len(source.text))
    return Span(source.path, min(failure.after, end), end)


def _shown(source: Source, failure: Failure) -> str:
    line = source.text[failure.start : failure.end]
    return line if len(line) <= 40 else f"{line[:37]}…"


def _wanted(failure: Failure) -> str:
    """What could stand there, in a few words, the likeliest first."""
    accepted = failure.accepted
    value = "QUANTITY" in accepted
    wanted = [
        words
        for holds, words in (
            (value, "a value" if "NAME" in accepted else "a number"),
            (not value and "NAME" in accepted and "UNIT" not in accepted, "a name"),
            ("UNIT" in accepted, "a type" if "WHOLE" in accepted else "a unit"),
            ("DATE" in accepted, "a date such as 2027-03"),
        )
        if holds
    ]
    wanted += [
        f"`{sign}`" for name, sign in _SIGNS.items() if name in accepted and not (value and name == "LPAR")
    ]
    if not value and accepted >= {"PLUS", "TIMES"}:
        wanted.append("an operator")
    if END in accepted:
        wanted.append("the end of the statement")
    if "STRING" in accepted and not value and len(wanted) < 3:
        wanted.append("words in quotes")
    wanted = (wanted or sorted(f"`{name.lower()}`" for name in accepted))[:4]
    return wanted[0] if len(wanted) == 1 else f"{', '.join(wanted[:-1])} or {wanted[-1]}"


_SIGNS: Final = {
    "EQUAL": "=",
    "COLON": ":",
    "LBRACE": "{",
    "LPAR": "(",
    "RPAR": ")",
    "RSQB": "]",
    "THEN": "then",
    "ELSE": "else",
    "WHERE": "where",
    "OF": "of",
    "TO": "to",
    "RANGE": "..",
}


def _way_out(source: Source, item: Item, failure: Failure) -> str:
    accepted = failure.accepted
    first = _first_word(source, item)
    if failure.kind == "NAME" and first in _LISTS and "COMMA" in accepted:
        return "part what it names by commas: `a, b`"
    if failure.kind == "NAME" and first in _LABELLED and "STRING" in accepted:
        words = re.split(r'["#;{}\n]', source.text[failure.start : item.end])[0].strip()
        return f'put the words in quotes, `"{words}"`, or start a new line before the next statement'
    if failure.kind == "NAME" and END in accepted:
        return "start a new line, or write `;`, before the next statement"
    if _own_form(source, item) is None and (meant := _meant_word(source, item)):
        return f"{offered(meant)} The form is `{STATEMENTS[meant[0]].written}`"
    if failure.kind == END and _own_form(source, item) is None:
        return (
            "finish the statement; a line goes on where the next one starts with an operator or a clause word"
        )
    form = _own_form(source, item)
    if form is not None:
        return f"the form is `{form}`"
    if END in accepted and _COMMA.match(source.text, failure.start):
        return "write `;` instead of `,`: that parts one statement from the next, in braces too"
    if END in accepted:
        return f"delete `{_shown(source, failure)}`, or start a new statement with `;` before it"
    return "a statement is `name = value`, `name : type = value`, or `type name { … }`"


def _meant_word(source: Source, item: Item) -> tuple[str, ...]:
    """The word that opens a statement which the first word of this one comes near to, as `requires` does, or stands for
    elsewhere, as `assert` does."""
    word = _FIRST_WORD.match(source.text, item.start, item.end)
    if word is None or _THING.match(source.text, item.start, item.end):
        return ()
    return meant(word[1])


def _own_form(source: Source, item: Item) -> str | None:
    form = STATEMENTS.get(_first_word(source, item))
    return None if form is None else form.written


def _first_word(source: Source, item: Item) -> str:
    word = re.match(r"\w+", source.text[item.start : item.end])
    return "" if word is None else word[0]


_LISTS: Final = frozenset({"report", "view"})
_LABELLED: Final = frozenset({"require", "expect", "check"})
