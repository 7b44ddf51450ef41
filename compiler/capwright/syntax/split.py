"""Cutting a text into its statements and their bodies, by brackets and line ends alone.

Each piece is parsed by itself, so a mistake in one says nothing about the others. One pass of one
regular expression; a second pass, which guesses where a forgotten bracket should have stood, runs only
when the brackets do not match.
"""

from __future__ import annotations

import re
from typing import Final

from msgspec import Struct, field

from capwright.base.diagnostic import Diagnostic, Note
from capwright.base.source import Source, Span
from capwright.syntax.limits import MAX_BRACKETS, MAX_MESSAGES, MAX_NESTING, MAX_STATEMENT, MAX_STATEMENTS

TOP_WORDS: Final = frozenset(
    "use entity unit kind formula measure evidence require expect option report moved".split()
)
"""Words that open a statement which no body may hold."""

_CONTINUING: Final = (
    "and or then else over each excludes includes caveat discharges because review source key from label flag in "
    "confidential meets context refuses where for default is as"
).split()

# No operator begins with `//` or `/*`: such a line is what is a comment elsewhere, and harms no statement before it.
# Groups that nothing may go back into are atomic: a group that is repeated possessively matches wrongly up to 3.11.4.
_LINE_END = r"(?:\#[^\n]*+)?\n(?>(?:[ \t\r]*+(?:\#[^\n]*+)?\n)*)"
_GOES_ON = (
    r"(?=[ \t\r]*+(?!//|/\*)(?:[-+*/^=!<>~:,.\")\]{×·≤≥]"
    rf"|(?:{'|'.join(_CONTINUING)})(?!\w)(?![ \t]*(?:[=:.{{~]|[<>]=|[≤≥]))))"
)
_EVENT: Final = re.compile(
    rf"""(?>(?:[^",;\#\n(){{}}\[\]]++|,(?![ \t\r]*+(?:\#[^\n]*+)?\n))*)
    (?: (\"(?>(?:[^\"\\\n]++|\\.)*)\")                        # 1 a string
      | (\"[^\n]*+)                                           # 2 a string without an end
      | ((?:,[ \t\r]*+)?{_LINE_END}{_GOES_ON}|,[ \t\r]*+{_LINE_END})  # 3 a line end that is a blank
      | ({_LINE_END})                                         # 4 a line end that separates
      | ([(\[{{])                                             # 5
      | ([)\]}}])                                             # 6
      | (;[;\s]*+)                                                   # 7
      | (\#[^\n]*+)                                           # 8 a comment that ends the text
      | (\Z)                                                  # 9
    )""",
    re.VERBOSE,
)
_AFTER_PAREN: Final = re.compile(rf"[ \t]*(?:[\w.@]+[ \t]*=(?!=)|(?:{'|'.join(TOP_WORDS)})[ \t]+[\w\"])")
_AFTER_BRACE: Final = re.compile(rf"(?:{'|'.join(TOP_WORDS)})[ \t]+[\w\"]")
_CLOSES: Final = {")": "(", "]": "[", "}": "{"}
_CLOSER: Final = {"(": ")", "[": "]", "{": "}"}


class Item(Struct):
    """One statement or member: `text[start:end]`, with the bodies in it. A damaged one has been reported, and an
    unread one stands for the part of the file that was refused."""

    start: int
    end: int
    bodies: list[Body]
    damaged: bool = False
    unread: bool = False


class Body(Struct):
    """`{` at `open`, `}` at `close`, and what stands between."""

    open: int
    close: int
    items: list[Item]


class _Frame(Struct):
    """An open body (or the file), the item being read in it, and that item's open parentheses."""

    open: int
    start: int
    level: int
    """Brackets open around it, its own included."""
    items: list[Item] = field(default_factory=list)
    bodies: list[Body] = field(default_factory=list)
    parens: list[int] = field(default_factory=list)
    damaged: bool = False


_NO_BODIES: Final[list[Body]] = []


def split(source: Source) -> tuple[list[Item], list[Diagnostic]]:
    """The statements of a text, nested, and what is wrong with its brackets and strings."""
    first = _Splitter(source, guess=False)
    first.run()
    if not first.unbalanced:
        return first.items, first.problems
    second = _Splitter(source, guess=True)
    second.run()
    return second.items, second.problems


class _Splitter:
    def __init__(self, source: Source, *, guess: bool) -> None:
        self.source = source
        self.text = source.text
        self.guess = guess
        self.problems: list[Diagnostic] = []
        self.unbalanced = False
        self.count = 0
        self.brackets = 0
        self.frame = _Frame(-1, 1 if self.text.startswith("\ufeff") else 0, 0)
        self.frames = [self.frame]

    @property
    def items(self) -> list[Item]:
        return self.frames[0].items

    def run(self) -> None:
        """Read all events; each is at most one bracket, string or line end."""
        frame = self.frame
        position = frame.start
        match = _EVENT.match
        text = self.text
        while True:
            event = match(text, position)
            assert event is not None, "every text ends in an event"
            which = event.lastindex
            assert which is not None
            position = event.end()
            if which in {3, 4}:
                if self.guess and (frame.parens or len(self.frames) > 1):
                    self._guess(event.start(which), position)
                    frame = self.frame
                if which == 4 and not frame.parens:
                    self._finish(frame, event.start(4), position)
            elif which == 5:
                if not self._open(event.start(5)):
                    return
                frame = self.frame
            elif which == 6:
                self._close(event.start(6))
                frame = self.frame
            elif which == 7:
                if not frame.parens:
                    self._finish(frame, event.start(7), position)
            elif which == 2:
                self._endless_string(event.start(2), position)
            elif which == 8:
                self._finish(frame, event.start(8), position)
            elif which == 9:
                self._end(position)
                return
            if self.count > MAX_STATEMENTS:
                self._too_many(position, f"more than {MAX_STATEMENTS:,} statements")
                return

    def _finish(self, frame: _Frame, end: int, following: int) -> None:
        """The item of `frame` ends before `end`; the next may start at `following`."""
        piece = self.text[frame.start : end]
        core = piece.lstrip()
        if core:
            start = end - len(core)
            item = Item(start, start + len(core.rstrip()), frame.bodies or _NO_BODIES, frame.damaged)
            if item.end - start > MAX_STATEMENT and own_length(item) > MAX_STATEMENT:
                self._too_long(item)
            frame.items.append(item)
            self.count += 1
            frame.bodies = []
            frame.damaged = False
        frame.start = following

    def _open(self, at: int) -> bool:
        self.brackets += 3 if self.text[at] == "{" else 1  # a body takes the work of three
        if self.brackets > MAX_BRACKETS:
            self._too_many(at, f"more than {MAX_BRACKETS:,} brackets")
            return False
        level = self.frame.level + len(self.frame.parens) + 1
        if level > MAX_NESTING:
            self._report(
                "CW0104",
                at,
                f"more than {MAX_NESTING} brackets are open here",
                "give the inner parts names of their own",
            )
            self._abandon(at)
            return False
        if self.text[at] == "{":
            self.frame = _Frame(at, at + 1, level)
            self.frames.append(self.frame)
        else:
            self.frame.parens.append(at)
        return True

    def _close(self, at: int) -> None:
        frame, closer = self.frame, self.text[at]
        if closer == "}":
            self._unclosed_parens(frame)
            if len(self.frames) > 1:
                self._pop(at, at + 1)
                return
        elif frame.parens:
            opener = frame.parens.pop()
            if self.text[opener] == _CLOSES[closer]:
                return
            self._mismatch(opener, at)
            return
        self.unbalanced = True
        frame.damaged = True
        self._report(
            "CW0102", at, f"`{closer}` closes nothing", f"delete it, or open it with `{_CLOSES[closer]}`"
        )

    def _pop(self, close: int, following: int) -> None:
        """The innermost body ends at `close`."""
        inner = self.frames.pop()
        self._finish(inner, close, following)
        self.frame = self.frames[-1]
        self.frame.bodies.append(Body(inner.open, close, inner.items))

    def _unclosed_parens(self, frame: _Frame) -> None:
        if frame.parens:
            self._unclosed(frame.parens[0])
            frame.parens.clear()
            frame.damaged = True

    def _unclosed(self, at: int) -> None:
        self.unbalanced = True
        opener = self.text[at]
        self._report("CW0101", at, f"this `{opener}` is never closed", f"close it with `{_CLOSER[opener]}`")

    def _mismatch(self, opener: int, closer: int) -> None:
        self.unbalanced = True
        self.frame.damaged = True
        wanted = _CLOSER[self.text[opener]]
        note = Note(f"`{self.text[opener]}` was opened here", Span(self.source.path, opener, opener + 1))
        message = f"`{self.text[closer]}` stands where `{wanted}` should close a bracket"
        self._report("CW0102", closer, message, f"write `{wanted}`", note)

    def _guess(self, end: int, following: int) -> None:
        """A line that can only open a statement shows that a bracket before it was forgotten."""
        if self.frame.parens and _AFTER_PAREN.match(self.text, following):
            self._unclosed_parens(self.frame)
        if len(self.frames) > 1 and _AFTER_BRACE.match(self.text, following):
            self._close_all(end, following)
            self._finish(self.frame, end, following)

    def _close_all(self, end: int, following: int) -> None:
        self._unclosed_parens(self.frame)
        while len(self.frames) > 1:
            self._unclosed(self.frame.open)
            self._pop(end, following)
            self._unclosed_parens(self.frame)
            self.frame.damaged = True

    def _end(self, at: int) -> None:
        self._close_all(at, at)
        self._finish(self.frame, at, at)

    def _abandon(self, at: int) -> None:
        """Stop here: what is open is damaged, and nothing more is said of it."""
        for frame in self.frames:
            frame.parens.clear()
            frame.damaged = True
        while len(self.frames) > 1:
            self._pop(at, at)
        self._finish(self.frame, at, at)
        self._unread(at)

    def _unread(self, at: int) -> None:
        self.items.append(Item(at, len(self.text), _NO_BODIES, damaged=True, unread=True))

    def _endless_string(self, start: int, end: int) -> None:
        self.frame.damaged = True
        self._report_span(
            "CW0103",
            Span(self.source.path, start, end),
            "this string has no end on its line",
            'end it with `"`',
        )

    def _too_long(self, item: Item) -> None:
        item.damaged = True
        item.end = item.start
        message = f"a statement of more than {MAX_STATEMENT:,} characters is not read"
        self._report(
            "CW0105", item.start, message, "split it: give its parts names, or read them from a file"
        )

    def _too_many(self, at: int, what: str) -> None:
        """Refuse the whole file, with this one message."""
        self._abandon(at)
        self.items.clear()
        self.problems.clear()
        self._unread(0)
        self._report("CW0105", at - 1, f"{what} in one file", "split it and join the parts with `use`")

    def _report(self, code: str, at: int, message: str, way_out: str, *notes: Note) -> None:
        self._report_span(code, Span(self.source.path, at, at + 1), message, way_out, *notes)

    def _report_span(self, code: str, span: Span, message: str, way_out: str, *notes: Note) -> None:
        if len(self.problems) <= MAX_MESSAGES:
            self.problems.append(Diagnostic(code, span, message, way_out, notes=notes))


def own_length(item: Item) -> int:
    """The characters of an item outside its bodies."""
    return item.end - item.start - sum(body.close - body.open for body in item.bodies)
