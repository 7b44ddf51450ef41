"""Reading a page of literate cases."""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass, field

FENCE = re.compile(r"^(?P<ticks>`{3,})(?P<language>[\w-]*)(?P<attributes>[^`\n]*)$")
HEADING = re.compile(r"^#{1,6} (?P<text>.+)$")
SHOWS = re.compile(r"^<!-- shows (?P<promises>\w+(?: \w+)*) -->$")


@dataclass(frozen=True)
class Block:
    """One fenced block: its language, its `key=value` attributes and bare words, its text.

    `shows` are the promises that a comment below its heading says it shows.
    """

    language: str
    attributes: tuple[tuple[str, str], ...]
    words: frozenset[str]
    text: str
    line: int
    heading: str
    shows: tuple[str, ...] = ()

    def get(self, key: str) -> str | None:
        return next((value for name, value in self.attributes if name == key), None)

    def all(self, key: str) -> tuple[str, ...]:
        return tuple(value for name, value in self.attributes if name == key)


@dataclass(frozen=True)
class Case:
    """A plan, its further files and what must come of it (None: what its `#!` comments say)."""

    name: str
    line: int
    plan: str
    files: dict[str, str] = field(default_factory=dict)
    expect: str | None = None
    expect_line: int = 0
    overrides: tuple[tuple[str, str], ...] = ()
    words: frozenset[str] = frozenset()
    heading: str = ""
    shows: tuple[str, ...] = ()


def blocks(page: str) -> list[Block]:
    """All fenced blocks of a page in order."""
    found: list[Block] = []
    lines = page.splitlines()
    heading, at = "page", 0
    shows: tuple[str, ...] = ()
    while at < len(lines):
        fence = FENCE.match(lines[at])
        if fence is None:
            title = HEADING.match(lines[at])
            if title is not None:
                heading, shows = title["text"], ()
            told = SHOWS.match(lines[at])
            shows = tuple(told["promises"].split()) if told is not None else shows
            at += 1
            continue
        end = at + 1
        while end < len(lines) and lines[end].rstrip() != fence["ticks"]:
            end += 1
        words = shlex.split(fence["attributes"])
        pairs = tuple(tuple(word.split("=", 1)) for word in words if "=" in word)
        found.append(
            Block(
                fence["language"],
                pairs,  # type: ignore[arg-type]
                frozenset(word for word in words if "=" not in word),
                "".join(line + "\n" for line in lines[at + 1 : end]),
                at + 2,
                heading,
                shows,
            )
        )
        at = end + 1
    return found


def cases(page: str) -> list[Case]:
    """The cases of a page, each named for its heading, numbered where that is not enough."""
    found: list[Case] = []
    files: dict[str, str] = {}
    taken: dict[str, int] = {}
    sequence = blocks(page)
    for block, after in zip(sequence, [*sequence[1:], None], strict=True):
        name = block.get("file")
        if name is not None:
            files[name] = block.text
        elif block.language == "plan" and "no-run" not in block.words:
            title = slug(block.get("name") or block.heading)
            taken[title] = taken.get(title, 0) + 1
            expect = after if after is not None and after.language == "expect" else None
            found.append(
                Case(
                    title if taken[title] == 1 else f"{title}-{taken[title]}",
                    block.line,
                    block.text,
                    files,
                    expect.text if expect else None,
                    expect.line if expect else 0,
                    tuple(tuple(text.split("=", 1)) for text in block.all("set")),  # type: ignore[misc]
                    block.words,
                    block.heading,
                    block.shows,
                )
            )
            files = {}
        elif block.language == "expect" and (not found or found[-1].expect_line != block.line):
            raise ValueError(f"line {block.line - 1}: an expect block must follow its plan at once")
    return found


def slug(title: str) -> str:
    return re.sub(r"[^\w.]+", "-", title.lower()).strip("-")


def marked(plan: str) -> list[tuple[int, str]]:
    """(line, code) of every `#! CW0301` comment; several codes may stand in one."""
    return [
        (number, code)
        for number, line in enumerate(plan.splitlines(), 1)
        if "#!" in line
        for code in re.findall(r"CW\d{4}", line.partition("#!")[2])
    ]
