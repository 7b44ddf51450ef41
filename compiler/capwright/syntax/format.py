"""The one layout of a plan: spacing, indentation and blank lines are decided here, line breaks are the writer's.

Works on tokens, so comments stay where they are. Blanks before a label, a clause or a comment are the
writer's too: columns are lined up by hand.
"""

from __future__ import annotations

from typing import Final

from capwright.base.diagnostic import Diagnostic
from capwright.base.source import Source
from capwright.syntax.actions.expressions import operator, read_quantity
from capwright.syntax.grammar import walker
from capwright.syntax.lalr import END
from capwright.syntax.parse import parse
from capwright.syntax.split import Body, Item, split

_STEP: Final = "  "
_NO_SPACE_AFTER: Final = frozenset({"LPAR", "LSQB", "DOT", "POWER"})
_NO_SPACE_BEFORE: Final = frozenset({"RPAR", "RSQB", "DOT", "COMMA", "POWER"})
_CALLS: Final = frozenset({"NAME", "COUNT", "FILTER"})
_OPERANDS: Final = frozenset(
    {"NAME", "QUANTITY", "STRING", "UNIT", "RPAR", "RSQB", "RBRACE", "COUNT", "FILTER", "LARGEST", "SMALLEST"}
)
_ALIGNED: Final = frozenset(
    {
        "STRING",
        "BECAUSE",
        "REVIEW",
        "SOURCE",
        "KEY",
        "FLAG",
        "CONFIDENTIAL",
        "KIND",
        "DEFAULT",
        "OVER",
        "EACH",
        "LABEL",
        "FROM",
    }
)

_RELATIONS: Final = frozenset({"EQUAL", "TILDE", "AT_LEAST", "AT_MOST"})
_WITHIN_VALUE: Final = frozenset({"THEN", "ELSE", "WHERE"})

_Token = tuple[str, int, int]


def format_source(source: Source) -> tuple[str, tuple[Diagnostic, ...]]:
    """The text laid out, or the text as it is with what is wrong where it does not parse.

    Formatting twice is formatting once, and the tree stays the same but for its places.
    """
    _, problems = parse(source)
    if problems:
        return source.text, problems
    items, _ = split(source)
    start = 1 if source.text.startswith("\ufeff") else 0
    lines = _Layout(source.text).items(items, (start, len(source.text)), 0, in_body=False)
    return "\n".join([*lines, ""]) if lines else "", ()


class _Layout:
    def __init__(self, text: str) -> None:
        self.text = text
        self.walker = walker()

    def items(self, items: list[Item], span: tuple[int, int], depth: int, *, in_body: bool) -> list[str]:
        """The lines of statements and of the comments around them."""
        lines: list[str] = []
        indent = _STEP * depth
        position = span[0]
        for item in items:
            joined = self._gap(lines, position, item.start, indent)
            words = self.item(item, depth, in_body=in_body)
            if joined and position != span[0]:
                lines[-1] += f"; {words}"
            else:
                lines.append(indent + words)
            position = item.end
        self._gap(lines, position, span[1], indent)
        while lines and not lines[-1]:
            lines.pop()
        return lines

    def _gap(self, lines: list[str], start: int, end: int, indent: str) -> bool:
        """Lay out what stands between two statements; whether they share a line."""
        first, *rest = self.text[start:end].split("\n")
        blanks, comment = _comment(first)
        if comment and lines:
            lines[-1] += (blanks or _STEP) + comment
        elif comment:
            lines.append(indent + comment)
        for number, segment in enumerate(rest, 1):
            _, comment = _comment(segment)
            if comment:
                lines.append(indent + comment)
            elif number < len(rest) and lines and lines[-1]:
                lines.append("")
        return not rest

    def item(self, item: Item, depth: int, *, in_body: bool) -> str:
        """One statement, its first line without indentation."""
        bodies = {body.open: body for body in item.bodies}
        jumps = {body.open: body.close for body in item.bodies}
        made: list[str] = []
        before: _Token | None = None
        unary = hanging = False
        parens = 0
        start = "member" if in_body else "statement"
        for kind, begin, end, _ in self.walker.tokens(start, self.text, (item.start, item.end), jumps):
            if kind == END:
                break
            if kind in {"RPAR", "RSQB"}:
                parens -= 1
            if before is not None and kind != "RBRACE":
                closing = kind in {"RPAR", "RSQB"}
                level = depth + (parens if closing else max(1, parens)) + (hanging and kind in _WITHIN_VALUE)
                made.append(self._between(before, (kind, begin, end), parens, level, after_sign=unary))
                hanging = hanging or (kind in _RELATIONS and not parens and "\n" in made[-1])
            unary = kind == "MINUS" and (before is None or before[0] not in _OPERANDS)
            made.append(self._spelled(kind, begin, end))
            if kind == "LBRACE":
                made.append(self.body(bodies[begin], depth))
            parens += kind in {"LPAR", "LSQB"}
            before = (kind, begin, end)
        return "".join(made)

    def body(self, body: Body, depth: int) -> str:
        """What stands between the braces: on one line if it was written on one."""
        inside = (body.open + 1, body.close)
        written = self.text[inside[0] : inside[1]]
        if not body.items and "\n" not in written.strip() and "#" not in written:
            return " "
        if "\n" not in written:
            return f" {'; '.join(self.item(item, depth, in_body=True) for item in body.items)} "
        lines = self.items(body.items, inside, depth + 1, in_body=True)
        return "\n".join(["", *lines, _STEP * depth])

    def _spelled(self, kind: str, begin: int, end: int) -> str:
        written = self.text[begin:end]
        if kind == "QUANTITY":
            _, unit = read_quantity(written)
            number = written[: len(written) - len(unit)].rstrip(" ")
            return f"{number}{'' if unit in {'', '%'} else ' '}{unit}"
        return written if kind == "STRING" else operator((written, begin, end))

    def _between(self, before: _Token, token: _Token, parens: int, level: int, *, after_sign: bool) -> str:
        """What separates two tokens of one statement: a break that the writer made, or blanks."""
        gap = self.text[before[2] : token[1]]
        if "\n" not in gap or (token[0] == "LBRACE" and "#" not in gap):
            return self._blanks(before[0], token[0], gap, parens, after_sign=after_sign)
        first, *rest = gap.split("\n")
        blanks, comment = _comment(first)
        lines = [(blanks or _STEP) + comment if comment else ""]
        lines += [_STEP * level + words for _, words in map(_comment, rest) if words]
        return "\n".join([*lines, _STEP * level])

    @staticmethod
    def _blanks(before: str, kind: str, gap: str, parens: int, *, after_sign: bool) -> str:
        if kind in _NO_SPACE_BEFORE or before in _NO_SPACE_AFTER or after_sign:
            return ""
        if kind == "LPAR" and before in _CALLS:
            return ""
        if kind == "COLON" and parens:
            return ""
        return gap if kind in _ALIGNED and not parens and gap.strip(" ") == "" and gap else " "


def _comment(segment: str) -> tuple[str, str]:
    """The blanks before a comment and the comment; a segment holds nothing else but separators."""
    at = segment.find("#")
    if at < 0:
        return "", ""
    before = segment[:at]
    return before[len(before.rstrip(" ")) :], segment[at:].rstrip()
