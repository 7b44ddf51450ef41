"""What can still be known of a statement that does not parse: the names that it was going to declare.

Whoever reads the message of a mistake knows why such a name has no value; a message wherever it is used would only
repeat it. So the first words of a statement are read, by its form where they show one, and generously where they
do not: a name too many costs a message that one correction brings back.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import Final

from capwright.base.address import option_address
from capwright.base.source import Source, Span
from capwright.syntax.forms import meant
from capwright.syntax.lalr import END, Failure
from capwright.syntax.split import Item
from capwright.syntax.tree import Broken

_NAME: Final = r"[^\W\d]\w*(?:@[^\W\d]\w*)*"
_PATH: Final = re.compile(rf"{_NAME}(?:\.{_NAME})*")
_TYPE: Final = re.compile(rf"{_PATH.pattern}[ \t]+(?=[^\W\d])")
_HEAD: Final = re.compile(r"(?:(?!\b(?:in|from|of|kind|because)\b)[^=:{(~<>≤≥\"\n;#]){0,400}")
_LINE: Final = re.compile(r"(?:\A|[\n;{])[ \t\r]*(?=[^\W\d])")
STATEMENTS: Final = frozenset(
    "use unit kind entity formula view assume measure evidence require expect option report moved check absent inherits "
    "override".split()
)
"""The words that statements, of a plan or of a body, open with."""
_WORD: Final = re.compile(rf"(?:({'|'.join(sorted(STATEMENTS))})[ \t]+(?=[^\W\d]|\"))?")
_DECLARES_NOTHING: Final = frozenset(
    {"view", "measure", "evidence", "require", "expect", "report", "moved", "check", "inherits"}
)
_OF_UNITS: Final = frozenset(
    {"symbol", "prefixes", "decimal", "multiples", "submultiples", "binary", "counting"}
)
_SYMBOL: Final = re.compile(r"symbol[ \t]+([$%])")
_NAMELESS: Final = re.compile(
    r"(?:unit[ \t]*,|(?:kind|assume)[ \t]*:|(?:entity|formula)[ \t]*[:({]|assume[ \t]*=|override[ \t]*=)"
)
"""A declaration that goes on where its name should stand."""
_INSTANCE_OF_NO_NAME: Final = re.compile(rf"{_PATH.pattern}[ \t]+(?:\{{|from\b)")
_GAP: Final = re.compile(
    r"\A[ \t]*,|,[ \t]*(?:,|=|\Z|(?:symbol|prefixes|counting)\b)|symbol[ \t]*(?:=|\Z|(?:prefixes|counting)\b)"
)
"""Where a name or a symbol of a unit should stand."""
_GOES_ON: Final = re.compile(r",[ \t\r]*\n\s*")
"""The end of a line of names that the next one goes on with."""
_OPTION: Final = re.compile(rf"({_NAME})[ \t]+of[ \t]+({_NAME})")
_NEXT: Final = re.compile(rf"(?<![\w@.])(?>({_PATH.pattern}))[ \t]*[=:{{](?!=)")
"""A name that is being declared."""
_NEXT_ELEMENT: Final = re.compile(rf"(?<![\w@.])(?>({_NAME}))[ \t]+(?>{_NAME})[ \t]*(?:[:{{]|from\b)")
"""The word that opens the element of a list."""
_ALIAS: Final = re.compile(rf"\bas[ \t]+({_NAME})")
_FILE: Final = re.compile(
    rf"(\w+)(?![^\s\"])[ \t]*(?:[\w./-]+|\"[^\"]*\"?)?[ \t]*(?:\bas[ \t]+{_NAME})?[ \t;]*(?:#.*)?\Z"
)
"""A word and one name or path: where the word is near to `use`, a file was to be read."""
_MEASURED: Final = re.compile(rf"\bas[ \t]+({_NAME})[ \t]*\{{")
_CAVEAT: Final = re.compile(rf"\bcaveat[ \t]+(?:(?!for\b)({_NAME}))?|({_NAME})[ \t]+for\b")
_PURPOSE: Final = re.compile(rf"\bfor[ \t]+({_NAME})")
_AFTER_NAME: Final = re.compile(r"[:={]|from\b")
_STRANGE: Final = re.compile(r"[^\w\s.,:;=@\"'(){}\[\]<>~$%≤≥#+*/·^-]")
_GOING_ON: Final = re.compile(r"\n[ \t]*(?:[:=](?!=)|\.[^\W\d]|\"[^\"\n]*\"[ \t]*\{)")
"""A line that is read as part of the one before it because its own first word is missing."""
_SEARCHED: Final = 4_000
"""Characters of a statement in which names are looked for."""
_SWALLOWED: Final = 4_000
"""Lines behind a forgotten bracket that are looked at; a text with more may declare anything."""


def salvaged(source: Source, item: Item, failure: Failure | None, *, in_body: bool) -> Broken:
    """What stands in the tree for an item that does not parse, or that holds what does not.

    Where a bracket was not closed, the item has swallowed statements after it; what their lines open is declared too. So
    is what follows on the same line where the statement might have ended.
    """
    span = Span(source.path, item.start, item.end)
    if item.unread:
        return Broken(span, rest=True)
    text = source.text
    paths, rest = _declared(text, item.start, in_body=in_body)
    if item.damaged and not in_body:
        lines = list(islice(_LINE.finditer(text, item.start, item.end), _SWALLOWED + 1))
        rest = rest or len(lines) > _SWALLOWED
        for line in lines[:_SWALLOWED]:
            more, unread = _declared(text, line.end(), in_body=True)
            paths, rest = paths + more, rest or unread
    words = list(_words(text, item, in_body))
    after = None if failure is None else _next(text, failure)
    if failure is not None and after is not None:
        end = min(item.end, after + _SEARCHED)
        paths += [tuple(path.split(".")) for path in _NEXT.findall(text, after, end)]
        words += _NEXT_ELEMENT.findall(text, failure.last, end) if in_body else ()
    rest = rest or (item.damaged and in_body) or _GOING_ON.search(text, item.start, item.end) is not None
    return Broken(span, tuple(dict.fromkeys(paths)), tuple(dict.fromkeys(words)), rest)


def _next(text: str, failure: Failure) -> int | None:
    """Where another statement starts if the one before it should have ended: at a name, or, before the sign that follows
    it, at what was read as a number and its unit. A comma may stand where `;` is meant."""
    if failure.kind == "NAME" and END in failure.accepted:
        return failure.start
    if END in failure.accepted and text[failure.start : failure.end] == ",":
        return failure.end
    is_sign = text[failure.start : failure.end] in {"=", ":"}
    return failure.last if is_sign and text[failure.last].isdigit() else None


def _declared(text: str, at: int, *, in_body: bool) -> tuple[list[tuple[str, ...]], bool]:
    """What the statement that opens at `at` declares, and whether that is something without a name, or many things."""
    line = _STRANGE.sub("", text[at : at + _SEARCHED].partition("\n")[0]).lstrip()
    match = _WORD.match(line)
    assert match is not None, "nothing at all matches, too"
    word, rest = match[1], line[match.end() :]
    if word in _DECLARES_NOTHING:
        return [], False
    if word == "use" or (not in_body and word is None and _reads_a_file(line)):
        alias = _ALIAS.search(rest)
        return ([], True) if alias is None else ([(alias[1],)], False)
    if word == "option" or _OPTION.match(line):
        return _option(rest)
    if word == "unit":
        more = _STRANGE.sub("", _GOES_ON.sub(", ", text[at : at + _SEARCHED]).partition("\n")[0]).lstrip()
        return _unit(more[match.end() :])
    head = _HEAD.match(rest)
    assert head is not None, "nothing at all matches, too"
    names = _PATH.findall(head[0])
    if word is None and len(names) > 1:
        # `type name {`, or a name whose sign is missing: then the name is the first or the second.
        typed = _TYPE.match(rest) is not None and _AFTER_NAME.match(rest, head.end()) is not None
        names = names[1:] if typed else names[:2] if _TYPE.match(rest) else names
    nameless = _NAMELESS.match(line) is not None or ".." in head[0]
    if not in_body:
        nameless = nameless or _INSTANCE_OF_NO_NAME.match(line) is not None
    return [tuple(path.split(".")) for path in names], nameless or not names


def _reads_a_file(line: str) -> bool:
    """Whether a line was to be `use std` or `use "path.plan"`, by another word for it or without its name."""
    found = _FILE.match(line)
    return found is not None and meant(found[1]) == ("use",)


def _option(line: str) -> tuple[list[tuple[str, ...]], bool]:
    whole = _OPTION.match(line)
    if whole is not None:
        return [(option_address(whole[2], whole[1]),)], False
    name = _PATH.match(line)
    return ([], True) if name is None or name[0] == "of" else ([(option_address("", name[0]),)], False)


def _unit(line: str) -> tuple[list[tuple[str, ...]], bool]:
    names = [name for name in _PATH.findall(line.partition("=")[0]) if name not in _OF_UNITS]
    return [(name,) for name in (*names, *_SYMBOL.findall(line))], _GAP.search(line) is not None


def _words(text: str, item: Item, in_body: bool) -> Iterator[str]:
    """The names that clauses give, of a caveat, of a measurement, of the purpose of a kind, and the word that opens
    the element of a list; for a name that is missing, the word before it."""
    written = _STRANGE.sub("", text[item.start : min(item.end, item.start + _SEARCHED)]).lstrip()
    if in_body and (opening := _TYPE.match(written)) is not None:
        yield opening[0].rstrip()
    if written.startswith("kind"):
        yield from _PURPOSE.findall(written)
        return
    for caveat in _CAVEAT.finditer(written):
        yield caveat[1] or caveat[2] or "caveat"
    if written.startswith("measure"):
        head = written.partition("{")[0]
        named, last = _ALIAS.search(head), _PATH.findall(head)[-1]
        yield named[1] if named else "measure" if last == "as" else last
    else:
        yield from _MEASURED.findall(written)
